"""Spheres in closed form, as ellipsoids of equal axes too."""

import numpy as np
import pytest
from tests.muscles.paths import scenes

import softstride as ss
from softstride.model.path import WrapEllipsoid, WrapSphere

R = 0.02


def by_hand(start, end, other_way=False):
    """Tangents and a great circle."""
    start, end = np.asarray(start), np.asarray(end)
    d1, d2 = np.linalg.norm(start), np.linalg.norm(end)
    between = np.arccos(start @ end / (d1 * d2))
    turn = 2.0 * np.pi - between if other_way else between
    arc = R * (turn - np.arccos(R / d1) - np.arccos(R / d2))
    return np.sqrt(d1**2 - R**2) + arc + np.sqrt(d2**2 - R**2)


def length(surface, start, end):
    model = scenes.over(surface, start, end)
    return float(ss.muscle_paths(model, model.neutral()).length[0])


@pytest.mark.parametrize("seed", range(6))
def test_path_over_a_sphere(seed):
    rng = np.random.default_rng(seed)
    start, end = np.array([-0.09, 0.0, 0.0]), np.array([0.1, 0.0, 0.0])
    start[1:], end[1:] = rng.uniform(-0.01, 0.01, (2, 2))
    assert length(WrapSphere("body", radius=R), start, end) == pytest.approx(by_hand(start, end), abs=1e-14)


def test_a_segment_that_misses_stays_straight():
    found = length(WrapSphere("body", radius=R), (-0.1, 0.021, 0.0), (0.1, 0.021, 0.0))
    assert found == pytest.approx(0.2, abs=1e-15)


@pytest.mark.parametrize(("quadrant", "other_way"), [("+y", False), ("-y", True)])
def test_the_half_that_may_be_touched(quadrant, other_way):
    start, end = (-0.1, 0.004, 0.003), (0.1, 0.003, -0.002)
    found = length(WrapSphere("body", radius=R, quadrant=quadrant), start, end)
    assert found == pytest.approx(by_hand(start, end, other_way), abs=1e-14)


def test_a_segment_through_the_centre_goes_round_somehow():
    found = length(WrapSphere("body", radius=R), (-0.1, 0.0, 0.0), (0.1, 0.0, 0.0))
    tangents = 2.0 * np.sqrt(0.1**2 - R**2)
    assert found == pytest.approx(tangents + R * (np.pi - 2.0 * np.arccos(R / 0.1)), abs=1e-14)


@pytest.mark.parametrize("quadrant", ["all", "+x"])
def test_an_ellipsoid_of_equal_axes_is_a_sphere(quadrant):
    """In many poses; where the good half is reached only by the longer way, both find that."""
    q = scenes.random_poses(200, 0.008)
    ends = (-0.09, 0.0, 0.0), (0.1, 0.0, 0.01)
    sphere = scenes.over(WrapSphere("body", radius=R, quadrant=quadrant), *ends)
    ellipsoid = scenes.over(WrapEllipsoid("body", a=R, b=R, c=R, quadrant=quadrant), *ends)
    a, b = ss.muscle_paths(sphere, q), ss.muscle_paths(ellipsoid, q)
    straight = np.hypot(0.19, 0.01)
    assert np.mean(a.length > straight + 1e-9) > 0.8
    same = np.abs(a.length - b.length)[:, 0] < 1e-10
    assert np.mean(same) >= (
        1.0 if quadrant == "all" else 0.98
    )  # near the border between halves they may differ
    assert np.abs(a.arms - b.arms)[same].max() < 1e-8


def test_an_end_inside_is_noted():
    model = scenes.over(WrapSphere("body", radius=R), (0.0, 0.01, 0.0), (0.1, 0.0, 0.0))
    (note,) = ss.muscle_paths(model, model.neutral()).notes
    assert note.code == "paths.end-inside" and "inside 's'" in str(note)
