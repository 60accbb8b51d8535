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

Who goes backward moves, to a good part, like a film of forward walking that runs backward: the foot meets the ground
behind the pelvis and leaves it in front. There every rule is applied to the reversed film, so that its strike is an
off and its off a strike; but nothing falls onto the ground at an off, so "auto" uses no acceleration and takes the
mean of the fastest rise of the foot and its foremost point.

[Zeni2008] Gait Posture 27:710. [OConnor2007] Gait Posture 25:469. [Hreljac2000] J Biomech 33:783.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.notes import Note
from softstride.signals.foot_motion import FootMotion, prepare_foot
from softstride.signals.force_events import ContactEvents
from softstride.signals.inputs import FloatArray
from softstride.signals.steps import Steps, find_peaks, find_steps, is_backward, is_running

Method = Literal["auto", "zeni", "oconnor", "hreljac"]
Gait = Literal["auto", "walk", "run"]
Direction = Literal["auto", "forward", "backward"]

STRIKE_WINDOW = (-0.03, 0.14)  # [s] around the foremost point, where the foot may strike
OFF_WINDOW = (-0.12, 0.06)  # [s] around the rearmost point, where the foot may leave in walking
DISAGREEMENT = 0.06  # [s] between two rules, beyond which one of them took another peak
EARLY_REACH = 0.06  # [s]: in slow walking the foot is foremost long before it strikes, and says nothing
TOE_RISE = 0.015  # [m] above its lowest point in stance, where a running foot has left the ground


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
    direction: Direction = "auto",
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
        direction: Whether the person goes "forward" or "backward"; "auto" decides by where the pelvis travels and, on
            the spot (a treadmill), by the foot, which is high while it swings.
        cutoff: Low-pass for the markers, in [Hz]; at most 0.4 of the sampling rate is used.

    Returns:
        Strikes, offs, and notes on markers that were missing and on the gait and direction that were found.

    Raises:
        InputError: If shapes do not fit, time is uneven, no marker of the foot is given, or an option is unknown.
    """
    if method not in get_args(Method):
        raise InputError(f"method must be one of {', '.join(get_args(Method))}, however it is {method!r}.")
    if gait not in get_args(Gait):
        raise InputError(f"gait must be one of {', '.join(get_args(Gait))}, however it is {gait!r}.")
    if direction not in get_args(Direction):
        raise InputError(
            f"direction must be one of {', '.join(get_args(Direction))}, however it is {direction!r}."
        )
    foot, notes = prepare_foot(time, heel, toe, pelvis, ankle, up, forward, cutoff)
    backward = direction == "backward" or (direction == "auto" and _goes_backward(foot))
    if backward:
        foot = foot.reversed()
        said = "direction: backward; strikes and offs by the rules for each other, run backward in time"
        notes.add("events.backward", said, topic="events")
    steps = find_steps(foot.swing)
    if not len(steps):
        said = "no step found: the foot does not swing past the pelvis"
        notes.add("events.no-step", said, severity="warning", topic="events")
        return ContactEvents(np.empty(0), np.empty(0), tuple(notes))
    running = gait == "run"
    if gait == "auto" and method == "auto":
        if pelvis is None:
            said = "gait: taken as walking, since without a pelvis running cannot be told from it"
            notes.add("events.gait-assumed", said, topic="events", names=("walking",))
        else:
            running = is_running(steps, foot.pelvis[:, foot.up], foot.rate)
            kind = "running" if running else "walking"
            said = f"gait: {kind}, by the height of the pelvis in stance"
            notes.add("events.gait-found", said, topic="events", names=(kind,))
    landing, landing_notes = _strikes(foot, steps, method, backward)
    leaving, leaving_notes = _offs(foot, steps, method, running)
    strikes, offs = foot.instants(landing), foot.instants(leaving)
    names = ("strikes", "offs")
    if backward:
        strikes, offs, names = -offs[::-1], -strikes[::-1], ("offs", "strikes")
    for what, more in zip(names, (landing_notes, leaving_notes), strict=True):
        notes.extend(replace(note, text=f"{what}: {note.text}", names=(what, *note.names)) for note in more)
    return ContactEvents(strikes, offs, tuple(notes))


def _note(code: str, said: str, *names: str) -> Note:
    return Note(code, said, topic="events", names=names)


def _goes_backward(foot: FootMotion) -> bool:
    return is_backward(foot.swing, foot.centre[:, foot.up], foot.pelvis[:, foot.forward], foot.rate)


def _strikes(
    foot: FootMotion, steps: Steps, method: Method, backward: bool
) -> tuple[FloatArray, tuple[Note, ...]]:
    """Return the frame of each strike, NaN where it is not seen, and notes."""
    before, after = foot.frames(-STRIKE_WINDOW[0]), foot.frames(STRIKE_WINDOW[1])

    def impact(marker: FloatArray | None) -> FloatArray:
        if marker is None:
            return np.full(len(steps), np.nan)
        acceleration = np.gradient(np.gradient(marker[:, foot.up]))
        return find_peaks(acceleration).largest(steps.foremost, before, after)

    if method == "hreljac":
        missing = _note("events.heel-needed", "none, since method 'hreljac' needs a heel marker", "heel")
        return impact(foot.heel), (missing,) if foot.heel is None else ()
    falling = -np.gradient(foot.centre[:, foot.up])
    oconnor = find_peaks(falling).largest(steps.foremost, before, after)
    if method == "oconnor":
        return oconnor, ()
    if method == "zeni" or foot.heel is None or backward:
        behind = foot.centre if foot.back is None else foot.back
        zeni = find_peaks(foot.reach(behind)).nearest(steps.foremost, after)
        if method == "zeni":
            return zeni, ()
        near = np.abs(oconnor - zeni) <= foot.frames(EARLY_REACH)
        chosen = np.where(near | np.isnan(oconnor), _agree(oconnor, zeni, np.inf), oconnor)
        if backward:
            said = "the mean of the fastest rise of the foot and its foremost point"
            return chosen, (_note("events.mean-of-two-rules", said),)
        said = "without a heel, the mean of the fastest fall of the foot and its foremost point"
        return chosen, (_note("events.mean-of-two-rules", said, "heel"),)
    return _agree(oconnor, np.fmin(impact(foot.heel), impact(foot.toe)), foot.frames(DISAGREEMENT)), ()


def _agree(first: FloatArray, second: FloatArray, most: float) -> FloatArray:
    """Return the mean of two frames, the earlier one where they are far apart, the only one where one is NaN."""
    both = np.where(np.abs(first - second) <= most, (first + second) / 2, np.minimum(first, second))
    return np.where(np.isnan(first), second, np.where(np.isnan(second), first, both))


def _offs(
    foot: FootMotion, steps: Steps, method: Method, running: bool
) -> tuple[FloatArray, tuple[Note, ...]]:
    """Return the frame of each off, NaN where it is not seen, and notes."""
    before, after = foot.frames(-OFF_WINDOW[0]), foot.frames(OFF_WINDOW[1])
    if method == "oconnor":
        return find_peaks(np.gradient(foot.centre[:, foot.up])).largest(steps.rearmost, before, after), ()
    if foot.toe is None:
        said = "none, since they need a marker on the forefoot"
        return np.full(len(steps), np.nan), (_note("events.toe-needed", said, "toe"),)
    if method == "hreljac":
        acceleration = np.gradient(np.gradient(foot.toe[:, foot.forward]))
        return find_peaks(acceleration).largest(steps.rearmost, before, after), ()
    if method == "auto" and running:
        return _toe_rises(foot.toe[:, foot.up], steps), ()
    return find_peaks(-foot.reach(foot.toe)).nearest(steps.rearmost, before), ()


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
