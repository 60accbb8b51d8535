"""The bench walks what its sliders say, beside the step as it is, and says in words how a step ends."""

import math
from typing import Any

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.gait import JOINTS, SevenSegment
from softstride.viewer import WalkBench
from softstride.viewer.walk_bench import MOST_STEPS, Settings
from softstride.viewer.walk_curves import walk_curves
from softstride.viewer.walk_words import change_words, place_words, trial_table, trial_words


def test_a_stronger_push_strikes_at_0_45_s(bench: WalkBench) -> None:
    bench.set("left_ankle", 1, 20)
    trial = bench.run()
    assert trial.walk.event_times["left_heel_strike"] == pytest.approx(0.45, abs=5e-4)
    alone = SevenSegment().simulate("B", perturb="left_ankle:1=+20%")
    assert dict(trial.walk.event_times) == dict(alone.event_times)
    assert np.array_equal(trial.walk.q, alone.q)
    assert trial.baseline.event_times["left_heel_strike"] == pytest.approx(0.55, abs=5e-4)


def test_several_changes_are_those_of_the_simulator(bench: WalkBench) -> None:
    texts = ["right_ankle:3=-15%", "left_ankle:1=+10%", "left_hip:4=-10%"]
    bench.set("left hip", 4, -10)
    bench.set("left_ankle", 1, 10)
    bench.set("right_ankle", 3, -15)
    assert [str(each) for each in bench.changes] == [
        "right_ankle:3=-15%",
        "left_hip:4=-10%",
        "left_ankle:1=+10%",
    ]
    alone = SevenSegment().simulate("B", perturb=texts)
    assert dict(bench.run().walk.event_times) == dict(alone.event_times)


def test_every_slider_reaches_its_joint_in_its_phase(bench: WalkBench) -> None:
    before = bench.trial.baseline
    for joint in JOINTS:
        for phase in (1, 2, 3, 4):
            bench.reset()
            bench.set(joint, phase, -3)
            after = bench.run().walk
            n = min(len(before.time), len(after.time))
            first = int(np.argmax(before.phase == phase))
            assert np.array_equal(after.q[:first], before.q[:first])
            moved = np.abs(after.q[:n] - before.q[:n]).max() > 1e-7
            assert moved or abs(bench.mean_moment(joint, phase)) < 0.5, (joint, phase)


def test_a_slider_back_at_zero_and_reset_are_the_step_as_it_is(bench: WalkBench) -> None:
    bench.set("left_ankle", 1, 20)
    bench.set("left_ankle", 1, 0)
    assert bench.changes == () and bench.run().walk is bench.trial.baseline
    bench.set("right_knee", 3, 40)
    bench.reset()
    assert bench.percent("right_knee", 3) == 0.0 and bench.run().walk is bench.trial.baseline


def test_a_change_costs_one_walk(bench: WalkBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step as it is is not walked again; `bench contact` has how long one takes."""
    simulate, walks = SevenSegment.simulate, []

    def counted(self: SevenSegment, *given: Any, **options: Any) -> Any:
        walks.append(1)
        return simulate(self, *given, **options)

    monkeypatch.setattr(SevenSegment, "simulate", counted)
    for percent in range(1, 11):
        bench.set("left_ankle", 1, percent)
        bench.run()
    assert len(walks) == 10


def test_a_fall_is_told_in_words(bench: WalkBench) -> None:
    bench.set("right_hip", 1, 20)
    trial = bench.run()
    assert not trial.walk.completed and trial.walk.reason in trial_words(trial)
    assert "fell: the right knee is bent backwards" in trial_words(trial)
    assert math.isnan(trial.events["left_heel_strike"][1]) and "not reached" in trial_table(trial)
    assert place_words(trial.walk, 0.5) == "fallen"
    assert place_words(trial.walk, 0.02) == "phase 1, double support"
    assert place_words(trial.baseline, 0.551) == "the step is over"


def test_the_table_has_both_and_their_difference(bench: WalkBench) -> None:
    assert "nothing is changed" in trial_words(bench.trial)
    bench.set("left_ankle", 1, 20)
    trial = bench.run()
    told = trial_table(trial)
    for words in ("left heel strike", "0.5500", "0.4500", "-0.1000", "step length", "0.670"):
        assert words in told
    assert change_words(trial.changes[0]) == "left ankle +20 % in phase 1"
    assert "the step is made" in trial_words(trial)
    first = trial.walk.steps[0]
    assert trial.figures["step length [m]"] == (trial.baseline.steps[0].length, first.length)


def test_other_settings_walk_otherwise(bench: WalkBench) -> None:
    bench.configure(Settings("A"))
    assert bench.run().walk.event_times == SevenSegment().simulate("A").event_times
    bench.configure(Settings("B", steps=4, held=True))
    trial = bench.run()
    assert trial.walk.completed and len(trial.walk.steps) == 4 and "all 4 steps" in trial_words(trial)
    bench.configure(Settings("B", steps=4))
    assert not bench.run().walk.completed  # nothing holds it


@pytest.mark.parametrize(
    ("joint", "phase", "percent", "words"),
    [
        ("left_elbow", 1, 5, "is no joint of the walker"),
        ("left_ankle", 5, 5, "a phase is a number from 1 to 4"),
        ("left_ankle", 1, math.nan, "must be finite"),
    ],
)
def test_what_cannot_be_changed(bench: WalkBench, joint: str, phase: int, percent: float, words: str) -> None:
    with pytest.raises(InputError, match=words):
        bench.set(joint, phase, percent)
    assert bench.changes == ()


def test_settings_that_cannot_be_leave_all_as_it_was(bench: WalkBench) -> None:
    with pytest.raises(InputError, match="is no recipe"):
        bench.configure(Settings("Z"))
    assert bench.settings.recipe == "B" and bench.run().walk.completed
    for steps in (0, MOST_STEPS + 1):
        with pytest.raises(InputError, match="steps of a bench must be a whole number from 1 to 10"):
            Settings(steps=steps)


def test_whole_numbers_may_be_given_as_floats() -> None:
    for value in (2.0, np.float32(2.0), np.int64(2)):
        steps = Settings(steps=value).steps  # type: ignore[arg-type]
        assert steps == 2 and type(steps) is int
    for wrong in (2.5, True, "2", np.nan, 11.0):
        with pytest.raises(InputError, match="steps of a bench must be a whole number from 1 to 10"):
            Settings(steps=wrong)  # type: ignore[arg-type]


def test_curves_are_over_the_longer_walk(bench: WalkBench) -> None:
    bench.set("left_ankle", 1, 20)
    trial = bench.run()
    instants, plots = walk_curves(trial.walk, trial.baseline)
    assert instants[-1] == trial.baseline.time[-1]
    before, now = plots["Angle"]["Left knee"].curves
    assert (before.dashed, now.dashed) == (True, False)
    assert before.values == pytest.approx(np.degrees(trial.baseline.joint_angles[:, 4]))
    over = instants > trial.walk.time[-1]
    assert np.isnan(now.values[over]).all() and np.isfinite(now.values[~over]).all()
    assert plots["Ground"]["Right foot, up"].curves[0].values == pytest.approx(
        trial.baseline.ground_force[:, 0, 1]
    )
