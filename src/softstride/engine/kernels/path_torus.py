"""A straight segment through the hole of a torus, round the inner side of its ring.

Where the ring comes nearest to the segment it is much like a cylinder along its tangent. Whether the path wraps is
decided on that cylinder, which paths touch on the side of the hole, and its closed form is where the geodesic on the
torus begins to be sought.

On its inner side a torus is a saddle: a path along the ring cannot rest there. A segment that runs much along the ring
goes down over it on one side of the hole and up on the other, and touches it twice, with a straight part between. Such
a path is sought from a point in the hole, each touch in turn while the other rests. For what is outside it is one wrap:
all of it between the first touch and the last acts on the link of the torus alone.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inner
from softstride.engine.kernels.path_answers import (
    INSIDE_IT,
    NOTHING,
    POSSIBLE,
    UNFOUND,
    WITHIN,
    Answer,
    Triple,
    no_wrap,
)
from softstride.engine.kernels.path_cylinder import wrap_cylinder
from softstride.engine.kernels.path_geodesic import PAIR, is_on, settle, settle_between
from softstride.engine.kernels.path_ring import from_ring, is_clear, nearest
from softstride.engine.kernels.path_surface_shape import along3, dot3, minus3, onto, tangential
from softstride.engine.kernels.path_tables import TORUS, TWICE
from softstride.engine.kernels.tables import Array

_HOLE = 0.6  # of the radius of the hole: a path is begun no farther from its middle
_TURNS = 250  # most rounds over both touches
_STILL = 1e-24  # [m²] movement that ends them

Touch = tuple[int, Triple, Triple, float, Triple]
"""1 or NOTHING or UNFOUND, where the geodesic begins, its direction, its length, where it ends."""


@inner
def touch(
    form: int, size: Triple, axis: int, sign: int, p1: Triple, p2: Triple, on: tuple[bool, bool], m: Array
) -> Touch:
    """Lead a segment over the ring where that is nearest, once; `on` says which ends the geodesic begins or ends at."""
    nowhere = (0.0, 0.0, 0.0)
    exists, x, y = nearest(size, axis, sign, p1, p2)
    if not exists:
        return NOTHING, nowhere, nowhere, 0.0, nowhere
    # Axes of the cylinder that the ring resembles there: x toward the hole, the touched half; z along the
    # ring.
    c, s = -x / size[1], -y / size[1]
    a = c * (p1[0] - x) + s * (p1[1] - y), -p1[2], -s * (p1[0] - x) + c * (p1[1] - y)
    b = c * (p2[0] - x) + s * (p2[1] - y), -p2[2], -s * (p2[0] - x) + c * (p2[1] - y)
    zero = form - TORUS
    given = wrap_cylinder(size[0], math.inf, zero, zero + 1, a, b, zero, 0.0)
    if given[0] <= NOTHING:
        return NOTHING, nowhere, nowhere, 0.0, nowhere
    meets = given[3]
    P = onto(form, size, (x + c * meets[0] - s * meets[2], y + s * meets[0] + c * meets[2], -meets[1]))
    T = tangential(form, size, P, minus3(P, p1))
    found, P, T, length, Q, _ = settle_between(form, size, p1, p2, on, P, T, given[5], m)
    if not found:
        return UNFOUND, P, T, length, Q
    return 1 if length > 0.0 else NOTHING, P, T, length, Q


@inner
def update(
    form: int,
    size: Triple,
    axis: int,
    sign: int,
    p1: Triple,
    p2: Triple,
    on: tuple[bool, bool],
    old: Touch,
    m: Array,
) -> Touch:
    """Return a touch between new ends; one that lifts off is NOTHING, one that is needed is begun."""
    if old[0] == 1:
        found, P, T, length, Q, _ = settle_between(form, size, p1, p2, on, old[1], old[2], old[3], m)
        if not found:
            return UNFOUND, P, T, length, Q
        return 1 if length > 0.0 else NOTHING, P, T, length, Q
    if is_clear(size, p1, p2):
        return NOTHING, old[1], old[2], old[3], old[4]
    return touch(form, size, axis, sign, p1, p2, on, m)


@inner
def thread(
    form: int, size: Triple, axis: int, sign: int, p1: Triple, p2: Triple, first: Touch, last: Touch, m: Array
) -> Answer:
    """Lead a path through the hole that may touch the ring twice, from touches that are about right.

    The second geodesic of two, and the lengths of both, are left in row PAIR of the scratch.
    """
    on1, on2 = is_on(form, size, p1), is_on(form, size, p2)
    # Each touch is found anew between an end and the other touch, in turn, until nothing moves.
    for _ in range(_TURNS):
        were = first[0], last[0]
        before, after = first[4], last[1]
        end = last[1] if last[0] == 1 else p2
        first = update(form, size, axis, sign, p1, end, (on1, last[0] != 1 and on2), first, m)
        start = first[4] if first[0] == 1 else p1
        last = update(form, size, axis, sign, start, p2, (first[0] != 1 and on1, on2), last, m)
        if first[0] == UNFOUND or last[0] == UNFOUND:
            return no_wrap(UNFOUND)
        d, g = minus3(first[4], before), minus3(last[1], after)
        moved = (dot3(d, d) if first[0] == 1 else 0.0) + (dot3(g, g) if last[0] == 1 else 0.0)
        if were[0] == first[0] and were[1] == last[0] and moved < _STILL:
            break
    else:
        return no_wrap(UNFOUND)
    if first[0] != 1 and last[0] != 1:
        return no_wrap(NOTHING if is_clear(size, p1, p2) else UNFOUND)
    # One touch has lifted off: an ordinary wrap, if its straight parts stay out of the tube.
    if first[0] != 1 or last[0] != 1:
        one = first if first[0] == 1 else last
        good = is_clear(size, p1, one[1]) and is_clear(size, one[4], p2)
        return (POSSIBLE, 1, one[3], one[1], one[4], one[3], one[2]) if good else no_wrap(UNFOUND)
    if not (
        is_clear(size, p1, first[1]) and is_clear(size, first[4], last[1]) and is_clear(size, last[4], p2)
    ):
        return no_wrap(UNFOUND)
    between = minus3(last[1], first[4])
    total = first[3] + math.sqrt(dot3(between, between)) + last[3]
    for k in range(3):
        m[PAIR, k], m[PAIR, 3 + k] = last[1][k], last[2][k]
    m[PAIR, 6], m[PAIR, 7] = first[3], last[3]
    return POSSIBLE, TWICE, total, first[1], last[4], total, first[2]


@inner
def wrap_torus(
    form: int,
    size: Triple,
    axis: int,
    sign: int,
    p1: Triple,
    p2: Triple,
    sense: int,
    start: Triple,
    heading: Triple,
    reach: float,
    m: Array,
) -> Answer:
    """Lead a segment through a torus about z; arguments and result as those of `wrap_ellipsoid`.

    The sizes are the radii of tube and ring. A sense of TWICE follows the two touches of a moment ago, of which the
    second is in row PAIR of the scratch.
    """
    least = (WITHIN * size[0]) ** 2
    if from_ring(size, p1) < least or from_ring(size, p2) < least:
        return no_wrap(INSIDE_IT)
    nowhere = (0.0, 0.0, 0.0)
    on = is_on(form, size, p1), is_on(form, size, p2)
    once: Touch = (NOTHING, nowhere, nowhere, 0.0, nowhere)
    if sense == 1:
        found, P, T, length, Q, _ = settle(form, size, p1, p2, start, heading, reach, m)
        if found and length > 0.0:
            once = 1, P, T, length, Q
    elif sense == TWICE:
        second = (m[PAIR, 0], m[PAIR, 1], m[PAIR, 2]), (m[PAIR, 3], m[PAIR, 4], m[PAIR, 5])
        one: Touch = (1, start, heading, m[PAIR, 6], start)
        other: Touch = (1, second[0], second[1], m[PAIR, 7], second[0])
        answer = thread(form, size, axis, sign, p1, p2, one, other, m)
        if answer[0] != UNFOUND:
            return answer
    if once[0] != 1:
        once = touch(form, size, axis, sign, p1, p2, on, m)
        if once[0] == NOTHING and is_clear(size, p1, p2):
            return no_wrap(NOTHING)
    alone = POSSIBLE, 1, once[3], once[1], once[4], once[3], once[2]
    if once[0] == 1 and is_clear(size, p1, once[1]) and is_clear(size, once[4], p2):
        return alone
    # One touch will not do: two are begun toward where the segment crosses the ring's plane, drawn into the
    # hole.
    if p1[2] * p2[2] < 0.0:
        middle = along3(p1, p1[2] / (p1[2] - p2[2]), minus3(p2, p1))
        aside = math.sqrt(middle[0] * middle[0] + middle[1] * middle[1])
        most = _HOLE * (size[1] - size[0])
        shrink = most / aside if aside > most else 1.0
        middle = shrink * middle[0], shrink * middle[1], 0.0
        one = touch(form, size, axis, sign, p1, middle, (on[0], False), m)
        other = touch(form, size, axis, sign, middle, p2, (False, on[1]), m)
        answer = thread(form, size, axis, sign, p1, p2, one, other, m)
        if answer[0] != UNFOUND:
            return answer
    return alone if once[0] == 1 else no_wrap(UNFOUND)
