"""What the residuals of a fit say: its size, its largest, and how uncertain what was fitted is.

Places of the contact come as samples of a movement, and neighbours miss a curve to the same side. With a correlation φ
of neighbouring residuals, n samples tell as much as n (1 − φ)/(1 + φ) independent ones would, so variances are greater
by (1 + φ)/(1 − φ).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray, as_floats
from softstride.errors import InputError

FEWEST = 8  # points of a fit
MOST_ALIKE = 0.95  # correlation of neighbours that is believed


def fit_data(a: ArrayLike, s: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return tilts and places of a fit, each of shape (n,).

    Raises:
        InputError: Too few, different shapes, or NaN among them.
    """
    a, s = as_floats(a, "tilts of a fit"), as_floats(s, "places of a fit")
    if a.ndim != 1 or a.shape != s.shape or len(a) < FEWEST:
        raise InputError(
            f"tilts and places of a fit must be two arrays of at least {FEWEST} numbers, however they have shapes "
            f"{a.shape} and {s.shape}"
        )
    if not (np.isfinite(a).all() and np.isfinite(s).all()):
        row = int(np.argmin(np.isfinite(a) & np.isfinite(s)))
        raise InputError(f"row {row} of the data of a fit is not finite; leave out what was not measured")
    return a, s


def alike(residual: FloatArray) -> float:
    """Return the correlation φ of neighbouring residuals, from 0 to `MOST_ALIKE`."""
    size = float(residual @ residual)
    if size == 0.0:
        return 0.0
    return float(np.clip(residual[1:] @ residual[:-1] / size, 0.0, MOST_ALIKE))


def variance(residual: FloatArray, parameters: float) -> float:
    """Return the variance by which a covariance of unit residuals is multiplied [m²].

    Args:
        residual: In the order of the samples, shape (n,), [m].
        parameters: Number of parameters that were fitted, or the effective one.
    """
    phi = alike(residual)
    free = max(len(residual) - parameters, 1.0)
    return float(residual @ residual) / free * (1.0 + phi) / (1.0 - phi)
