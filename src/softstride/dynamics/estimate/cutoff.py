"""How much of a motion is noise: the low pass of coordinates that go into accelerations.

Winter's residual analysis proposes the cut-off at which the displacements of the links lose as much signal as they keep
noise. Accelerations weigh a component of frequency f with f^2, so that theirs lies lower; `SHARE` of it is taken. A
motion that has next to no power in its accelerations above the cut-off has been smoothed before, and is left as it is.
Forces are not looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kinematics import poses
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note
from softstride.signals.residual_analysis import residual_analysis

Array = NDArray[np.float64]

SHARE = 0.6
"""Of the cut-off of displacements that is taken for accelerations."""

SMOOTH = 0.01
"""Share of the power of the accelerations above the cut-off of a motion that was smoothed before."""

FEWEST = 40
"""Frames from which on the analysis means something."""

HIGHEST = 50.0
"""The largest that is looked for [Hz], whatever the rate of the file. A noisy motion that was interpolated to a higher
rate has no noise there, and seems smooth: give its low pass."""

STRETCH, STRETCHES = 512, 4
"""Frames of a stretch, and stretches of a long motion that are looked at: these, evenly placed, tell what all would."""

LOWEST = 3.0
"""The least cut-off [Hz]: a step is a movement of a few hertz."""


def _stretches(n: int) -> NDArray[np.intp]:
    """Return the frames that are looked at, a column for each stretch: all, or some stretches of a long motion."""
    if n <= STRETCH * STRETCHES:
        return np.arange(n)[:, None]
    starts = np.linspace(0, n - STRETCH, STRETCHES).astype(np.intp)
    return np.arange(STRETCH)[:, None] + starts


def choose_cutoff(model: Model, motion: Motion) -> tuple[float | None, Note]:
    """Return the cut-off of a low pass [Hz], None for a motion that needs none, and a note that says why."""
    n = len(motion.time)
    if n < FEWEST:
        return None, _none(f"{n} frames are too few to tell noise from motion")
    rate = (n - 1) / float(motion.time[-1] - motion.time[0])
    clock = np.linspace(motion.time[0], motion.time[-1], n)
    frames = _stretches(n)  # (f, s)
    at = poses(model, motion.q)[:, :, :3, 3].reshape(n, -1)
    moving = at[:, np.ptp(at, axis=0) > 1e-6]
    if moving.shape[1] == 0:
        return None, _none("nothing moves")
    even = np.stack(
        [np.interp(clock[frames], motion.time, column) for column in moving.T], axis=2
    )  # (f, s, m)
    try:
        tried = np.linspace(0.01, 1.0, 100) * min(0.25 * rate, HIGHEST)
        found = float(residual_analysis(even, rate, cutoffs=tried, pooled=True).cutoff)
    except InputError as error:
        return None, _none(str(error), options=error.options)
    if not np.isfinite(found):
        return None, _none("the residual analysis found no noise")
    from scipy.signal import butter, sosfiltfilt  # loads half of SciPy: when it is needed

    acceleration = np.diff(even, 2, axis=0) * rate**2
    total = float(np.sum((acceleration - acceleration.mean(axis=0)) ** 2))
    fast = sosfiltfilt(butter(2, found / (0.5 * rate), "high", output="sos"), acceleration, axis=0)
    share = float(np.sum(fast**2)) / max(total, 1e-300)
    if share < SMOOTH:
        why = f"{100 * share:.1f} % of the accelerations' power is above {found:.1f} Hz"
        return None, _none(why, values={"power_share": share, "proposed_hz": found})
    cutoff = max(LOWEST, SHARE * found)
    told = (
        f"coordinates were low-passed at {cutoff:.1f} Hz: {SHARE:g} of the {found:.1f} Hz that a residual analysis of "
        f"the links' displacements proposes ({100 * share:.0f} % of the accelerations' power is above that)"
    )
    values = {"cutoff_hz": cutoff, "proposed_hz": found, "power_share": share}
    return cutoff, Note("loads.low-passed", told, topic="low pass", values=values)


def _none(why: str, **facts: Any) -> Note:
    return Note("loads.no-low-pass", f"no low pass: {why}", topic="low pass", **facts)
