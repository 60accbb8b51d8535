"""Gaps, smoothing, EMG and events on whole recordings: done, marked and noted."""

from pathlib import Path

import numpy as np
import pytest

import softstride as ss
from softstride.capture.recording import Event, Recording
from softstride.errors import InputError

TIME = np.arange(300) / 100.0


def swing() -> ss.Points:
    """Six markers that move smoothly, two of them with gaps."""
    phase = 2 * np.pi * 0.8 * TIME[:, None] + np.arange(6)
    values = np.stack([np.sin(phase), np.cos(phase), np.sin(0.5 * phase)], axis=2)
    values[50:55, 0] = np.nan
    values[100:104, 3] = np.nan
    return ss.Points(TIME, tuple("abcdef"), values)


def test_short_gaps_are_filled_and_marked() -> None:
    markers = swing()
    filled = ss.fill_gaps(Recording("trial", markers=markers))
    assert not np.isnan(filled.markers.values).any()
    np.testing.assert_array_equal(filled.markers.filled, markers.missing)
    truth = np.sin(2 * np.pi * 0.8 * TIME[50:55])
    np.testing.assert_allclose(filled.markers["a"][50:55, 0], truth, atol=1e-4)  # fourth order of 60 ms
    kept = ~markers.missing
    np.testing.assert_array_equal(filled.markers.values[kept], markers.values[kept])
    assert "filled 9 by spline" in str(filled.notes[0])


def test_without_long_gaps_only_short_ones() -> None:
    values = swing().values.copy()
    values[150:200, 1] = np.nan  # half a second
    recording = Recording("trial", markers=ss.Points(TIME, tuple("abcdef"), values))
    filled = ss.fill_gaps(recording, long_gaps=False)
    assert np.isnan(filled.markers["b"][150:200]).all()
    assert "50 of 1800 are still missing" in str(filled.notes[0])


@pytest.mark.parametrize("method", ["butterworth", "critically_damped", "spline"])
def test_smoothing_takes_noise_and_leaves_motion_and_gaps(method: str) -> None:
    markers = swing()
    rng = np.random.default_rng(2)
    noisy = ss.Points(TIME, markers.labels, markers.values + rng.normal(scale=0.01, size=(300, 6, 3)))
    smooth = ss.smooth_markers(Recording("trial", markers=noisy), 6.0, method=method)  # type: ignore[arg-type]
    np.testing.assert_array_equal(smooth.markers.missing, markers.missing)
    error = [np.nanstd(part.values - markers.values) for part in (noisy, smooth.markers)]
    assert error[1] < 0.55 * error[0]  # white noise keeps sqrt(6/50) of itself, and the signal stays
    assert "smoothed at 6 Hz" in str(smooth.notes[-1])


def test_published_envelopes_from_raw_channels(shared_data: Path) -> None:
    """The ten channels of the Rajagopal trial: r at least 0.96 on each, median above 0.98."""
    folder = shared_data / "walk_rajagopal_emg"
    ours = ss.emg_envelopes(ss.read(folder / "emg_walk_raw.anc")).emg
    published = ss.read(folder / "electromyography.sto").emg
    r = [np.corrcoef(ours.values[:, i], published.values[:, i])[0, 1] for i in range(10)]
    assert min(r) >= 0.96 and np.median(r) > 0.98, r
    np.testing.assert_allclose(ours.values.max(axis=0), 1.0)


def test_emg_is_normalised_to_what_the_caller_says() -> None:
    rng = np.random.default_rng(5)
    time = np.arange(4000) / 2000.0
    raw = ss.Channels(time, ("soleus", "vastus"), rng.normal(size=(4000, 2)), ("V", "V"))
    trial = Recording("trial", emg=raw)
    mvc = Recording("mvc", emg=ss.Channels(time, raw.labels, 4.0 * raw.values, ("V", "V")))
    own, by_mvc = ss.emg_envelopes(trial), ss.emg_envelopes(trial, reference=mvc)
    np.testing.assert_allclose(by_mvc.emg.values, own.emg.values / 4.0, rtol=1e-9)
    ones, given = (
        ss.emg_envelopes(trial, reference={"vastus": vastus, "soleus": 1.0}).emg for vastus in (1.0, 2.0)
    )
    np.testing.assert_allclose(given.values, ones.values / (1.0, 2.0), rtol=1e-12)  # by name, not by order
    late = ss.emg_envelopes(trial, delay_s=0.05)
    np.testing.assert_allclose(late.emg.values[100:], own.emg.values[:-100], rtol=1e-12)
    assert "shifted by 0.05 s" in str(late.notes[-1])
    with pytest.raises(InputError, match="no reference for vastus"):
        ss.emg_envelopes(trial, reference={"soleus": 1.0})


def test_events_are_added_beside_those_of_the_file(shared_data: Path) -> None:
    recording = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d")
    found = ss.find_events(ss.find_events(recording, "plates"), "markers")
    assert {event.source for event in found.events} == {"file", "plates", "markers"}
    assert len(found.events_of("strike", source="file")) == len(recording.events_of("strike"))
    again = ss.find_events(found, "markers")
    assert len(again.events) == len(found.events)  # replaced, not doubled


def test_auto_takes_plates_for_a_foot_on_one_and_markers_for_the_other(shared_data: Path) -> None:
    recording = ss.read(shared_data / "c3d_emg_pig" / "HC030A05.c3d")
    one = recording.replace(forces=(recording.force("left"),), events=())
    sources = {event.side: event.source for event in ss.find_events(one).events}
    assert sources == {"left": "plates", "right": "markers"}


def test_a_foot_over_two_plates_strikes_once() -> None:
    """It lands on one plate and leaves from the other; each alone sees half a step."""
    time = np.arange(1000) / 1000.0
    zero = np.zeros((1000, 3))
    first, second = zero.copy(), zero.copy()
    first[200:550, 1] = 400.0
    second[450:800, 1] = 400.0
    forces = tuple(
        ss.ExternalForce(n, time, f, zero, zero, side="left") for n, f in (("1", first), ("2", second))
    )
    found = ss.find_events(Recording("x", forces=forces), "plates")
    assert found.events_of("strike") == pytest.approx([0.2], abs=1e-3)
    assert found.events_of("off") == pytest.approx([0.8], abs=1e-3)


def test_what_cannot_be_prepared() -> None:
    empty = Recording("nothing", events=(Event("clap", 0.0),))
    for function in (ss.fill_gaps, lambda r: ss.smooth_markers(r, 6.0), ss.emg_envelopes, ss.find_events):
        with pytest.raises(InputError):
            function(empty)
    with pytest.raises(InputError, match="source must be"):
        ss.find_events(empty, "guess")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="method must be"):
        ss.smooth_markers(Recording("x", markers=swing()), 6.0, method="magic")  # type: ignore[arg-type]


def test_a_filter_does_not_run_across_a_hole_in_time() -> None:
    """Two seconds are missing in the middle: each stretch is filtered as if the other did not exist."""
    values = np.concatenate([np.zeros((100, 1, 3)), np.full((100, 1, 3), 5.0)])
    time = np.concatenate([np.arange(100), 300 + np.arange(100)]) / 100.0
    smooth = ss.smooth_markers(Recording("x", markers=ss.Points(time, ("a",), values)), 6.0)
    np.testing.assert_allclose(smooth.markers.values, values, atol=1e-12)
    uneven = ss.Points(np.where(np.arange(200) == 50, time - 0.005, time), ("a",), values)
    with pytest.raises(InputError, match="step 50 is 0\\.5 of the usual"):
        ss.smooth_markers(Recording("x", markers=uneven), 6.0)


def test_emg_errors_name_what_is_wrong() -> None:
    raw = ss.Channels(np.arange(4000) / 2000.0, ("soleus", "vastus"), np.zeros((4000, 2)), ("V", "V"))
    trial = Recording("trial", emg=raw)
    with pytest.raises(InputError, match="silent channels have no maximum: soleus, vastus"):
        ss.emg_envelopes(trial)
    with pytest.raises(InputError, match="maximal contractions has no EMG"):
        ss.emg_envelopes(trial, reference=Recording("mvc"))
    with pytest.raises(InputError, match="has no hum"):
        ss.emg_envelopes(trial, hum=50)
    with pytest.raises(InputError, match="reference must be"):
        ss.emg_envelopes(trial, reference=[1.0])  # type: ignore[arg-type]
