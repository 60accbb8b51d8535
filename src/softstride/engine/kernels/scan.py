"""Looking through input arrays for what must not reach a recursion."""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import kernel


@kernel
def scan_finite(x: Any, found: Any) -> None:
    """Set found to (frame, column) of the first number that is not finite."""
    for f in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += abs(x[f, j]) * 0.0
        if total != 0.0:  # 0 times NaN or infinity is NaN
            for j in range(x.shape[1]):
                if x[f, j] * 0.0 != 0.0:
                    found[0] = f
                    found[1] = j
                    return


@kernel
def scan_quaternions(q: Any, starts: Any, found: Any) -> None:
    """Set found to (frame, number) of the first quaternion of norm zero."""
    for f in range(q.shape[0]):
        for k in range(starts.shape[0]):
            j = starts[k]
            if q[f, j] ** 2 + q[f, j + 1] ** 2 + q[f, j + 2] ** 2 + q[f, j + 3] ** 2 < 1e-200:
                found[0] = f
                found[1] = k
                return
