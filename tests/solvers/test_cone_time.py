"""Cone programs coupled in time, against one large program that knows nothing of time."""

import numpy as np
import pytest
from tests.solvers._programs import check_conditions, cost, feet, random_programs

from softstride.engine import cone_time
from softstride.engine.cone_qp import solve_cone_qp
from softstride.solvers import solve_with_clarabel
from softstride.solvers.time_coupling import TimeCoupling

GROUPS = np.array([0, 1, 0, 1])


def difference(n, order):
    return np.diff(np.eye(n), order, axis=0)


def large_program(H, g, groups, smoothness, order, mask=None):
    """All frames as one frame of n c points: block diagonal plus S' D' L D S."""
    n, width = g.shape
    sums = 3 * (groups.max() + 1)
    S = np.zeros((sums, width))
    for i, group in enumerate(groups):
        S[3 * group : 3 * group + 3, 3 * i : 3 * i + 3] = np.eye(3)
    D = np.kron(difference(n, order), S)
    weights = np.tile(np.broadcast_to(smoothness, sums), n - order)
    large = D.T @ (weights[:, None] * D)
    for t in range(n):
        large[t * width : (t + 1) * width, t * width : (t + 1) * width] += H[t]
    return 0.5 * (large + large.T)[None], g.reshape(1, -1)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("smoothness", [1e-3, 1.0, 1e3, [0.0, 1.0, 2.0, 0.5, 0.0, 10.0]])
@pytest.mark.parametrize("facets", [None, 5])
def test_as_one_large_program(order, smoothness, facets):
    H, g = random_programs(11, 4, 1e2, seed=1)
    options = {"groups": GROUPS, "smoothness": smoothness, "order": order, "facets": facets}
    got = solve_cone_qp(H, g, 0.7, tolerance=1e-10, **options)
    assert got.converged.all() and got.x.shape == g.shape
    large = large_program(H, g, GROUPS, smoothness, order)
    check_conditions(*large, got.x.reshape(1, -1), 0.7, 1e-7, facets)
    alone = solve_cone_qp(*large, 0.7, facets=facets, tolerance=1e-10)
    assert np.abs(got.x.ravel() - alone.x[0]).max() < 1e-7 * (
        1.0 + 0.02 * np.max(smoothness)
    )  # its condition


def test_as_clarabel():
    pytest.importorskip("clarabel")
    H, g = feet(9, 4, 1e-2)
    large = large_program(H, g, GROUPS, 3.0, 2)
    got = solve_cone_qp(H, g, 0.8, groups=GROUPS, smoothness=3.0)
    other = solve_with_clarabel(large[0][0], large[1][0], 0.8)[None]
    assert got.converged.all()
    ours, theirs = cost(*large, got.x.reshape(1, -1))[0], cost(*large, other)[0]
    assert abs(ours - theirs) < 1e-7 * abs(theirs)
    assert np.abs(got.x.ravel() - other[0]).max() < 1e-4


def test_points_switched_off():
    """A foot in the air carries nothing, and its sum is held at zero there."""
    H, g = random_programs(14, 4, 1e2, seed=2)
    mask = np.ones((14, 4), dtype=bool)
    mask[:5, GROUPS == 0] = mask[9:, GROUPS == 1] = mask[7, 2] = False
    got = solve_cone_qp(H, g, 0.7, groups=GROUPS, smoothness=2.0, mask=mask, tolerance=1e-10)
    assert got.converged.all() and (got.x.reshape(14, 4, 3)[~mask] == 0.0).all()
    large = large_program(H, g, GROUPS, 2.0, 2)
    alone = solve_cone_qp(*large, 0.7, mask=mask.reshape(1, -1), tolerance=1e-10)
    assert np.abs(got.x.ravel() - alone.x[0]).max() < 1e-7


def test_a_weak_term_changes_little_and_a_strong_one_makes_sums_straight():
    H, g = feet(60, 4, 1e-2, seed=3)
    free = solve_cone_qp(H, g, 0.8).x
    weak = solve_cone_qp(H, g, 0.8, groups=GROUPS, smoothness=1e-9).x
    assert np.abs(weak - free).max() < 1e-4
    strong = solve_cone_qp(H, g, 0.8, groups=GROUPS, smoothness=1e6)
    sums = np.stack([strong.x.reshape(60, 4, 3)[:, k == GROUPS].sum(axis=1) for k in (0, 1)])
    assert strong.converged.all() and np.abs(np.diff(sums, 2, axis=1)).max() < 1e-3
    assert np.abs(sums).max() > 0.1


def test_too_short_for_a_difference():
    H, g = random_programs(2, 4, 1e2)
    assert np.array_equal(solve_cone_qp(H, g, 0.7, smoothness=1.0).x, solve_cone_qp(H, g, 0.7).x)
    assert solve_cone_qp(H, g, 0.7, smoothness=1.0, order=1).converged.all()


def test_results_do_not_depend_on_threads():
    H, g = feet(300, 4, 1e-2)
    options = {"groups": GROUPS, "smoothness": 1.0}
    one, two = (solve_cone_qp(H, g, 0.8, threads=threads, **options) for threads in (1, 2))
    assert np.array_equal(one.x, two.x) and np.array_equal(one.residual, two.residual)


def test_a_start_leads_to_the_same():
    H, g = feet(40, 4, 1e-2)
    options = {"groups": GROUPS, "smoothness": 1.0}
    cold = solve_cone_qp(H, g, 0.8, **options)
    again = solve_cone_qp(H, g, 0.8, start=cold.x, **options)
    assert again.converged.all() and again.iterations[0] < 0.3 * cold.iterations[0]
    assert np.abs(again.x - cold.x).max() < 1e-6
    wrong = solve_cone_qp(H, g, 0.8, start=cold.x[::-1] - 3.0, **options)
    assert wrong.converged.all() and np.abs(wrong.x - cold.x).max() < 1e-6


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_no_more_steps_than_allowed(steps):
    H, g = feet(40, 4, 1e-2)
    got = solve_cone_qp(H, g, 0.8, groups=GROUPS, smoothness=1.0, max_iterations=steps)
    assert np.all(got.iterations == steps) and not got.converged.all()


def test_windows_join_without_a_seam(monkeypatch):
    H, g = feet(500, 4, 1e-1, seed=5)
    options = {"groups": GROUPS, "smoothness": 0.1, "tolerance": 1e-9}
    whole = solve_cone_qp(H, g, 0.8, **options)
    monkeypatch.setattr(cone_time, "LONGEST", 250)
    monkeypatch.setattr(cone_time, "MARGIN", 60)
    parts = solve_cone_qp(H, g, 0.8, **options)
    assert len(set(parts.iterations)) > 1  # there were several
    assert np.abs(parts.x - whole.x).max() < 1e-6 and parts.converged.all()
    monkeypatch.setattr(cone_time, "MARGIN", 1)  # too short: solved at once after all
    again = solve_cone_qp(H, g, 0.8, **options)
    assert np.array_equal(again.x, whole.x)


@pytest.mark.slow
def test_a_long_trial():
    """Two thousand frames of a difficult kind: all within the tolerance, loads inside the cones."""
    H, g = feet(2000, 10, 1e-3)
    kernel = np.exp(-(np.arange(-30, 31) ** 2) / 100.0)
    smooth = np.apply_along_axis(lambda v: np.convolve(v, kernel / kernel.sum(), "same"), 0, g)
    H[:] = H[:1]
    got = solve_cone_qp(H, smooth, 0.8, groups=np.repeat([0, 1], 5), smoothness=1.0)
    assert got.converged.mean() > 0.99 and got.residual.max() < 1e-5
    points = got.x.reshape(-1, 3)
    assert (np.hypot(points[:, 1], points[:, 2]) <= 0.8 * points[:, 0]).all()


@pytest.mark.parametrize("order", [1, 2])
def test_the_banded_system_is_the_dense_one(order):
    """q = D' v with (L^-1 + D G D') v = D y, by dense matrices; a weight of zero leaves its sums alone."""
    rng = np.random.default_rng(4)
    n, width = 7, 3
    weights = np.array([2.0, 0.0, 0.3])
    flex = rng.normal(size=(n, width, width))
    flex = np.einsum("tij,tkj->tik", flex, flex)
    y = rng.normal(size=(n, width))
    coupling = TimeCoupling(n, order, weights)
    coupling.prepare(flex)
    D = np.kron(difference(n, order), np.eye(width))
    K = D.T @ (np.tile(weights, n - order)[:, None] * D)
    G = np.zeros((n * width, n * width))
    for t in range(n):
        G[t * width : (t + 1) * width, t * width : (t + 1) * width] = flex[t]
    truth = np.linalg.solve(np.eye(n * width) + K @ G, K @ y.ravel())
    assert np.abs(coupling.solve(y).ravel() - truth).max() < 1e-10
    assert np.abs(coupling.force(y).ravel() - K @ y.ravel()).max() < 1e-12


def test_frames_that_only_fill_a_block_count_for_nothing(monkeypatch):
    """Nothing couples them, so they arrive long before the others; what becomes of them must not stop these."""
    H, g = random_programs(21, 4, 1e2, seed=3)
    alone = solve_cone_qp(H, g, 0.7, groups=GROUPS, smoothness=0.4)
    measure = cone_time._Trial.measure

    def poisoned(self):
        self.figures[self.n :] = np.nan
        measure(self)
        self.figures[self.n :] = np.nan
        self.note()

    monkeypatch.setattr(cone_time._Trial, "measure", poisoned)
    again = solve_cone_qp(H, g, 0.7, groups=GROUPS, smoothness=0.4)
    assert again.converged.all() and np.array_equal(again.x, alone.x)
