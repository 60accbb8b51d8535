"""Wrenches and quaternions: omega = 2 vec(q' q*), alpha = 2 vec(q'' q*) of a unit quaternion [Dumas2004]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.segments.body import BodySegment
from softstride.segments.methods.prepare import Prepared
from softstride.segments.methods.rigid import newton_euler
from softstride.spatial import quat_conjugate, quat_multiply

Array = NDArray[np.float64]


def quaternion(segment: BodySegment, prepared: Prepared, gravity: Array) -> tuple[Array, Array]:
    """Return force and moment about P from quaternions and their derivatives."""
    back = quat_conjugate(prepared.own.x)
    omega, alpha = (2.0 * quat_multiply(part, back)[..., :3] for part in (prepared.own.d, prepared.own.dd))
    return newton_euler(segment, prepared.rotation, omega, alpha, prepared.point.dd, gravity)
