"""EMG of the digital athlete: what electrodes would have heard, and what an analyst makes of it."""

from importlib.resources import files

import numpy as np
import pytest
from scipy.signal import welch
from tests.trials import the_athlete

import softstride as ss
from softstride.digital_athlete import emg, load_athlete

RECIPE = {"band": (50.0, None), "lowpass_order": 4, "critically_damped": None}


def activation_error(trial, lowpass):
    """Activation from EMG minus the true one, with the true time constants, shape (n, channels)."""
    undivided = dict.fromkeys(trial.recording.emg.labels, 1.0)
    envelopes = ss.emg_envelopes(trial.recording, reference=undivided, lowpass=lowpass, **RECIPE).emg
    hill = ss.hill_muscles(trial.truth_model, tuple(trial.electrodes))
    found = ss.emg_activation(
        envelopes,
        hill,
        trial.electrodes,
        mvc=trial.mvc,
        delay=trial.emg_delay,
        time=trial.truth.time,
    )
    columns = [trial.truth.muscle_names.index(name) for name in found.names]
    return found.activation - trial.truth.activation[:, columns]


def test_channels_name_muscles(running):
    assert running.recording.emg.labels == tuple(running.electrodes.values())
    assert running.electrodes.keys() <= running.model.muscles.keys()
    assert running.mvc.keys() == set(running.electrodes.values())
    assert set(running.recording.emg.units) == {"V"}
    assert running.recording.emg.rate == pytest.approx(1000.0)
    for name in ("bflh_r", "semiten_r", "bflh_l", "semiten_l"):
        assert name in running.electrodes


@pytest.mark.parametrize(("gait", "rms", "most"), [("running", 0.008, 0.08), ("walking", 0.003, 0.025)])
def test_clean_emg_gives_back_the_activation(gait, rms, most):
    """Left over is what the low pass of the envelope rounds off: excitations of running jump from frame to frame."""
    trial = the_athlete(gait, noise=False)
    error = activation_error(trial, 100.0)[20:-10]
    assert np.sqrt(np.mean(error**2)) < rms
    assert np.abs(error).max() < most
    usual = activation_error(trial, 12.0)[20:-10]
    assert np.sqrt(np.mean(usual**2)) > 3.0 * rms, "it is the low pass, and no error of the EMG"


@pytest.mark.parametrize(("gait", "rms"), [("running", 0.06), ("walking", 0.025)])
def test_raw_emg_gives_it_back_roughly(gait, rms):
    """Low pass, noise of a tenth of the envelope, and efforts of 90 to 100 % that count as full ones."""
    error = activation_error(the_athlete(gait), 12.0)[20:-10]
    assert 0.5 * rms < np.sqrt(np.mean(error**2)) < rms


def test_it_is_noise_in_the_band_of_an_electrode(running):
    x = running.recording.emg.values
    assert np.abs(x.mean(axis=0)).max() < 0.1 * x.std(axis=0).min()
    f, power = welch(x, 1000.0, nperseg=512, axis=0)
    inside = (f > 20.0) & (f < 450.0)
    assert (power[inside].sum(axis=0) > 0.97 * power.sum(axis=0)).all()
    assert x.std(axis=0).min() > 1e-5 and x.std(axis=0).max() < 1.2e-3


def test_emg_is_ahead_of_activation(running):
    """The delay that fits best is the true one, to a few milliseconds, with clean envelopes."""
    trial = the_athlete("walking", noise=False)
    undivided = dict.fromkeys(trial.recording.emg.labels, 1.0)
    envelopes = ss.emg_envelopes(trial.recording, reference=undivided, lowpass=40.0, **RECIPE).emg
    hill = ss.hill_muscles(trial.truth_model, tuple(trial.electrodes))
    true = trial.truth.activation[:, [trial.truth.muscle_names.index(name) for name in hill.names]]
    errors = {}
    for delay in (0.02, 0.025, 0.03, 0.035, 0.04):
        found = ss.emg_activation(
            envelopes, hill, trial.electrodes, mvc=trial.mvc, delay=delay, time=trial.truth.time
        )
        errors[delay] = np.mean((found.activation - true)[20:-10] ** 2)
    assert min(errors, key=errors.get) == pytest.approx(trial.emg_delay) == emg.DELAY


def test_maximal_contractions_are_not_quite_maximal():
    real, full = emg.maximal_contractions(noise=True), emg.maximal_contractions(noise=False)
    mean_size = np.sqrt(2.0 / np.pi)  # of noise of unit variance
    for channel, loud in full.items():
        # Below 50 Hz the recipe leaves out 7 % of the power.
        assert 0.9 * 0.9 < real[channel] / (mean_size * loud) < 1.02


def test_same_at_every_load_and_in_the_file(running):
    again = load_athlete("running")
    np.testing.assert_array_equal(again.recording.emg.values, running.recording.emg.values)
    assert again.mvc == running.mvc
    file = ss.read(files("softstride.digital_athlete").joinpath("data", "running.c3d"))
    np.testing.assert_allclose(file.emg.values, running.recording.emg.values, rtol=1e-6, atol=1e-9)


def test_plates_and_markers_do_not_know_of_it(running):
    channels = [label for plate in running.recording.plates for label in plate.channels]
    assert not set(channels) & set(running.electrodes.values())
    assert channels == list(running.recording.analog.labels[: len(channels)])
