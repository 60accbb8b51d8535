"""Which frames of a trial lie in a range of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError

Array = NDArray[np.float64]
Range = tuple[float, float]


def frame_range(time: Array, wanted: Range | None) -> slice:
    """Return the frames from the last at or before the start to the first at or after the end.

    Raises:
        InputError: The range is empty or outside the trial.
    """
    if wanted is None:
        return slice(0, len(time))
    start, end = wanted
    if not start <= end:
        raise InputError(f"time_range must be (start, end) with start <= end, however it is {wanted}")
    if len(time) == 0 or end < time[0] or start > time[-1]:
        span = f"{time[0]:g} to {time[-1]:g} s" if len(time) else "no frames"
        raise InputError(f"time_range {start:g} to {end:g} s lies outside the trial, which has {span}")
    slack = 1e-6 * (time[-1] - time[0] + 1.0)  # times are rounded in files
    first = int(np.searchsorted(time, start + slack, side="right")) - 1
    last = int(np.searchsorted(time, end - slack, side="left"))
    return slice(max(first, 0), min(max(last, first), len(time) - 1) + 1)


def spans(frames: NDArray[np.intp], time: Array, most: int = 5) -> str:
    """Return frames in words, as stretches with their times: "4 (0.040 s), 7 to 9 (0.070 to 0.090 s)"."""
    runs = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    said = [
        f"{run[0]} to {run[-1]} ({time[run[0]]:.3f} to {time[run[-1]]:.3f} s)"
        if len(run) > 1
        else f"{run[0]} ({time[run[0]]:.3f} s)"
        for run in runs[:most]
    ]
    return ", ".join(said) + (f" and {len(runs) - most} more stretches" if len(runs) > most else "")
