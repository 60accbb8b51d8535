"""Wishes that contradict one another are refused in words; those that do not are kept."""

import sys

import numpy as np
import pytest
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.gait.body import Body
from softstride.gait.optimise import (
    PAPER_TIMES,
    Course,
    PerturbedRun,
    StepLimits,
    StepWeights,
    WantedStep,
    find_step,
)
from softstride.gait.perturbation import Perturbation

PUSH = Perturbation("left_ankle", (1,), 1.2)


@bad_input(
    InputError,
    ({"times": (0.044, 0.03, 0.3135, 0.55)}, "must increase, however 0.03 s comes after 0.044 s"),
    ({"times": (0.044, (0.01, 0.04), 0.3135, 0.55)}, "must increase"),
    ({"times": (0.044, (0.08, 0.06), 0.3135, 0.55)}, "from low to high"),
    ({"times": (0.044, 0.0715, 0.3135)}, "however there are 3"),
    ({"times": (-0.1, 0.0715, 0.3135, 0.55)}, "above 0"),
    ({"times": (0.044, 0.0715, 0.3135, np.nan)}, "finite"),
    ({"times": 0.55}, "four numbers"),
    ({"times": ("early", 0.0715, 0.3135, 0.55)}, "must be a number"),
    ({"length": (0.8, 0.6)}, "length must be a range from low to high, however it is 0.8 to 0.6"),
    ({"length": -0.6}, "length of a step must be above 0"),
    ({"length": 0.7, "speed": 2.0}, "contradict one another: 2 m/s in 0.55 s give 1.1 m"),
    ({"repeat": "often"}, "repeat must be one of"),
    ({"rff": "bounce"}, "rff must be one of"),
    ({"angles": {"elbow": Course.constant(0.0)}}, "'elbow' was asked for"),
    ({"angles": {"trunk": 1.5}}, "must be courses"),
    ({"forces": {"vertical": Course.constant(0.0)}}, "'vertical' was asked for"),
    ({"spacing": 0.0}, "spacing"),
    ({"spacing": 2.0}, "not longer than the step"),
    (
        {"times": ((0.04, 0.05), 0.0715, 0.3135, 0.55), "perturbed": PerturbedRun(PUSH, PAPER_TIMES)},
        "tied to time",
    ),
)
def test_contradictions_are_refused(refuses) -> None:
    refuses(WantedStep)


@bad_input(
    InputError,
    ({"knee": (1.2, 0.02)}, "from low to high"),
    ({"knee": (0.5, 0.5)}, "must have room"),
    ({"friction": 0.0}, "friction of the limits must be above 0"),
    ({"moment": -1.0}, "moment of the limits"),
    ({"push_off": 300.0}, "push_off asks for 300 N m"),
    ({"heel_speed": 0.1}, "must not be below clearance_rate"),
    ({"vertical": np.inf}, "finite"),
)
def test_limits_leave_room(refuses) -> None:
    refuses(StepLimits)


def test_nothing_is_rewarded_for_being_far_off() -> None:
    with pytest.raises(InputError, match="effort of the weights must be 0 or more"):
        StepWeights(effort=-1.0)


def test_a_perturbed_run_has_numbers_for_times() -> None:
    with pytest.raises(InputError, match="not ranges"):
        PerturbedRun(PUSH, ((0.04, 0.05), 0.0745, 0.306, 0.45))  # type: ignore[arg-type]


def test_wishes_that_agree_are_kept() -> None:
    wanted = WantedStep(times=((0.04, 0.05), 0.0715, 0.3135, (0.5, 0.6)), speed=(1.2, 1.4), length=0.7)
    assert wanted.free_times
    np.testing.assert_allclose(wanted.middle_times, [0.045, 0.0715, 0.3135, 0.55])
    assert wanted.length_span == (0.7, 0.7)
    overlapping = WantedStep(times=((0.08, 0.2), (0.09, 0.12), 0.3, 0.5))
    assert np.all(np.diff(overlapping.middle_times) > 0.0)


def test_legs_reach_only_so_far() -> None:
    body = Body()
    reach = body.sole + 2 * (body.shank + body.thigh) + 2 * body.toe_centre + body.heel_ankle
    with pytest.raises(InputError, match="these legs, in line from toe to heel, reach"):
        find_step(body, WantedStep(length=reach + 0.01))


def test_a_mesh_is_needed() -> None:
    with pytest.raises(InputError, match="one mesh or more"):
        find_step(levels=())


def test_without_casadi_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(InputError, match=r"pip install 'softstride\[optimise\]'"):
        find_step()
