"""The left side from the right: reflection in the plane z = 0, and names with a side."""

from __future__ import annotations

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.inertia import Inertia

MIRROR = np.diag([1.0, 1.0, -1.0])
MIRROR4 = np.diag([1.0, 1.0, -1.0, 1.0])


def sided(name: str) -> bool:
    """Whether a name of the data files stands for two things, one on each side."""
    return "-" in name


def on_side(name: str, side: str) -> str:
    """Return the name with its "-" replaced by the side, "r" or "l"."""
    return name.replace("-", side)


def point(vector: FloatArray, side: str) -> FloatArray:
    """Return a point or a direction of the right side for this side, shape (3,)."""
    return vector if side == "r" else MIRROR @ vector


def axis(vector: FloatArray, side: str) -> FloatArray:
    """Return an axis of rotation: the reflected motion has the same angle about the axis with x and y reversed."""
    return vector if side == "r" else -MIRROR @ vector


def pose(T: FloatArray, side: str) -> FloatArray:
    """Return a pose, shape (4, 4), seen in the mirror: S T S."""
    return T if side == "r" else MIRROR4 @ T @ MIRROR4


def inertia(body: Inertia, side: str) -> Inertia:
    """Return the inertia of the reflected body."""
    if side == "r":
        return body
    return Inertia(body.mass, MIRROR @ body.com, MIRROR @ body.matrix @ MIRROR, body.physical)
