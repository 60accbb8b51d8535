"""Colours that mean something: how active a muscle is, which side, what was measured and what was estimated."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Colours = NDArray[np.uint8]

ACTIVITY = np.array([(38, 150, 70), (226, 190, 40), (214, 40, 32)], dtype=np.float64)
"""At activity 0, 0.5 and 1: green, yellow, red."""

UNKNOWN = (128, 128, 128)
"""Where nothing is known of the activity."""

MEASURED = (31, 97, 178)
"""What was measured: blue."""

ESTIMATED = (222, 106, 16)
"""What was estimated: orange. Blue and orange stay apart for those who do not tell red from green."""


def activity_colours(activity: ArrayLike) -> Colours:
    """Return colours from green over yellow to red.

    Args:
        activity: Any shape, 0 to 1; what lies beyond is cut, NaN is not known.

    Returns:
        Red, green, blue, 0 to 255, shape (..., 3).
    """
    a = np.asarray(activity, dtype=np.float64)
    known = np.isfinite(a)
    place = 2.0 * np.clip(np.where(known, a, 0.0), 0.0, 1.0)
    lower = np.minimum(place.astype(np.intp), 1)
    share = (place - lower)[..., None]
    mixed = (1.0 - share) * ACTIVITY[lower] + share * ACTIVITY[lower + 1]
    return np.where(known[..., None], np.rint(mixed), UNKNOWN).astype(np.uint8)
