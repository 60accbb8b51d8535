"""Kernels of noise in time: what they do to samples is what motion and inverse dynamics do to them."""

import numpy as np
import pytest
from tests.models import slider

from softstride.dynamics.prepare import low_passed
from softstride.dynamics.uncertainty.time import MOST, Filtering, noise_gram, responses, sine_spectrum
from softstride.kinematics import Motion
from softstride.kinematics.curve import fit_curve
from softstride.model import ModelBuilder

RATE, N = 100.0, 80


def expected(time, x, filtering):
    model, q = slider(), x[:, None]
    if filtering.cutoff is not None:
        q = fit_curve(model, time, q, cutoff=filtering.cutoff).q
    if filtering.lowpass is not None:
        state = low_passed(model, time, q, filtering.lowpass)
        return np.stack([state.q, state.v, state.a])[..., 0]
    motion = Motion(model, time, q)
    return np.stack([motion.q, motion.v, motion.a])[..., 0]


WAYS = [Filtering(), Filtering(cutoff=8.0), Filtering(lowpass=6.0), Filtering(cutoff=10.0, lowpass=6.0)]


@pytest.mark.parametrize("filtering", WAYS)
@pytest.mark.parametrize("even", [True, False])
def test_responses_are_what_is_done_to_samples(filtering, even):
    time = np.arange(N) / RATE
    if not even:
        time = time + 0.001 * np.sin(np.arange(N))
    x = np.random.default_rng(1).standard_normal(N)
    found = responses(time, filtering) @ x
    for mine, other in zip(found, expected(time, x, filtering), strict=True):
        assert np.abs(mine - other).max() < 1e-8 * np.abs(other).max()


@pytest.mark.slow
@pytest.mark.parametrize("filtering", WAYS)
def test_the_gram_matrix_is_the_covariance_of_noise(filtering):
    """20 000 samples of white noise through the filters themselves, at the middle and at an end; 1 % of error each."""
    builder = ModelBuilder("many")
    for i in range(200):
        builder.prismatic(f"x{i}", axis=(1, 0, 0), mass=1.0)
    model, time = builder.build(), np.arange(N) / RATE
    rng = np.random.default_rng(2)
    found = []
    for _ in range(100):
        q = rng.standard_normal((N, 200))
        if filtering.cutoff is not None:
            q = fit_curve(model, time, q, cutoff=filtering.cutoff).q
        done = (
            low_passed(model, time, q, filtering.lowpass) if filtering.lowpass else fit_curve(model, time, q)
        )
        found.append(np.stack([done.q, done.v, done.a])[:, [0, 3, 40]])
    samples = np.concatenate(found, axis=2)  # (3, frames, 20 000)
    covariance = np.einsum("its,jts->tij", samples, samples) / samples.shape[2]
    gram, _ = noise_gram(time, filtering)
    scale = np.sqrt(np.einsum("tii->ti", gram[[0, 3, 40]]))
    assert np.abs((covariance - gram[[0, 3, 40]]) / scale[:, :, None] / scale[:, None]).max() < 0.04


@pytest.mark.parametrize("filtering", WAYS)
def test_the_spectrum_adds_up_to_the_gram_matrix_far_from_the_ends(filtering):
    gram, spectrum = noise_gram(np.arange(300) / RATE, filtering)
    scale = np.sqrt(np.diag(gram[150]))
    assert np.abs((spectrum.power.sum(axis=0) - gram[150]) / np.outer(scale, scale)).max() < 1e-3


def test_a_long_trial_has_the_ends_of_a_short_one():
    short, _ = noise_gram(np.arange(MOST) / RATE, Filtering(lowpass=6.0))
    long, _ = noise_gram(np.arange(1000) / RATE, Filtering(lowpass=6.0))
    assert long.shape == (1000, 3, 3)
    scale = np.sqrt(np.diag(short[MOST // 2]))
    size = np.outer(scale, scale)
    for frames in (slice(0, 50), slice(-50, None)):
        assert np.abs((long[frames] - short[frames]) / size).max() < 1e-9
    assert np.abs((long[500] - short[MOST // 2]) / size).max() < 1e-9


def test_a_slow_sine_goes_through_as_it_is():
    omega = 2 * np.pi * 0.8
    exact = np.array([[1, 0, -(omega**2)], [0, omega**2, 0], [-(omega**2), 0, omega**4]])
    for filtering, tolerance in ((Filtering(), 1e-6), (Filtering(lowpass=12.0), 1e-3)):
        power = sine_spectrum(np.arange(N) / RATE, filtering, 0.8).power[0]
        assert np.abs(power - exact).max() < tolerance * omega**4
    halved = sine_spectrum(np.arange(N) / RATE, Filtering(cutoff=5.0), 5.0).power[0]
    assert halved[0, 0] == pytest.approx(0.25, rel=0.02)
