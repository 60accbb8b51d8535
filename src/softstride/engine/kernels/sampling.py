"""A measured force at the frames of a motion: see `softstride.dynamics.resample`, which says what and why.

One pass over samples and one over frames, branching on what was measured: no recursion over a tree, and no lanes.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.tables import Array, IntArray

Vector = tuple[float, float, float]

# columns of the marks of a sample
LOADED, VALID, HERE = 0, 1, 2  # something acts; all is known that is needed; the point means something
BEFORE, AFTER = (
    3,
    4,
)  # the last sample up to this one, and the first from it on, whose point means something; or -1
MARKS = 5
# columns of the work on a sample: force and moment about the centre, their second derivatives, the elimination
BEND, SHARE = 6, 12
WORK = 13
LINEAR = 3  # samples, at most, between which lines are straight


@inner
def row3(x: Array, j: int) -> Vector:
    """Return a row of three."""
    return x[j, 0], x[j, 1], x[j, 2]


@inner
def some3(a: Vector) -> bool:
    """Return whether a vector is not zero; NaN is not."""
    return a[0] != 0.0 or a[1] != 0.0 or a[2] != 0.0


@inner
def finite3(a: Vector) -> bool:
    """Return whether a vector is finite."""
    return math.isfinite(a[0]) and math.isfinite(a[1]) and math.isfinite(a[2])


@inner
def mark_samples(f: Array, p: Array, m: Array, marks: IntArray, centre: Array) -> bool:
    """Mark what each sample is good for; the centre is the mean point. False: forces are known, their points never."""
    pushed = placed_once = False
    forces_known = True
    count = 0
    for i in range(3):
        centre[i] = 0.0
    for j in range(f.shape[0]):
        # A force needs a point, a moment alone does not. Where nothing acts the point means nothing.
        force, moment = row3(f, j), row3(m, j)
        pushes, placed, known = some3(force), finite3(row3(p, j)), finite3(force)
        loaded = pushes or some3(moment)
        valid = known and finite3(moment) and (placed or not pushes)
        here = placed and loaded and valid
        marks[j, LOADED], marks[j, VALID], marks[j, HERE] = loaded, valid, here
        if pushes:
            pushed = True
            placed_once = placed_once or placed
            forces_known = forces_known and known
        if here:
            count += 1
            for i in range(3):
                centre[i] += p[j, i]
    for i in range(3):
        centre[i] /= max(count, 1)
    return not pushed or placed_once or not forces_known


@inner
def link_points(marks: IntArray) -> None:
    """Find the nearest samples on both sides whose point means something."""
    n = marks.shape[0]
    last = -1
    for j in range(n):
        if marks[j, HERE]:
            last = j
        marks[j, BEFORE] = last
    last = -1
    for j in range(n - 1, -1, -1):
        if marks[j, HERE]:
            last = j
        marks[j, AFTER] = last


@inner
def bend(t: Array, start: int, stop: int, w: Array) -> None:
    """Set the second derivatives of the natural cubic spline through samples start .. stop - 1 (Thomas)."""
    for j in range(start, stop):
        for i in range(6):
            w[j, BEND + i] = 0.0
        w[j, SHARE] = 0.0
    if stop - start <= LINEAR:
        return
    # Second derivatives c, zero at both ends:
    # h0 c_(j-1) + 2 (h0 + h1) c_j + h1 c_(j+1) = 6 (w_(j+1) - w_j) / h1 - 6 (w_j - w_(j-1)) / h0
    for j in range(start + 1, stop - 1):
        h0, h1 = t[j] - t[j - 1], t[j + 1] - t[j]
        pivot = 1.0 / (2.0 * (h0 + h1) - h0 * w[j - 1, SHARE])
        w[j, SHARE] = h1 * pivot
        a, b = 6.0 / h0, 6.0 / h1
        for i in range(6):
            rise = b * (w[j + 1, i] - w[j, i]) - a * (w[j, i] - w[j - 1, i])
            w[j, BEND + i] = (rise - h0 * w[j - 1, BEND + i]) * pivot
    for j in range(stop - 2, start, -1):
        for i in range(6):
            w[j, BEND + i] -= w[j, SHARE] * w[j + 1, BEND + i]


@inner
def prepare_splines(
    t: Array, f: Array, p: Array, m: Array, about: int, marks: IntArray, centre: Array, w: Array
) -> None:
    """Write down what the splines go through, and bend one through each run of valid samples."""
    n = t.shape[0]
    for j in range(n):
        for i in range(3):
            w[j, i], w[j, 3 + i] = f[j, i], m[j, i]
        # M = m + (p - o) x f about the centre o: continuous where the point is not. If force and point are in
        # different frames, the moment stays about the point.
        if about and marks[j, HERE]:
            x, y, z = p[j, 0] - centre[0], p[j, 1] - centre[1], p[j, 2] - centre[2]
            w[j, 3] += y * f[j, 2] - z * f[j, 1]
            w[j, 4] += z * f[j, 0] - x * f[j, 2]
            w[j, 5] += x * f[j, 1] - y * f[j, 0]
    start = 0
    while start < n:
        if marks[start, VALID]:
            stop = start + 1
            while stop < n and marks[stop, VALID]:
                stop += 1
            bend(t, start, stop, w)
            start = stop
        else:
            start += 1


@inner
def interval(t: Array, j: int, x: float, same: float, marks: IntArray) -> int:
    """Return the sample that begins the interval of x, between j and j + 1: -1 if it is not known there."""
    n = t.shape[0]
    after = j + 1 < n and marks[j + 1, VALID]
    if marks[j, VALID]:
        if after or j + 1 == n:
            return j
        if x <= t[j] + same:  # at the end of a run
            return j - 1 if j > 0 and marks[j - 1, VALID] else j
    elif after and x >= t[j + 1] - same:  # at the start of one
        return j + 1
    return -1


@inner
def spline3(w: Array, i: int, c: int, left: float, right: float, bend0: float, bend1: float) -> Vector:
    """Return three columns from c on, with these shares of samples i and i + 1 and of their second derivatives."""
    x = left * w[i, c] + right * w[i + 1, c] + (bend0 * w[i, c + BEND] + bend1 * w[i + 1, c + BEND])
    y = left * w[i, c + 1] + right * w[i + 1, c + 1]
    y += bend0 * w[i, c + 1 + BEND] + bend1 * w[i + 1, c + 1 + BEND]
    z = left * w[i, c + 2] + right * w[i + 1, c + 2]
    z += bend0 * w[i, c + 2 + BEND] + bend1 * w[i + 1, c + 2 + BEND]
    return x, y, z


@inner
def spline_at(t: Array, i: int, x: float, marks: IntArray, w: Array) -> tuple[Vector, Vector]:
    """Return force and moment about the centre at x, behind sample i."""
    if i + 1 == t.shape[0] or not marks[i + 1, VALID]:  # a run of one
        return (w[i, 0], w[i, 1], w[i, 2]), (w[i, 3], w[i, 4], w[i, 5])
    if not (marks[i, LOADED] or marks[i + 1, LOADED]):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    # left w_0 + right w_1 + h^2 / 6 ((left^3 - left) c_0 + (right^3 - right) c_1)
    h = t[i + 1] - t[i]
    right = min(max((x - t[i]) / h, 0.0), 1.0)
    left = 1.0 - right
    square = h * h / 6.0
    bend0, bend1 = square * left * (left * left - 1.0), square * right * (right * right - 1.0)
    return spline3(w, i, 0, left, right, bend0, bend1), spline3(w, i, 3, left, right, bend0, bend1)


@inner
def point_at(t: Array, p: Array, j: int, x: float, marks: IntArray) -> Vector:
    """Return the point at x behind sample j: on a line between the nearest points that mean something."""
    a, b = marks[j, BEFORE], marks[min(j + 1, t.shape[0] - 1), AFTER]
    if a < 0 and b < 0:
        return 0.0, 0.0, 0.0
    a = b if a < 0 else a
    b = a if b < 0 else b
    share = (x - t[a]) / (t[b] - t[a]) if b > a else 0.0
    return (
        p[a, 0] + share * (p[b, 0] - p[a, 0]),
        p[a, 1] + share * (p[b, 1] - p[a, 1]),
        p[a, 2] + share * (p[b, 2] - p[a, 2]),
    )


@inner
def cross3(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def put3(out: Array, k: int, c: int, a: Vector) -> None:
    """Write a vector to three columns from c on."""
    out[k, c], out[k, c + 1], out[k, c + 2] = a


@kernel
def sample_force(
    t: Array,
    f: Array,
    p: Array,
    m: Array,
    x: Array,
    at: IntArray,
    covered: Array,
    exact: int,
    about: int,
    same: float,
    F: Array,
    P: Array,
    M: Array,
    told: Array,
    table: Array,
    column: int,
    acts: Array,
    known: Array,
    marks: IntArray,
    w: Array,
    centre: Array,
    found: IntArray,
) -> None:
    """Bring samples at t to frames at x.

    ``at`` is the sample of each frame if they are ``exact``, or else the one before it. ``about`` says whether force
    and point are given in one frame. ``told`` is the point, NaN where nothing acts; moment, force and point are written
    to nine columns of ``table`` too. found[0] is 1 if points are missing; found[1] counts the frames not known.
    """
    if not mark_samples(f, p, m, marks, centre):
        found[0] = 1
        return
    if not exact:
        if not about:
            for i in range(3):
                centre[i] = 0.0
        link_points(marks)
        prepare_splines(t, f, p, m, about, marks, centre, w)
    zero = (0.0, 0.0, 0.0)
    nowhere = (math.nan, math.nan, math.nan)
    unknown = 0
    for k in range(x.shape[0]):
        j = at[k]
        force, point, moment = zero, zero, zero
        if exact:
            ok = marks[j, VALID] != 0 and covered[k]
            if ok:
                force, moment = row3(f, j), row3(m, j)
                point = row3(p, j) if marks[j, HERE] else zero
        else:
            i = interval(t, j, x[k], same, marks)
            ok = i >= 0 and covered[k]
            point = point_at(t, p, j, x[k], marks)
            if ok:
                force, moment = spline_at(t, i, x[k], marks, w)
                if about:
                    # Back to the point at this instant: m = M - (p - o) x f.
                    arm = (point[0] - centre[0], point[1] - centre[1], point[2] - centre[2])
                    turn = cross3(arm, force)
                    moment = (moment[0] - turn[0], moment[1] - turn[1], moment[2] - turn[2])
        acting = some3(force) or some3(moment)
        unknown += not ok
        known[k], acts[k] = ok, acting
        put3(F, k, 0, force)
        put3(P, k, 0, point)
        put3(M, k, 0, moment)
        put3(told, k, 0, point if acting else nowhere)
        put3(table, k, column, moment)
        put3(table, k, column + 3, force)
        put3(table, k, column + 6, point)
    found[1] = unknown
