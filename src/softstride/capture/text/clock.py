"""Time columns: which regular clock stands behind a column that was rounded for printing, and at which rate.

A column `t_k` printed with `d` decimals belongs to the clock `t_0 + i_k / rate` (`i_k` the frame numbers) if a
`t_0` exists for which no value is further than half of the last decimal away. It does exactly if

    max_k (t_k - i_k / rate) - min_k (t_k - i_k / rate) <= 10^-d .
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softstride.capture.text.encoding import listed
from softstride.errors import CaptureError
from softstride.notes import Note

FloatArray = NDArray[np.float64]

_MOST_DECIMALS = 12  # more than these, and nobody rounded
_LATEST = 1e12  # [s]: no clock counts from further back
_NEGLIGIBLE = 1e-4  # of an interval: a column this close to its clock is left as it is
_RATE_LIE = 1e-3  # relative difference from which a header's rate is said to be wrong
_RATE_DOUBT = 1e-2  # the same where the steps of the column are not even


@dataclass(frozen=True, eq=False)
class Clock:
    """Time of the rows.

    Attributes:
        time: Instants [s], shape (n,); regular where rounding explains the column.
        rate: Rows per second; NaN where the steps are not even and no header says it.
        notes: What was decided.
    """

    time: FloatArray
    rate: float
    notes: tuple[Note, ...]


def read_clock(
    column: FloatArray, path: object, header_rate: float | None = None, steps: NDArray[np.int64] | None = None
) -> Clock:
    """Find the clock behind a time column.

    Args:
        column: Time as the file gives it [s], shape (n,).
        path: The file, for errors.
        header_rate: Rate that the header states [Hz]; the data decide whether it is true.
        steps: Frame numbers, shape (n,), strictly increasing; 0, 1, 2, ... if None.

    Returns:
        The clock.

    Raises:
        CaptureError: Some instants are missing, or all are and no rate is known.
    """
    stated = header_rate if header_rate is not None and _plausible(header_rate) else None
    steps = np.arange(column.size) if steps is None else steps - steps[0]
    useless = bool(np.all(np.isnan(column))) or (column.size > 1 and bool(np.all(column == column[0])))
    if useless:
        if stated is None:
            raise CaptureError(
                path, "column 'time'", "never advances, and no rate is stated", "restore the times"
            )
        note = _note(
            "counted", f"time column holds no times: counted from 0 at {stated:g} Hz", rate_Hz=stated
        )
        return Clock(steps / stated, stated, (note,))
    missing = np.flatnonzero(np.isnan(column))
    if missing.size:
        field = f"data row {listed((missing + 1).tolist())}, column 'time'"
        raise CaptureError(path, field, "holds no time", "restore the times, or delete the rows")
    if np.any(np.abs(column) > _LATEST):
        where = listed((np.flatnonzero(np.abs(column) > _LATEST) + 1).tolist())
        raise CaptureError(path, f"data row {where}, column 'time'", "is no time", "restore the times")
    if column.size == 1:
        return Clock(column, math.nan if stated is None else stated, ())
    counted = np.arange(column.size)  # in place of frame numbers that do not fit the times
    return _regular(column, steps, stated) or _regular(column, counted, stated) or _irregular(column, stated)


def _regular(column: FloatArray, steps: NDArray[np.int64], stated: float | None) -> Clock | None:
    """Return the even clock that explains the column, if there is one."""
    span = float(column[-1] - column[0])
    if span <= 0 or np.any(np.diff(column) < 0):
        return None
    decimals = _decimals(column)
    unit = 0.0 if decimals is None else 10.0**-decimals
    unit = unit if span > 3 * unit else 0.0  # too short to tell a rounding from the truth
    span_rate = float(steps[-1]) / span
    candidates = [] if stated is None else [stated]
    candidates += [*_simple_rates(span_rate, max(unit / span, 1e-9)), span_rate]
    for rate in filter(_plausible, dict.fromkeys(candidates)):
        offset = column - steps / rate
        spread = float(np.ptp(offset))
        if spread <= _NEGLIGIBLE / rate:
            return Clock(column, rate, tuple(_lie(stated, rate)))
        if spread <= unit * (1 + 1e-6):
            start = _start(
                float(column[0]), float(offset.max()) - unit / 2, float(offset.min()) + unit / 2, rate
            )
            said = f"time column rounded to {decimals} decimals; regular time at {rate:g} Hz used"
            note = _note("rounded", said, decimals=float(decimals or 0), rate_Hz=rate)
            return Clock(start + steps / rate, rate, (*_lie(stated, rate), note))
    return None


def _irregular(column: FloatArray, stated: float | None) -> Clock:
    back = np.flatnonzero(np.diff(column) <= 0)
    if back.size:
        where = listed((back + 2).tolist())
        said = f"time does not increase at {back.size} rows, kept in file order: data row {where}"
        note = replace(_note("backwards", said, rows=back.size), severity="warning")
    else:
        note = _note("uneven", "time steps are not even; the column is kept as it is")
    intervals = np.diff(column)
    forward = intervals[intervals > 0]
    if not forward.size:
        return Clock(column, math.nan if stated is None else stated, (note,))
    rate = 1 / max(float(np.median(forward)), 1e-300)
    rate = next(iter(_simple_rates(rate, 1e-9)), rate) if _plausible(rate) else rate
    if stated is not None and (abs(stated / rate - 1) < _RATE_DOUBT or back.size):
        return Clock(column, stated, (note,))
    return Clock(column, rate if _plausible(rate) else math.nan, (*_lie(stated, rate), note))


def _plausible(rate: float) -> bool:
    return math.isfinite(rate) and 1e-6 < rate < 1e7


def _decimals(column: FloatArray) -> int | None:
    """Return the decimals that all values were printed with, None if there are too many to be a rounding."""
    for decimals in range(_MOST_DECIMALS + 1):
        if np.array_equal(np.round(column, decimals), column):
            return decimals
    return None


def _simple_rates(rate: float, uncertainty: float) -> list[float]:
    """Return rates that a person would choose within what the rounded ends of the column leave open."""
    nearest = (
        float(round(rate)),
        round(rate * 2) / 2,
        round(rate * 1.001) / 1.001,
    )  # the last: video, 59.94 and kin
    return [r for r in nearest if r > 0 and abs(r - rate) <= rate * uncertainty * (1 + 1e-6)]


def _start(first: float, low: float, high: float, rate: float) -> float:
    """Return the first instant: a whole number of intervals if the rounding allows it, else what the file says."""
    whole = round(first * rate) / rate
    if low - 1e-12 <= whole <= high + 1e-12:
        return whole
    return min(max(first, low), high) if low <= high else first


def _note(what: str, said: str, **values: float) -> Note:
    return Note(f"time.{what}", said, topic="time", values=values)


def _lie(stated: float | None, rate: float) -> list[Note]:
    if stated is None or abs(stated / rate - 1) < _RATE_LIE:
        return []
    said = f"header states {stated:g} Hz, but the time column steps at {rate:.6g} Hz: the column is believed"
    return [_note("rate-not-as-stated", said, stated_Hz=stated, rate_Hz=rate)]
