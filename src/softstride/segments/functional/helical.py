"""The finite helical axis: every displacement of a rigid body is a turn about an axis and a shift along it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.spatial.so3 import vee
from softstride.spatial.vectors import as_array, cross

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HelicalAxis:
    """Axes of displacements x -> R x + t.

    Attributes:
        direction: Unit vector n, shape (..., 3).
        angle: Turn about it, 0 to pi, shape (...), [rad].
        shift: Along it, n . t, shape (...), [m].
        point: The point of the axis nearest the origin, shape (..., 3), [m]; NaN without a turn.
    """

    direction: Array
    angle: Array
    shift: Array
    point: Array


def helical_axis(rotation: ArrayLike, translation: ArrayLike) -> HelicalAxis:
    """Return the finite helical axis of displacements [Woltring1985].

        n sin(th) = vex(R - R^T)/2,  th = atan2(|n sin th|, (tr R - 1)/2)
        s = (t - (n.t) n)/2 + (n x t) / (2 tan(th/2))

    Args:
        rotation: Shape (..., 3, 3).
        translation: Shape (..., 3), [m].
    """
    R, t = as_array("rotation", rotation, 3, 3), as_array("translation", translation, 3)
    turn = vee(R)
    sine = np.linalg.norm(turn, axis=-1)
    angle = np.arctan2(sine, (np.trace(R, axis1=-2, axis2=-1) - 1.0) / 2.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = turn / sine[..., None]
        shift = np.sum(n * t, axis=-1)
        point = 0.5 * (t - shift[..., None] * n) + cross(n, t) / (2.0 * np.tan(angle / 2.0))[..., None]
    return HelicalAxis(n, angle, shift, point)
