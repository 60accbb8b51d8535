"""A moment in axes that are not orthogonal: two different sets of numbers, each with its own name.

- *projection* M . e_k: what a motor about the axis e_k would have to give. With the angles of a joint coordinate system
  the products add up to the power, M . omega_rel = sum (M . e_k) t_k'.
- *component* m_k with M = sum m_k e_k: how much of each axis the vector is made of [SchacheBaker2007]. Their products
  with the rates of the angles do not add up to the power.

In orthogonal axes both are the same.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.segments.motion import SegmentMotion
from softstride.segments.triad import orthonormal_frame
from softstride.spatial.vectors import as_array, cross

Array = NDArray[np.float64]
Kind = Literal["projection", "component"]
AxesKind = Literal["world", "nonorthonormal", "orthonormal"]


def express(vector: ArrayLike, axes: ArrayLike, kind: Kind = "projection") -> Array:
    """Return vectors in three axes, as projections or as components.

    Args:
        vector: Shape (n, 3), world axes.
        axes: Unit vectors e1, e2, e3, shape (n, 3, 3) or (3, 3): axes[..., k, :] is one of them.
        kind: "projection", M . e_k, or "component", m_k with M = sum m_k e_k.

    Returns:
        Shape (n, 3), in the unit of the vector; components are NaN where the axes are in one plane.

    Raises:
        InputError: Unknown kind, or shapes that do not fit.
    """
    values, frame = as_array("vector", vector, 3), as_array("axes", axes, 3, 3)
    if kind == "projection":
        return np.asarray(np.einsum("...kj,...j->...k", frame, values))
    if kind != "component":
        raise InputError(f"kind must be one of {', '.join(get_args(Kind))}, however it is {kind!r}")
    e1, e2, e3 = (frame[..., k, :] for k in range(3))
    reciprocal = np.stack([cross(e2, e3), cross(e3, e1), cross(e1, e2)], axis=-2)
    volume = np.sum(e1 * reciprocal[..., 0, :], axis=-1)[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.einsum("...kj,...j->...k", reciprocal, values) / volume
    return np.asarray(np.where(np.abs(volume) > np.finfo(float).eps, found, np.nan))


def segment_axes(motion: SegmentMotion, kind: AxesKind = "nonorthonormal") -> Array:
    """Return axes of a segment to express moments in, shape (n, 3, 3), one axis a row.

    Args:
        motion: Of the segment.
        kind: "nonorthonormal": u, v/L, w; "orthonormal": X, Y, Z of its SCS; "world": those of the world.
    """
    if kind == "world":
        return np.broadcast_to(np.eye(3), (len(motion), 3, 3))
    if kind == "orthonormal":
        return np.swapaxes(orthonormal_frame(motion.forward, motion.long), -1, -2)
    if kind != "nonorthonormal":
        raise InputError(f"kind must be one of {', '.join(get_args(AxesKind))}, however it is {kind!r}")
    long = motion.long
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = long / np.linalg.norm(long, axis=-1, keepdims=True)
    return np.stack([motion.forward, unit, motion.across], axis=1)
