"""Brief peaks in a panel: cut, so that the rest can be read, and told as numbers."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from softstride.cli.picture_style import GREY

INNER = (2.0, 98.0)
"""Percentiles of each curve over time that a panel must show."""

ROOM = 0.15
"""Room above and below them, as a share of their range."""

WORTH = 1.25
"""By how much all of a panel must be taller than that for its peaks to be cut."""

SAMPLES = 2000


def cut_peaks(axes: Axes) -> None:
    """Show what the curves of a panel do nearly all the time, and tell how far they go."""
    curves = [np.asarray(line.get_xydata(), dtype=np.float64) for line in axes.lines]
    known = [curve[np.isfinite(curve).all(axis=1)] for curve in curves]
    known = [curve for curve in known if len(curve) > 2]
    if not known:
        return
    inner = np.array([_inner(*curve.T) for curve in known])
    low, high = float(inner[:, 0].min()), float(inner[:, 1].max())
    room = ROOM * (high - low)
    least, most = (float(end([end(curve[:, 1]) for curve in known])) for end in (np.min, np.max))
    if not most - least > WORTH * (high - low + 2.0 * room):
        return
    bottom, top = max(least, low - room), min(most, high + room)
    axes.set_ylim(bottom, top)
    ends = [_short(end) for end, beyond in ((least, least < bottom), (most, most > top)) if beyond]
    axes.text(
        0.99,
        0.97,
        f"peaks to {' and '.join(ends)}",
        color=GREY,
        fontsize=7,
        ha="right",
        va="top",
        transform=axes.transAxes,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
        zorder=5,
    )


def _short(value: float) -> str:
    """Return a number of two digits or more, with a true minus sign."""
    return (f"{value:.0f}" if abs(value) >= 10.0 else f"{value:.2g}").replace("-", "\u2212")


def _inner(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the inner percentiles of a curve over time, whatever the steps of its samples."""
    even = np.linspace(time[0], time[-1], SAMPLES)
    return np.asarray(np.percentile(np.interp(even, time, values), INNER))
