"""Shooting a geodesic over a surface, together with how its neighbours spread.

x'' = II(x', x') N, and a neighbour at the small distance w to its side keeps w'' + K w = 0 (Jacobi). Two fields are
carried along: a with a(0) = 1, a'(0) = 0 (started further to the side, in parallel), r with r(0) = 0, r'(0) = 1
(started in another direction). The equations are stepped by the extrapolated midpoint rule [BulirschStoer1966] with 2,
4, 6, 8 and 10 parts: order 10, and no table of coefficients.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inlined, inner
from softstride.engine.kernels.path_answers import Triple
from softstride.engine.kernels.path_surface_shape import gauss, gradient, second, steepest
from softstride.engine.kernels.tables import Array

SIZE = 10  # of a state: place, direction, a, a', r, r'
STATE, RATE, OLD, NEW, LEVEL = 0, 1, 2, 3, 4  # rows of scratch
LEVELS = 5
SHOOT_ROWS = LEVEL + LEVELS
_LEAP = 0.8  # largest length of a step times the greatest curvature
_MOST = 200  # steps


@inlined
def spread(form: int, size: Triple, m: Array, row: int) -> None:
    """Compute the rate of change of the state in a row."""
    x = m[row, 0], m[row, 1], m[row, 2]
    t = m[row, 3], m[row, 4], m[row, 5]
    g = gradient(form, size, x)
    # x'' = II(x', x') N = -(x'^T F'' x') g / |g|²; a'' = -K a, r'' = -K r.
    bend = -second(form, size, x, t, t) / (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    K = gauss(form, size, x)
    for k in range(3):
        m[RATE, k] = t[k]
        m[RATE, 3 + k] = bend * g[k]
    m[RATE, 6], m[RATE, 7] = m[row, 7], -K * m[row, 6]
    m[RATE, 8], m[RATE, 9] = m[row, 9], -K * m[row, 8]


@inner
def leap(form: int, size: Triple, step: float, m: Array) -> None:
    """Advance the state by one step."""
    for j in range(LEVELS):
        parts = 2 * (j + 1)
        h = step / parts
        spread(form, size, m, STATE)
        for k in range(SIZE):
            m[OLD, k] = m[STATE, k]
            m[NEW, k] = m[STATE, k] + h * m[RATE, k]
        # Midpoint rule y_{i+1} = y_{i-1} + 2 h y'_i, its last value smoothed: the error is a series in h².
        for _ in range(parts - 1):
            spread(form, size, m, NEW)
            for k in range(SIZE):
                ahead = m[OLD, k] + 2.0 * h * m[RATE, k]
                m[OLD, k] = m[NEW, k]
                m[NEW, k] = ahead
        spread(form, size, m, NEW)
        for k in range(SIZE):
            m[LEVEL + j, k] = 0.5 * (m[OLD, k] + m[NEW, k] + h * m[RATE, k])
        # Extrapolated to h = 0 in h² (Neville), numbers of parts 2, 4, ...: LEVEL holds the newest row.
        for i in range(j - 1, -1, -1):
            factor = 1.0 / ((parts / (2.0 * (i + 1))) ** 2 - 1.0)
            for k in range(SIZE):
                m[LEVEL + i, k] = m[LEVEL + i + 1, k] + factor * (m[LEVEL + i + 1, k] - m[LEVEL + i, k])
    for k in range(SIZE):
        m[STATE, k] = m[LEVEL, k]


@inner
def shoot(form: int, size: Triple, x: Triple, t: Triple, length: float, m: Array) -> None:
    """Put the state at the end of a geodesic into row STATE."""
    for k in range(3):
        m[STATE, k] = x[k]
        m[STATE, 3 + k] = t[k]
    m[STATE, 6], m[STATE, 7], m[STATE, 8], m[STATE, 9] = 1.0, 0.0, 0.0, 1.0
    # Steps by the greatest curvature, so that each is a small part of a turn wherever the geodesic goes.
    steps = min(_MOST, math.ceil(abs(length) * steepest(form, size) / _LEAP))
    for _ in range(steps):
        leap(form, size, length / steps, m)
