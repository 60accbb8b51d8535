"""`softstride walk` prints the paper's step, what a change does to it, falls in words, and refuses what cannot be."""

import csv
from pathlib import Path

import numpy as np
import pytest
from tests.gait.optimise.needs import needs_casadi

from softstride.gait import SevenSegment, load_recipe

PNG = b"\x89PNG\r\n\x1a\n"
EVENTS = ("left_toe_off", "right_foot_flat", "right_heel_off", "left_heel_strike")
PAPER = (0.0440, 0.0715, 0.3135, 0.5500)  # [s]
CLOSE = (
    1e-4,
    1e-4,
    1e-4,
    1e-3,
)  # [s], what the last digits of a recipe allow (docs/theory/gait.md, section 7)


def recipe_file(folder: Path, name: str = "B", **changes: str) -> Path:
    """Write a packaged recipe with other lines for some keys."""
    lines = load_recipe(name).to_toml().splitlines()
    for key, value in changes.items():
        lines = [f"{key} = {value}" if line.startswith(f"{key} =") else line for line in lines]
    file = folder / "mine.toml"
    file.write_text("\n".join(lines))
    return file


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


# the paper's step


def test_recipe_b_is_the_default_and_has_the_events_of_the_paper(run) -> None:
    done = run("walk", "--json")
    figures = done.figures
    assert done.exit_code == 0 and figures["model"] == "seven-segment" and figures["recipe"] == "B"
    assert tuple(figures["events"]) == EVENTS
    for name, at, close in zip(EVENTS, PAPER, CLOSE, strict=True):
        assert figures["events"][name] == pytest.approx(at, abs=close), name
    assert figures["completed"] is True and figures["reason"] == "" and figures["steps"] == 1
    assert figures["energy_error_J"] < 1e-8


def test_figures_are_flat(run) -> None:
    figures = run("walk", "--perturb", "left_ankle:1=+20%", "--json").figures
    for name, value in figures.items():
        assert isinstance(value, dict) == name.endswith("events"), name
        if isinstance(value, list):
            assert not any(isinstance(each, (dict, list)) for each in value), name


def test_a_stronger_push_off_shortens_the_step(run) -> None:
    figures = run("walk", "--perturb", "left_ankle:1=+20%", "--json").figures
    assert figures["events"]["left_heel_strike"] == pytest.approx(0.4500, abs=1e-3)
    assert figures["baseline_events"]["left_heel_strike"] == pytest.approx(0.5500, abs=1e-3)
    assert figures["events"]["right_foot_flat"] > figures["baseline_events"]["right_foot_flat"]
    assert figures["step_length_m"] < figures["baseline_step_length_m"]
    assert figures["perturb"] == ["left_ankle:1=+20%"]


def test_both_walks_stand_side_by_side(run) -> None:
    done = run("walk", "--perturb", "left_ankle:1=+20%")
    assert "changed left ankle +20 % in phase 1" in done.words
    assert "left heel strike 0.5500 0.4500 -0.1000" in done.words
    assert "step length 0.670 0.585 -0.085 m" in done.words


def test_recipe_a_keeps_the_rates_at_foot_flat(run) -> None:
    kept = run("walk", "--recipe", "A", "--json").figures
    assert kept["events"]["left_heel_strike"] == pytest.approx(0.55, abs=1e-3)
    impulse = run("walk", "--recipe", "A", "--rff", "impulse", "--json").figures
    assert impulse["foot_flat_loss_J"] < 0.1 * kept["foot_flat_loss_J"]


def test_several_changes_at_once_and_their_words(run) -> None:
    changes = (
        "--perturb",
        "right_hip:2-3=+1",
        "--perturb",
        "left_knee=-2",
        "--toe-spring",
        "5",
        "--ligaments",
    )
    figures = run("walk", *changes, "--json").figures
    assert figures["changes"] == [
        "right hip +1 N·m in phases 2 and 3",
        "left knee -2 N·m",
        "ligaments of the knees",
        "a toe spring of 5 N·m/rad",
    ]
    assert figures["events"] != figures["baseline_events"]
    model = SevenSegment()
    assert figures["baseline_events"]["right_heel_off"] == model.simulate("B").steps[0].heel_off


def test_tables_balance(run) -> None:
    """Energy at the end of a phase is that at its start and all works, as printed."""
    done = run("walk")
    lines = [
        line.split() for line in done.stdout.splitlines() if line[:1] in "1234" and len(line.split()) == 8
    ]
    assert [line[0] for line in lines] == ["1", "2", "3", "4"]
    for _, _, _, change, moments, passive, damper, _ in lines:
        assert float(change) == pytest.approx(float(moments) + float(passive) + float(damper), abs=0.11)
    assert "give --out" in done.words


def test_help_tells_the_defaults_of_the_library(run) -> None:
    import inspect

    from softstride.gait.feedback import DAMPING, STIFFNESS
    from softstride.gait.hop import hop
    from softstride.gait.options import Limits
    from softstride.gait.planar_walk import walk as stance

    def default(function, name):
        return inspect.signature(function).parameters[name].default

    told = run("walk", "--help").words
    for value, unit in (
        (STIFFNESS, ""),
        (DAMPING, ""),
        (default(SevenSegment.simulate, "rate"), ""),
        (Limits().phase_time, " s"),
        (default(stance, "exponent"), ""),
        (default(hop, "height"), " m"),
        (default(hop, "push"), " N·m"),
    ):
        assert f"; {value:g}{unit} unless given" in told, value


# many steps, falls, time limits


def test_ten_steps_with_feedback(run) -> None:
    figures = run("walk", "--steps", "10", "--feedback", "--json").figures
    assert figures["completed"] and figures["steps"] == 10
    assert figures["step_times_s"][-1] == pytest.approx(0.574, abs=1e-3)
    assert np.ptp(figures["step_times_s"][5:]) < 1e-4, "it settles"


def test_a_change_in_a_later_step(run) -> None:
    figures = run("walk", "--steps", "2", "--feedback", "--perturb", "right_ankle:1@2=+20%", "--json").figures
    assert figures["events"] == figures["baseline_events"]
    assert figures["step_times_s"][1] != figures["baseline_step_times_s"][1]
    assert figures["changes"] == ["right ankle +20 % in phase 1 of step 2"]


@pytest.mark.slow
def test_a_fall_is_told_drawn_and_no_error(run, tmp_path: Path) -> None:
    done = run("walk", "--steps", "3", "--out", str(tmp_path / "fall"))
    assert done.exit_code == 0
    assert "ended at 0.7400 s, phase 4 of step 2, fell: the left knee is bent backwards" in done.words
    assert (tmp_path / "fall" / "walk.png").read_bytes().startswith(PNG)
    figures = run("walk", "--steps", "3", "--json").figures
    assert figures["completed"] is False and "fell" in figures["reason"] and figures["steps"] == 1
    assert figures["duration_s"] == pytest.approx(0.74, abs=1e-3)


def test_quiet_tells_a_fall_and_nothing_else(run) -> None:
    done = run("walk", "--steps", "3", "--quiet")
    assert done.exit_code == 0 and done.stdout == ""
    assert done.stderr.startswith("softstride: ended at 0.7400 s, phase 4 of step 2, fell")
    assert run("walk", "--quiet").stderr == ""


def test_moments_that_make_the_walker_fall(run) -> None:
    done = run("walk", "--perturb", "right_knee=-150", "--json")
    figures = done.figures
    assert done.exit_code == 0 and not figures["completed"]
    assert "fell: the hip is" in figures["reason"]
    assert figures["events"]["left_heel_strike"] is None and figures["step_length_m"] is None
    assert figures["baseline_completed"]


def test_a_phase_that_never_ends(run) -> None:
    figures = run("walk", "--phase-time", "0.2", "--json").figures
    assert not figures["completed"]
    assert figures["reason"].endswith("phase 3 of step 1, the right heel never rose within 0.2 s")


def test_what_a_floor_would_not_allow_is_noted(run) -> None:
    done = run("walk", "--perturb", "left_ankle:1=-20%")
    assert "note the floor pulls the standing foot down" in done.words


# a person


@pytest.mark.slow
@needs_casadi
def test_a_step_is_found_for_a_person_and_walked_again(run, tmp_path: Path) -> None:
    person = ("--mass", "60", "--height", "1.65", "--sex", "female")
    first = run("walk", *person, "--out", str(tmp_path), "--json").figures
    for name, at in zip(EVENTS, PAPER, strict=True):
        assert first["events"][name] == pytest.approx(at, abs=1e-4), name
    assert first["completed"] and first["step_length_m"] < 0.66, "shorter legs, shorter steps"
    again = run("walk", *person, "--recipe", str(tmp_path / "recipe.toml"), "--json").figures
    assert again["events"] == first["events"]
    other = run("walk", "--recipe", str(tmp_path / "recipe.toml"))
    assert other.exit_code == 2 and "the hips are not joined at the start" in other.stderr


# files


@pytest.mark.slow
def test_files_of_a_comparison(run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    figures = run("walk", "--perturb", "left_ankle:1=+20%", "--out", str(out), "--json").figures
    assert set(figures["files"]) == {
        "walk.png", "walk.csv", "baseline.csv", "events.csv", "energy.csv", "walk.mot", "recipe.toml",
    }  # fmt: skip
    assert sorted(path.name for path in out.iterdir()) == sorted(figures["files"])
    assert (out / "walk.png").read_bytes().startswith(PNG)
    expected = SevenSegment().simulate("B", perturb="left_ankle:1=+20%")
    frames = rows_of(out / "walk.csv")
    assert [float(row["time"]) for row in frames] == list(expected.time)
    assert [float(row["left_ankle_moment"]) for row in frames] == list(expected.moment("left_ankle"))
    assert frames[-1]["left_point"] == "", "a foot off the floor has no pressure"
    events = [row for row in rows_of(out / "events.csv") if row["run"] == "walk"]
    assert [(row["event"], float(row["time"])) for row in events] == list(figures["events"].items())
    energy = rows_of(out / "energy.csv")
    assert len(energy) == 8 and all(abs(float(row["error"])) < 1e-9 for row in energy)


@pytest.mark.slow
def test_the_motion_reads_back(run, tmp_path: Path) -> None:
    from softstride.kinematics.motion_files import read_motion

    assert run("walk", "--rate", "100", "--out", str(tmp_path)).exit_code == 0
    expected = SevenSegment().simulate("B", rate=100.0)
    found = read_motion(tmp_path / "walk.mot", expected.model)
    np.testing.assert_allclose(found.q, expected.q, atol=1e-12)
    np.testing.assert_allclose(found.time, expected.time, atol=1e-12)


@pytest.mark.slow
def test_the_recipe_that_is_written_can_be_walked_again(run, tmp_path: Path) -> None:
    first = run("walk", "--out", str(tmp_path), "--json").figures
    again = run("walk", "--recipe", str(tmp_path / "recipe.toml"), "--json").figures
    assert again["events"] == first["events"]


@pytest.mark.slow
def test_files_are_kept_unless_told_otherwise(run, tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("mine")
    refused = run("walk", "--out", str(tmp_path))
    assert refused.exit_code == 2 and "events.csv exist already" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["events.csv"]
    assert (tmp_path / "events.csv").read_text() == "mine"
    assert run("walk", "--out", str(tmp_path), "--overwrite", "--quiet").stdout == ""
    assert (tmp_path / "events.csv").read_text().startswith("run,step")


@pytest.mark.slow
def test_nothing_is_written_if_a_part_fails(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from softstride.cli import walk_files
    from softstride.errors import InputError

    def fails(motion):
        raise InputError("no ink")

    monkeypatch.setattr(walk_files, "motion_file", fails)
    assert run("walk", "--out", str(tmp_path / "out")).exit_code == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_folder_that_cannot_be_made(run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("walk", "--out", str(tmp_path / "file" / "folder"))
    assert done.exit_code == 2 and "--out" in done.stderr


@pytest.mark.slow
def test_an_svg_picture_is_the_same_each_time(run, tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        done = run("walk", "--perturb", "left_ankle:1=+20%", "--svg", "--out", str(tmp_path / name))
        assert done.exit_code == 0
        texts.append((tmp_path / name / "walk.svg").read_text())
    assert "<svg" in texts[0] and texts[0] == texts[1]


# bad input


def test_a_foot_below_the_floor(run, tmp_path: Path) -> None:
    theta = load_recipe("B").theta0.copy()
    theta[0] = -0.1
    file = recipe_file(tmp_path, theta0=str(theta.tolist()))
    done = run("walk", "--recipe", str(file), "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "the right toe is 28 mm below the floor at the start" in done.stderr
    assert not (tmp_path / "out").exists(), "nothing is written"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", "fish"), "--model fish: must be one of seven-segment, planar-rolling"),
        (("--recipe", "C"), "--recipe C is no recipe; there are A, B, natural"),
        (("--perturb", "left_elbow:1=+20%"), "'left_elbow' is no joint of the walker"),
        (
            ("--perturb", "left_ankle:7=+20%"),
            "--perturb left_ankle:7=+20% is no perturbation; write for example",
        ),
        (("--perturb", "left_ankle:1@3=+20%"), "give more with --steps"),
        (("--method", "rk4"), "--method 'rk4' needs a step, for example --dt 0.0001"),
        (("--method", "rk45"), "--method must be 'dop853', 'rk4' or 'euler', however it is 'rk45'"),
        (("--method", "euler", "--dt", "0.01"), "cannot hold the hip spring of 274400 N/m"),
        (("--method", "euler", "--dt", "0.01"), "the control of errors (--method dop853, --dt auto)"),
        (("--method", "rk4", "--dt", "-1"), "--dt must be a number above 0 [s]"),
        (("--steps", "0"), "--steps must be a whole number of 1 or more, however it is 0"),
        (("--steps", "100000"), "--steps must be 1000 or less"),
        (("--rate", "0.1"), "--rate must be from 1 to 1e6"),
        (("--phase-time", "-1"), "--phase-time must be a number above 0 [s], however it is -1"),
        (("--stiffness", "3"), "those of --feedback"),
        (("--feedback", "--stiffness", "-3"), "--stiffness of the feedback must not be negative"),
        (("--toe-spring", "-1"), "--toe-spring must be a number of 0 or more [N m/rad], however it is -1"),
        (("--rff", "bounce"), "--rff must be 'impulse' or 'keep', however it is 'bounce'"),
        (("--old-toe", "lost"), "--old-toe must be 'pinned' or 'free', however it is 'lost'"),
        (("--mass", "60"), "a person needs both --mass and --height"),
        (("--sex", "female"), "--sex belongs to a person"),
        (("--mass", "60", "--height", "1.65", "--recipe", "b"), "--recipe b is for the body of the paper"),
        (("--mass", "6", "--height", "1.65"), "mass of a person must be between"),
        (("--measured", "none.csv"), "none.csv: file: cannot be read"),
        (("--drop", "1"), "--drop is an option of --model blade"),
        (
            ("--model", "blade", "--perturb", "left_ankle=+1"),
            "--perturb is an option of --model seven-segment",
        ),
        (
            ("--model", "planar-rolling", "--exponent", "1"),
            "--exponent is an option of --model planar-spheres",
        ),
        (
            ("--model", "planar-spheres", "--measured", "x.csv"),
            "--measured is an option of --model seven-segment",
        ),
    ],
)
def test_bad_requests(run, arguments, words) -> None:
    done = run("walk", *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("theta0 = [", "is no TOML"),
        ("colour = 'red'", "unknown key 'colour'"),
        ("theta0 = [1.0]", "needs"),
    ],
)
def test_recipes_that_are_none(run, tmp_path: Path, text, words) -> None:
    (tmp_path / "bad.toml").write_text(text)
    done = run("walk", "--recipe", str(tmp_path / "bad.toml"))
    assert done.exit_code == 2 and words in done.stderr and "bad.toml" in done.stderr
