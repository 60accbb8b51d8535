"""Cycles are those of the events or of the force; a side without one is given one only where the trial shows it."""

import numpy as np
import pytest
from bench._athlete_analysis import single_support
from tests.report.conftest import without_events

from softstride.capture.recording import Event
from softstride.kinematics.motion import Motion
from softstride.report.strides import find_strides, stretches


def with_events(study, *events):
    motion = study.motion
    return study.changed(motion=Motion(study.model, motion.time, motion.q, motion.rates, motion.fit, events))


def test_cycles_go_from_strike_to_strike(study):
    found = find_strides(study)
    assert [found.count(side) for side in ("right", "left")] == [2, 1]
    assert found.starts["right"] == pytest.approx([0.071, 0.771], abs=1e-3)
    assert found.source == "events of the trial (from file)" and found.guessed == ()
    assert found.running is True


def test_without_events_the_force_tells(study):
    told, heard = find_strides(study), find_strides(without_events(study))
    assert heard.source.startswith("the measured vertical force")
    for side in ("right", "left"):
        assert heard.starts[side] == pytest.approx(told.starts[side], abs=0.01)


def test_single_support_is_that_of_the_benchmark(study):
    found = find_strides(study).single_support(study.motion.time)
    wanted = single_support(study.recording, study.motion.time)
    assert [side for side, _ in found] == [phase.side for phase in wanted]
    assert all(np.array_equal(frames, phase.frames) for (_, frames), phase in zip(found, wanted, strict=True))


def test_a_side_with_one_strike_borrows_the_length_of_the_other(study):
    events = [Event("strike", t, "right") for t in (0.1, 0.8)] + [Event("strike", 0.5, "left")]
    found = find_strides(with_events(study, *events))
    assert found.guessed == ("left",)
    assert (found.starts["left"][0], found.ends["left"][0]) == (0.5, pytest.approx(1.2))


def test_it_may_lie_before_the_strike(study):
    end = study.motion.time[-1]
    events = [Event("strike", t, "right") for t in (0.1, 0.9)] + [Event("strike", end - 0.05, "left")]
    found = find_strides(with_events(study, *events))
    assert found.ends["left"][0] == pytest.approx(end - 0.05) and found.guessed == ("left",)


def test_nothing_is_borrowed_where_the_trial_does_not_show_it(study):
    events = [Event("strike", 0.1, "right"), Event("strike", 0.4, "left")]
    assert not find_strides(with_events(study, *events)).any


def test_contacts_may_lack_their_beginning_or_end(study):
    time = study.motion.time
    found = find_strides(
        with_events(
            study, Event("off", 0.2, "right"), Event("strike", 1.0, "right"), Event("strike", 0.5, "left")
        )
    )
    on = found.on_ground("right", time)
    assert on[time <= 0.2].all() and not on[(time > 0.21) & (time < 0.99)].any() and on[time >= 1.0].all()


def test_stretches():
    on = np.array([True, False, True, True, False])
    assert stretches(on, np.arange(5.0)) == [[0.0, 0.0], [2.0, 3.0]]
    assert stretches(np.zeros(3, dtype=bool), np.arange(3.0)) == []
