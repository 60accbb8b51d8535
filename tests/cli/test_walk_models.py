"""The other models of `softstride walk`, and what its pictures show."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from softstride.cli.walk_hop import print_hop
from softstride.cli.walk_peaks import cut_peaks
from softstride.cli.walk_sticks import SLOT, draw_pose, draw_strip, draw_strobe, event_mark, interval_of
from softstride.cli.walk_study import WalkOptions, simulate_walks
from softstride.gait.planar_walk.result import Certificate

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.slow
def test_a_foot_that_rolls(run, tmp_path: Path) -> None:
    done = run("walk", "--model", "planar-rolling", "--json", "--out", str(tmp_path))
    figures = done.figures
    assert done.exit_code == 0 and figures["completed"] and figures["model"] == "planar-rolling"
    assert figures["ankle_rms_deg"] < 1.0 and figures["least_force_N"] > 0.0
    assert list(figures["events"]) == [
        "right_toe_off",
        "left_foot_flat",
        "left_heel_off",
        "right_heel_strike",
    ]
    assert 0.0 < figures["events"]["right_toe_off"] < 0.2 and figures["events"]["right_heel_strike"] is None
    assert figures["files"] == ["walk.png", "walk.csv", "walk.mot"]
    assert (tmp_path / "walk.png").read_bytes().startswith(PNG)
    head, first = (tmp_path / "walk.csv").read_text().splitlines()[:2]
    assert float(first.split(",")[0]) == pytest.approx(figures["from_s"])
    assert head.startswith("time,tilt,")


@pytest.mark.slow
def test_a_foot_on_spheres(run, tmp_path: Path) -> None:
    done = run("walk", "--model", "planar-spheres", "--out", str(tmp_path))
    assert "a foot on three spheres" in done.words and "right toe off" in done.words
    assert (tmp_path / "walk.png").read_bytes().startswith(PNG)


@pytest.mark.slow
def test_a_hop_on_a_blade(run, tmp_path: Path) -> None:
    done = run("walk", "--model", "blade", "--json", "--out", str(tmp_path))
    figures = done.figures
    assert done.exit_code == 0 and figures["completed"]
    at = list(figures["events"].values())
    assert list(figures["events"]) == ["landing", "lowest", "take_off", "apex"] and at == sorted(at)
    assert at[0] == pytest.approx(np.sqrt(2.0 * 0.1 / 9.80665), abs=1e-3), "it falls freely"
    assert 80.0 < figures["return_percent"] < 100.0
    assert figures["returned_J"] == pytest.approx(0.01 * figures["return_percent"] * figures["absorbed_J"])
    assert (tmp_path / "walk.png").read_bytes().startswith(PNG)


HARD = ("walk", "--model", "blade", "--push", "3000", "--json")


@pytest.mark.slow
def test_a_hop_that_the_steps_do_not_follow_says_so(run, capsys) -> None:
    """A push of 3 kN m rings the blade: 72 % returned is wrong, and a note says so."""
    rough = run(*HARD).figures
    assert rough["completed"] and rough["return_percent"] < 80.0
    (note,) = rough["notes"]
    assert note.startswith("the energy balance is open by 15 %") and note.endswith("take --dt auto")
    print_hop(rough)
    assert "note  the energy balance is open by 15 %" in capsys.readouterr().out


@pytest.mark.nightly
def test_steps_of_their_own_choice_follow_a_hard_hop(run) -> None:
    """--dt auto finds that 87 % are returned."""
    fine = run(*HARD, "--dt", "auto").figures
    assert fine["notes"] == [] and fine["return_percent"] == pytest.approx(86.7, abs=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("option", [("--push", "100000"), ("--dt", "0.02")])
def test_a_hop_that_runs_away_shows_what_there_is(run, tmp_path: Path, option: tuple[str, str]) -> None:
    done = run("walk", "--model", "blade", "--json", "--out", str(tmp_path), *option)
    figures = done.figures
    assert done.exit_code == 0 and not figures["completed"] and figures["events"]["landing"] is not None
    assert figures["reason"].startswith("the simulation stopped at t = 0.")
    assert "grow beyond all bounds: the step is too long for what acts" in figures["reason"]
    assert figures["reason"].endswith("; take --dt auto")
    assert len((tmp_path / "walk.csv").read_text().splitlines()) > 20


def test_a_step_that_is_no_number(run) -> None:
    done = run("walk", "--model", "blade", "--dt", "short")
    assert done.exit_code == 2 and "--dt short: must be a number of seconds, or auto" in done.stderr
    done = run("walk", "--model", "planar-rolling", "--dt", "auto")
    assert done.exit_code == 2 and "--dt is an option of --model" in done.stderr


@pytest.mark.slow
def test_a_stance_that_ends_before_a_measured_frame(run, tmp_path: Path) -> None:
    """Springs of exponent 0.2 kick the foot off at once: no frame to compare with, and no traceback."""
    done = run("walk", "--model", "planar-spheres", "--exponent", "0.2", "--json", "--out", str(tmp_path))
    figures = done.figures
    assert done.exit_code == 0 and not figures["completed"] and figures["reason"]
    assert figures["vertical_force_rrmse_percent"] is None and figures["ankle_rms_deg"] is None
    assert (tmp_path / "walk.png").read_bytes().startswith(PNG)


def test_a_balance_that_is_open_is_told() -> None:
    """Above one per cent of the largest energy a stance says so; below it says nothing."""
    good = Certificate(300.0, 200.0, 1e-12, 0.0099, 60.0)
    assert good.doubts == ()
    bad = Certificate(300.0, 200.0, 1e-12, 0.025, 60.0, "the foot tilts too far")
    assert str(bad.doubts[0]) == "the foot tilts too far"
    assert str(bad.doubts[1]).startswith("the energy balance is open by 2.5 % of the largest energy in play")


@pytest.mark.parametrize(
    ("option", "owner"),
    [
        (("--perturb", "left_ankle:1=+20%"), "seven-segment"),
        (("--measured", "norms.csv"), "seven-segment"),
        (("--steps", "3"), "seven-segment"),
        (("--drop", "0.2"), "blade"),
    ],
)
@pytest.mark.parametrize("model", ["planar-rolling", "planar-spheres"])
def test_options_of_other_models_are_refused(run, model: str, option: tuple[str, str], owner: str) -> None:
    done = run("walk", "--model", model, *option)
    assert done.exit_code == 2
    assert f"{option[0]} is an option of --model {owner}, however the model is {model}" in done.stderr


def test_a_blade_below_the_floor(run) -> None:
    done = run("walk", "--model", "blade", "--drop", "-0.1")
    assert done.exit_code == 2 and "the blade starts 0.1 m below the floor" in done.stderr


# pictures


def axes():
    return Figure().add_subplot()


def test_poses_are_at_equal_round_intervals() -> None:
    assert interval_of(0.55, 16) == 0.05
    assert interval_of(5.7, 45) == 0.2
    assert interval_of(1e4, 16) == 5.0


def test_events_are_marked_where_they_happen() -> None:
    study = simulate_walks(WalkOptions(perturb=("left_ankle:1=+20%",)))
    drawn = axes()
    draw_strip(drawn, study)
    marks = [(text.get_text(), text.get_position()[0]) for text in drawn.texts]
    expected = [
        (event_mark(each.name), pytest.approx(SLOT * each.time / 0.05))
        for walk in (study.walk, study.baseline)
        for each in walk.transitions
    ]
    assert marks == expected
    assert [mark for mark, _ in marks[:4]] == ["LTO", "RFF", "RHO", "LHS"]


@pytest.mark.slow
def test_a_fall_is_marked() -> None:
    drawn = axes()
    draw_strip(drawn, simulate_walks(WalkOptions(perturb=("right_knee=-150",))))
    assert drawn.texts[-1].get_text() == "ended"


def test_a_pose_has_the_points_of_the_walker_and_the_standing_leg_is_heavier() -> None:
    walk = simulate_walks(WalkOptions()).walk
    drawn = axes()
    draw_pose(drawn, walk, 10, 2.0)
    legs = drawn.lines[:4]  # swinging leg and foot, then those that stand
    for line, side in zip(legs, ("left", "left", "right", "right"), strict=True):
        names = ("hip", "knee", "ankle") if len(line.get_xdata()) == 3 else ("ankle", "toe", "heel", "ankle")
        places = np.array([walk.point(f"{side}_{name}")[10] for name in names])
        np.testing.assert_allclose(line.get_xydata(), places + np.array([2.0, 0.0]))
    assert legs[2].get_linewidth() > legs[0].get_linewidth()
    assert legs[2].get_color() != legs[0].get_color()


def test_a_long_walk_is_drawn_where_it_is() -> None:
    walk = simulate_walks(WalkOptions(steps=3, feedback=True)).walk
    drawn = axes()
    draw_strobe(drawn, walk)
    heels = [line.get_xdata()[0] for line in drawn.lines if line.get_marker() == "^"]
    lengths = [step.length for step in walk.steps]
    np.testing.assert_allclose(heels, [0.0, lengths[0], lengths[0] + lengths[1]])
    shown = np.concatenate([line.get_xdata() for line in drawn.lines])
    assert shown.max() > 2.0 * lengths[0], "it gets somewhere"


def test_brief_peaks_do_not_flatten_a_panel() -> None:
    """A sine with a spike of 40 for a hundredth of the time: the sine is shown, and the spike told as a number."""
    time = np.linspace(0.0, 1.0, 1001)
    plain = np.sin(2.0 * np.pi * time)
    spiked = np.where(np.abs(time - 0.5) < 0.005, 40.0, plain)
    drawn = axes()
    drawn.plot(time, spiked)
    cut_peaks(drawn)
    low, high = drawn.get_ylim()
    assert low <= -1.0 and 1.0 <= high < 2.0
    assert [text.get_text() for text in drawn.texts] == ["peaks to 40"]
    whole = axes()
    whole.plot(time, plain)
    before = whole.get_ylim()
    cut_peaks(whole)
    assert whole.get_ylim() == before and not whole.texts
    cut_peaks(axes())  # nothing drawn, nothing to do


@pytest.mark.slow
def test_a_swinging_foot_below_the_floor_is_told(run) -> None:
    """The packaged walker's blade leg, with an ankle held still, swings through the floor."""
    figures = run("walk", "--model", "planar-rolling", "--json").figures
    assert 0.05 < figures["swing_foot_below_floor_m"] < 0.08
    (note,) = figures["notes"]
    assert f"it passes {1e3 * figures['swing_foot_below_floor_m']:.0f} mm below it at most" in note
