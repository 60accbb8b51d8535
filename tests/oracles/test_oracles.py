"""The oracles against each other, the printed reference numbers and first principles, without the engine.

An oracle that is wrong proves nothing: the matrix engine must meet Pinocchio, MuJoCo, fifty-digit numbers
and Lagrange's equations before it judges anything else.
"""

import numpy as np
import pytest
from tests.oracles import joints as jt
from tests.oracles import manifold, trees
from tests.oracles import screws as sc
from tests.oracles.errors import relative
from tests.oracles.mujoco import MuJoCo
from tests.oracles.pinocchio import Pinocchio
from tests.oracles.reference import Snapshot

from softstride.model.library.reference import BLADE_FRAME, BLADE_POINT, reference_problem

PRINTED = 2e-14  # the reference numbers have 15 digits
ENGINES = 1e-11  # double precision over 60 links
DIFFERENCES = 2e-9  # sixth-order differences with h = 1e-3: truncation 1e-12 to 1e-10 on these models

XI = np.array([0.3, 2, -0.4, 1.01, 0.02, -0.03])
XI_DOT = np.array([2, -1, 0.5, 0.1, -0.2, 0.05])


def test_segment_numbers_of_the_spec():
    assert (
        relative(
            sc.exp_twist(0.25 * XI)[:3, 3],
            [2.401534785924159e-01, -5.466800010929153e-03, -6.909389111033384e-02],
        )
        < PRINTED
    )
    tangent = [4.585845954631270e-01, -2.182655663135087e-01, 2.526106150298019e-01]
    tangent += [1.745492795475892e-02, -1.903962951665335e-02, 4.908507748428746e-02]
    assert relative(sc.tangent_right(XI, 0.25) @ XI_DOT, tangent) < PRINTED
    rate = [1.173286763983233e-02, 2.338429393171026e-02, -1.178717724915533e-03]
    rate += [6.928866332399022e-03, 7.789770130209614e-03, -4.636070961073269e-03]
    assert relative(sc.tangent_right_rate(XI, XI_DOT, 0.25) @ XI_DOT, rate) < PRINTED


def test_reference_problem_of_the_spec():
    problem = reference_problem()
    snap = Snapshot(problem.model, problem.q, problem.v)
    assert relative(snap.mass_matrix, problem.mass_matrix) < PRINTED
    assert relative(snap.bias, problem.bias) < PRINTED
    assert relative(snap.inverse_dynamics(problem.a), problem.tau) < PRINTED
    assert relative(snap.rod_forces, problem.passive) < PRINTED
    assert relative(snap.pose(BLADE_POINT)[:3, 3], problem.blade_point) < PRINTED
    assert relative(snap.velocity(BLADE_FRAME), problem.blade_twist) < PRINTED
    assert relative(snap.pose("foot")[:3, 3], problem.foot_origin) < PRINTED
    assert relative(snap.pose("toe")[:3, 3], problem.toe_tip) < PRINTED
    assert (
        relative(
            [snap.kinetic, snap.potential, snap.elastic], [problem.kinetic, problem.gravity, problem.elastic]
        )
        < PRINTED
    )


@pytest.mark.parametrize("n", [1, 2, 4, 8, 15, 30, 60])
def test_matrix_engine_is_pinocchio(n):
    rng = np.random.default_rng(100 + n)
    model = trees.random_model(rng, n, trees.RIGID, base=None if n % 2 else "free", trees=2)
    q, v, a = trees.random_state(model, rng)
    snap, other = Snapshot(model, q, v), Pinocchio(model)
    names = model.link_names
    assert relative([snap.pose(name) for name in names], other.poses(q)) < ENGINES
    assert relative([snap.velocity(name) for name in names], other.velocities(q, v)) < ENGINES
    assert relative([snap.acceleration(name, a) for name in names], other.accelerations(q, v, a)) < ENGINES
    assert relative(snap.jacobian(names[-1]), other.jacobian(q, names[-1])) < ENGINES
    assert relative(snap.mass_matrix, other.mass_matrix(q)) < ENGINES
    assert relative(snap.bias, other.bias(q, v)) < ENGINES
    assert relative(snap.inverse_dynamics(a), other.inverse_dynamics(q, v, a)) < ENGINES
    assert relative([snap.kinetic, snap.potential], other.energy(q, v)) < ENGINES
    assert relative(snap.com, other.centre_of_mass(q)) < ENGINES
    assert relative(snap.momentum_matrix("com"), other.momentum_matrix(q)) < ENGINES


@pytest.mark.parametrize("n", [1, 2, 4, 8, 15, 30, 60])
def test_matrix_engine_is_mujoco(n):
    rng = np.random.default_rng(200 + n)
    model = trees.random_model(rng, n, trees.MUJOCO, base="free", trees=2)
    q, v, a = trees.random_state(model, rng)
    snap, other = Snapshot(model, q, v), MuJoCo(model)
    assert relative([snap.pose(name) for name in model.link_names], other.poses(q)) < ENGINES
    assert relative(snap.jacobian(model.link_names[-1]), other.jacobian(q, model.link_names[-1])) < ENGINES
    assert relative(snap.mass_matrix, other.mass_matrix(q)) < ENGINES
    assert relative(snap.bias, other.bias(q, v)) < ENGINES
    tau = snap.inverse_dynamics(a)
    assert relative(tau, other.inverse_dynamics(q, v, a)) < ENGINES
    assert relative(snap.mass_matrix @ other.forward_dynamics(q, v, tau) + snap.bias, tau) < ENGINES


def random_case(seed, n=6, **options):
    rng = np.random.default_rng(seed)
    model = trees.random_model(rng, n, **options)
    return model, rng, trees.random_q(model, rng, strain=0.7), trees.random_v(model, rng, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_jacobian_is_the_derivative_of_the_pose(seed):
    model, _, q, _ = random_case(seed, 5)
    names = model.link_names

    def poses(x):
        snap = Snapshot(model, x)
        return np.stack([snap.pose(name) for name in names])

    here, rates = Snapshot(model, q), manifold.gradient(model, q, poses)  # (n, 4, 4, nv)
    for name, rate in zip(names, rates, strict=True):
        back = sc.inverse(here.pose(name))
        twists = np.stack([sc.vee(back @ rate[..., i]) for i in range(model.nv)], axis=1)
        assert relative(here.jacobian(name), twists) < DIFFERENCES


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_jacobian_rate_is_its_derivative_along_the_motion(seed):
    model, _, q, v = random_case(10 + seed, 8)
    for name in model.link_names:
        place = Snapshot(model, q, v).places[name]
        rate = manifold.derivative(
            lambda t, name=name: Snapshot(model, manifold.integrate(model, q, t * v)).jacobian(name)
        )
        assert relative(place.J_dot, rate) < DIFFERENCES


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_inverse_dynamics_obeys_lagrange(seed):
    """Check d/dt (M v) - ad*-terms: for coordinates without quaternions, d/dt dL/dv - dL/dq = tau."""
    kinds = ("fixed", "revolute", "prismatic", "custom", "rod")
    model, rng, q, v = random_case(20 + seed, 6, kinds=kinds, base="fixed")
    a = trees.random_v(model, rng, 2.0)

    def lagrangian(x):
        snap = Snapshot(model, x, v)
        return snap.kinetic - snap.potential

    momentum_rate = manifold.derivative(lambda t: Snapshot(model, q + t * v).mass_matrix @ (v + t * a))
    tau = momentum_rate - manifold.gradient(model, q, lagrangian)
    assert relative(Snapshot(model, q, v).inverse_dynamics(a), tau) < DIFFERENCES


def test_more_gauss_points_change_little():
    model, _, q, v = random_case(31, 6, kinds=("rod", "revolute"), quadrature=5)
    fine = Snapshot(model, q, v, gauss=12)
    assert relative(Snapshot(model, q, v).mass_matrix, fine.mass_matrix) < 1e-6


def test_random_trees_cover_every_kind_and_feature():
    seen, shared_siblings, shared_chains, mid_rod, forests = set(), 0, 0, 0, 0
    for seed in range(40):
        model = trees.random_model(np.random.default_rng(seed), 20, trees=3)
        seen |= {jt.kind(link.joint) for link in model.links}
        mid_rod += sum(link.at is not None for link in model.links)
        forests += sum(link.parent == "world" for link in model.links) > 1
        for group in model.groups:
            chained = [name for name in group if model.link(name).parent in group]
            shared_chains += bool(chained)
            shared_siblings += len(chained) + 1 < len(group)
    assert seen == set(trees.ALL)
    assert min(shared_siblings, shared_chains, mid_rod, forests) > 3
