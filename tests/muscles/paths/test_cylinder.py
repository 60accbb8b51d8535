"""Cylinders in closed form: tangents, arcs and helices by hand."""

import numpy as np
import pytest
from tests.muscles.paths import scenes

import softstride as ss
from softstride.model import ModelBuilder
from softstride.model.path import WrapCylinder
from softstride.notes import sentences

R = 0.02
EXACT = 1e-14  # [m]: rounding of lengths below 1 m


def length(surface, start, end):
    model = scenes.over(surface, start, end)
    found = ss.muscle_paths(model, model.neutral())
    return float(found.length[0]), found


def cylinder(**options):
    return WrapCylinder("body", **{"radius": R, "length": 1.0, **options})


def planar(d1, d2, turn):
    """Tangents from distances d1 and d2, and the arc between; the ends are `turn` apart about the axis."""
    return np.sqrt(d1**2 - R**2) + np.sqrt(d2**2 - R**2) + R * (turn - np.arccos(R / d1) - np.arccos(R / d2))


def around(d, angle, z=0.0):
    return d * np.cos(angle), d * np.sin(angle), z


@pytest.mark.parametrize("turn", [2.7, 3.0, 3.1])
def test_path_in_the_cross_section_is_two_tangents_and_an_arc(turn):
    found, _ = length(cylinder(), around(0.1, 0.3), around(0.07, 0.3 + turn))
    assert found == pytest.approx(planar(0.1, 0.07, turn), abs=EXACT)


def test_path_along_the_axis_too_is_a_helix():
    """Unrolled, it is one straight line: the way in the cross-section, and the rise."""
    rise = 0.08
    found, _ = length(cylinder(), around(0.1, 0.3, -0.02), around(0.07, 3.2, rise - 0.02))
    assert found == pytest.approx(np.hypot(planar(0.1, 0.07, 2.9), rise), abs=EXACT)


@pytest.mark.parametrize("turn", [0.4, 1.5, 3.0])
def test_between_points_on_the_surface_the_path_is_the_helix_itself(turn):
    found, _ = length(cylinder(), around(R, 1.0, -0.03), around(R, 1.0 + turn, 0.02))
    assert found == pytest.approx(np.hypot(R * turn, 0.05), abs=1e-12)  # ends count as outside by 1e-9 of R


def test_a_segment_that_misses_stays_straight():
    start, end = np.array([-0.1, 1.01 * R, 0.0]), np.array([0.1, 1.01 * R, 0.03])
    found, paths = length(cylinder(), start, end)
    assert found == pytest.approx(np.linalg.norm(end - start), abs=EXACT)
    assert paths.notes == ()


@pytest.mark.parametrize("thin", [1e-3, 1e-6, 1e-9])
def test_a_thin_cylinder_across_the_segment_is_a_point_on_the_way(thin):
    """The segment passes at half the radius: the detour is of second order in it."""
    start, end = np.array([-0.1, 0.5 * thin, -0.05]), np.array([0.2, 0.5 * thin, 0.1])
    found, _ = length(cylinder(radius=thin), start, end)
    by_hand = np.hypot(
        np.sqrt(start[0] ** 2 + start[1] ** 2 - thin**2)
        + np.sqrt(end[0] ** 2 + end[1] ** 2 - thin**2)
        + thin
        * (
            np.arctan2(start[1], start[0])
            - np.arctan2(end[1], end[0])
            - np.arccos(thin / np.hypot(*start[:2]))
            - np.arccos(thin / np.hypot(*end[:2]))
        ),
        0.15,
    )
    assert found == pytest.approx(by_hand, abs=1e-13)
    assert found >= np.linalg.norm(end - start)


@pytest.mark.parametrize("turn", [3.3, 4.0, 5.0])
def test_a_half_that_may_be_touched_makes_the_path_go_the_long_way(turn):
    """Both ends are behind, the path goes round in front: more than half a turn about the axis."""
    half = 0.5 * turn
    found, _ = length(cylinder(quadrant="+x"), around(0.1, -half), around(0.1, half))
    assert found == pytest.approx(planar(0.1, 0.1, turn), abs=EXACT)


def test_a_path_that_lies_on_the_surface_for_more_than_half_a_turn():
    turn = 5.9
    found, _ = length(cylinder(quadrant="+x"), around(0.03, -0.5 * turn), around(0.03, 0.5 * turn))
    assert planar(0.03, 0.03, turn) > R * np.pi
    assert found == pytest.approx(planar(0.03, 0.03, turn), abs=EXACT)


def test_a_segment_that_passes_on_the_wrong_side_is_led_over_the_good_half():
    """It misses the cylinder, but behind it: one end is on the good side, so the path goes over that."""
    start, end = (0.01, 0.1, 0.0), (-0.08, -0.1, 0.0)
    found, _ = length(cylinder(quadrant="+x"), start, end)
    turn = 2.0 * np.pi - (np.arctan2(-0.1, -0.08) % (2 * np.pi) - np.arctan2(0.1, 0.01))
    assert turn > np.pi
    assert found == pytest.approx(planar(np.hypot(0.01, 0.1), np.hypot(0.08, 0.1), turn), abs=EXACT)


def test_a_segment_in_front_of_the_good_half_stays_straight():
    start, end = np.array([0.03, 0.1, 0.0]), np.array([0.03, -0.1, 0.0])
    found, _ = length(cylinder(quadrant="+x"), start, end)
    assert found == pytest.approx(0.2, abs=EXACT)


@pytest.mark.parametrize(("z", "wraps"), [(0.0, True), (0.049, True), (0.051, False)])
def test_a_cylinder_ends(z, wraps):
    found, _ = length(cylinder(length=0.1), (-0.1, 0.0, z), (0.1, 0.001, z))
    assert (found > 0.2005) == wraps


def test_an_end_inside_is_noted_and_does_not_wrap():
    start, end = np.array([0.5 * R, 0.0, 0.0]), np.array([-0.1, 0.0, 0.0])
    found, paths = length(cylinder(), start, end)
    assert found == pytest.approx(np.linalg.norm(end - start), abs=EXACT)
    assert sentences(paths.notes) == (
        "m: an end of the path is inside 's', which it does not wrap around there (frame 0).",
    )


@pytest.mark.parametrize("quadrant", ["all", "+y"])
def test_about_the_axis_of_the_cylinder_the_arm_is_its_radius(quadrant):
    """The textbook pulley: hinge and cylinder share their axis; wherever the path wraps, the arm is R."""
    builder = ModelBuilder("pulley")
    builder.revolute("upper", axis=(0, 0, 1))
    builder.revolute("lower", "upper", axis=(0, 0, 1))
    surface = WrapCylinder("upper", radius=R, quadrant=quadrant)
    points = [("upper", (-0.2, 0.005, 0.01)), ("lower", (0.25, 0.003, 0.06))]
    model = builder.build().replace(wraps={"s": surface}, muscles={"m": scenes.muscle("m", points, ["s"])})
    q = np.stack([np.full(40, 0.3), np.linspace(0.0, -1.5, 40)], axis=1)  # bending down, away from the path
    found = ss.muscle_paths(model, q)
    rise = 0.05
    way = np.sqrt(found.length[:, 0] ** 2 - rise**2)
    assert np.abs(found.arms[:, 0, 0]).max() == 0.0  # both ends turn with the upper hinge
    assert found.arms[:, 0, 1] == pytest.approx(R * way / found.length[:, 0], abs=1e-15)
