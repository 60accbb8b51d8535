"""A simulated walk is seen as it was simulated, its legs beside each other."""

import numpy as np
import pytest

from softstride.gait import SevenSegment, Walk
from softstride.scene.walker import APART, walk_scene


@pytest.fixture(scope="module")
def walk() -> Walk:
    return SevenSegment().simulate("B")


def test_joints_are_where_the_walk_has_them(walk: Walk) -> None:
    scene = walk_scene(walk)
    for link, point in (("shank_r", "right_knee"), ("shank_l", "left_knee"), ("foot_l", "left_ankle")):
        at = scene.poses[:, scene.links.index(link), :3]
        assert np.abs(at[:, :2] - walk.point(point)).max() < 2e-4  # the foot of the paper has two shapes
        assert np.abs(at[:, 2] - APART[link[-1]]).max() < 1e-6


def test_ground_reactions_act_below_their_foot(walk: Walk) -> None:
    scene = walk_scene(walk)
    right, left = scene.arrows
    assert (right.side, left.side) == ("right", "left")
    loaded = np.isfinite(walk.ground_point[:, 0])
    assert right.point[loaded, 0] == pytest.approx(walk.ground_point[loaded, 0], abs=1e-6)
    assert np.all(right.point[loaded, 2] == np.float32(APART["r"])) and np.isnan(right.point[~loaded]).all()
    assert right.force[:, :2] == pytest.approx(walk.ground_force[:, 0], abs=1e-3)
