"""Checks of the numbers and arrays that the contact models are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError

FloatArray = NDArray[np.float64]


def as_floats(value: ArrayLike, name: str) -> FloatArray:
    """Return real numbers as a float array; NaN passes, since it means "not measured".

    Args:
        value: A number or an array, of any shape.
        name: How a message calls it.

    Raises:
        InputError: It is not made of real numbers.
    """
    try:
        raw = np.asarray(value)
    except ValueError as problem:
        raise InputError(f"{name} must be an array of real numbers: {problem}") from problem
    if raw.dtype.kind not in "uif":
        raise InputError(f"{name} must be an array of real numbers, however it is {value!r}")
    return np.asarray(raw, dtype=np.float64)


def constants(value: ArrayLike, shape: tuple[int, ...] | None, name: str) -> FloatArray:
    """Return a read-only copy of finite numbers.

    Args:
        value: The numbers.
        shape: The shape they must have; None: any.
        name: How a message calls them.

    Raises:
        InputError: Another shape, or a number that is not finite.
    """
    array = np.array(as_floats(value, name))
    if shape is not None and array.shape != shape:
        raise InputError(f"{name} must have shape {shape}, however it has {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite, however it is {array.tolist()}")
    array.setflags(write=False)
    return array


def bounded(
    value: ArrayLike, name: str, lower: float, unit: str = "", *, open_end: bool = False
) -> FloatArray:
    """Return a read-only copy of finite numbers that are not too small.

    Args:
        value: A number or an array, of any shape.
        name: How a message calls it.
        lower: The smallest value.
        unit: For the message, e.g. " m".
        open_end: Whether the smallest value itself is refused.

    Raises:
        InputError: A number is not finite or too small.
    """
    array = constants(value, None, name)
    if np.any(array <= lower if open_end else array < lower):
        words = "above" if open_end else "at least"
        raise InputError(f"{name} must be {words} {lower:g}{unit}, however it is {array.min():g}{unit}")
    return array


def number(value: float, name: str, lower: float, unit: str = "", *, open_end: bool = False) -> float:
    """Return one finite number that is not too small; see `bounded`."""
    array = bounded(value, name, lower, unit, open_end=open_end)
    if array.ndim:
        raise InputError(f"{name} must be one number, however it has shape {array.shape}")
    return float(array)
