"""Homogeneous matrices: the action of a body as one 4 x 4 matrix [DoriotCheze2004].

With T = [[R, rP], [0, 1]], H = Tdd T^-1, Hg = [[0, g], [0, 0]] and the pseudo-inertia J4 = [[S, m c], [m c^T, m]] about
P

    (H - Hg) Jg - Jg (H - Hg)^T = [[skew(M_O), F], [-F^T, 0]],    Jg = T J4 T^T

where M_O is about the origin of the world. S is the second moment of mass *about P*: left at the centre of mass it
costs up to 8.6 N m at the hip of the reference motion.

Here the product is taken about P, which is the same with T replaced by its rotation and H by [Rdd R^T, rPdd]: moments
about a distant origin lose digits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.segments.body import BodySegment
from softstride.segments.methods.prepare import Prepared

Array = NDArray[np.float64]


def homogeneous(segment: BodySegment, prepared: Prepared, gravity: Array) -> tuple[Array, Array]:
    """Return force and moment about P from pose matrices and their second derivatives."""
    action = action_matrix(segment, prepared, gravity)
    skew = 0.5 * (action[:, :3, :3] - np.swapaxes(action[:, :3, :3], -1, -2))
    moment = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=-1)
    return action[:, :3, 3], moment


def action_matrix(segment: BodySegment, prepared: Prepared, gravity: Array) -> Array:
    """Return [[skew(M_P), F], [-F^T, 0]] of a segment, shape (n, 4, 4)."""
    n = len(prepared.rotation)
    pose = np.zeros((n, 4, 4))
    pose[:, :3, :3], pose[:, 3, 3] = prepared.rotation, 1.0
    inertia = np.empty((4, 4))
    inertia[:3, :3] = segment.second_moment
    inertia[:3, 3] = inertia[3, :3] = segment.mass * segment.com
    inertia[3, 3] = segment.mass
    field = np.zeros((n, 4, 4))  # H - Hg about P
    field[:, :3, :3] = prepared.own.dd @ np.swapaxes(prepared.rotation, -1, -2)
    field[:, :3, 3] = prepared.point.dd - gravity
    flow = field @ (pose @ inertia @ np.swapaxes(pose, -1, -2))
    return np.asarray(flow - np.swapaxes(flow, -1, -2))
