"""Wishes that contradict one another are refused in words; those that do not are kept."""

import sys

import numpy as np
import pytest
import xarray as xr
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
    ({"times": (0.044, 0.03, 0.3135, 0.55)}, "that increase: toe-off.*, however 0.03 s comes after 0.044 s"),
    ({"times": (0.044, (0.01, 0.04), 0.3135, 0.55)}, "however 0.04 s comes after 0.044 s"),
    ({"times": (0.044, (0.08, 0.06), 0.3135, 0.55)}, r"however one of them is \(0.08, 0.06\)"),
    ({"times": (0.044, 0.0715, 0.3135)}, "however there are 3"),
    ({"times": (-0.1, 0.0715, 0.3135, 0.55)}, r"above 0 \[s\] .*, however one of them is -0.1"),
    ({"times": (0.044, 0.0715, 0.3135, np.nan)}, "however one of them is nan"),
    ({"times": 0.55}, "four numbers .*, however it is 0.55"),
    ({"times": ("early", 0.0715, 0.3135, 0.55)}, "however one of them is 'early'"),
    (
        {"length": (0.8, 0.6)},
        "length of a step must be a number .*or a range from low to high .*, however it is 0.8 to 0.6",
    ),
    ({"length": -0.6}, "length of a step must be a number above 0 or .*, however it is -0.6"),
    ({"length": 0.7, "speed": 2.0}, "contradict one another: 2 m/s in 0.55 s give 1.1 m"),
    ({"repeat": "often"}, "repeat of a step must be 'soft', 'exact' or 'no', however it is 'often'"),
    ({"rff": "bounce"}, "rff of a step must be 'impulse' or 'keep'"),
    (
        {"angles": {"elbow": Course.constant(0.0)}},
        "angles of a step must be a table of names, 'right_ankle', .*, however one of its names is 'elbow'",
    ),
    ({"angles": {"trunk": 1.5}}, r"angles\['trunk'\] must be a Course, however it is 1.5"),
    (
        {"forces": {"vertical": Course.constant(0.0)}},
        "forces of a step must be .*'right_vertical'.*, however one of its names is 'vertical'",
    ),
    ({"spacing": 0.0}, r"spacing of a step must be a number above 0 \[s\]"),
    ({"spacing": 2.0}, "spacing must not be longer than the step"),
    (
        {"times": ((0.04, 0.05), 0.0715, 0.3135, 0.55), "perturbed": PerturbedRun(PUSH, PAPER_TIMES)},
        "tied to time",
    ),
)
def test_contradictions_are_refused(refuses) -> None:
    refuses(WantedStep)


@bad_input(
    InputError,
    ({"knee": (1.2, 0.02)}, r"range from low to high \[rad\], however it is 1.2 to 0.02"),
    ({"knee": (0.5, 0.5)}, "must have room"),
    ({"knee": "12"}, "knee of the limits must be a number or a range from low to high"),
    ({"knee": b"12"}, "knee of the limits must be a number or a range from low to high"),
    ({"knee": (0.1, "1")}, "its end is '1'"),
    ({"knee": (0.1, 0.5, 1.2)}, "knee of the limits must be a number or a range"),
    ({"friction": 0.0}, "friction of the limits must be a number above 0, however it is 0"),
    ({"moment": -1.0}, r"moment of the limits must be a number above 0 \[N m\], however it is -1"),
    ({"push_off": 300.0}, "push_off asks for 300 N m"),
    ({"heel_speed": 0.1}, "must not be below clearance_rate"),
    ({"vertical": np.inf}, r"vertical of the limits must be a number of 0 or more \[N\], however it is inf"),
)
def test_limits_leave_room(refuses) -> None:
    refuses(StepLimits)


def test_nothing_is_rewarded_for_being_far_off() -> None:
    with pytest.raises(InputError, match="effort of the weights must be a number of 0 or more"):
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


def test_numbers_of_arrays_are_numbers() -> None:
    shown = xr.DataArray([0.1, 0.7], dims="x")
    times = [np.array(0.04), shown[0], np.float32(0.3), np.array([0.5, 0.6])]
    wanted = WantedStep(times=times, length=np.array(0.4), speed=shown[1])  # type: ignore[arg-type]
    assert wanted.length_span == (0.4, 0.4) and wanted.speed_span == (0.7, 0.7)
    assert wanted.time_spans[1] == (0.1, 0.1) and wanted.time_spans[3] == (0.5, 0.6)
    assert WantedStep(speed=(1.0, np.inf)).speed_span == (1.0, np.inf)
    for none in (np.array(0.7), "0123", b"abcd", 3.0, None):
        with pytest.raises(InputError, match="times of a step must be four numbers or ranges above 0"):
            WantedStep(times=none)  # type: ignore[arg-type]


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
