"""The conditions of optimality of a sharing program, measured from the program alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.solvers.force_sharing import SharingProblem, SharingSolution

Array = NDArray[np.float64]

SLIGHT = 1e-3
"""Share of what a row can hold that always counts to the size of its terms: nothing cancels better than that."""


def cheapest(
    problem: SharingProblem, slope: Array, bend: Array | float = 0.0, about: Array | float = 0.0
) -> Array:
    """Return the x within the bounds that minimise cost_i(x) + 1/2 bend (x - about)² - slope x, one by one.

    With r the weight of the reference and bend together, and c = slope + r ref + bend about: x = c / (w + r) for p = 2;
    for p = 3 the root of w x |x| + r x = c, which is 2 c / (r + sqrt(r² + 4 w |c|)). Shape (n, m).
    """
    c = slope + problem.pull * problem.reference + bend * about
    r = problem.pull + bend
    if problem.power == 2:
        x = c / (problem.weights + r)
    else:
        root = r + np.sqrt(r**2 + 4.0 * problem.weights * np.abs(c))
        x = np.divide(2.0 * c, root, out=np.zeros_like(c), where=root > 0.0)
    return np.clip(x, problem.lower, problem.upper)


def certify(
    problem: SharingProblem, x: Array, multipliers: Array, iterations: NDArray[np.int64], tolerance: float
) -> SharingSolution:
    """Return the solution with the conditions of optimality measured from the program alone."""
    n = len(x)
    made = np.matmul(x[:, None, :], problem.matrix)[:, 0]  # (n, k)
    terms = np.matmul(np.abs(x)[:, None, :], np.abs(problem.matrix))[:, 0]
    reserve = problem.reserve**2 * multipliers
    residual = problem.demand - made - reserve
    bounds = _bound_sizes(problem)
    capacity = np.matmul(bounds[:, None, :], np.abs(problem.matrix))[:, 0]
    sizes = terms + np.abs(problem.demand) + np.abs(reserve) + SLIGHT * capacity
    feasibility = _largest(_over(np.abs(residual), sizes))
    slope = np.matmul(problem.matrix, multipliers[:, :, None])[..., 0]  # (n, m)
    if problem.smoothness.any() and n > 1:
        slope -= smoothing_slope(problem.smoothness, x)
        best = cheapest(problem, slope, smoothing_curvature(problem.smoothness, n), x)
    else:
        best = cheapest(problem, slope)
    scales = np.abs(x) + np.abs(best) + bounds
    stationarity = _largest(_over(np.abs(x - best), scales))
    inside = ((x >= problem.lower) & (x <= problem.upper)).all(axis=1)  # and no NaN
    converged = (stationarity <= tolerance) & (feasibility <= tolerance) & inside
    return SharingSolution(
        x, reserve, multipliers, residual, stationarity, feasibility, converged, iterations
    )


def smoothing_slope(smoothness: Array, x: Array) -> Array:
    """Return the slope of 1/2 sum_i c_i sum_k (x_k+1,i - x_k,i)², shape (n, m)."""
    steps = np.diff(x, axis=0)
    out = np.zeros_like(x)
    out[:-1] -= steps
    out[1:] += steps
    return smoothness * out


def smoothing_curvature(smoothness: Array, n: int) -> Array:
    """Return its second derivatives by each x, shape (n, m): twice c, once at the ends."""
    neighbours = np.full((n, 1), 2.0)
    neighbours[0] -= 1.0
    neighbours[-1] -= 1.0
    return neighbours * smoothness


def _bound_sizes(problem: SharingProblem) -> Array:
    sizes = np.maximum(np.abs(problem.lower), np.abs(problem.upper))
    return np.where(np.isfinite(sizes) & (sizes > 0.0), sizes, 1.0)


def _over(x: Array, scale: Array) -> Array:
    return np.divide(x, scale, out=np.zeros_like(x), where=scale > 0.0)


def _largest(x: Array) -> Array:
    return x.max(axis=1) if x.shape[1] else np.zeros(len(x))
