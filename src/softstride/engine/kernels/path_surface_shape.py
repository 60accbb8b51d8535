"""The shape of ellipsoid and torus: F(x) = 0 with gradient g, second derivatives, and Gaussian curvature K.

Ellipsoid with half axes a: F = (sum x_i^2 / a_i^2 - 1) / 2. Torus of tube r and ring R about z, rho = sqrt(x^2 + y^2):
F = ((rho - R)^2 + z^2 - r^2) / 2. With the outward normal N = g / |g| the second fundamental form is
II(u, v) = -u^T F'' v / |g|, negative where the surface is convex.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inlined
from softstride.engine.kernels.path_answers import Triple
from softstride.engine.kernels.path_tables import ELLIPSOID


@inlined
def gradient(form: int, size: Triple, x: Triple) -> Triple:
    """Return dF/dx."""
    if form == ELLIPSOID:
        return x[0] / (size[0] * size[0]), x[1] / (size[1] * size[1]), x[2] / (size[2] * size[2])
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    s = 1.0 - size[1] / rho
    return s * x[0], s * x[1], x[2]


@inlined
def second(form: int, size: Triple, x: Triple, u: Triple, v: Triple) -> float:
    """Return u^T (d2F/dx2) v."""
    if form == ELLIPSOID:
        return (
            u[0] * v[0] / (size[0] * size[0])
            + u[1] * v[1] / (size[1] * size[1])
            + u[2] * v[2] / (size[2] * size[2])
        )
    # F'' of a torus: 1 along the radius of the ring, 1 - R / rho along the ring, 1 along z.
    rr = x[0] * x[0] + x[1] * x[1]
    rho = math.sqrt(rr)
    across = (u[0] * x[0] + u[1] * x[1]) * (v[0] * x[0] + v[1] * x[1]) / rr
    return across + (1.0 - size[1] / rho) * (u[0] * v[0] + u[1] * v[1] - across) + u[2] * v[2]


@inlined
def value(form: int, size: Triple, x: Triple) -> float:
    """Return F: negative inside."""
    if form == ELLIPSOID:
        return 0.5 * ((x[0] / size[0]) ** 2 + (x[1] / size[1]) ** 2 + (x[2] / size[2]) ** 2 - 1.0)
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    return 0.5 * ((rho - size[1]) ** 2 + x[2] * x[2] - size[0] * size[0])


@inlined
def gauss(form: int, size: Triple, x: Triple) -> float:
    """Return the Gaussian curvature."""
    if form == ELLIPSOID:
        # 1 / (a_1 a_2 a_3 |g|²)², and for a torus (rho - R) / (r² rho), below zero on the inner side.
        g = gradient(form, size, x)
        volume = size[0] * size[1] * size[2]
        return 1.0 / (volume * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])) ** 2
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    return (rho - size[1]) / (size[0] * size[0] * rho)


@inlined
def steepest(form: int, size: Triple) -> float:
    """Return the greatest curvature of the surface."""
    if form == ELLIPSOID:
        low, high = min(size[0], size[1], size[2]), max(size[0], size[1], size[2])
        return high / (low * low)
    return max(1.0 / size[0], 1.0 / max(size[1] - size[0], 0.1 * size[0]))


@inlined
def dot3(a: Triple, b: Triple) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross3(a: Triple, b: Triple) -> Triple:
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def minus3(a: Triple, b: Triple) -> Triple:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def along3(a: Triple, s: float, b: Triple) -> Triple:
    """Return a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@inlined
def unit3(a: Triple) -> Triple:
    """Return a vector of length 1 along a; a itself if it is zero."""
    n = math.sqrt(dot3(a, a))
    s = 1.0 / n if n > 0.0 else 0.0
    return s * a[0], s * a[1], s * a[2]


@inlined
def onto(form: int, size: Triple, x: Triple) -> Triple:
    """Return a point near the surface brought onto it, by Newton steps along the gradient."""
    for _ in range(8):
        g = gradient(form, size, x)
        f = value(form, size, x)
        x = along3(x, -f / dot3(g, g), g)
        if abs(f) < 1e-15:
            break
    return x


@inlined
def tangential(form: int, size: Triple, x: Triple, t: Triple) -> Triple:
    """Return the unit tangent at x nearest to t."""
    n = unit3(gradient(form, size, x))
    return unit3(along3(t, -dot3(t, n), n))
