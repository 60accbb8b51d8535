"""Butterworth filters against their closed-form gain, at the cutoff and away from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.errors import InputError
from softstride.signals.butterworth import butterworth, butterworth_sections

RATE = 200.0


def measured_gain(method, frequency, rate=RATE, seconds=60.0):
    """Complex gain of a long sine, from its middle third by least squares."""
    t = np.arange(int(seconds * rate)) / rate
    wave = np.exp(2j * np.pi * frequency * t)
    y = method(np.stack([wave.real, wave.imag], axis=1))
    middle = slice(len(t) // 3, 2 * len(t) // 3)
    basis = np.stack([wave.real, wave.imag], axis=1)[middle]
    a, b = np.linalg.lstsq(basis, y[middle, 0], rcond=None)[0]
    return a - 1j * b


def closed_gain(frequency, cutoff, order, kind, passes, rate=RATE):
    """|H| of the whole filter: n passes of order N, half power at the cutoff."""
    W, Wc = np.tan(np.pi * frequency / rate), np.tan(np.pi * np.asarray(cutoff) / rate)
    if kind in ("band", "stop"):
        ratio = (W**2 - Wc[0] * Wc[1]) / (W * (Wc[1] - Wc[0]))
    else:
        ratio = W / Wc
    if kind in ("high", "stop"):
        ratio = 1.0 / ratio
    each = order // passes
    return (1.0 + (2.0 ** (1.0 / passes) - 1.0) * ratio ** (2 * each)) ** (-passes / 2.0)


CASES = [
    ("low", 6.0, 4, 2),
    ("low", 70.0, 4, 2),  # near half the rate, where a correction without the tangent gives a gain of 0.98
    ("low", 6.0, 2, 2),
    ("low", 6.0, 8, 4),
    ("low", 6.0, 3, 1),
    ("high", 10.0, 4, 2),
    ("high", 60.0, 6, 2),
    ("band", (5.0, 60.0), 4, 2),
    ("band", (20.0, 30.0), 12, 2),
    ("stop", (20.0, 60.0), 4, 2),
    ("stop", (10.0, 15.0), 2, 1),
]


@pytest.mark.parametrize(("kind", "cutoff", "order", "passes"), CASES)
def test_half_power_at_the_cutoff(kind, cutoff, order, passes):
    """Exact, so only rounding is allowed; 1e-9 is far below any wrong correction (1e-2 and more)."""
    for edge in np.atleast_1d(cutoff):
        gain = measured_gain(
            lambda x: butterworth(x, RATE, cutoff, order=order, kind=kind, passes=passes), edge
        )
        assert abs(gain) == pytest.approx(np.sqrt(0.5), abs=1e-9)


@pytest.mark.parametrize(("kind", "cutoff", "order", "passes"), CASES)
def test_closed_form_gain(kind, cutoff, order, passes):
    for frequency in (1.0, 4.3, 9.0, 18.0, 24.0, 37.0, 55.0, 80.0, 93.0):
        gain = measured_gain(
            lambda x: butterworth(x, RATE, cutoff, order=order, kind=kind, passes=passes), frequency
        )
        assert abs(gain) == pytest.approx(closed_gain(frequency, cutoff, order, kind, passes), abs=1e-9)
        if passes > 1:
            assert abs(gain.imag) < 1e-9 and gain.real > -1e-9  # no phase


def test_uncorrected_passes_lose_half_the_amplitude():
    gain = measured_gain(lambda x: butterworth(x, RATE, 6.0, corrected=False), 6.0)
    assert abs(gain) == pytest.approx(0.5, abs=1e-9)


def test_one_pass_has_the_phase_of_the_prototype():
    """Order 2 at its cutoff lags a quarter turn."""
    gain = measured_gain(lambda x: butterworth(x, RATE, 6.0, order=2, passes=1), 6.0)
    assert np.angle(gain) == pytest.approx(-np.pi / 2, abs=1e-9)


@given(st.integers(1, 80), st.floats(0.5, 45.0), st.floats(-10, 10), st.floats(-10, 10))
def test_straight_lines_pass(n_frames, cutoff, a, b):
    """Odd reflection continues a line, so a low-pass of any cutoff leaves it, to what SETTLED (1e-9) leaves.

    The unsettled slope lags by 1 / (2 pi cutoff) seconds at most: 1e-9 * 10 * 32 samples, with a margin of 30.
    """
    x = a + b * np.arange(n_frames)
    assert np.max(np.abs(butterworth(x, 100.0, cutoff) - x)) < 1e-5
    high = butterworth(x, 100.0, cutoff, kind="high")
    assert np.max(np.abs(high)) < 1e-5


def test_gaps_split_the_signal():
    x = np.random.default_rng(1).normal(size=(90, 2, 3))
    x[30, 0] = np.nan
    x[60:65, 1, 2] = np.nan
    y = butterworth(x, 100.0, 6.0)
    assert np.array_equal(np.isnan(x), np.isnan(y))
    for rows, channel in ((slice(0, 30), (0, 1)), (slice(31, 90), (0, 2)), (slice(65, 90), (1, 2))):
        alone = butterworth(x[(rows, *channel)], 100.0, 6.0)
        assert np.max(np.abs(y[(rows, *channel)] - alone)) < 1e-12


def test_time_reversal():
    """A zero-phase filter does not know the direction of time; exact up to what the padding forgets."""
    x = np.random.default_rng(2).normal(size=(300, 4))
    forward, backward = butterworth(x, 100.0, 6.0), butterworth(x[::-1], 100.0, 6.0)[::-1]
    assert np.max(np.abs(forward - backward)[50:-50]) < 1e-6
    assert np.max(np.abs(forward - backward)) < 1e-3


def test_input_is_not_changed_and_lists_work():
    x = np.random.default_rng(3).normal(size=50)
    kept = x.copy()
    y = butterworth(x, 100.0, 6.0)
    assert np.array_equal(x, kept) and y.shape == x.shape
    assert np.array_equal(butterworth(list(x), 100, 6), y)
    assert butterworth(np.empty((0, 3)), 100.0, 6.0).shape == (0, 3)
    assert butterworth([4.0], 100.0, 6.0) == pytest.approx([4.0])


def test_extreme_cutoffs_stay_finite():
    x = np.random.default_rng(4).normal(size=2000)
    for cutoff in (1e-2, 0.1, 999.0, 999.9):
        assert np.isfinite(butterworth(x, 2000.0, cutoff)).all()
        # What the nearest pole allowed costs a constant, see NEAREST_POLE.
        assert np.max(np.abs(butterworth(np.ones(100), 2000.0, cutoff) - 1.0)) < 1e-5


def test_sections_are_those_of_scipy_without_correction():
    from scipy.signal import butter

    ours = butterworth_sections(2000.0, (50.0, 500.0), order=12, kind="band", corrected=False)
    assert np.allclose(
        ours, butter(6, (50.0, 500.0), "bandpass", fs=2000.0, output="sos"), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((0.0, 6.0), {}, "rate"),
        ((np.nan, 6.0), {}, "rate"),
        ((100.0, 50.0), {}, "below half the sampling rate"),
        ((100.0, 0.0), {}, "cutoff"),
        ((100.0, -1.0), {}, "cutoff"),
        ((100.0, np.nan), {}, "cutoff"),
        ((100.0, (5.0, 10.0)), {}, "1 frequency"),
        ((100.0, 6.0), {"kind": "band"}, "2 frequency"),
        ((100.0, (10.0, 5.0)), {"kind": "band"}, "must rise"),
        ((100.0, (5.0, 50.0)), {"kind": "stop"}, "below half"),
        ((100.0, 6.0), {"kind": "lowpass"}, "low, high, band, stop"),
        ((100.0, 6.0), {"order": 3}, "multiple of its 2 passes"),
        ((100.0, 6.0), {"order": 0}, "order"),
        ((100.0, 6.0), {"order": 3, "passes": 3}, "passes must be 1"),
        ((100.0, 6.0), {"passes": 0}, "passes"),
        ((2000.0, 1e-3), {}, "too near 0 Hz"),
        ((1e9, 1e-9), {}, "too near 0 Hz"),
    ],
)
def test_refusals(arguments, options, words):
    with pytest.raises(InputError, match=words):
        butterworth(np.zeros(10), *arguments, **options)
