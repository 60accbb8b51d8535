"""A straight segment over a cylinder, in closed form.

In the cross-section an end at distance d and azimuth phi touches the circle of radius r at phi +- acos(r / d). Going
round with sense s = +-1, from end 1 to end 2, the path lies on the circle for the angle

    theta_s = (s (phi_2 - phi_1) mod 2 pi) - acos(r / d_1) - acos(r / d_2),

and it does not reach the circle if theta_s <= 0; the segment itself runs through the circle if both are positive.
Unrolled, the path is one straight line: it rises along the axis in proportion to the way in the cross-section, so with
S = sqrt(d_1^2 - r^2) + r theta + sqrt(d_2^2 - r^2) its length is sqrt(S^2 + (z_2 - z_1)^2), which is the geodesic.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inlined
from softstride.engine.kernels.path_answers import (
    HELD,
    INSIDE_IT,
    MANDATORY,
    NOTHING,
    POSSIBLE,
    TURN,
    WITHIN,
    Answer,
    Triple,
    no_wrap,
    side,
)

FULL = TURN - 1e-9  # a whole turn, less rounding
NEAR = 0.5 * math.pi  # largest change of the angle with which a path is the one of a moment ago


@inlined
def tangent_point(p: Triple, r: float, sense: int) -> Triple:
    """Return where a line from p in the cross-section touches the circle, ahead in a sense; at the height of p."""
    # p turned by acos(r / |p|) and shortened to r: the tangent point sees p and the axis at a right angle.
    d = p[0] * p[0] + p[1] * p[1]
    c, s = r * r / d, sense * r * math.sqrt(max(d - r * r, 0.0)) / d
    return c * p[0] - s * p[1], c * p[1] + s * p[0], p[2]


@inlined
def constrained_sense(axis: int, sign: int, r: float, p1: Triple, p2: Triple) -> int:
    """Return which way round touches the half that paths may touch: by where the four tangent points are."""
    a, b = tangent_point(p1, r, 1), tangent_point(p1, r, -1)
    e, f = (
        tangent_point(p2, r, 1),
        tangent_point(p2, r, -1),
    )  # sense +1 goes from a to f, sense -1 from b to e
    on_a, on_b = side(a[axis]) == sign, side(b[axis]) == sign
    if on_a != on_b:
        return 1 if on_a else -1
    if side(e[axis]) == sign:
        return -1
    if on_a or side(f[axis]) == sign:
        return 1
    return 1 if a[0] * f[0] + a[1] * f[1] < b[0] * e[0] + b[1] * e[1] else -1


@inlined
def passes(p1: Triple, p2: Triple, r: float) -> tuple[bool, int, Triple]:
    """Return whether a segment runs through the circle, in which sense it turns, and where its line is nearest."""
    dx, dy = p2[0] - p1[0], p2[1] - p1[1]
    dd = dx * dx + dy * dy
    t = -(p1[0] * dx + p1[1] * dy) / dd if dd > 0.0 else -1.0
    near = p1[0] + t * dx, p1[1] + t * dy, p1[2] + t * (p2[2] - p1[2])
    through = 0.0 < t < 1.0 and near[0] * near[0] + near[1] * near[1] < r * r
    return through, 1 if p1[0] * p2[1] - p1[1] * p2[0] >= 0.0 else -1, near


@inlined
def choose(
    axis: int, sign: int, r: float, p1: Triple, p2: Triple, through: bool, turns: int, near: Triple
) -> tuple[int, int]:
    """Return whether a segment wraps and in which sense.

    A surface that may be touched everywhere is wrapped if the segment runs through it, the shorter way round. One that
    may be touched on one half is wrapped over that half: if the segment runs through it, if both ends are beyond, or if
    one is and the segment passes on the wrong side.
    """
    if sign == 0:
        return (MANDATORY, turns) if through else (NOTHING, 0)
    good1, good2 = side(p1[axis]) == sign, side(p2[axis]) == sign
    required = not (good1 or good2) or (good1 != good2 and side(near[axis]) != sign)
    if not through and not required:
        return NOTHING, 0
    sense = constrained_sense(axis, sign, r, p1, p2)
    if not through and sense == turns:
        return NOTHING, 0  # the segment goes that way round by itself
    return MANDATORY if through and (good1 or good2) else POSSIBLE, sense


@inlined
def arc(
    r: float, p1: Triple, p2: Triple, d1: float, d2: float, t1: float, t2: float, sense: int
) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Return where a path in a sense meets the circle and leaves it, and the angle between, 0 to 2 pi.

    d are the squared distances of the ends from the axis, t the lengths of the tangents.
    """
    # As `tangent_point`; the path leaves toward end 2, so there the sense is the other one.
    c1, s1, c2, s2 = r * r / d1, sense * r * t1 / d1, r * r / d2, -sense * r * t2 / d2
    a = c1 * p1[0] - s1 * p1[1], c1 * p1[1] + s1 * p1[0]
    b = c2 * p2[0] - s2 * p2[1], c2 * p2[1] + s2 * p2[0]
    theta = math.atan2(sense * (a[0] * b[1] - a[1] * b[0]), a[0] * b[0] + a[1] * b[1])
    if theta < 0.0:
        theta += TURN
    return a, b, theta if theta < FULL else 0.0  # rounding where the path just touches


@inlined
def wrap_cylinder(
    r: float, half: float, axis: int, sign: int, p1: Triple, p2: Triple, sense: int, turn: float
) -> Answer:
    """Lead a segment over a cylinder about z of radius r and half length `half`.

    A segment that does not run through the circle turns about it by less than half a turn in one sense, theta <= 0, and
    the path can only lie on the circle in the other.

    Args:
        r: Radius.
        half: Half of its length.
        axis: Axis of the half that paths may touch.
        sign: Its sign; 0: all of the surface.
        p1: End 1 in the axes of the cylinder.
        p2: End 2.
        sense: Sense to keep; 0: choose.
        turn: Angle on the surface with this sense a moment ago.

    Returns:
        The answer, see `path_answers`; the direction is left out.
    """
    d1, d2 = p1[0] * p1[0] + p1[1] * p1[1], p2[0] * p2[0] + p2[1] * p2[1]
    least = (WITHIN * r) ** 2
    if d1 < least or d2 < least:
        return no_wrap(INSIDE_IT)
    t1, t2 = math.sqrt(max(d1 - r * r, 0.0)), math.sqrt(max(d2 - r * r, 0.0))
    through, turns, near = passes(p1, p2, r)
    answer = NOTHING
    # A wrap is kept while its angle changes little; it lifts off where the segment turns that way by itself.
    if sense != 0:
        a, b, theta = arc(r, p1, p2, d1, d2, t1, t2, sense)
        off = not through and sense == turns and turn < NEAR  # else it has gone round once
        if not off and abs(theta - turn) < NEAR:
            answer = HELD if sign == 0 and sense != turns else MANDATORY
    if answer == NOTHING:
        answer, sense = choose(axis, sign, r, p1, p2, through, turns, near)
        if answer == NOTHING:
            return no_wrap(NOTHING)
        a, b, theta = arc(r, p1, p2, d1, d2, t1, t2, sense)
    way = t1 + r * theta + t2
    rise = (p2[2] - p1[2]) / way
    z1, z2 = p1[2] + rise * t1, p2[2] - rise * t2
    if abs(z1) > half and abs(z2) > half:
        return no_wrap(NOTHING)
    length = r * theta * math.sqrt(1.0 + rise * rise)
    return answer, sense, theta, (a[0], a[1], z1), (b[0], b[1], z2), length, p1
