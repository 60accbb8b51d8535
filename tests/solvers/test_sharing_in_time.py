"""Sharing smoothly in time, against one large program that knows nothing of time."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from tests.solvers._sharing import ROWS, check_conditions, cost, two_legs

from softstride.engine.force_sharing import share_forces
from softstride.engine.frame_chain import FrameChain
from softstride.errors import SimulationError
from softstride.solvers.sharing_certificate import smoothing_curvature, smoothing_slope


def large_program(matrix, demand, smoothness, lower, upper, reserve):
    """Solve all frames as one quadratic program with Clarabel."""
    clarabel = pytest.importorskip("clarabel")
    n, m, k = matrix.shape
    steps = sparse.kron(sparse.csr_matrix(np.diff(np.eye(n), axis=0)), sparse.eye(m))
    hessian = sparse.eye(n * m) + smoothness * steps.T @ steps
    rows = sparse.hstack(
        [sparse.block_diag([a.T for a in matrix]), sparse.kron(sparse.eye(n), np.diag(reserve))]
    )
    bounds = sparse.hstack(
        [sparse.vstack([sparse.eye(n * m), -sparse.eye(n * m)]), sparse.csr_matrix((2 * n * m, n * k))]
    )
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
        setattr(settings, name, 1e-12)
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(sparse.block_diag([hessian, sparse.eye(n * k)]))),
        np.zeros(n * (m + k)),
        sparse.csc_matrix(sparse.vstack([rows, bounds])),
        np.concatenate([demand.ravel(), np.full(n * m, upper), np.full(n * m, -lower)]),
        [clarabel.ZeroConeT(n * k), clarabel.NonnegativeConeT(2 * n * m)],
        settings,
    )
    return np.array(solver.solve().x)[: n * m].reshape(n, m)


@pytest.mark.parametrize("smoothness", [0.01, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("lower", [0.0, 0.01])
def test_as_one_large_program(smoothness, lower):
    matrix, demand = two_legs(12, muscles=8, seed=1)
    reserve = np.full(demand.shape[1], 10.0)
    got = share_forces(matrix, demand, smoothness=smoothness, lower=lower, reserve=reserve)
    assert got.converged.all() and got.stationarity.max() < 1e-10
    other = large_program(matrix, demand, smoothness, lower, 1.0, reserve)
    assert np.abs(got.x - other).max() < 1e-5  # Clarabel's own accuracy


@pytest.mark.parametrize("power", [2, 3])
@pytest.mark.parametrize("smoothness", [0.3, 30.0])
def test_conditions_of_optimality(power, smoothness):
    matrix, demand = two_legs(40, seed=2)
    weights = np.random.default_rng(3).uniform(0.2, 5.0, matrix.shape[1])
    given = {"power": power, "lower": 0.01, "reserve": 10.0}
    got = share_forces(matrix, demand, weights, smoothness=smoothness, **given)
    assert got.converged.all()
    full = np.full(demand.shape[1], 10.0)
    slope = smoothing_slope(np.full(matrix.shape[1], smoothness), got.x)
    check_conditions(got, matrix, demand, weights, power, 0.01, 1.0, full, 1e-9, slope)
    alone = share_forces(matrix, demand, weights, **given)
    rough = cost(alone.x, alone.reserve, weights, power, full, smoothness=smoothness)
    assert cost(got.x, got.reserve, weights, power, full, smoothness=smoothness) < rough
    assert np.abs(np.diff(got.x, axis=0)).max() < np.abs(np.diff(alone.x, axis=0)).max()


def test_unknowns_without_bounds():
    """A motor without limits beside muscles: the conditions of optimality, and no less demand met."""
    matrix, demand = two_legs(20, seed=5)
    n, m, k = matrix.shape
    motor = np.zeros((n, 1, k))
    motor[:, 0, 0] = 30.0
    free = np.concatenate([matrix, motor], axis=1)
    lower, upper = (np.append(np.full(m, b), w) for b, w in ((0.01, -np.inf), (1.0, np.inf)))
    c = np.append(np.full(m, 3.0), 0.0)
    got = share_forces(free, demand, lower=lower, upper=upper, reserve=10.0, smoothness=c)
    assert got.converged.all() and got.stationarity.max() < 1e-10
    assert np.abs(got.x[:, m]).max() > 1e-3 and got.x[:, :m].min() >= 0.01 and got.x[:, :m].max() <= 1.0


def test_the_slope_of_roughness_is_its_derivative():
    rng = np.random.default_rng(4)
    x, c, d = rng.random((6, 3)), np.array([1.0, 0.0, 4.0]), rng.normal(size=(6, 3))
    rough = [0.5 * (c * np.diff(x + h * d, axis=0) ** 2).sum() for h in (-1e-5, 1e-5)]
    assert np.isclose((rough[1] - rough[0]) / 2e-5, (smoothing_slope(c, x) * d).sum(), rtol=1e-8)


def test_cubes_as_a_general_optimiser():
    rng = np.random.default_rng(5)
    matrix, demand = rng.uniform(0.5, 1.5, (5, 3, 1)), rng.uniform(0.2, 1.5, (5, 1))
    got = share_forces(matrix, demand, power=3, reserve=0.3, smoothness=0.2)

    def criterion(u):
        x = u.reshape(5, 3)
        return cost(x, demand - np.einsum("tij,ti->tj", matrix, x), 1.0, 3, np.array([0.3]), smoothness=0.2)

    best = minimize(
        criterion,
        np.full(15, 0.3),
        bounds=[(0.0, 1.0)] * 15,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    assert got.converged.all() and criterion(got.x.ravel()) <= best.fun * (1.0 + 1e-9)
    assert np.abs(got.x.ravel() - best.x).max() < 1e-4


def test_little_smoothness_changes_little_and_much_makes_it_constant():
    matrix, demand = two_legs(30, seed=6)
    free = share_forces(matrix, demand, reserve=10.0).x
    assert np.abs(share_forces(matrix, demand, reserve=10.0, smoothness=1e-9).x - free).max() < 1e-5
    stiff = share_forces(matrix, demand, reserve=10.0, smoothness=1e9)
    assert stiff.converged.all() and np.ptp(stiff.x, axis=0).max() < 1e-3


def test_smooth_muscles_beside_others():
    """Legs whose muscles have no smoothness are as without; the others do not notice them."""
    matrix, demand = two_legs(20, seed=7)
    left = np.abs(matrix[0][:, :ROWS]).any(axis=1)
    got = share_forces(matrix, demand, reserve=10.0, smoothness=np.where(left, 5.0, 0.0))
    free = share_forces(matrix, demand, reserve=10.0)
    both = share_forces(matrix, demand, reserve=10.0, smoothness=5.0)
    assert np.array_equal(got.x[:, ~left], free.x[:, ~left])
    assert np.array_equal(got.x[:, left], both.x[:, left])


def test_rows_without_reserve():
    matrix, demand = two_legs(25, seed=8)
    truth = 0.5 + 0.4 * np.sin(np.linspace(0, 6, 25)[:, None] + np.arange(matrix.shape[1]))
    demand = np.einsum("tij,ti->tj", matrix, truth)
    got = share_forces(matrix, demand, smoothness=10.0)
    assert got.converged.all() and np.abs(got.residual).max() < 1e-8
    demand[:, 0] += np.where(np.arange(25) == 9, 10.0 * np.abs(matrix[9, :, 0]).sum(), 0.0)
    hopeless = share_forces(matrix, demand, smoothness=10.0)
    assert not hopeless.converged[9] and np.isfinite(hopeless.x).all()
    assert int(np.abs(hopeless.residual).max(axis=1).argmax()) == 9
    assert int(np.abs(hopeless.residual[9]).argmax()) == 0


def test_a_row_is_missed_only_in_frames_that_cannot_meet_it():
    """Three frames ask for more than there is: in all others the row is met to rounding, and counts as met."""
    matrix, demand = two_legs(40, seed=8)
    truth = 0.5 + 0.4 * np.sin(np.linspace(0, 6, 40)[:, None] + np.arange(matrix.shape[1]))
    demand = np.einsum("tij,ti->tj", matrix, truth)
    hopeless = np.isin(np.arange(40), (9, 10, 31))
    demand[:, 0] += np.where(hopeless, 2.0 * np.abs(matrix[:, :, 0]).sum(axis=1), 0.0)
    alone, got = share_forces(matrix, demand), share_forces(matrix, demand, smoothness=10.0)
    assert np.array_equal(alone.converged, ~hopeless) and np.array_equal(got.converged, ~hopeless)
    assert np.abs(got.residual[~hopeless]).max() < 1e-8
    most = np.abs(alone.residual[hopeless]).max()
    assert (
        np.abs(got.residual[hopeless] - alone.residual[hopeless]).max() < 1e-3 * most
    )  # and no more is missing


def test_a_chain_of_frames_as_one_large_matrix():
    """Its elimination from frame to frame solves what one dense matrix of all frames says."""
    rng = np.random.default_rng(10)
    n, m, k = 6, 5, 3
    arms, couple = rng.normal(size=(n, m, k)), np.array([0.0, 0.3, 1.0, 2.0, 5.0])
    curvature = np.exp(rng.normal(0.0, 3.0, (n, m))) + smoothing_curvature(couple, n)
    soft = np.where(rng.random((n, k)) < 0.5, 0.0, rng.random((n, k)))
    push, miss = rng.normal(size=(n, m)), rng.normal(size=(n, k))
    whole = np.zeros((n, m + k, n, m + k))
    for f in range(n):
        whole[f, :m, f, :m] = np.diag(curvature[f])
        whole[f, :m, f, m:], whole[f, m:, f, :m] = -arms[f], arms[f].T
        whole[f, m:, f, m:] = np.diag(soft[f])
        for g in {f - 1, f + 1} & set(range(n)):
            whole[f, :m, g, :m] = -np.diag(couple)
    by_hand = np.linalg.solve(
        whole.reshape(n * (m + k), -1), np.concatenate([push, miss], axis=1).ravel()
    ).reshape(n, m + k)
    dx, dy = FrameChain(arms, soft, couple, curvature).solve(push, miss)
    assert np.allclose(dx, by_hand[:, :m], rtol=1e-9) and np.allclose(dy, by_hand[:, m:], rtol=1e-9)


def test_a_chain_that_breaks_names_the_frame():
    curvature = np.ones((4, 2))
    curvature[2, 1] = -1.0
    with pytest.raises(SimulationError, match="broke down in frame 2: use less smoothness"):
        FrameChain(np.ones((4, 2, 1)), np.ones((4, 1)), np.zeros(2), curvature)


def test_fixed_unknowns_and_references():
    matrix, demand = two_legs(15, seed=9)
    lower, upper = np.zeros(matrix.shape[1]), np.ones(matrix.shape[1])
    lower[2] = upper[2] = 0.5
    reference = np.full(matrix.shape[:2], np.nan)
    reference[3:9, 4] = 0.8
    got = share_forces(
        matrix, demand, lower=lower, upper=upper, reference=reference, pull=50.0, reserve=10.0, smoothness=2.0
    )
    assert got.converged.all() and (got.x[:, 2] == 0.5).all()
    alone = share_forces(matrix, demand, lower=lower, upper=upper, reserve=10.0, smoothness=2.0)
    assert np.abs(got.x[3:9, 4] - 0.8).max() < np.abs(alone.x[3:9, 4] - 0.8).max()


def test_a_single_frame_is_what_it_is_without():
    matrix, demand = two_legs(1)
    assert np.array_equal(
        share_forces(matrix, demand, reserve=5.0, smoothness=3.0).x,
        share_forces(matrix, demand, reserve=5.0).x,
    )
