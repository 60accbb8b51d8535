"""Checks that the options of several solvers share."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from softstride.errors import InputError, Option


def number(value: object, what: str, part: str = "") -> float:
    """Return a number that is not NaN; text is none, nor are true and false.

    Args:
        value: What was given.
        what: The option that it was given for.
        part: Of the option: " of 'soleus_r'".
    """
    try:
        if isinstance(value, str | bytes | bool | np.bool_):
            raise TypeError
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise _refused(f"{what}{part} must be a number, however it is {value!r}", what, value) from None
    if math.isnan(found):
        raise _refused(f"{what}{part} must be a number, however it is NaN", what, value)
    return found


def time_range(given: Iterable[float]) -> tuple[float, float]:
    """Return a start and an end [s]."""
    try:
        first, last = given
    except (TypeError, ValueError):
        told = f"time_range must be a start and an end [s], however it is {given!r}"
        raise _refused(told, "time_range", given) from None
    first, last = number(first, "time_range"), number(last, "time_range")
    if first > last:
        told = f"time_range must be a start and an end [s], however it is {first:g} to {last:g}"
        raise _refused(told, "time_range", (first, last))
    return first, last


def _refused(told: str, parameter: str, value: object) -> InputError:
    return InputError(told, parameter=parameter, value=value, options=(Option(parameter),))
