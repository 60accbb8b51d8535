"""Cone programs that are coupled in time through the sums of groups: the part of each step that is done frame by frame.

The term 1/2 |L^(1/2) D S x|² adds S' K S to the matrix, K = D' L D acting in time. With M = H + B of each frame,

    (M + S' K S) d = r    means    d = M^-1 (r - S' q),    q = D' v,    (L^-1 + D G D') v = D S M^-1 r,    G = S M^-1 S'

so that frames only meet in a banded system in v. The stages here do everything but that system, on blocks of LANES
frames, each of which keeps its rows from step to step.
"""

from __future__ import annotations

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.cone_blocks import factorise, substitute
from softstride.engine.kernels.cone_judge import choose_prox, go_back, keep, sharpen
from softstride.engine.kernels.cone_lane import ConeFrames, load_frame
from softstride.engine.kernels.cone_points import (
    CROSS,
    FAILED,
    FINISH,
    GAP,
    HIGH,
    LENGTH,
    MISS,
    MODE,
    MOVED,
    NATURAL,
    NEED,
    PUSH,
    SQUARE,
    TARGET,
    ConeRows,
)
from softstride.engine.kernels.cone_qp import add_slope, copy_row, correct, look, make_system, reach, step
from softstride.engine.kernels.matrices import clear_row, clear_rows, put_one
from softstride.engine.kernels.tables import Array, IntArray
from softstride.engine.lanes import LANES, Frames, Index, Rows, straight

LOAD, PREDICT, REACH, CORRECT, MOVE, MEASURE, KEEP, BACK, WARM, WRITE = range(10)
FIGURES = (NEED, CROSS, SQUARE, GAP, MISS, HIGH, PUSH, NATURAL, MOVED, FAILED)
ORDERS = (MODE, TARGET, LENGTH, GAP, HIGH, PUSH)


@straight
def sum_point(m: Rows, scale: Index, x: Index, target: Index) -> None:
    """Add a point to the sum of its group."""
    for k in range(3):
        m[target + k] = m[target + k] + m[scale + k] * m[x + k]


@straight
def push_point(m: Rows, scale: Index, q: Index, target: Index) -> None:
    """Add S' q to the slope of a point."""
    for k in range(3):
        m[target + k] = m[target + k] + m[scale + k] * m[q + k]


@straight
def minus_column(m: Rows, column: Index, q: Index, target: Index) -> None:
    """Take a multiple of a column off the change of a point."""
    for k in range(3):
        m[target + k] = m[target + k] - m[column + k] * m[q]


@straight
def get_one(x: Frames, f: Index, column: Index, m: Rows, row: Index) -> None:
    """Read one number a frame."""
    m[row] = x[f, column]


@inner
def sum_groups(rows: ConeRows, m: Array, seats: IntArray, x: int, width: int) -> None:
    """Write the sums of groups."""
    clear_rows(m, rows.sums, width)
    for i in range(seats.shape[0]):
        sum_point(m, rows.scale + 3 * i, x + 3 * i, rows.sums + 3 * seats[i])


@inner
def put_sums(rows: ConeRows, m: Array, out: Array, f: int, first: int) -> None:
    """Write the sums to frame-major data."""
    for k in range(rows.columns - rows.sums):
        put_one(m, rows.sums + k, out, f, first + k)


@inner
def get_sums(rows: ConeRows, m: Array, x: Array, f: int) -> None:
    """Read forces on the sums from frame-major data."""
    for k in range(x.shape[1]):
        get_one(x, f, k, m, rows.sums + k)


@inner
def predict(rows: ConeRows, m: Array, seats: IntArray, y: Array, flex: Array, f: int) -> None:
    """Write the factor, M^-1 r, its sums, the columns M^-1 S' and G."""
    c = seats.shape[0]
    width = y.shape[1]
    make_system(rows, m, c)
    factorise(m, rows.h, rows.b, rows.factor, c)
    substitute(m, rows.factor, rows.d, c)
    # Column k of M^-1 S', and its sums as row k of G = S M^-1 S' (symmetric). S adds up the points of a group
    # in the units of the caller, hence `scale`.
    for k in range(width):
        column = rows.columns + 3 * c * k
        clear_rows(m, column, 3 * c)
        clear_rows(m, rows.sums, width)
        for lane in range(LANES):
            m[rows.sums + k, lane] = 1.0
        for i in range(c):
            push_point(m, rows.scale + 3 * i, rows.sums + 3 * seats[i], column + 3 * i)
        substitute(m, rows.factor, column, c)
        sum_groups(rows, m, seats, column, width)
        put_sums(rows, m, flex, f, width * k)
    sum_groups(rows, m, seats, rows.d, width)
    put_sums(rows, m, y, f, 0)


@inner
def bend(rows: ConeRows, m: Array, c: int, q: Array, f: int) -> None:
    """Take M^-1 S' q off the change of x."""
    # d = M^-1 r - M^-1 S' q, the first part being there.
    get_sums(rows, m, q, f)
    for k in range(q.shape[1]):
        for i in range(c):
            minus_column(m, rows.columns + 3 * (c * k + i), rows.sums + k, rows.d + 3 * i)


@kernel
def cone_stage(
    stage: int,
    frames: ConeFrames,
    rows: ConeRows,
    seats: IntArray,
    orders: Array,
    y: Array,
    flex: Array,
    q: Array,
    figures: Array,
    x: Array,
    first: int,
    last: int,
    store: Array,
) -> None:
    """Do one stage of a step on blocks first .. last - 1.

    Reads q (n, width), forces on the sums; writes y (n, width), sums, flex (n, width²), figures (n, 10) and x (n, 3 c),
    n being a multiple of LANES. `orders` says how all frames go on: mode, target, length, gap, sizes.
    """
    c = seats.shape[0]
    n = 3 * c
    one = rows.one
    for block in range(first, last):
        m = store[block * rows.end : (block + 1) * rows.end]
        f = block * LANES
        if stage == LOAD:
            # Places behind the last frame hold a copy of it whose S is zero, so that nothing couples it.
            for lane in range(LANES):
                load_frame(frames, rows, m, lane, min(f + lane, frames.g.shape[0] - 1))
                if f + lane >= frames.g.shape[0]:
                    for k in range(n):
                        m[rows.scale + k, lane] = 0.0
            continue
        # One program: all frames have the same mode, target and step length.
        for k in range(len(ORDERS)):
            for lane in range(LANES):
                m[one + ORDERS[k], lane] = orders[k]
        # PREDICT and CORRECT end with y = S M^-1 r; the caller solves (L^-1 + D G D') v = D y and returns
        # q = D' v. MOVE ends with y = S x; the caller returns q = D' L D y, and MEASURE adds S' q to H x + g.
        if stage == PREDICT:
            predict(rows, m, seats, y, flex, f)
        elif stage == REACH:
            bend(rows, m, c, q, f)
            reach(rows, m, c)
        elif stage == CORRECT:
            correct(rows, m, c)
            substitute(m, rows.factor, rows.d, c)
            sum_groups(rows, m, seats, rows.d, y.shape[1])
            put_sums(rows, m, y, f, 0)
        elif stage == MOVE:
            step(rows, m, c)
            for lane in range(LANES):
                if m[one + MODE, lane] == FINISH:
                    sharpen(rows, m, lane, c)
            sum_groups(rows, m, seats, rows.x, y.shape[1])
            put_sums(rows, m, y, f, 0)
        elif stage == MEASURE:
            add_slope(rows, m, c)
            get_sums(rows, m, q, f)
            for i in range(c):
                push_point(m, rows.scale + 3 * i, rows.sums + 3 * seats[i], rows.slope + 3 * i)
            look(rows, m, c)
        elif stage == KEEP:
            get_one(figures, f, len(FIGURES) - 1, m, one + FAILED)
            for lane in range(LANES):
                keep(rows, m, lane, n)
                choose_prox(rows, m, lane, c)
        elif stage == WARM:
            clear_row(m, one + FAILED)
            for k in range(n):
                copy_row(m, rows.slope + k, rows.z + k)
            look(rows, m, c)
            for lane in range(LANES):
                choose_prox(rows, m, lane, c)
        elif stage == BACK:
            for lane in range(LANES):
                go_back(rows, m, lane, n)
            look(rows, m, c)
        elif stage == WRITE:
            for lane in range(LANES):
                for k in range(n):
                    x[f + lane, k] = m[rows.x + k, lane] * m[rows.scale + k, lane]
        for k in range(len(FIGURES)):
            put_one(m, one + FIGURES[k], figures, f, k)
