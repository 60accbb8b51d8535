"""Surface EMG of the digital athlete: noise in the band of an electrode, as loud as the muscle is excited.

With the excitation u of a muscle, the electromechanical delay d, and a loudness A of each channel,

    EMG(t) = A u(t + d) n(t) + sensor noise,

n noise of unit variance between 20 and 450 Hz, seeded. The value of a maximal voluntary contraction (MVC) is the mean
envelope of three more seconds in which the athlete tries hard, and reaches 90 to 100 % of full excitation. Neither
crosstalk nor movement of cables is in it.

Without noise the carrier n is a sine of 150 Hz whose mean size is one: rectified and smoothed it gives back
A u(t + d), and the MVC is A: full excitation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt

from softstride.frozen import Table
from softstride.signals.emg import emg_envelope

Array = NDArray[np.float64]

ELECTRODES: Mapping[str, str] = Table(
    {
        "bflh_r": "EMG R biceps femoris",
        "semiten_r": "EMG R semitendinosus",
        "bflh_l": "EMG L biceps femoris",
        "semiten_l": "EMG L semitendinosus",
        "vaslat_l": "EMG L vastus lateralis",
        "recfem_l": "EMG L rectus femoris",
        "glmax2_l": "EMG L gluteus maximus",
        "tibant_l": "EMG L tibialis anterior",
        "soleus_l": "EMG L soleus",
        "gasmed_l": "EMG L gastrocnemius medialis",
    }
)
"""Muscle and channel: two on the side of the blade, where socket and liner leave no room for more, eight on the other.

The electrode of gluteus maximus sits on the middle one of the three parts that the model has."""

RATE = 1000.0
"""Samples a second [Hz]: those of the plates."""

DELAY = 0.030
"""d: by how much EMG is ahead of the excitation that moves activation [s]."""

BAND = (20.0, 450.0)
LOUDNESS = (0.3e-3, 1.2e-3)
"""Range of A, the standard deviation at full excitation, drawn for each channel [V]."""

EFFORT = (0.90, 1.00)
"""Range of what is reached in a maximal contraction."""

SENSOR = 4e-6
"""Standard deviation of the sensor's own noise [V], white."""

CARRIER = 150.0
"""Frequency of the carrier of EMG without noise [Hz]."""

MAXIMAL = 3.0
"""Length of a maximal contraction [s]."""

SEEDS = {"running": 71, "walking": 72}
PERSON = 70
"""Seed of what belongs to the athlete and the electrodes: the same in all trials."""


def synthesise_emg(
    excitation: Array, names: tuple[str, ...], rate: float, trial: str, *, noise: bool
) -> Array:
    """Return the channels of `ELECTRODES`, shape (n_samples, n_channels), [V].

    Args:
        excitation: u of all muscles from each frame to the next, shape (n, m).
        names: Of the muscles.
        rate: Frames a second [Hz].
        trial: Its name, which seeds the noise.
        noise: Whether EMG is noise, as it is; else its carrier is a sine.
    """
    columns = [names.index(name) for name in ELECTRODES]
    time = np.arange(round(RATE / rate) * len(excitation)) / RATE
    frame = np.minimum((time + DELAY) * rate + 1e-9, len(excitation) - 1).astype(int)
    loud = loudness() * excitation[frame][:, columns]
    if not noise:
        return np.asarray(loud * _sine(time)[:, None])
    draw = np.random.default_rng(SEEDS.get(trial, 73))
    return np.asarray(loud * _noise(draw, loud.shape) + SENSOR * draw.standard_normal(loud.shape))


def loudness() -> Array:
    """Return A of each channel, shape (n_channels,), [V]."""
    return np.random.default_rng(PERSON).uniform(*LOUDNESS, len(ELECTRODES))


@cache
def maximal_contractions(*, noise: bool) -> Mapping[str, float]:
    """Return the MVC of each channel [V]: what its envelope is divided by to give an excitation."""
    A = loudness()
    if not noise:
        return Table(dict(zip(ELECTRODES.values(), A.tolist(), strict=True)))
    draw = np.random.default_rng(PERSON + 1)
    effort = draw.uniform(*EFFORT, len(A))
    shape = (round(MAXIMAL * RATE), len(A))
    raw = A * effort * _noise(draw, shape) + SENSOR * draw.standard_normal(shape)
    middle = slice(round(0.5 * RATE), round((MAXIMAL - 0.5) * RATE))
    envelope = emg_envelope(raw, RATE, band=(50.0, None))[middle]
    return Table(dict(zip(ELECTRODES.values(), envelope.mean(axis=0).tolist(), strict=True)))


def _noise(draw: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return noise of unit variance in the band, shape (n_samples, n_channels)."""
    band = butter(4, BAND, "bandpass", fs=RATE, output="sos")
    passed = sosfiltfilt(band, draw.standard_normal(shape), axis=0)
    return np.asarray(passed / passed.std(axis=0))


def _sine(time: Array) -> Array:
    """Return a sine whose mean size is one."""
    return np.asarray(0.5 * np.pi * np.sin(2.0 * np.pi * CARRIER * time))


__all__ = ["DELAY", "ELECTRODES", "loudness", "maximal_contractions", "synthesise_emg"]
