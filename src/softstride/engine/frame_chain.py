"""Newton steps of a sharing program that is smooth in time: frames form a chain.

There is one block for each frame, [D_k, -A_k; A_k', S_k²], and -c on the diagonals that connect neighbours. From the
first frame to the last D_k becomes

    P_k = D_k - c G_k-1 c,     G = P^-1 - P^-1 A (S² + A' P^-1 A)^-1 A' P^-1

which is the corner of the inverse of [P, A; A', -S²], at a cost that is linear in frames and cubic in the unknowns of
a frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kernels.frame_chain import eliminate_chain, solve_chain
from softstride.engine.run import sealed
from softstride.errors import SimulationError

Array = NDArray[np.float64]


class FrameChain:
    """The Newton matrix of all frames, eliminated from the first to the last.

    Args:
        arms: A, shape (n, m, k).
        soft: S², shape (n, k).
        couple: c, shape (m,).
        curvature: D, shape (n, m).

    Raises:
        SimulationError: A frame whose matrix rounding has made singular.
    """

    def __init__(self, arms: Array, soft: Array, couple: Array, curvature: Array) -> None:
        n, m, k = arms.shape
        self._couple = couple
        self._inverse = np.empty((n, m + k, m + k))
        broken = np.full(1, -1.0)
        given = (sealed(np.ascontiguousarray(x)) for x in (arms, curvature, couple, soft))
        eliminate_chain(*given, self._inverse, np.empty(m + k), np.empty(m + k), broken)
        if broken[0] >= 0.0:
            raise SimulationError(
                f"the smooth sharing of forces broke down in frame {int(broken[0])}: use less smoothness"
            )

    def solve(self, push: Array, miss: Array) -> tuple[Array, Array]:
        """Return dx (n, m) and dy (n, k) with D dx - c (dx of neighbours) - A dy = push and A' dx + S² dy = miss."""
        dx, dy = np.empty(push.shape), np.empty(miss.shape)
        sums = np.empty((len(push), push.shape[1] + miss.shape[1]))
        given = (sealed(np.ascontiguousarray(x)) for x in (self._inverse, self._couple, push, miss))
        solve_chain(*given, dx, dy, sums)
        return dx, dy
