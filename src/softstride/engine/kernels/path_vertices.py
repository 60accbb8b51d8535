"""A path as a list of vertices.

Each vertex has its position in world axes and three marks: its slot, the point that it is, the wrap that it belongs to.
The two vertices of a wrap are where the path meets the surface and where it leaves it.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inlined
from softstride.engine.kernels.path_answers import Triple
from softstride.engine.kernels.path_tables import (
    CONDITION,
    LEAVES,
    MEETS,
    POINT,
    POINTS,
    SEAT,
    SEGMENT,
    SENSE,
    SLOT,
    SURFACE,
    WRAP,
    WRAPS,
    PathTables,
)
from softstride.engine.kernels.tables import Array, IntArray

ON, WHICH, OWNER = 0, 1, 2  # marks of a vertex: slot, point (-1: of a wrap), wrap (-1: a point)


@inlined
def gather(t: PathTables, path: int, q: Array, positions: Array, f: int, x: Array, marks: IntArray) -> int:
    """Put the points in use into the list of vertices and return their number."""
    n = 0
    for p in range(t.paths[path, POINT], t.paths[path, POINT] + t.paths[path, POINTS]):
        c = t.points[p, CONDITION]
        if c >= 0 and not (t.ranges[p, 0] <= q[f, c] <= t.ranges[p, 1]):
            continue
        for k in range(3):
            x[n, k] = positions[f, 3 * p + k]
        marks[n, ON], marks[n, WHICH], marks[n, OWNER] = t.points[p, SLOT], p, -1
        n += 1
    return n


@inlined
def to_surface(poses: Array, f: int, s: int, x: Array, i: int) -> Triple:
    """Return a vertex in the axes of a surface."""
    b = 16 * s
    dx, dy, dz = x[i, 0] - poses[f, b + 3], x[i, 1] - poses[f, b + 7], x[i, 2] - poses[f, b + 11]
    return (
        poses[f, b] * dx + poses[f, b + 4] * dy + poses[f, b + 8] * dz,
        poses[f, b + 1] * dx + poses[f, b + 5] * dy + poses[f, b + 9] * dz,
        poses[f, b + 2] * dx + poses[f, b + 6] * dy + poses[f, b + 10] * dz,
    )


@inlined
def insert_wrap(
    t: PathTables,
    w: int,
    poses: Array,
    f: int,
    at: int,
    x: Array,
    marks: IntArray,
    n: int,
    trace: Array,
) -> int:
    """Insert the two vertices of a wrap before vertex `at`, from where it was last; return the number of vertices."""
    for i in range(n - 1, at - 1, -1):
        for k in range(3):
            x[i + 2, k] = x[i, k]
            marks[i + 2, k] = marks[i, k]
    b = 16 * t.wraps[w, SURFACE]
    for i in range(2):
        c = MEETS if i == 0 else LEAVES
        for k in range(3):
            row = b + 4 * k
            x[at + i, k] = poses[f, row + 3] + (
                poses[f, row] * trace[w, c]
                + poses[f, row + 1] * trace[w, c + 1]
                + poses[f, row + 2] * trace[w, c + 2]
            )
        marks[at + i, ON], marks[at + i, WHICH], marks[at + i, OWNER] = t.wraps[w, SEAT], -1, w
    return n + 2


@inlined
def remove_wrap(w: int, x: Array, marks: IntArray, n: int) -> int:
    """Remove the two vertices of a wrap, if they are there; return the number of vertices."""
    for i in range(n):
        if marks[i, OWNER] == w:
            for j in range(i, n - 2):
                for k in range(3):
                    x[j, k] = x[j + 2, k]
                    marks[j, k] = marks[j + 2, k]
            return n - 2
    return n


@inlined
def name_of(marks: IntArray, i: int) -> int:
    """Return the name of the segment that starts at a vertex."""
    return marks[i, WHICH] if marks[i, OWNER] < 0 else -2 - marks[i, OWNER]


@inlined
def restore(
    t: PathTables,
    path: int,
    poses: Array,
    f: int,
    x: Array,
    marks: IntArray,
    n: int,
    memory: IntArray,
    trace: Array,
) -> int:
    """Put the wraps of the frame before into the path; return the number of vertices."""
    first, count = t.paths[path, WRAP], t.paths[path, WRAPS]
    # A wrap may start from another one: rounds go on until each has found its segment.
    wanted = 0
    for w in range(first, first + count):
        wanted += memory[w, SENSE] != 0
    for _ in range(count):
        if wanted == 0:
            break
        for w in range(first, first + count):
            if memory[w, SENSE] == 0:
                continue
            at = -1
            for i in range(n):
                if marks[i, OWNER] == w:
                    at = -1
                    break
                leaves = i + 1 < n and (marks[i, OWNER] < 0 or marks[i + 1, OWNER] != marks[i, OWNER])
                if at < 0 and leaves and name_of(marks, i) == memory[w, SEGMENT]:
                    at = i + 1
            if at > 0:
                n = insert_wrap(t, w, poses, f, at, x, marks, n, trace)
                wanted -= 1
    return n


@inlined
def distance(x: Array, i: int) -> float:
    """Return the distance from a vertex to the next."""
    return math.sqrt(
        (x[i + 1, 0] - x[i, 0]) ** 2 + (x[i + 1, 1] - x[i, 1]) ** 2 + (x[i + 1, 2] - x[i, 2]) ** 2
    )


@inlined
def along(x: Array, marks: IntArray, n: int, arcs: Array) -> float:
    """Return the length of a path: straight between vertices, along the surface between those of a wrap."""
    total = 0.0
    for i in range(n - 1):
        w = marks[i, OWNER]
        total += arcs[w] if w >= 0 and marks[i + 1, OWNER] == w else distance(x, i)
    return total
