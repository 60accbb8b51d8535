"""The packaged athlete, 130 degrees of freedom and 148 with the blade, against all oracles."""

import numpy as np
import pytest
from tests.oracles import manifold, trees
from tests.oracles.errors import relative
from tests.oracles.mujoco import MuJoCo
from tests.oracles.pinocchio import Pinocchio
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.model import Frame, Point, athlete

# Double precision on both sides, chains of about ten links.
TOLERANCE = 1e-11
# Sixth-order differences of the engine itself with h = 1e-3, on forces of up to 1e4 N.
DIFFERENCES = 1e-8
FRAMES = 3


def state(model, seed=1):
    """Return a few frames of q, v, a in human proportions: any pose, speeds of running."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            trees.random_q(model, rng, strain=0.3),
            trees.random_v(model, rng, 3.0),
            trees.random_v(model, rng, 30.0),
        )
        for _ in range(FRAMES)
    ]
    return tuple(np.array(part) for part in zip(*rows, strict=True))


@pytest.fixture(scope="module", params=[False, True], ids=["rigid", "blade"])
def case(request):
    model = athlete(blade=request.param)
    q, v, a = state(model)
    return model, q, v, a, [Snapshot(model, *row) for row in zip(q, v, strict=True)]


def test_sizes():
    assert athlete(blade=False).nv == 130
    assert athlete(blade=True).nv == 148
    assert athlete(blade=False).mass == pytest.approx(70, rel=0.1)


def test_kinematics(case):
    model, q, v, a, snaps = case
    names = model.link_names
    assert relative(engine.poses(model, q), [[s.pose(n) for n in names] for s in snaps]) < TOLERANCE
    assert (
        relative(engine.velocities(model, q, v), [[s.velocity(n) for n in names] for s in snaps]) < TOLERANCE
    )
    want = [[s.acceleration(n, x) for n in names] for s, x in zip(snaps, a, strict=True)]
    assert relative(engine.accelerations(model, q, v, a), want) < TOLERANCE
    assert (
        relative(engine.jacobian(model, q, list(names)), [[s.jacobian(n) for n in names] for s in snaps])
        < TOLERANCE
    )


def test_mass_matrix(case):
    model, q, _, _, snaps = case
    got = engine.mass_matrix(model, q)
    assert relative(got, [s.mass_matrix for s in snaps]) < TOLERANCE
    assert np.min(np.linalg.eigvalsh(got)) > 0


def test_inverse_dynamics(case):
    model, q, v, a, snaps = case
    assert relative(engine.bias(model, q, v), [s.bias for s in snaps]) < TOLERANCE
    want = [s.inverse_dynamics(x) for s, x in zip(snaps, a, strict=True)]
    assert relative(engine.inverse_dynamics(model, q, v, a), want) < TOLERANCE


def test_inverse_dynamics_under_ground_reactions(case):
    model, q, v, a, snaps = case
    rng = np.random.default_rng(2)
    last = model.links[-1].name
    places = [model.links[0].name, Point(last, (0.05, -0.02, 0.03))]
    if model.links[-1].soft:
        places.append(Frame(last, at=0.7 * model.links[-1].joint.length))
    wrenches = {place: 500 * rng.standard_normal((FRAMES, 6)) for place in places}
    got = engine.inverse_dynamics(model, q, v, a, f_ext=wrenches)
    for i, snap in enumerate(snaps):
        want = snap.inverse_dynamics(a[i], {place: w[i] for place, w in wrenches.items()})
        assert relative(got[i], want) < TOLERANCE


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_forward_dynamics(case, method):
    model, q, v, a, snaps = case
    tau = np.array([s.inverse_dynamics(x) for s, x in zip(snaps, a, strict=True)])
    got = engine.forward_dynamics(model, q, v, tau, method=method)
    back = np.array([s.inverse_dynamics(x) for s, x in zip(snaps, got, strict=True)])
    assert relative(back, tau) < 1e-10


def test_energy_and_momentum(case):
    model, q, v, _, snaps = case
    energy = engine.energy(model, q, v)
    assert relative(energy.kinetic, [s.kinetic for s in snaps]) < TOLERANCE
    assert relative(energy.gravity, [s.potential for s in snaps]) < TOLERANCE
    assert relative(engine.centre_of_mass(model, q), [s.com for s in snaps]) < TOLERANCE
    assert relative(engine.com_jacobian(model, q), [s.com_jacobian for s in snaps]) < TOLERANCE
    for about in ("origin", "com"):
        assert (
            relative(engine.momentum(model, q, v, about=about), [s.momentum(about) for s in snaps])
            < TOLERANCE
        )
        want = [s.momentum_matrix(about) for s in snaps]
        assert relative(engine.momentum_matrix(model, q, about=about), want) < TOLERANCE


def test_rigid_athlete_is_pinocchios():
    model = athlete(blade=False)
    q, v, a = state(model, 3)
    peer = Pinocchio(model)
    rows = list(zip(q, v, a, strict=True))
    assert (
        relative(engine.inverse_dynamics(model, q, v, a), [peer.inverse_dynamics(*r) for r in rows])
        < TOLERANCE
    )
    assert relative(engine.mass_matrix(model, q), [peer.mass_matrix(r) for r in q]) < TOLERANCE
    got = engine.inverse_dynamics_derivatives(model, q, v, a)
    for part, want in zip(
        got, zip(*(peer.inverse_dynamics_derivatives(*r) for r in rows), strict=True), strict=True
    ):
        assert relative(part, want) < 1e-10


def test_rigid_athlete_is_mujocos():
    """To 1e-10: MuJoCo's reader normalises quaternions once more."""
    model = athlete(blade=False)
    q, v, a = state(model, 5)
    peer = MuJoCo(model)
    assert relative(engine.mass_matrix(model, q), [peer.mass_matrix(row) for row in q]) < 1e-10
    want = [peer.bias(*row) for row in zip(q, v, strict=True)]
    assert relative(engine.bias(model, q, v), want) < 1e-10
    want = [peer.inverse_dynamics(*row) for row in zip(q, v, a, strict=True)]
    assert relative(engine.inverse_dynamics(model, q, v, a), want) < 1e-10


def test_derivatives_with_the_blade():
    """Differences of the engine's own inverse dynamics, all 148 directions in one batch."""
    model = athlete(blade=True)
    q, v, a = (x[0] for x in state(model, 4))
    by_q, by_v, mass = engine.inverse_dynamics_derivatives(model, q, v, a)
    h, unit = 1e-3, np.eye(model.nv)

    def differenced(function):
        shifted = [
            w * (function(o * h) - function(-o * h))
            for o, w in zip(manifold.OFFSETS, manifold.WEIGHTS, strict=True)
        ]
        return sum(shifted).T / h

    many = [np.tile(x, (model.nv, 1)) for x in (q, v, a)]
    along_q = differenced(
        lambda t: engine.inverse_dynamics(model, engine.integrate(model, many[0], t * unit, 1.0), *many[1:])
    )
    along_v = differenced(lambda t: engine.inverse_dynamics(model, many[0], many[1] + t * unit, many[2]))
    assert relative(by_q, along_q) < DIFFERENCES
    assert relative(by_v, along_v) < DIFFERENCES
    assert relative(mass, engine.mass_matrix(model, q)) < TOLERANCE
