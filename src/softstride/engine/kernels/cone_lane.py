"""One lane of the cone program: load a frame, scale it, begin, write the result."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softstride.engine.jit import inner
from softstride.engine.kernels.cone_blocks import block_row
from softstride.engine.kernels.cone_points import (
    BEFORE,
    CONES,
    CROSS,
    FAILED,
    FINISH,
    FRAME,
    FRESH,
    GAP,
    GIVEN,
    HIGH,
    IDLE,
    INTERIOR,
    KNOWN,
    LEVEL,
    MODE,
    NATURAL,
    NEED,
    SQUARE,
    STEPS,
    TRIES,
    ConeRows,
)
from softstride.engine.kernels.tables import Array, Table

FIRST_LEVEL, LESS_LEVEL, LEAST_LEVEL = 1e-5, 0.2, 1e-17  # gap over max x max z at which to try the finish
SHRINK = 0.1  # of e from step to step of the finish
LEAST_PROX, MOST_PROX = 1e-9, 1e9


class ConeFrames(NamedTuple):
    """The programs of all frames."""

    h: Table  # (n, 9 c²)
    g: Table  # (n, 3 c)
    friction: Table  # (n or 1, c)
    mask: Table  # (n or 1, c) 1: the point may carry load
    start: Table  # (n or 0, 3 c)
    trig: Table  # of the sides of a pyramid: r, sine of half a sector, cosine and sine of each direction; or empty
    numbers: Table  # tolerance, tolerance of steps, most steps, largest slope (0: that of each frame)


@inner
def begin_there(rows: ConeRows, m: Array, lane: int, n: int) -> None:
    """Go to the finish at once: z = H x + g, whose rows are up to date."""
    high = push = 0.0
    for i in range(n // 3):
        if m[rows.scale + 3 * i, lane] > 0.0:
            high = max(high, m[rows.x + 3 * i, lane])
        for k in range(3):
            slope = m[rows.slope + 3 * i + k, lane]
            m[rows.z + 3 * i + k, lane] = slope
            push = max(push, abs(slope))
    # P sets x / e against z: e is a tenth of the ratio of their sizes, so that the given x weighs more.
    e = SHRINK * max(high, 1.0 / n) / max(push, 1e-3)
    for i in range(n // 3):
        m[rows.prox + i, lane] = min(max(e, LEAST_PROX), MOST_PROX)
    m[rows.one + MODE, lane] = FINISH
    m[rows.one + BEFORE, lane] = np.inf


@inner
def load_frame(frames: ConeFrames, rows: ConeRows, m: Array, lane: int, f: int) -> None:
    """Write the scaled program of a frame: unit cones, diagonal blocks of mean diagonal one, largest slope one."""
    c = frames.friction.shape[1]
    n = 3 * c
    by_frame = f if frames.friction.shape[0] > 1 else 0
    mask = f if frames.mask.shape[0] > 1 else 0
    # x = scale times the unknown of the kernel. With N scaled by unit / mu and T by unit, |T| <= mu N is the
    # unit cone; `unit` makes the mean diagonal number of H one. Without friction only N is left.
    largest = 0.0
    for i in range(c):
        friction = frames.friction[by_frame, i]
        at = rows.scale + 3 * i
        k = 3 * i * (n + 1)
        up = frames.h[f, k]
        if frames.mask[mask, i] == 0:
            m[at, lane] = m[at + 1, lane] = m[at + 2, lane] = 0.0
        elif friction > 0.0:
            up /= friction * friction
            unit = np.sqrt(3.0 / (up + frames.h[f, k + n + 1] + frames.h[f, k + 2 * (n + 1)]))
            m[at, lane] = unit / friction
            m[at + 1, lane] = m[at + 2, lane] = unit
        else:
            m[at, lane] = 1.0 / np.sqrt(up)
            m[at + 1, lane] = m[at + 2, lane] = 0.0
        for a in range(3):
            largest = max(largest, abs(frames.g[f, 3 * i + a] * m[at + a, lane]))
    # H in these units, read on and below the diagonal. Unknowns that are off have zeros there and a diagonal
    # of one: they stay in the system, so that all lanes have the same shape, and couple with nothing.
    for i in range(c):
        for a in range(3):
            row = 3 * i + a
            own = m[rows.scale + row, lane]
            for j in range(i + 1):
                at = block_row(rows.h, i) + 9 * j + 3 * a
                for b in range(3):
                    column = 3 * j + b
                    low, high = (column, row) if column < row else (row, column)
                    m[at + b, lane] = frames.h[f, high * n + low] * own * m[rows.scale + column, lane]
            if own == 0.0:
                m[block_row(rows.h, i) + 9 * i + 4 * a, lane] = 1.0
    # x and g over the largest slope divide the cost by its square: tolerances and levels are pure numbers
    # then. Frames that are coupled in time must share this unit.
    if frames.numbers[3] > 0.0:
        largest = frames.numbers[3]
    elif largest == 0.0:
        largest = 1.0
    for row in range(n):
        own = m[rows.scale + row, lane]
        m[rows.g + row, lane] = frames.g[f, row] * own / largest
        m[rows.scale + row, lane] = own * largest
        m[rows.x + row, lane] = 0.0
        m[rows.z + row, lane] = 0.0
        m[rows.slope + row, lane] = m[rows.g + row, lane]
    for i in range(c):
        m[rows.prox + i, lane] = 1.0
        if m[rows.scale + 3 * i, lane] == 0.0:  # a point switched off: free, at x = 1
            m[rows.g + 3 * i, lane] = -1.0
            m[rows.slope + 3 * i, lane] = -1.0
    one = rows.one
    m[one + MODE, lane] = FRESH
    if frames.start.shape[0] > 0:
        m[one + MODE, lane] = GIVEN
        for k in range(n):
            scale = m[rows.scale + k, lane]
            rest = 1.0 if k % 3 == 0 else 0.0
            m[rows.x + k, lane] = frames.start[f, k] / scale if scale > 0.0 else rest
    m[one + LEVEL, lane] = FIRST_LEVEL
    for k in (TRIES, FAILED, STEPS, KNOWN, GAP):
        m[one + k, lane] = 0.0
    m[one + FRAME, lane] = f
    m[one + CONES, lane] = c * max(1, rows.facets)
    for k in range(frames.trig.shape[0]):
        m[rows.trig + k, lane] = frames.trig[k]


@inner
def open_frame(rows: ConeRows, m: Array, lane: int, c: int) -> None:
    """Begin inside the cones: the first guess d and -d, moved along the axes until they are well inside."""
    one = rows.one
    # The first guess d minimises the program plus |x|² / 2 without cones, and z = -d belongs to it (B = 1).
    # Both move along the axis of K, by what they lack and their size, unless they are well inside.
    size = max(m[one + SQUARE, lane], 1e-3)
    of_x, of_z = m[one + NEED, lane], m[one + CROSS, lane]
    add_x = of_x + size if of_x > -0.01 * size else 0.0
    add_z = of_z + size if of_z > -0.01 * size else 0.0
    for i in range(c):
        at = 3 * i
        for k in range(3):
            m[rows.x + at + k, lane] = m[rows.d + at + k, lane]
            m[rows.z + at + k, lane] = -m[rows.d + at + k, lane]
        m[rows.x + at, lane] += add_x
        m[rows.z + at, lane] += add_z
        if rows.facets > 0:  # the pyramid is narrower; begin with equal multipliers
            m[rows.x + at, lane] /= m[rows.trig, lane]
            m[rows.z + at + 1, lane] = m[rows.z + at + 2, lane] = 0.0
            for k in range(rows.facets):
                equal = m[rows.z + at, lane] / (rows.facets * m[rows.trig, lane])
                m[rows.y + rows.facets * i + k, lane] = equal
    m[one + MODE, lane] = INTERIOR


@inner
def write_frame(
    frames: ConeFrames, rows: ConeRows, m: Array, lane: int, scale: float, ended: int, x: Array, report: Array
) -> None:
    """Write x (back in the caller's units) and steps, success, residual; the lane is idle then."""
    one = rows.one
    f = int(m[one + FRAME, lane])
    for k in range(x.shape[1]):
        value = m[rows.x + k, lane]
        x[f, k] = value * m[rows.scale + k, lane] if abs(value) < np.inf else 0.0
    report[f, 0] = m[one + STEPS, lane]
    report[f, 1] = 1.0 if ended == 1 else 0.0
    report[f, 2] = m[one + NATURAL, lane] / max(m[one + HIGH, lane], scale)
    m[one + MODE, lane] = IDLE
