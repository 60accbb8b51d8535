"""Residual analysis on a known band plus white noise."""

import numpy as np
import pytest
from tests.signals.test_butterworth import closed_gain

from softstride.errors import InputError
from softstride.signals.butterworth import butterworth
from softstride.signals.residual_analysis import residual_analysis

RATE = 100.0


def gait_like(sigma, n_channels=6, seconds=15, seed=0):
    """Harmonics of 0.9 Hz up to 5 Hz with falling amplitude, plus white noise."""
    t = np.arange(int(seconds * RATE)) / RATE
    parts = ((1.0, 0.9), (0.4, 1.8), (0.2, 2.7), (0.1, 3.6), (0.05, 4.5))
    clean = sum(a * np.sin(2 * np.pi * f * t + f) for a, f in parts)
    return clean[:, None] + sigma * np.random.default_rng(seed).normal(size=(len(t), n_channels))


@pytest.mark.parametrize("sigma", [0.03, 0.01, 0.003])
def test_intercept_is_the_noise(sigma):
    """1500 samples fix sigma to 2 %, and the noise curve bends by as much: 8 % is four of these together."""
    result = residual_analysis(gait_like(sigma), RATE)
    assert result.intercept == pytest.approx(sigma * np.ones(6), rel=0.08)
    assert (result.slope < 0).all() and (result.tail > 3.6).all()
    # Between the last strong harmonic and twice the last one.
    assert (result.cutoff > 3.6).all() and (result.cutoff < 10.0).all()


def test_less_noise_proposes_a_higher_cutoff():
    cutoffs = [float(residual_analysis(gait_like(s), RATE, pooled=True).cutoff) for s in (0.03, 0.01, 0.003)]
    assert cutoffs[0] < cutoffs[1] < cutoffs[2]


def test_proposal_is_near_the_best_cutoff():
    """The true error at the proposal, where lost and kept are alike, is within a half of the least possible."""
    noisy, clean = gait_like(0.01), gait_like(0.0)
    proposed = float(residual_analysis(noisy, RATE, pooled=True).cutoff)

    def error(f):
        return np.sqrt(np.mean((butterworth(noisy, RATE, f) - clean)[50:-50] ** 2))

    assert error(proposed) < 1.5 * min(error(f) for f in np.linspace(3, 20, 60))


def test_residuals_are_the_root_mean_square():
    x = gait_like(0.01, 2)
    x[:20, 1] = np.nan
    result = residual_analysis(x, RATE, cutoffs=np.linspace(1, 25, 30))
    left = x - butterworth(x, RATE, result.cutoffs[7])
    assert result.residuals.shape == (30, 2) and result.cutoff.shape == (2,)
    assert result.residuals[7] == pytest.approx(np.sqrt(np.nanmean(left**2, axis=0)))
    pooled = residual_analysis(x, RATE, cutoffs=np.linspace(1, 25, 30), pooled=True)
    assert pooled.residuals[7] == pytest.approx(np.sqrt(np.nanmean(left**2)))
    assert pooled.cutoff.shape == () and pooled.residuals.shape == (30,)
    # The proposal is where the curve is at the level of the intercept.
    assert np.interp(pooled.cutoff, pooled.cutoffs, pooled.residuals) == pytest.approx(
        float(pooled.intercept)
    )


def test_white_noise_alone_has_no_cutoff():
    """Its curve is the line itself: r^2 is the mean of (1 - gain)^2 over frequency, to 2 % for 4000 samples."""
    x = np.random.default_rng(7).normal(size=(4000, 1))
    result = residual_analysis(x, RATE)
    frequencies = np.linspace(0.01, 49.99, 5000)
    for k in (20, 50, 90):
        gain = closed_gain(frequencies, result.cutoffs[k], 4, "low", 2, RATE)
        assert result.residuals[k, 0] == pytest.approx(np.sqrt(np.mean((1 - gain) ** 2)), rel=0.02)
    assert not result.cutoff[0] > 1.0
    assert result.intercept[0] == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cutoffs": np.linspace(1, 20, 5)}, "at least 20"),
        ({"cutoffs": np.linspace(20, 1, 30)}, "rising"),
        ({"cutoffs": np.linspace(1, 50, 30)}, "below half"),
        ({"cutoffs": np.linspace(0, 20, 30)}, "first of cutoffs"),
        ({"linear": 1.0}, "between 0 and 1"),
        ({"order": 3}, "multiple"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(InputError, match=words):
        residual_analysis(gait_like(0.01, 1), RATE, **options)
    with pytest.raises(InputError, match="no measured sample"):
        residual_analysis(np.full((50, 2), np.nan), RATE)
