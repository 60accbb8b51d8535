"""Options of a wrong type or value: the error names the option, what is wanted and what was given."""

import math

import numpy as np
import pytest

import softstride as ss
from softstride.errors import InputError

NAN, INF = math.nan, math.inf

BY_MARKER = "a table of names of markers, each with a number of 0 or more"
POSE = "start must be a pose, finite numbers of shape (nq,), or None"
SPAN = "time_range must be a start and an end [s] or None"


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("weights", 3, f"weights must be {BY_MARKER}, or None, however it is 3"),
        ("weights", [("RASI", 1.0)], f"weights must be {BY_MARKER}, or None, however it is [('RASI', 1.0)]"),
        ("weights", {7: 1.0}, f"weights must be {BY_MARKER}, or None, however one of its names is 7"),
        ("weights", {"RASI": "x"}, "weights['RASI'] must be a number of 0 or more, however it is 'x'"),
        ("weights", {"RASI": -1.0}, "weights['RASI'] must be a number of 0 or more, however it is -1"),
        ("goals", 3, "goals must be a table of names of coordinates, each with a Goal, however it is 3"),
        ("goals", {"knee": 1.0}, "goals['knee'] must be a Goal, however it is 1"),
        ("locked", "knee", "locked must be a list of names of coordinates, however it is 'knee'"),
        ("locked", (3,), "locked must be a list of names of coordinates, however one of them is 3"),
        (
            "orientations",
            3,
            "orientations must be a table of names of links or frames, each with matrices or quaternions, however it "
            "is 3",
        ),
        ("time_range", (1, 2, 3), f"{SPAN}, however it is (1, 2, 3)"),
        ("time_range", (2, 1), f"{SPAN}, however it is 2 to 1"),
        ("time_range", (0, "x"), f"{SPAN}, however its end is 'x'"),
        ("time_range", (NAN, 1), f"{SPAN}, however its start is nan"),
        ("time_range", (0, INF), f"{SPAN}, however its end is inf"),
        ("start", 1.0, f"{POSE}, however its shape is ()"),
        ("start", np.zeros((2, 3)), f"{POSE}, however its shape is (2, 3)"),
        ("start", [0.0, NAN], f"{POSE}, however number 1 is nan"),
        ("max_iterations", 2.7, "max_iterations must be a whole number from 1 to 100000, however it is 2.7"),
        ("limits", "no", "limits must be True or False, however it is 'no'"),
        ("artefact", {"RASI": "x"}, "artefact['RASI'] must be a number of 0 or more [m], however it is 'x'"),
        (
            "artefact",
            INF,
            f"artefact must be a number of 0 or more [m], or {BY_MARKER} [m], however it is inf",
        ),
        ("prior", "x", "prior must be a number of 0 or more, or None, however it is 'x'"),
        ("elastic", -1.0, "elastic must be a number of 0 or more [m²/J], or None, however it is -1"),
        ("cutoff", 0.0, "cutoff must be a number above 0 [Hz] or None, however it is 0"),
        ("huber", 0.0, "huber must be a number above 0 [m] or None, however it is 0"),
        ("noise", NAN, "noise must be a number of 0 or more [m], or None, however it is nan"),
        ("tolerance", 0.0, "tolerance must be a number above 0, however it is 0"),
    ],
)
def test_what_is_wrong_is_said(option, value, sentence):
    with pytest.raises(InputError) as made:
        ss.IkOptions(**{option: value})
    assert str(made.value) == sentence and made.value.parameter == option


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
