"""Sharing a demand frame by frame: conditions of optimality, other solvers, what cannot be met, edges of the input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize
from tests.solvers._sharing import ROWS, check_conditions, cost, put, two_legs

from softstride.engine.force_sharing import find_parts, share_forces
from softstride.errors import InputError, SimulationError
from softstride.solvers import check_sharing_problem, share_with_clarabel, share_with_daqp

RESERVE = np.full(2 * ROWS + 3, 10.0)


@pytest.mark.parametrize("power", [2, 3])
@pytest.mark.parametrize("lower", [0.0, 0.01])
@pytest.mark.parametrize("reserve", [100.0, 10.0, 0.5])
def test_conditions_of_optimality(power, lower, reserve):
    matrix, demand = two_legs(80)
    weights = np.random.default_rng(1).uniform(0.2, 5.0, matrix.shape[1])
    got = share_forces(matrix, demand, weights, power=power, lower=lower, reserve=reserve)
    assert got.converged.all() and got.iterations.max() < 50
    assert got.stationarity.max() < 1e-9 and got.feasibility.max() < 1e-9
    full = np.full(demand.shape[1], reserve)
    check_conditions(got, matrix, demand, weights, power, lower, 1.0, full, 1e-8)
    assert (got.x == lower).any() and ((got.x == 1.0).any() or reserve == 100.0)  # both bounds matter here


@pytest.mark.parametrize("reserve", [0.0, 1.0, 30.0])
def test_as_daqp(reserve):
    pytest.importorskip("daqp")
    rng = np.random.default_rng(2)
    matrix, demand = two_legs(30, seed=3)
    if reserve == 0.0:  # a demand that can be met
        demand = np.einsum("tij,ti->tj", matrix, 0.01 + 0.99 * rng.random(matrix.shape[:2]) ** 3)
    reference = np.where(rng.random(matrix.shape[:2]) < 0.5, np.nan, rng.random(matrix.shape[:2]))
    given = {"lower": 0.01, "reference": reference, "pull": 3.0, "reserve": reserve}
    got = share_forces(matrix, demand, 2.0, **given)
    problem = check_sharing_problem(matrix, demand, 2.0, **given)
    other = np.array([share_with_daqp(problem, f) for f in range(30)])
    assert got.converged.all()
    assert np.abs(got.x - other).max() < 1e-8


@pytest.mark.parametrize("power", [2, 3])
def test_as_clarabel(power):
    """Cubes through power cones: Clarabel ends at a gap of about 1e-9, which leaves 1e-4 in an unknown near zero."""
    pytest.importorskip("clarabel")
    rng = np.random.default_rng(4)
    matrix, demand = two_legs(8, seed=5)
    reference = np.where(rng.random(matrix.shape[:2]) < 0.5, np.nan, rng.random(matrix.shape[:2]))
    given = {"power": power, "reference": reference, "pull": 0.5, "reserve": 10.0}
    got = share_forces(matrix, demand, **given)
    problem = check_sharing_problem(matrix, demand, **given)
    other = np.array([share_with_clarabel(problem, f) for f in range(8)])
    assert np.abs(got.x - other).max() < 1e-4 and np.median(np.abs(got.x - other)) < 1e-6
    rest = demand - np.einsum("tij,ti->tj", matrix, other)
    ours = cost(got.x, got.reserve, 1.0, power, RESERVE, reference, 0.5)
    theirs = cost(other, rest, 1.0, power, RESERVE, reference, 0.5)
    assert -1e-6 * theirs < theirs - ours < 1e-6 * theirs


def test_cubes_as_slsqp():
    rng = np.random.default_rng(6)
    matrix, demand = rng.normal(size=(4, 5, 2)), rng.normal(size=(4, 2))
    reserve = np.array([0.5, 0.0])
    demand[:, 1] = np.einsum("tij,ti->tj", matrix, np.full((4, 5), 0.4))[:, 1]
    got = share_forces(matrix, demand, power=3, reserve=reserve)
    assert got.converged.all()
    for f in range(4):

        def criterion(u, f=f):
            return (u**3).sum() / 3 + 0.5 * ((demand[f, 0] - u @ matrix[f, :, 0]) / 0.5) ** 2

        limit = {"type": "eq", "fun": lambda u, f=f: demand[f, 1] - u @ matrix[f, :, 1]}
        best = minimize(
            criterion,
            np.full(5, 0.4),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * 5,
            constraints=[limit],
            options={"ftol": 1e-15, "maxiter": 500},
        )
        assert criterion(got.x[f]) <= best.fun * (1.0 + 1e-8)
        assert np.abs(got.x[f] - best.x).max() < 1e-4


def test_two_muscles_in_closed_form():
    """x = A b / |A|² without bounds, 0.4 and 0.8 of a moment of 2; with a bound the rest goes to the other."""
    matrix = np.array([[[1.0], [2.0]]])
    assert np.allclose(share_forces(matrix, [[2.0]]).x, [[0.4, 0.8]], atol=1e-12)
    assert np.allclose(share_forces(matrix, [[2.0]], upper=[1.0, 0.6]).x, [[0.8, 0.6]], atol=1e-12)
    cubes = share_forces(matrix, [[2.0]], power=3).x[0]  # x² in proportion to the lever
    assert np.allclose(cubes[1] ** 2, 2.0 * cubes[0] ** 2, rtol=1e-10) and np.isclose(cubes @ [1.0, 2.0], 2.0)


def test_forces_are_activations_in_other_units():
    """Forces F = g a with weights w / g^p and bounds g lo, g hi are the same program."""
    matrix, demand = two_legs(20, seed=7)
    strength = np.random.default_rng(8).uniform(100.0, 3000.0, matrix.shape[1])
    for power in (2, 3):
        one = share_forces(matrix, demand, power=power, lower=0.01, reserve=5.0)
        other = share_forces(
            matrix / strength[:, None],
            demand,
            strength**-power,
            power=power,
            lower=0.01 * strength,
            upper=strength,
            reserve=5.0,
        )
        assert other.converged.all()
        assert np.abs(other.x / strength - one.x).max() < 1e-7


def test_a_reference_pulls_as_hard_as_it_weighs():
    matrix, demand = two_legs(25, seed=9)
    reference = np.random.default_rng(10).random(matrix.shape[:2])
    far = [
        np.abs(share_forces(matrix, demand, reference=reference, pull=pull, reserve=5.0).x - reference).mean()
        for pull in (0.0, 0.1, 1.0, 10.0, 1e3)
    ]
    assert (np.diff(far) < 0.0).all()
    plain = share_forces(matrix, demand, reserve=5.0).x
    nowhere = np.full(matrix.shape[:2], np.nan)
    assert np.array_equal(share_forces(matrix, demand, reference=nowhere, pull=9.0, reserve=5.0).x, plain)


def test_weight_zero_where_there_is_a_reference():
    matrix, demand = two_legs(5)
    got = share_forces(matrix, 0.0 * demand, 0.0, reference=np.full(matrix.shape[:2], 0.3), reserve=1e6)
    assert got.converged.all() and np.abs(got.x - 0.3).max() < 1e-4


def test_rows_without_reserve_are_met_exactly():
    matrix, demand = two_legs(60, seed=11)
    truth = np.random.default_rng(12).random(matrix.shape[:2]) ** 2
    demand[:, : 2 * ROWS] = np.einsum("tij,ti->tj", matrix, truth)[:, : 2 * ROWS]
    reserve = np.where(np.arange(demand.shape[1]) < 2 * ROWS, 0.0, 10.0)
    for power in (2, 3):
        got = share_forces(matrix, demand, power=power, reserve=reserve)
        assert got.converged.all() and got.feasibility.max() < 1e-10
        assert (got.reserve[:, : 2 * ROWS] == 0.0).all()
        assert np.abs(got.residual).max() < 1e-9


def test_what_cannot_be_made_is_said_and_missed_as_little_as_possible():
    """One joint that a single muscle of 100 N·m moves: 130 asked, 30 missing; 50 the other way, 50 missing."""
    matrix, demand = two_legs(12, seed=13)
    truth = np.full(matrix.shape[:2], 0.3)
    demand = np.einsum("tij,ti->tj", matrix, truth)
    matrix = np.concatenate([matrix, np.zeros((12, 1, matrix.shape[2]))], axis=1)
    last = matrix.shape[2] - 1
    matrix[:, -1, last] = 100.0
    demand[:, last] = np.where(np.arange(12) == 4, 130.0, np.where(np.arange(12) == 5, -50.0, 60.0))
    demand[:, last - 1] = 0.0
    got = share_forces(matrix, demand)
    assert got.converged.tolist() == [f not in (4, 5) for f in range(12)]
    assert np.isclose(got.residual[4, last], 30.0) and np.isclose(got.residual[5, last], -50.0)
    rest = np.abs(np.delete(got.residual, last, axis=1))
    assert rest.max() < 1e-7  # the other rows of those frames are met
    assert got.x[4, -1] == 1.0 and got.x[5, -1] == 0.0 and np.allclose(got.x[:4, -1], 0.6)
    assert got.iterations.max() < 200


@pytest.mark.parametrize("power", [2, 3])
def test_the_least_miss_of_rows_that_compete(power):
    """Where rows share muscles the sum of squares of what is missing is the least one, in the units of the demand.

    Rows differ by a hundred in what muscles can do about them: no norm of the solver's own shows.
    """
    rng = np.random.default_rng(14)
    size = np.array([1.0, 10.0, 0.1, 3.0])
    matrix, demand = size * rng.normal(size=(20, 6, 4)), 6.0 * size * rng.normal(size=(20, 4))
    got = share_forces(matrix, demand, power=power)
    assert not got.converged.any() and np.isfinite(got.x).all()
    for f in range(20):
        best = lsq_linear(matrix[f].T, demand[f], (0.0, 1.0), tol=1e-14)
        assert 0.5 * (got.residual[f] ** 2).sum() <= best.cost * (1.0 + 1e-6)


def test_a_row_that_nothing_touches():
    got = share_forces(np.zeros((3, 2, 1)), [[0.0], [2.0], [0.0]])
    assert got.converged.tolist() == [True, False, True]
    assert np.array_equal(got.residual[:, 0], [0.0, 2.0, 0.0]) and (got.x == 0.0).all()


def test_dependent_rows_and_twin_muscles():
    """The same row twice, and the same muscle twice, are no difficulty: twins share equally."""
    matrix, demand = two_legs(15, seed=15)
    matrix = np.concatenate([matrix, matrix[:, :1]], axis=1)
    matrix = np.concatenate([matrix, matrix[:, :, :1]], axis=2)
    demand = np.einsum("tij,ti->tj", matrix, np.full(matrix.shape[:2], 0.35))
    got = share_forces(matrix, demand)
    assert got.converged.all()
    assert np.abs(got.x[:, 0] - got.x[:, -1]).max() < 1e-9


def test_fixed_and_unbounded_unknowns():
    matrix, demand = two_legs(10, seed=16)
    m = matrix.shape[1]
    lower, upper = np.zeros(m), np.ones(m)
    lower[3] = upper[3] = 0.25
    lower[5], upper[5], lower[6], upper[7] = -np.inf, np.inf, -1.0, np.inf
    for power in (2, 3):
        got = share_forces(matrix, demand, power=power, lower=lower, upper=upper, reserve=20.0)
        assert got.converged.all() and (got.x[:, 3] == 0.25).all() and (got.x[:, 6] < 0.0).any()
        full = np.full(demand.shape[1], 20.0)
        check_conditions(got, matrix, demand, 1.0, power, lower, upper, full, 1e-8)


def test_reserves_are_unknowns_too():
    """A reserve S is an unbounded unknown that gives S a unit."""
    matrix, demand = two_legs(10, seed=17)
    k = demand.shape[1]
    more = np.concatenate([matrix, np.tile(np.diag(np.full(k, 8.0)), (10, 1, 1))], axis=1)
    m = matrix.shape[1]
    lower, upper = np.r_[np.zeros(m), np.full(k, -np.inf)], np.r_[np.ones(m), np.full(k, np.inf)]
    one = share_forces(matrix, demand, reserve=8.0)
    other = share_forces(more, demand, lower=lower, upper=upper)
    assert other.converged.all()
    assert np.abs(other.x[:, :m] - one.x).max() < 1e-8
    assert np.abs(8.0 * other.x[:, m:] - one.reserve).max() < 1e-6


def test_results_depend_neither_on_threads_nor_on_neighbours():
    matrix, demand = two_legs(300, seed=18)
    one = share_forces(matrix, demand, reserve=5.0, threads=1)
    for threads in (2, 3):
        other = share_forces(matrix, demand, reserve=5.0, threads=threads)
        assert np.array_equal(one.x, other.x) and np.array_equal(one.multipliers, other.multipliers)
    part = share_forces(matrix[100:103], demand[100:103], reserve=5.0)
    assert np.array_equal(part.x, one.x[100:103])


def test_parts_that_touch_nothing_in_common():
    matrix, _ = two_legs(3)
    parts = find_parts(matrix)
    legs = [row for row in parts.parts if row[3] > 1]
    assert len(legs) >= 2 and parts.parts[:, 1].sum() == 2 * ROWS + 3 and parts.parts[:, 3].sum() == 40
    for first, n_rows, column, n_columns in parts.parts:
        rows, columns = parts.rows[first : first + n_rows], parts.columns[column : column + n_columns]
        outside = np.delete(matrix[:, columns], rows, axis=2)
        assert (outside == 0.0).all()


def test_too_few_steps_are_said():
    matrix, demand = two_legs(20, seed=19)
    got = share_forces(matrix, demand, power=3, reserve=0.5, max_iterations=1)
    assert not got.converged.all() and (got.iterations <= 1).all() and np.isfinite(got.x).all()


def test_nothing_to_do():
    empty = share_forces(np.zeros((0, 4, 2)), np.zeros((0, 2)))
    assert empty.x.shape == (0, 4) and empty.converged.shape == (0,)
    rest = share_forces(np.ones((2, 3, 1)), np.zeros((2, 1)))
    assert rest.converged.all() and (rest.x == 0.0).all()
    alone = share_forces(np.ones((2, 0, 1)), np.ones((2, 1)), reserve=3.0)
    assert alone.converged.all() and np.allclose(alone.reserve, 1.0)
    idle = share_forces(np.zeros((2, 3, 0)), np.zeros((2, 0)), lower=0.1)
    assert idle.converged.all() and (idle.x == 0.1).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]))
def test_any_program_ends_with_a_certificate_that_holds(seed, power):
    """Random sizes, scales, bounds and reserves; rows without reserve can be met, with something to spare."""
    rng = np.random.default_rng(seed)
    n, m = 3, int(rng.integers(2, 16))
    k = int(rng.integers(1, m // 2 + 1))
    matrix = rng.normal(size=(n, m, k)) * (rng.random((m, k)) < 0.6) * 10.0 ** rng.uniform(-2, 2, k)
    lower = rng.uniform(0.0, 0.2, m)
    upper = lower + rng.uniform(0.1, 1.0, m)
    weights = 10.0 ** rng.uniform(-2, 2, m)
    truth = lower + (upper - lower) * rng.uniform(0.05, 0.95, (n, m))
    demand = np.einsum("tij,ti->tj", matrix, truth)
    units = np.abs(matrix).max(axis=(0, 1))
    soft = rng.random(k) < 0.5
    reserve = np.where(soft, units * 10.0 ** rng.uniform(-1.5, 2, k), 0.0)
    asked = demand + np.where(soft, units, 0.0) * rng.normal(size=(n, k))
    got = share_forces(matrix, asked, weights, power=power, lower=lower, upper=upper, reserve=reserve)
    assert got.converged.all()
    made = np.einsum("tij,ti->tj", matrix, got.x) + got.reserve
    assert (np.abs(made - asked) <= 1e-6 * (np.abs(matrix).sum(axis=1) + np.abs(asked))).all()
    assert ((got.x >= lower) & (got.x <= upper)).all()
    push = weights * got.x ** (power - 1) - np.einsum("tij,tj->ti", matrix, got.multipliers)
    scale = weights + np.einsum("tij,tj->ti", np.abs(matrix), np.abs(got.multipliers))
    assert (push[got.x > lower] <= 1e-6 * scale[got.x > lower]).all()
    assert (push[got.x < upper] >= -1e-6 * scale[got.x < upper]).all()
    rest = demand - np.einsum(
        "tij,ti->tj", matrix, truth
    )  # the truth is feasible for `demand` and costs no less
    own = share_forces(matrix, demand, weights, power=power, lower=lower, upper=upper, reserve=reserve)
    assert cost(own.x, own.reserve, weights, power, reserve) <= cost(truth, rest, weights, power, reserve) * (
        1.0 + 1e-6
    )


def broken(**changes):
    matrix, demand = two_legs(3, muscles=2)
    given = {"matrix": matrix, "demand": demand}
    for name, change in changes.items():
        given[name] = change(given[name].copy()) if callable(change) else change
    return share_forces(given.pop("matrix"), given.pop("demand"), given.pop("weights", 1.0), **given)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"matrix": put((1, 2, 3), np.nan)}, "matrix must be finite.*frame 1, column 2, row 3"),
        ({"matrix": lambda a: a[:2]}, "matrix must have shape"),
        ({"matrix": lambda a: a * 1j}, "real numbers"),
        ({"demand": put((2, 4), np.inf)}, "demand must be finite.*frame 2, column 4"),
        ({"demand": lambda b: b[0]}, "demand must have shape"),
        ({"demand": "abc"}, "numbers"),
        ({"weights": -1.0}, "weights must be zero or above"),
        ({"weights": 0.0}, "weights must be above zero where there is no reference"),
        ({"weights": [1.0, 2.0]}, "weights must be one number"),
        ({"power": 4}, "power.*4"),
        ({"power": True}, "power"),
        ({"lower": 2.0}, "lower must not be above upper"),
        ({"lower": np.nan}, "lower must be a number"),
        ({"upper": -np.inf}, "upper must be a number"),
        ({"reference": np.inf}, "reference must be finite"),
        ({"reference": 0.5, "pull": -1.0}, "pull must be zero or above"),
        ({"reserve": -1.0}, "reserve"),
        ({"reserve": [1.0, 2.0]}, "reserve must be one number"),
        ({"smoothness": -1.0}, "smoothness"),
        ({"smoothness": [1.0, 2.0, 3.0]}, "smoothness must be one number"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
    ],
)
def test_bad_input_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        broken(**changes)


def test_other_solvers_say_what_they_cannot_do():
    pytest.importorskip("daqp")
    pytest.importorskip("clarabel")
    cubic = check_sharing_problem(np.ones((1, 2, 1)), [[1.0]], power=3)
    with pytest.raises(InputError, match="quadratic"):
        share_with_daqp(cubic)
    hopeless = check_sharing_problem(np.ones((1, 2, 1)), [[3.0]])
    with pytest.raises(SimulationError, match="DAQP"):
        share_with_daqp(hopeless)
    with pytest.raises(SimulationError, match="Clarabel"):
        share_with_clarabel(hopeless)
