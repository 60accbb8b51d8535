"""Custom joints taken apart into hinges and sliders, and inverse dynamics on them, with loads at moving points."""

import numpy as np
import pytest
from tests.oracles.errors import relative
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.engine.chains import chain_of
from softstride.engine.cuts import Cut
from softstride.engine.dynamics import balance_of_forces
from softstride.engine.kernels import tables as t
from softstride.engine.lanes import LANES
from softstride.engine.plan import plan
from softstride.model import (
    Axis,
    Constant,
    Custom,
    Frame,
    Linear,
    ModelBuilder,
    Polynomial,
    Rod,
    Section,
    SimmSpline,
)

TOLERANCE = 1e-12
F = 2 * LANES + 3  # whole blocks, and a rest
BODY = {"mass": 1.3, "com": (0.1, -0.2, 0.05), "inertia": (0.1, 0.12, 0.09)}
SQUARE = np.eye(3)
STILL = tuple(Axis(axis) for axis in np.eye(3))
OBLIQUE = ((0.6, 0.8, 0.0), (0.0, 0.6, -0.8), (0.48, -0.6, 0.64))


def hinges(*names):
    return tuple(Axis.along(axis, name) for axis, name in zip(OBLIQUE, names, strict=True))


def sliders(*names, axes=SQUARE):
    return tuple(Axis.along(axis, name) for axis, name in zip(axes, names, strict=True))


def tree(root_sliders, order=()):
    """A root with six coordinates, a hinge that turns backwards behind an offset, a knee of splines, a blade."""
    b = ModelBuilder("tree")
    b.custom(
        "pelvis",
        rotations=hinges("tilt", "list", "turn"),
        translations=root_sliders,
        coordinates=order,
        position=(0.1, 0.2, 0.3),
        **BODY,
    )
    back = Axis((0.0, 0.6, 0.8), (("arm", Linear(-1.0, 0.3)), ("", Constant(0.2))))
    shift = Axis((1.0, 0.0, 0.0), (("", Constant(0.07)),))
    b.custom("arm", "pelvis", rotations=(STILL[0], back, STILL[1]), translations=(shift, *STILL[1:]), **BODY)
    spline = SimmSpline(np.linspace(-2.0, 2.0, 9), 0.2 * np.sin(np.linspace(-2.0, 2.0, 9)))
    steep = Polynomial((0.01, -0.02, 0.03, 0.01, -0.02, 0.004, 0.003))
    knee = (Axis((0, 0, 1), (("knee", Linear(1.0)),)), Axis((1, 0, 0), (("knee", steep),)), STILL[1])
    slide = (Axis((1, 0, 0), (("knee", spline),)), *STILL[1:])
    b.custom("shank", "pelvis", rotations=knee, translations=slide, position=(0, -0.4, 0), **BODY)
    section = Section.rectangle(0.02, 0.005, 1600.0, 5e10, 5e9)
    b.rod("blade", parent="shank", rod=Rod.uniform(0.6, 2, section))
    return b.build()


TREES = {
    "square": tree(sliders("x", "y", "z")),
    "oblique": tree(sliders("x", "y", "z", axes=OBLIQUE)),
    "left-handed": tree(sliders("x", "y", "z", axes=np.eye(3)[[1, 0, 2]])),
    "scattered": tree(sliders("x", "y", "z"), ("x", "tilt", "z", "turn", "y", "list")),
}


def state(model, seed=4):
    rng = np.random.default_rng(seed)
    q, v, a = (rng.normal(size=(F, model.nv)) for _ in range(3))
    blade = list(model.q_indices("blade"))
    q[:, blade] *= 0.1
    return q, v, a


@pytest.mark.parametrize("name", TREES)
def test_inverse_dynamics_of_chains(name):
    """Lanes of one block are in different pieces of the spline, and one polynomial is of high degree."""
    model = TREES[name]
    q, v, a = state(model)
    w = np.random.default_rng(5).normal(size=(2, F, 6))
    places = {"arm": w[0], Frame("blade", at=0.37): w[1]}
    got = engine.inverse_dynamics(model, q, v, a, f_ext=places)
    expected = [
        Snapshot(model, q[i], v[i]).inverse_dynamics(a[i], {place: x[i] for place, x in places.items()})
        for i in range(F)
    ]
    assert relative(got, np.array(expected)) < TOLERANCE


def test_what_is_taken_apart():
    kinds = {name: plan(model, chained=True).tree.nodes[:, t.KIND].tolist() for name, model in TREES.items()}
    rest = [t.REVOLUTE] * 4 + [t.CUSTOM] + [t.SOFT] * 2
    assert kinds["square"] == [t.TRAVEL, *rest]
    for name in ("oblique", "left-handed", "scattered"):
        assert kinds[name] == [t.PRISMATIC] * 3 + rest
    for model in TREES.values():
        p = plan(model, chained=True)
        assert p.q_order is None and p.v_order is None  # nothing is copied
        assert t.TRAVEL not in plan(model).tree.nodes[:, t.KIND]


@pytest.mark.parametrize(
    "terms",
    [
        ((("a", Linear(1.1)),), (("b", Linear(1.0)),)),  # a slope
        ((("a", Linear(1.0)),), (("a", Linear(1.0)),)),  # one coordinate for two axes
        ((("a", Linear(1.0)), ("b", Linear(1.0))), ()),  # two for one
        ((("a", Polynomial((0.0, 1.0, 0.1))),), (("b", Linear(1.0)),)),  # a curve
        ((("a", Constant(1.0)),), (("b", Linear(1.0)),)),  # a coordinate that moves nothing
    ],
)
def test_what_is_more_than_a_chain(terms):
    axes = tuple(Axis(direction, each) for direction, each in zip(np.eye(3), (*terms, ()), strict=True))
    assert chain_of(Custom(rotations=axes)) is None


@pytest.mark.parametrize("name", TREES)
def test_loads_at_moving_points_and_the_wrench_of_the_base(name):
    """The same as wrenches about places; the base is given what the whole needs to move so."""
    model = TREES[name]
    q, v, a = state(model)
    places = ("arm", Frame("blade", at=0.25), "arm")
    rng = np.random.default_rng(6)
    loads = rng.normal(size=(F, 27))
    tau, shown, origins = balance_of_forces(model, q, v, a, loads, places, (Cut("pelvis", "pelvis"),))
    expected = engine.inverse_dynamics(model, q, v, a)
    rate = engine.momentum_rate(model, q, v, a)
    weight = model.mass * np.asarray(model.gravity)
    rate[:, 3:] -= weight
    rate[:, :3] -= np.cross(engine.centre_of_mass(model, q), weight)
    for i, place in enumerate(places):
        m, f, p = (loads[:, 9 * i + k : 9 * i + k + 3] for k in (0, 3, 6))
        o = engine.positions(model, q, place)
        assert relative(origins[:, i], o) < TOLERANCE
        w = np.concatenate([m + np.cross(p - o, f), f], axis=1)
        expected -= engine.generalized_forces(model, q, {place: w})
        rate -= np.concatenate([m + np.cross(p, f), f], axis=1)
    assert relative(tau, expected) < TOLERANCE
    pelvis = engine.positions(model, q, "pelvis")
    assert relative(shown[:, 0, 6:], pelvis) < TOLERANCE
    rate[:, :3] -= np.cross(pelvis, rate[:, 3:])
    assert relative(shown[:, 0, :6], rate) < 10 * TOLERANCE
    alone, nothing, _ = balance_of_forces(model, q, v, a, loads, places)
    assert np.array_equal(alone, tau) and nothing.shape == (F, 0, 9)
