"""Phases of single support from events."""

import numpy as np
import pytest

from softstride.capture.recording import Event
from softstride.study import single_support

TIME = np.arange(0.0, 2.0, 0.1)


def walk() -> list[Event]:
    return [
        Event("off", 0.15, "left"),
        Event("strike", 0.55, "left"),
        Event("off", 0.75, "right"),
        Event("strike", 1.15, "right"),
        Event("off", 1.35, "left"),
        Event("strike", 1.75, "left"),
    ]


def test_phases_of_a_walk() -> None:
    phases = single_support(walk(), TIME)
    assert [phase.side for phase in phases] == ["right", "left", "right"]
    for phase, (start, end) in zip(phases, ((0.2, 0.5), (0.8, 1.1), (1.4, 1.7)), strict=True):
        alone = TIME[phase.frames]
        assert (alone.min(), alone.max()) == (pytest.approx(start), pytest.approx(end))


def test_one_that_is_cut_off_is_left_out() -> None:
    """Without the last strike the right foot is alone to the end of the trial, and nobody knows for how long."""
    assert [phase.side for phase in single_support(walk()[:-1], TIME)] == ["right", "left"]
    assert [phase.side for phase in single_support(walk(), TIME[2:])] == ["left", "right"]


def test_running_has_flight_between() -> None:
    events = [Event("strike", 0.25, "right"), Event("off", 0.45, "right"), Event("strike", 0.65, "left")]
    events.append(Event("off", 0.85, "left"))
    phases = single_support(events, TIME)
    assert [phase.side for phase in phases] == ["right", "left"]
    assert not (phases[0].frames & phases[1].frames).any()


def test_nothing_is_made_of_nothing() -> None:
    assert single_support([], TIME) == ()
    assert single_support([Event("strike", 0.3, None), Event("jump", 0.3, "left")], TIME) == ()
