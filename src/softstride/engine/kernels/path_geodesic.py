"""A path from one point over a surface to another: straight, along a geodesic, straight, without a kink.

Unknown are where the geodesic begins (P), its direction there (T) and its length l; wanted is that the straight parts
d = P - A and g = Z - Q touch the surface and run on in its direction,

    d . N_P = d . B_P = g . N_Q = g . B_Q = 0,    B = T x N.

Newton steps use how a geodesic moves with its start [Scholz2016]: shifted along itself by ds, sideways by db, turned by
dbeta, longer by dl, its end moves by T (ds + dl) + B w with w = a db + r dbeta, and its direction there turns sideways
by w' = a' db + r' dbeta.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inlined, inner
from softstride.engine.kernels.path_answers import Triple
from softstride.engine.kernels.path_shoot import SHOOT_ROWS, STATE, shoot
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

SYSTEM = SHOOT_ROWS  # rows of scratch: four equations, five columns
PAIR = SYSTEM + 4  # row of scratch: the second of two geodesics over a torus, see `path_torus`
GEODESIC_ROWS = PAIR + 1
STEPS = 40
EXACT = 1e-11  # residual [rad]
ENOUGH = 1e-8  # residual that is accepted where rounding stops the descent
TOUCHES = 1e-7  # of the least radius of curvature: an end nearer to the surface is on it
BACK = 1e-9  # [m] by which rounding may turn a straight part back

Geodesic = tuple[bool, Triple, Triple, float, Triple, float]
"""Whether it was found, start, direction, length, end, and the spread of neighbours at the far end (see `settle`)."""


@inner
def eliminate(m: Array) -> bool:
    """Solve the four equations in rows SYSTEM on; the solution is left in column 4. Return whether they have one."""
    for c in range(4):
        best = c
        for i in range(c + 1, 4):
            if abs(m[SYSTEM + i, c]) > abs(m[SYSTEM + best, c]):
                best = i
        if abs(m[SYSTEM + best, c]) < 1e-14:
            return False
        for k in range(5):
            m[SYSTEM + c, k], m[SYSTEM + best, k] = m[SYSTEM + best, k], m[SYSTEM + c, k]
        for i in range(4):
            if i != c:
                s = m[SYSTEM + i, c] / m[SYSTEM + c, c]
                for k in range(c, 5):
                    m[SYSTEM + i, k] -= s * m[SYSTEM + c, k]
    for i in range(4):
        m[SYSTEM + i, 4] /= m[SYSTEM + i, i]
    return True


@inner
def equations(
    form: int, size: Triple, A: Triple, Z: Triple, on: tuple[bool, bool], P: Triple, T: Triple, m: Array
) -> float:
    """Write the equations for ds, db, dbeta, dl after a shot; return the size of the residual.

    Rows are divided by the lengths of the straight parts, so residuals are angles. An end that is on the surface is
    where the geodesic begins (or ends); then its two conditions are that places agree.
    """
    scale = steepest(form, size)
    Q = m[STATE, 0], m[STATE, 1], m[STATE, 2]
    TQ = tangential(form, size, Q, (m[STATE, 3], m[STATE, 4], m[STATE, 5]))
    a, da, r, dr = m[STATE, 6], m[STATE, 7], m[STATE, 8], m[STATE, 9]
    gP, gQ = gradient(form, size, P), gradient(form, size, Q)
    N, NQ = unit3(gP), unit3(gQ)
    B, BQ = cross3(T, N), cross3(TQ, NQ)
    d, g = minus3(P, A), minus3(Z, Q)
    # Normal curvatures along T, along B and mixed, for
    #     dN = -(kt T + kx B) ds - (kx T + kb B) db,    dB = (kx ds + kb db) N - T dbeta
    s = -1.0 / math.sqrt(dot3(gP, gP))
    kt, kb, kx = (
        s * second(form, size, P, T, T),
        s * second(form, size, P, B, B),
        s * second(form, size, P, T, B),
    )
    # Derivatives of d . N and d . B by ds, db, dbeta, dl, d = P - A; of places alone if A is on the surface.
    if on[0]:
        f1, f2 = dot3(d, T) * scale, dot3(d, B) * scale
        m[SYSTEM, 0], m[SYSTEM, 1], m[SYSTEM, 2], m[SYSTEM, 3] = scale, 0.0, 0.0, 0.0
        m[SYSTEM + 1, 0], m[SYSTEM + 1, 1], m[SYSTEM + 1, 2], m[SYSTEM + 1, 3] = 0.0, scale, 0.0, 0.0
    else:
        h = 1.0 / math.sqrt(dot3(d, d))
        dT, dB, dN = h * dot3(d, T), h * dot3(d, B), h * dot3(d, N)
        f1, f2 = dN, dB
        m[SYSTEM, 0], m[SYSTEM, 1] = -kt * dT - kx * dB, -kx * dT - kb * dB
        m[SYSTEM, 2], m[SYSTEM, 3] = 0.0, 0.0
        m[SYSTEM + 1, 0], m[SYSTEM + 1, 1] = kx * dN, h + kb * dN
        m[SYSTEM + 1, 2], m[SYSTEM + 1, 3] = -dT, 0.0
    s = -1.0 / math.sqrt(dot3(gQ, gQ))
    kt, kb, kx = (
        s * second(form, size, Q, TQ, TQ),
        s * second(form, size, Q, BQ, BQ),
        s * second(form, size, Q, TQ, BQ),
    )
    # Likewise of g . N and g . B, by the movement of Q: ds + dl along, w aside, w' turned; g = Z - Q.
    if on[1]:
        f3, f4 = dot3(g, TQ) * scale, dot3(g, BQ) * scale
        along, w, turn = -scale, 0.0, 0.0  # change of f3 with ds + dl, w, w'
        along4, w4, turn4 = 0.0, -scale, 0.0
    else:
        h = 1.0 / math.sqrt(dot3(g, g))
        gT, gB, gN = h * dot3(g, TQ), h * dot3(g, BQ), h * dot3(g, NQ)
        f3, f4 = gN, gB
        along, w, turn = -kt * gT - kx * gB, -kx * gT - kb * gB, 0.0
        along4, w4, turn4 = kx * gN, kb * gN - h, -gT
    # w = a db + r dbeta and w' = a' db + r' dbeta: back to what the start can do.
    m[SYSTEM + 2, 0], m[SYSTEM + 2, 1] = along, w * a + turn * da
    m[SYSTEM + 2, 2], m[SYSTEM + 2, 3] = w * r + turn * dr, along
    m[SYSTEM + 3, 0], m[SYSTEM + 3, 1] = along4, w4 * a + turn4 * da
    m[SYSTEM + 3, 2], m[SYSTEM + 3, 3] = w4 * r + turn4 * dr, along4
    m[SYSTEM, 4], m[SYSTEM + 1, 4], m[SYSTEM + 2, 4], m[SYSTEM + 3, 4] = -f1, -f2, -f3, -f4
    return math.sqrt(f1 * f1 + f2 * f2 + f3 * f3 + f4 * f4)


@inlined
def is_on(form: int, size: Triple, x: Triple) -> bool:
    """Return whether a point is so near to the surface that a path begins on it there."""
    g = gradient(form, size, x)
    return value(form, size, x) < TOUCHES / steepest(form, size) * math.sqrt(dot3(g, g))


@inlined
def settle(
    form: int, size: Triple, A: Triple, Z: Triple, P: Triple, T: Triple, length: float, m: Array
) -> Geodesic:
    """Find the path from A over the surface to Z near a geodesic from P along T; see `settle_between`."""
    on = is_on(form, size, A), is_on(form, size, Z)
    return settle_between(form, size, A, Z, on, P, T, length, m)


@inner
def settle_between(
    form: int,
    size: Triple,
    A: Triple,
    Z: Triple,
    on: tuple[bool, bool],
    P: Triple,
    T: Triple,
    length: float,
    m: Array,
) -> Geodesic:
    """Find the path from A over the surface to Z near a geodesic from P along T.

    `on` says of both ends whether the geodesic itself begins or ends there. The last number returned is the distance
    at Z between the path and a neighbour that leaves A one radian aside: the path is shorter than all its neighbours as
    long as it stays positive.
    """
    scale = steepest(form, size)
    best = math.inf
    found = False
    for _ in range(STEPS):
        shoot(form, size, P, T, length, m)
        residual = equations(form, size, A, Z, on, P, T, m)
        if residual < EXACT or (residual < ENOUGH and residual > 0.5 * best):
            found = True
            break
        best = min(best, residual)
        if not math.isfinite(residual) or not eliminate(m):
            break
        ds, db, dbeta, dl = m[SYSTEM, 4], m[SYSTEM + 1, 4], m[SYSTEM + 2, 4], m[SYSTEM + 3, 4]
        # Half a radian, or half the least radius of curvature, a step at most: beyond, lines mislead.
        most = max(scale * max(abs(ds), abs(db), abs(dl)), abs(dbeta))
        s = 1.0 if most < 0.5 else 0.5 / most
        N = unit3(gradient(form, size, P))
        B = cross3(T, N)
        P = onto(form, size, along3(along3(P, s * ds, T), s * db, B))
        c, n = math.cos(s * dbeta), math.sin(s * dbeta)
        T = tangential(form, size, P, along3((c * T[0], c * T[1], c * T[2]), n, B))
        length += s * dl
    Q = m[STATE, 0], m[STATE, 1], m[STATE, 2]
    d, g = minus3(P, A), minus3(Z, Q)
    first, last = math.sqrt(dot3(d, d)), math.sqrt(dot3(g, g))
    # A neighbour that leaves A turned by one radian is `first` aside and turned by one at P, a first + r
    # aside at Q, and `last` times its turning further aside at Z.
    w, dw = first * m[STATE, 6] + m[STATE, 8], first * m[STATE, 7] + m[STATE, 9]
    forward = found and dot3(d, T) >= -BACK and dot3(g, (m[STATE, 3], m[STATE, 4], m[STATE, 5])) >= -BACK
    return forward, P, T, length, Q, w + last * dw
