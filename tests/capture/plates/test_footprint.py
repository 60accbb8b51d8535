"""Footprints: how far a point is from a shoe, and markers on another clock."""

import numpy as np

from softstride.capture.plates.footprint import at_times, find_feet
from softstride.capture.series import Points

TIME = np.arange(5) / 100.0
UP = np.array([0.0, 1.0, 0.0])


def stand(labels: tuple[str, str]) -> Points:
    """A right foot along x with its rear marker at 0 and its toe marker at 0.2 m, and a left one 1 m beside it."""
    right = np.array([[0.0, 0.05, 0.0], [0.2, 0.03, 0.0]])
    values = np.concatenate([right, right + np.array([0.0, 0.0, -1.0])])
    return Points(TIME, (*(f"R{x}" for x in labels), *(f"L{x}" for x in labels)), np.tile(values, (5, 1, 1)))


def test_distance_from_a_shoe_by_hand() -> None:
    """The shoe goes 2 cm behind the heel marker (7 cm behind the ankle), 8 cm ahead of the toe, 5 cm to each side."""
    points = np.array(
        [[0.1, 0.0, 0.04], [0.1, 9.0, 0.15], [0.43, 0.0, 0.0], [-0.17, 0.0, 0.0], [0.31, 0.0, -0.12]]
    )
    heel = find_feet(stand(("HEE", "TOE")), TIME, UP)["right"].distance(points)
    np.testing.assert_allclose(heel, [0.0, 0.10, 0.10, 0.10, np.hypot(0.03, 0.12) - 0.05], atol=1e-12)
    ankle = find_feet(stand(("ANK", "TOE")), TIME, UP)["right"].distance(points)
    np.testing.assert_allclose(ankle[3], 0.05, atol=1e-12)


def test_another_axis_may_point_up() -> None:
    turn = np.eye(3)[[2, 0, 1]]  # y becomes z
    markers, points = stand(("HEE", "TOE")), np.random.default_rng(0).normal(size=(5, 3))
    expected = find_feet(markers, TIME, UP)["right"]
    turned = find_feet(markers.rotated(turn), TIME, turn @ UP)["right"]
    np.testing.assert_allclose(turned.distance(points @ turn.T), expected.distance(points), atol=1e-12)
    np.testing.assert_array_equal(turned.rear_down, expected.rear_down)


def test_two_people_are_two_pairs_of_feet() -> None:
    one = stand(("HEE", "TOE"))
    labels = tuple(f"{who}:{label}" for who in "AB" for label in one.labels)
    both = Points(TIME, labels, np.concatenate([one.values, one.values + np.array([3.0, 0.0, 0.0])], axis=1))
    rears = [find_feet(both, TIME, UP, who)["right"].rear[0] for who in "AB"]
    np.testing.assert_array_equal(rears, [[0.0, 0.05, 0.0], [3.0, 0.05, 0.0]])


def test_a_foot_needs_both_ends() -> None:
    assert set(find_feet(stand(("HEE", "TOE")), TIME, UP)) == {"right", "left"}
    assert find_feet(stand(("HEE", "ANK")), TIME, UP) == {}
    assert find_feet(Points.none(), TIME, UP) == {}


def test_gaps_are_bridged_up_to_a_tenth_of_a_second() -> None:
    known = np.arange(0.0, 1.0, 0.05)
    values = np.stack([2.0 * known, 1.0 - known], axis=1)
    values[4] = np.nan  # 0.20 s: a gap of 0.1 s
    values[10:13] = np.nan  # 0.50 to 0.60 s: a gap of 0.2 s
    wanted = np.array([-0.2, 0.01, 0.2, 0.55, 0.949, 0.99, 1.2])
    result = at_times(known, values, wanted)
    np.testing.assert_allclose(result[[1, 2, 4]], np.stack([2.0 * wanted, 1.0 - wanted], axis=1)[[1, 2, 4]])
    assert np.isnan(result[[0, 3, 6]]).all()
    np.testing.assert_allclose(result[5], [1.9, 0.05])  # analog samples of the last frame keep its value
    assert np.isnan(at_times(known, np.full((20, 2), np.nan), wanted)).all()
