"""Speed, cadence and lengths are those of the athlete's true motion."""

import numpy as np
import pytest
from tests.report.test_strides import with_events
from tests.trials import the_athlete

from softstride.capture.recording import Event
from softstride.engine.balance import centre_of_mass
from softstride.report.gait import measures_of
from softstride.report.strides import find_strides
from softstride.report.verdicts import verdicts_of


def test_measures_of_the_athlete(study):
    found = {each.key: each for each in measures_of(study, find_strides(study))}
    truth = the_athlete().truth
    place = centre_of_mass(truth.model, truth.q)[:, 0]
    speed = (place[-1] - place[0]) / (truth.time[-1] - truth.time[0])
    assert found["speed_m_per_s"].both.value == pytest.approx(speed, rel=0.02)
    assert found["stride_time_s"].right.value == pytest.approx(0.70, abs=0.01)
    assert found["cadence_steps_per_min"].both.value == pytest.approx(120.0 / 0.70, rel=0.02)
    stride = found["stride_length_m"].right.value
    assert stride == pytest.approx(speed * 0.70, rel=0.03)
    steps = found["step_length_m"]
    assert steps.right.value + steps.left.value == pytest.approx(stride, rel=0.03)
    assert found["contact_time_s"].right.value == pytest.approx(0.22, abs=0.01)
    assert found["duty_percent"].left.value == pytest.approx(100 * 0.266 / 0.70, abs=1.0)


def test_a_guessed_cycle_is_no_measurement(study):
    events = [Event("strike", t, "right") for t in (0.1, 0.8)] + [Event("strike", 0.5, "left")]
    changed = with_events(study, *events)
    found = {each.key: each for each in measures_of(changed, find_strides(changed))}
    assert found["stride_time_s"].left is None and found["stride_time_s"].right.n == 1


def test_nobody_who_stands_still_has_a_cadence(study):
    from tests.report.conftest import NOTHING, without_events

    still = without_events(study.changed(**NOTHING))
    assert [each.key for each in measures_of(still, find_strides(still))] == ["speed_m_per_s"]
    assert np.isfinite(measures_of(still, find_strides(still))[0].both.value)


def test_the_centre_of_mass_is_found_once_a_study(study, monkeypatch):
    from softstride.study import study as room

    asked, find = [], room.centre_of_mass
    monkeypatch.setattr(room, "centre_of_mass", lambda *given: asked.append(given) or find(*given))
    fresh = study.changed()
    strides = find_strides(fresh)
    assert measures_of(fresh, strides) and measures_of(fresh, strides) and verdicts_of(fresh)
    assert len(asked) == 1 and np.array_equal(fresh.centre_of_mass, find(fresh.model, fresh.motion.q))
    with pytest.raises(ValueError, match="read-only"):
        fresh.centre_of_mass[0] = 0.0
