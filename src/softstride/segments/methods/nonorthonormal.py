"""Inverse dynamics in the segment's own, non-orthonormal axes, without any rotation matrix.

With p = G Qdd - N_C^T m g = [p_u; p_P; p_D; p_w] the equation of motion [DumasCheze2007, eq. 14, corrected] has the
closed solution

    F = p_P + p_D,    M = u x p_u - v x p_D + w x p_w

The 12 x 12 system gives the same force and moment, and with them six multipliers, one for each rigid-body constraint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.segments.body import BodySegment
from softstride.segments.methods.prepare import Prepared
from softstride.segments.natural import axes_of, constraint_jacobian, point_weights, pseudo_interpolation
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


def generalized_forces(segment: BodySegment, accelerations: Array, gravity: Array) -> Array:
    """Return p = G Qdd - N_C^T m g, shape (n, 4, 3)."""
    weights = point_weights(segment.natural_com)
    weight = segment.mass * weights[:, None] * gravity  # (4, 3)
    return np.asarray(np.einsum("ij,njk->nik", segment.natural_mass, accelerations) - weight)


def nonorthonormal(segment: BodySegment, prepared: Prepared, gravity: Array) -> tuple[Array, Array]:
    """Return force and moment about P by the closed solution."""
    u, v, w = axes_of(prepared.own.x)
    p = generalized_forces(segment, prepared.own.dd, gravity)
    moment = cross(u, p[:, 0]) - cross(v, p[:, 2]) + cross(w, p[:, 3])
    return p[:, 1] + p[:, 2], moment


def solve_with_multipliers(
    segment: BodySegment, prepared: Prepared, gravity: Array
) -> tuple[Array, Array, Array]:
    """Return force, moment about P and the six multipliers by the 12 x 12 system.

        [N_P^T  N*^T  -K^T] [F; M; lambda] = p

    Loads from the distal side change F and M by what they add at P, and the multipliers not at all.

    Returns:
        Force and moment, shape (n, 3), and multipliers, shape (n, 6), in the order of `natural.CONSTRAINTS`; NaN where
        the motion is not known.
    """
    u, v, w = axes_of(prepared.own.x)
    p = generalized_forces(segment, prepared.own.dd, gravity)
    n = len(p)
    result = np.full((n, 12), np.nan)
    known = np.isfinite(p).all(axis=(1, 2)) & np.isfinite(prepared.own.x).all(axis=(1, 2))
    if known.any():
        axes = (u[known], v[known], w[known])
        system = np.zeros((int(known.sum()), 12, 12))
        system[:, 3:6, :3] = np.eye(3)  # a force at P acts on rP alone
        system[:, :, 3:6] = pseudo_interpolation(*axes)
        system[:, :, 6:] = -np.swapaxes(constraint_jacobian(*axes), -1, -2)
        result[known] = np.linalg.solve(system, p[known].reshape(-1, 12)[..., None])[..., 0]
    return result[:, :3], result[:, 3:6], result[:, 6:]
