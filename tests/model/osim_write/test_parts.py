"""Springs, surfaces, actuators, contact shapes and names in the documents that we write, as OpenSim 4.6 sees them."""

import numpy as np
import pytest

osim = pytest.importorskip("opensim")

from tests.model.osim import bands  # noqa: E402
from tests.model.osim_write.test_trees import compare  # noqa: E402

from softstride.errors import ModelError  # noqa: E402
from softstride.model import functions as fn  # noqa: E402
from softstride.model.actuator import CoordinateActuator, PointActuator, TorqueActuator  # noqa: E402
from softstride.model.builder import ModelBuilder  # noqa: E402
from softstride.model.contact_shape import ContactMesh, ContactPlane, ContactSphere  # noqa: E402
from softstride.model.coordinate import Coordinate  # noqa: E402
from softstride.model.formats.osim import read_osim  # noqa: E402
from softstride.model.formats.osim_write import write_osim  # noqa: E402
from softstride.model.frame import Point  # noqa: E402
from softstride.model.inertia import Inertia  # noqa: E402
from softstride.model.joints import Axis  # noqa: E402
from softstride.model.library.athlete import athlete  # noqa: E402
from softstride.model.muscle import Ligament, Muscle  # noqa: E402
from softstride.model.path import (  # noqa: E402
    ConditionalPathPoint,
    MovingPathPoint,
    Path,
    PathPoint,
    PathWrap,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from softstride.model.rod import Rod  # noqa: E402
from softstride.model.section import Section  # noqa: E402
from softstride.spatial import se3, so3  # noqa: E402

BALL = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def arm(**coordinates):
    """Return two links on hinges without gravity; the centres of mass are on the axes."""
    builder = ModelBuilder("arm", gravity=(0, 0, 0))
    builder.revolute("upper", "world", axis=(0, 0, 1), position=(0, 1.0, 0), **BALL)
    builder.revolute("lower", "upper", axis=(0.6, 0, 0.8), position=(0, -0.3, 0), **BALL)
    return builder.build().replace(coordinates={n: Coordinate(n, **c) for n, c in coordinates.items()})


class Opened:
    """A written model in OpenSim."""

    def __init__(self, model, path, **options):
        self.notes = write_osim(model, path, **options)
        self.model = osim.Model(str(path))
        self.state = self.model.initSystem()
        self.solver = osim.InverseDynamicsSolver(self.model)

    def passive(self, values, speeds=None):
        """Return the generalized forces that the document's forces put on its coordinates, by name."""
        coordinates = self.model.updCoordinateSet()
        names = [coordinates.get(i).getName() for i in range(coordinates.getSize())]
        for name in names:
            coordinates.get(name).setValue(self.state, float(values.get(name, 0.0)), False)
            coordinates.get(name).setSpeedValue(self.state, float((speeds or {}).get(name, 0.0)))
        self.model.realizeDynamics(self.state)
        tau = self.solver.solve(self.state, osim.Vector(self.state.getNU(), 0.0)).to_numpy()
        return dict(zip(names, -tau, strict=True))


def test_springs(tmp_path):
    """-k (q - rest) - d v, exactly."""
    model = arm(lower={"stiffness": 7.0, "rest": 0.2, "damping": 0.5})
    found = Opened(model, tmp_path / "m.osim").passive({"lower": -0.4}, {"lower": 3.0})
    assert found["lower"] == pytest.approx(-7.0 * (-0.4 - 0.2) - 0.5 * 3.0, rel=1e-12)


def test_limits(tmp_path):
    """Beyond the onset a limit pushes back with its stiffness; the shape of the onset is OpenSim's own."""
    model = arm(upper={"lower": -0.5, "upper": 1.0, "limit_stiffness": 40.0})
    peer = Opened(model, tmp_path / "m.osim")
    assert peer.passive({"upper": 0.5})["upper"] == pytest.approx(0.0, abs=1e-12)
    for q, limit in ((1.2, 1.0), (-0.9, -0.5)):
        onset = 40.0 * 0.01 * 1.5  # stiffness times one percent of the range [N·m]
        assert peer.passive({"upper": q})["upper"] == pytest.approx(-40.0 * (q - limit), abs=onset)
    assert any("beyond its limits" in str(note) for note in peer.notes)


def test_spring_of_a_ball_joint(tmp_path):
    """Near its rest pose a ball joint is pulled back by k times the rotation vector."""
    builder = ModelBuilder("ball", gravity=(0, 0, 0))
    builder.spherical("head", "world", **BALL)
    rest = (0.1, 0.3, -0.2)
    names = ("head.x", "head.y", "head.z")
    table = {n: Coordinate(n, stiffness=5.0, rest=r, default=r) for n, r in zip(names, rest, strict=True)}
    model = builder.build().replace(coordinates=table)
    peer = Opened(model, tmp_path / "m.osim")
    at_rest = {n: peer.model.getCoordinateSet().get(n).getDefaultValue() for n in names}
    assert max(abs(f) for f in peer.passive(at_rest).values()) < 1e-12
    small = 1e-4
    from softstride.model.formats.osim_write.elements import angles

    for axis in np.eye(3):
        turned = dict(zip(names, angles(so3.exp(np.array(rest)) @ so3.exp(small * axis)), strict=True))
        work = sum(f * (turned[n] - at_rest[n]) for n, f in peer.passive(turned).items())
        assert work == pytest.approx(-5.0 * small**2, rel=1e-3)  # linear in the angle up to its square


SURFACES = {
    "ball": WrapSphere("upper", se3.pose(np.eye(3), (0.0, -0.15, 0.0)), radius=0.05),
    "bone": WrapCylinder(
        "upper", se3.pose(so3.exp((0.2, 0.1, 0)), (0, -0.1, 0)), "x", radius=0.03, length=0.5
    ),
    "egg": WrapEllipsoid("upper", se3.pose(so3.exp((0.2, 0.5, 1)), (0, -0.2, 0)), a=0.04, b=0.05, c=0.06),
    "ring": WrapTorus("lower", se3.pose(so3.exp((1.5, 0, 0)), (0, -0.1, 0)), inner=0.01, outer=0.05),
}


def with_muscles(model):
    """Return the model with one muscle around each surface, a moving and a conditional point, and a ligament."""
    ends = (PathPoint("world", (0.08, 1.0, 0.01), "a"), PathPoint("lower", (0.06, -0.2, 0.0), "z"))
    moving = MovingPathPoint(
        "lower",
        ("lower", fn.Linear(0.01, 0.03)),
        ("", fn.Constant(-0.1)),
        ("lower", fn.Polynomial((0.0, 0.1, 0.05))),
    )
    sometimes = ConditionalPathPoint("upper", (0.07, -0.2, 0), "", "upper", -0.5, 0.8)
    muscles = {
        name: Muscle(name, Path(ends, (PathWrap(name),)), 100.0, 0.1, 0.2, parameters={"fiber_damping": 0.05})
        for name in SURFACES
    }
    muscles["stiff"] = Muscle("stiff", Path(ends), 100.0, 0.1, 0.2, rigid_tendon=True)
    muscles["bent"] = Muscle(
        "bent",
        Path((ends[0], sometimes, moving, ends[1]), (PathWrap("ball", "midpoint", 0, 2),)),
        90.0,
        0.1,
        0.2,
        0.1,
        8.0,
        "thelen2003",
        min_activation=0.0,
        enabled=False,
    )
    band = Ligament("band", Path(ends), 0.5, 30.0, fn.PiecewiseLinear((0.0, 1.0, 2.0), (0.0, 0.0, 1.0)))
    return model.replace(wraps=SURFACES, muscles=muscles, ligaments={"band": band})


def test_paths_and_surfaces(tmp_path):
    """Written, opened and read back: the same surfaces, points, wraps, muscles and curves."""
    model = with_muscles(arm())
    peer = Opened(model, tmp_path / "m.osim")
    table = bands.components(peer.model, osim.WrapObject)
    for name, surface in SURFACES.items():
        assert table[name].getConcreteClassName() == type(surface).__name__
        pose = bands.pose_matrix(table[name].getTransform())
        np.testing.assert_allclose(pose, surface.pose, rtol=0, atol=1e-15)
        assert table[name].getFrame().getName() == surface.link
    assert bands.number(table["ring"], "inner_radius") == 0.01
    assert bands.number(table["ring"], "outer_radius") == 0.05
    again = read_osim(tmp_path / "m.osim")
    for name, muscle in model.muscles.items():
        other = again.muscles[name]
        for what in (
            "max_force",
            "pennation",
            "max_velocity",
            "curves",
            "rigid_tendon",
            "enabled",
            "rise_time",
        ):
            assert getattr(other, what) == getattr(muscle, what)
        assert dict(other.parameters) == dict(muscle.parameters)
        assert [vars(w) for w in other.path.wraps] == [vars(w) for w in muscle.path.wraps]
    bent = again.muscles["bent"].path.points
    assert (bent[1].coordinate, bent[1].lower, bent[1].upper) == ("upper", -0.5, 0.8)
    assert [name for name, _ in (bent[2].x, bent[2].y, bent[2].z)] == ["lower", "", "lower"]
    assert float(bent[2].z[1](0.3)) == pytest.approx(0.1 * 0.3 + 0.05 * 0.09, rel=1e-15)
    assert again.muscles["bent"].min_activation == 0.01
    assert any("'bent': OpenSim refuses a least activation of 0" in str(note) for note in peer.notes)
    band = again.ligaments["band"]
    assert (band.resting_length, band.force, float(band.curve(1.5))) == (0.5, 30.0, 0.5)


def test_actuators(tmp_path):
    """Read back as they were."""
    actuators = {
        "a": CoordinateActuator("a", 5.0, -1.0, 2.0, coordinate="lower"),
        "b": PointActuator(
            "b", 2.0, link="upper", point=(0.1, 0.2, 0.3), direction=(0, 1, 0), point_in_world=True
        ),
        "c": TorqueActuator("c", 3.0, enabled=False, link="lower", reaction="world", axis=(1, 0, 0)),
    }
    Opened(arm().replace(actuators=actuators), tmp_path / "m.osim")
    again = read_osim(tmp_path / "m.osim")
    for name, actuator in actuators.items():
        for what, value in vars(actuator).items():
            np.testing.assert_array_equal(getattr(again.actuators[name], what), value)


def test_contacts(tmp_path):
    """Spheres and planes are contact geometry, points are left out with a note."""
    contacts = {
        "heel": ContactSphere("lower", (0.1, 0, 0), 0.03),
        "floor": ContactPlane("world", se3.pose(so3.exp((0, 0, -np.pi / 2)), (0, 0.1, 0))),
        "tip": ContactSphere("lower", (0.2, 0, 0)),
    }
    peer = Opened(arm().replace(contacts=contacts), tmp_path / "m.osim")
    assert any("radius zero" in str(note) and "tip" in str(note) for note in peer.notes)
    again = read_osim(tmp_path / "m.osim").contacts
    assert set(again) == {"heel", "floor"}
    np.testing.assert_array_equal(again["heel"].position, (0.1, 0, 0))
    np.testing.assert_allclose(again["floor"].pose, contacts["floor"].pose, rtol=0, atol=1e-15)
    notes = write_osim(
        arm().replace(contacts={"c": ContactMesh("upper", file="c.stl")}), tmp_path / "mesh.osim"
    )
    assert any("c.stl" in str(note) for note in notes)


def test_coupled_functions(tmp_path):
    """A link that follows another one's coordinate by a curve: the curve becomes the coupler's."""
    inner = fn.PiecewiseLinear((-1.0, 0.0, 1.0), (-0.5, 0.0, 1.0))
    outer = fn.SimmSpline((-1.0, -0.3, 0.2, 1.0), (0.0, 0.2, 0.1, 0.3))
    still = tuple(Axis(row) for row in np.eye(3))
    builder = ModelBuilder("knee", gravity=(0, 0, 0))
    builder.custom("shank", "world", rotations=(Axis.along((0, 0, 1), "knee"), *still[1:]), **BALL)
    turn = Axis((0, 0, 1), (("knee", fn.Scaled(fn.Composed(outer, inner), 2.0)),))
    slide = Axis((1, 0, 0), (("knee", fn.Composed(outer, inner)),))
    builder.custom("patella", "world", rotations=(turn, *still[1:]), translations=(slide, *still[1:]), **BALL)
    model = builder.build()
    peer = compare(model, tmp_path / "knee.osim", np.random.default_rng(0))
    ((dependent, independent, function),) = peer.couplers
    assert (dependent, independent) == ("knee_patella", "knee")
    assert function.getConcreteClassName() == "PiecewiseLinearFunction"


@pytest.mark.parametrize("slope", [-0.7, 1.0, 2.5])
def test_functions_of_a_line(tmp_path, slope):
    """Compositions with a line, multiples and sums keep their kind and their values."""
    x = np.array([-1.0, -0.3, 0.2, 0.9, 1.4])
    spline = fn.Composed(fn.SimmSpline(x, np.sin(3 * x)), fn.Linear(slope, 0.1))
    broken = fn.Scaled(fn.Composed(fn.PiecewiseLinear(x, np.cos(2 * x)), fn.Linear(slope, 0.1)), 0.3)
    power = fn.Composed(fn.Polynomial((0.1, 0.2, 0.3, -0.2)), fn.Linear(slope, -0.2))
    rotations = (
        Axis((0, 0, 1), (("q", spline), ("q", fn.Linear(0.4)), ("", fn.Constant(0.3)))),
        Axis((0, 0, 1), ()),
        Axis((1, 0, 0), (("q", broken),)),
    )
    translations = (
        Axis((1, 0, 0), (("q", power), ("q", fn.Polynomial((0.0, 0.0, 0.2))))),
        Axis((0, 1, 0), (("q", fn.Linear(0.5)), ("r", fn.Linear(0.7)))),
        Axis((0, 0, 1), (("", fn.Constant(0.2)),)),
    )
    builder = ModelBuilder("joint")
    builder.custom("body", "world", rotations=rotations, translations=translations, **BALL)
    compare(builder.build(), tmp_path / "m.osim", np.random.default_rng(1))
    text = (tmp_path / "m.osim").read_text()
    assert "ExpressionBasedFunction" not in text
    for kind in ("SimmSpline", "PiecewiseLinearFunction", "PolynomialFunction", "LinearFunction", "Constant"):
        assert f"<{kind} " in text


def test_sums_that_need_an_expression(tmp_path):
    """Two splines on one axis are an expression, and the notes say which version reads it."""
    x = np.array([-1.0, -0.3, 0.2, 0.9])
    terms = (
        ("q", fn.SimmSpline(x, np.sin(3 * x))),
        ("r", fn.SimmSpline(x + 0.1, np.cos(3 * x))),
        ("r", fn.Linear()),
    )
    builder = ModelBuilder("joint")
    axes = tuple(Axis(row) for row in np.eye(3))
    builder.custom("body", "world", rotations=(Axis((0, 1, 0), terms), Axis((1, 0, 0)), axes[2]), **BALL)
    model = builder.build()
    compare(model, tmp_path / "m.osim", np.random.default_rng(1))
    assert any("only OpenSim 4.6" in str(note) for note in write_osim(model, tmp_path / "again.osim"))


def test_names_that_opensim_refuses(tmp_path):
    """Blanks and slashes are replaced, each name stays its own, and the notes tell."""
    builder = ModelBuilder("my model", gravity=(0, 0, 0))
    builder.revolute("a b", "world", axis=(0, 0, 1), **BALL)
    builder.revolute("a/b", "a b", axis=(0, 0, 1), **BALL)
    builder.revolute("ground", "a/b", axis=(0, 0, 1), **BALL)
    builder.marker("top left", "a/b", (0, 0, 0.1))
    peer = Opened(builder.build(), tmp_path / "m.osim")
    assert peer.model.getBodySet().getSize() == 3
    assert peer.model.getCoordinateSet().getSize() == 3
    changed = {note.names[0]: note for note in peer.notes if note.code == "osim.name-changed"}
    for old in ("a b", "a/b", "ground", "top left"):
        assert f"{old!r} is called {changed[old].names[1]!r}" in str(changed[old])


def test_hostile_names(tmp_path):
    """Characters that XML forbids, tags and quotes in names do no harm."""
    builder = ModelBuilder("m", gravity=(0, 0, 0))
    for name, parent in (("a\x00\x1b", "world"), ("<b>&\"'", "a\x00\x1b"), ("\ud800--", "<b>&\"'")):
        builder.revolute(name, parent, axis=(0, 0, 1), **BALL)
    section = Section(Inertia(1.0, (0, 0, 0), (1e-4, 1e-4, 1e-4)), np.ones(6))
    builder.rod("--><x", "\ud800--", rod=Rod.uniform(0.6, 1, section))
    model = builder.build().replace(credits="somebody \x00 <&>", notes=("credits: nobody",))
    peer = Opened(model, tmp_path / "m.osim")
    assert peer.model.getBodySet().getSize() == 6
    assert peer.model.getCredits() == "somebody _ <&>"


def test_kinds_of_muscles(tmp_path):
    """Every set of curves has a class in OpenSim, or a note."""
    ends = (PathPoint("world", (0.08, 1.0, 0.01)), PathPoint("lower", (0.06, -0.2, 0.0)))
    kinds = ("thelen2003", "millard2012", "degrootefregly2016", "gaussian")
    muscles = {kind: Muscle(kind, Path(ends), 100.0, 0.1, 0.2, curves=kind) for kind in kinds}
    peer = Opened(arm().replace(muscles=muscles), tmp_path / "m.osim")
    found = {
        name: muscle.getConcreteClassName()
        for name, muscle in bands.components(peer.model, osim.Muscle).items()
    }
    assert found == {
        "thelen2003": "Thelen2003Muscle",
        "millard2012": "Millard2012EquilibriumMuscle",
        "degrootefregly2016": "DeGrooteFregly2016Muscle",
        "gaussian": "DeGrooteFregly2016Muscle",
    }
    assert any("no curves 'gaussian'" in str(note) for note in peer.notes)
    rigid = Muscle("u", Path(ends), 100.0, 0.1, 0.2, curves="thelen2003", rigid_tendon=True)
    peer = Opened(arm().replace(muscles={"u": rigid}), tmp_path / "rigid.osim")
    assert any("<ignore_tendon_compliance> is left out" in str(note) for note in peer.notes)


def test_what_hangs_on_a_rod(tmp_path):
    """Actuators and points that depend on a strain follow the one joint of their segment, scaled by its length."""
    section = Section(Inertia(1.0, (0, 0, 0), (1e-4, 1e-4, 1e-4)), (1.0, 2.0, 3.0, 1e3, 1e3, 1e3))
    builder = ModelBuilder("rod", gravity=(0, 0, 0))
    builder.rod("blade", "world", rod=Rod.uniform(0.6, 3, section, free=("ky",)))
    ends = (PathPoint("world", (0.0, 0.1, 0.0)), PathPoint("blade", (0.0, 0.1, 0.0)))
    middle = ConditionalPathPoint("blade", (0, 0.2, 0), "", "blade.2.ky", -1.0, 2.0)
    model = builder.build()
    model = model.replace(
        coordinates={"blade.2.ky": Coordinate("blade.2.ky", default=0.5, stiffness=4.0, rest=0.1)},
        actuators={"a": CoordinateActuator("a", 5.0, coordinate="blade.2.ky")},
        muscles={"u": Muscle("u", Path((ends[0], middle, ends[1])), 100.0, 0.1, 0.2, enabled=False)},
    )
    peer = Opened(model, tmp_path / "m.osim")
    again = read_osim(tmp_path / "m.osim")
    assert again.coordinates["blade_rigid_2_ky"].default == pytest.approx(0.5 * 0.2, rel=1e-15)
    assert again.coordinates["blade_rigid_2_ky"].stiffness == pytest.approx(4.0 / 0.2**2, rel=1e-14)
    assert again.actuators["a"].optimal_force == pytest.approx(5.0 / 0.2, rel=1e-14)
    point = again.muscles["u"].path.points[1]
    assert (point.lower, point.upper) == pytest.approx((-0.2, 0.4), rel=1e-14)
    # bushing 2 / 0.2 and the coordinate's own spring act together on the angle
    force = peer.passive({"blade_rigid_2_ky": 0.3})["blade_rigid_2_ky"]
    assert force == pytest.approx(-(2.0 / 0.2) * 0.3 - (4.0 / 0.04) * (0.3 - 0.02), rel=1e-9)
    with pytest.raises(ModelError, match="pieces=1"):
        write_osim(model, tmp_path / "fine.osim", pieces=2)
    notes = write_osim(model.replace(muscles={}), tmp_path / "fine.osim", pieces=2)
    assert any("actuator 'a'" in str(note) for note in notes)


def test_full_section_stiffness(tmp_path):
    """A stiffness with couplings between strains becomes an expression, with the same forces."""
    rng = np.random.default_rng(2)
    root = rng.standard_normal((6, 6))
    K = root @ root.T
    section = Section(Inertia(1.0, (0, 0, 0), (1e-4, 1e-4, 1e-4)), K, 0.1 * K)
    builder = ModelBuilder("rod", gravity=(0, 0, 0))
    free = ("kx", "ky", "kz", "ex", "ey", "ez")
    builder.rod("blade", "world", rod=Rod.uniform(0.5, 1, section, free=free))
    peer = Opened(builder.build(), tmp_path / "m.osim")
    x = 1e-6 * rng.standard_normal(6)
    names = [f"blade_rigid_1_{name}" for name in free]
    found = peer.passive(dict(zip(names, x, strict=True)))
    forces = np.array([found[name] for name in names])
    np.testing.assert_allclose(
        forces, -K / 0.5 @ x, rtol=0, atol=1e-4 * np.max(np.abs(K @ x))
    )  # angles are small
    assert any("damping of one strain" in str(note) for note in peer.notes)


def test_never_over_a_file_unasked(tmp_path):
    """An existing file stays as it is, unless it may be replaced; nothing else is left behind."""
    path = tmp_path / "m.osim"
    path.write_text("mine")
    with pytest.raises(ModelError, match="exists already"):
        write_osim(arm(), path)
    assert path.read_text() == "mine"
    write_osim(arm(), path, overwrite=True)
    assert path.read_bytes().startswith(b"<?xml")
    with pytest.raises(ModelError, match="cannot be written"):
        write_osim(arm(), tmp_path / "nowhere" / "m.osim")
    with pytest.raises(ModelError, match="pieces must be a whole number"):
        write_osim(athlete(), tmp_path / "new.osim", pieces=0)
    assert [file.name for file in tmp_path.iterdir()] == ["m.osim"]


def test_a_model_that_opensim_holds_has_no_notes(tmp_path):
    """Hinges, markers and muscles need no excuse."""
    model = arm().replace(markers={"m": Point("upper", (0, 0.1, 0))})
    assert write_osim(model, tmp_path / "m.osim") == ()
