"""Other people's solvers on one frame of a sharing program: to check ours.

Clarabel takes powers 2 and 3 (power cones), DAQP power 2. Both are optional: `pip install clarabel daqp`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softstride.errors import InputError, SimulationError
from softstride.solvers.adapters import SOLVED, load_solver
from softstride.solvers.force_sharing import SharingProblem

Array = NDArray[np.float64]

_FAR = 1e30  # DAQP's infinity
_EQUAL = 5  # DAQP's word for an equality


def share_with_daqp(problem: SharingProblem, frame: int = 0) -> Array:
    """Solve one frame of power 2 with DAQP, an active-set method.

    Returns:
        x, shape (m,).

    Raises:
        InputError: DAQP is not installed, or the power is 3.
        SimulationError: DAQP found no solution.

    Source: Arnström, Bemporad and Axehill, IEEE Trans. Autom. Control 67 (2022) 4362.
    """
    daqp = load_solver("daqp")
    if problem.power != 2:
        raise InputError(f"DAQP solves quadratic programs, however the power is {problem.power}")
    one = problem.part(frame, frame + 1)
    rows, m = _rows(one), problem.matrix.shape[1]
    controls = rows.shape[1] - m
    curvature = np.concatenate([one.weights[0] + one.pull[0], np.ones(controls)])
    slope = np.concatenate([-(one.pull * one.reference)[0], np.zeros(controls)])
    upper = np.concatenate([np.minimum(one.upper[0], _FAR), np.full(controls, _FAR), one.demand[0]])
    lower = np.concatenate([np.maximum(one.lower[0], -_FAR), np.full(controls, -_FAR), one.demand[0]])
    sense = np.zeros(len(upper), dtype=np.int32)
    sense[m + controls :] = _EQUAL
    answer, _, flag, _ = daqp.solve(np.diag(curvature), slope, rows, upper, lower, sense)
    if flag <= 0:
        raise SimulationError(f"DAQP found no solution: exit flag {flag}")
    return np.array(answer)[:m]


def share_with_clarabel(problem: SharingProblem, frame: int = 0, tolerance: float = 1e-12) -> Array:
    """Solve one frame with Clarabel; t >= |x|³ is a power cone.

    Args:
        problem: The program.
        frame: Which of its frames.
        tolerance: Of gap and residuals, as Clarabel means them; it may stop somewhat above.

    Returns:
        x, shape (m,).

    Raises:
        InputError: Clarabel is not installed.
        SimulationError: Clarabel found no solution.

    Source: Goulart and Chen, "Clarabel: an interior-point solver for conic programs with quadratic objectives" (2024).
    """
    clarabel = load_solver("clarabel")
    one = problem.part(frame, frame + 1)
    rows, m = _rows(one), problem.matrix.shape[1]
    controls = rows.shape[1] - m
    cubes = m if problem.power == 3 else 0  # unknowns: x, controls of reserves, then t >= |x|³
    width = m + controls + cubes
    quadratic = one.pull[0] + (one.weights[0] if not cubes else 0.0)
    hessian = sparse.diags(np.concatenate([quadratic, np.ones(controls), np.zeros(cubes)])).tocsc()
    slope = np.concatenate([-(one.pull * one.reference)[0], np.zeros(controls), one.weights[0, :cubes] / 3.0])
    unit = sparse.eye_array(width, format="csr")
    high, low = np.flatnonzero(np.isfinite(one.upper[0])), np.flatnonzero(np.isfinite(one.lower[0]))
    blocks = [sparse.csr_array(np.hstack([rows, np.zeros((len(rows), cubes))])), unit[high], -unit[low]]
    offsets = [one.demand[0], one.upper[0, high], -one.lower[0, low]]
    cones = [clarabel.ZeroConeT(len(rows)), clarabel.NonnegativeConeT(len(high) + len(low))]
    for i in range(cubes):
        nothing = sparse.csr_array((1, width))
        blocks += [-unit[[m + controls + i]], nothing, -unit[[i]]]
        offsets.append(np.array([0.0, 1.0, 0.0]))
        cones.append(clarabel.PowerConeT(1.0 / 3.0))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
        setattr(settings, name, tolerance)
    matrix = sparse.vstack(blocks, format="csc")
    answer = clarabel.DefaultSolver(hessian, slope, matrix, np.concatenate(offsets), cones, settings).solve()
    if str(answer.status) not in SOLVED:
        raise SimulationError(f"Clarabel found no solution: {answer.status}")
    return np.array(answer.x)[:m]


def _rows(one: SharingProblem) -> Array:
    """Return [A', S] of one frame, without columns for rows that have no reserve."""
    reserves = np.diag(one.reserve)[:, one.reserve > 0.0]
    return np.ascontiguousarray(np.hstack([one.matrix[0].T, reserves]))
