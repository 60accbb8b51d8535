"""Coupled coordinates: eliminated by substitution, against OpenSim's own assembly, mass matrix and bias."""

import numpy as np
import pytest
from tests.model.osim.documents import (
    SPLINE,
    coordinate,
    document,
    inertia,
    joint4,
    wrap,
)
from tests.oracles.errors import relative

from softstride import engine
from softstride.errors import ModelError
from softstride.model import Constant, Linear, PiecewiseLinear, Polynomial, Scaled, SimmSpline
from softstride.model.formats.osim import parse_osim, read_osim
from softstride.model.formats.osim.couplers import compose

LINEAR = "<LinearFunction><coefficients>0.7 -0.1</coefficients></LinearFunction>"
POLYNOMIAL = "<PolynomialFunction><coefficients>0.2 0.5 0.1</coefficients></PolynomialFunction>"
BENT = "<PiecewiseLinearFunction><x>-1 0 1</x><y>-0.3 0.1 0.2</y></PiecewiseLinearFunction>"


def coupler(dependent, independent, function, name="tie", extra=""):
    return (
        f'<CoordinateCouplerConstraint name="{name}">{extra}<coupled_coordinates_function>{function}'
        f"</coupled_coordinates_function><independent_coordinate_names>{independent}</independent_coordinate_names>"
        f"<dependent_coordinate_name>{dependent}</dependent_coordinate_name><scale_factor>1.3</scale_factor>"
        f"</CoordinateCouplerConstraint>"
    )


def constraints(*elements):
    return f"<ConstraintSet><objects>{''.join(elements)}</objects></ConstraintSet>"


def leg(kind, extra, names=("b_0",)):
    """A thigh on a gimbal, a shank on a pin (knee), and a patella on the thigh by a joint of some kind."""
    bodies = "".join(f'<Body name="{n}">{inertia(40500)}</Body>' for n in ("thigh", "shank", "cap"))
    joints = (
        joint4("hip", "GimbalJoint", "/ground", "/bodyset/thigh", ["h_0", "h_1", "h_2"])
        + joint4("knee", "PinJoint", "/bodyset/thigh", "/bodyset/shank", ["knee"])
        + joint4("cap", kind, "/bodyset/thigh", "/bodyset/cap", list(names))
    )
    return wrap(
        f'<Ground name="ground"/><BodySet><objects>{bodies}</objects></BodySet><JointSet><objects>{joints}</objects>'
        f"</JointSet>{extra}",
        40500,
    )


CASES = {
    "line": ("PinJoint", ("b_0",), (("b_0", "knee", LINEAR),)),
    "curve": ("PinJoint", ("b_0",), (("b_0", "knee", SPLINE),)),
    "slider": ("SliderJoint", ("b_0",), (("b_0", "knee", POLYNOMIAL),)),
    "functions of a line": (
        "CustomJoint",
        ("b_0", "b_1", "b_2", "b_3"),
        (("b_0", "knee", LINEAR), ("b_1", "knee", BENT)),
    ),
    "chain": ("UniversalJoint", ("b_0", "b_1"), (("b_1", "b_0", LINEAR), ("b_0", "knee", SPLINE))),
    "polynomials": ("CustomJoint", ("b_0", "b_1", "b_2", "b_3"), (("b_3", "knee", POLYNOMIAL),)),
}


@pytest.mark.parametrize("case", CASES)
def test_coupled_joints(tmp_path, case):
    """Poses after OpenSim's assembly, and the projected mass matrix and bias."""
    pytest.importorskip("opensim")
    from tests.model.osim.peer import Peer

    kind, names, ties = CASES[case]
    path = tmp_path / "leg.osim"
    ties = [coupler(*tie, name=f"tie{i}") for i, tie in enumerate(ties)]
    path.write_text(leg(kind, constraints(*ties), names))
    model = read_osim(path)
    assert model.nv == 4 + len(names) - len(ties)
    assert not set(model.coordinate_names) & {tie.split("dependent_coordinate_name>")[1][:3] for tie in ties}
    peer, rng = Peer(path, model), np.random.default_rng(1)
    coordinates = peer.osim.updCoordinateSet()
    for _ in range(10):
        q, v = rng.uniform(-0.7, 0.7, model.nq), rng.standard_normal(model.nv)
        M, b = peer.projected(q, v)
        assert relative(engine.mass_matrix(model, q), M) < 1e-12
        assert relative(engine.bias(model, q, v), b) < 1e-12
        for i, name in enumerate(model.coordinate_names):  # now OpenSim satisfies its constraints by itself
            coordinates.get(name).setValue(peer.state, float(q[i]), False)
        for name in peer.dependents:
            coordinates.get(name).setValue(peer.state, 0.0, False)
        for name in model.coordinate_names:
            coordinates.get(name).setLocked(peer.state, True)
        peer.osim.assemble(peer.state)
        for body, T in peer.body_poses().items():
            # OpenSim assembles to an accuracy of 1e-9 or so of the constraint
            assert np.max(np.abs(engine.poses(model, q, body) - T)) < 1e-7


def test_patella_of_a_shared_model_follows_the_knee(shared_data):
    model = read_osim(shared_data / "walk_rajagopal_emg/subject_walk_scaled.osim")
    assert ("tibia_r", "patella_r") in model.groups or ("patella_r", "tibia_r") in model.groups
    assert "knee_angle_r_beta" not in model.coordinate_names
    followers = [note.names for note in model.notes if note.code == "osim.coordinate-substituted"]
    assert ("knee_angle_r_beta", "knee_angle_r") in followers


def test_switched_off_coupler_is_noted():
    text = leg(
        "PinJoint", constraints(coupler("b_0", "knee", LINEAR, extra="<isEnforced>false</isEnforced>"))
    )
    model = parse_osim(text.encode())
    assert "b_0" in model.coordinate_names
    assert ("osim.switched-off", ("tie",)) in [(note.code, note.names) for note in model.notes]


@pytest.mark.parametrize(
    ("ties", "words"),
    [
        ((("b_0", "knee", LINEAR), ("knee", "b_0", LINEAR)), "circle"),
        ((("b_0", "knee", LINEAR), ("b_0", "h_0", LINEAR)), "already"),
        ((("nothing", "knee", LINEAR),), "'nothing' is no coordinate"),
        ((("b_0", "knee h_0", LINEAR),), "one independent coordinate"),
        # OpenSim 4.6 takes the independent coordinate for the dependent one then: the two readings contradict
        ((("b_0", "knee", "<Constant><value>0.3</value></Constant>"),), "holds 'b_0' at a constant"),
        ((("b_0", "knee", ""),), "coupled_coordinates_function"),
        ((("b_0", "knee", "<Sine><omega>1</omega></Sine>"),), "not understood"),
    ],
)
def test_bad_couplers(ties, words):
    elements = [coupler(*tie, name=f"tie{i}") for i, tie in enumerate(ties)]
    with pytest.raises(ModelError, match=words) as caught:
        parse_osim(leg("PinJoint", constraints(*elements)).encode(), "leg.osim")
    assert str(caught.value).startswith("leg.osim: ")


def test_coupled_joints_that_hang_apart_are_refused():
    text = leg("PinJoint", constraints(coupler("b_0", "h_0", LINEAR)))
    assert parse_osim(text.encode()).nv == 4  # the thigh and a cap on it move as one
    apart = text.replace("/bodyset/thigh</socket_parent>", "/bodyset/shank</socket_parent>")
    apart = apart.replace("/bodyset/shank</socket_parent>", "/bodyset/thigh</socket_parent>", 2)
    assert apart != text
    with pytest.raises(ModelError, match="'thigh', 'cap' share coordinates but hang on different places"):
        parse_osim(apart.encode())


@pytest.mark.parametrize(
    "tag", ["WeldConstraint", "PointConstraint", "ConstantDistanceConstraint", "RollingOnSurfaceConstraint"]
)
def test_loop_constraints_are_refused_by_name(tag):
    closed = constraints(f'<{tag} name="shut"/>')
    with pytest.raises(ModelError, match=f"{tag} 'shut'.*loop"):
        parse_osim(document("PinJoint", 40500, extra=closed).encode())
    loose = f'<components><{tag} name="shut"/></components>'
    with pytest.raises(ModelError, match=f"{tag} 'shut'.*loop"):
        parse_osim(document("PinJoint", 40500, extra=loose).encode())
    off = constraints(f'<{tag} name="shut"><isEnforced>false</isEnforced></{tag}>')
    notes = parse_osim(document("PinJoint", 40500, extra=off).encode()).notes
    assert ("osim.switched-off", ("shut",)) in [(note.code, note.names) for note in notes]


KNOTS = np.linspace(-1, 1, 6)
SPLINES = SimmSpline(KNOTS, np.sin(2 * KNOTS))
FUNCTIONS = [
    Constant(0.3),
    Linear(1.0),
    Linear(-0.7, 0.2),
    Polynomial([0.1, 0.4, -0.2]),
    PiecewiseLinear([-1, 0, 1], [0.2, -0.3, 0.5]),
    SPLINES,
    Scaled(SPLINES, -0.6),
]


@pytest.mark.parametrize("outer", FUNCTIONS, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("inner", FUNCTIONS, ids=lambda f: type(f).__name__)
def test_compose_is_the_function_of_the_function(outer, inner):
    composed = compose(outer, inner)
    x = np.random.default_rng(3).uniform(-2, 2, 100)
    curved = isinstance(inner, SimmSpline | Scaled | Polynomial)
    broken = isinstance(outer, PiecewiseLinear | SimmSpline | Scaled)
    if composed is None:
        assert curved
        assert broken or not isinstance(inner, Polynomial)
        return
    assert np.max(np.abs(composed(x) - outer(inner(x)))) < 1e-12
    slope = outer(inner(x), 1) * inner(x, 1)
    assert np.max(np.abs(composed(x, 1) - slope)) < 1e-11


def test_a_curve_of_a_curve_is_refused():
    text = leg("CustomJoint", constraints(coupler("b_1", "knee", SPLINE)), ("b_0", "b_1", "b_2", "b_3"))
    with pytest.raises(ModelError, match=r"rotation2.*curve.*LinearFunction"):
        parse_osim(text.encode())


def test_ranges_and_defaults_are_kept():
    text = leg("PinJoint", "").replace(coordinate("knee"), coordinate("knee", 0.25).replace("false", "true"))
    knee = parse_osim(text.encode()).coordinates["knee"]
    assert (knee.default, knee.lower, knee.upper, knee.clamped, knee.locked) == (0.25, -1.5, 2.5, True, True)
