"""Gaps and splines over them, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import bad_input

from softstride.errors import InputError
from softstride.signals.gaps import FillMethod, fill_spline, find_gaps, thinned


def test_gaps_by_hand():
    nan = np.nan
    x = np.array([[nan, 1, 1], [1, nan, 1], [nan, nan, 1], [nan, 1, 1]])
    gaps = find_gaps(x)
    assert len(gaps) == 3
    assert gaps.of(0) == [(0, 1), (2, 4)]
    assert gaps.of(1) == [(1, 3)]
    assert gaps.of(2) == []
    np.testing.assert_array_equal(gaps.interior, [False, False, True])
    np.testing.assert_allclose(gaps.durations(np.arange(4) / 10), [np.inf, np.inf, 0.3])


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=60))
def test_gaps_hold_every_missing_sample_once(rows):
    missing = np.array(rows)
    gaps = find_gaps(np.where(missing, np.nan, 0.0))
    again = np.zeros_like(missing, dtype=int)
    for channel, start, stop in zip(gaps.channel, gaps.start, gaps.stop, strict=True):
        again[start:stop, channel] += 1
        assert start == 0 or not missing[start - 1, channel]
        assert stop == len(missing) or not missing[stop, channel]
    np.testing.assert_array_equal(again, missing.astype(int))


@given(
    c=st.lists(st.floats(-3, 3), min_size=4, max_size=4),
    start=st.integers(1, 30),
    length=st.integers(1, 9),
    other=st.integers(42, 48),
)
def test_the_spline_is_exact_on_a_cubic(c, start, length, other):
    t = np.arange(50) / 50
    truth = np.stack([np.polyval(c, t), t**3, np.ones_like(t)], axis=1).reshape(50, 1, 3)
    x = truth.copy()
    x[start : start + length] = np.nan
    x[other, 0, 1] = np.nan
    filled = fill_spline(x, t, max_gap=0.2)
    np.testing.assert_allclose(
        filled.values, truth, atol=1e-11
    )  # numbers to 12, a spline of condition about 10
    np.testing.assert_array_equal(filled.mask, np.isnan(x))
    assert (filled.method[filled.mask] == FillMethod.SPLINE).all()


def test_only_short_gaps_are_filled_and_no_measured_sample_changes():
    rng = np.random.default_rng(2)
    t = np.arange(200) / 100
    x = rng.normal(size=(200, 4))
    x[:5, 0] = x[-5:, 0] = np.nan  # at the ends
    x[50:59, 1] = np.nan  # exactly 0.1 s from sample to sample
    x[50:60, 2] = np.nan  # one frame too long
    x[10:20, 3] = x[30:33, 3] = np.nan  # one of two
    filled = fill_spline(x, t, max_gap=0.1)
    expected = np.zeros_like(x, dtype=bool)
    expected[50:59, 1] = expected[30:33, 3] = True
    np.testing.assert_array_equal(filled.mask, expected)
    np.testing.assert_array_equal(filled.values[~expected], x[~expected])
    assert np.isfinite(filled.values[expected]).all()


def test_what_is_filled_in_one_channel_does_not_depend_on_the_others():
    rng = np.random.default_rng(3)
    t = np.arange(60) / 100
    x = np.cumsum(rng.normal(size=(60, 3)), axis=0)
    x[20:25, 0] = x[22:29, 1] = np.nan
    together = fill_spline(x, t)
    for j in range(3):
        np.testing.assert_array_equal(together.values[:, j], fill_spline(x[:, j], t).values)


def test_a_channel_with_fewer_than_four_samples_stays():
    x = np.array([1.0, np.nan, 2.0, 3.0])
    filled = fill_spline(x, np.arange(4) / 100)
    assert not filled.mask.any()
    np.testing.assert_array_equal(filled.values, x)


@bad_input(
    InputError,
    ({"max_gap": 0.0}, "max_gap"),
    ({"time": np.zeros(10)}, "increase"),
    ({"time": np.arange(9)}, "time"),
    ({"x": 1.0}, "axis 0"),
    ({"x": ["a"] * 10}, "real numbers"),
)
def test_bad_input_is_named(refuses):
    refuses(fill_spline, x=np.zeros(10), time=np.arange(10) / 100)


@pytest.mark.parametrize(
    ("n", "most"), [(0, 5), (5, 5), (6, 5), (501, 500), (999, 500), (1000, 500), (30_000, 500), (10**6, 7)]
)
def test_thinned_frames_are_some_of_them_in_order_and_even(n, most):
    frames = 3 * np.arange(n)
    some = thinned(frames, most)
    assert len(some) == min(n, most) and np.isin(some, frames).all() and (np.diff(some) > 0).all()
    if n > most:  # one from each stretch; its first frame may have begun in the stretch before
        stretch = np.arange(most + 1) * n / most
        assert (some / 3 > stretch[:-1] - 1).all() and (some / 3 < stretch[1:]).all()
