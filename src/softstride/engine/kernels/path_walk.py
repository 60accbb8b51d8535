"""Walking along paths: which points are in use, which surfaces are wrapped, length, and wrenches of unit tension.

One frame at a time, since branches differ from frame to frame. With the unit vectors u to the neighbours of a vertex
(none along a surface), the force of unit tension on its link is their sum; since what lies on a surface has the least
length, dL = -sum f . dx over all vertices, moved with their links.
"""

from __future__ import annotations

from softstride.engine.jit import inlined, kernel
from softstride.engine.kernels.path_tables import (
    SENSE,
    TERM,
    TERMS,
    TRACE_COLUMNS,
    WRAP,
    WRAPS,
    PathTables,
    Record,
)
from softstride.engine.kernels.path_vertices import ON, OWNER, WHICH, distance, gather
from softstride.engine.kernels.path_wraps import look_through, wrap_all
from softstride.engine.kernels.tables import Array, IntArray
from softstride.engine.lanes import LANES


@inlined
def pull(
    t: PathTables,
    positions: Array,
    rates: Array,
    f: int,
    x: Array,
    marks: IntArray,
    n: int,
    arcs: Array,
    wrenches: Array,
    row: int,
    lane: int,
    extra: Array,
) -> float:
    """Add the wrenches of unit tension on the links of a path about their origins; return the length of the path."""
    total = 0.0
    ux, uy, uz = 0.0, 0.0, 0.0  # from the vertex before
    # f = sum of unit vectors to the neighbours, with its moment about the link's origin. Over a surface the
    # path is in balance between its straight parts and the pressure, so the link gets what these parts pull.
    for i in range(n):
        vx, vy, vz = 0.0, 0.0, 0.0  # to the next vertex
        if i + 1 < n:
            w = marks[i, OWNER]
            if w >= 0 and marks[i + 1, OWNER] == w:
                total += arcs[w]
            else:
                d = distance(x, i)
                total += d
                if d > 0.0:
                    vx, vy, vz = (
                        (x[i + 1, 0] - x[i, 0]) / d,
                        (x[i + 1, 1] - x[i, 1]) / d,
                        (x[i + 1, 2] - x[i, 2]) / d,
                    )
        fx, fy, fz = vx - ux, vy - uy, vz - uz
        slot = marks[i, ON]
        o = 3 * t.origins[slot]
        ax, ay, az = x[i, 0] - positions[f, o], x[i, 1] - positions[f, o + 1], x[i, 2] - positions[f, o + 2]
        r = row + 6 * slot
        wrenches[r, lane] += ay * fz - az * fy
        wrenches[r + 1, lane] += az * fx - ax * fz
        wrenches[r + 2, lane] += ax * fy - ay * fx
        wrenches[r + 3, lane] += fx
        wrenches[r + 4, lane] += fy
        wrenches[r + 5, lane] += fz
        # Points that move over their link do work there as well: f . dp/dq, added to the arm.
        p = marks[i, WHICH]
        if p >= 0:
            for k in range(t.points[p, TERM], t.points[p, TERM] + t.points[p, TERMS]):
                extra[f, k] = fx * rates[f, 3 * k] + fy * rates[f, 3 * k + 1] + fz * rates[f, 3 * k + 2]
        ux, uy, uz = vx, vy, vz
    return total


@inlined
def write(
    record: Record,
    t: PathTables,
    path: int,
    f: int,
    x: Array,
    marks: IntArray,
    n: int,
    memory: IntArray,
    trace: Array,
) -> None:
    """Write down the vertices of a path and where its wraps are."""
    record.counts[f, path] = n
    for i in range(n):
        for k in range(3):
            record.vertices[f, path, i, k] = x[i, k]
            record.marks[f, path, i, k] = marks[i, k]
    for w in range(t.paths[path, WRAP], t.paths[path, WRAP] + t.paths[path, WRAPS]):
        record.senses[f, w] = memory[w, SENSE]
        for k in range(TRACE_COLUMNS):
            record.traces[f, w, k] = trace[w, k]


@kernel
def walk_paths(
    t: PathTables,
    q: Array,
    positions: Array,
    poses: Array,
    rates: Array,
    follows: Array,
    memory: IntArray,
    trace: Array,
    arcs: Array,
    x: Array,
    marks: IntArray,
    m: Array,
    length: Array,
    wrenches: Array,
    extra: Array,
    status: Array,
    record: Record,
    first: int,
    last: int,
) -> None:
    """Walk along paths first .. last - 1 in all frames.

    Args:
        t: Tables.
        q: Configurations (n_frames, nq), of which conditional points read their coordinates.
        positions: Of points and of origins of links, world axes, (n_frames, 3 n).
        poses: Of surfaces (n_frames, 16 n_surfaces).
        rates: Change of moving points with their coordinates, world axes (n_frames, 3 n_terms).
        follows: Whether each frame continues the one before (n_frames,).
        memory: Segment and sense of each wrap (n_wraps, MEMORY_COLUMNS), kept from call to call.
        trace: Where each wrap was (n_wraps, TRACE_COLUMNS), kept from call to call.
        arcs: Scratch (n_wraps,).
        x: Scratch for vertices (n, 3).
        marks: Scratch (n, 3).
        m: Scratch (SCRATCH_ROWS, SIZE).
        length: Result (n_frames, n_paths).
        wrenches: Result in blocks of lanes (see `path_arms`), zero at first.
        extra: Result (n_frames, n_terms): what moving points add to arms, zero at first.
        status: Result (n_frames, n_wraps): bits.
        record: Result, or arrays for no frames: the vertices of each path.
        first: First path.
        last: Path after the last.
    """
    n_slots = t.origins.shape[0]
    for f in range(length.shape[0]):
        row, lane = f // LANES * 6 * n_slots, f % LANES
        for path in range(first, last):
            n = gather(t, path, q, positions, f, x, marks)
            if t.paths[path, WRAPS] > 0 and n > 1:
                n = wrap_all(t, path, poses, f, follows[f] > 0.0, x, marks, n, memory, trace, arcs, status, m)
                look_through(t, path, poses, f, x, marks, n, status)
            length[f, path] = pull(t, positions, rates, f, x, marks, n, arcs, wrenches, row, lane, extra)
            if record.vertices.shape[0] > 0:
                write(record, t, path, f, x, marks, n, memory, trace)
