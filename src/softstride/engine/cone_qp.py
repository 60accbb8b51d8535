"""Quadratic programs over friction cones, all frames of a trial at once (see the kernel for the method)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine.cone_rows import cone_frames, lay_rows
from softstride.engine.cone_time import solve_in_time
from softstride.engine.kernels.cone_qp import cone_definite, cone_programs
from softstride.engine.run import in_threads, scratch, worker_count
from softstride.errors import InputError
from softstride.solvers.cone_problem import (
    ConeProblem,
    ConeSolution,
    check_cone_problem,
    check_tolerance,
    put_inside,
)

Array = NDArray[np.float64]

_PIECE = 64  # frames that are worth a thread


def solve_cone_qp(
    H: ArrayLike,
    g: ArrayLike,
    friction: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    smoothness: ArrayLike = 0.0,
    order: int = 2,
    facets: int | None = None,
    mask: ArrayLike | None = None,
    start: ArrayLike | None = None,
    tolerance: float = 1e-8,
    max_iterations: int = 80,
    threads: int | None = None,
) -> ConeSolution:
    """Minimise a convex quadratic over friction cones in every frame, smoothly in time if asked to.

        minimise    sum_t  1/2 x_t' H_t x_t + g_t' x_t  +  1/2 sum_t | L^(1/2) (D S x)_t |²
        subject to  |(x_1, x_2)| <= mu x_0    for each point

    Args:
        H: Symmetric positive definite matrices, shape (n, 3 c, 3 c); for each of c points the normal component comes
            first, then the two tangential ones.
        g: Slopes at zero, shape (n, 3 c).
        friction: Coefficients mu >= 0: one, (c,) or (n, c).
        groups: Group (foot) of each point, shape (c,), whole numbers from 0; None: all points are one group.
        smoothness: Diagonal of L, one number or shape (3 n_groups,): weights of the squared differences in time of each
            group's sum of x. 0: frames do not know each other.
        order: Order of these differences, 1 or 2, frames being one apart.
        facets: None for second-order cones, else the number of sides of a regular pyramid within them, one of its edges
            along the first tangential axis.
        mask: Which points may carry load, shape (n, c); x is zero at the others.
        start: Where to begin, shape (n, 3 c): the solution of a like program.
        tolerance: Of the residual of :class:`ConeSolution`.
        max_iterations: Most Newton steps of a frame.
        threads: How many threads may share the frames; None: as set by `set_threads`. Results do not depend on it.

    Returns:
        The solution with its certificate.

    Raises:
        InputError: Shapes that do not fit, numbers that are not finite, friction below zero, H not symmetric or not
            positive definite; the message names the frame.
    """
    problem = check_cone_problem(H, g, friction, groups, smoothness, order, facets, mask, start)
    check_tolerance(tolerance, max_iterations)
    numbers = np.array([tolerance, min(10.0 * tolerance, 1e-2), float(max_iterations), 0.0])
    _check_matrices(problem, threads)
    if problem.smoothness.any() and len(problem.g) > problem.order:
        solution = solve_in_time(problem, numbers, threads)
    else:
        solution = _solve_frames(problem, numbers, threads)
    put_inside(solution.x, problem)
    return solution


_FAULTS = {
    1: "H must be finite, however it is not in frame {}",
    2: "H must be symmetric, however it is not in frame {}",
    3: "H must be positive definite, however it is not in frame {}: add a little to its diagonal",
}


def _share(work: Callable[[int, int], None], n: int, threads: int | None) -> None:
    """Call ``work(first, last)`` so that all frames are done."""
    workers = min(worker_count(threads), max(1, n // _PIECE))
    if workers > 1:
        work(0, 0)  # compiles if need be, once
    pieces = 1 if workers == 1 else min(4 * workers, n // _PIECE)
    in_threads(work, np.linspace(0, n, pieces + 1).astype(int).tolist(), workers)


def _check_matrices(problem: ConeProblem, threads: int | None) -> None:
    """Refuse matrices that a convex program cannot have; points switched off do not count."""
    rows = lay_rows(problem.g.shape[1] // 3, 0)
    frames = cone_frames(dataclasses.replace(problem, facets=None), np.zeros(4), warm=False)
    found = np.zeros((len(problem.g), 1))
    _share(lambda a, b: cone_definite(frames, rows, a, b, found, scratch(rows.end)), len(found), threads)
    if found.any():
        frame = int(np.flatnonzero(found)[0])
        raise InputError(_FAULTS[int(found[frame, 0])].format(frame))


def _solve_frames(problem: ConeProblem, numbers: Array, threads: int | None) -> ConeSolution:
    """Solve frames that do not know each other."""
    n, width = problem.g.shape
    rows = lay_rows(width // 3, problem.facets or 0)
    frames = cone_frames(problem, numbers)
    x, report = np.zeros((n, width)), np.zeros((n, 3))

    def work(first: int, last: int) -> None:
        cone_programs(frames, rows, first, last, x, report, scratch(rows.end))

    _share(work, n, threads)
    return ConeSolution(x, report[:, 1] > 0.0, report[:, 0].astype(np.int64), report[:, 2].copy())
