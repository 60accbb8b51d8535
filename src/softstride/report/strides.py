"""Where the gait cycles of a study are, and what curves do over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Event
from softstride.dynamics.loads import Loads
from softstride.dynamics.validation.feet import foot_loads
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.naming import SIDES
from softstride.signals.cycles import CycleMean, cycle_mean, pair_cycles, time_normalize
from softstride.signals.force_events import ContactEvents, events_from_force
from softstride.study.study import Study

Array = NDArray[np.float64]

POINTS = 101
"""Of a cycle: whole percents."""

MOSTLY = 0.8
"""Share of a guessed cycle that the trial must have."""

RUNNING = 0.5
"""Share of the cycle on the ground below which both feet are off it at times: running."""


@dataclass(frozen=True, eq=False)
class Strides:
    """Contacts and cycles of both feet.

    Attributes:
        contacts: Strikes and offs by side [s].
        starts: Of whole cycles by side [s], shape (k,).
        ends: Of whole cycles by side [s], shape (k,).
        source: Where strikes come from, in words; "" where none are known.
        guessed: Sides without a whole cycle of their own: theirs is one that a strike begins or ends, as long as those
            of the other side are.
    """

    contacts: Mapping[str, ContactEvents]
    starts: Mapping[str, Array]
    ends: Mapping[str, Array]
    source: str
    guessed: tuple[str, ...] = ()

    def count(self, side: str) -> int:
        """Return the number of whole cycles of a side."""
        return len(self.starts[side])

    @property
    def any(self) -> bool:
        """Whether there is a whole cycle of either foot."""
        return any(self.count(side) for side in SIDES)

    def cut(self, side: str, time: Array, values: Array) -> Array:
        """Return curves over the cycles of a side, shape (cycles, points, ...); NaN where not known."""
        return time_normalize(time, values, self.starts[side], self.ends[side], POINTS)

    def mean(self, side: str, time: Array, values: Array) -> CycleMean:
        """Return mean and standard deviation over the cycles of a side."""
        return cycle_mean(self.cut(side, time, values))

    def duty(self, side: str) -> Array:
        """Return the share of each whole cycle in which the foot is on the ground, shape (k,)."""
        found = []
        for start, end in zip(self.starts[side], self.ends[side], strict=True):
            offs = self.contacts[side].offs
            inside = offs[(offs > start) & (offs < end)]
            if len(inside):
                found.append((inside[0] - start) / (end - start))
        return np.array(found)

    def single_support(self, time: Array) -> list[tuple[str, NDArray[np.bool_]]]:
        """Return the side and the frames of each phase on one foot that has a beginning and an end, in order.

        Args:
            time: Instants of the frames [s], shape (n,).
        """
        on = {side: self.on_ground(side, time) for side in SIDES}
        found = []
        for side, other in (SIDES, SIDES[::-1]):
            alone = on[side] & ~on[other]
            edges = np.flatnonzero(np.diff(np.concatenate([[False], alone, [False]]).astype(np.int8)))
            for start, end in edges.reshape(-1, 2).tolist():
                if start > 0 and end < len(time):
                    frames = np.zeros(len(time), dtype=bool)
                    frames[start:end] = True
                    found.append((start, side, frames))
        return [(side, frames) for _, side, frames in sorted(found, key=lambda phase: phase[0])]

    def on_ground(self, side: str, time: Array) -> NDArray[np.bool_]:
        """Return the frames in which a foot is on the ground, shape (n,); contacts may lack their beginning or end."""
        strikes, offs = self.contacts[side].strikes, self.contacts[side].offs
        on = np.zeros(len(time), dtype=bool)
        for strike in strikes.tolist():
            after = offs[offs > strike]
            on |= (time >= strike) & (time <= (after[0] if len(after) else np.inf))
        if len(offs) and (not len(strikes) or offs[0] < strikes[0]):
            on |= time <= offs[0]
        return on

    @property
    def running(self) -> bool | None:
        """Whether it is running, by the shares of contact; None where they are not known."""
        shares = np.concatenate([self.duty(side) for side in SIDES])
        return bool(np.mean(shares) < RUNNING) if len(shares) else None


def find_strides(study: Study) -> Strides:
    """Return the cycles of a study: by its events, or else by the force of the ground."""
    given = study.motion.events if _strikes(study.motion.events) else study.recording.events
    contacts: dict[str, ContactEvents] = {}
    source = ""
    if _strikes(given):
        contacts = {str(side): _contacts(given, side) for side in SIDES}
        told = sorted({event.source for event in given if event.label == "strike"})
        source = f"events of the trial (from {', '.join(told)})"
    elif study.loads is not None:
        contacts = {str(side): _from_force(study.loads, side) for side in SIDES}
        kind = "measured" if study.measured is not None else "estimated"
        source = (
            f"the {kind} vertical force, above 20 N" if any(len(c.strikes) for c in contacts.values()) else ""
        )
    nothing = ContactEvents(np.zeros(0), np.zeros(0))
    starts: dict[str, Array] = {}
    ends: dict[str, Array] = {}
    first, last = float(study.motion.time[0]), float(study.motion.time[-1])
    for side in SIDES:
        a, b = pair_cycles(contacts.setdefault(side, nothing).strikes)
        inside = (a >= first) & (b <= last)
        starts[side], ends[side] = a[inside], b[inside]
    guessed = _guess(contacts, starts, ends, first, last)
    return Strides(Table(contacts), Table(starts), Table(ends), source, guessed)


def _guess(
    contacts: Mapping[str, ContactEvents],
    starts: dict[str, Array],
    ends: dict[str, Array],
    first: float,
    last: float,
) -> tuple[str, ...]:
    """Give a side without a whole cycle one as long as those of the other; return the sides that were given one."""
    for side, other in (SIDES, SIDES[::-1]):
        strikes = contacts[side].strikes
        if len(starts[side]) or not len(starts[other]) or not len(strikes):
            continue
        length = float(np.mean(ends[other] - starts[other]))
        choices = np.concatenate([strikes, strikes - length])
        inside = np.minimum(choices + length, last) - np.maximum(choices, first)
        best = int(np.argmax(inside))
        if inside[best] >= MOSTLY * length:
            starts[side], ends[side] = choices[best : best + 1], choices[best : best + 1] + length
            return (side,)
    return ()


def stretches(on: NDArray[np.bool_], time: Array) -> list[list[float]]:
    """Return the first and the last instant of each stretch of frames [s], rounded for a page."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(np.int8)))
    return [
        [round(float(time[first]), 4), round(float(time[last - 1]), 4)]
        for first, last in edges.reshape(-1, 2).tolist()
    ]


def _strikes(events: tuple[Event, ...]) -> bool:
    return any(event.label == "strike" and event.side in SIDES for event in events)


def _contacts(events: tuple[Event, ...], side: str) -> ContactEvents:
    own = {
        label: np.unique([e.time for e in events if (e.label, e.side) == (label, side)])
        for label in ("strike", "off")
    }
    return ContactEvents(own["strike"].astype(np.float64), own["off"].astype(np.float64))


def _from_force(loads: Loads, side: str) -> ContactEvents:
    foot = foot_loads(loads.wrenches).get(side)
    if foot is not None:
        try:
            return events_from_force(loads.time, np.nan_to_num(foot.vertical))
        except InputError:  # too few frames to tell
            pass
    return ContactEvents(np.zeros(0), np.zeros(0))
