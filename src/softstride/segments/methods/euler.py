"""Vectors and Euler angles, R = Rz(a) Ry(b) Rx(c) (body zyx).

    omega = a' k1 + b' k2 + c' k3,   k1 = z,  k2 = (-sin a, cos a, 0),  k3 = (cos a cos b, sin a cos b, -sin b)

and alpha is its derivative. The classical way, singular at b = +-90 degrees.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.segments.body import BodySegment
from softstride.segments.jets import Jet
from softstride.segments.methods.prepare import Prepared
from softstride.segments.methods.rigid import newton_euler

Array = NDArray[np.float64]


def euler(segment: BodySegment, prepared: Prepared, gravity: Array) -> tuple[Array, Array]:
    """Return force and moment about P from Euler angles and their derivatives."""
    omega, alpha = angular_rates(prepared.own)
    return newton_euler(segment, prepared.rotation, omega, alpha, prepared.point.dd, gravity)


def angular_rates(angles: Jet) -> tuple[Array, Array]:
    """Return omega and alpha in world axes, shape (n, 3) each, from angles a, b, c."""
    a, b = angles.x[:, 0], angles.x[:, 1]
    da, db, dc = angles.d.T
    dda, ddb, ddc = angles.dd.T
    sa, ca, sb, cb = np.sin(a), np.cos(a), np.sin(b), np.cos(b)
    omega = np.stack([-sa * db + ca * cb * dc, ca * db + sa * cb * dc, da - sb * dc], axis=-1)
    alpha = np.stack(
        [
            -sa * ddb + ca * cb * ddc - ca * da * db - (sa * cb * da + ca * sb * db) * dc,
            ca * ddb + sa * cb * ddc - sa * da * db + (ca * cb * da - sa * sb * db) * dc,
            dda - sb * ddc - cb * db * dc,
        ],
        axis=-1,
    )
    return omega, alpha
