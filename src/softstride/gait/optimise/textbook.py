"""Round joint angles of walking, as any textbook draws them: what a step is guessed from when nothing was measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline

from softstride.errors import InputError
from softstride.gait.optimise.course import Course

# Per cent of the stride; degrees, flexion and dorsiflexion above zero. Round numbers, nobody's measurements.
PERCENT = (0.0, 6.0, 15.0, 30.0, 40.0, 50.0, 62.0, 72.0, 85.0, 95.0, 100.0)
ANKLE = (0.0, -5.0, 2.0, 7.0, 9.0, 7.0, -17.0, -10.0, 0.0, 0.0, 0.0)
KNEE = (5.0, 14.0, 20.0, 11.0, 8.0, 14.0, 45.0, 63.0, 37.0, 4.0, 5.0)
HIP = (25.0, 24.0, 18.0, 5.0, -3.0, -8.0, 0.0, 16.0, 27.0, 26.0, 25.0)

UPRIGHT = 1.5
"""Angle of head, arms and trunk [rad]: a little forward of the vertical."""


def courses_of_stride(
    percent: ArrayLike, ankle: ArrayLike, knee: ArrayLike, hip: ArrayLike
) -> dict[str, Course]:
    """Return courses of all six joints over a step, from angles of one leg over a stride; knees come out as extension.

    The right leg does what the leg does from 0 to 50 %, the left one what it does from 50 to 100 %.

    Args:
        percent: Of the stride, from 0 to 100, shape (n,).
        ankle: Dorsiflexion, shape (n,), [rad].
        knee: Flexion, shape (n,), [rad].
        hip: Flexion, shape (n,), [rad].

    Raises:
        InputError: Rows that do not fit.
    """
    stride = np.asarray(percent, dtype=np.float64) / 100.0
    if stride.ndim != 1 or len(stride) < 8 or abs(stride[0]) > 1e-9 or abs(stride[-1] - 1.0) > 1e-9:
        raise InputError("angles of a stride must reach from 0 to 100 % in 8 rows or more")
    s = np.linspace(0.0, 1.0, 51)
    courses = {}
    for name, row in (("ankle", ankle), ("knee", knee), ("hip", hip)):
        values = np.array(row, dtype=np.float64)
        if values.shape != stride.shape or not np.isfinite(values).all() or np.any(np.diff(stride) <= 0.0):
            raise InputError(
                f"{name} over a stride must be finite, one value for each of {len(stride)} increasing rows"
            )
        spline = CubicSpline(stride, -values if name == "knee" else values)
        courses[f"right_{name}"] = Course.through(s, spline(0.5 * s))
        courses[f"left_{name}"] = Course.through(s, spline(0.5 + 0.5 * s))
    return courses


def textbook_courses() -> dict[str, Course]:
    """Return courses of the joints over a step of plain walking, and of the trunk."""
    angles = (np.radians(row) for row in (ANKLE, KNEE, HIP))
    return {**courses_of_stride(PERCENT, *angles), "trunk": Course.constant(UPRIGHT)}
