"""Foot strike and foot off from the vertical force of a plate.

A foot is on the plate while the force is above a threshold. Two noisy samples must not become two steps, so the
threshold has a band around it (hysteresis) and contacts and flights have a least duration. The instant itself is
where the straight line between two samples crosses the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.notes import Note, as_notes
from softstride.signals.inputs import FloatArray, as_signal, as_time, check_positive


@dataclass(frozen=True, eq=False)
class ContactEvents:
    """When one foot meets and leaves the ground.

    A recording that starts or ends in contact has an off without a strike, or a strike without an off.

    Attributes:
        strikes: Instants of foot strike, shape (n_strikes,), increasing, in [s].
        offs: Instants of foot off, shape (n_offs,), increasing, in [s].
        notes: What was decided, assumed or could not be done.
    """

    strikes: FloatArray
    offs: FloatArray
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", as_notes(self.notes))

    @property
    def stances(self) -> FloatArray:
        """Contacts seen from strike to off, shape (n, 2), in [s]."""
        instants = np.concatenate([self.strikes, self.offs])
        is_strike = np.arange(len(instants)) < len(self.strikes)
        order = np.argsort(instants, kind="stable")
        instants, is_strike = instants[order], is_strike[order]
        whole = is_strike[:-1] & ~is_strike[1:]
        return np.stack([instants[:-1][whole], instants[1:][whole]], axis=1)


def events_from_force(
    time: ArrayLike,
    vertical_force: ArrayLike,
    *,
    threshold: float = 20.0,
    hysteresis: float = 5.0,
    min_contact: float = 0.05,
    min_flight: float = 0.05,
) -> ContactEvents:
    """Find strikes and offs where the vertical force crosses a threshold.

    Contact needs a sample of at least threshold + hysteresis, flight one below threshold - hysteresis; between them
    nothing is decided. The strike is the last upward crossing of the threshold before contact, the off the
    first downward crossing after it, t = t0 + (t1 - t0) (threshold - F0) / (F1 - F0). Then flights shorter
    than `min_flight` are taken as noise within a contact, and contacts shorter than `min_contact` as noise
    in flight. What reaches over an end of the recording or over a gap has an unknown duration and stays, and no
    event is made up there.

    Args:
        time: Sample times, shape (n_frames,), increasing, in [s].
        vertical_force: Upward force on the foot, shape (n_frames,), in [N], zeroed; NaN where not measured.
        threshold: Force at which contact begins and ends, in [N].
        hysteresis: Half width of the undecided band, in [N], below the threshold.
        min_contact: Shortest contact, in [s].
        min_flight: Shortest time between two contacts, in [s].

    Returns:
        Strikes and offs; both may be empty.

    Raises:
        InputError: If shapes do not fit, time does not increase, or an option is out of range.
    """
    force = as_signal(vertical_force, "vertical_force")
    if force.ndim != 1:
        raise InputError(
            f"vertical_force must have shape (n_frames,), however it has {force.shape}; give one plate or foot."
        )
    t = as_time(time, len(force))
    check_positive("threshold", threshold, "N")
    if not 0 <= hysteresis < threshold:
        raise InputError(f"hysteresis must be in [0, threshold) N, however it is {hysteresis!r}.")
    if not (min_contact >= 0 and min_flight >= 0):
        raise InputError(
            f"min_contact and min_flight must be at least 0 s, however they are {min_contact!r} and {min_flight!r}."
        )

    state = np.zeros(len(force), dtype=np.int8)  # 0: undecided
    state[force >= threshold + hysteresis] = 1
    state[force < threshold - hysteresis] = -1
    state[np.isnan(force)] = 2
    decided = np.flatnonzero(state)
    before, after = decided[:-1], decided[1:]
    rising = (state[before] == -1) & (state[after] == 1)
    falling = (state[before] == 1) & (state[after] == -1)
    above = force >= threshold
    crossing_up = np.flatnonzero(~above[:-1] & above[1:])
    crossing_down = np.flatnonzero(above[:-1] & ~above[1:])
    # With a flight sample below and a contact sample above the threshold, there is a crossing between them.
    up = crossing_up[np.searchsorted(crossing_up, after[rising]) - 1]
    down = crossing_down[np.searchsorted(crossing_down, before[falling])]
    strikes, offs = _cross(t, force, up, threshold), _cross(t, force, down, threshold)
    gaps = t[np.isnan(force)]
    strikes, offs = _drop_short(offs, strikes, min_flight, gaps)[::-1]
    strikes, offs = _drop_short(strikes, offs, min_contact, gaps)
    return ContactEvents(strikes, offs)


def _cross(t: FloatArray, force: FloatArray, left: FloatArray, threshold: float) -> FloatArray:
    """Return where the line from each sample `left` to the next one meets the threshold, in [s]."""
    rise = force[left + 1] - force[left]
    return np.asarray(t[left] + (t[left + 1] - t[left]) * (threshold - force[left]) / rise)


def _drop_short(
    begins: FloatArray, ends: FloatArray, shortest: float, gaps: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Drop the intervals from a beginning to the next end that are shorter than allowed.

    An interval that holds an instant of `gaps` is not one interval, and stays.
    """
    following = np.searchsorted(ends, begins, side="left")
    closed = following < len(ends)
    begin, end = np.flatnonzero(closed), following[closed]
    unbroken = np.searchsorted(gaps, begins[begin]) == np.searchsorted(gaps, ends[end])
    short = (ends[end] - begins[begin] < shortest) & unbroken
    return np.delete(begins, begin[short]), np.delete(ends, end[short])
