"""Phases of single support, from the gait events of a trial."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Event
from softstride.naming import SIDES

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Phase:
    """A phase of single support.

    Attributes:
        side: The foot that bears, "right" or "left".
        frames: Which frames, shape (n,).
    """

    side: str
    frames: NDArray[np.bool_]


def single_support(events: Iterable[Event], time: Array) -> tuple[Phase, ...]:
    """Return the phases in which one foot alone is on the ground, from beginning to end, in order of time.

    Those that the trial cuts off are left out.

    Args:
        events: Strikes ("strike") and toe-offs ("off") of both feet.
        time: Instants [s], shape (n,).
    """
    known = [event for event in events if event.side in SIDES and event.label in ("strike", "off")]
    on = {side: _on_ground([event for event in known if event.side == side], time) for side in SIDES}
    found = []
    for side, other in (SIDES, SIDES[::-1]):
        alone = np.concatenate([[False], on[side] & ~on[other], [False]])
        edges = np.flatnonzero(np.diff(alone.astype(np.int8)))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            if start > 0 and end < len(time):
                frames = np.zeros(len(time), dtype=bool)
                frames[start:end] = True
                found.append(Phase(side, frames))
    return tuple(sorted(found, key=lambda phase: int(phase.frames.argmax())))


def _on_ground(events: list[Event], time: Array) -> NDArray[np.bool_]:
    """Return the frames in which a foot is on the ground, by its strikes and toe-offs."""
    ordered = sorted(events, key=lambda event: event.time)
    on = np.zeros(len(time), dtype=bool)
    if ordered and ordered[0].label == "off":
        on |= time <= ordered[0].time
    for i, event in enumerate(ordered):
        if event.label == "strike":
            end = next((later.time for later in ordered[i + 1 :] if later.label == "off"), np.inf)
            on |= (time >= event.time) & (time <= end)
    return on
