"""The filter that knows its derivatives: a sine keeps its phase, loses what Butterworth says, and has right rates."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.signals import state_filter
from softstride.signals.state_filter import TWO_PASSES

RATE = 1000.0


def wave(frequency, seconds=8.0):
    time = np.arange(int(seconds * RATE)) / RATE
    return time, np.sin(2.0 * np.pi * frequency * time)


@pytest.mark.parametrize("frequency", [0.5, 2.0, 6.0, 12.0])
def test_gain_of_a_sine_is_butterworth_s(frequency):
    """|H|² of one pass at the cutoff over 0.802: 1 / (1 + (f/fc)⁴), both passes multiply."""
    time, x = wave(frequency)
    found = state_filter(time, x, 6.0)
    middle = slice(3000, 5000)
    gain = 1.0 / (1.0 + (frequency * TWO_PASSES / 6.0) ** 4)
    # the trapezoidal rule bends the frequency axis by (pi f/rate)²/3, and damps its derivatives by as much
    np.testing.assert_allclose(found.value[middle], gain * x[middle], atol=2e-3 * gain)
    w = 2.0 * np.pi * frequency
    np.testing.assert_allclose(found.rate[middle], gain * w * np.cos(w * time[middle]), atol=2e-3 * gain * w)
    half = 0.5 / RATE  # the second derivative belongs to the middle of the step before
    wanted = -gain * w**2 * np.sin(w * (time[middle] - half))
    np.testing.assert_allclose(found.acceleration[middle], wanted, atol=3e-3 * gain * w**2)


def test_a_straight_line_passes_with_its_slope():
    """Trapezoids are exact for it once the start has died away; samples may lie anywhere."""
    rng = np.random.default_rng(0)
    time = np.cumsum(rng.uniform(0.005, 0.02, 800))
    found = state_filter(time, np.stack([3.0 + 2.0 * time, -time], axis=1), 6.0)
    np.testing.assert_allclose(found.rate[400], [2.0, -1.0], rtol=1e-9)
    np.testing.assert_allclose(found.acceleration[400], 0.0, atol=1e-8)


def test_where_the_forward_pass_starts():
    time, x = wave(1.0, 3.0)
    endless = state_filter(time, x, 6.0)
    assert endless.value[0] == x[0] and endless.acceleration[0] == 0.0
    assert endless.rate[0] == pytest.approx(2.0 * np.pi, rel=0.02)
    long = state_filter(time, x, 6.0, pause=1e6)
    np.testing.assert_allclose(long.value, endless.value, atol=1e-5)
    short = state_filter(time, x, 6.0, pause=0.05)
    assert np.abs(short.rate - endless.rate)[:20].max() > 0.1
    np.testing.assert_allclose(short.rate[1000:], endless.rate[1000:], atol=1e-6)


def test_bad_input():
    time, x = wave(1.0, 0.1)
    with pytest.raises(InputError, match="NaN at frame 3"):
        state_filter(time, np.where(np.arange(len(x)) == 3, np.nan, x), 6.0)
    with pytest.raises(InputError, match="cutoff"):
        state_filter(time, x, 0.0)
    with pytest.raises(InputError, match="pause"):
        state_filter(time, x, 6.0, pause=0.0)
    with pytest.raises(InputError, match="time must increase"):
        state_filter(time[::-1], x, 6.0)
    assert state_filter([], np.zeros((0, 2)), 6.0).value.shape == (0, 2)
