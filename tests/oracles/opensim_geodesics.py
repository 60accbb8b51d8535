"""OpenSim's newer paths (Scholz 2015) as an oracle: true geodesics over one surface, told where to begin."""

import opensim as osim

osim.Logger.setLevelString("off")


class Geodesic:
    """A path between two points of the ground over a surface fixed in the ground at its own pose.

    Args:
        kind: "sphere", "cylinder", "ellipsoid" or "torus".
        sizes: Its sizes; torus: radius of the tube, radius of the ring.
        start: First point in the axes of the surface, shape (3,), [m].
        end: Last point.
        hint: Where to begin on the surface.
    """

    def __init__(self, kind, sizes, start, end, hint):
        self.model = osim.Model()
        ground = self.model.getGround()
        zero = osim.Vec3(0)
        if kind == "sphere":
            surface = osim.ContactSphere(float(sizes[0]), zero, ground)
        elif kind == "cylinder":
            surface = osim.ContactCylinder(float(sizes[0]), zero, zero, ground)
        elif kind == "ellipsoid":
            surface = osim.ContactEllipsoid(osim.Vec3(*map(float, sizes)), zero, zero, ground)
        else:
            surface = osim.ContactTorus(float(sizes[1]), float(sizes[0]), zero, zero, ground)
        surface.setName("surface")
        self.model.addContactGeometry(surface)
        path = osim.Scholz2015GeometryPath()
        path.setName("path")
        path.appendPathPoint(ground, osim.Vec3(*map(float, start)))
        path.appendObstacle(surface, osim.Vec3(*map(float, hint)))
        path.appendPathPoint(ground, osim.Vec3(*map(float, end)))
        self.model.addComponent(path)
        self.state = self.model.initSystem()
        self.model.realizePosition(self.state)
        self.path = path

    @property
    def length(self):
        """Length of the path [m]."""
        return self.path.getLength(self.state)
