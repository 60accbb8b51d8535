"""What the stations of inverse dynamics share: their rows, how motion reaches them, the wrench they need."""

from __future__ import annotations

from typing import Any

from softstride.engine.kernels.records import Row, Spatial, vec
from softstride.engine.kernels.tables import Tree
from softstride.engine.lanes import Rows
from softstride.spatial.small import Mat, Vec

# rows of a station: pose relative to its base, twist and acceleration, wrench, weights of a rod station
POSE, TWIST, WRENCH, WEIGHTS = 0, 12, 24, 30
STATION_ROWS = 38

Motion = tuple[Vec, Vec, Vec, Vec]
"""Twist (angular, linear) and acceleration (angular, linear) in the axes of the frame that moves."""

ZERO: Spatial = (Vec.zero(), Vec.zero())


def rnea_rows(tree: Tree) -> int:
    """Return the scratch rows of inverse dynamics."""
    return len(tree.stations) * STATION_ROWS + tree.extra_rows


def motion_of(m: Rows, row: Row) -> Motion:
    """Return the stored twist and acceleration."""
    return vec(m, row), vec(m, row + 3), vec(m, row + 6), vec(m, row + 9)


def advance(motion: Motion, R: Mat, p: Vec, j: Spatial, b: Spatial) -> Motion:
    """Return the motion of a frame at (R, p) that moves with j, b relative to its base (see `joints`)."""
    # eta = Ad(g)^-1 eta_base + j,    Ad(g)^-1 = [[R^T, 0], [-R^T hat(p), R^T]]
    w0, v0, dw0, dv0 = motion
    w = R.T @ w0 + j[0]
    v = R.T @ (v0 + w0.cross(p)) + j[1]
    # eta' = Ad(g)^-1 eta'_base + b + ad(eta) j, by components; ad(eta) j = [w x j_w; w x j_v + v x j_w]
    dw = R.T @ dw0 + b[0] + w.cross(j[0])
    dv = R.T @ (dv0 + dw0.cross(p)) + b[1] + w.cross(j[1]) + v.cross(j[0])
    return w, v, dw, dv


def newton_euler(mass: Any, h: Vec, inertia: Mat, w: Vec, v: Vec, dw: Vec, dv: Vec) -> Spatial:
    """Return the wrench (n, f) about the origin that gives a rigid body this motion; h is its first moment."""
    # F = I eta' - ad(eta)^T I eta [Featherstone2008, table 5.1], written with the acceleration of the origin,
    # v' + w x v: by the Jacobi identity, w x (h x v) + v x (w x h) = h x (w x v).
    acceleration = dv + w.cross(v)
    f = acceleration * mass + dw.cross(h) + w.cross(w.cross(h))
    n = inertia @ dw + w.cross(inertia @ w) + h.cross(acceleration)
    return n, f
