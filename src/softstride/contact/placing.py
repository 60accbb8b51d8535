"""Place a surface that is known already: where it has its zero of tilt and its origin in a measurement of another foot.

Two numbers are sought, z and x0, for the least sum of ((x0 + s(α_k) − s_k)/σ_s)² + ((z + α_k − a_k)/σ_a)², α_k the
nearest point of the curve. The shape stays as it is: what it misses says how well it carries over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from softstride.contact.fit_errors import fit_data
from softstride.contact.inputs import FloatArray, number
from softstride.contact.spline_fit import nearest_tilts
from softstride.contact.surface import Surface

ZERO, STARTS = 0.05, (-0.02, 0.0, 0.02)  # bound of z on both sides, and where the search begins [rad]


class PlacedSurface(NamedTuple):
    """Where a surface lies in a measurement.

    Attributes:
        offset: Its contact at zero tilt [m].
        zero: The tilt of the data at which it has its zero [rad].
        tilts: α_k from there, shape (n,), [rad].
        cost: The sum of squares.
    """

    offset: float
    zero: float
    tilts: FloatArray
    cost: float


def place_surface(
    surface: Surface, a: ArrayLike, s: ArrayLike, *, tilt_noise: float, place_noise: float = 0.002
) -> PlacedSurface:
    """Return where a surface lies best.

    Args:
        surface: The surface.
        a: Tilts, shape (n,), [rad].
        s: Places of the contact along the ground, shape (n,), [m].
        tilt_noise: σ_a [rad].
        place_noise: σ_s [m].

    Raises:
        InputError: Too few data, NaN among them, or sizes of errors that are not above zero.
    """
    a, s = fit_data(a, s)
    tilt_noise = number(tilt_noise, "tilt_noise", 0.0, " rad", open_end=True)
    place_noise = number(place_noise, "place_noise", 0.0, " m", open_end=True)

    def nearest(p: FloatArray) -> FloatArray:
        return nearest_tilts(surface, float(p[0]), a - p[1], s, place_noise / tilt_noise)

    def residual(p: FloatArray) -> FloatArray:
        alpha = nearest(p)
        return np.concatenate([(p[0] + surface.s(alpha) - s) / place_noise, (p[1] + alpha - a) / tilt_noise])

    ends = [
        least_squares(
            residual,
            [float(np.median(s - surface.s(a - zero))), zero],
            bounds=([-np.inf, -ZERO], [np.inf, ZERO]),
            x_scale=(place_noise, tilt_noise),
            diff_step=1e-6,
        )
        for zero in STARTS
    ]
    best = min(ends, key=lambda end: float(end.cost))
    return PlacedSurface(float(best.x[0]), float(best.x[1]), nearest(best.x), 2.0 * float(best.cost))
