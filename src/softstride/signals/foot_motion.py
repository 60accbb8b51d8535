"""The markers of one foot, bridged and smoothed, and the pelvis that they are seen from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.notes import Notes
from softstride.signals.butterworth import butterworth
from softstride.signals.gaps import fill_spline
from softstride.signals.inputs import FloatArray, as_signal, as_time, check_positive

LONGEST_BRIDGED = 0.1  # [s] of a lost marker
COARSE = 6.0  # [Hz], enough to tell swing from stance
MOST_OF_RATE = 0.4  # of the sampling rate, for a low-pass
FEWEST_FRAMES = 10


@dataclass(frozen=True, eq=False)
class FootMotion:
    """One foot, smoothed: positions (n_frames, 3), or None where there is no such marker."""

    time: FloatArray
    rate: float
    heel: FloatArray | None
    back: FloatArray | None  # the heel, or the ankle in its place
    toe: FloatArray | None
    centre: FloatArray
    pelvis: FloatArray
    up: int
    forward: int

    def frames(self, seconds: float) -> float:
        """Return a duration in frames."""
        return seconds * self.rate

    def instants(self, frames: FloatArray) -> FloatArray:
        """Return the instants [s] of frames that need not be whole, increasing, without NaN."""
        known = frames[~np.isnan(frames)]
        return np.unique(np.interp(known, np.arange(len(self.time)), self.time))

    def reach(self, marker: FloatArray) -> FloatArray:
        """Return the position of a marker in front of the pelvis [m]."""
        return marker[:, self.forward] - self.pelvis[:, self.forward]

    @property
    def swing(self) -> FloatArray:
        """Position of the foot in front of the pelvis, just enough to tell swing from stance, in [m]."""
        return butterworth(self.reach(self.centre), self.rate, min(COARSE, MOST_OF_RATE * self.rate))

    def reversed(self) -> Self:
        """Return the motion as a film that runs backward; its clock is that of the motion, negative."""
        changes = {
            name: part[::-1]
            for name in ("heel", "back", "toe", "centre", "pelvis")
            if (part := getattr(self, name)) is not None
        }
        return replace(self, time=-self.time[::-1], **changes)


def prepare_foot(
    time: ArrayLike,
    heel: ArrayLike | None,
    toe: ArrayLike | None,
    pelvis: ArrayLike | None,
    ankle: ArrayLike | None,
    up: int,
    forward: int,
    cutoff: float,
) -> tuple[FootMotion, Notes]:
    """Check, bridge and smooth the markers of a foot; arguments as in `events_from_markers`.

    Returns:
        The foot, and notes on what was missing.

    Raises:
        InputError: If shapes do not fit, time is uneven, or no marker of the foot is given.
    """
    given = {"heel": heel, "toe": toe, "pelvis": pelvis, "ankle": ankle}
    raw = {name: as_signal(value, name) for name, value in given.items() if value is not None}
    if not raw.keys() - {"pelvis"}:
        raise InputError("at least one of heel, toe and ankle must be given, however all are None.")
    if {up, forward} - {0, 1, 2} or up == forward:
        raise InputError(
            f"up and forward must be two of the axes 0, 1, 2, however they are {up} and {forward}."
        )
    check_positive("cutoff", cutoff, "Hz")
    n = len(next(iter(raw.values())))
    for name, value in raw.items():
        if value.shape != (n, 3):
            raise InputError(f"{name} must have shape ({n}, 3), however it has {value.shape}.")
    t = as_time(time, n)
    rate = _even_rate(t)

    notes = Notes()
    smooth: dict[str, FloatArray] = {}
    for name, value in raw.items():
        filled = fill_spline(value, t, max_gap=LONGEST_BRIDGED)
        bridged = int(filled.mask.any(axis=1).sum())
        if np.isnan(filled.values).all():
            notes.add(
                "events.marker-never-seen", f"{name}: never seen, left out", topic="events", names=(name,)
            )
            continue
        if bridged:
            said = f"{name}: {bridged} frames of short gaps bridged by a spline"
            values = {"frames": bridged}
            notes.add("events.gaps-bridged", said, topic="events", names=(name,), values=values)
        smooth[name] = butterworth(filled.values, rate, min(cutoff, MOST_OF_RATE * rate))
    if "heel" not in smooth and "ankle" in smooth:
        said = "heel: not given, the ankle takes its place"
        notes.add("events.ankle-for-heel", said, topic="events", names=("heel", "ankle"))
    back, front = smooth.get("heel", smooth.get("ankle")), smooth.get("toe")
    parts = [part for part in (back, front) if part is not None]
    if not parts:
        raise InputError("heel, toe and ankle are NaN in all frames; at least one must be seen.")
    centre = np.mean(parts, axis=0)
    body = smooth.get("pelvis")
    if body is None:
        said = "pelvis: not given, a point that moves evenly with the foot takes its place"
        notes.add("events.no-pelvis", said, topic="events", names=("pelvis",))
        body = even_motion(centre)
    return FootMotion(t, rate, smooth.get("heel"), back, front, centre, body, up, forward), notes


def _even_rate(t: FloatArray) -> float:
    """Return the sampling rate [Hz] of an even clock."""
    n = len(t)
    if n < FEWEST_FRAMES:
        raise InputError(f"at least {FEWEST_FRAMES} frames are needed to find a step, however there are {n}.")
    rate = float((n - 1) / (t[-1] - t[0]))
    if np.abs(np.diff(t) * rate - 1).max() > 0.5:
        frame = int(np.argmax(np.abs(np.diff(t) * rate - 1)))
        raise InputError(
            f"time must be evenly spaced, however the step at {t[frame]:.6g} s is {t[frame + 1] - t[frame]:.6g} s and "
            f"the mean step {1 / rate:.6g} s; resample the markers first."
        )
    return rate


def even_motion(x: FloatArray) -> FloatArray:
    """Return the straight line in time, of least squares, through a marker (n_frames, 3)."""
    seen = ~np.isnan(x).any(axis=1)
    frames = np.arange(len(x), dtype=np.float64)
    if not seen.any():
        return np.full(x.shape, np.nan)
    design = np.stack([np.ones(len(x)), frames], axis=1)
    return np.asarray(design @ np.linalg.lstsq(design[seen], x[seen], rcond=None)[0])
