"""Unusual but legal models and states, each built by hand and compared with the matrix oracle."""

import numpy as np
import pytest
from tests.oracles import trees
from tests.oracles.errors import relative
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.errors import ModelError
from softstride.model import (
    Axis,
    Constant,
    Linear,
    ModelBuilder,
    PiecewiseLinear,
    Polynomial,
    Rod,
    SimmSpline,
)

# Double precision; the longest chain here has 300 links.
TOLERANCE = 1e-11


def check(model, rng, q=None, strain=1.0, moves_freely=True):
    """Compare everything that matters with the oracle at one state; forward dynamics by its backward error."""
    q = trees.random_q(model, rng, strain) if q is None else q
    v, a = trees.random_v(model, rng), trees.random_v(model, rng)
    snap = Snapshot(model, q, v)
    tau = snap.inverse_dynamics(a)
    assert relative(engine.poses(model, q), [snap.pose(name) for name in model.link_names]) < TOLERANCE
    assert relative(engine.mass_matrix(model, q), snap.mass_matrix) < TOLERANCE
    assert relative(engine.inverse_dynamics(model, q, v, a), tau) < TOLERANCE
    assert relative(engine.inverse_dynamics_derivatives(model, q, v, a)[2], snap.mass_matrix) < TOLERANCE
    if moves_freely:
        for method in ("aba", "crba"):
            got = engine.forward_dynamics(model, q, v, tau, method=method)
            assert relative(snap.inverse_dynamics(got), tau) < TOLERANCE


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture
def builder():
    return ModelBuilder("edge", gravity=(1.0, -9.0, 2.0))


def axis(rng, *terms):
    """Return an axis in a random direction."""
    return Axis(trees.unit(rng), terms)


def turned(rng, first, *others):
    """Return three rotation axes: one follows a coordinate, the second functions of others, the third none."""
    wobble = [(name, trees.function(rng, size=0.2)) for name in others]
    return axis(rng, (first, Linear(1.0))), axis(rng, *wobble), axis(rng)


def test_custom_joint_without_coordinates(builder, rng):
    """Constants only: a welded link."""
    builder.custom(
        "still", rotations=(axis(rng, ("", Constant(0.3))), axis(rng), axis(rng)), **trees.body(rng)
    )
    builder.revolute("arm", parent="still", axis=(0, 0, 1), **trees.body(rng))
    check(builder.build(), rng)


def test_custom_joint_with_a_coordinate_that_drives_nothing(builder, rng):
    builder.custom("arm", rotations=turned(rng, "angle"), coordinates=("angle", "idle"), **trees.body(rng))
    model = builder.build()
    check(model, rng, moves_freely=False)
    assert not np.any(engine.mass_matrix(model, np.zeros(2))[1])


def test_polynomial_of_high_degree(builder, rng):
    high = Polynomial(0.1 * rng.standard_normal(13))
    builder.custom(
        "arm", rotations=(axis(rng, ("a", Linear(1.0))), axis(rng, ("a", high)), axis(rng)), **trees.body(rng)
    )
    check(builder.build(), rng)


@pytest.mark.parametrize("where", ["first", "inside", "on a knot", "last", "before", "beyond"])
def test_functions_at_and_beyond_their_knots(builder, rng, where):
    knots = np.linspace(-1, 1, 60)
    spline, lines = (
        SimmSpline(knots, 0.2 * rng.standard_normal(60)),
        PiecewiseLinear(knots, 0.2 * rng.standard_normal(60)),
    )
    rotations = axis(rng, ("a", spline)), axis(rng, ("a", lines)), axis(rng, ("a", Linear(1.0)))
    builder.custom("arm", rotations=rotations, **trees.body(rng))
    values = {
        "first": -1.0,
        "inside": 0.123,
        "on a knot": knots[17],
        "last": 1.0,
        "before": -5.0,
        "beyond": 5.0,
    }
    check(builder.build(), rng, np.array([values[where]]))


def test_many_terms_on_one_axis(builder, rng):
    names = [f"a{i}" for i in range(6)]
    many = [(name, trees.function(rng)) for name in names * 3]
    rotations = axis(rng, *many), axis(rng, ("a0", Linear(1.0))), axis(rng, ("a1", Linear(1.0)))
    slides = [axis(rng, (name, Linear(1.0)), ("", Constant(0.1))) for name in names[2:5]]
    builder.custom("arm", rotations=rotations, translations=tuple(slides), **trees.body(rng))
    builder.revolute("hand", parent="arm", axis=(0, 0, 1), **trees.body(rng))
    check(builder.build(), rng)


def test_massless_links_between(builder, rng):
    """A massless chain is fine as long as every coordinate moves the mass at its end."""
    builder.revolute("a", axis=(0, 0, 1))
    builder.prismatic("b", parent="a", axis=(0, 1, 0))
    builder.revolute("c", parent="b", axis=(1, 0, 0), position=(0.1, 0.2, 0.3), **trees.body(rng))
    check(builder.build(), rng)


def test_children_where_segments_meet(builder, rng):
    """Links at the base, at every joint of segments and at the tip of a rod; 16 Gauss points on it, 1 on others."""
    segments = tuple(trees.segment(rng) for _ in range(4))
    builder.free("base", **trees.body(rng))
    rod = Rod(segments, 16)
    builder.rod("rod", parent="base", rod=rod)
    places = [0.0, *np.cumsum([segment.length for segment in segments])[:-1], rod.length]
    for i, at in enumerate(places):
        builder.revolute(f"hinge{i}", parent="rod", at=float(at), axis=trees.unit(rng), **trees.body(rng))
        builder.rod(f"twig{i}", parent="rod", at=float(at), rod=Rod(segments[:1], 1))
    check(builder.build(), rng)


def test_a_group_of_shared_coordinates_between_the_ends_of_a_rod(builder, rng):
    """Siblings and chains share three coordinates; rods, balls and welds hang on members of the group."""
    segments = tuple(trees.segment(rng) for _ in range(3))
    builder.free("base", **trees.body(rng))
    builder.rod("rod", parent="base", rod=Rod(segments))
    slide = axis(rng, ("b", Linear(1.0))), axis(rng), axis(rng)
    builder.custom(
        "g0", parent="rod", at=0.1, rotations=turned(rng, "a", "b"), translations=slide, **trees.body(rng)
    )
    builder.custom("g1", parent="rod", at=0.1, rotations=turned(rng, "b", "a"), **trees.body(rng))
    builder.custom("g2", parent="g1", rotations=turned(rng, "c", "a"), **trees.body(rng))
    builder.custom("g3", parent="g2", rotations=turned(rng, "a", "c", "b"), **trees.body(rng))
    builder.custom("g4", parent="g2", rotations=turned(rng, "a", "b"), **trees.body(rng))
    builder.rod("on g3", parent="g3", rod=Rod(segments[:2]))
    builder.rod("on g0", parent="g0", rod=Rod(segments[:2]), **trees.body(rng))
    builder.spherical("ball", parent="on g3", at=0.05, **trees.body(rng))
    builder.revolute("hinge", parent="g1", axis=(0, 1, 0), **trees.body(rng))
    builder.fixed("weld", parent="g2", **trees.body(rng))
    model = builder.build()
    assert model.groups == (("g0", "g1", "g2", "g3", "g4"),)
    check(model, rng)


def test_a_group_of_shared_coordinates_on_the_world(builder, rng):
    for name, parent in (("g0", "world"), ("g1", "world"), ("g2", "g0")):
        builder.custom(name, parent=parent, rotations=turned(rng, "a"), **trees.body(rng))
    model = builder.build()
    assert model.nv == 1
    check(model, rng)


def test_far_from_the_origin(builder, rng):
    """A kilometre away, relative accuracy is that of the positions."""
    builder.free("base", position=(1e3, -2e3, 500.0), **trees.body(rng))
    builder.revolute("arm", parent="base", axis=(1, 0, 0), **trees.body(rng))
    check(builder.build(), rng)


def test_chain_of_300_links(builder, rng):
    parent = "world"
    for i in range(300):
        builder.revolute(
            f"l{i}", parent=parent, axis=trees.unit(rng), position=(0.05, 0, 0), **trees.body(rng)
        )
        parent = f"l{i}"
    check(builder.build(), rng)


def test_rod_of_40_segments(builder, rng):
    builder.rod("rod", rod=Rod(tuple(trees.segment(rng, ("kx", "ky", "kz")) for _ in range(40))))
    check(builder.build(), rng, strain=0.3)


def test_children_written_before_their_parents(builder, rng):
    builder.revolute("child", parent="parent", axis=(0, 0, 1), **trees.body(rng))
    builder.free("parent", **trees.body(rng))
    check(builder.build(), rng)


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_a_pivot_of_rounding_is_not_an_inertia(method):
    """Two sliders along one oblique axis, the first without mass: M is singular, whatever rounding makes of it."""
    generator = np.random.default_rng(4)
    for _ in range(40):
        axis = generator.normal(size=3)
        b = ModelBuilder("sliders")
        b.prismatic("ghost", axis=axis)
        b.prismatic("body", "ghost", axis=axis, mass=1.0, inertia=(0.1, 0.1, 0.1))
        with pytest.raises(ModelError, match=r"ghost|body"):
            engine.forward_dynamics(b.build(), np.zeros(2), np.zeros(2), np.array([1.0, 0.3]), method=method)


def test_a_singular_frame_is_found_among_fast_ones():
    """A frame that is only fast must not hide one without solution."""
    b = ModelBuilder("gimbal")
    turns = tuple(
        Axis(d, ((name, Linear(1.0)),)) for d, name in (((0, 0, 1), "a"), ((1, 0, 0), "b"), ((0, 0, 1), "c"))
    )
    b.custom("ball", rotations=turns, mass=1.0, inertia=(0.1, 0.2, 0.3))
    q = np.array([[0.3, 0.7, 0.1], [0.3, 0.0, 0.1], [0.2, 0.9, 0.4]])
    tau = np.array([[1e9, 1e9, 1e9], [1.0, 1.0, 2.0], [1.0, 1.0, 1.0]])  # the second has no solution
    model = b.build()
    for method in ("aba", "crba"):
        with pytest.raises(ModelError, match=r"frame 1: coordinate '[ac]'"):
            engine.forward_dynamics(model, q, np.zeros((3, 3)), tau, method=method)


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_an_overflow_is_seen_in_the_result(method):
    """A body so far out that its inertia is no number: not a coordinate without inertia, and no crash."""
    b = ModelBuilder("far")
    b.revolute("hinge", axis=(0, 0, 1), mass=1.0, inertia=(1.0, 1.0, 1.0))
    slope = Axis((1, 0, 0), (("slide", Linear(1e300)),))
    b.custom("arm", "hinge", translations=(slope, Axis((0, 1, 0), ()), Axis((0, 0, 1), ())), mass=1.0)
    with np.errstate(all="ignore"):
        a = engine.forward_dynamics(b.build(), np.array([0.0, 1.0]), np.zeros(2), np.ones(2), method=method)
    assert not np.isfinite(a).all()


def mass_beside_the_axis(seed, distance):
    """A massless hinge and a point mass 1 m along its axis and a little beside it, reached by a turned link."""
    along, beside = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0), np.array([2.0, -1.0, 0.0]) / np.sqrt(5.0)
    b = ModelBuilder("axis")
    b.revolute("hinge", axis=(1, 2, 3))
    R = trees.rotation(np.random.default_rng(seed))
    b.fixed("rod", "hinge", rotation=R)
    b.fixed("ball", "rod", position=R.T @ (along + distance * beside), mass=1.0)
    return b.build()


@pytest.mark.parametrize("method", ["aba", "crba"])
@pytest.mark.parametrize("seed", range(12))
def test_mass_on_the_axis_is_no_inertia(seed, method):
    """What is left is rounding of terms that cancel, above zero or below it."""
    model = mass_beside_the_axis(seed, 0.0)
    with pytest.raises(ModelError, match="hinge"):
        engine.forward_dynamics(model, np.array([0.3]), np.zeros(1), np.ones(1), method=method)


@pytest.mark.parametrize("seed", range(12))
def test_a_micrometre_beside_the_axis_is_an_inertia(seed):
    model = mass_beside_the_axis(seed, 1e-6)
    a = engine.forward_dynamics(model, np.array([0.3]), np.zeros(1), np.ones(1))
    np.testing.assert_allclose(a, 1e12, rtol=1e-3)


def test_nothing_to_move_is_told_wherever_it_is():
    """So far away that the square of the distance is no number."""
    builder = ModelBuilder("nothing")
    builder.revolute("near", axis=(0, 0, 1))
    builder.revolute("far", axis=(0, 0, 1), position=(0.0, 0.0, 1.5e154))
    with pytest.raises(ModelError, match="'near' moves no inertia"):
        engine.forward_dynamics(builder.build(), [0.1, 0.2], [0.0, 0.0], [1.0, 1.0])


def test_results_may_go_where_inputs_came_from():
    """`out` may be one of the inputs, external wrenches or not."""
    b = ModelBuilder("arm")
    b.revolute("upper", axis=(0, 0, 1), mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.revolute("lower", "upper", axis=(0, 1, 0), position=(1, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = b.build()
    generator = np.random.default_rng(1)
    state, w = generator.normal(size=(3, 20, 2)), {"lower": generator.normal(size=6)}
    expected = engine.inverse_dynamics(model, *state, f_ext=w)
    for i in range(3):
        q, v, a = (x.copy() for x in state)
        assert (
            relative(engine.inverse_dynamics(model, q, v, a, f_ext=w, out=(q, v, a)[i]), expected) < TOLERANCE
        )
