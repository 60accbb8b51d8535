"""A straight segment over a sphere, in closed form: a great circle in the plane of the ends and the centre.

With the angle D between the ends, seen from the centre, the path lies on the sphere for D - acos(r / d_1) -
acos(r / d_2), or with 2 pi - D the other way round.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inlined
from softstride.engine.kernels.path_answers import (
    INSIDE_IT,
    MANDATORY,
    NOTHING,
    TURN,
    WITHIN,
    Answer,
    Triple,
    no_wrap,
    side,
)
from softstride.engine.kernels.path_surface_shape import along3, cross3, dot3, minus3, unit3

_IN_LINE = 1e-9  # sine of the angle between the ends below which their plane is not known


@inlined
def meridian(p1: Triple, p2: Triple) -> tuple[Triple, Triple]:
    """Return unit vectors along p1 and square to it, in the plane of both, on the side of p2."""
    u = unit3(p1)
    across = along3(p2, -dot3(p2, u), u)
    if dot3(across, across) <= _IN_LINE * _IN_LINE * dot3(p2, p2):
        k = 0 if abs(u[0]) <= min(abs(u[1]), abs(u[2])) else (1 if abs(u[1]) <= abs(u[2]) else 2)
        axis = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
        across = cross3(u, axis)
    return u, unit3(across)


@inlined
def runs_through(p1: Triple, p2: Triple, r: float) -> bool:
    """Return whether the segment runs through a sphere about the origin."""
    d = minus3(p2, p1)
    dd = dot3(d, d)
    t = -dot3(p1, d) / dd if dd > 0.0 else -1.0
    near = along3(p1, t, d)
    return 0.0 < t < 1.0 and dot3(near, near) < r * r


@inlined
def wrap_sphere(r: float, axis: int, sign: int, p1: Triple, p2: Triple, sense: int, before: Triple) -> Answer:
    """Lead a segment over a sphere.

    Args:
        r: Radius.
        axis: Axis of the half that paths may touch.
        sign: Its sign; 0: all of the surface.
        p1: End 1 in the axes of the sphere.
        p2: End 2.
        sense: +1 the shorter and -1 the longer way round a moment ago; 0: choose. The longer way is kept on a sphere
            that may be touched on one half: elsewhere the path would slip off sideways.
        before: Middle of the way on the surface a moment ago.

    Returns:
        As `wrap_cylinder`.
    """
    d1, d2 = math.sqrt(dot3(p1, p1)), math.sqrt(dot3(p2, p2))
    if d1 < WITHIN * r or d2 < WITHIN * r:
        return no_wrap(INSIDE_IT)
    keeps = sense != 0 and sign != 0
    if not keeps and not runs_through(p1, p2, r):
        return no_wrap(NOTHING)
    u, v = meridian(p1, p2)
    # Azimuths in the plane (u, v): end 1 at 0, its tangent point at a1, that of end 2 at between - a2.
    a1, a2 = math.acos(min(1.0, r / d1)), math.acos(min(1.0, r / d2))
    between = math.atan2(dot3(p2, v), dot3(p2, u))
    short, long = between - a1 - a2, TURN - between - a1 - a2
    shorter = True
    # On a half sphere the way whose middle is on that half, or on the side where it was, is taken.
    if sign != 0:
        c, s = math.cos(a1 + 0.5 * short), math.sin(a1 + 0.5 * short)
        middle = r * (c * u[0] + s * v[0]), r * (c * u[1] + s * v[1]), r * (c * u[2] + s * v[2])
        shorter = dot3(middle, before) >= 0.0 if keeps else side(middle[axis]) == sign
    theta = short if shorter else long
    if theta <= 0.0:
        return no_wrap(NOTHING)
    way = 1.0 if shorter else -1.0
    b1, b2 = way * a1, way * (a1 + theta)
    meets = along3(
        (r * math.cos(b1) * u[0], r * math.cos(b1) * u[1], r * math.cos(b1) * u[2]), r * math.sin(b1), v
    )
    leaves = along3(
        (r * math.cos(b2) * u[0], r * math.cos(b2) * u[1], r * math.cos(b2) * u[2]), r * math.sin(b2), v
    )
    heading = way * math.cos(b1), way * math.sin(b1)
    toward = (
        heading[0] * v[0] - heading[1] * u[0],
        heading[0] * v[1] - heading[1] * u[1],
        heading[0] * v[2] - heading[1] * u[2],
    )
    return MANDATORY, 1 if shorter else -1, theta, meets, leaves, r * theta, toward
