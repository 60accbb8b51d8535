"""Stretches of time in masks, and statistics that outliers and missing values do not disturb."""

import warnings

import numpy as np
from numpy.typing import NDArray

from softstride.capture.series import Floats

Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]

GAUSSIAN = 1.4826  # standard deviation of a normal distribution over its median absolute deviation


def find_spans(mask: Mask) -> tuple[Integers, Integers, Integers]:
    """Return the stretches where a mask is True, column by column.

    Args:
        mask: Shape (n,) or (n, m), time first.

    Returns:
        Column, first row and last row of each stretch, in the order of the columns, then of time.
    """
    columns = mask[:, None] if mask.ndim == 1 else mask
    edge = np.zeros((1, columns.shape[1]), dtype=np.int8)
    steps = np.diff(np.concatenate([edge, columns.astype(np.int8), edge]), axis=0).T
    column, first = np.nonzero(steps == 1)
    _, after = np.nonzero(steps == -1)
    return column, first, after - 1


def frame_rate(time: Floats) -> float:
    """Return the frames per second of a clock, from its usual step forward, in [Hz]; NaN where none goes forward."""
    steps = np.diff(time)
    forward = steps[steps > 0.0]
    return float(1.0 / np.median(forward)) if len(forward) else float("nan")


def median(values: Floats, axis: int | None = None) -> Floats:
    """Return the median of what was measured; NaN where nothing was."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # "All-NaN slice": NaN is the answer that we want
        return np.asarray(np.nanmedian(values, axis=axis))


def spread(values: Floats, axis: int | None = None) -> Floats:
    """Return the standard deviation about zero that a normal distribution with this median magnitude has."""
    return GAUSSIAN * median(np.abs(values), axis)


def whole(value: float) -> str:
    """Write a percentage: no decimals, but one below 10."""
    return f"{value:.0f} %" if value >= 10.0 else f"{value:.1f} %"
