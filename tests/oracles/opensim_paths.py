"""OpenSim's muscle paths as an oracle: lengths and moment arms in given poses."""

import re
import tempfile
from pathlib import Path

import numpy as np
from tests import peers

from .installed import osim
from .opensim import pose_matrix
from .opensim_id import read_couplers

_LOW = re.compile(r"<(minimum_activation|min_control)>\s*0(?:\.0+1?)?\s*<")


def loadable(path, folder):
    """Return a model file that OpenSim 4.6 accepts: it refuses a least activation of 0, which has no part in paths."""
    text = Path(path).read_text(encoding="utf-8")
    if not re.search(r"<minimum_activation>\s*0(\.0*)?\s*<", text):
        return Path(path)
    target = Path(folder) / Path(path).name
    target.write_text(_LOW.sub(r"<\1>0.01<", text), encoding="utf-8")
    return target


class OpenSimPaths:
    """The muscles of an OpenSim model.

    Args:
        path: Model file.
        geodesics: Muscles that are wanted as true geodesics too (Scholz 2015), by name: numbers of points, and pairs of
            a surface and a place on it to begin from, in its axes, in the order of the path.
    """

    def __init__(self, path, geodesics=None):
        self.model = osim.Model(str(path))
        self.model.finalizeConnections()
        self.geodesics = {name: self._geodesic(name, parts) for name, parts in (geodesics or {}).items()}
        self.state = self.model.initSystem()
        self.coordinates = {c.getName(): c for c in self.model.updCoordinateSet()}
        self.muscles = {muscle.getName(): muscle for muscle in self.model.getMuscleList()}
        self.couplers = read_couplers(self.model)
        for coordinate in self.coordinates.values():
            coordinate.setLocked(self.state, False)

    def _geodesic(self, name, parts):
        """Add the path of a muscle over surfaces as a geodesic to the model."""
        muscle = {each.getName(): each for each in self.model.getMuscleList()}[name]
        points = osim.GeometryPath.safeDownCast(muscle.getPath()).getPathPointSet()
        path = osim.Scholz2015GeometryPath()
        path.setName(f"geodesic_of_{name}")
        for part in parts:
            if isinstance(part, int):
                point = osim.PathPoint.safeDownCast(points.get(part))
                path.appendPathPoint(point.getParentFrame(), point.get_location())
            else:
                surface, hint = part
                path.appendObstacle(self._obstacle(surface, name), osim.Vec3(*map(float, hint)))
        self.model.addComponent(path)
        return path

    def _obstacle(self, surface, name):
        wrap = self._wrap(surface)
        frame = osim.PhysicalFrame.safeDownCast(
            self.model.getComponent(wrap.getFrame().getAbsolutePathString())
        )
        place = wrap.get_translation(), wrap.get_xyz_body_rotation(), frame
        cylinder, ellipsoid = osim.WrapCylinder.safeDownCast(wrap), osim.WrapEllipsoid.safeDownCast(wrap)
        if cylinder is not None:
            obstacle = osim.ContactCylinder(cylinder.get_radius(), *place)
        else:
            obstacle = osim.ContactEllipsoid(ellipsoid.get_dimensions(), *place)
        obstacle.setName(f"{surface}_of_{name}")
        self.model.addContactGeometry(obstacle)
        return obstacle

    def _wrap(self, name):
        for body in [*self.model.getBodySet(), self.model.getGround()]:
            found = body.getWrapObject(name)
            if found is not None:
                return found
        raise KeyError(name)

    def set(self, values):
        """Set named coordinates, and those that couplers make follow them."""
        for name, value in values.items():
            self.coordinates[name].setValue(self.state, float(value), False)
        for coupler in self.couplers:
            value = coupler.slope * values[coupler.independent] + coupler.intercept
            self.coordinates[coupler.dependent].setValue(self.state, float(value), False)
        self.model.realizePosition(self.state)

    def length(self, name):
        """Return the length of a muscle's path as OpenSim says it [m]."""
        return self.muscles[name].getPath().getLength(self.state)

    def final_length(self, name):
        """Return the length along the vertices that OpenSim ended with [m].

        With two surfaces or more, OpenSim 4.6 adds straight parts between where the vertices were in its first round
        (their positions in ground are kept and not renewed) to the arcs of its last.
        """
        path = osim.GeometryPath.safeDownCast(self.muscles[name].updPath())
        vertices = path.getCurrentPath(self.state)
        total, before = 0.0, None
        for i in range(vertices.getSize()):
            vertex = vertices.get(i)
            T = pose_matrix(vertex.getParentFrame().getTransformInGround(self.state))
            x = T[:3, :3] @ vertex.getLocation(self.state).to_numpy() + T[:3, 3]
            wrap = osim.PathWrapPoint.safeDownCast(vertex)
            arc = 0.0 if wrap is None else wrap.getWrapLength(self.state)
            if before is not None:
                total += arc if arc else np.linalg.norm(x - before)
            before = x
        return total

    def wraps(self, name):
        """Return where a muscle's path meets and leaves the surfaces that it wraps, by surface, in its axes: (2, 3)."""
        vertices = osim.GeometryPath.safeDownCast(self.muscles[name].updPath()).getCurrentPath(self.state)
        found = {}
        for i in range(vertices.getSize()):
            vertex = osim.PathWrapPoint.safeDownCast(vertices.get(i))
            if vertex is not None:
                surface = vertex.getWrapObject()
                T = pose_matrix(surface.getTransform())
                x = (vertex.getLocation(self.state).to_numpy() - T[:3, 3]) @ T[:3, :3]
                found.setdefault(surface.getName(), []).append(x)
        return {surface: np.array(places) for surface, places in found.items()}

    def arm(self, name, coordinate):
        """Return a moment arm of a muscle [m]."""
        return self.muscles[name].getPath().computeMomentArm(self.state, self.coordinates[coordinate])

    def geodesic(self, name, values, wanted):
        """Return the length of a muscle's geodesic in a pose, and its arms about the wanted coordinates."""
        self.set(values)
        path = self.geodesics[name]
        arms = [path.computeMomentArm(self.state, self.coordinates[each]) for each in wanted]
        return path.getLength(self.state), np.array(arms)

    def compare(self, names, coordinates, q, supports):
        """Return lengths (n, m), lengths along the final vertices and arms (n, m, v) in poses q (n, v).

        Arms are computed where ``supports`` (m, v) says so, and are NaN elsewhere.
        """
        lengths = np.empty((2, len(q), len(names)))
        arms = np.full((len(q), len(names), len(coordinates)), np.nan)
        for f, pose in enumerate(q):
            self.set(dict(zip(coordinates, pose, strict=True)))
            for i, name in enumerate(names):
                lengths[:, f, i] = self.length(name), self.final_length(name)
                for j in np.flatnonzero(supports[i]):
                    arms[f, i, j] = self.arm(name, coordinates[j])
        return *lengths, arms


def ask(file, told):
    """Return what OpenSim says of paths in poses, as arrays.

    Args:
        file: Model file.
        told: Names of "muscles" (m,) and "coordinates" (v,); poses "q" (n, v); which coordinates "moves" each muscle
            (m, v), other arms are not asked for; "doubts" (k, 3): frame, muscle and way of those of which more is
            asked; and "part_..." (p,), the parts of ways: number of the way, number of a point of the muscle or -1,
            name of the surface and where to begin on it (p, 3).

    Returns:
        "length" (n, m); "added", by how much that exceeds the length along the final vertices; "arms" (n, sum of
        moves); of each doubt "way_length" (k,) of the geodesic and its "way_arms", one after the other; and where the
        path meets and leaves surfaces, one place a row: "wrap_doubt", "wrap_surface" and "wrap_place" (r, 3).
    """
    names, coordinates, moves = told["muscles"].tolist(), told["coordinates"].tolist(), told["moves"]
    poses = [dict(zip(coordinates, pose, strict=True)) for pose in told["q"]]
    with tempfile.TemporaryDirectory() as folder:
        file = loadable(file, folder)
        theirs = OpenSimPaths(file)
        length, final, arms = theirs.compare(names, coordinates, told["q"], moves)
        met = []
        for k, (f, i, _) in enumerate(told["doubts"]):
            theirs.set(poses[f])
            places = theirs.wraps(names[i])
            met += [(k, surface, place) for surface, where in places.items() for place in where]
        way_length = np.zeros(len(told["doubts"]))
        way_arms = [np.zeros(moves[i].sum()) for _, i, _ in told["doubts"]]
        for way in np.unique(told["doubts"][:, 2]):
            those = np.flatnonzero(told["doubts"][:, 2] == way)
            name = names[told["doubts"][those[0], 1]]
            geodesic = OpenSimPaths(file, {name: parts_of_way(told, way)})
            for k in those:
                f, i, _ = told["doubts"][k]
                wanted = [coordinates[j] for j in np.flatnonzero(moves[i])]
                way_length[k], way_arms[k][:] = geodesic.geodesic(name, poses[f], wanted)
    return {
        "length": length,
        "added": length - final,
        "arms": arms[:, moves],
        "way_length": way_length,
        "way_arms": np.concatenate([np.zeros(0), *way_arms]),
        "wrap_doubt": np.array([each[0] for each in met], dtype=int),
        "wrap_surface": peers.words([each[1] for each in met]),
        "wrap_place": np.array([each[2] for each in met]).reshape(-1, 3),
    }


def parts_of_way(told, way):
    """Return the parts of a way as `OpenSimPaths` takes them."""
    rows = zip(
        *(told[f"part_{name}"][told["part_way"] == way] for name in ("point", "surface", "place")),
        strict=True,
    )
    return [(str(surface), place) if point < 0 else int(point) for point, surface, place in rows]
