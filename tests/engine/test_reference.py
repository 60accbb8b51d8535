"""The engine against the matrix oracle: every kind of link and every way to hang one on another.

Curved rods, branches between the ends of a rod, custom joints of random functions, shared coordinates.
"""

import numpy as np
import pytest
from tests.oracles import joints as jt
from tests.oracles import trees
from tests.oracles.errors import relative
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.model import Frame, Point

# Both sides round in double precision. The oracle's matrix exponentials are good to 1e-14, and a few
# hundred roundings add up on long chains whose Jacobians grow with every prismatic and free joint.
TOLERANCE = 1e-10
FRAMES = 2

CASES = {
    "revolute": {"kinds": ("revolute",), "base": "revolute", "n": 4},
    "prismatic": {"kinds": ("prismatic",), "base": "prismatic", "n": 3},
    "spherical": {"kinds": ("spherical",), "base": "spherical", "n": 4},
    "free": {"kinds": ("free",), "base": "free", "n": 3},
    "fixed": {"kinds": ("fixed", "revolute"), "base": "fixed", "n": 6},
    "rod, bends": {
        "kinds": ("rod",),
        "base": "rod",
        "n": 3,
        "free_strains": ("kx", "ky", "kz"),
        "mid_rod": False,
    },
    "rod, all strains": {
        "kinds": ("rod",),
        "base": "rod",
        "n": 3,
        "free_strains": jt.STRAINS,
        "mid_rod": False,
    },
    "rod, any strains": {"kinds": ("rod",), "base": "rod", "n": 5, "mid_rod": False},
    "rod, no strains": {"kinds": ("rod", "revolute"), "base": "revolute", "n": 4, "free_strains": ()},
    "rod, rigid on the world": {"kinds": ("rod", "revolute"), "base": "rod", "n": 6, "free_strains": ()},
    "mid-rod branches": {"kinds": ("rod", "revolute", "spherical"), "base": "rod", "n": 12, "branching": 1.0},
    "rods on rods": {"kinds": ("rod",), "base": "free", "n": 8, "branching": 0.7},
    "custom": {"kinds": ("custom",), "base": "custom", "n": 4, "shared": False},
    "shared": {"kinds": ("custom", "revolute"), "base": "custom", "n": 14},
    "shared on rods": {"kinds": ("custom", "custom", "rod"), "base": "rod", "n": 14},
    "piecewise": {
        "kinds": ("custom",),
        "base": "custom",
        "n": 5,
        "functions": ("constant", "piecewise", "linear"),
    },
    "all, one tree": {"kinds": trees.ALL, "base": "free", "n": 25},
    "all, forest": {"kinds": trees.ALL, "base": None, "n": 30, "trees": 5},
    "all, long": {"kinds": trees.ALL, "base": "free", "n": 60, "branching": 0.7},
}


class Case:
    """A random model, a few frames, places of interest, and the oracle's snapshots."""

    def __init__(self, seed, options):
        rng = np.random.default_rng(seed)
        self.model = trees.random_model(rng, **options)
        self.q, self.v, self.a = trees.random_state(self.model, rng, FRAMES)
        self.snaps = [Snapshot(self.model, q, v) for q, v in zip(self.q, self.v, strict=True)]
        self.frames, self.points = ["world"], [Point("world", [0.1, 0.2, 0.3])]
        for link in rng.permutation(np.array(self.model.links, dtype=object))[:6]:
            at = link.joint.length * float(rng.uniform(0, 1)) if jt.kind(link.joint) == "rod" else None
            self.frames.append(link.name)
            self.frames.append(Frame(link.name, 0.2 * rng.standard_normal(3), trees.rotation(rng), at))
            self.points.append(Point(link.name, 0.2 * rng.standard_normal(3), at))
        self.wrenches = {
            place: 5 * rng.standard_normal((FRAMES, 6)) for place in (*self.frames, *self.points)
        }

    def each(self, function):
        """Return function(snapshot, frame number) of all frames, stacked."""
        return np.stack([function(snap, i) for i, snap in enumerate(self.snaps)])

    def wrench(self, i):
        """Return the wrenches of one frame."""
        return {place: w[i] for place, w in self.wrenches.items()}


@pytest.fixture(scope="module", params=list(enumerate(CASES)), ids=lambda p: p[1])
def case(request):
    return Case([3, request.param[0]], CASES[request.param[1]])


def test_poses(case):
    names = case.model.link_names
    assert (
        relative(engine.poses(case.model, case.q), case.each(lambda s, i: [s.pose(n) for n in names]))
        < TOLERANCE
    )
    want = case.each(lambda s, i: [s.pose(f) for f in case.frames])
    assert relative(engine.poses(case.model, case.q, case.frames), want) < TOLERANCE


def test_positions(case):
    want = case.each(lambda s, i: [s.pose(p)[:3, 3] for p in case.points])
    assert relative(engine.positions(case.model, case.q, case.points), want) < TOLERANCE


def test_velocities(case):
    want = case.each(lambda s, i: [s.velocity(f) for f in case.frames])
    assert relative(engine.velocities(case.model, case.q, case.v, case.frames), want) < TOLERANCE
    want = case.each(lambda s, i: [s.velocity(n) for n in case.model.link_names])
    assert relative(engine.velocities(case.model, case.q, case.v), want) < TOLERANCE


def test_accelerations(case):
    want = case.each(lambda s, i: [s.acceleration(f, case.a[i]) for f in case.frames])
    assert relative(engine.accelerations(case.model, case.q, case.v, case.a, case.frames), want) < TOLERANCE
    want = case.each(lambda s, i: [s.acceleration(n, case.a[i]) for n in case.model.link_names])
    assert relative(engine.accelerations(case.model, case.q, case.v, case.a), want) < TOLERANCE


def test_accelerations_against_gravity(case):
    """With gravity=True the world accelerates by -g: what an accelerometer measures."""

    def felt(snap, i):
        rows = []
        for name in case.model.link_names:
            world = np.concatenate([np.zeros(3), -snap.pose(name)[:3, :3].T @ np.asarray(case.model.gravity)])
            rows.append(snap.acceleration(name, case.a[i]) + world)
        return rows

    got = engine.accelerations(case.model, case.q, case.v, case.a, gravity=True)
    assert relative(got, case.each(felt)) < TOLERANCE


def test_jacobians(case):
    got = engine.jacobian(case.model, case.q, case.frames)
    assert relative(got, case.each(lambda s, i: [s.jacobian(f) for f in case.frames])) < TOLERANCE
    got = engine.jacobian(case.model, case.q, case.points)
    assert relative(got, case.each(lambda s, i: [s.jacobian(p) for p in case.points])) < TOLERANCE


def test_jacobian_dot_v(case):
    for places in (case.frames, case.points):
        for place in places:
            got = engine.jacobian_dot_v(case.model, case.q, case.v, place)
            want = case.each(lambda s, i, place=place: s.jacobian_dot_v(place))
            scale = np.max(
                np.abs(case.each(lambda s, i, place=place: s.acceleration(place, case.a[i]))), initial=1.0
            )
            assert np.max(np.abs(got - want)) < TOLERANCE * scale


def test_mass_matrix(case):
    got = engine.mass_matrix(case.model, case.q)
    assert relative(got, case.each(lambda s, i: s.mass_matrix)) < TOLERANCE
    assert np.array_equal(got, np.swapaxes(got, 1, 2))


def test_bias(case):
    assert relative(engine.bias(case.model, case.q, case.v), case.each(lambda s, i: s.bias)) < TOLERANCE


def test_inverse_dynamics(case):
    got = engine.inverse_dynamics(case.model, case.q, case.v, case.a)
    assert relative(got, case.each(lambda s, i: s.inverse_dynamics(case.a[i]))) < TOLERANCE


def test_inverse_dynamics_with_external_wrenches(case):
    got = engine.inverse_dynamics(case.model, case.q, case.v, case.a, f_ext=case.wrenches)
    assert relative(got, case.each(lambda s, i: s.inverse_dynamics(case.a[i], case.wrench(i)))) < TOLERANCE


def test_generalized_forces(case):
    got = engine.generalized_forces(case.model, case.q, case.wrenches)
    assert relative(got, case.each(lambda s, i: s.generalized_forces(case.wrench(i)))) < TOLERANCE


@pytest.mark.parametrize("method", ["aba", "crba"])
@pytest.mark.parametrize("loaded", [False, True], ids=["unloaded", "loaded"])
def test_forward_dynamics_solves_the_equation_of_motion(case, method, loaded):
    """Judge by the backward error |M a + b - J^T w - tau|: M may be ill conditioned, the equation is not."""
    tau = 10 * np.random.default_rng(7).standard_normal(case.v.shape)
    wrenches = case.wrenches if loaded else None
    got = engine.forward_dynamics(case.model, case.q, case.v, tau, f_ext=wrenches, method=method)
    for i, snap in enumerate(case.snaps):
        back = snap.inverse_dynamics(got[i], case.wrench(i) if loaded else None)
        scale = np.max(np.abs(snap.mass_matrix) @ np.abs(got[i]) + np.abs(snap.bias) + np.abs(tau[i]))
        assert np.max(np.abs(back - tau[i])) < TOLERANCE * scale


def test_energy(case):
    got = engine.energy(case.model, case.q, case.v)
    assert relative(got.kinetic, case.each(lambda s, i: s.kinetic)) < TOLERANCE
    scale = case.model.mass * np.linalg.norm(case.model.gravity)  # [N]: energies of about a metre
    assert np.max(np.abs(got.gravity - case.each(lambda s, i: s.potential))) < TOLERANCE * scale
    assert relative(got.elastic, case.each(lambda s, i: s.elastic)) < TOLERANCE
    assert np.allclose(got.total, got.kinetic + got.gravity + got.elastic, rtol=1e-14)


@pytest.mark.parametrize("about", ["origin", "com"])
def test_momentum(case, about):
    got = engine.momentum(case.model, case.q, case.v, about=about)
    assert relative(got, case.each(lambda s, i: s.momentum(about))) < TOLERANCE
    matrix = engine.momentum_matrix(case.model, case.q, about=about)
    assert relative(matrix, case.each(lambda s, i: s.momentum_matrix(about))) < TOLERANCE


@pytest.mark.parametrize("about", ["origin", "com"])
def test_momentum_rate(case, about):
    got = engine.momentum_rate(case.model, case.q, case.v, case.a, about=about)
    assert relative(got, case.each(lambda s, i: s.momentum_rate(case.a[i], about))) < TOLERANCE


def test_centre_of_mass(case):
    assert relative(engine.centre_of_mass(case.model, case.q), case.each(lambda s, i: s.com)) < TOLERANCE
    want = case.each(lambda s, i: s.com_jacobian)
    assert relative(engine.com_jacobian(case.model, case.q), want) < TOLERANCE
    want = case.each(lambda s, i: s.com_jacobian @ s.v)
    assert relative(engine.com_velocity(case.model, case.q, case.v), want) < TOLERANCE


def test_passive_forces_of_rods(case):
    """Random models have no springs: what is passive are the rods."""
    assert (
        relative(engine.passive_forces(case.model, case.q, case.v), case.each(lambda s, i: s.rod_forces))
        < TOLERANCE
    )
