"""Programs to be minimised under constraints: what they are, and other people's solvers of them.

The compiled solvers of all frames at once are :func:`softstride.engine.cone_qp.solve_cone_qp` and
:func:`softstride.engine.force_sharing.share_forces`.
"""

from softstride.solvers.adapters import solve_with_clarabel, solve_with_daqp
from softstride.solvers.cone_problem import ConeProblem, ConeSolution, check_cone_problem
from softstride.solvers.force_sharing import SharingProblem, SharingSolution, check_sharing_problem
from softstride.solvers.sharing_adapters import share_with_clarabel, share_with_daqp

__all__ = [
    "ConeProblem",
    "ConeSolution",
    "SharingProblem",
    "SharingSolution",
    "check_cone_problem",
    "check_sharing_problem",
    "share_with_clarabel",
    "share_with_daqp",
    "solve_with_clarabel",
    "solve_with_daqp",
]
