"""A low-pass filter that knows its derivatives: Butterworth's as a differential equation, solved along the samples.

The second-order Butterworth filter with the angular cutoff w is

    d²y/dt² + sqrt(2) w dy/dt + w² y = w² x

Its state is y and dy/dt, so a filtered signal comes with its derivative, and samples may lie at any instants. The
trapezoidal rule carries the state from sample to sample. Run once backward and once forward there is no lag; the
derivatives are those of the last pass. Laboratories that filter in real time work like this [vandenBogert2013]; the
planar gait reference of docs/planar.md was made so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.signals.inputs import FloatArray, as_signal, as_time, check_positive

State = tuple[FloatArray, FloatArray, FloatArray]

TWO_PASSES = 0.802
"""(sqrt(2) - 1)^(1/4) as [Winter2009] rounds it: what a cutoff is divided by if a second-order filter runs twice."""


@dataclass(frozen=True, eq=False)
class FilteredRates:
    """A filtered signal with its derivatives.

    Attributes:
        value: Filtered samples, shape (n_frames, ...).
        rate: First derivatives, in the unit of x over [s].
        acceleration: Second derivatives, the step of `rate` from the sample before, in the unit of x over [s²].
    """

    value: FloatArray
    rate: FloatArray
    acceleration: FloatArray


def state_filter(time: ArrayLike, x: ArrayLike, cutoff: float, *, pause: float = math.inf) -> FilteredRates:
    """Filter a signal backward, then forward, and return it with two derivatives.

    The backward pass starts at rest at the last sample. The forward pass starts from the state in which the backward
    pass ended, after a pause: with an endless one, at the first sample, with the rate at which the backward pass
    arrived there. The second derivative is the difference of two states, so it lags by half a step. Samples need not be
    evenly spaced: frames that were not measured are left out by the caller. The loop over samples is in Python; for
    filters of long records see `butterworth`.

    Args:
        time: Instants, shape (n_frames,), [s], strictly increasing.
        x: Samples, shape (n_frames, ...), finite.
        cutoff: Half-power frequency of both passes together [Hz].
        pause: Between both passes [s]. A program that keeps its state from one pass to the next, and gives the first
            one the instants -t, has a pause of 2 t_0.

    Returns:
        Filtered samples and derivatives.

    Raises:
        InputError: If x has NaN, or the arguments do not fit.

    References:
        [vandenBogert2013]; [Winter2009], sec. 3.4.4.2, for the correction of the cutoff.
    """
    signal = as_signal(x)
    instants = as_time(time, len(signal))
    if np.isnan(signal).any():
        frame = int(np.argwhere(np.isnan(signal))[0][0])
        raise InputError(f"x is NaN at frame {frame}; leave out instants that were not measured.")
    w = 2.0 * np.pi * check_positive("cutoff", cutoff, "Hz") / TWO_PASSES
    if not pause > 0.0:
        raise InputError(f"pause must be above zero, in s, however it is {pause!r}.")
    if not len(signal):
        return FilteredRates(signal, signal.copy(), signal.copy())
    still = np.zeros_like(signal[-1])
    back, back_rate, _ = _pass(-instants[::-1], signal[::-1], w, (signal[-1], still, still))
    back = back[::-1]
    ended = (back[0], back_rate[-1])
    if math.isinf(pause):
        start = (signal[0], -ended[1], still)
    else:
        start = _step(*ended, 0.5 * (signal[0] + back[0]), pause, w)
    return FilteredRates(*_pass(instants, back, w, start))


def _pass(time: FloatArray, x: FloatArray, w: float, start: State) -> State:
    """Return y, dy/dt and the steps of dy/dt over those of time."""
    y, rate, acceleration = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    y[0], rate[0], acceleration[0] = start
    for k in range(1, len(time)):
        mean = 0.5 * (x[k] + x[k - 1])
        y[k], rate[k], acceleration[k] = _step(y[k - 1], rate[k - 1], mean, time[k] - time[k - 1], w)
    return y, rate, acceleration


def _step(y: FloatArray, rate: FloatArray, x: FloatArray, h: float, w: float) -> State:
    """Return y, dy/dt and the mean acceleration after a step h with the mean input x.

    (1 + h w/sqrt(2) + h² w²/4) d = w² (x - y) - (sqrt(2) w + h w²/2) dy/dt, d the mean acceleration.
    """
    pull = w * w * (x - y) - (math.sqrt(2.0) * w + 0.5 * h * w * w) * rate
    acceleration = pull / (1.0 + h * w / math.sqrt(2.0) + 0.25 * h * h * w * w)
    after = rate + h * acceleration
    return y + 0.5 * h * (rate + after), after, acceleration
