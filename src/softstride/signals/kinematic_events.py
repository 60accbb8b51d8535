r"""Foot strike and foot off from markers, where no plate was hit.

Seen from the pelvis a foot swings forward and back: strike follows soon after its foremost point, off is near its
rearmost point. This finds every step; four rules then say when exactly.

| method | strike | off |
|---|---|---|
| "zeni" [Zeni2008] | heel foremost to the pelvis | toe rearmost to the pelvis |
| "oconnor" [OConnor2007] | foot centre falls fastest | foot centre rises fastest |
| "hreljac" [Hreljac2000] | greatest upward acceleration of the heel | greatest forward acceleration of the toe |
| "auto" | mean of "oconnor" and the first "hreljac" peak of heel and toe | "zeni"; running: toe 15 mm up |

Why "auto": measured against plates, the acceleration peaks late where the heel cushions, and the foot centre falls
fastest late or early, as the toe is slow or quick to follow; their mean is closer than either. Where they differ
by more than 60 ms, one of them has taken a later peak, and the earlier is used. In running the toe trails on for 50 to
110 ms after it has left the ground, so "zeni" fails there; the rise of 15 mm was chosen on three running trials.

[Zeni2008] Gait Posture 27:710. [OConnor2007] Gait Posture 25:469. [Hreljac2000] J Biomech 33:783.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.signals.butterworth import butterworth
from softstride.signals.force_events import ContactEvents
from softstride.signals.gaps import fill_spline
from softstride.signals.inputs import FloatArray, as_signal, as_time, check_positive
from softstride.signals.steps import Steps, find_peaks, find_steps, is_running

Method = Literal["auto", "zeni", "oconnor", "hreljac"]
Gait = Literal["auto", "walk", "run"]

STRIKE_WINDOW = (-0.03, 0.14)  # [s] around the foremost point, where the foot may strike
OFF_WINDOW = (-0.12, 0.06)  # [s] around the rearmost point, where the foot may leave in walking
DISAGREEMENT = 0.06  # [s] between two rules, beyond which one of them took another peak
EARLY_REACH = 0.06  # [s]: in slow walking the foot is foremost long before it strikes, and says nothing
TOE_RISE = 0.015  # [m] above its lowest point in stance, where a running foot has left the ground
LONGEST_BRIDGED = 0.1  # [s] of a lost marker
COARSE = 6.0  # [Hz], enough to tell swing from stance
MOST_OF_RATE = 0.4  # of the sampling rate, for a low-pass
FEWEST_FRAMES = 10


@dataclass(frozen=True, eq=False)
class _Foot:
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


def events_from_markers(
    time: ArrayLike,
    heel: ArrayLike | None,
    toe: ArrayLike | None,
    pelvis: ArrayLike | None,
    *,
    ankle: ArrayLike | None = None,
    up: int = 1,
    forward: int = 0,
    method: Method = "auto",
    gait: Gait = "auto",
    cutoff: float = 12.0,
) -> ContactEvents:
    """Find strikes and offs of one foot from its markers.

    Only the motion relative to the pelvis and along the vertical is used, so treadmill and overground trials are
    the same. A step whose foremost (rearmost) point lies outside the recording has no strike (off): nothing is guessed.

    Args:
        time: Sample times, shape (n_frames,), evenly spaced up to rounding, in [s].
        heel: Heel marker, shape (n_frames, 3), in [m]; None where there is none.
        toe: Marker on the forefoot, shape (n_frames, 3), in [m]; None where there is none.
        pelvis: A point of the pelvis, for example the mean of its markers, shape (n_frames, 3), in [m]. None takes a
            point that moves evenly with the foot.
        ankle: Ankle marker, used in the place of a heel that is None.
        up: Axis that points up.
        forward: Axis of progression, positive in the direction the person faces.
        method: Which rule, see the module.
        gait: "walk" or "run" for method "auto"; "auto" decides by the pelvis, which is high in the middle of
            stance in walking and low in running.
        cutoff: Low-pass for the markers, in [Hz]; at most 0.4 of the sampling rate is used.

    Returns:
        Strikes, offs, and notes on markers that were missing and on the gait that was found.

    Raises:
        InputError: If shapes do not fit, time is uneven, no marker of the foot is given, or an option is unknown.
    """
    if method not in get_args(Method):
        raise InputError(f"method must be one of {', '.join(get_args(Method))}, however it is {method!r}.")
    if gait not in get_args(Gait):
        raise InputError(f"gait must be one of {', '.join(get_args(Gait))}, however it is {gait!r}.")
    foot, notes = _prepare(time, heel, toe, pelvis, ankle, up, forward, cutoff)
    steps = find_steps(butterworth(foot.reach(foot.centre), foot.rate, min(COARSE, MOST_OF_RATE * foot.rate)))
    if not len(steps):
        notes.append("no step found: the foot does not swing past the pelvis")
        return ContactEvents(np.empty(0), np.empty(0), tuple(notes))
    running = gait == "run"
    if gait == "auto" and method == "auto":
        if pelvis is None:
            notes.append("gait: taken as walking, since without a pelvis running cannot be told from it")
        else:
            running = is_running(steps, foot.pelvis[:, foot.up], foot.rate)
            notes.append(
                f"gait: {'running' if running else 'walking'}, by the height of the pelvis in stance"
            )
    strikes = _strikes(foot, steps, method, notes)
    offs = _offs(foot, steps, method, running, notes)
    return ContactEvents(foot.instants(strikes), foot.instants(offs), tuple(notes))


def _strikes(foot: _Foot, steps: Steps, method: Method, notes: list[str]) -> FloatArray:
    """Return the frame of each strike, NaN where it is not seen."""
    before, after = foot.frames(-STRIKE_WINDOW[0]), foot.frames(STRIKE_WINDOW[1])

    def impact(marker: FloatArray | None) -> FloatArray:
        if marker is None:
            return np.full(len(steps), np.nan)
        acceleration = np.gradient(np.gradient(marker[:, foot.up]))
        return find_peaks(acceleration).largest(steps.foremost, before, after)

    if method == "hreljac":
        if foot.heel is None:
            notes.append("strikes: none, since method 'hreljac' needs a heel marker")
        return impact(foot.heel)
    falling = -np.gradient(foot.centre[:, foot.up])
    oconnor = find_peaks(falling).largest(steps.foremost, before, after)
    if method == "oconnor":
        return oconnor
    if method == "zeni" or foot.heel is None:
        behind = foot.centre if foot.back is None else foot.back
        zeni = find_peaks(foot.reach(behind)).nearest(steps.foremost, after)
        if method == "zeni":
            return zeni
        notes.append(
            "strikes: without a heel, the mean of the fastest fall of the foot and its foremost point"
        )
        near = np.abs(oconnor - zeni) <= foot.frames(EARLY_REACH)
        return np.where(near | np.isnan(oconnor), _agree(oconnor, zeni, np.inf), oconnor)
    return _agree(oconnor, np.fmin(impact(foot.heel), impact(foot.toe)), foot.frames(DISAGREEMENT))


def _agree(first: FloatArray, second: FloatArray, most: float) -> FloatArray:
    """Return the mean of two frames, the earlier one where they are far apart, the only one where one is NaN."""
    both = np.where(np.abs(first - second) <= most, (first + second) / 2, np.minimum(first, second))
    return np.where(np.isnan(first), second, np.where(np.isnan(second), first, both))


def _offs(foot: _Foot, steps: Steps, method: Method, running: bool, notes: list[str]) -> FloatArray:
    """Return the frame of each off, NaN where it is not seen."""
    before, after = foot.frames(-OFF_WINDOW[0]), foot.frames(OFF_WINDOW[1])
    if method == "oconnor":
        return find_peaks(np.gradient(foot.centre[:, foot.up])).largest(steps.rearmost, before, after)
    if foot.toe is None:
        notes.append("offs: none, since they need a marker on the forefoot")
        return np.full(len(steps), np.nan)
    if method == "hreljac":
        acceleration = np.gradient(np.gradient(foot.toe[:, foot.forward]))
        return find_peaks(acceleration).largest(steps.rearmost, before, after)
    if method == "auto" and running:
        return _toe_rises(foot.toe[:, foot.up], steps)
    return find_peaks(-foot.reach(foot.toe)).nearest(steps.rearmost, before)


def _toe_rises(height: FloatArray, steps: Steps) -> FloatArray:
    """Return the frame where the toe has risen by `TOE_RISE` above its lowest point of each stance."""
    offs = np.full(len(steps), np.nan)
    ends = np.append(steps.foremost[1:], np.nan)
    for i in np.flatnonzero(~np.isnan(steps.middle)):
        last = steps.rearmost[i] if not np.isnan(steps.rearmost[i]) else ends[i]
        stop = len(height) if np.isnan(last) else int(last) + 2
        stance = height[int(steps.middle[i]) : stop]
        if np.isnan(stance).any():
            continue
        lowest = int(np.argmin(stance))
        high = stance[lowest:] >= stance[lowest] + TOE_RISE
        if high.any():
            k = lowest + int(np.argmax(high))
            part = (stance[lowest] + TOE_RISE - stance[k - 1]) / (stance[k] - stance[k - 1])
            offs[i] = int(steps.middle[i]) + k - 1 + part
    return offs


def _prepare(
    time: ArrayLike,
    heel: ArrayLike | None,
    toe: ArrayLike | None,
    pelvis: ArrayLike | None,
    ankle: ArrayLike | None,
    up: int,
    forward: int,
    cutoff: float,
) -> tuple[_Foot, list[str]]:
    """Check, bridge and smooth the markers of a foot."""
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
    if n < FEWEST_FRAMES:
        raise InputError(f"at least {FEWEST_FRAMES} frames are needed to find a step, however there are {n}.")
    rate = (n - 1) / (t[-1] - t[0])
    if np.abs(np.diff(t) * rate - 1).max() > 0.5:
        frame = int(np.argmax(np.abs(np.diff(t) * rate - 1)))
        raise InputError(
            f"time must be evenly spaced, however the step at {t[frame]:.6g} s is {t[frame + 1] - t[frame]:.6g} s and "
            f"the mean step {1 / rate:.6g} s; resample the markers first."
        )

    notes: list[str] = []
    smooth: dict[str, FloatArray] = {}
    for name, value in raw.items():
        filled = fill_spline(value, t, max_gap=LONGEST_BRIDGED)
        bridged = int(filled.mask.any(axis=1).sum())
        if np.isnan(filled.values).all():
            notes.append(f"{name}: never seen, left out")
            continue
        if bridged:
            notes.append(f"{name}: {bridged} frames of short gaps bridged by a spline")
        smooth[name] = butterworth(filled.values, rate, min(cutoff, MOST_OF_RATE * rate))
    if "heel" not in smooth and "ankle" in smooth:
        notes.append("heel: not given, the ankle takes its place")
    back, front = smooth.get("heel", smooth.get("ankle")), smooth.get("toe")
    parts = [part for part in (back, front) if part is not None]
    if not parts:
        raise InputError("heel, toe and ankle are NaN in all frames; at least one must be seen.")
    centre = np.mean(parts, axis=0)
    body = smooth.get("pelvis")
    if body is None:
        notes.append("pelvis: not given, a point that moves evenly with the foot takes its place")
        body = _even_motion(centre)
    return _Foot(t, rate, smooth.get("heel"), back, front, centre, body, up, forward), notes


def _even_motion(x: FloatArray) -> FloatArray:
    """Return the straight line in time, of least squares, through a marker (n_frames, 3)."""
    seen = ~np.isnan(x).any(axis=1)
    frames = np.arange(len(x), dtype=np.float64)
    design = np.stack([np.ones(len(x)), frames], axis=1)
    return np.asarray(design @ np.linalg.lstsq(design[seen], x[seen], rcond=None)[0])
