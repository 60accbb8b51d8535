"""Sharing a demand among redundant actors, all frames of a trial at once (see the kernel for the method)."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from softstride.engine.kernels.share_forces import ShareFrames, share_frames
from softstride.engine.kernels.share_steps import OF_ROWS, ShareParts, ShareRoom
from softstride.engine.run import in_threads, sealed, worker_count
from softstride.engine.sharing_in_time import solve_smoothly
from softstride.solvers.force_sharing import (
    SharingProblem,
    SharingSolution,
    check_effort,
    check_sharing_problem,
)
from softstride.solvers.sharing_certificate import certify

Array = NDArray[np.float64]

_PIECE = 64  # frames that are worth a thread
_MISSED, _ELASTIC = (
    1e-7,
    1e-3,
)  # of what a row can hold: that it cannot be met, and the reserve that it then gets
_OF_UNKNOWNS = ("weights", "lower", "upper", "pull", "reference")


def share_forces(
    matrix: ArrayLike,
    demand: ArrayLike,
    weights: ArrayLike = 1.0,
    *,
    power: int = 2,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = 1.0,
    reference: ArrayLike | None = None,
    pull: ArrayLike = 1.0,
    reserve: ArrayLike = 0.0,
    smoothness: ArrayLike = 0.0,
    tolerance: float = 1e-6,
    max_iterations: int = 200,
    threads: int | None = None,
) -> SharingSolution:
    """Share a demand among bounded unknowns at the least cost, in every frame, smoothly in time if asked to.

        minimise    sum_i  w_i |x_i|^p / p  +  1/2 r_i (x_i - ref_i)²   +   1/2 sum_j (s_j / S_j)²
        subject to  sum_i A_ij x_i + s_j = b_j,      lower_i <= x_i <= upper_i

    Frames do not know each other unless smoothness adds 1/2 sum_i c_i sum_k (x_k+1,i - x_k,i)² to the sum of all costs.

    Args:
        matrix: A, shape (n, m, k): what a unit of each of m unknowns gives to each of k rows (moment arm times force at
            activation one for activations, moment arm for forces).
        demand: b, shape (n, k).
        weights: w, one number, (m,) or (n, m); zero only where there is a reference.
        power: p, 2 or 3.
        lower: Least x: one number, (m,) or (n, m); may be -inf.
        upper: Greatest x, likewise.
        reference: ref, shape (m,) or (n, m), NaN where there is none; None: nowhere.
        pull: r, one number, (m,) or (n, m).
        reserve: S, one number or (k,); 0: the row has none and is to be met.
        smoothness: c, one number or (m,). It costs some milliseconds and tens of kilobytes a frame.
        tolerance: Of stationarity and feasibility, see :class:`SharingSolution`.
        max_iterations: Most Newton steps of a frame.
        threads: How many threads may share the frames; None: as set by `set_threads`. Results do not depend on it.

    Returns:
        The solution with its certificate. A frame whose rows without reserve cannot be met has `converged` False; its x
        misses them as little as possible, and `residual` says by how much.

    Raises:
        InputError: Shapes that do not fit, numbers that are not finite, bounds that exclude each other, weights below
            zero; the message names the frame.
    """
    problem = check_sharing_problem(
        matrix,
        demand,
        weights,
        power=power,
        lower=lower,
        upper=upper,
        reference=reference,
        pull=pull,
        reserve=reserve,
        smoothness=smoothness,
    )
    check_effort(tolerance, max_iterations)
    x, duals, steps = solve_frames(problem, max_iterations, threads)
    if problem.smoothness.any() and len(x) > 1:
        _smooth(problem, x, duals, steps, max_iterations)
    return certify(problem, x, duals, steps, tolerance)


def solve_frames(
    problem: SharingProblem, max_iterations: int, threads: int | None = None
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return unknowns (n, m), multipliers (n, k) and steps (n,) of frames that do not know each other."""
    n, m, k = problem.matrix.shape
    parts = find_parts(problem.matrix)
    frames = ShareFrames(
        *(
            sealed(x)
            for x in (
                problem.matrix,
                problem.demand,
                problem.weights,
                problem.lower,
                problem.upper,
                problem.pull,
                problem.reference,
                problem.reserve,
            )
        )
    )
    x, duals, steps = np.zeros((n, m)), np.zeros((n, k)), np.zeros((n, 1))

    def work(first: int, last: int) -> None:
        room = _room(parts, m, k)
        share_frames(frames, parts, problem.power, max_iterations, first, last, x, duals, steps, room)

    workers = min(worker_count(threads), max(1, n // _PIECE))
    if workers > 1:
        work(0, 0)  # compiles if need be, once
    pieces = 1 if workers == 1 else min(4 * workers, n // _PIECE)
    in_threads(work, np.linspace(0, n, pieces + 1).astype(int).tolist(), workers)
    return x, duals, steps[:, 0].astype(np.int64)


def _smooth(
    problem: SharingProblem, x: Array, duals: Array, steps: NDArray[np.int64], max_iterations: int
) -> None:
    """Replace the solution in place by the one that is smooth in time, part by part."""
    found = find_parts(problem.matrix)
    reserve = _elastic(problem, x)
    for row, n_rows, column, n_columns in found.parts:
        rows, columns = found.rows[row : row + n_rows], found.columns[column : column + n_columns]
        if problem.smoothness[columns].any():
            part = dataclasses.replace(
                problem,
                matrix=np.ascontiguousarray(problem.matrix[:, columns][:, :, rows]),
                demand=problem.demand[:, rows],
                reserve=problem.reserve[rows],
                smoothness=problem.smoothness[columns],
                **{name: getattr(problem, name)[:, columns] for name in _OF_UNKNOWNS},
            )
            x[:, columns], duals[:, rows], taken = solve_smoothly(
                part, reserve[:, rows], x[:, columns], duals[:, rows], max_iterations
            )
            steps[:] = np.maximum(steps, taken)


def _elastic(problem: SharingProblem, x: Array) -> Array:
    """Return S of each frame, shape (n, k): a little, the same for all, in rows that frames on their own cannot meet.

    A frame that meets its rows on its own meets them beside others, since those change its cost, not what it can do.
    """
    missing = np.abs(problem.demand - np.matmul(x[:, None, :], problem.matrix)[:, 0])
    capacity = np.abs(problem.matrix).sum(axis=1)
    bare = (problem.reserve == 0.0) & (missing > _MISSED * (capacity + np.abs(problem.demand)))
    able = capacity[bare & (capacity > 0.0)]
    return np.where(bare, _ELASTIC * max(float(able.min()) if len(able) else 1.0, 1.0), problem.reserve)


def find_parts(matrix: Array) -> ShareParts:
    """Return the parts of a program that have no row and no unknown in common in any frame.

    Args:
        matrix: Shape (n, m, k).

    Returns:
        The parts, ordered by their first row; unknowns that touch no row are parts of their own.
    """
    touch = (matrix != 0.0).any(axis=0)  # (m, k)
    m, k = touch.shape
    column, row = np.nonzero(touch)
    graph = coo_array((np.ones(len(row)), (column + k, row)), shape=(m + k, m + k))
    count, label = connected_components(graph, directed=False)
    rows, columns = (np.argsort(own, kind="stable") for own in (label[:k], label[k:]))
    heights, widths = (np.bincount(own, minlength=count) for own in (label[:k], label[k:]))
    first_rows, first_columns = np.cumsum(heights) - heights, np.cumsum(widths) - widths
    within = np.empty(k, dtype=np.int64)
    within[rows] = np.arange(k) - first_rows[label[rows]]
    at, row = np.nonzero(touch[columns])
    starts = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=m))])
    parts = np.stack([first_rows, heights, first_columns, widths], axis=1)
    return ShareParts(
        *(np.ascontiguousarray(x, dtype=np.int64) for x in (parts, rows, columns, starts, within[row]))
    )


def _room(parts: ShareParts, m: int, k: int) -> ShareRoom:
    """Return scratch for the largest part."""
    sizes = {"value": (len(parts.entries),), "stiff": (k, k)} | dict.fromkeys(OF_ROWS, (k,))
    return ShareRoom(*(np.zeros(sizes.get(name, (m,))) for name in ShareRoom._fields))
