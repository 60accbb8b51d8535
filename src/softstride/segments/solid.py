"""Segments made rigid about their proximal ends, and how far from rigid they were."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.segments.motion import SegmentMotion
from softstride.segments.natural import axes_of
from softstride.segments.triad import Triad
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Deformation:
    """How a segment differs from its mean shape; zero for a rigid one.

    Attributes:
        length: Of v, minus its mean, shape (n,), [m].
        angles: alpha, beta, gamma minus their means, shape (n, 3), [rad].
    """

    length: Array
    angles: Array

    @property
    def length_rms(self) -> float:
        """Root mean square of the change of length [m]; NaN where nothing is known."""
        return _rms(self.length)

    @property
    def angle_rms(self) -> float:
        """Root mean square of the changes of the three angles [rad]; NaN where nothing is known."""
        return _rms(self.angles)


def deformation(motion: SegmentMotion, triad: Triad) -> Deformation:
    """Return how a segment differs from a rigid one: the data-quality signal of its landmarks."""
    u, v, w = axes_of(motion.coordinates)
    angles = np.stack([_angle(v, w), _angle(u, w), _angle(u, v)], axis=-1)
    return Deformation(
        np.asarray(np.linalg.norm(v, axis=1) - triad.length),
        np.asarray(angles - [triad.alpha, triad.beta, triad.gamma]),
    )


def solidified(motion: SegmentMotion, triad: Triad) -> SegmentMotion:
    """Return the rigid motion that fits a segment best with its proximal end held, where loads are told.

    Per frame the rotation R minimises |v - R v0|^2 + L^2 |u - R u0|^2 + L^2 |w - R w0|^2 with the mean shape u0, v0,
    w0: all three axes count alike. The distal end moves.

    Args:
        motion: Without derivatives.
        triad: The mean shape.
    """
    u, v, w = axes_of(motion.coordinates)
    length = triad.length
    shape = triad.basis * [length, 1.0, length]  # columns L u0, v0, L w0
    known = np.isfinite(motion.coordinates).all(axis=(1, 2))
    result = np.full(motion.coordinates.shape, np.nan)
    if known.any():
        seen = np.stack([length * u[known], v[known], length * w[known]], axis=-1)
        U, _, Vt = np.linalg.svd(seen @ shape.T)
        sign = np.ones((len(U), 3))
        sign[:, 2] = np.sign(np.linalg.det(U @ Vt))
        axes = (U * sign[:, None]) @ Vt @ triad.basis
        proximal = motion.proximal[known]
        result[known] = np.stack([axes[..., 0], proximal, proximal - axes[..., 1], axes[..., 2]], axis=1)
    return SegmentMotion(motion.time, result)


def _angle(a: Array, b: Array) -> Array:
    return np.arctan2(np.linalg.norm(cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def _rms(x: Array) -> float:
    seen = x[np.isfinite(x)]
    return float(np.sqrt(np.mean(seen**2))) if seen.size else float("nan")
