"""Long gaps of markers, from the way all markers move together.

The coordinates of markers on one body are highly correlated: seen from the body, a few principal components hold
almost all of the motion. What the seen markers say about these components says where a lost one is.

This is the idea of [Gloersen2016], who remove the mean trajectory, weight markers by their distance and project on
the principal components of the complete frames. Here the last step is a principal-component regression of the
lost marker on the seen ones, whose filter factors let weak components fade instead of cutting them off.

[Gloersen2016] Ø. Gløersen and P. Federolf, PLoS ONE 11:e0152616.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular

from softstride.errors import InputError
from softstride.signals.gaps import (
    BoolArray,
    Filled,
    FillMethod,
    IndexArray,
    as_markers,
    find_runs,
    left_open,
    thinned,
)
from softstride.signals.inputs import FloatArray, check_positive
from softstride.signals.rigid_fill import distances, fit_pose

Gap = tuple[int, int, int]  # marker, first missing frame, frame after the last

MOST_PREDICTORS = 15  # nearest markers that are asked for one lost marker
MOST_FRAMES = 500  # frames that are learnt from: more of the same motion say nothing new
FEWEST_FRAMES = 10
FEWEST_PREDICTORS = 3
SEEN_TOGETHER = 0.9  # share of the lost marker's own frames in which a predictor must be seen


def fill_low_rank(
    positions: ArrayLike,
    *,
    frame: Sequence[int] | None = None,
    noise: float = 0.001,
    reach: float = 0.3,
) -> Filled:
    r"""Fill gaps of any length from the motion of the other markers.

    For each gap of a marker y, the up to `MOST_PREDICTORS` nearest markers X that are seen throughout the gap are
    weighted by w = exp(-d^2 / (2 reach^2)), d their mean distance, and expressed in the body frame. Over n frames
    in which all of them are seen (up to `MOST_FRAMES`), with X w = U S V' after removing the mean,

        y = mean(y) + (x - mean(X)) w V diag(s / (s^2 + n noise^2)) U' (Y - mean(Y))

    The difference to the measured marker on both sides of the gap is interpolated over it, so that there is
    no step; at an end of the recording the nearest one holds.

    Args:
        positions: Marker positions, shape (n_frames, n_markers, 3), in [m].
        frame: Markers whose pose is the body frame (three or more, for example those of the pelvis): removes position
            and rotation. None removes position only: the mean of the predictors in each frame.
        noise: Amplitude below which a component is noise, in [m] root mean square.
        reach: Distance over which markers inform each other, in [m].

    Returns:
        The filled markers, with `method` of shape (n_frames, n_markers). A gap stays where fewer than three other
        markers are seen throughout it, or fewer frames can be learnt from than it lasts, or than ten; see `unfilled`.

    Raises:
        InputError: If shapes do not fit, an option is out of range, or `frame` names fewer than three markers.
    """
    markers, missing = as_markers(positions)
    check_positive("noise", noise, "m")
    check_positive("reach", reach, "m")
    if frame is None:
        local, rotation, origin = markers, None, None
    else:
        rotation, origin = _body_frame(markers, missing, frame)
        local = np.einsum("fji,fkj->fki", rotation, markers - origin[:, None])
    seen = np.ascontiguousarray(~np.isnan(local).any(axis=2).T)
    counts = (seen.astype(np.float32) @ seen.T.astype(np.float32)).astype(np.float64)
    together = counts / np.maximum(np.diag(counts), 1.0)[:, None]
    values, made = local.copy(), np.zeros_like(missing)
    gaps = find_runs(~seen.T)
    distance = distances(local)[0] if len(gaps) else np.zeros(0)
    for marker, start, stop in zip(
        gaps.channel.tolist(), gaps.start.tolist(), gaps.stop.tolist(), strict=True
    ):
        able = np.flatnonzero(seen[:, start:stop].all(axis=1) & (together[marker] >= SEEN_TOGETHER))
        able = able[np.argsort(distance[marker, able], kind="stable")[:MOST_PREDICTORS]]
        square = (distance[marker, able] / reach) ** 2
        weight = np.exp(-0.5 * (square - square[:1]))  # that of the nearest is 1, however far it is
        guess = _predict(local, seen, (marker, start, stop), able, weight, noise, frame is None)
        if guess is not None:
            values[start:stop, marker], made[start:stop, marker] = guess, True
    if rotation is not None and origin is not None:
        values = np.einsum("fij,fkj->fki", rotation, values) + origin[:, None]
    made &= missing & ~np.isnan(values).any(axis=2)
    values = np.where(made[..., None], values, markers)  # measured samples come back without rounding
    method = np.where(made, FillMethod.LOW_RANK, FillMethod.NONE).astype(np.int8)
    left = left_open(missing & ~made, "gaps.too-little-seen", "too little is seen with it")
    return Filled(values, method, tuple(left))


def _body_frame(
    markers: FloatArray, missing: BoolArray, frame: Sequence[int]
) -> tuple[FloatArray, FloatArray]:
    """Return rotation and origin of the markers in `frame`, NaN where they do not fix a pose."""
    index = np.asarray(frame)
    if index.ndim != 1 or index.dtype.kind not in "ui" or len(np.unique(index)) < 3:
        raise InputError(f"frame must name at least three markers by index, however it is {frame!r}.")
    if index.min() < 0 or index.max() >= markers.shape[1]:
        raise InputError(
            f"frame must name markers from 0 to {markers.shape[1] - 1}, however it is {frame!r}."
        )
    seen = ~missing[:, index]
    whole = seen.all(axis=1)
    if not whole.any():
        raise InputError(f"the markers {list(frame)} of the body frame are never seen together; name others.")
    shape = markers[np.argmax(whole), index]
    rotation, origin, known = fit_pose(shape - shape.mean(axis=0), markers[:, index], seen)
    rotation[~known], origin[~known] = np.nan, np.nan
    return rotation, origin


def _predict(
    x: FloatArray,
    seen: BoolArray,
    gap: Gap,
    able: IndexArray,
    weight: FloatArray,
    noise: float,
    centred: bool,
) -> FloatArray | None:
    """Return the place of one marker in one gap, shape (gap, 3), or None where too little is seen.

    Args:
        x: Markers in the body frame, shape (n_frames, n_markers, 3), in [m].
        seen: Which are seen, shape (n_markers, n_frames).
        gap: The marker, and its first missing frame and the frame after the last.
        able: The predictors, seen throughout the gap, shape (k,).
        weight: Of each, shape (k,).
        noise: As in `fill_low_rank`.
        centred: Whether the mean of the predictors is removed in each frame.
    """
    marker, start, stop = gap
    if len(able) < FEWEST_PREDICTORS:
        return None
    whole = np.flatnonzero(seen[marker] & seen[able].all(axis=0))
    if len(whole) < max(FEWEST_FRAMES, stop - start):
        return None

    def centre_and_rows(frames: IndexArray) -> tuple[FloatArray, FloatArray]:
        predictors = x[np.ix_(frames, able)]
        centre = predictors.mean(axis=1) if centred else np.zeros((len(frames), 3))
        return centre, ((predictors - centre[:, None]) * weight[:, None]).reshape(len(frames), -1)

    learn = thinned(whole, MOST_FRAMES)
    centre, rows = centre_and_rows(learn)
    target = x[learn, marker] - centre
    mean, target_mean = rows.mean(axis=0), target.mean(axis=0)
    gain = _damped_regression(rows - mean, target - target_mean, noise)

    def guess(frames: IndexArray) -> FloatArray:
        centre, rows = centre_and_rows(frames)
        return (rows - mean) @ gain + target_mean + centre

    frames = np.arange(start, stop)
    after = int(np.searchsorted(whole, start))
    beside = whole[max(after - 1, 0) : after + 1]  # the nearest frames on both sides, or on the one there is
    step = x[beside, marker] - guess(beside)
    share = np.interp(frames, beside, np.arange(len(beside), dtype=np.float64))[:, None]
    return np.asarray(guess(frames) + (1 - share) * step[0] + share * step[-1])


def _damped_regression(x: FloatArray, y: FloatArray, noise: float) -> FloatArray:
    """Return V diag(s / (s^2 + n noise^2)) U' y for x = U S V', shape (k, 3).

    That is the g which minimises |x g - y|^2 + n noise^2 |g|^2, here by one QR factorisation of both terms: several
    times as fast as the singular values, and as accurate, since no square of x is formed.
    """
    n, k = x.shape
    stacked = np.zeros((n + k, k + y.shape[1]))
    stacked[:n, :k], stacked[:n, k:] = x, y
    stacked[n:, :k] = np.sqrt(n) * noise * np.eye(k)
    r: FloatArray = np.linalg.qr(stacked, mode="r")  # type: ignore[assignment]
    return np.asarray(solve_triangular(r[:k, :k], r[:k, k:], check_finite=False))
