"""Leading a path over its surfaces: which segment, which side, and all of them in turn until nothing moves."""

from __future__ import annotations

import math

from softstride.engine.jit import inlined
from softstride.engine.kernels.path_answers import (
    ASTRAY,
    HELD,
    INSIDE_IT,
    MANDATORY,
    NOTHING,
    UNFOUND,
    Triple,
)
from softstride.engine.kernels.path_geodesic import GEODESIC_ROWS, PAIR
from softstride.engine.kernels.path_ring import is_clear
from softstride.engine.kernels.path_surfaces import wrap_surface
from softstride.engine.kernels.path_tables import (
    ANGLE,
    FIRST,
    FORM,
    HEADING,
    INSIDE,
    LAST,
    LEAVES,
    LONGER,
    MEETS,
    OFFSIDE,
    POINT,
    REACH,
    SECOND,
    SEGMENT,
    SENSE,
    SURFACE,
    THROUGH,
    TORUS,
    TRACE_COLUMNS,
    TWICE,
    UNSETTLED,
    WRAP,
    WRAPPED,
    WRAPS,
    PathTables,
)
from softstride.engine.kernels.path_vertices import (
    OWNER,
    WHICH,
    along,
    insert_wrap,
    name_of,
    remove_wrap,
    restore,
    to_surface,
)
from softstride.engine.kernels.tables import Array, IntArray

BEFORE = GEODESIC_ROWS  # row of scratch: where a wrap was in the round before
SCRATCH_ROWS = BEFORE + 1
ROUNDS = 60  # over all surfaces of a path
FREE_ROUNDS = 8  # in which every surface chooses anew
COARSE, FINE = 5e-4, 1e-12  # [m] change of length that ends the free rounds; movement of wraps that ends all


@inlined
def apart(a: Triple, b: Triple) -> float:
    """Return the distance of two points."""
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@inlined
def extension(p1: Triple, p2: Triple, meets: Triple, leaves: Triple, length: float) -> float:
    """Return by how much a wrap makes a segment longer."""
    return apart(p1, meets) + length + apart(leaves, p2) - apart(p1, p2)


@inlined
def lead_over(
    t: PathTables,
    path: int,
    w: int,
    poses: Array,
    f: int,
    x: Array,
    marks: IntArray,
    n: int,
    keep: bool,
    memory: IntArray,
    trace: Array,
    status: Array,
    m: Array,
) -> tuple[int, float]:
    """Lead a path anew over one surface.

    The segment that runs through the surface wraps; if several could but none must, the one that becomes longer by
    least. A wrap that is kept keeps its segment and its way round as long as it touches.

    Returns:
        Number of vertices, length on the surface.
    """
    n = remove_wrap(w, x, marks, n)
    s = t.wraps[w, SURFACE]
    low, high = t.paths[path, POINT] + t.wraps[w, FIRST], t.paths[path, POINT] + t.wraps[w, LAST]
    start, end = -1, -1
    for i in range(n):
        if marks[i, OWNER] < 0 and low <= marks[i, WHICH] <= high:
            if start < 0:
                start = i
            end = i
    # First the segment of a moment ago with its way round; if it no longer touches, all segments choose anew.
    kept = memory[w, SEGMENT] if keep and memory[w, SENSE] != 0 else -1
    best, answer, length, least = -1, NOTHING, 0.0, math.inf
    inside, unfound = False, False
    for attempt in range(2 if kept != -1 else 1):
        mine = kept != -1 and attempt == 0
        last = -1
        p1 = p2 = (0.0, 0.0, 0.0)
        for i in range(start, end):
            same = marks[i, OWNER] >= 0 and marks[i, OWNER] == marks[i + 1, OWNER]
            if not same and (not mine or name_of(marks, i) == kept):
                p1 = p2 if last == i else to_surface(poses, f, s, x, i)
                p2 = to_surface(poses, f, s, x, i + 1)
                last = i + 1
                given = wrap_surface(t, s, p1, p2, memory[w, SENSE] if mine else 0, trace, w, m)
                inside = inside or given[0] == INSIDE_IT
                unfound = unfound or given[0] == UNFOUND
                if given[0] > NOTHING:
                    # A wrap that must be goes first; of the others, that of least detour.
                    longer = (
                        extension(p1, p2, given[3], given[4], given[5]) if given[0] < MANDATORY else -math.inf
                    )
                    if longer < least:
                        least, best = longer, i
                        answer, length = given[0], given[5]
                        memory[w, SEGMENT], memory[w, SENSE] = name_of(marks, i), given[1]
                        trace[w, ANGLE] = given[2]
                        trace[w, REACH] = given[5]
                        for k in range(3):
                            trace[w, MEETS + k] = given[3][k]
                            trace[w, LEAVES + k] = given[4][k]
                            trace[w, HEADING + k] = given[6][k]
                        if given[1] == TWICE:
                            for k in range(TRACE_COLUMNS - SECOND):
                                trace[w, SECOND + k] = m[PAIR, k]
                    if given[0] >= MANDATORY:
                        break
        if best >= 0:
            break
    bits = (INSIDE if inside else 0) | (THROUGH if unfound else 0)
    if best < 0:
        memory[w, SEGMENT], memory[w, SENSE] = -1, 0
    else:
        n = insert_wrap(t, w, poses, f, best + 1, x, marks, n, trace)
        bits |= WRAPPED | (LONGER if answer == HELD else 0) | (OFFSIDE if answer == ASTRAY else 0)
    status[f, w] = bits
    return n, length


@inlined
def wrap_all(
    t: PathTables,
    path: int,
    poses: Array,
    f: int,
    follows: bool,
    x: Array,
    marks: IntArray,
    n: int,
    memory: IntArray,
    trace: Array,
    arcs: Array,
    status: Array,
    m: Array,
) -> int:
    """Lead a path over all its surfaces in turn until nothing moves; return the number of vertices."""
    first, count = t.paths[path, WRAP], t.paths[path, WRAPS]
    if not follows:
        for w in range(first, first + count):
            memory[w, SEGMENT], memory[w, SENSE] = -1, 0
    elif count > 1:
        n = restore(t, path, poses, f, x, marks, n, memory, trace)
    for w in range(first, first + count):
        status[f, w] = 0
    keep = follows
    last = math.inf
    # Several surfaces: each over the straight parts that the others leave. Choices are free at first, then
    # held, so that two surfaces cannot exchange a wrap for ever.
    for turn in range(ROUNDS):
        moved = 0.0
        for w in range(first, first + count):
            for k in range(6):
                m[BEFORE, k] = trace[w, MEETS + k]
            was = memory[w, SENSE]
            n, arcs[w] = lead_over(t, path, w, poses, f, x, marks, n, keep, memory, trace, status, m)
            if memory[w, SENSE] != 0:
                for k in range(6):
                    moved = max(moved, abs(trace[w, MEETS + k] - m[BEFORE, k]))
            if was != memory[w, SENSE]:
                moved = math.inf
        if count == 1 or moved < FINE:
            return n
        total = along(x, marks, n, arcs)
        if turn + 1 >= FREE_ROUNDS or abs(total - last) < COARSE:
            keep = True
        last = total
    for w in range(first, first + count):
        status[f, w] = int(status[f, w]) | UNSETTLED
    return n


@inlined
def look_through(
    t: PathTables, path: int, poses: Array, f: int, x: Array, marks: IntArray, n: int, status: Array
) -> None:
    """Mark the tori that straight parts of a path run through, and no others."""
    for w in range(t.paths[path, WRAP], t.paths[path, WRAP] + t.paths[path, WRAPS]):
        s = t.wraps[w, SURFACE]
        if t.surfaces[s, FORM] != TORUS or int(status[f, w]) & INSIDE:
            continue
        size = t.sizes[s, 0], t.sizes[s, 1], t.sizes[s, 2]
        low, high = t.paths[path, POINT] + t.wraps[w, FIRST], t.paths[path, POINT] + t.wraps[w, LAST]
        within, through = False, False
        for i in range(n - 1):
            if marks[i, OWNER] < 0:
                within = low <= marks[i, WHICH] < high
            same = marks[i, OWNER] >= 0 and marks[i, OWNER] == marks[i + 1, OWNER]
            if within and not same:
                p1, p2 = to_surface(poses, f, s, x, i), to_surface(poses, f, s, x, i + 1)
                through = through or not is_clear(size, p1, p2)
        bits = int(status[f, w])
        status[f, w] = bits | THROUGH if through else bits & ~THROUGH
