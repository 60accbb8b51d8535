"""Derivatives of sampled signals: by spline, by central differences, by a moving polynomial."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline

from softstride.errors import InputError
from softstride.signals.inputs import FloatArray, as_signal, as_time, check_count, check_positive
from softstride.signals.runs import as_columns, contiguous_runs
from softstride.signals.savitzky_golay import savitzky_golay
from softstride.signals.smoothing_spline import fit_spline

Method = Literal["spline", "central", "savgol"]

QUINTIC = 5
# Largest departure of an instant from even spacing, as a fraction of the interval: 600 Hz with times rounded to
# 1e-4 s, which files have, is off by 0.03.
EVEN = 0.05


def derivative(
    time_or_rate: ArrayLike,
    x: ArrayLike,
    order: int = 1,
    method: Method = "spline",
    **options: Any,
) -> FloatArray:
    """Differentiate a signal.

    - "spline": the quintic spline. Without options it goes through every sample (ends free, "not a knot"; the error
      falls as h^(6 - order)), and noise is differentiated with the rest. With the options of `fit_spline`
      (`smoothing="gcv"`, `cutoff`, `noise`, `half_order`, `weights`) it is the smoothing spline.
    - "central": (x(i+1) - x(i-1)) / 2h and (x(i+1) - 2 x(i) + x(i-1)) / h^2 and their forms for uneven spacing,
      one-sided at the ends; the error falls as h^2 on even spacing. Orders 1 and 2.
    - "savgol": `savitzky_golay`, with its `window` and `degree`; even spacing only.

    Every run between gaps is differentiated on its own. A run of `order` samples or fewer says nothing about this
    derivative, which is NaN there.

    Args:
        time_or_rate: Instants, shape (n_frames,), in [s], or the sampling rate, in [Hz].
        x: Samples, shape (n_frames, ...); NaN stays NaN and is never bridged.
        order: Order k of the derivative, at least 1.
        method: "spline", "central" or "savgol".
        **options: Of `fit_spline` or `savitzky_golay`.

    Returns:
        Shape (n_frames, ...), in the unit of x over [s^k].

    Raises:
        InputError: If the arguments do not fit the method.
    """
    signal = as_signal(x)
    k = check_count("order", order, 1)
    if method == "savgol":
        rate = _rate(time_or_rate, len(signal))
        if "window" not in options:
            raise InputError("method 'savgol' needs window, the number of samples it fits at once.")
        return savitzky_golay(signal, rate, **{"degree": max(3, k), **options, "derivative": k})
    time = _time(time_or_rate, len(signal))
    if method == "spline" and options:
        return fit_spline(time, signal, **options)(time, k)
    if method not in ("spline", "central"):
        raise InputError(f"method must be 'spline', 'central' or 'savgol', however it is {method!r}.")
    if options:
        raise InputError(f"method 'central' takes no options, however {', '.join(options)} came.")
    if k > (QUINTIC if method == "spline" else 2):
        raise InputError(f"method {method!r} gives no derivative of order {k}.")
    flat = as_columns(signal)
    result = np.full_like(flat, np.nan)
    differentiate = _interpolated if method == "spline" else _central
    for run in contiguous_runs(signal):
        if len(run) > k:
            frames = slice(run.start, run.stop)
            result[frames, run.columns] = differentiate(time[frames], flat[frames][:, run.columns], k)
    return result.reshape(signal.shape)


def _time(time_or_rate: ArrayLike, n_frames: int) -> FloatArray:
    """Return instants from instants or a rate."""
    if np.ndim(time_or_rate) == 0:
        return np.arange(n_frames) / check_positive("rate", time_or_rate, "Hz")  # type: ignore[arg-type]
    return as_time(time_or_rate, n_frames)


def _rate(time_or_rate: ArrayLike, n_frames: int) -> float:
    """Return a rate from evenly spaced instants or a rate."""
    if np.ndim(time_or_rate) == 0:
        return check_positive("rate", time_or_rate, "Hz")  # type: ignore[arg-type]
    time = as_time(time_or_rate, n_frames)
    if n_frames < 2:
        raise InputError("one instant has no sampling rate; give the rate in Hz.")
    interval = (time[-1] - time[0]) / (n_frames - 1)
    if np.max(np.abs(time - time[0] - interval * np.arange(n_frames))) > EVEN * interval:
        raise InputError("method 'savgol' needs evenly spaced instants; use method 'spline' for these.")
    return float(1.0 / interval)


def _interpolated(time: FloatArray, samples: FloatArray, k: int) -> FloatArray:
    """Return the derivative of the quintic through the samples; of lower degree where these are few."""
    interval = (time[-1] - time[0]) / (len(time) - 1)
    place = (time - time[0]) / interval  # near one apart: the equations stay well scaled
    degree = min(QUINTIC, len(time) - 1)
    return make_interp_spline(place, samples, k=degree)(place, k) / interval**k


def _central(time: FloatArray, samples: FloatArray, k: int) -> FloatArray:
    """Return differences over three points: the derivative of the parabola through them."""
    step = np.diff(time)[:, None]
    slope = np.diff(samples, axis=0) / step
    if len(slope) == 1:
        return np.repeat(slope, 2, axis=0)
    bend = np.diff(slope, axis=0) / (step[1:] + step[:-1])
    if k == 1:
        inner = slope[:-1] + bend * step[:-1]
        return np.concatenate([slope[:1] - bend[:1] * step[:1], inner, slope[-1:] + bend[-1:] * step[-1:]])
    if len(bend) == 1:
        return np.repeat(2.0 * bend, 3, axis=0)
    # The straight line through the two nearest is the one-sided formula (2, -5, 4, -1) / h^2 on even spacing.
    first = bend[:1] + (bend[:1] - bend[1:2]) * step[:1] / step[1:2]
    last = bend[-1:] + (bend[-1:] - bend[-2:-1]) * step[-1:] / step[-2:-1]
    return 2.0 * np.concatenate([first, bend, last])
