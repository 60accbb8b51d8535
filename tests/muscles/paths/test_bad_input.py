"""Errors that say what is wrong and what to do."""

import numpy as np
import pytest
from tests.muscles.paths import scenes
from tests.refusals import bad_input

import softstride as ss
from softstride.errors import InputError, ModelError
from softstride.model import ModelBuilder
from softstride.model.path import ConditionalPathPoint, PathWrap, WrapCylinder
from softstride.notes import sentences

START, END = (-0.1, 0.0, 0.0), (0.1, 0.0, 0.0)


@pytest.fixture
def model():
    return scenes.over(WrapCylinder("body", radius=0.02), START, END)


def not_finite(q):
    q = q.copy()
    q[1, 2] = np.nan
    return q


NO_NAMES = r"list of names of muscles|is no muscle or ligament"


@bad_input(
    InputError,
    ({"muscles": ["soleus"]}, r"'soleus' is no muscle or ligament of 'scene'; known: 'm'"),
    ({"muscles": ["m", "m"]}, "'m' is asked for twice"),
    ({"muscles": 5}, NO_NAMES),
    ({"muscles": [["m"]]}, NO_NAMES),
    ({"muscles": [3]}, NO_NAMES),
    (not_finite, "frame 1 of link 'body'"),
    ({"v": np.zeros((2, 6))}, "v must have as many frames as q"),
)
def test_muscles_and_motions_that_do_not_fit(refuses, model):
    refuses(ss.muscle_paths, model=model, q=scenes.at_rest(model, 3))


@bad_input(
    InputError,
    ({"forces": np.ones((3, 2))}, r"forces must have shape \(3, 1\)"),
    ({"forces": np.array([[1.0], [np.inf], [1.0]])}, "frame 1 of 'm' is inf"),
)
def test_forces_that_do_not_fit(refuses, model):
    refuses(ss.muscle_wrenches, model=model, q=scenes.at_rest(model, 3), forces=np.ones((3, 1)))


@pytest.mark.parametrize("count", ["a", -1, 1.5, None])
def test_arc_points_that_are_no_number(model, count):
    with pytest.raises(InputError, match="arc_points must be a whole number of at least 0"):
        ss.path_points(model, model.neutral(), "m", arc_points=count)


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
    (note,) = found.notes
    assert note.code == "paths.end-inside" and note.names == ("m", "s")
    assert note.values == {"frames": 3, "first_frame": 4, "last_frame": 6}
    assert sentences(found.notes) == (
        "m: an end of the path is inside 's', which it does not wrap around there (frames 4 to 6).",
    )
    assert found.length[4:7, 0] == pytest.approx(0.2, abs=1e-15)
