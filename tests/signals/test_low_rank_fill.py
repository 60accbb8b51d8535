"""Low-rank filling: exact on motion of low rank, and measured on a recording."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.signals.gaps import FillMethod
from softstride.signals.low_rank_fill import fill_low_rank

N, M = 200, 12


def low_rank(seed: int, rank: int) -> np.ndarray:
    """Return markers (N, M, 3): fixed places plus `rank` smooth modes."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 2 * np.pi, N)
    modes = np.stack([np.sin((i + 1) * t + rng.uniform(0, 6)) for i in range(rank)], axis=1)
    shape = rng.uniform(-0.2, 0.2, (M, 3))
    return shape + 0.1 * np.einsum("fr,rmc->fmc", modes, rng.normal(size=(rank, M, 3)))


@given(
    seed=st.integers(0, 1000),
    rank=st.integers(1, 8),
    marker=st.integers(0, M - 1),
    start=st.integers(0, 120),
    length=st.integers(1, 80),
)
def test_exact_on_motion_of_low_rank_that_travels(seed, rank, marker, start, length):
    """With the noise set to nothing. 1e-8: components down to 1e-3 of the largest are inverted, of numbers to 1e-14."""
    travel = np.linspace(0, 3, N)[:, None, None] ** 2 * np.array([1.0, 0.1, -0.2])
    truth = low_rank(seed, rank) + travel
    x = truth.copy()
    x[start : start + length, marker] = np.nan
    filled = fill_low_rank(x, noise=1e-9)
    np.testing.assert_allclose(filled.values, truth, atol=1e-8)
    np.testing.assert_array_equal(filled.mask, np.isnan(x).any(axis=2))
    assert (filled.method[filled.mask] == FillMethod.LOW_RANK).all()
    np.testing.assert_array_equal(filled.values[~filled.mask], x[~filled.mask])


def test_exact_in_a_body_frame_that_tumbles():
    """Seen from three markers fixed in the body, one marker tells the other; seen from the room it does not."""
    truth = low_rank(1, 2)[:, :5]
    truth[:, :3] = truth[0, :3]
    spin = Rotation.from_rotvec(np.linspace(0, 5, N)[:, None] * [0.2, 1.0, 0.4]).as_matrix()
    truth = np.einsum("fij,fmj->fmi", spin, truth) + np.linspace(0, 2, N)[:, None, None]
    x = truth.copy()
    x[60:140, 4] = np.nan
    inside = fill_low_rank(x, frame=[0, 1, 2], noise=1e-9)
    np.testing.assert_allclose(inside.values, truth, atol=1e-9)
    outside = fill_low_rank(x, noise=1e-9)
    assert np.abs(outside.values - truth).max() > 1e-6


def test_the_default_noise_costs_a_fraction_of_it():
    truth = low_rank(2, 4)
    x = truth.copy()
    x[50:110, 4] = np.nan
    assert np.abs(fill_low_rank(x).values - truth).max() < 1e-3


def test_overlapping_gaps_of_several_markers():
    truth = low_rank(3, 3)
    x = truth.copy()
    x[50:110, 4] = x[90:150, 5] = x[:30, 6] = np.nan
    filled = fill_low_rank(x, noise=1e-9)
    np.testing.assert_allclose(filled.values, truth, atol=1e-8)


def test_a_long_periodic_motion_is_learnt_in_every_phase():
    """30,000 frames of a cycle of 60: every sixtieth frame would show one instant of it."""
    phase = 2 * np.pi * np.arange(30_000) / 60
    modes = np.stack([np.sin(phase), np.cos(phase), np.sin(2 * phase)], axis=1)
    rng = np.random.default_rng(9)
    truth = rng.uniform(-0.2, 0.2, (8, 3)) + 0.1 * np.einsum("fr,rmc->fmc", modes, rng.normal(size=(3, 8, 3)))
    x = truth.copy()
    x[1000:1200, 3] = np.nan
    assert np.abs(fill_low_rank(x).values - truth).max() < 1e-3  # the default noise


def test_markers_far_apart_inform_each_other_too():
    """A hundred reaches away the weight exp(-d^2 / 2) of all of them is zero in double precision."""
    truth = low_rank(6, 2)
    truth[:, 4] += 30.0
    x = truth.copy()
    x[50:60, 4] = np.nan
    filled = fill_low_rank(x, noise=1e-9)
    np.testing.assert_allclose(filled.values, truth, atol=1e-6)


def test_what_cannot_be_known_stays_missing_and_is_noted():
    x = low_rank(4, 2)[:, :3]
    x[50:60, 0] = np.nan
    filled = fill_low_rank(x)  # two others only
    assert not filled.mask.any()
    assert "marker 0, frames 50 to 59" in str(filled.notes[0])
    assert filled.unfilled == ((0, 50, 60, "too little is seen with it", "gaps.too-little-seen"),)
    x = low_rank(4, 2)
    x[5:, 0] = np.nan  # seen in five frames
    assert not fill_low_rank(x).mask.any()
    x = low_rank(4, 2)
    x[20:40] = np.nan  # nothing seen
    filled = fill_low_rank(x)
    assert not filled.mask.any()
    assert np.isnan(filled.values[20:40]).all()


def test_frames_without_their_body_frame_keep_what_was_measured():
    x = low_rank(5, 2)
    x[:, :3] = x[0, :3]
    x[10:20, 0] = np.nan
    x[15:60, 8] = np.nan
    filled = fill_low_rank(x, frame=[0, 1, 2])
    np.testing.assert_array_equal(filled.values[~filled.mask], x[~filled.mask])
    assert not filled.mask[15:20].any()  # two markers of the frame do not fix it


@bad_input(
    InputError,
    ({"noise": 0.0}, "noise"),
    ({"reach": -1.0}, "reach"),
    ({"frame": [0, 1]}, "three markers"),
    ({"frame": [0, 1, 99]}, "from 0 to"),
    ({"positions": np.zeros((5, 3))}, "n_markers, 3"),
)
def test_bad_input_is_named(refuses):
    refuses(fill_low_rank, positions=low_rank(0, 2))


def test_a_frame_never_seen_together_is_named():
    x = low_rank(0, 2)
    x[:100, 0] = x[100:, 1] = np.nan
    with pytest.raises(InputError, match="never seen together"):
        fill_low_rank(x, frame=[0, 1, 2])
