"""Lab axes: every laboratory is turned into the same world, and contradictions are told."""

import itertools

import numpy as np
import pytest

from softstride.capture.axes import DIRECTIONS, find_axes, make_axes
from softstride.capture.force import Plate
from softstride.capture.series import Floats, Points
from softstride.errors import InputError

NO_LOAD = np.zeros(3)
BODY = {  # [m] a person at the origin of the world: x forward, y up, z right
    "RHEE": (-0.05, 0.05, 0.1),
    "LHEE": (-0.05, 0.05, -0.1),
    "RTOE": (0.15, 0.05, 0.12),
    "LTOE": (0.15, 0.05, -0.12),
    "RASI": (0.1, 1.0, 0.12),
    "LASI": (0.1, 1.0, -0.12),
    "C7": (-0.1, 1.5, 0.0),
}
LABS = [(up, forward) for up, forward in itertools.product(DIRECTIONS, DIRECTIONS) if up[1] != forward[1]]


def walk(up: str, forward: str, *, travel: tuple[float, float, float] = (2.0, 0.0, 0.0)) -> Points:
    """A body that moves in the world, as a laboratory of these axes sees it."""
    steps = np.linspace(0.0, 1.0, 50)[:, None, None] * np.array(travel)
    in_world = steps + np.array(list(BODY.values()))
    return Points(np.arange(50) / 100, tuple(BODY), in_world).rotated(make_axes(up, forward).rotation.T)


def find(
    markers: Points, load: Floats = NO_LOAD, screen: tuple[str, str] = ("", "")
) -> tuple[str, str, tuple[str, ...]]:
    axes, notes = find_axes(markers, (), load, screen=screen, default_up="+Z")
    return axes.up, axes.forward, notes


@pytest.mark.parametrize(("up", "forward"), LABS)
def test_every_laboratory_becomes_the_world(up: str, forward: str) -> None:
    seen = walk(up, forward)
    axes, notes = find_axes(seen, (), NO_LOAD, screen=("", ""), default_up="+Z")
    assert (axes.up, axes.forward, notes) == (up, forward, ())
    assert np.linalg.det(axes.rotation) == 1.0
    world = seen.rotated(axes.rotation)
    np.testing.assert_array_equal(world["RTOE"][0], BODY["RTOE"])  # swapped and flipped, never rounded
    assert world["C7"][-1, 0] - world["C7"][0, 0] == pytest.approx(2.0)


def test_standing_still_faces_where_right_and_toes_say() -> None:
    assert find(walk("+Z", "-Y", travel=(0.0, 0.0, 0.0))) == ("+Z", "-Y", ())


def test_walking_backwards_keeps_the_face_forward_and_says_so() -> None:
    up, forward, notes = find(walk("+Z", "+X", travel=(-2.0, 0.0, 0.0)))
    assert (up, forward) == ("+Z", "+X")
    assert len(notes) == 1 and "travels 2.0 m" in str(notes[0])


def test_exchanged_left_and_right_are_outvoted_and_told() -> None:
    seen = walk("+Z", "+X")
    other = {"R": "L", "L": "R"}
    swapped = Points(seen.time, tuple(other.get(x[0], x[0]) + x[1:] for x in seen.labels), seen.values)
    up, forward, notes = find(swapped)
    assert (up, forward) == ("+Z", "+X")
    assert len(notes) == 1 and "right and left labels" in str(notes[0])


def test_the_load_says_up_without_markers() -> None:
    assert find(Points.none(), load=np.array([20.0, 700.0, -10.0]))[0] == "+Y"
    assert find(Points.none(), load=np.array([0.1, 3.0, 0.0]))[0] == "+Z"  # too little to say anything


def test_the_plates_say_up_without_load() -> None:
    rotation = np.array(
        [[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]
    )  # columns; z of the plate is lab -Y
    plate = Plate("plate 1", 2, np.zeros((4, 3)), rotation, np.zeros(1), np.zeros((1, 6)))
    axes, _ = find_axes(Points.none(), (plate,), NO_LOAD, screen=("", ""), default_up="+Z")
    assert axes.up == "+Y"


def test_parameters_speak_last() -> None:
    assert find(Points.none(), screen=("-Y", "+X"))[:2] == ("+X", "-Y")
    assert find(Points.none(), screen=("?", "up"))[:2] == ("+Z", "+X")
    up, forward, notes = find(walk("+Z", "-X"), screen=("+X", "+Y"))
    assert (up, forward) == ("+Z", "-X")
    assert len(notes) == 1 and "not +Y (POINT:Y_SCREEN)" in str(notes[0])


@pytest.mark.parametrize(("up", "forward"), [("+Z", "-Z"), ("Z", "+X"), ("+Z", "forward")])
def test_axes_that_cannot_be(up: str, forward: str) -> None:
    with pytest.raises(InputError):
        make_axes(up, forward)


def test_a_path_across_the_laboratory_is_noted() -> None:
    angle = np.radians(40.0)
    turn = np.array(
        [[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
    )
    up, forward, notes = find(walk("+Z", "+X").rotated(turn))
    assert (up, forward) == ("+Z", "+X")
    assert any("40 degrees off the lab axis +X" in str(note) for note in notes)
