"""The circle inside the tube of a torus, and how near a straight segment comes to it."""

from __future__ import annotations

import math

from softstride.engine.jit import inlined, inner
from softstride.engine.kernels.path_answers import Triple, side
from softstride.engine.kernels.path_surface_shape import along3, minus3

_SAMPLES = 33
_REFINE = 60  # golden section steps
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
_GRAZES = 1.0 - 1e-6  # of the radius of the tube: what comes no nearer to the circle only touches


@inlined
def from_ring(size: Triple, p: Triple) -> float:
    """Return the squared distance of a point from the circle inside the tube."""
    rho = math.sqrt(p[0] * p[0] + p[1] * p[1])
    return (rho - size[1]) ** 2 + p[2] * p[2]


@inner
def approach(size: Triple, axis: int, sign: int, p1: Triple, p2: Triple) -> tuple[float, Triple]:
    """Return the least squared distance of a segment from the circle, on the half that paths may touch, and where.

    Infinite: no part of the segment is on that half.
    """
    d = minus3(p2, p1)
    best, at = math.inf, -1
    # The distance along a segment may have two minima: samples find the deeper, golden section its place.
    for i in range(_SAMPLES):
        p = along3(p1, i / (_SAMPLES - 1.0), d)
        far = from_ring(size, p)
        if far < best and (sign == 0 or side(p[axis]) == sign):
            best, at = far, i
    if at < 0:
        return math.inf, p1
    low, high = max(at - 1, 0) / (_SAMPLES - 1.0), min(at + 1, _SAMPLES - 1) / (_SAMPLES - 1.0)
    a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    fa, fb = from_ring(size, along3(p1, a, d)), from_ring(size, along3(p1, b, d))
    for _ in range(_REFINE):
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - _GOLDEN * (high - low)
            fa = from_ring(size, along3(p1, a, d))
        else:
            low, a, fa = a, b, fb
            b = low + _GOLDEN * (high - low)
            fb = from_ring(size, along3(p1, b, d))
    p = along3(p1, 0.5 * (low + high), d)
    return from_ring(size, p), p


@inlined
def nearest(size: Triple, axis: int, sign: int, p1: Triple, p2: Triple) -> tuple[bool, float, float]:
    """Return whether the circle has a nearest place to a segment on the half that paths may touch, and its x and y."""
    far, p = approach(size, axis, sign, p1, p2)
    rho = math.sqrt(p[0] * p[0] + p[1] * p[1])
    if far == math.inf or rho <= 0.0:
        return False, 0.0, 0.0
    return True, p[0] * size[1] / rho, p[1] * size[1] / rho


@inlined
def is_clear(size: Triple, p1: Triple, p2: Triple) -> bool:
    """Return whether a segment stays out of the tube."""
    return approach(size, 0, 0, p1, p2)[0] >= (_GRAZES * size[0]) ** 2
