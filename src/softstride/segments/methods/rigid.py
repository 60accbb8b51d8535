"""What Euler angles and quaternions share: Newton and Euler for a body whose rotation is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.segments.body import BodySegment
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


def newton_euler(
    segment: BodySegment, rotation: Array, omega: Array, alpha: Array, acceleration: Array, gravity: Array
) -> tuple[Array, Array]:
    """Return F = m (a_C - g) and M = I alpha + omega x I omega + d x F about P, with d = R c and I = R I_C R^T.

    Args:
        segment: Its mass, centre of mass and inertia.
        rotation: Orthonormal segment frame, shape (n, 3, 3).
        omega: Angular velocity, shape (n, 3), [rad/s], world axes.
        alpha: Angular acceleration, shape (n, 3), [rad/s^2], world axes.
        acceleration: Of the centre of mass, shape (n, 3), [m/s^2].
        gravity: Shape (3,), [m/s^2].
    """
    force = segment.mass * (acceleration - gravity)
    arm = rotation @ segment.com
    spin = _world_inertia(rotation, segment.inertia, omega)
    moment = _world_inertia(rotation, segment.inertia, alpha) + cross(omega, spin) + cross(arm, force)
    return force, moment


def _world_inertia(rotation: Array, inertia: Array, vector: Array) -> Array:
    """Return R I_C R^T x without forming the tensor."""
    body = np.einsum("nji,nj->ni", rotation, vector) @ inertia
    return np.asarray(np.einsum("nij,nj->ni", rotation, body))
