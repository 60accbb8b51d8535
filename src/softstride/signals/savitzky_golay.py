"""Savitzky-Golay smoothing and differentiation: a polynomial fitted to a moving window."""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.signals.inputs import FloatArray, as_signal, check_count, check_positive
from softstride.signals.runs import map_runs


def savitzky_golay(
    x: ArrayLike, rate: float, *, window: int, degree: int = 3, derivative: int = 0
) -> FloatArray:
    """Smooth or differentiate a signal with a moving least-squares polynomial.

    The value at frame i is d^k/dt^k at t_i of the polynomial of `degree` that fits the `window` samples around i
    best; in the first and last half window it is the polynomial of the first and last full window. A
    polynomial up to `degree` comes back exactly.

    Every run between gaps is treated on its own. In a run shorter than the window one polynomial fits the whole run,
    of degree n_run - 1 at most; a run of k or fewer samples says nothing about the k-th derivative, which is NaN
    there.

    Args:
        x: Samples, shape (n_frames, ...), evenly spaced; NaN stays NaN and is never bridged.
        rate: Sampling rate, in [Hz].
        window: Number of samples in the window, odd and above `degree`.
        degree: Degree of the polynomial.
        derivative: Order k of the derivative; 0 smooths.

    Returns:
        Shape (n_frames, ...), in the unit of x over [s^k].

    Raises:
        InputError: If rate, window, degree or derivative do not fit.

    References:
        Savitzky and Golay, Anal Chem 36:1627 (1964).
    """
    signal = as_signal(x)
    rate = check_positive("rate", rate, "Hz")
    degree, k = check_count("degree", degree, 0), check_count("derivative", derivative, 0)
    window = check_count("window", window, 1)
    if window % 2 == 0 or window <= degree:
        raise InputError(
            f"window must be an odd number of samples above the degree, {degree}, however it is {window}."
        )
    if k > degree:
        raise InputError(f"a polynomial of degree {degree} has no {k}th derivative; raise the degree.")

    def fit_run(samples: FloatArray) -> FloatArray:
        n = len(samples)
        if n <= k:
            return np.full_like(samples, np.nan)
        if n < window:
            return _fit_whole(samples, min(degree, n - 1), k) * rate**k
        from scipy.signal import savgol_filter  # loads half of SciPy: when it is needed

        return savgol_filter(samples, window, degree, deriv=k, delta=1.0 / rate, axis=0, mode="interp")

    return map_runs(signal, fit_run)


def _fit_whole(samples: FloatArray, degree: int, k: int) -> FloatArray:
    """Return the k-th derivative, per sample interval, of one polynomial through all samples."""
    n = len(samples)
    scale = max((n - 1) / 2.0, 1.0)
    place = (np.arange(n) - (n - 1) / 2.0) / scale  # within -1..1: powers stay of one size
    powers = place[:, None] ** np.arange(degree + 1)
    coefficients = np.linalg.lstsq(powers, samples, rcond=None)[0]
    factors = np.array([factorial(j) / factorial(j - k) for j in range(k, degree + 1)])
    return (powers[:, : degree + 1 - k] * factors) @ coefficients[k:] / scale**k
