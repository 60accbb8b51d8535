"""A chain of frames, each a small symmetric system that is connected with its neighbours: elimination and solution.

See `softstride.engine.frame_chain` for the system. Every frame is inverted in place by Gauss and Jordan's method on a
matrix scaled to a unit diagonal: pivots of the unknowns first, which are positive, then those of the rows, negative.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.tables import Array

TINY = 1e-13  # of the stiffness of a row: added to rows that depend on each other


@inner
def sweep(inverse: Array, f: int, first: int, last: int, sign: float, row: Array) -> bool:
    """Take pivots first .. last - 1 of the matrix of a frame; false if one has not the sign that it must have."""
    size = inverse.shape[1]
    # Gauss and Jordan in place: the pivot's column is replaced by that of the inverse. The order is fixed,
    # since the matrix is quasi-definite: P > 0, then -(S² + A' P^-1 A) < 0; another sign is rounding.
    for p in range(first, last):
        pivot = inverse[f, p, p]
        if not sign * pivot > 0.0:
            return False
        for j in range(size):
            row[j] = inverse[f, p, j] / pivot
        row[p] = 1.0 / pivot
        for i in range(size):
            if i != p:
                factor = inverse[f, i, p]
                inverse[f, i, p] = 0.0
                for j in range(size):
                    inverse[f, i, j] -= factor * row[j]
        for j in range(size):
            inverse[f, p, j] = row[j]
    return True


@inner
def load(arms: Array, curvature: Array, couple: Array, soft: Array, inverse: Array, f: int) -> None:
    """Write the matrix of a frame, what the frame before it adds included."""
    # [P, A; A', -S²] with P = D - c G c, G the upper left corner of the inverse of the frame before.
    m, k = arms.shape[1], arms.shape[2]
    for i in range(m):
        for j in range(m):
            inverse[f, i, j] = -couple[i] * inverse[f - 1, i, j] * couple[j] if f > 0 else 0.0
        inverse[f, i, i] += curvature[f, i]
        for j in range(k):
            inverse[f, i, m + j] = inverse[f, m + j, i] = arms[f, i, j]
    for i in range(k):
        for j in range(k):
            inverse[f, m + i, m + j] = 0.0
        inverse[f, m + i, m + i] = -soft[f, i]


@inner
def rescale(inverse: Array, f: int, scale: Array) -> None:
    """Multiply rows and columns of the matrix of a frame."""
    for i in range(inverse.shape[1]):
        for j in range(inverse.shape[1]):
            inverse[f, i, j] *= scale[i] * scale[j]


@kernel
def eliminate_chain(
    arms: Array,
    curvature: Array,
    couple: Array,
    soft: Array,
    inverse: Array,
    scale: Array,
    row: Array,
    broken: Array,
) -> None:
    """Invert the systems of all frames from the first to the last.

    Args:
        arms: A, shape (n, m, k).
        curvature: D, shape (n, m).
        couple: c, shape (m,).
        soft: S², shape (n, k).
        inverse: Result, shape (n, m + k, m + k).
        scale: Scratch (m + k,).
        row: Scratch (m + k,).
        broken: Result, shape (1,): the frame whose system has no inverse; left as it is if all have one.
    """
    m, k = arms.shape[1], arms.shape[2]
    for f in range(arms.shape[0]):
        load(arms, curvature, couple, soft, inverse, f)
        # Scaled by 1 / sqrt(P_ii), rows by 1 / sqrt(S² + sum of A_ij² / P_ii).
        for i in range(m):
            if not inverse[f, i, i] > 0.0:
                broken[0] = f
                return
            scale[i] = 1.0 / math.sqrt(inverse[f, i, i])
        for j in range(k):
            stiff = soft[f, j]
            for i in range(m):
                stiff += (arms[f, i, j] * scale[i]) ** 2
            scale[m + j] = 1.0 / math.sqrt(stiff) if stiff > 0.0 else 1.0
        rescale(inverse, f, scale)
        if not sweep(inverse, f, 0, m, 1.0, row):
            broken[0] = f
            return
        # The rows that are left are -(S² + A' P^-1 A). TINY of it keeps rows that depend on each other
        # solvable; a row without muscles and without reserve gets -1.
        for j in range(m, m + k):
            own = inverse[f, j, j]
            inverse[f, j, j] = own * (1.0 + TINY) if own < 0.0 else -1.0
        if not sweep(inverse, f, m, m + k, -1.0, row):
            broken[0] = f
            return
        # The inverse of the scaled matrix, scaled again, is that of the matrix itself.
        rescale(inverse, f, scale)


@kernel
def solve_chain(
    inverse: Array, couple: Array, push: Array, miss: Array, dx: Array, dy: Array, sums: Array
) -> None:
    """Solve the chain: forth, then back.

    Args:
        inverse: Of all frames, see `eliminate_chain`.
        couple: c, shape (m,).
        push: Shape (n, m).
        miss: Shape (n, k).
        dx: Result, shape (n, m).
        dy: Result, shape (n, k).
        sums: Scratch, shape (n, m + k).
    """
    n, m, k = push.shape[0], push.shape[1], miss.shape[1]
    # Forth: dx as frames up to this one know it, from [push + c dx of the frame before; miss].
    for f in range(n):
        for i in range(m):
            sums[f, i] = push[f, i] + (couple[i] * dx[f - 1, i] if f > 0 else 0.0)
        for j in range(k):
            sums[f, m + j] = miss[f, j]
        for i in range(m):
            total = 0.0
            for j in range(m + k):
                total += inverse[f, i, j] * sums[f, j]
            dx[f, i] = total
    # Back: the frame after is known, and adds c dx. The system is symmetric in (dx, -dy), hence the sign.
    for f in range(n - 1, -1, -1):
        if f < n - 1:
            for i in range(m):
                sums[f, i] += couple[i] * dx[f + 1, i]
        for i in range(m + k):
            total = 0.0
            for j in range(m + k):
                total += inverse[f, i, j] * sums[f, j]
            if i < m:
                dx[f, i] = total
            else:
                dy[f, i - m] = -total
