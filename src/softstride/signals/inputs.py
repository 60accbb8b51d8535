"""Checks of the arguments that every signal function shares: arrays, rates, cutoffs, orders."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError, Option

FloatArray = NDArray[np.float64]


def as_signal(x: ArrayLike, name: str = "x") -> FloatArray:
    """Return a signal as a new float array, time along axis 0; NaN marks what was not measured.

    Args:
        x: Samples, shape (n_frames, ...), real; NaN allowed, infinity not.
        name: How a message calls it.

    Returns:
        A copy, shape (n_frames, ...).

    Raises:
        InputError: If it is no array of real numbers, has no time axis or holds infinity.
    """
    try:
        raw = np.asarray(x)
    except ValueError as problem:
        raise InputError(f"{name} must be an array of real numbers: {problem}.") from problem
    if raw.dtype.kind not in "buif":
        raise InputError(
            f"{name} must be an array of real numbers, however it has type {raw.dtype}; take the real part, or "
            "leave out columns of text."
        )
    array = np.array(raw, dtype=np.float64)
    if array.ndim == 0:
        raise InputError(f"{name} must have time along axis 0, however it is a single number.")
    if np.isinf(array).any():
        frame = int(np.argwhere(np.isinf(array))[0][0])
        raise InputError(
            f"{name} is infinite at frame {frame}; mark samples that were not measured with NaN."
        )
    return array


def as_time(time: ArrayLike, n_frames: int) -> FloatArray:
    """Return the instants of a signal.

    Args:
        time: Instants, shape (n_frames,), in [s], strictly increasing, of any spacing.
        n_frames: Number of samples of the signal.

    Returns:
        A copy, shape (n_frames,), in [s].

    Raises:
        InputError: If the shape does not fit, an instant is not finite, or time does not increase.
    """
    t = as_signal(time, "time")
    if t.shape != (n_frames,):
        raise InputError(
            f"time must have shape ({n_frames},), one instant a frame, however it has {t.shape}."
        )
    if np.isnan(t).any():
        raise InputError(
            f"time is NaN at frame {int(np.argmax(np.isnan(t)))}; every frame needs its instant."
        )
    if n_frames > 1 and not (np.diff(t) > 0).all():
        frame = int(np.argmin(np.diff(t) > 0)) + 1
        raise InputError(
            f"time must increase from frame to frame, however frame {frame} is at {t[frame]:.9g} s, after "
            f"{t[frame - 1]:.9g} s; sort the frames and drop the doubled ones."
        )
    return t


def check_positive(name: str, value: float, unit: str) -> float:
    """Return a finite positive number.

    Args:
        name: How a message calls it.
        value: The number.
        unit: Its unit, for the message.

    Returns:
        The number as a float.

    Raises:
        InputError: If it is not one finite number above zero.
    """
    array = np.asarray(value)
    if array.ndim or array.dtype.kind not in "uif" or not np.isfinite(array) or array <= 0:
        raise _refused(
            name, value, f"must be a finite number above zero, in {unit}, however it is {value!r}."
        )
    return float(array)


def check_cutoff(name: str, value: float, rate: float) -> float:
    """Return a frequency between zero and half the sampling rate, both excluded.

    Args:
        name: How a message calls it.
        value: The frequency, in [Hz].
        rate: Sampling rate, in [Hz].

    Returns:
        The frequency as a float, in [Hz].

    Raises:
        InputError: If it is not inside (0, rate/2).
    """
    cutoff = check_positive(name, value, "Hz")
    if cutoff >= rate / 2:
        words = f"must be below half the sampling rate, {rate / 2:.6g} Hz, however it is {cutoff:.6g} Hz."
        raise _refused(name, cutoff, words)
    return cutoff


def check_count(name: str, value: int, smallest: int) -> int:
    """Return a whole number that is not too small.

    Args:
        name: How a message calls it.
        value: The number.
        smallest: The smallest value allowed.

    Returns:
        The number as an int.

    Raises:
        InputError: If it is not a whole number or is too small.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < smallest:
        raise _refused(
            name, value, f"must be a whole number of at least {smallest}, however it is {value!r}."
        )
    return int(value)


def _refused(name: str, value: object, words: str) -> InputError:
    """Return the error about a parameter; the parameter of "the first of cutoffs" is cutoffs."""
    option = Option(name.rpartition(" ")[2])
    return InputError(f"{name} {words}", parameter=option.name, value=value, options=[option])
