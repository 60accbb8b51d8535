"""Markers of one rigid cluster stand in for each other.

Where a marker is lost while at least three others of its cluster are seen, the pose of the cluster follows from those
(least squares over rotations, [Kabsch1976]) and carries the lost marker along.

[Kabsch1976] W. Kabsch, Acta Crystallographica A32:922; the determinant after [Challis1995], J Biomech 28:733.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.signals.gaps import (
    BoolArray,
    Filled,
    FillMethod,
    IndexArray,
    Unfilled,
    as_markers,
    left_open,
    thinned,
)
from softstride.signals.inputs import FloatArray, check_count, check_positive

MIN_SEEN = 3  # markers that fix a pose
COLLINEAR = 1e-3  # ratio of the second to the first singular value below which markers are on a line
MOST_FRAMES = 500  # frames that distances and shapes are taken from: their error falls with the root of it
FRAMES_TO_JUDGE = 10  # frames in which two markers must be seen together before their distance says anything
SHAPE_ROUNDS = 3  # rounds of the mean shape; it moves by the square of the deviation in each


def find_clusters(positions: ArrayLike, *, tolerance: float = 0.003, min_size: int = 4) -> list[list[int]]:
    """Find groups of markers whose mutual distances stay the same.

    Complete linkage on the standard deviation of each distance over time: within a group *every* distance holds.

    Args:
        positions: Marker positions, shape (n_frames, n_markers, 3), in [m].
        tolerance: Largest standard deviation of a distance within a group, in [m].
        min_size: Smallest group; one marker can be filled from three others.

    Returns:
        Groups of marker indices, each sorted, in the order of their first marker. Markers can be in one only.

    Raises:
        InputError: If the shape does not fit or an option is out of range.
    """
    markers, _ = as_markers(positions)
    check_positive("tolerance", tolerance, "m")
    check_count("min_size", min_size, 2)
    if markers.shape[1] < min_size:
        return []
    spread = distance_spread(markers)
    far = 1e3 * max(tolerance, float(np.nanmax(spread, initial=0.0)))
    spread = np.where(np.isnan(spread), far, spread)
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    label = fcluster(linkage(squareform(spread, checks=False), "complete"), tolerance, "distance")
    groups = [np.flatnonzero(label == k).tolist() for k in np.unique(label)]
    return sorted(group for group in groups if len(group) >= min_size)


def distance_spread(markers: FloatArray) -> FloatArray:
    """Return the standard deviation over time of the distance of every two markers [m], shape (m, m).

    NaN where two markers are seen together in fewer than `FRAMES_TO_JUDGE` frames.
    """
    return distances(markers)[1]


def distances(markers: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation over time of the distance of every two markers [m], each of shape (m, m).

    Both come from at most `MOST_FRAMES` frames (`gaps.thinned`) in which the first of the two is seen, or both are
    where that leaves too few. NaN where two markers are never seen together, or, for the deviation, in fewer than
    `FRAMES_TO_JUDGE` frames.
    """
    m = markers.shape[1]
    seen = np.ascontiguousarray(~np.isnan(markers).any(axis=2).T)
    together = seen.astype(np.float32) @ seen.T.astype(np.float32)
    mean, spread = np.full((m, m), np.nan), np.full((m, m), np.nan)
    for j in range(m):  # one marker against all: the full table of distances would be m times as large
        frames = thinned(np.flatnonzero(seen[j]), MOST_FRAMES)
        mean[j], spread[j], count = _moments(markers[frames] - markers[frames, j][:, None])
        for k in np.flatnonzero((count < FRAMES_TO_JUDGE) & (count < together[j])):
            both = thinned(np.flatnonzero(seen[j] & seen[k]), MOST_FRAMES)
            mean[j, k], spread[j, k], _ = _moments(markers[both, k] - markers[both, j])
    spread[together < FRAMES_TO_JUDGE] = np.nan
    np.fill_diagonal(spread, 0.0)
    return (mean + mean.T) / 2, (spread + spread.T) / 2


def _moments(between: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean, standard deviation and number of the lengths of vectors (n_frames, ..., 3) that are not NaN."""
    distance = np.sqrt(np.einsum("...i,...i->...", between, between))
    seen = ~np.isnan(distance)
    count = seen.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(seen, distance, 0.0).sum(axis=0) / count
        variance = np.where(seen, (distance - mean) ** 2, 0.0).sum(axis=0) / count
    return mean, np.sqrt(variance), count


def fill_rigid(
    positions: ArrayLike, clusters: Sequence[Sequence[int]], *, tolerance: float = 0.005
) -> Filled:
    """Fill lost markers of rigid clusters from three or more markers of the same cluster.

    With the mean shape c of the cluster from the frames where all of it is seen, each frame has the pose R, p that
    minimises sum |R c_i + p - x_i|^2 over the other markers seen, and a lost marker is at R (c_j + e_j) + p. Skin is
    not quite rigid: e_j is the deviation of marker j from its place, interpolated in time between the frames around the
    gap, so that the filled stretch joins the measured one without a step.

    Args:
        positions: Marker positions, shape (n_frames, n_markers, 3), in [m].
        clusters: Marker indices of each cluster, at least four.
        tolerance: Largest standard deviation of a distance within a cluster, in [m].

    Returns:
        The filled markers, with `method` of shape (n_frames, n_markers); `unfilled` has the gaps of markers in a
        cluster that stay.

    Raises:
        InputError: If a cluster is not rigid (with the distance that varies most, in mm), has fewer than four
            markers, names a marker twice or one that does not exist; if shapes do not fit.
    """
    markers, missing = as_markers(positions)
    check_positive("tolerance", tolerance, "m")
    values, made = markers.copy(), np.zeros_like(missing)
    unfilled: list[Unfilled] = []
    for cluster in clusters:
        index = _check_cluster(cluster, markers, tolerance)
        lost = missing[:, index]
        if not lost.any():
            continue
        whole = np.flatnonzero(~lost.any(axis=1))
        code = "gaps.cluster-never-whole"
        reason = f"its rigid cluster {index.tolist()} is never seen whole, so the shape is unknown"
        if whole.size:
            shape = _mean_shape(markers[np.ix_(thinned(whole, MOST_FRAMES), index)])
            for j in np.flatnonzero(lost.any(axis=0)):
                frames, place = _place(int(j), shape, index, markers, ~lost)
                values[frames, index[j]], made[frames, index[j]] = place, True
            code = "gaps.cluster-too-little-seen"
            reason = f"fewer than {MIN_SEEN} other markers of its rigid cluster fix a pose"
        left = left_open(lost & ~made[:, index], code, reason)
        unfilled += [gap._replace(marker=int(index[gap.marker])) for gap in left]
    method = np.where(made, FillMethod.RIGID, FillMethod.NONE).astype(np.int8)
    return Filled(values, method, tuple(sorted(unfilled)))


def _check_cluster(cluster: Sequence[int], markers: FloatArray, tolerance: float) -> IndexArray:
    """Return the indices of a rigid cluster."""
    index = np.asarray(cluster)
    if index.ndim != 1 or index.dtype.kind not in "ui" or len(index) <= MIN_SEEN:
        raise InputError(
            f"a cluster must be at least {MIN_SEEN + 1} marker indices, however it is {cluster!r}."
        )
    if len(np.unique(index)) < len(index) or index.min() < 0 or index.max() >= markers.shape[1]:
        raise InputError(
            f"cluster {list(cluster)} must name each marker once, from 0 to {markers.shape[1] - 1}."
        )
    spread = distance_spread(markers[:, index])
    worst = float(np.nanmax(spread))
    if worst > tolerance:
        i, j = np.argwhere(spread == worst)[0]
        raise InputError(
            f"cluster {index.tolist()} is not rigid: the distance of markers {index[i]} and {index[j]} varies by "
            f"{worst * 1e3:.1f} mm (standard deviation), more than the tolerance of {tolerance * 1e3:.1f} mm; "
            "leave one of them out, or use fill_low_rank."
        )
    return index.astype(np.intp)


def _mean_shape(x: FloatArray) -> FloatArray:
    """Return the mean shape of a cluster, centred, from frames (n, k, 3) in which all of it is seen."""
    shape = x[0] - x[0].mean(axis=0)
    for _ in range(SHAPE_ROUNDS):
        rotation, origin, _ = fit_pose(shape, x, np.ones(x.shape[:2], dtype=bool))
        shape = ((x - origin[:, None]) @ rotation).mean(axis=0)
        shape = shape - shape.mean(axis=0)
    return shape


def _place(
    j: int, shape: FloatArray, index: IndexArray, markers: FloatArray, seen: BoolArray
) -> tuple[IndexArray, FloatArray]:
    """Return the frames in which marker j of a cluster can be filled, (n,), and where it is there, (n, 3).

    The pose comes from the other markers, in the frames beside a gap too, so that it does not jump where j is lost.

    Args:
        j: The marker, counted within the cluster.
        shape: Mean shape, shape (k, 3), in [m].
        index: The markers of the cluster, shape (k,).
        markers: All markers, shape (n_frames, n_markers, 3), in [m].
        seen: Which of the cluster are seen, shape (n_frames, k).
    """
    fixed = seen.sum(axis=1) - seen[:, j] >= MIN_SEEN
    wanted, able = np.flatnonzero(~seen[:, j] & fixed), np.flatnonzero(seen[:, j] & fixed)
    own = np.arange(len(shape)) == j

    def pose(frames: IndexArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        return fit_pose(shape, markers[np.ix_(frames, index)], seen[frames] & ~own)

    rotation, origin, known = pose(wanted)
    wanted, rotation, origin = wanted[known], rotation[known], origin[known]
    for beside in (
        _neighbours(wanted, able),
        able,
    ):  # all of them where one beside a gap has its others on a line
        turn, base, fits = pose(beside)
        if fits.all():
            break
    beside, turn, base = beside[fits], turn[fits], base[fits]
    deviation = np.einsum("fji,fj->fi", turn, markers[beside, index[j]] - base) - shape[j]
    bridged = _bridge(wanted, beside, deviation)
    return wanted, np.einsum("fij,fj->fi", rotation, shape[j] + bridged) + origin


def _neighbours(wanted: IndexArray, able: IndexArray) -> IndexArray:
    """Return those of the able frames that are the last before or the first after a wanted one."""
    after = np.searchsorted(able, wanted)
    return able[np.unique(np.r_[after[after > 0] - 1, after[after < len(able)]])]


def _bridge(frames: IndexArray, at: IndexArray, deviation: FloatArray) -> FloatArray:
    """Interpolate deviations (n, 3), known at some frames, linearly in time.

    The nearest holds before the first and after the last; zero where none is known.
    """
    if not len(at):
        return np.zeros((len(frames), 3))
    return np.stack([np.interp(frames, at, deviation[:, axis]) for axis in range(3)], axis=1)


def fit_pose(shape: FloatArray, x: FloatArray, seen: BoolArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Fit the pose of a shape to the markers seen, every frame at once: x_j = R shape_j + p.

    Args:
        shape: The markers in the cluster's own frame, shape (k, 3).
        x: Measured markers, shape (n_frames, k, 3); what is not seen is ignored.
        seen: Which are seen, shape (n_frames, k).

    Returns:
        R (n_frames, 3, 3), p (n_frames, 3), and whether at least three markers that are not on one line fix the pose.
    """
    weight = seen.astype(np.float64)
    count = np.maximum(weight.sum(axis=1), 1.0)[:, None]
    there = np.where(seen[..., None], x, 0.0)
    own_centre = weight @ shape / count  # (n_frames, 3)
    centre = there.sum(axis=1) / count
    own = weight[..., None] * (shape - own_centre[:, None])
    u, size, vt = np.linalg.svd(np.swapaxes(own, 1, 2) @ (there - centre[:, None]))
    v = np.swapaxes(vt, 1, 2)
    v[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    rotation = v @ np.swapaxes(u, 1, 2)
    known = (seen.sum(axis=1) >= MIN_SEEN) & (size[:, 1] > COLLINEAR * size[:, 0])
    return rotation, centre - np.einsum("fij,fj->fi", rotation, own_centre), known
