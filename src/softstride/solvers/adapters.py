"""Other people's solvers on one frame of a cone program: what ours is checked against.

Clarabel takes cones and pyramids, DAQP pyramids. Both are optional: `pip install clarabel daqp`.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from softstride.errors import InputError, SimulationError
from softstride.solvers.cone_problem import check_cone_problem, facet_directions

Array = NDArray[np.float64]

SOLVED = ("Solved", "AlmostSolved")  # Clarabel's words


def load_solver(name: str) -> Any:
    """Return the module of a solver, or say how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"the solver {name} is not installed: pip install {name}") from error


def solve_with_clarabel(
    H: ArrayLike,
    g: ArrayLike,
    friction: ArrayLike,
    *,
    facets: int | None = None,
    mask: ArrayLike | None = None,
    tolerance: float = 1e-12,
) -> Array:
    """Minimise 1/2 x' H x + g' x over the friction cones of one frame with Clarabel.

    Args:
        H: Symmetric positive definite, shape (3 c, 3 c).
        g: Shape (3 c,).
        friction: One number or (c,).
        facets: None for second-order cones, else the sides of the pyramid within them.
        mask: Which points may carry load, shape (c,).
        tolerance: Of gap and residuals, as Clarabel means them; it may stop somewhat above.

    Returns:
        x, shape (3 c,).

    Raises:
        InputError: Clarabel is not installed, or the program is not one.
        SimulationError: Clarabel found no solution.

    Source: Goulart and Chen, "Clarabel: an interior-point solver for conic programs with quadratic objectives" (2024).
    """
    clarabel = load_solver("clarabel")
    matrix, slope, keep, limits = _one_frame(H, g, friction, facets, mask)
    c = len(limits)
    if c == 0:
        return np.zeros(len(keep))
    if facets is None:
        cone = sparse.diags(-np.stack([limits, np.ones(c), np.ones(c)], axis=1).ravel()).tocsc()
        kinds = [clarabel.SecondOrderConeT(3)] * c
    else:
        cone = sparse.csc_matrix(_pyramid(limits, facets))
        kinds = [clarabel.NonnegativeConeT(cone.shape[0])]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
        setattr(settings, name, tolerance)
    upper = sparse.csc_matrix(np.triu(matrix))
    answer = clarabel.DefaultSolver(upper, slope, cone, np.zeros(cone.shape[0]), kinds, settings).solve()
    if str(answer.status) not in SOLVED:
        raise SimulationError(f"Clarabel found no solution: {answer.status}")
    return _back(np.array(answer.x), keep)


def solve_with_daqp(
    H: ArrayLike, g: ArrayLike, friction: ArrayLike, *, facets: int, mask: ArrayLike | None = None
) -> Array:
    """Minimise 1/2 x' H x + g' x over the friction pyramids of one frame with DAQP, an active-set method.

    Args:
        H: Symmetric positive definite, shape (3 c, 3 c).
        g: Shape (3 c,).
        friction: One number or (c,).
        facets: Sides of the pyramid within each cone.
        mask: Which points may carry load, shape (c,).

    Returns:
        x, shape (3 c,).

    Raises:
        InputError: DAQP is not installed, or the program is not one.
        SimulationError: DAQP found no solution.

    Source: Arnström, Bemporad and Axehill, IEEE Trans. Autom. Control 67 (2022) 4362.
    """
    daqp = load_solver("daqp")
    matrix, slope, keep, limits = _one_frame(H, g, friction, facets, mask)
    if len(limits) == 0:
        return np.zeros(len(keep))
    sides = _pyramid(limits, facets)
    rows = len(sides)
    bounds = (np.zeros(rows), np.full(rows, -1e30))
    answer, _, flag, _ = daqp.solve(matrix, slope, sides, *bounds, np.zeros(rows, dtype=np.int32))
    if flag <= 0:
        raise SimulationError(f"DAQP found no solution: exit flag {flag}")
    return _back(np.asarray(answer), keep)


def _one_frame(
    H: ArrayLike, g: ArrayLike, friction: ArrayLike, facets: int | None, mask: ArrayLike | None
) -> tuple[Array, Array, NDArray[np.bool_], Array]:
    """Return H, g and friction of the points that are switched on, and which columns these are."""
    matrix, slope = np.asarray(H, dtype=np.float64), np.asarray(g, dtype=np.float64)
    problem = check_cone_problem(matrix[None], slope[None], friction, facets=facets, mask=mask)
    on = problem.mask[0]
    keep = np.repeat(on, 3)
    return matrix[np.ix_(keep, keep)].copy(), slope[keep].copy(), keep, problem.friction[0, on]


def _pyramid(limits: Array, facets: int) -> Array:
    """Return A of the sides A x <= 0, shape (c facets, 3 c)."""
    out = np.zeros((len(limits), facets, len(limits), 3))
    for i, limit in enumerate(limits):
        out[i, :, i, 0] = -limit * np.cos(np.pi / facets)
        out[i, :, i, 1:] = facet_directions(facets)
    return out.reshape(len(limits) * facets, 3 * len(limits))


def _back(x: Array, keep: NDArray[np.bool_]) -> Array:
    out = np.zeros(len(keep))
    out[keep] = x
    return out
