"""Kinds of forces that no shared file has: documents that OpenSim itself writes, read by us."""

import numpy as np
import pytest

osim = pytest.importorskip("opensim")

from tests.model.osim import bands  # noqa: E402

from softstride.errors import ModelError  # noqa: E402
from softstride.model import functions  # noqa: E402
from softstride.model.actuator import CoordinateActuator, PointActuator, TorqueActuator  # noqa: E402
from softstride.model.formats.osim import parse_osim, read_osim  # noqa: E402
from softstride.model.path import ConditionalPathPoint, MovingPathPoint, PathPoint  # noqa: E402

ROUNDING = 1e-15
PLACE = (osim.Vec3(0.1, 0.2, -0.3), osim.Vec3(0.4, -0.5, 0.6))


class Arm:
    """Two bodies on hinges, and frames that stand obliquely on them; keeps OpenSim's objects alive."""

    def __init__(self):
        self.kept = []
        self.model = osim.Model()
        self.model.setName("arm")
        parent = self.model.getGround()
        for name in ("upper", "lower"):
            body = self.keep(osim.Body(name, 1.0, osim.Vec3(0), osim.Inertia(0.1, 0.1, 0.1)))
            zero = osim.Vec3(0)
            joint = self.keep(
                osim.PinJoint(f"{name}_joint", parent, osim.Vec3(0, -0.3, 0), zero, body, zero, zero)
            )
            joint.updCoordinate().setName(f"{name}_angle")
            self.model.addBody(body)
            self.model.addJoint(joint)
            parent = body
        self.upper, self.lower = (self.model.getBodySet().get(name) for name in ("upper", "lower"))
        frame = self.keep(osim.PhysicalOffsetFrame("oblique", self.lower, osim.Transform()))
        frame.set_translation(PLACE[0])
        frame.set_orientation(PLACE[1])
        self.lower.addComponent(frame)
        self.oblique = frame

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    def read(self, folder, change=None):
        """Return our model and OpenSim's, of the document that OpenSim writes."""
        self.model.finalizeConnections()
        file = folder / "arm.osim"
        self.model.printToXML(str(file))
        if change is not None:
            file.write_text(change(file.read_text()))
        self.again = osim.Model(str(file))
        self.state = self.again.initSystem()
        return read_osim(file), self.again


def test_wrap_objects_of_every_kind(tmp_path):
    """Sphere, ellipsoid, torus and cylinder, on a body, with quadrant and switched off."""
    arm = Arm()
    sizes = {
        "WrapSphere": {"radius": 0.03},
        "WrapCylinder": {"radius": 0.02, "length": 0.4},
        "WrapTorus": {"inner_radius": 0.01, "outer_radius": 0.06},
        "WrapEllipsoid": {"dimensions": osim.Vec3(0.01, 0.02, 0.03)},
    }
    for i, (kind, values) in enumerate(sizes.items()):
        wrap = arm.keep(getattr(osim, kind)())
        wrap.setName(kind)
        wrap.set_translation(osim.Vec3(0.01, 0.02 * i, 0.0))
        wrap.set_xyz_body_rotation(osim.Vec3(0.1, 0.7, -0.2 * i))
        wrap.set_quadrant(("x", "-y", "+z", "all")[i])
        wrap.set_active(i != 1)
        for name, value in values.items():
            getattr(wrap, f"set_{name}")(value)
        arm.lower.addWrapObject(wrap)
    ours, theirs = arm.read(tmp_path)
    table = bands.components(theirs, osim.WrapObject)
    assert set(ours.wraps) == set(sizes)
    for name, surface in ours.wraps.items():
        np.testing.assert_allclose(
            surface.pose, bands.pose_matrix(table[name].getTransform()), rtol=0, atol=ROUNDING
        )
        assert surface.link == "lower"
        assert (surface.active, surface.quadrant) == (
            table[name].get_active(),
            bands.text(table[name], "quadrant"),
        )
    assert (ours.wraps["WrapTorus"].inner, ours.wraps["WrapTorus"].outer) == (0.01, 0.06)
    assert ours.wraps["WrapSphere"].radius == 0.03
    ellipsoid = ours.wraps["WrapEllipsoid"]
    assert (ellipsoid.a, ellipsoid.b, ellipsoid.c) == (0.01, 0.02, 0.03)


def test_points_on_an_oblique_frame(tmp_path):
    """A point on an offset frame moves to the body under it."""
    arm = Arm()
    band = arm.keep(osim.Ligament())
    band.setName("band")
    path = band.updGeometryPath()
    path.appendNewPathPoint("first", arm.model.getGround(), osim.Vec3(0.1, 0, 0))
    path.appendNewPathPoint("last", arm.oblique, osim.Vec3(0.01, 0.02, 0.03))
    band.setRestingLength(0.4)
    band.set_pcsa_force(120.0)
    arm.model.addForce(band)
    ours, theirs = arm.read(tmp_path)
    ligament = ours.ligaments["band"]
    assert (ligament.resting_length, ligament.force, ligament.enabled) == (0.4, 120.0, True)
    assert isinstance(ligament.curve, functions.SimmSpline)
    peer = osim.Ligament.safeDownCast(theirs.getForceSet().get("band"))
    points = peer.getGeometryPath().getPathPointSet()
    for i, point in enumerate(ligament.path.points):
        link, T = bands.link(points.get(i).getParentFrame())
        place = T[:3, :3] @ points.get(i).getLocation(arm.state).to_numpy() + T[:3, 3]
        assert isinstance(point, PathPoint)
        assert point.link == link
        np.testing.assert_allclose(point.position, place, rtol=0, atol=ROUNDING)
    x = np.linspace(0.9, 1.7, 30)
    theirs_curve = peer.getForceLengthCurve()
    np.testing.assert_allclose(
        ligament.curve(x), [theirs_curve.calcValue(osim.Vector(1, float(v))) for v in x], rtol=0, atol=1e-14
    )


def test_actuators(tmp_path):
    """Point, torque and coordinate actuators; directions have length one."""
    arm = Arm()
    push = arm.keep(osim.PointActuator("lower"))
    push.setName("push")
    push.set_point(osim.Vec3(0.1, 0.2, 0.3))
    push.set_direction(osim.Vec3(0, 2, 0))
    push.set_force_is_global(True)
    push.setOptimalForce(30.0)
    push.setMinControl(-2.0)
    push.setMaxControl(4.0)
    turn = arm.keep(osim.TorqueActuator(arm.lower, arm.upper, osim.Vec3(3, 0, 4)))
    turn.setName("turn")
    turn.setTorqueIsGlobal(False)
    drive = arm.keep(osim.CoordinateActuator("upper_angle"))
    drive.setName("drive")
    drive.set_appliesForce(False)
    for actuator in (push, turn, drive):
        arm.model.addForce(actuator)
    ours, _ = arm.read(tmp_path)
    found = ours.actuators["push"]
    assert isinstance(found, PointActuator)
    assert (found.link, found.optimal_force, found.lower, found.upper) == ("lower", 30.0, -2.0, 4.0)
    assert (found.point_in_world, found.direction_in_world) == (False, True)
    np.testing.assert_array_equal(found.point, (0.1, 0.2, 0.3))
    np.testing.assert_array_equal(found.direction, (0, 1, 0))
    found = ours.actuators["turn"]
    assert isinstance(found, TorqueActuator)
    assert (found.link, found.reaction, found.axis_in_world) == ("lower", "upper", False)
    np.testing.assert_allclose(found.axis, (0.6, 0, 0.8), rtol=0, atol=ROUNDING)
    found = ours.actuators["drive"]
    assert isinstance(found, CoordinateActuator)
    assert (found.coordinate, found.enabled, found.lower) == ("upper_angle", False, -np.inf)


def coupled(arm, slope, intercept):
    """Tie lower_angle to upper_angle by a line."""
    coupler = arm.keep(osim.CoordinateCouplerConstraint())
    coupler.setName("tie")
    names = osim.ArrayStr()
    names.append("upper_angle")
    coupler.setIndependentCoordinateNames(names)
    coupler.setDependentCoordinateName("lower_angle")
    coupler.setFunction(arm.keep(osim.LinearFunction(slope, intercept)))
    arm.model.addConstraint(coupler)


def muscle(arm, points):
    """Add a muscle with a fixed point at each end and others between."""
    unit = arm.keep(osim.Thelen2003Muscle("unit", 500.0, 0.1, 0.2, 0.1))
    path = unit.updGeometryPath()
    path.appendNewPathPoint("a", arm.model.getGround(), osim.Vec3(0.1, 0, 0))
    for point in points:
        arm.keep(point)
        path.updPathPointSet().cloneAndAppend(point)
    path.appendNewPathPoint("z", arm.lower, osim.Vec3(0.01, -0.2, 0.03))
    arm.model.addForce(unit)
    return unit


def test_points_of_a_coupled_coordinate(tmp_path):
    """Their ranges and functions are rewritten for the coordinate that is left: lower = -2 upper + 0.5."""
    arm = Arm()
    coupled(arm, -2.0, 0.5)
    point = osim.ConditionalPathPoint()
    point.setName("sometimes")
    sockets = {"parent_frame": "/bodyset/lower", "coordinate": "/jointset/lower_joint/lower_angle"}
    for name, path in sockets.items():
        point.updSocket(name).setConnecteePath(path)
    point.setRangeMin(-0.5)
    point.setRangeMax(1.5)
    moving = osim.MovingPathPoint()
    moving.setName("moving")
    moving.updSocket("parent_frame").setConnecteePath(sockets["parent_frame"])
    for axis in "xyz":
        moving.updSocket(f"{axis}_coordinate").setConnecteePath(sockets["coordinate"])
    moving.set_x_location(arm.keep(osim.LinearFunction(0.1, 0.02)))
    moving.set_y_location(
        arm.keep(osim.PolynomialFunction(osim.Vector.createFromMat(np.array([0.3, 0.0, 0.1]))))
    )
    moving.set_z_location(arm.keep(osim.Constant(0.05)))
    muscle(arm, [point, moving])
    ours, theirs = arm.read(tmp_path)
    assert ours.coordinate_names == ("upper_angle",)
    found = ours.muscles["unit"].path.points[1]
    assert isinstance(found, ConditionalPathPoint)
    assert (found.coordinate, found.lower, found.upper) == ("upper_angle", -0.5, 0.5)
    found = ours.muscles["unit"].path.points[2]
    assert isinstance(found, MovingPathPoint)
    peer = (
        osim.Muscle.safeDownCast(theirs.getForceSet().get("unit")).getGeometryPath().getPathPointSet().get(2)
    )
    for upper in (-0.7, 0.0, 0.4):
        theirs.getCoordinateSet().get("lower_angle").setValue(arm.state, 0.5 - 2.0 * upper, False)
        theirs.realizePosition(arm.state)
        axes = (found.x, found.y, found.z)
        place = [float(function(upper if name == "upper_angle" else 0.0)) for name, function in axes]
        np.testing.assert_allclose(place, peer.getLocation(arm.state).to_numpy(), rtol=0, atol=1e-15)
    assert found.z[0] == ""


def test_springs(tmp_path):
    """Two springs on one coordinate add up to one with the same force."""
    arm = Arm()
    for name, k, rest in (("s1", 3.0, 0.1), ("s2", 1.0, 0.5)):
        spring = arm.keep(osim.SpringGeneralizedForce("upper_angle"))
        spring.setName(name)
        spring.setStiffness(k)
        spring.setRestLength(rest)
        spring.setViscosity(0.25)
        arm.model.addForce(spring)
    ours, _ = arm.read(tmp_path)
    c = ours.coordinates["upper_angle"]
    assert (c.stiffness, c.damping) == (4.0, 0.5)
    assert c.rest == pytest.approx(0.2, rel=1e-15)  # -3 (q - 0.1) - (q - 0.5) = -4 (q - 0.2)


def test_what_is_not_understood_is_named(tmp_path):
    """Forces, contact shapes and controllers without a counterpart are in the notes, by kind and name."""
    arm = Arm()
    things = (osim.PathActuator(), osim.PathSpring("cable", 0.3, 100.0, 0.1), osim.BushingForce())
    for name, force in zip(("rope", "cable", "rubber"), things, strict=True):
        force.setName(name)
        if name != "rubber":
            force.updGeometryPath().appendNewPathPoint("p", arm.upper, osim.Vec3(0.0, 0.1, 0.0))
            force.updGeometryPath().appendNewPathPoint("r", arm.lower, osim.Vec3(0.0, 0.2, 0.0))
        else:
            force.connectSocket_frame1(arm.upper)
            force.connectSocket_frame2(arm.lower)
        arm.model.addForce(arm.keep(force))
    ours, _ = arm.read(tmp_path)
    for words in ("PathActuator 'rope'", "PathSpring 'cable'", "BushingForce 'rubber'"):
        assert any(words in str(note) for note in ours.notes), words


def document(force, extra=""):
    """Return a small document of format 3 with one force."""
    return f"""<?xml version="1.0"?><OpenSimDocument Version="30000"><Model name="m">
    <defaults><Thelen2003Muscle name="default"><Flen>1.7</Flen><max_isometric_force>77</max_isometric_force>
    </Thelen2003Muscle></defaults>
    <BodySet><objects><Body name="ground"/><Body name="arm"><mass>1</mass><inertia_xx>1</inertia_xx>
    <inertia_yy>1</inertia_yy><inertia_zz>1</inertia_zz><Joint><PinJoint name="pin">
    <parent_body>ground</parent_body><CoordinateSet><objects><Coordinate name="q"/></objects></CoordinateSet>
    </PinJoint></Joint>{extra}</Body></objects></BodySet>
    <ForceSet><objects>{force}</objects></ForceSet></Model></OpenSimDocument>""".encode()


POINTS = """<PathPointSet><objects><PathPoint name="p"><location>0 0 0</location><body>ground</body></PathPoint>
<PathPoint name="r"><location>0 1 0</location><body>arm</body></PathPoint></objects></PathPointSet>"""


def test_defaults_of_the_document():
    """What a muscle leaves out comes from <defaults>, then from OpenSim's own."""
    force = f"<Thelen2003Muscle name='u'><GeometryPath>{POINTS}</GeometryPath></Thelen2003Muscle>"
    unit = parse_osim(document(force)).muscles["u"]
    assert (unit.max_force, unit.parameters["Flen"], unit.rise_time, unit.fall_time) == (
        77.0,
        1.7,
        0.015,
        0.05,
    )


def wrapped(name):
    wraps = f"<PathWrapSet><objects><PathWrap><wrap_object>{name}</wrap_object></PathWrap></objects></PathWrapSet>"
    return f"<Thelen2003Muscle name='u'><GeometryPath>{POINTS}{wraps}</GeometryPath></Thelen2003Muscle>"


def test_unknown_wrap_object():
    """A surface of an unknown kind is noted, and so is the muscle that now runs straight."""
    odd = "<WrapObjectSet><objects><WrapDoubleCylinder name='odd'/></objects></WrapObjectSet>"
    model = parse_osim(document(wrapped("odd"), odd))
    assert model.muscles["u"].path.wraps == ()
    assert any("WrapDoubleCylinder 'odd'" in str(note) for note in model.notes)
    assert ("osim.straight-through-wrap", ("u", "odd")) in [(note.code, note.names) for note in model.notes]


@pytest.mark.parametrize(
    ("force", "extra", "words"),
    [
        (wrapped("nowhere"), "", "'nowhere' is no wrap object"),
        (
            wrapped("w"),
            "<WrapObjectSet><objects><WrapSphere name='w'><radius>-1</radius></WrapSphere></objects></WrapObjectSet>",
            "WrapSphere 'w' of Body 'arm': WrapSphere on 'arm': radius must be above zero",
        ),
        (
            "<Thelen2003Muscle name='u'><GeometryPath><PathPointSet><objects><PathPoint name='p'><body>leg</body>"
            "</PathPoint></objects></PathPointSet></GeometryPath></Thelen2003Muscle>",
            "",
            "'leg' is no body or frame",
        ),
        ("<Thelen2003Muscle name='u'><GeometryPath/></Thelen2003Muscle>", "", "two points or more"),
        (
            "<CoordinateActuator name='a'><coordinate>w</coordinate></CoordinateActuator>",
            "",
            "'w' is no coordinate",
        ),
        (
            f"<Thelen2003Muscle name='u'><GeometryPath>{POINTS}</GeometryPath><optimal_fiber_length>x"
            "</optimal_fiber_length></Thelen2003Muscle>",
            "",
            "<optimal_fiber_length> must hold numbers",
        ),
    ],
)
def test_bad_input_names_the_element(force, extra, words):
    with pytest.raises(ModelError) as caught:
        parse_osim(document(force, extra))
    assert words in str(caught.value)
