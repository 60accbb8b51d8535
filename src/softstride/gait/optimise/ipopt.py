"""IPOPT, asked through CasADi, and its answers in words."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.gait.optimise.blocks import Program
from softstride.gait.optimise.casadi import load_casadi

Floats = NDArray[np.float64]

WORDS = {
    "Solve_Succeeded": "found: constraints are met and no small change lowers the cost",
    "Solved_To_Acceptable_Level": "nearly found: constraints are met, the cost may still fall a little",
    "Infeasible_Problem_Detected": "not found: what is wanted cannot all be met near where the search went",
    "Maximum_Iterations_Exceeded": "not found: the search was stopped after its last iteration",
    "Maximum_CpuTime_Exceeded": "not found: the search was stopped at its time limit",
    "Maximum_WallTime_Exceeded": "not found: the search was stopped at its time limit",
    "Restoration_Failed": "not found: no way back to a step that meets the constraints",
    "Search_Direction_Becomes_Too_Small": "not found: the search no longer moved",
    "Diverging_Iterates": "not found: the search ran away",
    "Invalid_Number_Detected": "not found: a number became infinite on the way",
    "Error_In_Step_Computation": "not found: no direction could be computed",
}
CONVERGED = ("Solve_Succeeded", "Solved_To_Acceptable_Level")


@dataclass(frozen=True, eq=False)
class Solution:
    """What IPOPT found.

    Attributes:
        x: Variables, shape (n,).
        converged: Whether they are a solution.
        status: Why it stopped, in words.
        iterations: How many.
        seconds: How long.
    """

    x: Floats
    converged: bool
    status: str
    iterations: int
    seconds: float


def solve(
    program: Program,
    guess: Floats,
    lower: Floats,
    upper: Floats,
    *,
    strategy: str,
    max_iterations: int,
    max_seconds: float,
    tolerance: float = 1e-8,
) -> Solution:
    """Minimise the cost of a program from a guess.

    Args:
        program: The program.
        guess: Variables to begin with, shape (n,).
        lower: Least values of the variables, shape (n,).
        upper: Largest ones.
        strategy: How the barrier goes down, "monotone" or "adaptive".
        max_iterations: Give up after so many.
        max_seconds: Give up after so long.
        tolerance: Of the conditions of optimality; constraints are met a hundred times better.
    """
    ca = load_casadi()
    options = {
        "print_time": False,
        "grad_f": program.gradient,
        "jac_g": program.jacobian,
        "hess_lag": program.hessian,
        "error_on_fail": False,
        "ipopt": {
            "print_level": 0,
            "sb": "yes",
            "nlp_scaling_method": "none",  # units are chosen so that variables and constraints are of one size
            "mu_strategy": strategy,
            "tol": tolerance,
            "constr_viol_tol": 1e-2 * tolerance,
            "max_iter": max_iterations,
            "max_wall_time": max_seconds,
        },
    }
    start = time.perf_counter()
    solver = ca.nlpsol("step", "ipopt", program.nlp, options)
    answer = solver(x0=guess, lbx=lower, ubx=upper, lbg=program.lower, ubg=program.upper)
    stats = solver.stats()
    status = str(stats["return_status"])
    return Solution(
        answer["x"].full().ravel(),
        status in CONVERGED,
        WORDS.get(status, f"not found: the search ended with {status}"),
        int(stats["iter_count"]),
        time.perf_counter() - start,
    )
