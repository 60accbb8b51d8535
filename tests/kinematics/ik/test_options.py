"""Options of a wrong type or value: the error names the option, what is wanted and what was given."""

import math

import numpy as np
import pytest

import softstride as ss
from softstride.errors import InputError

NAN, INF = math.nan, math.inf

WRONG = [
    ("weights", 3, "mapping from marker names", "3"),
    ("weights", [("RASI", 1.0)], "mapping", "RASI"),
    ("weights", {7: 1.0}, "marker names", "7"),
    ("weights", {"RASI": "x"}, "weight of marker 'RASI' must be a number", "'x'"),
    ("weights", {"RASI": -1.0}, "0 or above", "-1"),
    ("goals", 3, "mapping from coordinate names to Goals", "3"),
    ("goals", {"knee": 1.0}, "goal of 'knee' must be a Goal", "1.0"),
    ("locked", 3, "list of names", "3"),
    ("locked", "knee", "list of names", "'knee'"),
    ("locked", (3,), "list of names", "3"),
    ("orientations", 3, "mapping from names of links or frames", "3"),
    ("orientations", np.eye(3), "mapping", "array"),
    ("time_range", 3, "a start and an end", "3"),
    ("time_range", (1,), "a start and an end", r"\(1,\)"),
    ("time_range", (1, 2, 3), "a start and an end", r"\(1, 2, 3\)"),
    ("time_range", "ab", "a start and an end", "'ab'"),
    ("time_range", (2, 1), "a start and an end", "2 to 1"),
    ("time_range", (0, "x"), "end of time_range .* must be a number", "'x'"),
    ("time_range", (NAN, 1), "start of time_range .* must be finite", "nan"),
    ("start", "abc", r"finite numbers of shape \(nq,\)", "'abc'"),
    ("start", 1.0, r"shape \(nq,\)", r"shape is \(\)"),
    ("start", np.zeros((2, 3)), r"shape \(nq,\)", r"\(2, 3\)"),
    ("start", [0.0, NAN], "finite", "number 1 is nan"),
    ("start", [1j], "finite numbers", r"1j"),
    ("max_iterations", "x", "whole number from 1 to 100000", "'x'"),
    ("max_iterations", 2.7, "whole number", "2.7"),
    ("max_iterations", True, "whole number", "True"),
    ("max_iterations", None, "whole number", "None"),
    ("max_iterations", 0, "from 1", "0"),
    ("max_iterations", 100_001, "to 100000", "100001"),
    ("limits", "no", "True or False", "'no'"),
    ("limits", None, "True or False", "None"),
    ("mend_swaps", "yes", "True or False", "'yes'"),
    ("mend_swaps", 1, "True or False", "1"),
    ("artefact", "x", "must be a number", "'x'"),
    ("artefact", {"RASI": "x"}, "artefact of marker 'RASI' must be a number", "'x'"),
    ("artefact", INF, "0 or above", "inf"),
    ("prior", "x", "number", "'x'"),
    ("elastic", -1.0, "0 or above", "-1"),
    ("cutoff", 0.0, "above 0", "0"),
    ("huber", "x", "number", "'x'"),
    ("noise", NAN, "0 or above", "nan"),
    ("tolerance", None, "number", "None"),
    ("orientation_weight", "x", "number", "'x'"),
]


@pytest.mark.parametrize(("option", "value", "wanted", "given"), WRONG)
def test_what_is_wrong_is_said(option, value, wanted, given):
    with pytest.raises(InputError, match=rf"{wanted}.*, however .*{given}") as made:
        ss.IkOptions(**{option: value})
    name = {"weights": "weight", "goals": "goal"}.get(option, option)
    assert name in str(made.value)
    with pytest.raises(InputError) as changed:
        ss.IkOptions().changed(**{option: value})
    assert str(changed.value) == str(made.value)


def test_what_is_long_is_shortened():
    with pytest.raises(InputError) as caught:
        ss.IkOptions(weights=list(range(1000)))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("value", "given"),
    [
        (NAN, "nan"),
        (INF, "inf"),
        (-INF, "-inf"),
        ("abc", "'abc'"),
        (1j, "1j"),
        (np.zeros((2, 2)), r"\(2, 2\)"),
    ],
)
def test_a_goal_needs_a_value(value, given):
    with pytest.raises(InputError, match=rf"value of a goal must be .*, however .*{given}"):
        ss.Goal(1, value)


@pytest.mark.parametrize("weight", [NAN, INF, -1.0, "x", None])
def test_a_goal_needs_a_weight(weight):
    with pytest.raises(InputError, match="weight of a goal must be a number"):
        ss.Goal(weight)


def test_a_goal_for_each_frame_may_have_gaps():
    goal = ss.Goal(2, [0.1, NAN])
    np.testing.assert_array_equal(goal.value, [0.1, NAN])
    assert not goal.value.flags.writeable


def test_what_is_right_is_kept():
    start = np.arange(3)
    options = ss.IkOptions(
        weights={"RASI": 2},
        goals={"knee": ss.Goal(1, np.float64(0.5))},
        locked=["hip"],
        time_range=np.array([0, 2]),
        start=start,
        max_iterations=np.int64(20),
        limits=np.bool_(False),
        artefact={"RASI": 1},
    )
    assert options.weights["RASI"] == 2.0
    assert options.goals["knee"].value == 0.5
    assert options.locked == ("hip",)
    assert options.time_range == (0.0, 2.0)
    assert options.max_iterations == 20 and isinstance(options.max_iterations, int)
    assert options.limits is False and options.mend_swaps is False
    assert options.artefact["RASI"] == 1.0
    start[:] = 7  # does not reach the options
    np.testing.assert_array_equal(options.start, [0.0, 1.0, 2.0])
    assert options.start.dtype == np.float64 and not options.start.flags.writeable


def test_options_survive_a_change_of_another():
    options = ss.IkOptions(start=[0.0, 1.0], time_range=(0, 1), limits=False).changed(cutoff=6)
    assert options.cutoff == 6.0 and options.time_range == (0.0, 1.0) and not options.limits
    np.testing.assert_array_equal(options.start, [0.0, 1.0])
