"""`softstride info` of recordings: what they hold, what is wrong with them, and the exit code."""

from pathlib import Path

import numpy as np
import pytest

from softstride.capture.force import ExternalForce, Plate
from softstride.capture.plates.doubts import FeetDoubt, Reason
from softstride.capture.quality import Finding, Quality
from softstride.capture.recording import Event, Recording, Subject
from softstride.capture.series import Channels, Points
from softstride.cli.recording_table import finding_lines, print_recording, recording_figures
from softstride.notes import Note


def make_recording(**changes: object) -> Recording:
    """A second of two markers, one of them with a gap, an EMG channel and a plate with one contact of 700 N."""
    time, fast = np.arange(101) / 100.0, np.arange(1001) / 1000.0
    values = 1e-4 * np.random.default_rng(0).standard_normal((101, 2, 3)) + (0.0, 1.0, 0.0)
    values[:, 1] += 0.3
    values[10:20, 1] = np.nan
    force = np.zeros((1001, 3))
    force[300:801, 1] = 700.0 * np.sin(np.pi * np.arange(501) / 500.0)
    corners = np.array([[0.3, 0, 0.2], [0.3, 0, -0.2], [-0.3, 0, -0.2], [-0.3, 0, 0.2]])
    down = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    plate = Plate("plate 1", 2, corners, down, fast, np.append(np.zeros_like(force), force, axis=1))
    loaded = ExternalForce("plate 1", fast, force, force * 0, force * 0, side="right", plate="plate 1")
    emg = Channels(fast, ("TA",), np.random.default_rng(1).standard_normal((1001, 1)), ("V",))
    recording = Recording(
        name="walk",
        files=("walk.c3d",),
        markers=Points(time, ("RASI", "LASI"), values),
        outputs={"angle": Points(time, ("RKneeAngles",), np.zeros((101, 1, 3)), "rad")},
        analog=emg,
        emg=emg,
        plates=(plate,),
        forces=(loaded,),
        events=(Event("strike", 0.3, "right"),),
        subject=Subject("S01", 70.0, 1.8),
        notes=(Note("axes.found", "axes: +Z is up", topic="axes"), "something without a topic"),
    )
    return recording.replace(**changes)


@pytest.fixture
def trial(monkeypatch, tmp_path: Path):
    """Make `read` return a recording, whatever the file; its arguments are kept."""
    from softstride.capture import reading as module

    def make(recording: Recording) -> dict[str, object]:
        asked: dict[str, object] = {}

        def read(*paths: str, **options: object) -> Recording:
            asked.update(options, paths=paths)
            return recording

        monkeypatch.setattr(module, "read", read)
        return asked

    return make


def test_people_get_contents_notes_and_findings(run, trial) -> None:
    trial(make_recording())
    shown = run("info", "walk.c3d")
    assert shown.exit_code == 0
    for words in (
        "S01, 70.0 kg, 1.80 m",
        "101 frames × 2 markers at 100 Hz, 0.00 to 1.00 s, 5.0 % missing",
        "model outputs 1 angle [rad]",
        "analog 1 channel at 1000 Hz",
        "EMG TA [V] at 1000 Hz",
        "events right strike 0.30 s",
        "peak vertical [N] [BW] contacts [s]",
        "plate 1 type 2 right 700 1.02 0.30 to 0.80",
        "axes +Z is up",
        "Quality: 0 errors, 0 warnings",
        "LASI: 9.9 % missing in 1 gap, the longest 0.10 s (0.10 to 0.19 s)",
    ):
        assert words in shown.words


def test_notes_begin_with_what_they_are_about_and_doubts_are_findings(run, trial) -> None:
    notes = (
        Note("plates.zeroed", "plate 2: zeroed on 0.50 s without load", topic="plates", names=("plate 2",)),
        Note("trc.no-unit", "file walk.trc: header names no unit of length", topic="trc"),
        FeetDoubt("plate 1", 0.5, 0.62, (Reason.of("plate-not-level"),)).note,
        "weather: it rained",
    )
    trial(make_recording(notes=notes))
    lines = [line.rstrip() for line in run("info", "walk.c3d").stdout.splitlines()]
    first = lines.index("Notes: what was decided on the way") + 1
    told = [line.strip() for line in lines[first : lines.index("", first)]]
    assert [" ".join(line.split()) for line in told] == [
        "plate 2 zeroed on 0.50 s without load",
        "file walk.trc: header names no unit of length",
        "weather: it rained",
    ]
    assert any("plate 1: the plate is not on the floor (0.50 to 0.62 s)" in line for line in lines)


def test_lines_are_short_and_have_no_tails(run, trial) -> None:
    said = "axes: " + "a long sentence goes on and on " * 12
    trial(make_recording(notes=(Note("axes.found", said, topic="axes"),)))
    lines = run("info", "walk.c3d").stdout.splitlines()
    notes = [line for line in lines if "goes on" in line]
    assert len(notes) > 3
    assert max(map(len, notes)) <= 100
    assert not any(line.endswith(" ") for line in notes)


def test_programs_get_one_flat_object(run, trial) -> None:
    trial(make_recording())
    figures = run("info", "walk.c3d", "--json").figures
    expected = {
        "name": "walk",
        "files": ["walk.c3d"],
        "markers": 2,
        "other_points": 0,
        "frames": 101,
        "analog_channels": 1,
        "emg_channels": 1,
        "plates": 1,
        "forces": 1,
        "peak_vertical_N": [700.0],
        "sides": ["right"],
        "contacts": [1],
        "events": 1,
        "subject_mass_kg": 70.0,
        "up": "+Y",
        "forward": "+X",
        "outputs_angle": 1,
        "errors": 0,
        "warnings": 0,
        "notes": ["axes: +Z is up", "something without a topic"],
    }
    assert {key: figures[key] for key in expected} == expected
    assert figures["rate_hz"] == pytest.approx(100.0)
    assert figures["analog_rate_hz"] == pytest.approx(1000.0)
    assert figures["duration_s"] == pytest.approx(1.0)
    assert figures["missing_percent"] == pytest.approx(100 * 10 / 202)
    assert any(text.startswith("info: gaps: LASI: 9.9 % missing") for text in figures["findings"])


def test_an_error_is_exit_code_1_only_if_asked_for(run, trial) -> None:
    far = make_recording().markers.values.copy()
    far[50, 0] = 400.0
    broken = make_recording(markers=Points(np.arange(101) / 100.0, ("RASI", "LASI"), far))
    trial(broken)
    assert run("info", "walk.c3d").exit_code == 0
    strict = run("info", "walk.c3d", "--strict", "--json")
    assert strict.exit_code == 1
    assert strict.figures["errors"] >= 1
    trial(make_recording())
    assert run("info", "walk.c3d", "--strict").exit_code == 0


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), None),
        (("--zero", "file"), "file"),
        (("--zero", "unloaded"), "unloaded"),
        (("--zero", "0,0.5"), (0.0, 0.5)),
    ],
)
def test_options_reach_the_reader(run, trial, given: tuple[str, ...], expected: object) -> None:
    asked = trial(make_recording())
    assert run("info", "a.trc", "b.mot", "--threshold", "30", *given).exit_code == 0
    assert asked == {"paths": ("a.trc", "b.mot"), "plate_threshold": 30.0, "plate_zero": expected}


@pytest.mark.parametrize("text", ["never", "1;2", "1,b", ""])
def test_an_unknown_zero_names_the_known_ones(run, trial, text: str) -> None:
    trial(make_recording())
    shown = run("info", "walk.c3d", "--zero", text)
    assert shown.exit_code == 2
    assert "file, unloaded or a window of time" in shown.stderr


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("walk.osim", "walk.osim: no such file"),
        ("walk.docx", "no reader for .docx files; recordings may be: .c3d, .trc"),
        ("missing.c3d", "missing.c3d: file: cannot be read"),
        ("missing.TRC", "check the name"),
    ],
)
def test_what_cannot_be_read_says_the_way_out(run, file: str, words: str) -> None:
    shown = run("info", file)
    assert shown.exit_code == 2
    assert words in shown.stderr
    assert shown.stdout == ""


def test_an_empty_recording_can_be_shown(run, trial) -> None:
    trial(Recording("empty", ("empty.sto",)))
    shown = run("info", "empty.sto")
    assert shown.exit_code == 0
    assert "nothing found" in shown.words
    assert run("info", "empty.sto", "--json").figures["rate_hz"] is None


def test_what_is_said_of_many_is_said_once() -> None:
    same = [Finding("warning", "gaps", label, "never seen", value=100.0) for label in ("A", "B", "C")]
    assert list(finding_lines(Quality(tuple(same)))) == [("warning", "gaps", "A, B, C: never seen")]


def test_the_worst_of_many_are_shown_and_the_rest_named() -> None:
    many = [Finding("warning", "gaps", f"m{i}", f"{i} % missing", value=float(i)) for i in range(1, 21)]
    lines = [text for *_, text in finding_lines(Quality(tuple(many)))]
    assert lines[:2] == ["m20: 20 % missing", "m19: 19 % missing"]
    assert len(lines) == 6
    assert lines[-1].startswith("15 more, less so: m15, m14")


def test_flicker_at_the_threshold_is_one_contact() -> None:
    recording = make_recording()
    force = recording.forces[0].force.copy()
    force[400:800:7] = 0.0
    force[100] = (0.0, 25.0, 0.0)
    noisy = ExternalForce("f", recording.forces[0].time, force, force * 0, force * 0)
    figures = recording_figures(recording.replace(forces=(noisy,)), Quality())
    assert figures["contacts"] == [1]


def test_severities_have_colours(capsys, monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    quality = Quality((Finding("error", "time", "markers", "runs backwards"),))
    print_recording(make_recording(), quality)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "backwards" in line]
    assert line.startswith("\x1b[1;31merror")
    assert line.endswith("markers: runs backwards")  # the sentence itself has no colour


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            ["c3d_formats/sample01/Eb015pi.c3d"],
            {"frames": 450, "markers": 26, "analog_channels": 16, "plates": 2},
        ),
        (
            ["walk_gait2354/subject01_walk1.trc", "walk_gait2354/subject01_walk1_grf.xml"],
            {
                "frames": 151,
                "markers": 41,
                "forces": 2,
                "sides": ["right", "left"],
                "errors": 0,
                "warnings": 0,
            },
        ),
        (["walk_rajagopal_emg/emg_walk_raw.anc"], {"analog_channels": 28, "emg_channels": 10, "frames": 0}),
    ],
)
def test_files_of_laboratories(run, shared_data: Path, files: list[str], expected: dict[str, object]) -> None:
    paths = [str(shared_data / file) for file in files]
    figures = run("info", *paths, "--json").figures
    assert {key: figures[key] for key in expected} == expected
    assert run("info", *paths).exit_code == 0


def test_help_has_examples_and_units(run) -> None:
    shown = run("info", "--help").words
    for words in ("softstride info walk.c3d --zero unloaded", "in newtons", "in seconds", "[FILE]..."):
        assert words in shown
