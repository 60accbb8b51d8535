"""What noise of single frames does to coordinates, velocities and accelerations of a motion.

All three are linear in the samples: at frame t, x^(i) = sum_s K_i[t, s] x_s for the derivative i = 0, 1, 2. So noise
that is independent from frame to frame, with one covariance C of all coordinates, gives them the covariance
G kron C with the Gram matrix G_ij = sum_s K_i[t, s] K_j[t, s]. K is found by sending unit samples through what was
done to the motion: the quintic spline through the frames, the smoothing spline of an inverse kinematics with a cutoff,
the low pass of an inverse dynamics.

Errors that last, such as those of soft tissue, are a sine of one frequency f and of any phase: with w = 2 pi f,
(x, x', x'') then have the Gram matrix Re(z z^H), z = (1, iw, -w^2) times the gain of what was done.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.prepare import low_passed
from softstride.kinematics.curve import fit_curve
from softstride.model.builder import ModelBuilder
from softstride.model.model import Model

Array = NDArray[np.float64]

MOST = 384
"""Frames of the clock on which kernels are found. A longer trial has the ends of such a clock, and its middle."""

COLUMNS = 64
"""Unit samples sent through at once."""


@dataclass(frozen=True, eq=False)
class Filtering:
    """What was done to the samples of a motion in time.

    Attributes:
        cutoff: Of the smoothing spline of the inverse kinematics [Hz]; None: frames were solved one by one.
        lowpass: Of the inverse dynamics [Hz]; None: none.
    """

    cutoff: float | None = None
    lowpass: float | None = None


@dataclass(frozen=True, eq=False)
class Spectrum:
    """How the error of a coordinate and its two derivatives is distributed over frequencies.

    Attributes:
        angle: Frequencies as phase from frame to frame [rad], shape (f,).
        power: Re(z z^H) for z = (x, x', x''), for unit variance of a sample, shape (f, 3, 3); its sum is the Gram
            matrix.
    """

    angle: Array
    power: Array


def responses(time: Array, filtering: Filtering, samples: NDArray[np.intp] | None = None) -> Array:
    """Return K, shape (3, n, k): derivative i at frame t by a unit sample s is K[i, t, s].

    Args:
        time: Instants [s], shape (n,).
        filtering: What was done.
        samples: Which samples, k of them; None: all.
    """
    n = len(time)
    wanted = np.arange(n) if samples is None else samples
    out = np.empty((3, n, len(wanted)))
    model = _sliders(COLUMNS)
    for start in range(0, len(wanted), COLUMNS):
        some = wanted[start : start + COLUMNS]
        unit = np.zeros((n, COLUMNS))
        unit[some, np.arange(len(some))] = 1.0
        through = unit
        if filtering.cutoff is not None:
            through = fit_curve(model, time, unit, cutoff=filtering.cutoff).q
        if filtering.lowpass is not None:
            state = low_passed(model, time, through, filtering.lowpass)
            found = (state.q, state.v, state.a)
        else:
            curve = fit_curve(model, time, through)
            found = (curve.q, curve.v, curve.a)
        for i, part in enumerate(found):
            out[i, :, start : start + len(some)] = part[:, : len(some)]
    return out


def noise_gram(time: Array, filtering: Filtering) -> tuple[Array, Spectrum]:
    """Return the Gram matrix of noise in each frame, shape (n, 3, 3), and its spectrum far from the ends of a trial."""
    n = len(time)
    step = float(np.median(np.diff(time))) if n > 1 else 1.0
    K = responses(time if n <= MOST else _even(step), filtering)
    gram = np.einsum("its,jts->tij", K, K)
    if n > MOST:
        half = MOST // 2
        middle = np.broadcast_to(gram[half], (n - MOST, 3, 3))
        gram = np.concatenate([gram[:half], middle, gram[half:]])
    z = np.fft.rfft(_kernel(step, filtering), axis=1)  # (3, f)
    power = np.real(z[:, None] * np.conj(z[None])) / MOST
    power[..., 1:-1] *= 2.0  # negative frequencies
    return gram, Spectrum(2.0 * np.pi * np.arange(z.shape[1]) / MOST, np.moveaxis(power, 2, 0))


def sine_spectrum(time: Array, filtering: Filtering, frequency: float) -> Spectrum:
    """Return the spectrum of an error that is a sine of one frequency [Hz] and of any phase, of variance one."""
    step = float(np.median(np.diff(time))) if len(time) > 1 else 1.0
    angle = 2.0 * np.pi * frequency * step
    z = _kernel(step, filtering) @ np.exp(-1j * angle * np.arange(MOST))
    power = np.real(z[:, None] * np.conj(z[None]))
    return Spectrum(np.array([angle]), power[None])


def _kernel(step: float, filtering: Filtering) -> Array:
    """Return what a unit sample in the middle of a long trial does to all frames, shape (3, MOST)."""
    return responses(_even(step), filtering, np.array([MOST // 2]))[..., 0]


def _even(step: float) -> Array:
    return np.asarray(step * np.arange(MOST), dtype=np.float64)


@lru_cache(maxsize=1)
def _sliders(count: int) -> Model:
    """Return a model with so many plain coordinates."""
    builder = ModelBuilder("samples")
    for i in range(count):
        builder.prismatic(f"x{i}", axis=(1.0, 0.0, 0.0), mass=1.0)
    return builder.build()
