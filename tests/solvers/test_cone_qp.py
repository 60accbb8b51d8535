"""Cone programs frame by frame: conditions of optimality, other solvers, edges of the input."""

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.solvers._programs import check_conditions, cost, feet, random_programs
from tests.solvers._sharing import put

from softstride.engine.cone_qp import solve_cone_qp
from softstride.errors import InputError
from softstride.solvers import solve_with_clarabel, solve_with_daqp

KINDS = [(1, 1e2), (2, 1e4), (10, 1e2), (10, 1e5), (10, 1e8), (7, 1e6)]


@pytest.mark.parametrize(("c", "condition"), KINDS)
@pytest.mark.parametrize("facets", [None, 4, 7])
def test_conditions_of_optimality(c, condition, facets):
    H, g = random_programs(60, c, condition)
    got = solve_cone_qp(H, g, 0.6, facets=facets)
    assert got.converged.all() and got.residual.max() <= 1e-8
    check_conditions(H, g, got.x, 0.6, 1e-7, facets)


@pytest.mark.parametrize("facets", [None, 6])
def test_two_feet(facets):
    H, g = feet(200, 10, 1e-3)
    got = solve_cone_qp(H, g, 0.8, facets=facets)
    assert got.converged.all()
    check_conditions(H, g, got.x, 0.8, 1e-6, facets)


def test_no_worse_than_clarabel():
    """Clarabel stops at a gap of about 1e-9, so ours must be at most as much dearer, and as near as that allows."""
    pytest.importorskip("clarabel")
    for c, condition in KINDS:
        H, g = random_programs(12, c, condition, seed=1)
        x = solve_cone_qp(H, g, 0.8).x
        other = np.array([solve_with_clarabel(H[t], g[t], 0.8) for t in range(len(g))])
        scale = np.abs(cost(H, g, np.linalg.solve(H, -g[..., None])[..., 0]))
        gain = (cost(H, g, other) - cost(H, g, x)) / scale
        assert (gain > -1e-10).all() and (gain < 1e-6).all()


def test_as_clarabel_where_the_solution_is_well_determined():
    pytest.importorskip("clarabel")
    H, g = random_programs(30, 4, 10.0, seed=2)
    friction = np.array([0.3, 0.8, 1.5, 0.1])
    x = solve_cone_qp(H, g, friction).x
    other = np.array([solve_with_clarabel(H[t], g[t], friction) for t in range(len(g))])
    assert np.abs(cost(H, g, x) - cost(H, g, other)).max() < 1e-7
    assert np.median(np.abs(x - other).max(axis=1)) < 1e-6


@pytest.mark.parametrize(("c", "condition"), KINDS)
@pytest.mark.parametrize("facets", [4, 9])
def test_as_daqp_on_pyramids(c, condition, facets):
    pytest.importorskip("daqp")
    H, g = random_programs(12, c, condition, seed=3)
    x = solve_cone_qp(H, g, 0.8, facets=facets, tolerance=1e-11).x
    other = np.array([solve_with_daqp(H[t], g[t], 0.8, facets=facets) for t in range(len(g))])
    error = np.abs(x - other).max(axis=1) / np.maximum(np.abs(other).max(axis=1), 1e-3)
    assert error.max() < (1e-7 if condition < 1e7 else 1e-5)  # rounding times the condition


def test_as_slsqp():
    H, g = random_programs(6, 2, 1e2, seed=4)
    x = solve_cone_qp(H, g, 0.5).x
    for t in range(len(g)):
        limits = [
            {
                "type": "ineq",
                "fun": lambda u, i=i: 0.5 * u[3 * i] - np.hypot(u[3 * i + 1], u[3 * i + 2] + 1e-14),
            }
            for i in range(2)
        ]
        begin = np.tile([1.0, 0.1, 0.1], 2)
        best = minimize(
            lambda u, t=t: cost(H[t : t + 1], g[t : t + 1], u[None])[0],
            begin,
            method="SLSQP",
            constraints=limits,
            options={"ftol": 1e-15, "maxiter": 500},
        )
        ours = cost(H[t : t + 1], g[t : t + 1], x[t : t + 1])[0]
        assert ours <= best.fun + 1e-9 * (1.0 + abs(best.fun))


def test_one_point_in_closed_form():
    """With H = 1 the solution is the projection of -g onto the cone."""
    mu = 0.5
    v = np.array([[1.0, 0.2, 0.1], [-1.0, 0.1, 0.2], [0.2, 1.0, 0.0], [-3.0, 1.0, 1.0], [-0.1, 3.0, 4.0]])
    t = np.hypot(v[:, 1], v[:, 2])
    along = (v[:, 0] + mu * t) / (1 + mu**2)
    wall = along[:, None] * np.column_stack([np.ones(5), mu * v[:, 1] / t, mu * v[:, 2] / t])
    inside = (t <= mu * v[:, 0])[:, None]
    truth = np.where(inside, v, np.where((along > 0.0)[:, None], wall, 0.0))
    got = solve_cone_qp(np.tile(np.eye(3), (5, 1, 1)), -v, mu, tolerance=1e-12)
    assert np.abs(got.x - truth).max() < 1e-12
    assert (got.x[[1, 3]] == 0.0).all()


def test_a_pyramid_of_many_sides_is_the_cone():
    H, g = random_programs(20, 3, 1e2, seed=5)
    least = cost(H, g, solve_cone_qp(H, g, 0.7).x)
    gaps = [(cost(H, g, solve_cone_qp(H, g, 0.7, facets=m).x) - least).max() for m in (8, 32, 128)]
    assert 0.0 < gaps[2] < 0.15 * gaps[1] < 0.15**2 * gaps[0]  # as the square of the number of sides


def test_an_edge_of_the_pyramid_lies_along_the_first_axis():
    H, g = np.eye(3)[None], np.array([[-1.0, -9.0, 0.0]])
    square = solve_cone_qp(H, g, 0.5, facets=4).x
    assert np.abs(square - solve_cone_qp(H, g, 0.5).x).max() < 1e-8


def test_points_switched_off_are_zero_and_the_rest_as_without_them():
    H, g = random_programs(40, 5, 1e3, seed=6)
    mask = np.random.default_rng(0).random((40, 5)) < 0.6
    mask[3] = False
    got = solve_cone_qp(H, g, 0.6, mask=mask)
    assert got.converged.all()
    assert (got.x.reshape(40, 5, 3)[~mask] == 0.0).all() and (got.x[3] == 0.0).all()
    for t in range(40):
        on = np.repeat(mask[t], 3)
        if on.any():
            alone = solve_cone_qp(H[t][np.ix_(on, on)][None], g[t : t + 1, on], 0.6)
            assert np.abs(alone.x[0] - got.x[t, on]).max() < 1e-7


def test_what_a_point_switched_off_has_in_h_does_not_matter():
    H, g = random_programs(3, 3, 1e2)
    off = H.copy()
    off[:, 3:6, :] = off[:, :, 3:6] = 0.0
    mask = np.array([True, False, True])
    assert np.array_equal(solve_cone_qp(H, g, 0.6, mask=mask).x, solve_cone_qp(off, g, 0.6, mask=mask).x)


def test_without_friction_only_normal_loads():
    H, g = random_programs(30, 3, 1e2, seed=7)
    friction = np.array([0.0, 0.5, 0.0])
    got = solve_cone_qp(H, g, friction)
    assert got.converged.all()
    points = got.x.reshape(30, 3, 3)
    assert (points[:, [0, 2], 1:] == 0.0).all() and (points[..., 0] >= 0.0).all()
    narrow = solve_cone_qp(H, g, np.maximum(friction, 1e-7)).x
    assert np.abs(got.x - narrow).max() < 1e-5


def test_friction_may_change_in_time():
    H, g = random_programs(10, 2, 1e2, seed=8)
    friction = np.linspace(0.1, 1.0, 20).reshape(10, 2)
    got = solve_cone_qp(H, g, friction).x
    for t in range(10):
        assert np.array_equal(solve_cone_qp(H[t : t + 1], g[t : t + 1], friction[t]).x[0], got[t])


def test_units_do_not_matter():
    """Loads in newtons or kilonewtons, costs in any unit: the same steps."""
    H, g = feet(40, 10, 1e-3)
    one, other = solve_cone_qp(H, g, 0.8), solve_cone_qp(H * 1e-12, g * 1e-9, 0.8)
    assert np.array_equal(one.converged, other.converged)
    assert np.abs(other.x / 1e3 - one.x).max() < 1e-7 * np.abs(one.x).max()


def test_nothing_to_do():
    H, _ = random_programs(4, 2, 1e2)
    got = solve_cone_qp(H, np.zeros((4, 6)), 0.5)
    assert got.converged.all() and np.abs(got.x).max() < 1e-12
    empty = solve_cone_qp(np.zeros((0, 6, 6)), np.zeros((0, 6)), 0.5)
    assert empty.x.shape == (0, 6) and empty.converged.shape == (0,)


def test_a_good_start_saves_steps_and_a_bad_one_does_no_harm():
    H, g = feet(100, 10, 1e-2)
    cold = solve_cone_qp(H, g, 0.8)
    near = solve_cone_qp(H, g * (1.0 + 1e-4), 0.8, start=cold.x)
    assert near.converged.all() and near.iterations.mean() < 0.5 * cold.iterations.mean()
    check_conditions(H, g * (1.0 + 1e-4), near.x, 0.8, 1e-6)
    for start in (
        np.zeros_like(g),
        -1e6 * np.ones_like(g),
        1e3 * np.random.default_rng(0).normal(size=g.shape),
    ):
        far = solve_cone_qp(H, g, 0.8, start=start)
        assert far.converged.all()
        assert np.abs(far.x - cold.x).max() < 1e-5


def test_results_depend_neither_on_threads_nor_on_neighbours():
    H, g = random_programs(531, 4, 1e4, seed=9)
    one = solve_cone_qp(H, g, 0.6, threads=1)
    for threads in (2, 3):
        other = solve_cone_qp(H, g, 0.6, threads=threads)
        assert np.array_equal(one.x, other.x) and np.array_equal(one.residual, other.residual)
    part = solve_cone_qp(H[100:103], g[100:103], 0.6)
    assert np.array_equal(part.x, one.x[100:103])


def test_too_few_steps_are_said():
    H, g = random_programs(5, 4, 1e4)
    got = solve_cone_qp(H, g, 0.6, max_iterations=3)
    assert not got.converged.any() and (got.iterations == 3).all() and (got.residual > 1e-8).all()
    assert np.isfinite(got.x).all()
    normal, side = got.x.reshape(5, 4, 3)[..., 0], got.x.reshape(5, 4, 3)[..., 1:]
    assert (np.sqrt((side**2).sum(-1)) <= 0.6 * normal).all()


def broken(**changes):
    H, g = random_programs(3, 2, 1e2)
    given = {"H": H, "g": g, "friction": 0.5}
    for name, change in changes.items():
        given[name] = change(given[name].copy()) if callable(change) else change
    H, g, friction = (given.pop(name) for name in ("H", "g", "friction"))
    return solve_cone_qp(H, g, friction, **given)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"H": put((1, 0, 0), np.nan)}, "finite.*frame 1"),
        ({"H": put((2, 3, 1), 5.0)}, "symmetric.*frame 2"),
        ({"H": lambda H: H - 0.5 * np.eye(6)}, "positive definite.*frame 0"),
        ({"H": put((1, 2, 2), -1.0)}, "positive definite.*frame 1"),
        ({"H": put(1, 0.0)}, "positive definite.*frame 1"),
        ({"H": lambda H: H[:, :5, :5]}, "H must have shape"),
        ({"H": lambda H: H * 1j}, "real numbers"),
        ({"g": put((2, 4), np.inf)}, "g must be finite.*frame 2, column 4"),
        ({"g": lambda g: g[:, :5]}, "g must have shape"),
        ({"g": "abc"}, "numbers"),
        ({"friction": -0.1}, "friction must be zero or above.*-0.1"),
        ({"friction": np.nan}, "friction"),
        ({"friction": [0.5, 0.5, 0.5]}, "friction.*shape"),
        ({"facets": 3}, "facets"),
        ({"facets": True}, "facets"),
        ({"facets": 5.5}, "facets"),
        ({"mask": np.ones((3, 2))}, "mask"),
        ({"mask": np.ones((2, 2), dtype=bool)}, "mask"),
        ({"start": np.zeros((2, 6))}, "start"),
        ({"start": np.full((3, 6), np.nan)}, "start must be finite"),
        ({"groups": [0]}, "groups"),
        ({"groups": [0, -1]}, "groups"),
        ({"groups": [0.0, 1.0]}, "groups"),
        ({"smoothness": -1.0}, "smoothness"),
        ({"smoothness": [1.0, 2.0]}, "smoothness"),
        ({"order": 3}, "order"),
        ({"order": True}, "order"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"tolerance": "small"}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"threads": -1}, "threads"),
    ],
)
def test_bad_input_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        broken(**changes)
