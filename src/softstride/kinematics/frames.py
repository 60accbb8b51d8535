"""Which frames of a trial lie in a range of time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError, Option

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
    option = Option("time_range")
    facts: dict[str, Any] = {"parameter": "time_range", "value": wanted, "options": [option]}
    if not start <= end:
        raise InputError(f"{option} must be (start, end) with start <= end, however it is {wanted}", **facts)
    if len(time) == 0 or end < time[0] or start > time[-1]:
        span = f"{time[0]:g} to {time[-1]:g} s" if len(time) else "no frames"
        raise InputError(f"{option} {start:g} to {end:g} s lies outside the trial, which has {span}", **facts)
    slack = 1e-6 * (time[-1] - time[0] + 1.0)  # times are rounded in files
    first = int(np.searchsorted(time, start + slack, side="right")) - 1
    last = int(np.searchsorted(time, end - slack, side="left"))
    return slice(max(first, 0), min(max(last, first), len(time) - 1) + 1)


def spans(frames: NDArray[np.intp], time: Array | None = None, most: int = 5) -> str:
    """Return frames in words, as stretches with their times: "4 (0.040 s), 7 to 9 (0.070 to 0.090 s)".

    Args:
        frames: Numbers of frames, increasing, at least one.
        time: Instants of all frames [s]; None: stretches without times.
        most: Stretches that are told one by one.
    """
    runs = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    said = [_span(int(run[0]), int(run[-1]), time) for run in runs[:most]]
    return ", ".join(said) + (f" and {len(runs) - most} more stretches" if len(runs) > most else "")


def _span(first: int, last: int, time: Array | None) -> str:
    if first == last:
        return f"{first}" if time is None else f"{first} ({time[first]:.3f} s)"
    return f"{first} to {last}" + (f" ({time[first]:.3f} to {time[last]:.3f} s)" if time is not None else "")


def in_words(frames: NDArray[np.intp], most: int = 3) -> str:
    """Return frames in words without times: "frame 4", "frames 4, 7 to 9"."""
    return f"frame{'' if len(frames) == 1 else 's'} {spans(frames, most=most)}"
