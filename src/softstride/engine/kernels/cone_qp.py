"""Convex quadratic programs over friction cones, one a frame, LANES frames at once.

    minimise 1/2 x' H x + g' x    subject to    |(x_1, x_2)| <= mu x_0 for each point

An interior-point method comes near the solution in about eight steps whatever the conditioning, a semismooth Newton
method finishes in about three. A lane that has ended takes the next frame at once: no lane waits for another, and a
frame's result does not depend on its neighbours.
"""

from __future__ import annotations

import numpy as np

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.cone_blocks import add_product, block_row, factorise, substitute
from softstride.engine.kernels.cone_judge import judge
from softstride.engine.kernels.cone_lane import ConeFrames, begin_there, load_frame, open_frame, write_frame
from softstride.engine.kernels.cone_points import (
    CROSS,
    FRESH,
    GAP,
    GIVEN,
    HIGH,
    IDLE,
    INTERIOR,
    LENGTH,
    MISS,
    MODE,
    MOVED,
    NATURAL,
    NEED,
    PUSH,
    SQUARE,
    ConeRows,
    aim_centre,
    cone_correct,
    cone_excess,
    cone_measure,
    cone_move,
    cone_reach,
    cone_system,
)
from softstride.engine.kernels.cone_pyramid import (
    pyramid_correct,
    pyramid_measure,
    pyramid_move,
    pyramid_reach,
    pyramid_system,
    search_measure,
    search_move,
    search_system,
    side_begin,
    side_correct,
    side_measure,
    side_move,
    side_reach,
    side_system,
)
from softstride.engine.kernels.matrices import clear_row, clear_rows
from softstride.engine.kernels.tables import Array
from softstride.engine.lanes import LANES, Index, Rows, select, straight

SHY = 0.99  # share of the way to the boundary
LEAST_PIVOT = 1e-14  # over the diagonal of H
SKEW = 1e-16  # square of a difference between H and its transpose, over the product of their diagonals


@straight
def copy_row(m: Rows, source: Index, target: Index) -> None:
    """Copy a row."""
    m[target] = m[source]


@inner
def make_system(rows: ConeRows, m: Array, c: int) -> None:
    """Write B, r and right-hand sides of all points."""
    for i in range(c):
        if rows.facets == 0:
            cone_system(m, rows, i)
        else:
            # A pyramid's B is a sum over its sides, and its projection needs the nearest side, so all sides
            # are passed before the point itself.
            clear_rows(m, rows.b + 6 * i, 6)
            side_begin(m, rows, i)
            for k in range(rows.facets):
                t, y = rows.trig + 2 + 2 * k, rows.facets * i + k
                side_system(m, rows, i, t, rows.y + y, rows.f + y)
                search_system(m, rows, i, t)
            pyramid_system(m, rows, i)


@inner
def reach(rows: ConeRows, m: Array, c: int) -> None:
    """Write the changes of z and how far the steps may go."""
    clear_row(m, rows.one + NEED)
    clear_row(m, rows.one + CROSS)
    clear_row(m, rows.one + SQUARE)
    for i in range(c):
        if rows.facets == 0:
            cone_reach(m, rows, i)
        else:
            for k in range(rows.facets):
                y = rows.facets * i + k
                side_reach(m, rows, i, rows.trig + 2 + 2 * k, rows.y + y, rows.f + y)
            pyramid_reach(m, rows, i)


@inner
def correct(rows: ConeRows, m: Array, c: int) -> None:
    """Write the right-hand sides of the corrector, for the target that is set."""
    for i in range(c):
        if rows.facets == 0:
            cone_correct(m, rows, i)
        else:
            clear_rows(m, rows.frame + 4 * i, 3)
            for k in range(rows.facets):
                y = rows.facets * i + k
                side_correct(m, rows, i, rows.trig + 2 + 2 * k, rows.y + y, rows.f + y)
            pyramid_correct(m, rows, i)


@inner
def step(rows: ConeRows, m: Array, c: int) -> None:
    """Take the steps, of the lengths that are set."""
    clear_row(m, rows.one + MOVED)
    for i in range(c):
        if rows.facets == 0:
            cone_move(m, rows, i)
        else:
            side_begin(m, rows, i)
            for k in range(rows.facets):
                y = rows.facets * i + k
                search_move(m, rows, i, rows.trig + 2 + 2 * k)
                side_move(m, rows, rows.y + y, rows.f + y)
            pyramid_move(m, rows, i)
    fresh = 0
    for lane in range(LANES):
        fresh += m[rows.one + MODE, lane] == FRESH
    if fresh:
        begin_inside(rows, m, c)


@inner
def begin_inside(rows: ConeRows, m: Array, c: int) -> None:
    """Turn the first guess of fresh lanes into points inside the cones."""
    clear_row(m, rows.one + SQUARE)
    for lane in range(LANES):
        m[rows.one + NEED, lane] = m[rows.one + CROSS, lane] = -1e300
    for i in range(c):
        cone_excess(m, rows, i)
    for lane in range(LANES):
        if m[rows.one + MODE, lane] == FRESH:
            open_frame(rows, m, lane, c)
            m[rows.one + NEED, lane] = 0.0


@straight
def choose_lengths(m: Rows, rows: ConeRows) -> None:
    """Set how far each lane goes."""
    # min(1, SHY / need): interior steps stop short of the boundary. All other modes take full steps.
    need = m[rows.one + NEED]
    way = SHY / select(need, ">", SHY, need, SHY)
    m[rows.one + LENGTH] = select(m[rows.one + MODE], "==", INTERIOR, way, 1.0)


@inner
def add_slope(rows: ConeRows, m: Array, c: int) -> None:
    """Write H x + g."""
    for k in range(3 * c):
        copy_row(m, rows.g + k, rows.slope + k)
    add_product(m, rows.h, rows.x, rows.slope, c)


@inner
def look(rows: ConeRows, m: Array, c: int) -> None:
    """Write gap, residuals and sizes."""
    for k in (GAP, MISS, NATURAL, HIGH, PUSH):
        clear_row(m, rows.one + k)
    for i in range(c):
        if rows.facets == 0:
            cone_measure(m, rows, i)
        else:
            side_begin(m, rows, i)
            for k in range(rows.facets):
                t = rows.trig + 2 + 2 * k
                search_measure(m, rows, i, t)
                side_measure(m, rows, i, t, rows.y + rows.facets * i + k)
            pyramid_measure(m, rows, i)


@kernel
def cone_programs(
    frames: ConeFrames, rows: ConeRows, first: int, last: int, x: Array, report: Array, m: Array
) -> None:
    """Solve frames first .. last - 1: writes x (n, 3 c) and report (n, 3): steps, 1 if solved, residual."""
    c = frames.friction.shape[1]
    scale = 1.0 / (3 * c)
    following = first
    if first >= last:
        return
    # Every lane holds some frame from the start: idle lanes take part in vector code, with finite numbers.
    for lane in range(LANES):
        load_frame(frames, rows, m, lane, first)
        m[rows.one + MODE, lane] = IDLE
    while True:
        busy = 0
        given = 0
        inside = 0
        for lane in range(LANES):
            if m[rows.one + MODE, lane] == IDLE and following < last:
                load_frame(frames, rows, m, lane, following)
                following += 1
            given += m[rows.one + MODE, lane] == GIVEN
            busy += m[rows.one + MODE, lane] != IDLE
            inside += m[rows.one + MODE, lane] == INTERIOR
        if busy == 0:
            break
        # A start of the caller skips the interior points: z = H x + g, and the finish at once.
        if given:
            add_slope(rows, m, c)
            for lane in range(LANES):
                if m[rows.one + MODE, lane] == GIVEN:
                    begin_there(rows, m, lane, 3 * c)
        # Predictor and corrector [Mehrotra1992] share one factorisation of H + B. The corrector changes r of
        # interior lanes alone; the others solve the same system once more.
        make_system(rows, m, c)
        factorise(m, rows.h, rows.b, rows.factor, c)
        substitute(m, rows.factor, rows.d, c)
        if inside:
            reach(rows, m, c)
            aim_centre(m, rows)
            correct(rows, m, c)
            substitute(m, rows.factor, rows.d, c)
        reach(rows, m, c)
        choose_lengths(m, rows)
        step(rows, m, c)
        add_slope(rows, m, c)
        look(rows, m, c)
        for lane in range(LANES):
            if m[rows.one + MODE, lane] != IDLE:
                ended = judge(frames, rows, m, lane, scale)
                if ended:
                    write_frame(frames, rows, m, lane, scale, ended, x, report)


@kernel
def cone_definite(frames: ConeFrames, rows: ConeRows, first: int, last: int, found: Array, m: Array) -> None:
    """Set found (n, 1) to 1 where H is not finite, 2 where not symmetric, 3 where not positive definite, else 0."""
    c = frames.friction.shape[1]
    n = 3 * c
    # B = 0: the factor is that of H itself.
    clear_rows(m, rows.b, 6 * c)
    for block in range(first, last, LANES):
        for lane in range(LANES):
            load_frame(frames, rows, m, lane, min(block + lane, last - 1))
        factorise(m, rows.h, rows.b, rows.factor, c)
        for lane in range(min(LANES, last - block)):
            f = block + lane
            # L_ii² over H_ii is what elimination leaves of a diagonal number. A fault that explains others
            # overwrites them: numbers that are not finite spoil pivots too.
            fault = 0.0
            for i in range(n):
                at = 9 * (i // 3) + 4 * (i % 3)
                pivot = 1.0 / m[block_row(rows.factor, i // 3) + at, lane] ** 2
                if not pivot > LEAST_PIVOT * m[block_row(rows.h, i // 3) + at, lane]:
                    fault = 3.0
            for i in range(n):
                for j in range(i):
                    a, b = frames.h[f, n * i + j], frames.h[f, n * j + i]
                    if (a - b) ** 2 > SKEW * abs(frames.h[f, (n + 1) * i] * frames.h[f, (n + 1) * j]):
                        fault = 2.0
            for k in range(n * n):
                if not abs(frames.h[f, k]) < np.inf:
                    fault = 1.0
            found[f, 0] = fault
