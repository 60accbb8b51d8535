"""Errors that say what is wrong and what to do."""

import numpy as np
import pytest
from tests.muscles.paths import scenes

import softstride as ss
from softstride.errors import InputError, ModelError
from softstride.model import ModelBuilder
from softstride.model.path import ConditionalPathPoint, PathWrap, WrapCylinder

START, END = (-0.1, 0.0, 0.0), (0.1, 0.0, 0.0)


@pytest.fixture
def model():
    return scenes.over(WrapCylinder("body", radius=0.02), START, END)


def test_an_unknown_muscle(model):
    with pytest.raises(InputError, match=r"'soleus' is no muscle or ligament of 'scene'; known: 'm'"):
        ss.muscle_paths(model, model.neutral(), muscles=["soleus"])


def test_a_muscle_named_twice(model):
    with pytest.raises(InputError, match="'m' is asked for twice"):
        ss.muscle_paths(model, model.neutral(), muscles=["m", "m"])


@pytest.mark.parametrize("muscles", [5, [["m"]], [3]])
def test_muscles_that_are_no_names(model, muscles):
    with pytest.raises(InputError, match=r"list of names of muscles|is no muscle or ligament"):
        ss.muscle_paths(model, model.neutral(), muscles=muscles)


@pytest.mark.parametrize("count", ["a", -1, 1.5, None])
def test_arc_points_that_are_no_number(model, count):
    with pytest.raises(InputError, match="arc_points must be a whole number of at least 0"):
        ss.path_points(model, model.neutral(), "m", arc_points=count)


def test_q_that_is_not_finite(model):
    q = scenes.at_rest(model, 3)
    q[1, 2] = np.nan
    with pytest.raises(InputError, match="frame 1 of link 'body'"):
        ss.muscle_paths(model, q)


def test_v_of_another_length(model):
    with pytest.raises(InputError, match="v must have as many frames as q"):
        ss.muscle_paths(model, scenes.at_rest(model, 3), np.zeros((2, 6)))


def test_forces_of_the_wrong_shape(model):
    with pytest.raises(InputError, match=r"forces must have shape \(3, 1\)"):
        ss.muscle_wrenches(model, scenes.at_rest(model, 3), np.ones((3, 2)))


def test_forces_that_are_not_finite(model):
    with pytest.raises(InputError, match="frame 1 of 'm' is inf"):
        ss.muscle_wrenches(model, scenes.at_rest(model, 2), np.array([[1.0], [np.inf]]))


def test_a_range_of_points_that_the_path_does_not_have():
    surface = WrapCylinder("body", radius=0.02)
    model = scenes.over(surface, START, END)
    wrong = scenes.muscle("m", [("world", START), ("world", END)], [PathWrap("s", first=1, last=5)])
    with pytest.raises(ModelError, match="between points 1 and 5, however its points are 0 to 1"):
        ss.muscle_paths(model.replace(muscles={"m": wrong}), model.neutral())


def test_a_condition_on_a_quaternion():
    builder = ModelBuilder("ball")
    builder.spherical("arm")
    point = ConditionalPathPoint("arm", (0.0, 0.1, 0.0), "via", "arm.x", -1.0, 1.0)
    model = builder.build().replace(
        muscles={"m": scenes.muscle("m", [("world", START), point, ("arm", END)])}
    )
    with pytest.raises(ModelError, match=r"'arm\.x', which is part of a rotation by quaternion"):
        ss.muscle_paths(model, model.neutral())


def test_a_line_of_several_muscles(model):
    with pytest.raises(InputError, match="name of one muscle"):
        ss.path_points(model, model.neutral(), ["m"])


def test_a_point_inside_a_surface_is_noted_with_its_frames(model):
    q = scenes.at_rest(model, 10)
    q[4:7, 0] = -0.1  # the cylinder moves over the first end
    found = ss.muscle_paths(model, q)
    assert found.notes == (
        "m: an end of the path is inside 's', which it does not wrap around there (frames 4 to 6).",
    )
    assert found.length[4:7, 0] == pytest.approx(0.2, abs=1e-15)
