"""Corners of a plate: the axes they give, and the ones that are no plate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.capture.plates.plate_files import SIDES, Truth, random_pose

from softstride.capture.plates.geometry import (
    corner_axes,
    corner_problem,
    outline_distance,
    side_lengths,
    side_of,
)

# seen from above with X right and Y up: corner 1 at the top left, then clockwise
FLOOR = np.array([[0.0, 0.6, 0.0], [0.4, 0.6, 0.0], [0.4, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_axes_by_hand() -> None:
    np.testing.assert_allclose(corner_axes(FLOOR), [[-1, 0, 0], [0, 1, 0], [0, 0, -1]], atol=1e-15)
    np.testing.assert_allclose(side_lengths(FLOOR), (0.4, 0.6))


@given(seed=st.integers(0, 2**32 - 1))
def test_axes_of_any_pose(seed: int) -> None:
    axes, centre = random_pose(np.random.default_rng(seed))
    corners = Truth(axes, centre, np.zeros((0, 3)), np.zeros((0, 3))).corners
    np.testing.assert_allclose(corner_axes(corners), axes, atol=1e-12)
    np.testing.assert_allclose(side_lengths(corners), SIDES, atol=1e-12)
    assert corner_problem(corners) is None


def test_corners_measured_to_some_millimetres_give_axes_at_right_angles() -> None:
    corners = FLOOR + np.random.default_rng(0).normal(0.0, 0.003, (4, 3))
    assert corner_problem(corners) is None
    axes = corner_axes(corners)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(axes, corner_axes(FLOOR), atol=0.02)  # 3 mm over 0.4 m, twice


@pytest.mark.parametrize(
    ("corners", "word"),
    [
        (np.zeros((4, 3)), "same point"),
        (FLOOR * np.nan, "not finite"),
        (FLOOR[[0, 2, 1, 3]], "order"),
        (FLOOR * [1.0, 0.0, 1.0], "no area"),
        (FLOOR * 1000.0, "spans"),
        (FLOOR * 20.0, "sides"),
        (FLOOR * 0.1, "sides"),
        (FLOOR + np.array([[0, 0, 0], [0, 0, 0.2], [0, 0, 0], [0, 0, 0]]), "order around a rectangle"),
        (FLOOR + np.array([[0.2, 0, 0], [0.2, 0, 0], [0, 0, 0], [0, 0, 0]]), "right angle"),
    ],
)
def test_no_plate(corners: np.ndarray, word: str) -> None:
    problem = corner_problem(corners)
    assert problem is not None and word in problem


def test_the_subject_is_where_its_markers_are() -> None:
    axes = corner_axes(FLOOR)
    body = np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.1], [np.nan] * 3])
    assert side_of(body, FLOOR, axes) == -1.0
    assert side_of(-body, FLOOR, axes) == 1.0
    assert side_of(np.zeros((0, 3)), FLOOR, axes) == -1.0  # no markers: up is a positive lab axis
    assert side_of(np.zeros((0, 3)), FLOOR[::-1], corner_axes(FLOOR[::-1])) == 1.0


def test_distance_from_the_outline() -> None:
    points = np.array([[0.0, 0.0, 0.0], [0.15, 0.0, 0.0], [0.25, 0.0, 0.5], [0.23, 0.34, 0.0]])
    np.testing.assert_allclose(outline_distance(points, (0.2, 0.3)), [-0.2, -0.05, 0.05, 0.05], atol=1e-15)
