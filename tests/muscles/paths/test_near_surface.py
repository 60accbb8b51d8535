"""Ends on an ellipsoid, and a hair above it: the way over it, not the chord through it."""

import numpy as np
import pytest
from tests.muscles.paths import scenes
from tests.muscles.paths.test_geodesics import shortest_section

import softstride as ss
from softstride.model.path import WrapEllipsoid, WrapSphere

LIFTS = [0.0, 1e-12, 1e-9, 1e-8, 1e-6, 1e-4, 1e-2]


def pairs(axes, lift, n=40, seed=1):
    """Two points on an ellipsoid, or above it by a share of their distance from its centre."""
    u, v = np.random.default_rng(seed).normal(size=(2, n, 3))
    return ((1.0 + lift) * axes * x / np.linalg.norm(x, axis=1, keepdims=True) for x in (u, v))


@pytest.mark.slow
@pytest.mark.parametrize("axes", [(0.03, 0.02, 0.025), (0.06, 0.02, 0.02), (0.05, 0.05, 0.01)])
@pytest.mark.parametrize("lift", LIFTS)
def test_between_two_points_near_an_ellipsoid(axes, lift):
    """Without a note, longer than the chord, and no longer than the shortest plane section."""
    axes = np.array(axes)
    for start, end in zip(*pairs(axes, lift), strict=True):
        model = scenes.over(WrapEllipsoid("body", a=axes[0], b=axes[1], c=axes[2]), start, end)
        found = ss.muscle_paths(model, model.neutral())
        assert found.notes == ()
        best = shortest_section(axes, start * (1.0 + 1e-13), end * (1.0 + 1e-13))
        if np.isfinite(best):
            assert (
                0.95 * best < found.length[0] < 1.01 * best
            )  # near the far side of a disc another may be shorter
            assert found.length[0] > np.linalg.norm(end - start)


@pytest.mark.parametrize("lift", LIFTS)
def test_a_round_ellipsoid_is_a_sphere(lift):
    """The same ends over a sphere of the same radius, in closed form."""
    r = 0.025
    for start, end in zip(*pairs(np.full(3, r), lift), strict=True):
        lengths = []
        for surface in (WrapEllipsoid("body", a=r, b=r, c=r), WrapSphere("body", radius=r)):
            model = scenes.over(surface, start, end)
            lengths.append(ss.muscle_paths(model, model.neutral()).length[0])
        assert lengths[0] == pytest.approx(lengths[1], abs=3e-9)  # m: how far above it counts as on it


def test_a_path_follows_as_its_ends_come_down():
    """Both ends sink onto the surface: length falls without a jump, and all the way there is nothing to remark."""
    axes = np.array([0.03, 0.02, 0.025])
    for start, end in zip(*pairs(axes, 0.0, n=5, seed=3), strict=True):
        lengths = []
        for lift in np.logspace(-1, -12, 60):
            model = scenes.over(
                WrapEllipsoid("body", a=axes[0], b=axes[1], c=axes[2]), start * (1 + lift), end * (1 + lift)
            )
            found = ss.muscle_paths(model, model.neutral())
            assert found.notes == ()
            lengths.append(found.length[0])
        assert np.all(np.diff(lengths) < 2e-8) and np.abs(np.diff(lengths)[20:]).max() < 1e-4
