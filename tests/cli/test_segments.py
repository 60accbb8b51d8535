"""`softstride segments` reads a trial, writes tables and pictures, and says what it decided."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.files import table
from tests.segments.people import reference_walk, standing

from softstride.capture import Event, Points, Subject, write
from softstride.cli import segments_tables
from softstride.cli.segments_table import methods_apart
from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.segments import analyze


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C3D file of markers on the reference limb with its forces as a table beside it."""
    folder = tmp_path_factory.mktemp("trial")
    recording = reference_walk(n=251)
    events = [
        Event(label, at, "right")
        for label, at in (("strike", 0.1), ("off", 0.7), ("strike", 1.1), ("off", 1.7))
    ]
    events += [Event("strike", 2.1, "right")]
    write(recording.replace(forces=(), events=tuple(events)), folder / "walk.c3d")
    (force,) = recording.forces
    columns = [f"ground_force_r_{part}{axis}" for part in "vpm" for axis in "xyz"]
    table(folder / "grf.mot", columns, force.time, np.hstack([force.force, force.point, force.moment]))
    return folder


def given(trial: Path) -> list[str]:
    return ["segments", str(trial / "walk.c3d"), str(trial / "grf.mot"), "--mass", "80", "--centres", "file"]


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.slow
def test_tables_and_pictures(run, trial: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "walk"
    done = run(*given(trial), "--out", str(out), "--json")
    assert done.exit_code == 0, done.words
    figures = done.figures
    assert set(figures["files"]) == {
        *("joints.csv", "loads.csv", "cycles.csv", "methods.csv", "work.csv"),
        *("angles.png", "moments.png", "powers.png", "methods.png"),
    }
    for name in figures["files"]:
        assert (out / name).stat().st_size > 500
        if name.endswith(".png"):
            assert (out / name).read_bytes().startswith(b"\x89PNG")
    assert (figures["right_cycles"], figures["left_cycles"]) == (2, 0) and figures["mass_kg"] == 80.0
    assert figures["joints"] == ["right ankle", "right knee", "right hip"]
    assert figures["right_knee_frames_known"] == 251
    assert figures["homogeneous_apart_nm"] < 1e-6 and figures["euler_apart_nm"] < 0.1
    assert figures["right_thigh_length_rms_mm"] < 0.5  # the low pass bends a rigid body a little
    cycles = rows_of(out / "cycles.csv")
    knee = [row for row in cycles if row["curve"] == "knee extension moment"]
    assert len(knee) == 101 and {row["unit"] for row in knee} == {"N m/kg"} and knee[0]["cycles"] == "2"
    methods = rows_of(out / "methods.csv")
    assert len(methods) == 251 and "right_shank_z_quaternion" in methods[0]
    assert len(rows_of(out / "joints.csv")) == 251


def test_what_is_printed(run, trial: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = run(*given(trial), "--out", str(tmp_path / "walk"), "--no-pictures")
    assert done.exit_code == 0
    for words in (
        "joints from landmarks",
        "moments differ from those in non-orthonormal axes by at most euler",
        "right knee extension",
        "gamma [deg]",
        "Winter (Dempster) (C)",
        "low pass of 6 Hz",
        "joint centres of the file's own model",
    ):
        assert words in done.words, words
    assert not (tmp_path / "walk" / "angles.png").exists()
    assert run(*given(trial), "--out", str(tmp_path / "quiet"), "--no-pictures", "--quiet").stdout == ""


def test_options_reach_the_study(run, trial: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "walk"
    done = run(
        *given(trial),
        "--out",
        str(out),
        "--no-pictures",
        "--json",
        "--sex",
        "male",
        "--method",
        "euler",
        "--lowpass",
        "0",
        "--normalise",
        "none",
        "--loose",
        "--ankle",
        "isb",
        "--fill",
    )
    assert done.exit_code == 0, done.words
    figures = done.figures
    assert figures["method"] == "euler" and figures["normalised_by"] == "none"
    notes = " ".join(figures["notes"])
    assert "Dumas et al. 2007" in notes and "confidence A" in notes
    assert "low pass" not in notes and "made rigid" not in notes
    assert any(row["unit"] == "N m" for row in rows_of(out / "cycles.csv"))
    asked = [option for name in ("right_shank", "right_foot") for option in ("--segment", name)]
    done = run(
        *given(trial), "--no-pictures", "--json", "--lowpass-forces", "20", *asked, "--out", str(out / "few")
    )
    assert done.exit_code == 0, done.words
    assert done.figures["joints"] == ["right ankle"]
    assert "forces: low pass of 20 Hz, fourth order, no phase shift" in done.figures["notes"]


def test_results_are_not_replaced_unasked(run, trial: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "walk"
    assert run(*given(trial), "--out", str(out), "--no-pictures", "--quiet").exit_code == 0
    again = run(*given(trial), "--out", str(out), "--no-pictures")
    assert again.exit_code == 2 and "exist already; choose another folder, or give --overwrite" in again.words
    assert run(*given(trial), "--out", str(out), "--no-pictures", "--quiet", "--overwrite").exit_code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--normalise", "weight"], "--normalise weight: must be one of none, mass"),
        (["--functional", "right_hip"], "--functional right_hip: must be JOINT=FILE"),
        (["--protocol", "vicon"], "no protocol 'vicon'; there are"),
        (["--inertia", "zatsiorsky"], "no table of inertia 'zatsiorsky'"),
        (["--sex", "m"], "sex must be 'female' or 'male', however it is 'm'"),
        (["--hip", "davis"], "need the length of the leg"),
        (["--method", "newton"], "method must be 'nonorthonormal', 'euler', 'homogeneous' or 'quaternion'"),
        (["--inertia", "dumas"], "sex='female' or sex='male' (--sex female or --sex male)"),
        (["--segment", "right_hand"], "segment 'right hand' lacks its proximal end. What would do"),
        (["--segment", "right_leg"], "no segment 'right leg'; there are: right foot"),
        (["--lowpass", "500"], "--lowpass must be below half the sampling rate, 50 Hz, however it is 500 Hz"),
        (["--lowpass-forces", "-2"], "--lowpass-forces must be a number above 0 [Hz], however it is -2"),
    ],
)
def test_requests_at_fault(run, trial: Path, tmp_path: Path, options: list[str], words: str) -> None:  # type: ignore[no-untyped-def]
    arguments = [x for x in given(trial) if x not in ("--centres", "file")]
    done = run(*arguments, "--out", str(tmp_path / "walk"), *options)
    assert done.exit_code == 2 and words in done.words
    assert not list((tmp_path / "walk").glob("*")), "nothing is written"


def test_a_size_that_is_missing_is_asked_for(run, trial: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write(reference_walk(n=251).replace(forces=(), subject=Subject()), tmp_path / "nobody.c3d")
    arguments = [
        "segments",
        str(tmp_path / "nobody.c3d"),
        str(trial / "grf.mot"),
        "--mass",
        "80",
        "--no-pictures",
    ]
    done = run(*arguments, "--out", str(tmp_path / "out"), "--normalise", "bw_height")
    assert done.exit_code == 2 and "normalisation 'bw_height' needs the height of the person" in done.words
    assert not list((tmp_path / "out").glob("*")), "nothing is written"
    assert (
        run(
            *arguments, "--out", str(tmp_path / "out"), "--normalise", "bw_height", "--height", "1.8"
        ).exit_code
        == 0
    )


def test_a_trial_without_a_joint_says_why(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bare = standing(without=tuple(f"{s}{x}" for s in "RL" for x in ("MM", "MFE", "RS", "US", "HME", "ASIS")))
    write(bare, tmp_path / "bare.c3d")
    done = run("segments", str(tmp_path / "bare.c3d"), "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "no joint can be built from these landmarks" in done.words and "What would do" in done.words


@pytest.mark.slow
def test_a_walk_beside_its_plug_in_gait_channels(run, shared_data: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = shared_data / "c3d_emg_pig"
    done = run(
        *("segments", str(folder / "HC030A05.c3d"), "--static", str(folder / "HC030A01.c3d")),
        *("--out", str(tmp_path / "walk"), "--json"),
    )
    assert done.exit_code == 0, done.words
    figures = done.figures
    assert "file.csv" in figures["files"] and "file.png" in figures["files"]
    for side in ("right", "left"):
        assert figures[f"file_{side}_hip_sagittal_moment_r"] > 0.95
        assert figures[f"file_{side}_knee_sagittal_moment_r"] > 0.85
        assert figures[f"file_{side}_ankle_sagittal_moment_r"] > 0.95
    assert (figures["right_cycles"], figures["left_cycles"]) == (1, 1)


def test_a_file_with_loads_and_no_mass_gives_its_angles(run, shared_data: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Channels per kilogram of somebody whose mass nobody tells are left out with a note; the rest is written."""
    file = shared_data / "c3d_formats" / "sample03" / "gait-pig.c3d"
    done = run("segments", str(file), "--out", str(tmp_path / "o"), "--no-pictures", "--json")
    assert done.exit_code == 0, done.words
    assert set(done.figures["files"]) == {"joints.csv", "cycles.csv", "file.csv"}
    assert done.figures["file_right_knee_sagittal_angle_r"] > 0.99
    assert not any("_moment_" in name for name in done.figures)
    (note,) = [note for note in done.figures["notes"] if note.startswith("file: ")]
    assert "8 of its channels, from A22:RKneeMoment on, are not compared" in note and "give mass" in note


def test_a_run_that_fails_leaves_no_folder(run, trial: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "new" / "folder"
    assert run(*given(trial), "--out", str(out), "--inertia", "zatsiorsky").exit_code == 2
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").write_text("")
    done = run(*given(trial), "--out", str(tmp_path / "file" / "folder"))
    assert done.exit_code == 2 and "is no folder; choose another with --out" in done.words


def test_nothing_is_written_before_all_is_found(run, trial: Path, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Tables that cannot be made leave no others behind, so that the next run needs no --overwrite."""

    def broken(*_: object) -> str:
        raise InputError("no such table")

    monkeypatch.setattr(segments_tables, "_file_table", broken)
    done = run(*given(trial), "--out", str(tmp_path / "walk"), "--no-pictures")
    assert done.exit_code == 2 and "no such table" in done.words
    assert not list((tmp_path / "walk").glob("*"))


def test_methods_that_cannot_be_compared_are_not_equal() -> None:
    """Where no load is known the methods do not agree to 0 N m: nothing is said."""
    study = analyze(reference_walk(), lowpass=None)
    unknown = AppliedWrench("right foot", *np.full((3, len(study), 3), np.nan))
    assert all(gap < 1e-3 for gap in methods_apart(study).values())
    lost = methods_apart(replace(study, external=(unknown,)))
    assert len(lost) == 3 and all(np.isnan(gap) for gap in lost.values())


def test_one_of_two_people(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    one = standing(60)
    labels = tuple(f"{who}:{name}" for who in "AB" for name in one.markers.labels)
    values = np.concatenate([one.markers.values, one.markers.values + np.array([0.0, 0.0, 1.0])], axis=1)
    write(one.replace(markers=Points(one.markers.time, labels, values)), tmp_path / "two.c3d")
    arguments = ["segments", str(tmp_path / "two.c3d"), "--no-pictures", "--json", "--out"]
    done = run(*arguments, str(tmp_path / "a"))
    assert done.exit_code == 2 and "the markers are of A, B: choose one" in done.words
    done = run(*arguments, str(tmp_path / "b"), "--subject", "B")
    assert done.exit_code == 0 and "right knee" in done.figures["joints"], done.words
