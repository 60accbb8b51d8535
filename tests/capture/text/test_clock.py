"""Clocks behind time columns: exact where the column is exact, regular where rounding explains it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.capture.text.clock import read_clock
from softstride.errors import CaptureError
from softstride.notes import codes, sentences


def rounded(rate, n, decimals, start=0.0):
    return np.array([float(f"{start + i / rate:.{decimals}f}") for i in range(n)])


@pytest.mark.parametrize(
    ("rate", "decimals"), [(60, 3), (120, 3), (150, 3), (600, 4), (59.94, 3), (2000, 4), (7, 2)]
)
@pytest.mark.parametrize("stated", [True, False])
def test_rounded_column_becomes_regular(rate, decimals, stated):
    column = rounded(rate, 200, decimals)
    clock = read_clock(column, "x", rate if stated else None)
    assert clock.rate == pytest.approx(rate, rel=1e-12 if stated or rate != 59.94 else 1e-4)
    assert np.allclose(np.diff(clock.time), 1 / clock.rate, rtol=1e-9, atol=0)
    # Half of the last decimal is all that rounding can have moved a value.
    assert np.abs(clock.time - column).max() <= 0.5 * 10.0**-decimals * (1 + 1e-6)
    if np.array_equal(column, np.arange(200) / rate):
        assert clock.notes == ()
    else:
        assert f"rounded to {decimals} decimals" in str(clock.notes[-1])


@given(st.integers(1, 3000), st.integers(2, 6), st.integers(0, 5000), st.integers(20, 60))
def test_any_rounded_clock_is_explained(rate, decimals, first, n):
    """Stated rate, any start on its grid, any rounding finer than the interval: the clock comes back exactly."""
    if rate > 0.5 * 10**decimals:
        return
    column = np.array([float(f"{(first + i) / rate:.{decimals}f}") for i in range(n)])
    clock = read_clock(column, "x", float(rate))
    assert clock.rate == rate
    truth = (first + np.arange(n)) / rate
    # Either the column was close enough to be kept, or it is the grid itself.
    assert np.abs(clock.time - truth).max() <= max(1e-4 / rate, 1e-12)


def test_exact_column_is_kept_bit_for_bit():
    column = 0.2 + np.arange(50) * 0.01
    assert read_clock(column, "x", 100.0).time is column


def test_frame_numbers_carry_the_clock_over_left_out_frames():
    steps = np.array([5, 6, 7, 20, 21])
    column = np.round(steps / 60, 3)
    clock = read_clock(column, "x", 60.0, steps)
    assert np.allclose(clock.time, steps / 60, atol=1e-12)


def test_wrong_header_rate_is_noted():
    clock = read_clock(np.arange(100) * 0.04, "x", 250.0)
    assert clock.rate == pytest.approx(25.0)
    assert sentences(clock.notes) == (
        "header states 250 Hz, but the time column steps at 25 Hz: the column is believed",
    )


def test_uneven_and_backward_times_are_kept_and_noted():
    uneven = np.array([0.0, 0.01, 0.02, 0.05, 0.06])
    clock = read_clock(uneven, "x")
    assert (
        clock.time is uneven and codes(clock.notes) == ("time.uneven",) and clock.rate == pytest.approx(100)
    )
    backward = np.array([0.0, 0.01, 0.02, 0.01, 0.02, 0.03])
    clock = read_clock(backward, "x", 100.0)
    assert clock.time is backward and clock.rate == 100
    assert sentences(clock.notes) == ("time does not increase at 1 rows, kept in file order: data row 4",)


def test_two_rows_of_whole_seconds_are_not_a_rounded_clock():
    clock = read_clock(np.array([0.0, 1.0]), "x", 100.0)
    assert np.array_equal(clock.time, [0, 1]) and clock.rate == 1


def test_times_that_are_missing():
    assert np.array_equal(read_clock(np.zeros(3), "x", 10.0).time, [0, 0.1, 0.2])
    assert np.array_equal(read_clock(np.full(3, np.nan), "x", 10.0).time, [0, 0.1, 0.2])
    with pytest.raises(CaptureError, match="never advances"):
        read_clock(np.zeros(3), "x")
    with pytest.raises(CaptureError, match="data row 2, column 'time'"):
        read_clock(np.array([0, np.nan, 2]), "x", 10.0)
