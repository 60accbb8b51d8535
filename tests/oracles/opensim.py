"""OpenSim as an oracle: its tree of joints becomes a Model (for tests only), its values the reference.

All joints of the shared .osim files are covered: custom (spatial transform with functions), pin, weld,
universal and planar. Forces, muscles and constraints are left out: what is compared is the open tree of
bodies.
"""

import numpy as np

from softstride.model.builder import ModelBuilder
from softstride.model.functions import Constant, Linear, PiecewiseLinear, Polynomial, Scaled, SimmSpline
from softstride.model.inertia import Inertia
from softstride.model.joints import Axis

from . import screws as sc
from .installed import osim


def pose_matrix(X):
    """Return a SimTK Transform as (4, 4)."""
    R = X.R().asMat33()
    return sc.transform([[R.get(i, j) for j in range(3)] for i in range(3)], X.p().to_numpy())


def convert_function(function):
    """Return our Function for an OpenSim one."""
    name = function.getConcreteClassName()
    down = getattr(osim, name).safeDownCast(function)
    if name == "Constant":
        return Constant(down.getValue())
    if name == "LinearFunction":
        return Linear(down.getSlope(), down.getIntercept())
    if name == "PolynomialFunction":
        return Polynomial(down.getCoefficients().to_numpy()[::-1])
    if name == "MultiplierFunction":
        inner = convert_function(down.getFunction())
        constant = isinstance(inner, Constant)  # OpenSim scales constants too; ours need no coordinate then
        return Constant(inner.value * down.getScale()) if constant else Scaled(inner, down.getScale())
    if name in ("SimmSpline", "PiecewiseLinearFunction"):
        n = down.getSize() if name == "SimmSpline" else down.getNumberOfPoints()
        points = [down.getX(i) for i in range(n)], [down.getY(i) for i in range(n)]
        return (SimmSpline if name == "SimmSpline" else PiecewiseLinear)(*points)
    raise NotImplementedError(name)


def convert_axes(joint):
    """Return (rotations, translations), three Axis each, of a custom, pin, universal or planar joint."""
    names = [joint.get_coordinates(i).getName() for i in range(joint.numCoordinates())]
    kind = joint.getConcreteClassName()
    if kind == "CustomJoint":
        spatial = osim.CustomJoint.safeDownCast(joint).getSpatialTransform()
        axes = [convert_axis(spatial.getTransformAxis(i)) for i in range(6)]
        return tuple(axes[:3]), tuple(axes[3:])
    driven = {"PinJoint": (2,), "UniversalJoint": (0, 1), "PlanarJoint": (2, 3, 4), "WeldJoint": ()}[kind]
    directions = {i: np.eye(3)[i % 3] for i in range(6)}
    terms = {i: ((name, Linear(1.0)),) for i, name in zip(driven, names, strict=True)}
    axes = [Axis(directions[i], terms.get(i, ())) for i in range(6)]
    return tuple(axes[:3]), tuple(axes[3:])


def convert_axis(axis):
    """Return our Axis for an OpenSim TransformAxis."""
    names = [axis.getCoordinateNamesInArray().get(i) for i in range(axis.getCoordinateNamesInArray().size())]
    function = convert_function(axis.getFunction())
    direction = axis.getAxis().to_numpy()
    return Axis(direction, ((names[0] if names else "", function),))


def write_joint(path, axes, functions):
    """Write an .osim file of one body on a custom joint.

    Args:
        path: File to write.
        axes: Six directions.
        functions: For each axis None, or (coordinate name, OpenSim function).
    """
    model = osim.Model()
    body = osim.Body(
        "body", 1.5, osim.Vec3(0.1, 0.2, -0.1), osim.Inertia(0.02, 0.03, 0.025, 0.001, -0.002, 0.003)
    )
    spatial = osim.SpatialTransform()
    for i, (direction, driven) in enumerate(zip(axes, functions, strict=True)):
        axis = spatial.updTransformAxis(i)
        axis.setAxis(osim.Vec3(*map(float, direction)))
        axis.set_function(driven[1] if driven else osim.Constant(0.0))
        if driven:
            names = osim.ArrayStr()
            names.append(driven[0])
            axis.setCoordinateNames(names)
    ends = (
        osim.Vec3(0.1, -0.2, 0.3),
        osim.Vec3(0.3, 0.2, -0.4),
        osim.Vec3(-0.1, 0.05, 0.02),
        osim.Vec3(-0.2, 0.5, 0.1),
    )
    joint = osim.CustomJoint("joint", model.getGround(), ends[0], ends[1], body, ends[2], ends[3], spatial)
    model.addBody(body)
    model.addJoint(joint)
    model.finalizeConnections()
    model.printToXML(str(path))


class OpenSim:
    """An OpenSim model without forces, and the same tree as a Model."""

    def __init__(self, path):
        self.osim = osim.Model(str(path))
        self.osim.updForceSet().clearAndDestroy()
        self._disable_forces()
        self.osim.updControllerSet().clearAndDestroy()
        self.state = self.osim.initSystem()
        joints = self.osim.getJointSet()
        self.joints = [joints.get(i) for i in range(joints.getSize())]
        self._index = self._speed_index()

    def _disable_forces(self):
        """Switch off forces that stand outside the force set (contact spheres, springs)."""
        self.osim.finalizeFromProperties()
        paths = [component.getAbsolutePathString() for component in self.osim.getComponentsList()]
        for path in paths:
            force = osim.Force.safeDownCast(self.osim.updComponent(path))
            if force is not None:
                force.set_appliesForce(False)

    @property
    def custom_joints(self):
        """The joints that are CustomJoints."""
        return [joint for joint in self.joints if joint.getConcreteClassName() == "CustomJoint"]

    @property
    def has_loops(self):
        """Whether some body hangs on two joints: no tree, so `tree` does not apply."""
        children = [self.ends(joint)[1] for joint in self.joints]
        return len(set(children)) < len(children)

    @staticmethod
    def ends(joint):
        """Return (parent base name, child base name, placement (4, 4), offset (4, 4)) of a joint."""
        parent, child = joint.getParentFrame(), joint.getChildFrame()
        placement = pose_matrix(parent.findTransformInBaseFrame())
        offset = sc.inverse(pose_matrix(child.findTransformInBaseFrame()))
        names = (parent.findBaseFrame().getName(), child.findBaseFrame().getName())
        return *("world" if name == "ground" else name for name in names), placement, offset

    def _add(self, builder, joint, parent, child, placement, offset, inertia):
        arguments = {
            "parent": parent,
            "position": placement[:3, 3],
            "rotation": placement[:3, :3],
            "offset": offset,
        }
        arguments["inertia"] = inertia
        rotations, translations = convert_axes(joint)
        if joint.numCoordinates() == 0:
            builder.fixed(child, **arguments)
        else:
            builder.custom(child, rotations=rotations, translations=translations, **arguments)

    def single(self, joint):
        """Return a Model of this one joint between the world (its parent body) and its child body."""
        builder = ModelBuilder(joint.getName())
        _, child, placement, offset = self.ends(joint)
        self._add(builder, joint, "world", child, placement, offset, Inertia(1.0, np.zeros(3), np.eye(3)))
        return builder.build()

    def tree(self):
        """Return the whole tree of bodies as a Model."""
        builder = ModelBuilder("tree", gravity=self.osim.getGravity().to_numpy())
        for joint in self.joints:
            parent, child, placement, offset = self.ends(joint)
            body = osim.Body.safeDownCast(joint.getChildFrame().findBaseFrame())
            (xx, yy, zz), (xy, xz, yz) = (
                v.to_numpy() for v in (body.getInertia().getMoments(), self._products(body))
            )
            matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            inertia = Inertia(body.getMass(), body.getMassCenter().to_numpy(), matrix, physical=False)
            self._add(builder, joint, parent, child, placement, offset, inertia)
        return builder.build()

    @staticmethod
    def _products(body):
        return body.getInertia().getProducts()

    def set(self, values, speeds=None):
        """Set named coordinates (others keep theirs) and speeds (others zero), without constraints."""
        coordinates = self.osim.updCoordinateSet()
        for i in range(coordinates.getSize()):
            coordinate = coordinates.get(i)
            name = coordinate.getName()
            coordinate.setLocked(self.state, False)
            if name in values:
                coordinate.setValue(self.state, float(values[name]), False)
            coordinate.setSpeedValue(self.state, float((speeds or {}).get(name, 0.0)))
        self.osim.realizeVelocity(self.state)

    def relative_pose(self, joint):
        """Return the pose of the joint's child body in its parent body, (4, 4)."""
        child, parent = joint.getChildFrame().findBaseFrame(), joint.getParentFrame().findBaseFrame()
        return pose_matrix(child.findTransformBetween(self.state, parent))

    def twist(self, frame):
        """Return the body twist of a frame, angular first, in its own axes, (6,)."""
        R = pose_matrix(frame.getTransformInGround(self.state))[:3, :3]
        angular = frame.getAngularVelocityInGround(self.state).to_numpy()
        linear = frame.getLinearVelocityInGround(self.state).to_numpy()
        return np.concatenate([R.T @ angular, R.T @ linear])

    def relative_twist(self, joint):
        """Return the twist of the child body relative to the parent body, in child axes, (6,)."""
        child, parent = joint.getChildFrame().findBaseFrame(), joint.getParentFrame().findBaseFrame()
        carried = sc.adjoint(sc.inverse(self.relative_pose(joint))) @ self.twist(parent)
        return self.twist(child) - carried

    def _speed_index(self):
        """Return where each coordinate's speed stands in OpenSim's u, found by setting each to its number."""
        coordinates = self.osim.updCoordinateSet()
        names = [coordinates.get(i).getName() for i in range(coordinates.getSize())]
        self.set({}, {name: i + 1.0 for i, name in enumerate(names)})
        u = list(np.rint(self.state.getU().to_numpy()).astype(int))
        return {name: u.index(i + 1) for i, name in enumerate(names)}

    def speed_index(self, names):
        """Return the index in OpenSim's u of each named coordinate."""
        return np.array([self._index[name] for name in names])

    def mass_matrix(self, names):
        """Return M in the order of the named coordinates."""
        order = self.speed_index(names)
        matrix = osim.Matrix()
        self.osim.getMatterSubsystem().calcM(self.state, matrix)
        return matrix.to_numpy()[np.ix_(order, order)]

    def inverse_dynamics(self, names, accelerations):
        """Return tau in the order of the named coordinates, at the state set before."""
        order = self.speed_index(names)
        u_dot = osim.Vector(self.state.getNU(), 0.0)
        for index, value in zip(order, accelerations, strict=True):
            u_dot.set(int(index), float(value))
        return osim.InverseDynamicsSolver(self.osim).solve(self.state, u_dot).to_numpy()[order]
