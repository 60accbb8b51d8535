"""Looking through input arrays for what must not reach a recursion."""

from __future__ import annotations

from softstride.engine.jit import kernel
from softstride.engine.kernels.tables import Array, IntArray

SMALLEST, LARGEST = 1e-200, 1e200  # square of a quaternion's norm that can be divided by


@kernel
def scan_finite(x: Array, limit: float, found: IntArray) -> None:
    """Set found to (frame, column) of the first number that is not finite or exceeds a limit."""
    for f in range(x.shape[0]):
        # Counted without a branch, so that the loop vectorises; "not <=" finds NaN as well.
        bad = 0
        for j in range(x.shape[1]):
            bad += not abs(x[f, j]) <= limit
        if bad:
            for j in range(x.shape[1]):
                if not abs(x[f, j]) <= limit:
                    found[0] = f
                    found[1] = j
                    return


@kernel
def scan_quaternions(q: Array, starts: IntArray, found: IntArray) -> None:
    """Set found to (frame, number) of the first quaternion of norm zero (or beyond all measure)."""
    for f in range(q.shape[0]):
        for k in range(starts.shape[0]):
            j = starts[k]
            square = q[f, j] ** 2 + q[f, j + 1] ** 2 + q[f, j + 2] ** 2 + q[f, j + 3] ** 2
            if not SMALLEST <= square <= LARGEST:
                found[0] = f
                found[1] = k
                return
