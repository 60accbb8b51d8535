"""EMG envelopes: a published recipe reproduced, closed forms, normalisation and delay."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.signals.emg import delay, emg_envelope, normalize

RATE = 2000.0


@pytest.fixture(scope="module")
def published(shared_data):
    """Raw EMG and published envelopes of the Rajagopal walking trial, ten channels each, 2000 Hz."""
    folder = shared_data / "walk_rajagopal_emg"
    lines = (folder / "emg_walk_raw.anc").read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("Range"))
    names = next(line for line in lines if line.startswith("Name")).split()
    raw = np.loadtxt(lines[head + 1 :])[:, names.index("SOL") : names.index("GMED") + 1]
    envelopes = np.loadtxt(folder / "electromyography.sto", skiprows=7)[:, 1:]
    assert raw.shape == envelopes.shape == (4780, 10)
    return raw, envelopes


def correlations(x, y):
    return np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(x.T, y.T, strict=True)])


def test_published_recipe(published):
    """The defaults are the recipe. Only the ends differ: the published last filter starts from rest."""
    raw, envelopes = published
    ours = normalize(emg_envelope(raw, RATE))
    r = correlations(ours, envelopes)
    assert r.min() > 0.985 and np.median(r) > 0.999
    inner = slice(400, -400)  # 0.2 s, three time constants of the 7.5 Hz filter
    assert correlations(ours[inner], envelopes[inner]).min() > 0.9999


def test_other_readings_of_the_recipe_fit_less(published):
    """Why these defaults: each other reading of the Butterworth orders is further away, away from the ends."""
    raw, envelopes = published
    inner = slice(400, -400)

    def worst(**options):
        return correlations(emg_envelope(raw, RATE, **options)[inner], envelopes[inner]).min()

    best = worst()
    for other in (
        {"corrected": True},
        {"band_order": 6},
        {"lowpass_order": 4},
        {"critically_damped": None},
        {"passes": 1, "band_order": 6, "lowpass_order": 4},
    ):
        assert worst(**other) < best


def test_envelope_of_a_modulated_tone():
    """|a(t) sin(w t)| has the mean 2/pi a(t) over a cycle; a 1 Hz modulation passes 7.5 and 15 Hz nearly whole."""
    t = np.arange(8000) / RATE
    a = 2.0 + np.sin(2 * np.pi * t)
    envelope = emg_envelope(a * np.sin(2 * np.pi * 153.0 * t), RATE)
    gain = (1 + (2**0.25 - 1) * (1.0 / 15.0) ** 2) ** -2  # the critically damped filter at 1 Hz
    exact = 2 / np.pi * (2.0 + gain * np.sin(2 * np.pi * t))
    assert envelope[1000:-1000] == pytest.approx(
        exact[1000:-1000], abs=2e-3
    )  # ripple left of 306 Hz and warping


def test_offset_does_not_matter_and_gaps_stay():
    x = np.random.default_rng(0).normal(size=(3000, 2))
    x[1500, 1] = np.nan
    envelope = emg_envelope(x, RATE)
    assert np.array_equal(np.isnan(envelope), np.isnan(x))
    assert np.nanmax(np.abs(emg_envelope(x + 5.0, RATE) - envelope)) < 1e-6


def test_high_pass_for_slow_recordings():
    x = np.random.default_rng(1).normal(size=2000)
    with pytest.raises(InputError, match="below half the sampling rate, 500 Hz"):
        emg_envelope(x, 1000.0)
    assert np.isfinite(emg_envelope(x, 1000.0, band=(50.0, None))).all()


def test_normalize():
    x = np.array([[1.0, 4.0], [2.0, np.nan], [0.5, 8.0]])
    assert np.array_equal(normalize(x), [[0.5, 0.5], [1.0, np.nan], [0.25, 1.0]], equal_nan=True)
    assert normalize(x, [4.0, 16.0])[2] == pytest.approx([0.125, 0.5])
    assert normalize(x, 2.0)[0] == pytest.approx([0.5, 2.0])
    assert np.isnan(normalize(np.full((3, 1), np.nan))).all()
    assert normalize([1.0, 2.0]) == pytest.approx([0.5, 1.0])
    for wrong in ([1.0, 0.0], [1.0, np.nan], [1.0], "mvc", [-1.0, 1.0]):
        with pytest.raises(InputError):
            normalize(x, wrong)
    with pytest.raises(InputError, match="silent"):
        normalize(np.zeros((3, 1)))


def test_delay_by_whole_samples_is_a_shift():
    t = np.arange(50) / 1000.0 + 7.3
    x = np.random.default_rng(2).normal(size=(50, 2))
    for steps in (0, 1, 13, 49):
        y = delay(t, x, steps / 1000.0)
        assert np.isnan(y[:steps]).all() and np.max(np.abs(y[steps:] - x[: 50 - steps])) < 1e-10
        y = delay(t, x, -steps / 1000.0)
        assert np.isnan(y[50 - steps :]).all() and np.max(np.abs(y[: 50 - steps] - x[steps:])) < 1e-10
    assert np.isnan(delay(t, x, 1.0)).all()


def test_delay_between_samples_is_linear():
    t = np.cumsum(np.random.default_rng(3).uniform(0.5, 1.5, 40))
    y = delay(t, 3.0 * t - 1.0, 2.2)
    known = t - 2.2 >= t[0]
    assert y[known] == pytest.approx(3.0 * (t - 2.2)[known] - 1.0) and np.isnan(y[~known]).all()


def test_delay_does_not_fill_gaps():
    """Frame 5 is unknown, so at a delay of 1.5 frames the frames 6 and 7, which need it, are unknown too."""
    t, x = np.arange(10.0), np.arange(10.0)
    x[5] = np.nan
    assert np.flatnonzero(np.isnan(delay(t, x, 1.5))).tolist() == [0, 1, 6, 7]
    assert np.flatnonzero(np.isnan(delay(t, x, 1.0))).tolist() == [0, 6]


def test_delay_refusals():
    for wrong in (np.nan, np.inf, [0.1]):
        with pytest.raises(InputError, match="finite"):
            delay([0.0, 1.0], [0.0, 1.0], wrong)
    assert delay([], np.empty((0, 2)), 0.1).shape == (0, 2)
