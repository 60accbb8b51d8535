"""Rigid clusters: exact on rigid motion, and refused where they are not rigid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from softstride.errors import InputError
from softstride.signals.gaps import FillMethod
from softstride.signals.rigid_fill import distance_spread, fill_rigid, find_clusters, fit_pose

N = 120


def rigid_motion(seed: int, k: int = 5, n: int = N) -> np.ndarray:
    """Return k markers (n, k, 3) on a body that tumbles and travels."""
    rng = np.random.default_rng(seed)
    shape = rng.uniform(-0.1, 0.1, (k, 3))
    t = np.linspace(0, 2, n)[:, None]
    rotation = Rotation.from_rotvec(rng.normal(size=3) * 2 * np.sin(3 * t) + rng.normal(size=3) * t)
    origin = rng.normal(size=3) * t + rng.normal(size=3)
    return np.einsum("fij,kj->fki", rotation.as_matrix(), shape) + origin[:, None]


@given(
    seed=st.integers(0, 10_000),
    marker=st.integers(0, 4),
    start=st.integers(0, 100),
    length=st.integers(1, 110),
)
def test_exact_on_rigid_motion(seed, marker, start, length):
    """Gaps of any length, at the ends too, as long as some frames are whole."""
    truth = rigid_motion(seed)
    x = truth.copy()
    x[start : start + length, marker] = np.nan
    filled = fill_rigid(x, [[0, 1, 2, 3, 4]])
    np.testing.assert_allclose(filled.values, truth, atol=1e-12)
    np.testing.assert_array_equal(filled.mask, np.isnan(x).any(axis=2))
    assert (filled.method[filled.mask] == FillMethod.RIGID).all()


def test_two_markers_lost_at_once_and_a_third_elsewhere():
    truth = rigid_motion(3, k=6)
    x = truth.copy()
    x[10:60, 0] = x[40:90, 1] = x[80:, 4] = np.nan
    x[100, 3, 1] = np.nan  # one coordinate lost is a marker lost
    filled = fill_rigid(x, [range(6)])
    np.testing.assert_allclose(filled.values, truth, atol=1e-12)


def test_fewer_than_three_seen_stay_missing():
    x = rigid_motion(4, k=4)
    x[30:50, :2] = np.nan
    filled = fill_rigid(x, [[0, 1, 2, 3]])
    assert not filled.mask.any()
    assert np.isnan(filled.values[30:50, :2]).all()


def test_three_markers_on_a_line_do_not_fix_a_pose():
    x = rigid_motion(5, k=4)
    x[:, 2] = 0.3 * x[:, 0] + 0.7 * x[:, 1]
    x[20:40, 3] = np.nan
    assert not fill_rigid(x, [[0, 1, 2, 3]]).mask.any()


def test_a_plane_of_markers_is_not_mirrored():
    """Markers in one plane allow a reflection as well as a rotation; only the rotation is a motion."""
    rng = np.random.default_rng(6)
    flat = np.c_[rng.uniform(-0.1, 0.1, (5, 2)), np.zeros(5)]
    spin = Rotation.from_rotvec(np.linspace(0, 6, N)[:, None] * [0.3, 1.0, -0.5]).as_matrix()
    R, p, known = fit_pose(flat, np.einsum("fij,kj->fki", spin, flat), np.ones((N, 5), dtype=bool))
    assert known.all()
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-12)
    np.testing.assert_allclose(R, spin, atol=1e-12)
    np.testing.assert_allclose(p, 0.0, atol=1e-12)


def test_pose_agrees_with_scipy():
    """scipy's Kabsch, frame by frame, on noisy markers that are all seen."""
    rng = np.random.default_rng(7)
    x = rigid_motion(7) + 0.002 * rng.normal(size=(N, 5, 3))
    shape = x[0] - x[0].mean(axis=0)
    R, p, _ = fit_pose(shape, x, np.ones((N, 5), dtype=bool))
    for f in range(0, N, 10):
        expected, _ = Rotation.align_vectors(x[f] - x[f].mean(axis=0), shape)
        np.testing.assert_allclose(R[f], expected.as_matrix(), atol=1e-10)
        np.testing.assert_allclose(p[f], x[f].mean(axis=0), atol=1e-12)


def test_the_filled_stretch_joins_without_a_step_on_a_soft_cluster():
    """The deviation from rigid is carried over the gap: errors stay below the 2 mm by which the marker slides."""
    truth = rigid_motion(8)
    truth[:, 0] += 0.002 * np.sin(np.linspace(0, 6, N))[:, None]
    x = truth.copy()
    x[40:70, 0] = np.nan
    error = np.linalg.norm(fill_rigid(x, [range(5)]).values[40:70, 0] - truth[40:70, 0], axis=1)
    assert error.max() < 0.002
    assert error[[0, -1]].max() < 3e-4  # one frame moves by 0.002 sqrt(3) 6 / N = 1.7e-4


def test_a_cluster_that_is_not_rigid_is_refused_with_its_measure():
    x = rigid_motion(9)
    direction = (x[:, 0] - x[:, 3]) / np.linalg.norm(x[:, 0] - x[:, 3], axis=1, keepdims=True)
    amplitude = 0.02
    x[:, 3] -= amplitude * np.sin(2 * np.pi * np.arange(N) / N)[:, None] * direction
    # The distance of 0 and 3 is a sine of 20 mm over one period: standard deviation 20 / sqrt(2) = 14.1 mm.
    with pytest.raises(InputError, match=r"markers 0 and 3 varies by 14\.1 mm"):
        fill_rigid(x, [range(5)])
    assert find_clusters(x) == [[0, 1, 2, 4]]


def test_clusters_are_found_among_other_markers():
    a, b = rigid_motion(10, k=4), rigid_motion(11, k=5)
    loose = np.cumsum(np.random.default_rng(12).normal(size=(N, 3, 3)), axis=0) * 0.01
    order = np.random.default_rng(13).permutation(12)
    x = np.concatenate([a, b, loose], axis=1)[:, order]
    x[5:30, 2] = np.nan
    expected = sorted(
        sorted(np.flatnonzero(np.isin(order, group)).tolist()) for group in (range(4), range(4, 9))
    )
    assert find_clusters(x) == expected


def test_markers_never_seen_together_are_no_cluster():
    x = rigid_motion(14, k=4)
    x[: N // 2, 0] = np.nan
    x[N // 2 :, 1] = np.nan
    assert find_clusters(x) == []


def test_a_cluster_never_seen_whole_is_noted():
    x = rigid_motion(15)
    x[:60, 0] = np.nan
    x[60:, 1] = np.nan
    filled = fill_rigid(x, [range(5)])
    assert not filled.mask.any()
    assert filled.notes[0].code == "gaps.cluster-never-whole"
    assert [gap[:3] for gap in filled.unfilled] == [(0, 0, 60), (1, 60, 120)]


def test_what_stays_open_is_listed_by_marker_and_frames():
    x = np.concatenate([np.zeros((N, 2, 3)), rigid_motion(16, k=4)], axis=1)
    x[30:50, 2] = x[40:60, 4] = np.nan  # the cluster is markers 2 to 5; 40 to 49 has two others only
    filled = fill_rigid(x, [[2, 3, 4, 5]])
    assert filled.mask.sum() == 20
    assert [gap[:3] for gap in filled.unfilled] == [(2, 40, 50), (4, 40, 50)]
    assert all("fewer than 3 other markers" in gap.reason for gap in filled.unfilled)


def test_beside_a_gap_the_others_may_lie_on_a_line():
    """The deviation of a sliding marker is then bridged from farther away, where a pose is known."""
    truth = rigid_motion(17)
    truth[:, 2] = 0.3 * truth[:, 0] + 0.7 * truth[:, 1]  # on a line with 0 and 1
    x = truth.copy()
    x[50:70, 3] = np.nan
    x[45:50, 4] = x[70:75, 4] = np.nan  # beside the gap of 3 its others are 0, 1 and 2
    np.testing.assert_allclose(fill_rigid(x, [range(5)]).values[50:70, 3], truth[50:70, 3], atol=1e-12)
    x[55:60, 4] = np.nan
    assert not fill_rigid(x, [range(5)]).mask[55:60, 3].any()


def test_long_recordings_are_judged_by_some_frames_in_every_phase():
    """A distance that swings once in every 60 frames: thinning 30,000 frames to 500 must not meet one phase only."""
    n = 30_000
    x = np.tile(rigid_motion(18, k=5)[:1], (n, 1, 1))
    x[:, 0, 0] += 0.01 * np.sin(2 * np.pi * np.arange(n) / 60)
    spread = distance_spread(x)
    direct = np.linalg.norm(x[:, 0] - x[:, 1:].transpose(1, 0, 2), axis=2).std(axis=1)
    np.testing.assert_allclose(spread[0, 1:], direct, rtol=0.02)  # of 500 frames, evenly over the phase
    assert find_clusters(x) == [[1, 2, 3, 4]]


def test_markers_rarely_seen_together_are_still_judged():
    n = 20_000
    x = np.tile(rigid_motion(19, k=4)[:1], (n, 1, 1))
    x[: n - 20, 0] = np.nan
    x[n - 8 :, 1] = np.nan  # 12 frames with marker 0, of 20,000
    assert find_clusters(x) == [[0, 1, 2, 3]]
    x[n - 15 :, 1] = np.nan  # five
    assert find_clusters(x) == []


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ([[0, 1, 2]], "at least 4"),
        ([[0, 1, 2, 2]], "each marker once"),
        ([[0, 1, 2, 5]], "from 0 to 4"),
        ([[0, 1, 2, -1]], "from 0 to 4"),
        ([[0.5, 1, 2, 3]], "indices"),
    ],
)
def test_bad_clusters_are_named(clusters, message):
    with pytest.raises(InputError, match=message):
        fill_rigid(rigid_motion(0), clusters)


def test_bad_shapes_are_named():
    with pytest.raises(InputError, match="n_markers, 3"):
        fill_rigid(np.zeros((10, 4)), [range(4)])
    with pytest.raises(InputError, match="tolerance"):
        find_clusters(rigid_motion(0), tolerance=-1.0)
