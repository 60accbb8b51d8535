"""Poses of rigid clusters of markers, and solidification: markers replaced by the rigid shape that fits them best.

Per frame the pose R, t minimises sum |x_p - R y_p - t|^2 over the markers p that are seen, with y the reference shape
[Kabsch1976; Challis1995]: with the centred H = sum x_p y_p^T = U S V^T

    R = U diag(1, 1, det(U V^T)) V^T,    t = mean x - R mean y

The sign of the determinant keeps a reflection out, which fits a flat cluster just as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.spatial.vectors import as_array

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST = 3
"""Markers that fix a pose."""

COLLINEAR = 1e-3
"""Ratio of the second to the first singular value of a shape below which its markers are on a line."""

ROUNDS = 100
STILL = 1e-14
"""Change of the shape, over its size, below which another round changes nothing."""


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses of a cluster over time.

    Attributes:
        rotation: Shape axes to world axes, shape (n, 3, 3); NaN where fewer than three markers fix it.
        position: Of the origin of the shape, shape (n, 3), [m].
        residual: Root mean square distance of the markers from the fitted shape, shape (n,), [m].
    """

    rotation: Array
    position: Array
    residual: Array

    def apply(self, points: ArrayLike) -> Array:
        """Return points of the cluster's frame in the world, shape (n, 3) or (n, k, 3), [m]."""
        places = as_array("points", points, 3)
        if places.ndim == 1:
            return np.asarray(self.rotation @ places + self.position)
        return np.asarray(np.einsum("nij,kj->nki", self.rotation, places) + self.position[:, None])

    def inverse(self, points: Array) -> Array:
        """Return points of the world, shape (n, ..., 3), in the cluster's frame, [m]."""
        shift = self.position.reshape(len(self.position), *(1,) * (points.ndim - 2), 3)
        return np.asarray(np.einsum("nji,n...j->n...i", self.rotation, points - shift))


def rigid_fit(markers: ArrayLike, shape: ArrayLike) -> Poses:
    """Find the pose of a known shape in every frame.

    Args:
        markers: Shape (n, p, 3), [m]; NaN where a marker is not seen.
        shape: Places of the same markers in the frame of the cluster, shape (p, 3), [m].

    Returns:
        The poses; NaN where fewer than three markers are seen, or those that are lie on a line.

    Raises:
        InputError: Shapes do not fit, or the whole cluster is on a line.
    """
    x, y = as_array("markers", markers, 3), as_array("shape", shape, 3)
    if x.ndim != 3 or y.shape != x.shape[1:]:
        raise InputError(
            f"markers must be (n, p, 3) and the shape (p, 3), however they are {x.shape} and {y.shape}"
        )
    if not fixes_a_pose(y):
        raise InputError(
            f"a pose needs {LEAST} markers that are not on a line, however the shape has {len(y)} with a ratio of "
            f"{_spread(y):.2g} of its two widths"
        )
    seen = np.asarray(np.isfinite(x).all(axis=2))
    weight = seen[:, :, None]
    count = np.maximum(seen.sum(axis=1), 1)[:, None]
    x_mean = np.where(weight, x, 0.0).sum(axis=1) / count
    y_mean = np.where(weight, y, 0.0).sum(axis=1) / count
    x_off = np.where(weight, x - x_mean[:, None], 0.0)
    y_off = np.where(weight, y - y_mean[:, None], 0.0)
    U, S, Vt = np.linalg.svd(np.einsum("npi,npj->nij", x_off, y_off))
    sign = np.ones((len(x), 3))
    sign[:, 2] = np.sign(np.linalg.det(U @ Vt))
    rotation = (U * sign[:, None]) @ Vt
    fixed = (seen.sum(axis=1) >= LEAST) & (S[:, 1] > COLLINEAR**2 * np.maximum(S[:, 0], np.finfo(float).tiny))
    rotation[~fixed] = np.nan
    position = x_mean - np.einsum("nij,nj->ni", rotation, y_mean)
    left = x_off - np.einsum("nij,npj->npi", rotation, y_off)
    residual = np.sqrt(np.sum(left**2, axis=(1, 2)) / count[:, 0])
    return Poses(rotation, position, residual)


def fixes_a_pose(shape: Array) -> bool:
    """Whether the markers of a shape, (p, 3), are enough for a pose: three or more that are not on a line."""
    return len(shape) >= LEAST and _spread(shape) >= COLLINEAR


@dataclass(frozen=True, eq=False)
class Solid:
    """A cluster made rigid.

    Attributes:
        shape: Places of the markers in the frame of the cluster, about their mean, shape (p, 3), [m].
        poses: Of the cluster.
        markers: The rigid shape in every frame, shape (n, p, 3), [m]; NaN where the pose is not known.
        deformation: Root mean square distance of each measured marker from its place, shape (p,), [m].
    """

    shape: Array
    poses: Poses
    markers: Array
    deformation: Array


def solidify(markers: ArrayLike) -> Solid:
    """Replace the markers of a cluster by the rigid shape that fits all frames best [Cheze1995].

    The shape is the fixed point of: fit every frame, average R^T (x - t) over the frames, put the mean at the origin.
    Nothing is scaled. Distances between the new markers are constant to rounding, and markers that are rigid already
    stay where they are.

    Args:
        markers: Shape (n, p, 3), [m]; NaN where a marker is not seen.

    Raises:
        InputError: Fewer than three markers, markers on a line, or no frame in which all are seen.
    """
    x = as_array("markers", markers, 3)
    if x.ndim != 3 or x.shape[1] < LEAST:
        raise InputError(f"a cluster needs (n, {LEAST} or more, 3) markers, however they are {x.shape}")
    whole = np.isfinite(x).all(axis=(1, 2))
    if not whole.any():
        raise InputError("no frame shows all markers of the cluster, so that its shape is not known")
    shape = x[int(np.argmax(whole))]
    shape = shape - shape.mean(axis=0)
    size = float(np.linalg.norm(shape))
    for _ in range(ROUNDS):
        local = rigid_fit(x, shape).inverse(x)
        mean = np.nanmean(local, axis=0)
        mean = mean - mean.mean(axis=0)
        change = float(np.linalg.norm(mean - shape))
        shape = mean
        if change <= STILL * size:
            break
    poses = rigid_fit(x, shape)
    solid = poses.apply(shape)
    gaps = np.sum((x - solid) ** 2, axis=2)
    known = np.isfinite(gaps)
    total = np.where(known, gaps, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return Solid(shape, poses, solid, np.sqrt(total))


def _spread(shape: Array) -> float:
    """Return the second over the first singular value of a centred shape; 0 for points on a line."""
    values = np.linalg.svd(shape - shape.mean(axis=0), compute_uv=False)
    return float(values[1] / values[0]) if len(values) > 1 and values[0] > 0.0 else 0.0
