"""The three fills together, and how far each is from a recording from which known markers are taken away."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from softstride.errors import InputError
from softstride.signals.gaps import FillMethod, fill_spline
from softstride.signals.low_rank_fill import fill_low_rank
from softstride.signals.marker_fill import fill
from softstride.signals.rigid_fill import fill_rigid, find_clusters

RATE = 60.0


@pytest.fixture(scope="module")
def walk(shared_data: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Time, markers [m] and names of a treadmill walk without gaps: 41 markers, 151 frames."""
    lines = (shared_data / "walk_gait2354" / "subject01_walk1.trc").read_text().splitlines()
    names = lines[3].split()[2:]
    table = np.array([line.split() for line in lines[6:] if line.strip()], dtype=float)
    return table[:, 1], table[:, 2:].reshape(len(table), -1, 3) * 1e-3, names


def errors(walk, method, markers, duration: float) -> np.ndarray:
    """Return the error [mm], root mean square over the gap, for gaps at three instants of the gait cycle."""
    _, x, _ = walk
    length = round(duration * RATE) - 1
    result = []
    for marker in markers:
        for start in (30, 60, 90):
            gap = slice(start, start + length)
            holed = x.copy()
            holed[gap, marker] = np.nan
            filled = method(holed)
            assert filled.mask[gap, marker].all()
            deviation = filled.values[gap, marker] - x[gap, marker]
            result.append(1e3 * np.sqrt((deviation**2).sum(axis=1).mean()))
    return np.array(result)


def spline(walk):
    return lambda x: fill_spline(x, walk[0], max_gap=1.0)


# Measured over all 41 markers, medians in mm at 0.1, 0.2, 0.3, 0.5 s: spline 1.4, 3.0, 6.1, 27; low rank 1.0, 1.6, 1.9,
# 2.3; and in the one rigid cluster, the right shoe: rigid 0.9, 1.8, 2.2, 2.6. The limits below are a third above.
@pytest.mark.parametrize(("duration", "limit"), [(0.1, 1.9), (0.2, 4.0), (0.3, 8.0)])
def test_spline_on_a_recording(walk, duration, limit):
    assert np.median(errors(walk, spline(walk), range(41), duration)) < limit


@pytest.mark.slow
@pytest.mark.parametrize(("duration", "limit"), [(0.1, 1.3), (0.2, 2.1), (0.3, 2.5), (0.5, 3.1)])
def test_low_rank_on_a_recording(walk, duration, limit):
    assert np.median(errors(walk, fill_low_rank, range(41), duration)) < limit


@pytest.mark.parametrize(("duration", "limit"), [(0.1, 1.2), (0.2, 2.4), (0.3, 2.9), (0.5, 3.5)])
def test_rigid_on_a_recording(walk, duration, limit):
    _, x, names = walk
    clusters = find_clusters(x)
    assert clusters, "the shoe is rigid"
    assert all(names[i].startswith("R.") for i in clusters[0])
    assert np.median(errors(walk, lambda y: fill_rigid(y, clusters), clusters[0], duration)) < limit


@pytest.mark.slow
def test_a_long_gap_needs_other_markers(walk):
    """At half a second the spline is off by centimetres where the others are by millimetres."""
    assert np.median(errors(walk, spline(walk), range(41), 0.5)) > 5 * np.median(
        errors(walk, fill_low_rank, range(41), 0.5)
    )


def tumbling() -> tuple[np.ndarray, np.ndarray]:
    """Return time and ten markers: five rigid, five that follow three modes of the same travelling body."""
    rng = np.random.default_rng(0)
    t = np.arange(150) / 100
    spin = Rotation.from_rotvec(0.3 * np.sin(4 * t)[:, None] * [0.2, 1.0, 0.1]).as_matrix()
    rigid = np.einsum("fij,kj->fki", spin, rng.uniform(-0.1, 0.1, (5, 3)))
    modes = np.stack([np.sin(4 * t), np.cos(4 * t), np.sin(8 * t)], axis=1)
    soft = rng.uniform(-0.3, 0.3, (5, 3)) + 0.05 * np.einsum("fr,rmc->fmc", modes, rng.normal(size=(3, 5, 3)))
    return t, np.concatenate([rigid, soft], axis=1) + t[:, None, None] * [1.2, 0.0, 0.0]


def test_each_gap_gets_its_method():
    t, truth = tumbling()
    x = truth.copy()
    x[20:25, 0] = np.nan  # short
    x[40:80, 1] = np.nan  # long, rigid
    x[60:110, 8] = np.nan  # long, loose
    x[:10, 9] = np.nan  # at the start: no spline
    filled = fill(x, t)
    expected = np.zeros((150, 10), dtype=int)
    expected[20:25, 0], expected[40:80, 1] = FillMethod.SPLINE, FillMethod.RIGID
    expected[60:110, 8] = expected[:10, 9] = FillMethod.LOW_RANK
    np.testing.assert_array_equal(filled.method, expected)
    np.testing.assert_array_equal(filled.values[expected == 0], x[expected == 0])
    assert np.abs(filled.values - truth)[expected > 0].max() < 2e-3
    assert filled.mask.dtype == bool


def test_steps_can_be_left_out():
    t, x = tumbling()
    x[40:80, 1] = x[60:110, 8] = np.nan
    only = fill(x, t, clusters=[range(5)], low_rank=False)
    assert only.mask[40:80, 1].all()
    assert not only.mask[:, 8].any()
    assert np.isnan(only.values[60:110, 8]).all()
    none = fill(x, t, clusters=(), low_rank=False)
    assert not none.mask.any()
    np.testing.assert_array_equal(none.values, x)


def test_what_stays_is_listed_with_the_reason_of_the_last_step():
    t, x = tumbling()
    x[:, 5:] = np.nan
    x[40:80, 1] = x[60:70, 2] = x[60:70, 3] = np.nan
    both = fill(x, t, clusters=[range(5)])
    assert {gap.marker for gap in both.unfilled} == {1, 2, 3, 5, 6, 7, 8, 9}
    assert all(gap.reason == "too little is seen with it" for gap in both.unfilled)
    rigid = fill(x, t, clusters=[range(5)], low_rank=False)
    reasons = {gap.marker: gap.reason for gap in rigid.unfilled}
    assert "rigid cluster fix a pose" in reasons[1] and "in no rigid cluster" in reasons[9]
    assert [gap[1:3] for gap in rigid.unfilled if gap.marker == 1] == [(60, 70)]
    for filled in (both, rigid):
        left = np.zeros(x.shape[:2], dtype=bool)
        for gap in filled.unfilled:
            left[gap.start : gap.stop, gap.marker] = True
        np.testing.assert_array_equal(left, np.isnan(filled.values).any(axis=2))
        assert len(filled.notes) == len(filled.unfilled)


@pytest.mark.slow
def test_five_minutes_are_filled_in_seconds():
    """30,000 frames of 100 markers with 2000 gaps. Measured on one core: 4 s; a minute before frames were chosen."""
    rng = np.random.default_rng(0)
    n, m = 30_000, 100
    t = np.arange(n) / 100
    places = rng.uniform(-0.3, 0.3, (m, 3))
    places[:4] = places[0] + rng.uniform(-0.05, 0.05, (4, 3))
    x = places + rng.normal(0, 0.0003, (n, m, 3))
    x[:, :4] += 0.2 * np.sin(5.7 * t)[:, None, None] * np.array([1.0, 1.0, -1.0, -1.0])[:, None]
    truth = x.copy()
    for marker in np.repeat(np.arange(m), 20):
        start = rng.integers(0, n - 300)
        x[start : start + rng.integers(2, 200), marker] = np.nan
    begin = time.process_time()
    filled = fill(x, t)
    assert time.process_time() - begin < 20.0  # a busy machine may be several times as slow
    error = np.linalg.norm(filled.values - truth, axis=2)
    for method in (
        FillMethod.RIGID,
        FillMethod.LOW_RANK,
    ):  # noise of 0.3 mm in three coordinates, twice: 0.7 mm
        assert np.median(error[filled.method == method]) < 1e-3


def test_one_lost_coordinate_is_a_lost_marker_and_nothing_measured_is_overwritten():
    t, truth = tumbling()
    x = truth.copy()
    x[50, 2, 1] = np.nan
    filled = fill(x, t)
    assert filled.method[50, 2] == FillMethod.SPLINE
    np.testing.assert_allclose(filled.values, truth, atol=1e-6)
    x[:, 3:] = np.nan
    x[0, 2, 0] = np.nan
    bare = fill(x, t)
    assert bare.values[0, 2, 1] == x[0, 2, 1]  # not filled: the coordinates that were measured stay


def test_nothing_missing_nothing_done():
    t, x = tumbling()
    filled = fill(x, t)
    assert not filled.mask.any()
    assert filled.values is not x
    np.testing.assert_array_equal(filled.values, x)


def test_a_given_cluster_that_is_not_rigid_is_refused():
    t, x = tumbling()
    x[40:80, 1] = np.nan
    with pytest.raises(InputError, match="not rigid"):
        fill(x, t, clusters=[[1, 5, 6, 7]])


@given(seed=st.integers(0, 10_000), holes=st.integers(0, 40), markers=st.integers(1, 10))
def test_whatever_is_lost_measured_samples_stay_and_filled_ones_are_marked(seed, holes, markers):
    rng = np.random.default_rng(seed)
    t, x = tumbling()
    x = x[:, :markers] + rng.normal(0, 0.001, (150, markers, 3))
    for _ in range(holes):
        start, j = rng.integers(0, 150), rng.integers(0, markers)
        x[start : start + rng.integers(1, 80), j] = np.nan
    filled = fill(x, t)
    missing = np.isnan(x).any(axis=2)
    np.testing.assert_array_equal(filled.values[~filled.mask], x[~filled.mask])
    assert not (filled.mask & ~missing).any()
    np.testing.assert_array_equal(np.isnan(filled.values).any(axis=2), missing & ~filled.mask)
