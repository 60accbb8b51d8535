"""Fill the gaps of a marker recording, each by the method that suits it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from softstride.signals.gaps import Filled, as_markers, fill_spline
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
        The filled markers, with `method` of shape (n_frames, n_markers); what could not be filled is NaN.

    Raises:
        InputError: If shapes do not fit, time does not increase, or a given cluster is not rigid.
    """
    markers, missing = as_markers(positions)
    blank = np.where(missing[..., None], np.nan, markers)  # a marker is lost as a whole
    short = fill_spline(blank, time, max_gap=max_spline)
    values, method, notes = short.values, short.method.max(axis=2), list(short.notes)
    found = find_clusters(values) if isinstance(clusters, str) else clusters
    steps = [fill_rigid(values, found)] if len(found) else []
    if low_rank:
        steps.append(fill_low_rank(steps[-1].values if steps else values, frame=frame))
    for step in steps:
        values, method = step.values, np.maximum(method, step.method)
        notes.extend(step.notes)
    values = np.where((missing & (method == 0))[..., None], markers, values)
    return Filled(values, method, tuple(notes))
