"""A straight segment over an ellipsoid: a geodesic, begun from the best plane section, then followed.

In coordinates divided by the half axes the ellipsoid is the unit sphere and a plane through the segment cuts it in a
circle, where tangents are known. Of several planes about the segment the one with the shortest path is where the
geodesic begins to be sought; which side of the ellipsoid the path takes is decided there.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inlined, inner
from softstride.engine.kernels.path_answers import (
    ASTRAY,
    HELD,
    INSIDE_IT,
    MANDATORY,
    NOTHING,
    TURN,
    UNFOUND,
    WITHIN,
    Answer,
    Triple,
    no_wrap,
    side,
)
from softstride.engine.kernels.path_geodesic import Geodesic, settle, settle_between
from softstride.engine.kernels.path_shoot import STATE, shoot
from softstride.engine.kernels.path_sphere import meridian, runs_through
from softstride.engine.kernels.path_surface_shape import (
    along3,
    cross3,
    dot3,
    gradient,
    minus3,
    onto,
    second,
    steepest,
    tangential,
    unit3,
    value,
)
from softstride.engine.kernels.tables import Array

PLANES = 24
_PARTS = 12  # of an arc whose length is estimated
_MORPHS = 8  # steps from a sphere to the ellipsoid
_ROOM = 0.98  # of the distance of the nearer end: the largest such sphere
_FLAT = 1e-6  # of the radius: a segment nearer to the centre has no side of its own
_LOW = 0.3  # times the least radius of curvature: ends below are near the surface
_LOWEST = 1e-5  # and likewise: ends that may count as on it
_LEFT = 0.05  # least share of a geodesic that is left between two straight parts, to begin with
_SHORTER = 1e-9  # [m] by which the other way must be shorter to be called so


@inlined
def times(size: Triple, x: Triple) -> Triple:
    """Return a point of the unit sphere on the ellipsoid."""
    return size[0] * x[0], size[1] * x[1], size[2] * x[2]


@inlined
def over(size: Triple, x: Triple) -> Triple:
    """Return a point in coordinates in which the ellipsoid is the unit sphere."""
    return x[0] / size[0], x[1] / size[1], x[2] / size[2]


@inlined
def on_circle(c: Triple, rho: float, e: Triple, u: Triple, angle: float) -> Triple:
    """Return c + rho (e cos + u sin)."""
    return along3(along3(c, rho * math.cos(angle), e), rho * math.sin(angle), u)


@inner
def section(
    size: Triple, p1: Triple, p2: Triple, foot: Triple, e: Triple, u: Triple
) -> tuple[float, Triple, Triple, Triple, float]:
    """Return the path in the plane of the segment that bulges toward u, in coordinates of the unit sphere.

    Returns:
        Its length, where it meets the ellipsoid, the middle of the arc, its direction at first, length of the arc; in
        the axes of the ellipsoid. Infinite length: it does not touch.
    """
    nowhere = (0.0, 0.0, 0.0)
    # The plane of e and u cuts the unit sphere in a circle of radius rho about `centre`; angles on it count
    # from e toward u. A tangent from distance d touches acos(rho / d) beside the azimuth of the end.
    height = dot3(foot, u)
    centre = along3(foot, -height, u)
    rho = math.sqrt(max(1.0 - dot3(centre, centre), 0.0))
    s1, s2 = dot3(minus3(p1, foot), e), dot3(minus3(p2, foot), e)
    d1, d2 = math.sqrt(s1 * s1 + height * height), math.sqrt(s2 * s2 + height * height)
    if rho <= 0.0:
        return math.inf, nowhere, nowhere, nowhere, 0.0
    at1, at2 = math.atan2(height, s1), math.atan2(height, s2)
    if at1 < 0.0:
        at1 += TURN
    first, last = (
        at1 - math.acos(min(1.0, rho / d1)),
        at2 + math.acos(min(1.0, rho / d2)),
    )  # ends on it: d = rho
    if first <= last:
        return math.inf, nowhere, nowhere, nowhere, 0.0
    # Length of the arc on the ellipsoid: midpoint rule over the stretched circle.
    step = (last - first) / _PARTS
    arc = 0.0
    for i in range(_PARTS):
        angle = first + (i + 0.5) * step
        rate = times(
            size,
            along3(
                (-math.sin(angle) * e[0], -math.sin(angle) * e[1], -math.sin(angle) * e[2]),
                math.cos(angle),
                u,
            ),
        )
        arc += rho * abs(step) * math.sqrt(dot3(rate, rate))
    meets = times(size, on_circle(centre, rho, e, u, first))
    leaves = times(size, on_circle(centre, rho, e, u, last))
    middle = times(size, on_circle(centre, rho, e, u, 0.5 * (first + last)))
    toward = times(
        size,
        along3((math.sin(first) * e[0], math.sin(first) * e[1], math.sin(first) * e[2]), -math.cos(first), u),
    )
    d, g = minus3(meets, times(size, p1)), minus3(times(size, p2), leaves)
    total = math.sqrt(dot3(d, d)) + arc + math.sqrt(dot3(g, g))
    return total, meets, middle, toward, arc


@inner
def begin(
    form: int, size: Triple, axis: int, sign: int, p1: Triple, s1: Triple, s2: Triple
) -> tuple[Triple, Triple, float]:
    """Return where a geodesic over the ellipsoid begins, its direction and length, about.

    It is the shortest plane section, of those over the half that paths may touch if sign is not 0.
    """
    e = unit3(minus3(s2, s1))
    foot = along3(s1, -dot3(s1, e), e)
    # Planes through the segment differ in the direction in which they bulge. The first is that from the
    # centre to the segment's line, or any one if the line runs through the centre.
    near = foot if dot3(foot, foot) > _FLAT * _FLAT else meridian(e, e)[1]
    u = unit3(along3(near, -dot3(near, e), e))
    v = cross3(e, u)
    best = math.inf
    meets, toward, arc = p1, e, 0.0
    for i in range(PLANES):
        c, n = math.cos(TURN * i / PLANES), math.sin(TURN * i / PLANES)
        aside = along3((c * u[0], c * u[1], c * u[2]), n, v)
        total, a, middle, b, way = section(size, s1, s2, foot, e, aside)
        if total < best and (sign == 0 or side(middle[axis]) == sign):
            best, meets, toward, arc = total, a, b, way
    return meets, tangential(form, size, meets, toward), arc


@inlined
def height(form: int, size: Triple, x: Triple) -> float:
    """Return about how far a point near the ellipsoid is above it; zero on it and within rounding below."""
    g = gradient(form, size, x)
    return max(value(form, size, x), 0.0) / math.sqrt(dot3(g, g))


@inlined
def tangent_length(form: int, size: Triple, x: Triple, t: Triple, above: float) -> float:
    """Return how long a straight part is that leaves the ellipsoid at x along t and ends a little above it.

    A parabola of the curvature of the surface there: above = 1/2 k l².
    """
    g = gradient(form, size, x)
    return math.sqrt(2.0 * above * math.sqrt(dot3(g, g)) / second(form, size, x, t, t))


@inner
def lead(
    form: int, size: Triple, A: Triple, Z: Triple, P: Triple, T: Triple, length: float, m: Array
) -> Geodesic:
    """Find the path from A over the ellipsoid to Z that begins to be sought from P along T.

    Straight parts that are short turn with the least shift of P. So where both ends are near the surface the geodesic
    between the points below them is found first, and begun and ended a little later and earlier; it is the path where
    rounding hides how high they are.
    """
    up = height(form, size, A), height(form, size, Z)
    low = max(up[0], up[1]) * steepest(form, size)
    if low < _LOW:
        a, z = onto(form, size, A), onto(form, size, Z)
        found, a, t, whole, z, spread = settle_between(
            form, size, a, z, (True, True), a, tangential(form, size, a, T), length, m
        )
        if found and whole > 0.0:
            # The geodesic from below A to below Z, less the straight parts that rise to A and Z.
            first = tangent_length(form, size, a, t, up[0])
            last = tangent_length(form, size, z, (m[STATE, 3], m[STATE, 4], m[STATE, 5]), up[1])
            start = onto(form, size, along3(a, first, t))
            rest = max(whole - first - last, _LEFT * whole)
            answer = settle(form, size, A, Z, start, tangential(form, size, start, t), rest, m)
            if answer[0]:
                return answer
            if low < _LOWEST:
                return found, a, t, whole, z, spread
    return settle(form, size, A, Z, P, T, length, m)


@inner
def other_is_shorter(
    size: Triple, p1: Triple, p2: Triple, s1: Triple, s2: Triple, P: Triple, Q: Triple, length: float
) -> bool:
    """Return whether a path that lies on the ellipsoid from P to Q has a shorter way.

    That is the straight one if it does not run through the ellipsoid, else the plane section on the other side of the
    segment, which is a little longer than the geodesic there.
    """
    d, g, straight = minus3(P, p1), minus3(p2, Q), minus3(p2, p1)
    total = math.sqrt(dot3(d, d)) + length + math.sqrt(dot3(g, g)) - _SHORTER
    if not runs_through(s1, s2, 1.0):
        return math.sqrt(dot3(straight, straight)) < total
    e = unit3(minus3(s2, s1))
    foot = along3(s1, -dot3(s1, e), e)
    aside = minus3(over(size, (0.5 * (P[0] + Q[0]), 0.5 * (P[1] + Q[1]), 0.5 * (P[2] + Q[2]))), foot)
    aside = along3(aside, -dot3(aside, e), e)
    if dot3(aside, aside) <= _FLAT * _FLAT:  # the path just touches
        return False
    u = unit3(aside)
    return section(size, s1, s2, foot, e, (-u[0], -u[1], -u[2]))[0] < total


@inner
def from_sphere(form: int, size: Triple, way: int, p1: Triple, p2: Triple, m: Array) -> Geodesic:
    """Return the path that goes the short (way 1) or the long way round (way -1).

    It begins as a great circle of a sphere, which is then changed to the ellipsoid in steps; 1 / a_i^2 change evenly,
    so that the ends stay outside.
    """
    d1, d2 = math.sqrt(dot3(p1, p1)), math.sqrt(dot3(p2, p2))
    r = min((size[0] * size[1] * size[2]) ** (1.0 / 3.0), _ROOM * d1, _ROOM * d2)
    u, v = meridian(p1, p2)
    lean = math.acos(r / d1)
    c, s = math.cos(lean), math.sin(lean)
    P = along3((r * c * u[0], r * c * u[1], r * c * u[2]), way * r * s, v)
    T = along3((-s * u[0], -s * u[1], -s * u[2]), way * c, v)
    between = math.atan2(dot3(p2, v), dot3(p2, u))
    length = r * ((between if way > 0 else TURN - between) - lean - math.acos(r / d2))
    found, Q, spread = False, P, 0.0
    for k in range(1, _MORPHS + 1):
        share = k / _MORPHS
        now = (
            1.0 / math.sqrt((1.0 - share) / (r * r) + share / (size[0] * size[0])),
            1.0 / math.sqrt((1.0 - share) / (r * r) + share / (size[1] * size[1])),
            1.0 / math.sqrt((1.0 - share) / (r * r) + share / (size[2] * size[2])),
        )
        P = onto(form, now, P)
        T = tangential(form, now, P, T)
        found, P, T, length, Q, spread = settle(form, now, p1, p2, P, T, length, m)
        if not found:
            break
    return found, P, T, length, Q, spread


@inner
def wrap_ellipsoid(
    form: int,
    size: Triple,
    axis: int,
    sign: int,
    p1: Triple,
    p2: Triple,
    kept: bool,
    start: Triple,
    heading: Triple,
    reach: float,
    m: Array,
) -> Answer:
    """Lead a segment over an ellipsoid.

    Args:
        form: ELLIPSOID; a number that the compiler does not know, so that there is one form of each function.
        size: Half axes.
        axis: Axis of the half that paths may touch.
        sign: Its sign; 0: all of the surface.
        p1: End 1 in the axes of the ellipsoid.
        p2: End 2.
        kept: Whether to follow the geodesic of a moment ago.
        start: Where that began.
        heading: Its direction there.
        reach: Its length.
        m: Scratch.

    Returns:
        As `wrap_cylinder`.
    """
    s1, s2 = over(size, p1), over(size, p2)
    if dot3(s1, s1) < WITHIN * WITHIN or dot3(s2, s2) < WITHIN * WITHIN:
        return no_wrap(INSIDE_IT)
    # Newton from the geodesic of a moment ago. Where all of the surface may be touched it is let go when its
    # neighbours meet before the end (spread <= 0): then it is no shortest way any more.
    if kept:
        found, P, T, length, Q, spread = settle(form, size, p1, p2, start, heading, reach, m)
        if found and length > 0.0 and (sign != 0 or spread > 0.0):
            longer = sign == 0 and other_is_shorter(size, p1, p2, s1, s2, P, Q, length)
            return HELD if longer else MANDATORY, 1, length, P, Q, length, T
    if not runs_through(s1, s2, 1.0):
        return no_wrap(NOTHING)
    # Over the half that paths may touch, else the long way round to it, else anyhow; over all of it: from a sphere.
    for attempt in range(4 if sign != 0 else 2):
        if attempt % 2 == 1:
            way = -1 if sign != 0 and attempt == 1 else 1
            found, P, T, length, Q, _ = from_sphere(form, size, way, p1, p2, m)
        else:
            start, heading, reach = begin(form, size, axis, sign if attempt == 0 else 0, p1, s1, s2)
            found, P, T, length, Q, _ = lead(form, size, p1, p2, start, heading, reach, m)
        if not found or length <= 0.0:
            continue
        if sign == 0:
            return MANDATORY, 1, length, P, Q, length, T
        shoot(form, size, P, T, 0.5 * length, m)
        good = side(m[STATE, axis]) == sign
        if good or attempt >= 2:
            return MANDATORY if good else ASTRAY, 1, length, P, Q, length, T
    return no_wrap(UNFOUND)
