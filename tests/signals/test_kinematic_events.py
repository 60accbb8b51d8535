"""Events of a foot whose motion is made of sines, so that every rule has a closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.notes import codes
from softstride.signals.kinematic_events import events_from_markers
from softstride.signals.steps import find_peaks, find_steps, is_backward, is_running

STRIDE, RATE = 1.0, 100.0
FAST = 6.0  # [Hz] of the bobbing of the foot
FIRST = 0.35  # [s], the first time the foot is foremost


def walker(
    speed: float = 1.3, duration: float = 4.0, rate: float = RATE, bob: float = 0.02
) -> dict[str, np.ndarray]:
    """Return the markers of a foot that swings as a cosine and bobs at `FAST`.

    With s the time since the foot was foremost, its height is -bob sin(2 pi FAST (s - 0.04)): it falls fastest at
    s = 0.04 and is accelerated upward most a quarter of a bob later.
    """
    t = np.arange(0, duration, 1 / rate)
    swing = 0.3 * np.cos(2 * np.pi * (t - FIRST) / STRIDE)
    height = -bob * np.sin(2 * np.pi * FAST * (t - FIRST - 0.04))
    pelvis = np.stack([speed * t, 1.0 + 0 * t, 0 * t], axis=1)
    foot = np.stack([speed * t + swing, 0.1 + height, 0 * t], axis=1)
    half = np.array([0.1, 0.0, 0.0])
    return {"time": t, "heel": foot - half, "toe": foot + half, "pelvis": pelvis}


FOREMOST = FIRST + STRIDE * np.arange(4)
REARMOST = FIRST + STRIDE / 2 + STRIDE * np.arange(4)
# Parabola through three samples of a sine at 100 Hz: phase error below (w dt)^2 / 24 of a sample; the low-pass has no
# phase, but its ends ring: 1 ms holds for both.
CLOSE = 1e-3


@pytest.mark.parametrize(
    ("method", "delay"),
    [("zeni", 0.0), ("oconnor", 0.04), ("hreljac", 0.04 + 1 / (4 * FAST)), ("auto", 0.04 + 1 / (8 * FAST))],
)
def test_strikes_of_a_sine_foot(method, delay):
    events = events_from_markers(**walker(), method=method)
    np.testing.assert_allclose(events.strikes, FOREMOST + delay, atol=CLOSE)


def test_offs_of_a_sine_foot():
    for method in ("zeni", "auto"):
        events = events_from_markers(**walker(), method=method)
        np.testing.assert_allclose(events.offs, REARMOST[:4], atol=CLOSE)
    # forward acceleration of the toe is greatest where it is rearmost, and rises fastest half a bob later than it falls
    np.testing.assert_allclose(
        events_from_markers(**walker(), method="hreljac").offs, REARMOST[:4], atol=CLOSE
    )
    rising = events_from_markers(**walker(), method="oconnor").offs
    phase = (rising - FIRST - 0.04) * FAST
    np.testing.assert_allclose(phase - np.floor(phase), 0.5, atol=FAST * CLOSE)


def test_running_foot_off_is_where_the_toe_has_risen_15_mm():
    """The toe stands at 0.05 m and rises at 1 m/s from an instant known: 15 ms later it is 15 mm up."""
    foot = walker(bob=0.0)
    t, lift = foot["time"], FIRST + 0.40
    phase = np.mod(t - lift + 0.5, STRIDE) - 0.5
    foot["toe"][:, 1] = 0.05 + np.clip(phase, 0.0, 0.1)
    events = events_from_markers(**foot, gait="run")
    # The low-pass of 12 Hz rounds the corner: 5 ms.
    np.testing.assert_allclose(events.offs, lift + 0.015 + STRIDE * np.arange(4), atol=5e-3)


@pytest.mark.parametrize("method", ["auto", "zeni", "oconnor", "hreljac"])
def test_treadmill_and_overground_are_the_same(method):
    over, belt = (events_from_markers(**walker(speed), method=method) for speed in (1.3, 0.0))
    np.testing.assert_allclose(over.strikes, belt.strikes, atol=1e-9)
    np.testing.assert_allclose(over.offs, belt.offs, atol=1e-9)


@pytest.mark.parametrize("method", ["zeni", "oconnor", "auto"])
def test_going_backward_is_a_film_that_runs_backward(method):
    """At -1.3 m/s the foot leaves where it is foremost and strikes where it is rearmost.

    It rises fastest half a bob before it falls fastest, 0.04 - 1/12 = -0.043 s after it is foremost.
    """
    rise = 0.04 - 1 / (2 * FAST)
    expected = {"zeni": 0.0, "oconnor": rise, "auto": rise / 2}[method]
    events = events_from_markers(**walker(-1.3), method=method)
    assert "events.backward" in codes(events.notes)
    np.testing.assert_allclose(events.offs, FOREMOST + expected, atol=CLOSE)
    if method != "oconnor":
        np.testing.assert_allclose(events.strikes, REARMOST[: len(events.strikes)], atol=CLOSE)
    asked = events_from_markers(**walker(-1.3), method=method, direction="forward")
    np.testing.assert_allclose(
        asked.strikes, events_from_markers(**walker(), method=method).strikes, atol=1e-9
    )


@pytest.mark.parametrize("lift", [0.05, -0.05, 0.0])
def test_on_a_treadmill_the_swinging_foot_tells_the_direction(lift):
    t = np.arange(0, 4, 0.01)
    swing = 0.3 * np.cos(2 * np.pi * t)
    height = 0.1 + lift * np.cos(
        2 * np.pi * t + np.pi / 2
    )  # high while it goes forward, with a positive lift
    assert is_backward(swing, height, 0.05 * t, 100.0) is (lift < 0.0)
    assert is_backward(swing, height, 1.0 * t, 100.0) is False
    assert is_backward(swing, height, -1.0 * t, 100.0) is True
    assert is_backward(swing, height, np.full(len(t), np.nan), 100.0) is False


def test_axes_are_named_not_assumed():
    foot = walker()
    turned = {k: v if k == "time" else v[:, [2, 0, 1]] for k, v in foot.items()}
    a, b = events_from_markers(**foot), events_from_markers(**turned, up=2, forward=1)
    np.testing.assert_array_equal(a.strikes, b.strikes)
    np.testing.assert_array_equal(a.offs, b.offs)


def test_short_gaps_are_bridged_long_ones_hide_their_steps_only():
    foot = walker()
    whole = events_from_markers(**foot)
    foot["heel"][100:105] = np.nan
    bridged = events_from_markers(**foot)
    assert any("heel: 5 frames" in str(note) for note in bridged.notes)
    np.testing.assert_allclose(bridged.strikes, whole.strikes, atol=2e-3)
    foot["heel"][120:180] = np.nan  # around the strike near 1.4 s
    holed = events_from_markers(**foot)
    np.testing.assert_allclose(holed.strikes, whole.strikes[[0, 2, 3]], atol=2e-3)


def test_without_a_pelvis_and_without_a_toe():
    foot = walker()
    alone = events_from_markers(foot["time"], foot["heel"], foot["toe"], None)
    assert len(alone.strikes) == 4
    assert "events.no-pelvis" in codes(alone.notes)
    assert "events.gait-assumed" in codes(alone.notes)
    heel_only = events_from_markers(foot["time"], foot["heel"], None, foot["pelvis"])
    assert len(heel_only.strikes) == 4
    assert len(heel_only.offs) == 0
    assert any("offs: none" in str(note) for note in heel_only.notes)


def test_a_marker_that_is_never_seen_is_left_out():
    foot = walker()
    events = events_from_markers(foot["time"], foot["heel"] * np.nan, foot["toe"], foot["pelvis"])
    assert any("heel: never seen" in str(note) for note in events.notes)
    assert len(events.strikes) == 4


def test_hreljac_without_a_heel_finds_no_strike_and_says_why():
    foot = walker()
    events = events_from_markers(foot["time"], None, foot["toe"], foot["pelvis"], method="hreljac")
    assert len(events.strikes) == 0
    assert "events.heel-needed" in codes(events.notes)


def test_standing_still_has_no_events():
    t = np.arange(0, 3, 0.01)
    still = np.random.default_rng(0).normal(0, 0.002, (3, len(t), 3))
    events = events_from_markers(t, *still)
    assert len(events.strikes) == len(events.offs) == 0
    assert events.notes[-1].code == "events.no-step"


def test_rounded_times_are_even_enough():
    foot = walker(rate=60.0)
    exact = events_from_markers(**foot)
    rounded = events_from_markers(**{**foot, "time": np.round(foot["time"], 3)})
    np.testing.assert_allclose(rounded.strikes, exact.strikes, atol=1e-3)


@bad_input(
    InputError,
    ({"heel": None, "toe": None}, "at least one of heel, toe and ankle must be given"),
    ({"toe": np.zeros((400, 2))}, "toe must have shape"),
    ({"pelvis": np.zeros((3, 3))}, "must have shape"),
    ({"up": 0}, "two of the axes"),
    ({"up": 3}, "two of the axes"),
    ({"method": "guess"}, "method"),
    ({"gait": "hop"}, "gait"),
    ({"direction": "up"}, "direction"),
    ({"cutoff": 0.0}, "cutoff"),
    ({"time": np.r_[np.arange(399) / 100, 9.0]}, "evenly"),
    ({"time": np.zeros(400)}, "increase"),
    ({"heel": np.full((400, 3), np.nan), "toe": None}, "NaN in all"),
)
def test_bad_input_is_named(refuses):
    refuses(events_from_markers, **walker())


def test_too_few_frames_are_named():
    with pytest.raises(InputError, match="frames are needed"):
        events_from_markers(np.arange(3) / 100, np.zeros((3, 3)), None, None)


def test_peaks_of_a_parabola_are_exact_between_samples():
    x = np.arange(20.0)
    peaks = find_peaks(3.0 - (x - 7.3) ** 2)
    np.testing.assert_allclose(peaks.frame, [7.3], atol=1e-12)
    np.testing.assert_allclose(peaks.value, [3.0], atol=1e-12)
    assert np.isnan(peaks.nearest(np.array([1.0]), 2.0)).all()
    assert np.isnan(find_peaks(x).largest(np.array([5.0]), 9, 9)).all()  # a line has none


def test_steps_at_the_ends_are_open():
    """A cosine from its rearmost side: off, then strike and off, then a strike whose stance is not seen."""
    t = np.arange(0, 2.2, 0.01)
    relative = -0.3 * np.cos(2 * np.pi * (t - 0.1))  # rearmost at 0.1, 1.1, 2.1; foremost at 0.6, 1.6
    steps = find_steps(relative)
    np.testing.assert_allclose(steps.foremost / 100, [np.nan, 0.6, 1.6], atol=1e-6)
    np.testing.assert_allclose(steps.rearmost / 100, [0.1, 1.1, 2.1], atol=1e-6)
    np.testing.assert_allclose(steps.middle / 100, [np.nan, 0.85, 1.85], atol=5e-3)
    assert len(find_steps(np.full(50, np.nan))) == 0


@pytest.mark.parametrize(("sign", "stride", "expected"), [(1, 0.7, False), (-1, 0.7, True), (-1, 2.0, False)])
def test_a_pelvis_low_in_stance_is_running_unless_stance_is_long(sign, stride, expected):
    rate = 100.0
    t = np.arange(0, 6, 1 / rate)
    steps = find_steps(0.3 * np.cos(2 * np.pi * t / stride))
    height = 1.0 + sign * 0.02 * np.cos(4 * np.pi * (t - stride / 4) / stride)
    assert is_running(steps, height, rate) is expected


@given(
    seed=st.integers(0, 10_000),
    rate=st.sampled_from([30.0, 60.0, 250.0]),
    holes=st.integers(0, 6),
    method=st.sampled_from(["auto", "zeni", "oconnor", "hreljac"]),
    gait=st.sampled_from(["auto", "walk", "run"]),
)
def test_noise_and_holes_never_break_it(seed, rate, holes, method, gait):
    """Whatever is lost: events increase and lie in the recording."""
    rng = np.random.default_rng(seed)
    foot = walker(duration=2.5, rate=rate)
    for name in ("heel", "toe", "pelvis"):
        foot[name] = foot[name] + rng.normal(0, rng.choice([0.001, 0.3]), foot[name].shape)
        for _ in range(holes):
            start = rng.integers(0, len(foot[name]))
            foot[name][start : start + rng.integers(1, 60)] = np.nan
    if all(np.isnan(foot[name][:, 0]).all() for name in ("heel", "toe")):
        return
    events = events_from_markers(**foot, method=method, gait=gait)
    for instants in (events.strikes, events.offs):
        assert (np.diff(instants) > 0).all()
        assert ((instants >= 0) & (instants <= 2.5)).all()
