"""The packaged athlete: its counts, plausible numbers, a blade on the ground."""

from collections import Counter

import numpy as np
import pytest

from softstride.model import Rod, athlete
from softstride.model.library.athlete import BLADE_LENGTH
from softstride.spatial import se3


@pytest.fixture(scope="module")
def whole():
    return athlete()


@pytest.fixture(scope="module")
def bare():
    return athlete(blade=False)


def rest_poses(model):
    """Return the world pose of each link in the default pose: no joint but the pelvis has moved."""
    poses = {"world": np.eye(4)}
    for link in model.links:
        motion = np.eye(4)
        if link.name == "pelvis":
            motion[:3, 3] = model.neutral()[:3]
        elif isinstance(link.joint, Rod):
            for segment in link.joint.segments:
                motion = motion @ se3.exp(segment.length * segment.reference)
        poses[link.name] = poses[link.parent] @ link.placement @ motion @ link.offset
    return poses


def test_counts_without_the_blade(bare):
    kinds = Counter(type(link.joint).__name__ for link in bare.links)
    assert kinds == {"Free": 1, "Spherical": 38, "Revolute": 10, "Fixed": 1}
    assert bare.nv == 130 and bare.nq == 7 + 4 * 38 + 10 and len(bare.links) == 50


def test_counts_with_the_blade(whole):
    kinds = Counter(type(link.joint).__name__ for link in whole.links)
    assert kinds == {"Free": 1, "Spherical": 38, "Revolute": 10, "Fixed": 1, "Rod": 1}
    assert whole.nv == 148 and whole.nq == 187
    blade = whole.link("blade")
    assert [segment.free for segment in blade.joint.segments] == [("kx", "ky", "kz")] * 6
    assert blade.joint.length == pytest.approx(BLADE_LENGTH) and blade.joint.quadrature == 4
    assert whole.parent("blade").name == "right_socket"


def test_markers_are_thirty_on_links_and_twenty_one_on_the_blade(whole, bare):
    assert len(bare.markers) == 30
    assert Counter(point.link == "blade" for point in whole.markers.values()) == {False: 30, True: 21}


def test_masses(whole, bare):
    assert bare.mass == pytest.approx(70.0, abs=1.0)
    assert whole.mass - bare.mass == pytest.approx(1600 * 0.065 * 0.009 * BLADE_LENGTH)
    for part in ("thigh", "humerus", "hand"):
        assert bare.link(f"left_{part}").mass == bare.link(f"right_{part}").mass
    assert bare.link("left_shank").mass > bare.link("right_shank").mass  # the residual limb
    assert all(link.mass > 0 and np.all(np.linalg.eigvalsh(link.inertia.matrix) > 0) for link in bare.links)


def test_stands_upright_with_both_feet_on_the_ground(whole):
    poses = rest_poses(whole)
    assert 1.5 < poses["head"][1, 3] < 1.7
    assert 0.0 < poses["left_foot"][1, 3] < 0.1
    base = poses["right_socket"] @ whole.link("blade").placement
    heights = []
    for segment in whole.link("blade").joint.segments:
        heights += list(
            (base @ se3.exp(np.linspace(0, segment.length, 20)[:, None] * segment.reference))[:, 1, 3]
        )
        base = base @ se3.exp(segment.length * segment.reference)
    assert min(heights) == pytest.approx(0.0, abs=5e-3)
    assert base[0, 3] > poses["right_socket"][0, 3]  # the tip points forward


def test_sides_mirror_each_other(bare):
    poses = rest_poses(bare)
    for name in bare.link_names:
        if name.startswith("left_") and name.replace("left", "right") in poses:
            np.testing.assert_allclose(
                poses[name][:3, 3] * [1, 1, -1], poses[name.replace("left", "right")][:3, 3], atol=1e-15
            )


def test_each_call_returns_a_model_of_its_own(whole):
    assert athlete() is not whole and athlete().link_names == whole.link_names
