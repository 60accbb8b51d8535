"""Soles, and where they touch as a foot rolls over its toes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softstride.contact.sole import NAMES, Sole, touching_places
from softstride.errors import InputError

UP = np.array([0.0, 1.0, 0.0])


def touching(sole, pitch, yaw=0.0, at=(0.0, 0.0, 0.0)):
    """Return material and touching places of a foot pitched (heel up: positive) and turned about the vertical."""
    R = Rotation.from_rotvec([0.0, yaw, 0.0]) * Rotation.from_rotvec([0.0, 0.0, -pitch])
    material = (R.apply(np.array(sole.points)) + at)[None]
    ball = (R.apply(np.array(sole.ball)) + at)[None]
    forward = R.apply([1.0, 0.0, 0.0])[None]
    return material, ball, touching_places(sole, material, ball, forward, UP)


def test_dimensions_of_an_average_foot():
    """From a heel at -4 cm to a ball at 16 cm: 27 cm long, 7 cm broad at the ball, 4 cm at the heel."""
    sole = Sole.foot(-0.04, 0.16, "right", middle=0.01)
    assert sole.names == NAMES
    assert np.ptp(sole.points[:, 0]) == pytest.approx(0.272)
    by_name = dict(zip(sole.names, sole.points, strict=True))
    assert by_name["metatarsal_5"][2] - by_name["metatarsal_1"][2] == pytest.approx(0.07)
    assert by_name["heel_lateral"][2] - by_name["heel_medial"][2] == pytest.approx(0.042)
    assert by_name["heel_back"] == pytest.approx([-0.04, 0.0, 0.01])
    assert set(np.array(sole.names)[sole.toes]) == {"toes_lateral", "hallux"}
    assert sole.ball == pytest.approx([0.16, 0.0, 0.01])


def test_left_is_the_mirror_image_of_right():
    right, left = Sole.foot(-0.04, 0.16, "right", middle=0.01), Sole.foot(-0.04, 0.16, "left", middle=-0.01)
    np.testing.assert_allclose(left.points * [1, 1, -1], right.points, atol=1e-15)
    assert left.points[NAMES.index("metatarsal_5"), 2] < left.points[NAMES.index("metatarsal_1"), 2]


def test_lowered_by_a_wedge():
    """5 cm at the heel, 2 cm from the ball on, linear between."""
    low = Sole.foot(0.0, 0.2, "right").lowered(0.05, 0.02)
    drop = dict(zip(low.names, -low.points[:, 1], strict=True))
    assert drop["heel_back"] == pytest.approx(0.05)
    assert drop["midfoot_lateral"] == pytest.approx(0.05 - 0.55 * 0.03)
    assert drop["hallux"] == drop["toes_lateral"] == pytest.approx(0.02)
    assert low.ball == pytest.approx([0.2, -0.02, 0.0])


def test_a_flat_foot_touches_where_it_is():
    sole = Sole.foot(-0.04, 0.16, "right")
    material, _, places = touching(sole, 0.0, yaw=0.4, at=(1.0, 0.0, 2.0))
    np.testing.assert_allclose(places, material, atol=1e-12)


@pytest.mark.parametrize("pitch", [0.3, 0.9])
@pytest.mark.parametrize("yaw", [0.0, 0.5, -2.0])
def test_toes_are_unrolled_in_front_of_the_ball(pitch, yaw):
    """Level distances of the toes from the ball stay those on the sole, in the heading of the foot."""
    sole = Sole.foot(-0.04, 0.16, "right")
    material, ball, places = touching(sole, pitch, yaw)
    toes = sole.toes
    np.testing.assert_array_equal(places[:, ~toes], material[:, ~toes])
    back = Rotation.from_rotvec([0.0, -yaw, 0.0])
    offset = back.apply(places[0, toes] - ball[0])
    np.testing.assert_allclose(offset, (sole.points - sole.ball)[toes], atol=1e-12)
    stiff = back.apply(material[0, toes] - ball[0])
    assert np.all(
        stiff[:, 0] < offset[:, 0]
    )  # a stiff foot would have them further back, and below the floor
    assert np.all(stiff[:, 1] < 0.0)


def test_standing_on_the_tip_of_the_toes():
    sole = Sole.foot(-0.04, 0.16, "right")
    for pitch in (1.5, np.pi / 2):
        material, _, places = touching(sole, pitch)
        np.testing.assert_array_equal(places, material)


def test_a_sole_without_toes_touches_where_it_is():
    points = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.1, 0.0, 0.05]])
    sole = Sole(("a", "b", "c"), points, np.zeros(3, dtype=bool), points[1])
    material, _, places = touching(sole, 0.7)
    np.testing.assert_array_equal(places, material)


def test_its_arrays_are_its_own():
    points = np.zeros((1, 3))
    sole = Sole(("a",), points, [False], np.zeros(3))
    points[0, 0] = 5.0
    assert sole.points[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        sole.points[0, 0] = 1.0


@pytest.mark.parametrize(
    ("names", "points", "toes", "ball", "text"),
    [
        (
            ("a", "b"),
            np.zeros((1, 3)),
            [False, False],
            np.zeros(3),
            r"points of a sole must have shape \(2, 3\)",
        ),
        (("a",), np.zeros((1, 3)), [False, True], np.zeros(3), r"toes of a sole must have shape \(1,\)"),
        (("a",), np.zeros((1, 3)), [False], np.zeros(2), r"ball of a sole must have shape \(3,\)"),
        ((), np.zeros((0, 3)), [], np.zeros(3), "a sole needs at least one place"),
    ],
)
def test_soles_that_make_no_sense(names, points, toes, ball, text):
    with pytest.raises(InputError, match=text):
        Sole(names, points, toes, ball)


@pytest.mark.parametrize("name", ["points", "ball"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_places_that_nobody_knows(name, value):
    given = {"points": np.zeros((1, 3)), "ball": np.zeros(3)}
    given[name][..., 1] = value
    with pytest.raises(InputError, match=f"{name} of a sole must be finite, however .*{value}") as caught:
        Sole(("a",), toes=[False], **given)
    assert caught.value.parameter == name
    np.testing.assert_equal(caught.value.value, value)


@pytest.mark.parametrize(("heel", "ball"), [(0.1, 0.0), (0.0, 0.01), (0.0, 1.0)])
def test_lengths_that_are_no_foot(heel, ball):
    with pytest.raises(InputError, match="from heel to ball"):
        Sole.foot(heel, ball, "right")
