"""Numbers with their errors: extremes over cycles, and how they are written."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.report.curves import Curve
from softstride.report.strides import Strides

Array = NDArray[np.float64]
Which = Literal["max", "min", "range", "mean"]


UNKNOWN = 0.1
"""Share of a cycle that may be unknown for its extremes to count."""

TWO_DIGITS = 2.95
"""Errors that begin with less have two digits."""

MOST_DIGITS = 4
"""Of a value with an error: nobody measures better."""

MOST_PLACES = 6
"""Behind the point; smaller errors have an exponent."""


@dataclass(frozen=True)
class Number:
    """A number and how well it is known.

    Attributes:
        value: NaN: not known.
        error: Standard deviation; NaN: not known.
        n: How many cycles, steps or strikes it is the mean of; 0: the whole trial.
        kind: What the error is: "spread" over n, or "error" of a single value.
    """

    value: float
    error: float = math.nan
    n: int = 0
    kind: Literal["spread", "error"] = "spread"

    def __str__(self) -> str:
        """Write value and error with the digits that the error leaves."""
        return written(self.value, self.error)

    def snapped(self, least: float) -> Number:
        """Return the number with a value and an error of zero where they are smaller than `least`: rounding."""
        return replace(
            self,
            value=0.0 if abs(self.value) < least else self.value,
            error=0.0 if self.error < least else self.error,
        )


def mean_of(values: Array) -> Number:
    """Return the mean of some values and their standard deviation, with n - 1."""
    seen = np.asarray(values, dtype=np.float64)
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        return Number(math.nan)
    return Number(float(seen.mean()), float(seen.std(ddof=1)) if len(seen) > 1 else math.nan, len(seen))


def extreme(curve: Curve, which: Which, strides: Strides) -> Number:
    """Return an extreme of a curve: mean and standard deviation over the cycles of its side.

    Cycles of which more than `UNKNOWN` is not known are left out where there are others. Of a single cycle, and of a
    trial without one, the error is that of the curve at that place. What is doubtful does not count.
    """
    if curve.side is None or not strides.count(curve.side):
        return _single(curve.believed, curve.std, which, 0)
    cycles = strides.cut(curve.side, curve.time, curve.believed)
    known = np.isfinite(cycles).mean(axis=1)
    kept = known >= 1.0 - UNKNOWN if (known >= 1.0 - UNKNOWN).any() else known > 0.0
    if kept.sum() > 1:
        return mean_of(np.array([_extreme(cycle, which)[0] for cycle in cycles[kept]]))
    if not kept.any():
        return Number(math.nan)
    errors = None if curve.std is None else strides.cut(curve.side, curve.time, curve.std)[kept][0]
    return _single(cycles[kept][0], errors, which, 1)


def written(value: float, error: float = math.nan, digits: int = 3) -> str:
    """Return "12.3 ± 0.4"; "–" where there is no value.

    The error has one digit, or two where the first is 1 or 2, and the value as many places; it never has more than
    `MOST_DIGITS` digits: then the error has fewer, or is left out where nothing is left of it.
    """
    if not math.isfinite(value):
        return "–"
    if not math.isfinite(error) or error <= 0.0:
        return plain(value, digits)
    size = math.floor(math.log10(error))
    places = (1 if error / 10.0**size < TWO_DIGITS else 0) - size
    if value != 0.0:
        places = min(places, MOST_DIGITS - 1 - math.floor(math.log10(abs(value))))
    if places > MOST_PLACES:
        return f"{plain(value, digits)} ± {error:.0e}"
    places = max(places, 0)
    told = f"{error:.{places}f}"
    if float(told) == 0.0:
        return plain(value, digits)
    return f"{_signed(f'{value:.{places}f}')} ± {told}"


def plain(value: float, digits: int = 3) -> str:
    """Return a number with some digits, without an exponent where it can be read without."""
    if not math.isfinite(value):
        return "–"
    if value == 0.0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -4 or size > 6:
        return _signed(f"{value:.{digits - 1}e}")
    return _signed(f"{value:.{max(digits - 1 - size, 0)}f}")


def _signed(number: str) -> str:
    """Return a number with a minus sign in place of a hyphen, and none before zero."""
    if float(number) == 0.0:
        number = number.lstrip("-")
    return number.replace("-", "\u2212") if "e" not in number else number


def _single(values: Array, errors: Array | None, which: Which, n: int) -> Number:
    value, places = _extreme(values, which)
    if errors is None or not places:
        return Number(value, math.nan, n, "error")
    return Number(value, float(np.sqrt(np.sum(errors[places] ** 2))), n, "error")


def _extreme(values: Array, which: Which) -> tuple[float, list[int]]:
    """Return the extreme, and the places whose errors it has."""
    if not np.isfinite(values).any():
        return math.nan, []
    if which == "mean":
        return float(np.nanmean(values)), []
    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    if which == "range":
        return float(values[high] - values[low]), [low, high]
    at = high if which == "max" else low
    return float(values[at]), [at]
