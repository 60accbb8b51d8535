"""Residual analysis: which cutoff leaves as much noise in as it takes signal out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.signals.butterworth import butterworth
from softstride.signals.inputs import FloatArray, as_signal, check_cutoff, check_positive

_STEPS = 100
_SHORTEST_TAIL = 10


@dataclass(frozen=True, eq=False)
class ResidualAnalysis:
    """Residual curves, the line through the noise, and the cutoff they propose.

    Attributes:
        cutoffs: Cutoffs tried, shape (n_cutoffs,), in [Hz].
        residuals: Root mean square of x minus filtered x, shape (n_cutoffs, ...), in the unit of x.
        slope: Slope of the line through the noise tail, shape (...), in the unit of x per [Hz].
        intercept: The line at 0 Hz, an estimate of the standard deviation of the noise, shape (...).
        tail: Cutoff where the tail begins, shape (...), in [Hz].
        cutoff: Proposed cutoff, shape (...), in [Hz]; NaN where the curve begins below the intercept, which is a
            signal of noise alone or a range of cutoffs that begins too high.
    """

    cutoffs: FloatArray
    residuals: FloatArray
    slope: FloatArray
    intercept: FloatArray
    tail: FloatArray
    cutoff: FloatArray


def residual_analysis(
    x: ArrayLike,
    rate: float,
    *,
    cutoffs: ArrayLike | None = None,
    order: int = 4,
    passes: int = 2,
    linear: float = 0.98,
    pooled: bool = False,
) -> ResidualAnalysis:
    """Propose a low-pass cutoff from the residual between a signal and its filtered self.

    r(f) = sqrt(mean_i (x_i - y_i(f))^2), where y is x after `butterworth` at f. Where only noise is taken out, r
    falls along a line; its value at 0 Hz estimates the noise, and the cutoff is where r has come down to
    it, so that the signal lost and the noise kept are alike [Winter2009, sec. 3.4.4.3].

    The tail that counts as linear is the longest one, ending at the last cutoff, whose line explains at least
    `linear` of its variance (R^2); the last ten cutoffs if there is none. White noise makes
    r = sigma sqrt(1 - 2 f / rate), a line only well below half the rate: end `cutoffs` at rate/4 or lower.

    Args:
        x: Samples, shape (n_frames, ...), evenly spaced; NaN is left out.
        rate: Sampling rate, in [Hz].
        cutoffs: Cutoffs to try, rising, at least 20, in [Hz]; by default 100 equal steps up to rate/4.
        order: Order of the whole filter.
        passes: Passes of the filter.
        linear: R^2 that makes a line, in (0, 1).
        pooled: Whether all channels share one curve, the root mean square over them, and one cutoff.

    Returns:
        The curves and the proposal, for each channel or pooled.

    Raises:
        InputError: If rate, cutoffs or options do not fit, or no sample is measured in a channel.

    References:
        [Winter2009] Biomechanics and Motor Control of Human Movement, 4th ed., sec. 3.4.4.3.
    """
    signal = as_signal(x)
    rate = check_positive("rate", rate, "Hz")
    if not 0.0 < linear < 1.0:
        raise InputError(f"linear is an R^2 between 0 and 1, however it is {linear!r}.")
    tried = _cutoffs(cutoffs, rate)
    axes = tuple(range(signal.ndim)) if pooled else (0,)
    if not (~np.isnan(signal)).any(axis=axes).all():
        raise InputError("a channel of x has no measured sample; leave it out.")
    residuals = np.stack(
        [
            np.sqrt(
                np.nanmean(
                    (signal - butterworth(signal, rate, f, order=order, passes=passes)) ** 2, axis=axes
                )
            )
            for f in tried
        ]
    )
    curves = residuals.reshape(len(tried), -1)
    begin, slope, intercept = _noise_line(tried, curves, linear)
    shape = residuals.shape[1:]
    return ResidualAnalysis(
        cutoffs=tried,
        residuals=residuals,
        slope=slope.reshape(shape),
        intercept=intercept.reshape(shape),
        tail=tried[begin].reshape(shape),
        cutoff=_crossing(tried, curves, intercept).reshape(shape),
    )


def _cutoffs(cutoffs: ArrayLike | None, rate: float) -> FloatArray:
    """Return the cutoffs to try."""
    if cutoffs is None:
        return np.linspace(rate / 4.0 / _STEPS, rate / 4.0, _STEPS)
    tried = as_signal(cutoffs, "cutoffs")
    if tried.ndim != 1 or len(tried) < 2 * _SHORTEST_TAIL or not (np.diff(tried) > 0).all():
        raise InputError(f"cutoffs must be at least {2 * _SHORTEST_TAIL} rising frequencies, in Hz.")
    check_cutoff("the first of cutoffs", float(tried[0]), rate)
    check_cutoff("the last of cutoffs", float(tried[-1]), rate)
    return tried


def _noise_line(
    f: FloatArray, curves: FloatArray, linear: float
) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
    """Return where the linear tail begins, its slope and its intercept, for each column."""
    starts = np.arange(len(f) - _SHORTEST_TAIL + 1)
    fits = np.empty((3, len(starts), curves.shape[1]))  # R^2, slope, intercept
    for start in starts:
        x, y = f[start:] - f[start:].mean(), curves[start:]
        mean = y.mean(axis=0)
        slope = x @ y / (x @ x)
        total = np.sum((y - mean) ** 2, axis=0)
        left = np.sum((y - mean - x[:, None] * slope) ** 2, axis=0)
        explained = 1.0 - left / np.where(total > 0, total, 1.0)
        fits[:, start] = explained, slope, mean - slope * f[start:].mean()
    good = fits[0] >= linear
    begin = np.where(good.any(axis=0), np.argmax(good, axis=0), len(starts) - 1)
    columns = np.arange(curves.shape[1])
    return begin, fits[1, begin, columns], fits[2, begin, columns]


def _crossing(f: FloatArray, curves: FloatArray, level: FloatArray) -> FloatArray:
    """Return where each curve first comes down to its level, by linear interpolation; NaN if it begins there."""
    below = curves <= level
    after = np.argmax(below, axis=0)
    columns = np.arange(curves.shape[1])
    usable = below.any(axis=0) & (after > 0)
    before = np.where(usable, after - 1, 0)
    high, low = curves[before, columns], curves[after, columns]
    share = (high - level) / np.where(high > low, high - low, 1.0)
    return np.where(usable, f[before] + share * (f[after] - f[before]), np.nan)
