"""Events of synthetic plates whose contacts are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.signals.force_events import events_from_force

RATE = 1000.0
PEAK, CONTACT = 800.0, 0.6


def half_sines(
    time: np.ndarray, starts: list[float], peak: float = PEAK, duration: float = CONTACT
) -> np.ndarray:
    force = np.zeros_like(time)
    for start in starts:
        inside = (time > start) & (time < start + duration)
        force[inside] += peak * np.sin(np.pi * (time[inside] - start) / duration)
    return force


def rise_time(threshold: float, peak: float = PEAK, duration: float = CONTACT) -> float:
    """From the foot of a half sine to the threshold: peak sin(pi t / duration) = threshold."""
    return duration / np.pi * np.arcsin(threshold / peak)


def line_error(threshold: float, rate: float, peak: float = PEAK, duration: float = CONTACT) -> float:
    """Bound of linear interpolation in time: dt^2 |F''| / (8 F') at the crossing, doubled for its neighbours."""
    w = np.pi / duration
    return 2 * w**2 * threshold / (8 * rate**2 * w * np.sqrt(peak**2 - threshold**2))


@given(
    start=st.floats(0.2, 0.4),
    gap=st.floats(0.1, 0.9),
    threshold=st.floats(5.5, 100.0),
    rate=st.sampled_from([600.0, 1000.0, 2000.0]),
)
def test_crossings_of_half_sines_are_those_of_the_closed_form(start, gap, threshold, rate):
    t = np.arange(0, 3.0, 1 / rate)
    starts = [start, start + CONTACT + gap]
    events = events_from_force(t, half_sines(t, starts), threshold=threshold)
    delay = rise_time(threshold)
    # Where the foot of the sine falls between the two samples, the line starts too early: at most one sample.
    tolerance = line_error(threshold, rate) if delay > 1 / rate else 1 / rate
    np.testing.assert_allclose(events.strikes, np.array(starts) + delay, atol=tolerance, rtol=0)
    np.testing.assert_allclose(events.offs, np.array(starts) + CONTACT - delay, atol=tolerance, rtol=0)
    assert events.stances.shape == (2, 2)


def test_a_straight_rise_is_met_exactly():
    t = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
    events = events_from_force(t, [0.0, 0.0, 80.0, 80.0, 0.0], threshold=20.0, min_contact=0.0)
    # By hand: a quarter of the way up from 0.1 s, three quarters of the way down from 0.3 s.
    np.testing.assert_allclose(events.strikes, [0.125], atol=1e-15)
    np.testing.assert_allclose(events.offs, [0.375], atol=1e-15)


def test_noise_and_offset_move_events_by_no_more_than_they_lift_the_force():
    """Noise and offset of e shift the crossing by at most e / F', plus a sample; and make no step."""
    rng = np.random.default_rng(1)
    t = np.arange(0, 60.0, 1 / RATE)
    starts = np.arange(0.3, 58.0, 1.2)
    offset, noise = 3.0, 4.0
    force = half_sines(t, starts.tolist()) + offset + noise * rng.uniform(-1, 1, len(t))
    events = events_from_force(t, force)
    assert len(events.strikes) == len(events.offs) == len(starts)
    slope = np.pi / CONTACT * np.sqrt(PEAK**2 - 20.0**2)
    tolerance = (offset + noise) / slope + 1 / RATE
    assert np.abs(events.strikes - (starts + rise_time(20.0))).max() < tolerance
    assert np.abs(events.offs - (starts + CONTACT - rise_time(20.0))).max() < tolerance


def test_noise_within_the_band_is_no_contact():
    t = np.arange(0, 1, 0.001)
    force = 20.0 + 4.9 * np.sin(2 * np.pi * 50 * t)
    events = events_from_force(t, force, hysteresis=5.0)
    assert len(events.strikes) == len(events.offs) == 0
    assert len(events_from_force(t, force, hysteresis=0.0, min_contact=0.0, min_flight=0.0).strikes) > 40


def test_a_recording_that_starts_or_ends_in_contact_has_no_event_there():
    t = np.arange(0, 2.0, 1 / RATE)
    events = events_from_force(t, half_sines(t, [-0.3, 0.6, 1.7]))
    np.testing.assert_allclose(events.offs, np.array([-0.3, 0.6]) + CONTACT - rise_time(20.0), atol=1e-6)
    np.testing.assert_allclose(events.strikes, np.array([0.6, 1.7]) + rise_time(20.0), atol=1e-6)
    np.testing.assert_allclose(events.stances, [[events.strikes[0], events.offs[1]]])


@pytest.mark.parametrize("force", [np.zeros(50), np.full(50, 700.0), np.full(50, np.nan)])
def test_a_plate_that_never_changes_has_no_events(force):
    events = events_from_force(np.arange(50) / 100, force)
    assert len(events.strikes) == len(events.offs) == 0
    assert events.stances.shape == (0, 2)


def test_short_flights_and_short_contacts_are_noise():
    t = np.arange(0, 2.0, 1 / RATE)
    force = half_sines(t, [0.5])
    force[(t > 0.75) & (t < 0.77)] = 0.0  # a cable shaken in contact
    force[(t > 1.5) & (t < 1.52)] = 300.0  # a plate knocked in flight
    assert len(events_from_force(t, force, min_contact=0.0, min_flight=0.0).strikes) == 3
    events = events_from_force(t, force)
    np.testing.assert_allclose(events.strikes, [0.5 + rise_time(20.0)], atol=1e-6)
    np.testing.assert_allclose(events.offs, [0.5 + CONTACT - rise_time(20.0)], atol=1e-6)


def test_a_gap_hides_the_event_and_nothing_else():
    t = np.arange(0, 3.0, 1 / RATE)
    force = half_sines(t, [0.5, 1.5])
    force[(t > 1.05) & (t < 1.2)] = np.nan  # over the first off
    events = events_from_force(t, force)
    np.testing.assert_allclose(events.strikes, np.array([0.5, 1.5]) + rise_time(20.0), atol=1e-6)
    np.testing.assert_allclose(events.offs, [1.5 + CONTACT - rise_time(20.0)], atol=1e-6)


@given(st.lists(st.one_of(st.floats(-100, 900), st.just(float("nan"))), min_size=1, max_size=200))
def test_events_alternate_and_stay_in_the_recording(force):
    t = np.arange(len(force)) / 100
    events = events_from_force(t, force)
    both = np.concatenate([events.strikes, events.offs])
    assert np.all((both >= 0) & (both <= t[-1]))
    assert (np.diff(events.strikes) > 0).all() and (np.diff(events.offs) > 0).all()
    if not np.isnan(force).any():
        kinds = np.argsort(both, kind="stable") < len(events.strikes)
        assert np.all(kinds[1:] != kinds[:-1])
        assert (events.stances[:, 1] - events.stances[:, 0] >= 0.05).all()


@bad_input(
    InputError,
    ({"threshold": 0.0}, "threshold"),
    ({"hysteresis": 20.0}, "hysteresis"),
    ({"hysteresis": float("nan")}, "hysteresis"),
    ({"min_contact": -0.1}, "min_contact"),
    ({"vertical_force": np.zeros((10, 2))}, "one plate or foot"),
    ({"vertical_force": np.zeros(9)}, "time"),
    ({"time": np.zeros(10)}, "increase"),
    ({"vertical_force": np.full(10, np.inf)}, "infinite"),
)
def test_bad_input_is_named(refuses):
    refuses(events_from_force, time=np.arange(10) / 100, vertical_force=np.zeros(10))
