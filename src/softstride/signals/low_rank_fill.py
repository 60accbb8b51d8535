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

from softstride.errors import InputError
from softstride.signals.gaps import BoolArray, Filled, FillMethod, IndexArray, as_markers, find_runs
from softstride.signals.inputs import FloatArray, check_positive
from softstride.signals.rigid_fill import fit_pose

Gap = tuple[int, int, int]  # marker, first missing frame, frame after the last

MOST_PREDICTORS = 15  # nearest markers that are asked for one lost marker
MOST_FRAMES = 500  # frames that are learnt from: more of a periodic motion say nothing new
FEWEST_FRAMES = 10
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
    weighted by w = exp(-d^2 / (2 reach^2)), d their mean distance, and expressed in the body frame. Over the n frames
    in which all of them are seen, with X w = U S V' after removing the mean,

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
        markers are seen throughout it, or fewer frames can be learnt from than it lasts, or than ten; `notes` says so.

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
    seen = np.asarray(~np.isnan(local).any(axis=2))
    counts = seen.T.astype(np.float64) @ seen.astype(np.float64)
    together = counts / np.maximum(np.diag(counts), 1.0)[:, None]
    values, made, notes = local.copy(), np.zeros_like(missing), list[str]()
    gaps = find_runs(~seen)
    for marker, start, stop in zip(
        gaps.channel.tolist(), gaps.start.tolist(), gaps.stop.tolist(), strict=True
    ):
        guess = _predict(local, seen, together[marker], (marker, start, stop), noise, reach, frame is None)
        if guess is None:
            notes.append(
                f"marker {marker}, frames {start} to {stop - 1}: too little is seen with it; not filled"
            )
        else:
            values[start:stop, marker], made[start:stop, marker] = guess, True
    if rotation is not None and origin is not None:
        values = np.einsum("fij,fkj->fki", rotation, values) + origin[:, None]
    made &= missing & ~np.isnan(values).any(axis=2)
    values = np.where(made[..., None], values, markers)  # measured samples come back without rounding
    return Filled(values, np.where(made, FillMethod.LOW_RANK, FillMethod.NONE).astype(np.int8), tuple(notes))


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
    x: FloatArray, seen: BoolArray, together: FloatArray, gap: Gap, noise: float, reach: float, centred: bool
) -> FloatArray | None:
    """Return the place of one marker in one gap, shape (gap, 3), or None where too little is seen.

    Args:
        x: Markers in the body frame, shape (n_frames, n_markers, 3), in [m].
        seen: Which are seen, shape (n_frames, n_markers).
        together: Share of this marker's frames in which each marker is seen too, shape (n_markers,).
        gap: The marker, and its first missing frame and the frame after the last.
        noise: As in `fill_low_rank`.
        reach: As in `fill_low_rank`.
        centred: Whether the mean of the predictors is removed in each frame.
    """
    marker, start, stop = gap
    able = np.flatnonzero(seen[start:stop].all(axis=0) & (together >= SEEN_TOGETHER))
    if len(able) < 3:
        return None
    whole = np.flatnonzero(seen[:, marker] & seen[:, able].all(axis=1))
    if len(whole) < max(FEWEST_FRAMES, stop - start):
        return None
    some = whole[:: max(1, len(whole) // FEWEST_FRAMES)]
    distance = np.linalg.norm(x[np.ix_(some, able)] - x[some, marker][:, None], axis=2).mean(axis=0)
    nearest = np.argsort(distance, kind="stable")[:MOST_PREDICTORS]
    able, weight = able[nearest], np.exp(-0.5 * (distance[nearest] / reach) ** 2)
    weight = (weight / weight.max())[:, None]

    def centre_and_rows(frames: IndexArray) -> tuple[FloatArray, FloatArray]:
        predictors = x[np.ix_(frames, able)]
        centre = predictors.mean(axis=1) if centred else np.zeros((len(frames), 3))
        return centre, ((predictors - centre[:, None]) * weight).reshape(len(frames), -1)

    learn = whole[np.linspace(0, len(whole) - 1, min(len(whole), MOST_FRAMES)).astype(int)]
    centre, rows = centre_and_rows(learn)
    target = x[learn, marker] - centre
    mean, target_mean = rows.mean(axis=0), target.mean(axis=0)
    u, s, vt = np.linalg.svd(rows - mean, full_matrices=False)
    gain = vt.T @ ((s / (s**2 + len(learn) * noise**2))[:, None] * (u.T @ (target - target_mean)))

    def guess(frames: IndexArray) -> FloatArray:
        centre, rows = centre_and_rows(frames)
        return (rows - mean) @ gain + target_mean + centre

    frames = np.arange(start, stop)
    after = int(np.searchsorted(whole, start))
    beside = whole[max(after - 1, 0) : after + 1]  # the nearest frames on both sides, or on the one there is
    step = x[beside, marker] - guess(beside)
    share = np.interp(frames, beside, np.arange(len(beside), dtype=np.float64))[:, None]
    return np.asarray(guess(frames) + (1 - share) * step[0] + share * step[-1])
