"""Contiguous runs without NaN: what a filter may touch at once.

A gap cuts a channel into runs, and no method of this room looks across a gap. Channels that share a run (the
three coordinates of a marker, and all markers that are never lost) are treated together, so the loop goes over the
distinct runs and never over frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.signals.inputs import FloatArray


@dataclass(frozen=True, eq=False)
class Run:
    """Frames start to stop (excluded) that are measured without a break in some channels.

    Attributes:
        start: First frame.
        stop: Frame after the last.
        columns: The channels, indices into the flattened trailing axes, shape (n_columns,).
    """

    start: int
    stop: int
    columns: NDArray[np.intp]

    def __len__(self) -> int:
        return self.stop - self.start


def as_columns(x: FloatArray) -> FloatArray:
    """Return x with its trailing axes flattened, shape (n_frames, n_columns)."""
    return x.reshape(len(x), int(np.prod(x.shape[1:])))


def contiguous_runs(x: FloatArray) -> list[Run]:
    """Find the maximal runs of frames without NaN, channel by channel.

    Args:
        x: Samples, shape (n_frames, ...).

    Returns:
        The distinct runs in the order of their start; channels with the same run are in one `Run`.
    """
    measured = ~np.isnan(as_columns(x)).T
    edge = np.zeros((len(measured), 1), dtype=np.int8)
    step = np.diff(measured.astype(np.int8), axis=1, prepend=edge, append=edge)
    column, start = np.nonzero(step == 1)
    stop = np.nonzero(step == -1)[1]
    bounds, which = np.unique(np.stack([start, stop], axis=1), axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    groups = np.split(column[order], np.cumsum(np.bincount(which.ravel(), minlength=len(bounds)))[:-1])
    # Splitting nothing leaves one empty group, so the lengths differ where there is no run.
    return [Run(int(a), int(b), columns) for (a, b), columns in zip(bounds, groups, strict=False)]


def map_runs(x: FloatArray, method: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Apply a method to every run of a signal; what is NaN stays NaN.

    Args:
        x: Samples, shape (n_frames, ...).
        method: Takes samples without NaN, shape (n_run, n_columns), and returns the same shape.

    Returns:
        A new array of the shape of x.
    """
    flat = as_columns(x)
    result = np.full_like(flat, np.nan)
    for run in contiguous_runs(x):
        if len(run.columns) == flat.shape[1]:
            result[run.start : run.stop] = method(flat[run.start : run.stop])
        else:
            result[run.start : run.stop, run.columns] = method(flat[run.start : run.stop, run.columns])
    return result.reshape(x.shape)
