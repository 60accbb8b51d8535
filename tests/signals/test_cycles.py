"""Cycles against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.errors import InputError
from softstride.signals.cycles import cycle_mean, pair_cycles, time_normalize


def test_a_missing_strike_makes_no_double_cycle():
    starts, ends = pair_cycles([0.0, 1.1, 2.2, 2.3, 5.5, 6.6])
    # 2.2 to 2.3 is too short, 2.3 to 5.5 too long
    np.testing.assert_array_equal(starts, [0.0, 1.1, 5.5])
    np.testing.assert_array_equal(ends, [1.1, 2.2, 6.6])


def test_fewer_than_two_strikes_make_no_cycle():
    for strikes in ([], [1.0]):
        starts, ends = pair_cycles(strikes)
        assert len(starts) == len(ends) == 0


@given(slope=st.floats(-5, 5), offset=st.floats(-5, 5), n=st.integers(2, 150), start=st.floats(0.0, 0.6))
def test_linear_is_exact_on_a_straight_line(slope, offset, n, start):
    t = np.cumsum(np.linspace(0.005, 0.02, 200))
    cycle = time_normalize(t, offset + slope * t, [t[0] + start], [t[0] + start + 1.1], n)
    expected = offset + slope * np.linspace(t[0] + start, t[0] + start + 1.1, n)
    np.testing.assert_allclose(cycle[0], expected, atol=1e-13)  # a few roundings of numbers below 20


def test_cubic_is_exact_on_a_cubic_and_linear_is_not():
    t = np.arange(0, 2.0, 0.05)
    x = np.stack([t**3 - 2 * t, np.ones_like(t)], axis=1)
    at = np.linspace(0.3, 1.63, 101)
    cubic = time_normalize(t, x, [0.3], [1.63], kind="cubic")
    assert cubic.shape == (1, 101, 2)
    np.testing.assert_allclose(cubic[0, :, 0], at**3 - 2 * at, atol=1e-13)
    assert np.abs(time_normalize(t, x, [0.3], [1.63])[0, :, 0] - (at**3 - 2 * at)).max() > 1e-4


def test_a_sine_lands_on_percent_of_its_cycle():
    """Cycles of different lengths of x = sin(phase) are one curve: sin(2 pi percent / 100)."""
    t = np.arange(0, 4.2, 0.001)
    edges = np.array([0.1, 1.1, 2.4, 3.9])
    x = np.sin(2 * np.pi * np.interp(t, edges, np.arange(4)))
    cycles = time_normalize(t, x, *pair_cycles(edges))
    expected = np.sin(2 * np.pi * np.arange(101) / 100)
    np.testing.assert_allclose(cycles, np.tile(expected, (3, 1)), atol=2e-5)  # (2 pi dt / T)^2 / 8 is 5e-6
    result = cycle_mean(cycles)
    np.testing.assert_allclose(result.mean, expected, atol=2e-5)
    assert result.sd.max() < 2e-5
    assert (result.n == 3).all()


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_gaps_stay_gaps_and_nothing_is_extrapolated(kind):
    t = np.arange(11) / 10
    x = np.stack([t, t], axis=1)
    x[4, 0] = np.nan
    cycles = time_normalize(t, x, [0.0, 0.5], [1.0, 1.5], 21, kind=kind)
    # Points every 0.05 s: those between 0.3 and 0.5 s need the missing sample; 0.3 and 0.5 s themselves do not.
    expected = np.arange(21) * 0.05
    np.testing.assert_array_equal(np.isnan(cycles[0, :, 0]), (expected > 0.3001) & (expected < 0.4999))
    np.testing.assert_allclose(cycles[0, :, 1], expected, atol=1e-15)
    np.testing.assert_array_equal(np.isnan(cycles[1, :, 1]), 0.5 + np.arange(21) * 0.05 > 1.0001)


def test_cycle_mean_by_hand():
    result = cycle_mean([[1.0, 2.0, np.nan, 5.0], [3.0, np.nan, np.nan, 5.0], [5.0, 4.0, np.nan, 5.0]])
    np.testing.assert_array_equal(result.mean, [3.0, 3.0, np.nan, 5.0])
    np.testing.assert_allclose(result.sd, [2.0, np.sqrt(2.0), np.nan, 0.0], atol=1e-15)
    np.testing.assert_array_equal(result.n, [3, 2, 0, 3])


def test_one_cycle_has_no_deviation():
    result = cycle_mean(np.ones((1, 5, 2)))
    assert np.isnan(result.sd).all()
    assert (result.mean == 1).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pair_cycles([1.0, 0.5]), "increase"),
        (lambda: pair_cycles([0.0, 1.0], shortest=2.0, longest=1.0), "shortest"),
        (lambda: pair_cycles([0.0, np.nan]), "NaN"),
        (lambda: pair_cycles([[0.0, 1.0]]), "list"),
        (lambda: time_normalize([0, 1], [0, 1], [0.5], [0.5]), "end after"),
        (lambda: time_normalize([0, 1], [0, 1], [0.5], []), "pair up"),
        (lambda: time_normalize([0, 1], [0, 1], [0.0], [1.0], 1), "n must"),
        (lambda: time_normalize([0, 1], [0, 1], [0.0], [1.0], kind="nearest"), "kind"),
        (lambda: time_normalize([0], [0], [0.0], [1.0]), "2 frames"),
        (lambda: time_normalize([0, 0], [0, 1], [0.0], [1.0]), "increase"),
        (lambda: cycle_mean(3.0), "cycles"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()
