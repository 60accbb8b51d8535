"""Largest numbers of a curve as tables show them: the number, and when it was."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def peak_of(x: Array) -> tuple[float, int | None]:
    """Return the largest number and where it is; NaN and None without any."""
    if not np.isfinite(x).any():
        return float("nan"), None
    at = int(np.nanargmax(x))
    return float(x[at]), at


def shown(x: float) -> str:
    """Return a number with two decimals; "-" if it is none."""
    return f"{x:.2f}" if np.isfinite(x) else "-"


def instant(time: Array, at: int | None) -> str:
    """Return when a frame was [s]; "-" for none."""
    return "-" if at is None else f"{time[at]:.3f}"
