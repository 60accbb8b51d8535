"""Stumpff functions, the regular building blocks of rotation and rod formulas.

c_k(x) = sum_j (-x)^j / (2j + k)!, so c0 = cos(theta), c1 = sin(theta)/theta, c2 = (1 - cos(theta))/theta^2,
... with x = theta^2. They are entire in x: no small-angle switch is needed anywhere.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.spatial.segment import SERIES_LIMIT, stumpff_series
from softstride.spatial.vectors import FloatArray, as_array


def stumpff(x: ArrayLike) -> tuple[FloatArray, ...]:
    """Return the Stumpff functions (c0, ..., c7) of x >= 0.

    Up to x = 40 (just above one full turn) the series of `segment.stumpff_series`; above it
    c0 = cos(sqrt(x)), c1 = sin(sqrt(x))/sqrt(x), and c_k = (1/(k-2)! - c_{k-2})/x. The error of c_k is below
    4e-15 / k! for k > 0 and below 2e-14 for c0; above x = 1000 that of c0 is the rounding of its argument,
    1e-16 sqrt(x).

    Args:
        x: Squared angles in [rad^2], any shape. NaN gives NaN, infinity gives NaN.

    Returns:
        Eight arrays of the shape of x, c_k at index k.

    Raises:
        InputError: If a value is negative.

    Source: docs/theory/rods.md [Hybrid2026].

    Example:
        >>> bool(abs(stumpff(np.pi**2)[0] + 1) < 1e-14)
        True
    """
    x = as_array("x", x)
    if np.any(x < 0.0):
        raise InputError(
            f"x must be a squared angle, not negative, however its least value is {np.nanmin(x)}"
        )
    beyond = x > SERIES_LIMIT
    near = stumpff_series(np.where(beyond, SERIES_LIMIT, x))
    if not beyond.any():
        return near
    return tuple(np.where(beyond, f, n) for f, n in zip(_trigonometric(x, beyond), near, strict=True))


def inverse_tangent_coefficients(c: tuple[FloatArray, ...]) -> tuple[FloatArray, FloatArray]:
    """Return b and db/dx of the inverse tangent map, D^-1 = 1 + hat(kappa)/2 + b hat(kappa)^2.

    b = (c3 - 2 c4)/(2 c2) = (1 - (theta/2) cot(theta/2))/theta^2 with x = theta^2 = |kappa|^2; by
    c_k' = (k c_{k+2} - c_{k+1})/2 its derivative needs no division by x either.

    Args:
        c: Stumpff functions of x, from `stumpff`.

    Returns:
        b and db/dx, of the shape of x. Both grow without bound towards a full turn, theta = 2 pi, where the
        tangent map is singular; there they are infinite or very large.
    """
    numerator, denominator = c[3] - 2.0 * c[4], 2.0 * c[2]
    numerator_x, denominator_x = 2.5 * c[5] - 0.5 * c[4] - 4.0 * c[6], 2.0 * c[4] - c[3]
    with np.errstate(divide="ignore", invalid="ignore"):
        b = numerator / denominator
        return b, (numerator_x - b * denominator_x) / denominator


def _trigonometric(x: FloatArray, beyond: NDArray[np.bool_]) -> list[FloatArray]:
    """Return c0..c7 by cosine and sine; meaningful where `beyond`, harmless elsewhere."""
    safe = np.where(beyond, x, SERIES_LIMIT)
    angle = np.sqrt(safe)
    with np.errstate(invalid="ignore"):  # the cosine of infinity
        c = [np.cos(angle), np.sin(angle) / angle]
        for k in range(2, 8):
            c.append((1.0 / factorial(k - 2) - c[k - 2]) / safe)
    return c
