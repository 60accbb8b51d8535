"""Fill the gaps of a marker recording, each by the method that suits it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from softstride.signals.gaps import Filled, as_markers, fill_spline, left_open
from softstride.signals.low_rank_fill import fill_low_rank
from softstride.signals.rigid_fill import fill_rigid, find_clusters


def fill(
    positions: ArrayLike,
    time: ArrayLike,
    *,
    max_spline: float = 0.1,
    clusters: Sequence[Sequence[int]] | Literal["auto"] = "auto",
    low_rank: bool = True,
    frame: Sequence[int] | None = None,
) -> Filled:
    """Fill the gaps of markers: short ones by a spline, long ones from a rigid cluster, the rest by low rank.

    Each step sees the measured samples and what the steps before it filled, and fills only what is still missing.

    Args:
        positions: Marker positions, shape (n_frames, n_markers, 3), in [m].
        time: Sample times, shape (n_frames,), increasing, in [s].
        max_spline: Longest gap for the spline, in [s].
        clusters: Marker indices of each rigid cluster; "auto" finds them (`find_clusters`); () for none.
        low_rank: Whether to fill what is left from the motion of all markers.
        frame: Markers of the body frame of `fill_low_rank`.

    Returns:
        The filled markers, with `method` of shape (n_frames, n_markers); what could not be filled is NaN, and
        `unfilled` says why, with the reason of the last step that tried.

    Raises:
        InputError: If shapes do not fit, time does not increase, or a given cluster is not rigid.
    """
    markers, missing = as_markers(positions)
    blank = np.where(missing[..., None], np.nan, markers)  # a marker is lost as a whole
    short = fill_spline(blank, time, max_gap=max_spline)
    values, method = short.values, short.method.max(axis=2)
    found = find_clusters(values) if isinstance(clusters, str) else clusters
    steps = [fill_rigid(values, found)] if len(found) else []
    if low_rank:
        steps.append(fill_low_rank(steps[-1].values if steps else values, frame=frame))
    for step in steps:
        values, method = step.values, np.maximum(method, step.method)
    told = {(gap.marker, gap.start): gap for step in steps for gap in step.unfilled}
    left = missing & (method == 0)
    other = f"open at an end or longer than {max_spline:g} s, and in no rigid cluster"
    unfilled = []
    for gap in left_open(left, "gaps.long-or-open", other):
        last = told.get((gap.marker, gap.start), gap)
        unfilled.append(gap._replace(reason=last.reason, code=last.code))
    return Filled(np.where(left[..., None], markers, values), method, tuple(unfilled))
