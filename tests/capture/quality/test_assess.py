"""Time, events, the report itself; nothing makes it fail; the recordings of the data are judged fairly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from softstride.capture.quality import Finding, Quality, assess
from softstride.capture.reading import read
from softstride.capture.recording import Event, Recording
from softstride.capture.series import Channels, Points


def retimed(walker: Recording, time: np.ndarray) -> Recording:
    return walker.replace(markers=Points(time, walker.markers.labels, walker.markers.values[: len(time)]))


def test_time_that_runs_backwards(walker) -> None:
    time = walker.markers.time.copy()
    time[100:102] = time[[101, 100]]
    (finding,) = [f for f in assess(retimed(walker, time)).about("time") if f.severity == "error"]
    assert (finding.subject, finding.value) == ("markers", 1.0)
    assert finding.start == pytest.approx(1.00)


def test_lost_frames(walker) -> None:
    kept = np.delete(np.arange(301), [50, 51, 200])
    points = Points(walker.markers.time[kept], walker.markers.labels, walker.markers.values[kept])
    (finding,) = assess(walker.replace(markers=points)).about("time")
    assert finding.message == "3 frames are missing in 2 places"
    assert (finding.start, finding.stop) == (pytest.approx(0.49), pytest.approx(2.01))


def test_uneven_steps(walker) -> None:
    time = walker.markers.time + 0.003 * np.sin(np.arange(301))
    (finding,) = assess(retimed(walker, time)).about("time")
    assert "steps of time differ" in finding.message


def test_rounded_times_are_even(walker) -> None:
    """120 Hz with three decimals steps by 8 and 9 ms: rounding, not jitter."""
    assert assess(retimed(walker, np.round(np.arange(301) / 120.0, 3))).about("time") == ()


def test_parts_that_were_recorded_at_other_times(walker) -> None:
    late = Channels(100.0 + np.arange(50) / 1000.0, ("a",), np.random.default_rng(0).normal(size=(50, 1)))
    (finding,) = assess(walker.replace(analog=late, emg=Channels.none(), forces=(), plates=())).about("time")
    assert finding.severity == "error" and finding.subject == "analog channels"
    assert "100.00 s" in finding.message


def test_events_outside(walker) -> None:
    events = (Event("strike", 1.0, "left"), Event("off", 7.5, "right"), Event("strike", -0.2))
    found = assess(walker.replace(events=events)).about("events")
    assert [(f.subject, f.start) for f in found] == [("strike", -0.2), ("right off", 7.5)]


def test_the_report_ranks_and_counts() -> None:
    info, error = Finding("info", "a", "x", "m"), Finding("error", "b", "y", "n", 1.0, 2.0)
    quality = Quality((info, Finding("warning", "a", "z", "k"), error))
    assert quality.findings[0] is error
    assert quality.errors == (error,)
    assert len(quality.warnings) == 1
    assert not quality.ok
    assert Quality((info,)).ok
    assert str(error) == "error: b: y: n (1.00 to 2.00 s)"
    frame = quality.to_dataframe()
    assert list(frame["severity"]) == ["error", "warning", "info"]
    assert list(frame.columns)[:4] == ["severity", "topic", "subject", "message"]


def test_nothing_is_changed(walker) -> None:
    before = walker.markers.values.copy()
    walker.quality()
    np.testing.assert_array_equal(walker.markers.values, before)


def test_an_empty_recording_has_nothing() -> None:
    quality = assess(Recording("empty"))
    assert quality.findings == ()
    assert quality.figures == {}


NUMBERS = st.one_of(st.just(np.nan), st.floats(-1e6, 1e6), st.just(np.inf))
LABELS = ("RASI", "LASI", "RKNE", "LKNE", "RHEE", "LHEE", "*5")


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            arrays(float, (n,), elements=st.floats(-1e3, 1e3)),
            arrays(float, (n, len(LABELS), 3), elements=NUMBERS),
            arrays(float, (n, 2), elements=NUMBERS),
        )
    )
)
def test_no_numbers_make_it_fail(parts) -> None:
    """Any clock, any positions: findings, never an exception or a warning."""
    time, values, analog = parts
    channels = Channels(time, ("Fz1", "EMG1"), analog)
    recording = Recording("any", markers=Points(time, LABELS, values), analog=channels, emg=channels)
    for finding in assess(recording).findings:
        assert finding.message


CLEAN = [
    "walk_gait2354/subject01_walk1.trc",
    "walk_gait2354/subject01_static.trc",
    "walk_gait2354/subject01_walk1_grf.mot",
    "run_hamner_s01/run200.trc",
    "run_hamner_s01/run500.trc",
    "run_hamner_s01/run500_external_forces.xml",
    "walk_rajagopal_emg/markers_walk.trc",
    "walk_rajagopal_emg/emg_walk_raw.anc",
    "walk_rajagopal_emg/grf_walk.xml",
]


@pytest.mark.parametrize("file", CLEAN)
def test_clean_recordings_give_no_alarm(shared_data, file: str) -> None:
    quality = assess(read(shared_data / file))
    assert quality.errors == ()
    assert quality.warnings == ()


def test_exchanged_toe_markers_of_a_published_run(shared_data) -> None:
    """RTOE and RMT5 change places again and again: 40 mm from frame to frame, seen in the numbers by eye."""
    quality = assess(read(shared_data / "run_overground_bmc" / "motion_capture_run.trc"))
    assert [(f.topic, f.subject) for f in quality.errors] == [("switches", "RTOE/RMT5")]
    assert {f.subject for f in quality.about("jitter")} == {"RTOE", "RMT5"}


def test_a_marker_missing_in_121_of_131_frames(shared_data) -> None:
    quality = assess(read(shared_data / "walk_opencap_s4" / "walking1.trc"))
    (finding,) = quality.about("gaps", "r_thigh5")
    assert finding.value == pytest.approx(100 * 121 / 131)
    assert [f.subject for f in quality.errors] == [
        "r_thigh3/r_thigh5"
    ]  # they change places before it is lost


@pytest.mark.parametrize(
    ("file", "newton", "tolerance"),
    [
        ("knee_gc5_ps/PS_ngait_og_ss1.c3d", 813.0, 2.0),  # published: the mean over the stride is 813 N
        ("c3d_emg_pig/HC030A01.c3d", 45.8 * 9.80665, 1.0),  # the mass in the file; standing on one plate
        ("walk_opencap_s4/static1_grf.mot", 589.0, 1.0),  # sum of two plates
        ("run_hamner_s01/run500_grf.mot", 72.94 * 9.80665, 7.0),  # the model's mass; 1 %: 100 Hz, two strides
        ("walk_gait2354/subject01_walk1_grf.mot", 72.6 * 9.80665, 7.0),  # 1 %: one stride
    ],
)
def test_body_weight_of_recordings(shared_data, file: str, newton: float, tolerance: float) -> None:
    assert assess(read(shared_data / file)).figures["body_weight_N"] == pytest.approx(newton, abs=tolerance)


def test_offsets_of_plates_that_were_not_zeroed(shared_data) -> None:
    file = shared_data / "c3d_opensim_reference" / "walking2.c3d"
    offsets = {f.subject: f.value for f in assess(read(file)).about("plates")}
    # README of the data: -14 and -20 N
    assert offsets == {"plate 1": pytest.approx(-14.0, abs=1.0), "plate 2": pytest.approx(-20.0, abs=1.0)}
    assert assess(read(file, plate_zero="unloaded")).about("plates") == ()


@pytest.mark.slow
def test_a_large_recording_is_quick(walker) -> None:
    """60 s of 90 markers at 100 Hz in well under the time of a person's patience; measured: 0.6 s."""
    import time

    random = np.random.default_rng(0)
    values = np.cumsum(1e-3 * random.standard_normal((6000, 90, 3)), axis=0) + random.uniform(0, 1, (90, 3))
    points = Points(np.arange(6000) / 100.0, tuple(f"m{i}" for i in range(90)), values)
    start = time.process_time()
    assess(walker.replace(markers=points))
    assert time.process_time() - start < 10.0
