"""Gait cycles: pairs of strikes, curves on a common 0 to 100 % axis, and their mean.

A cycle runs from one strike of a foot to the next strike of the same foot. Curves keep their gaps: a
point whose neighbours were not measured is NaN in the cycle too, and the mean says how many cycles it rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline

from softstride.errors import InputError
from softstride.signals.inputs import FloatArray, as_signal, as_time, check_count

SHORTEST_CYCLE = 0.4  # [s]: a sprint at full cadence lasts 0.42 s
LONGEST_CYCLE = 2.5  # [s]: the slowest walking of patients; longer means that a strike is missing
HIT = 1e-9  # of the time between samples: how close counts as on the sample


@dataclass(frozen=True, eq=False)
class CycleMean:
    """The mean of cycles, point by point.

    Attributes:
        mean: Mean over the cycles that were measured at this point; NaN where none was.
        sd: Standard deviation with n - 1 in the denominator; NaN where fewer than two were measured.
        n: How many cycles were measured at this point.
    """

    mean: FloatArray
    sd: FloatArray
    n: NDArray[np.intp]


def pair_cycles(
    strikes: ArrayLike, *, shortest: float = SHORTEST_CYCLE, longest: float = LONGEST_CYCLE
) -> tuple[FloatArray, FloatArray]:
    """Return the cycles between successive strikes of one foot whose durations are plausible.

    Args:
        strikes: Instants of foot strike, shape (k,), increasing, in [s].
        shortest: Least duration of a cycle in [s].
        longest: Greatest duration of a cycle in [s]: a longer one misses a strike and is left out.

    Returns:
        Starts and ends of the cycles, each of shape (n_cycles,), in [s].

    Raises:
        InputError: If strikes do not increase, or the limits are not 0 < shortest < longest.
    """
    times = _instants("strikes", strikes)
    if np.any(np.diff(times) <= 0):
        raise InputError("strikes must increase, however they do not; sort them and drop duplicates.")
    if not 0 < shortest < longest:
        raise InputError(f"need 0 < shortest < longest, however they are {shortest} and {longest} s.")
    duration = np.diff(times)
    plausible = (duration >= shortest) & (duration <= longest)
    return times[:-1][plausible], times[1:][plausible]


def time_normalize(
    time: ArrayLike,
    x: ArrayLike,
    starts: ArrayLike,
    ends: ArrayLike,
    n: int = 101,
    *,
    kind: Literal["linear", "cubic"] = "linear",
) -> FloatArray:
    r"""Resample curves to n points a cycle, the first at its start and the last at its end.

    Point j of cycle i is x at t = starts[i] + j / (n - 1) * (ends[i] - starts[i]), by linear interpolation
    between the two neighbouring samples, or by the cubic spline (not-a-knot) through all finite samples.
    With either, the point is NaN where one of its neighbouring samples is NaN and where t is outside the recording:
    nothing is filled and nothing extrapolated.

    Args:
        time: Sample times, shape (n_frames,), increasing, in [s].
        x: Curves, shape (n_frames, ...).
        starts: Starts of the cycles, shape (n_cycles,), in [s].
        ends: Ends of the cycles, shape (n_cycles,), in [s], each after its start.
        n: Points a cycle, at least 2; 101 gives whole percent.
        kind: "linear" or "cubic".

    Returns:
        Curves of shape (n_cycles, n, ...).

    Raises:
        InputError: If shapes do not fit, times do not increase, a cycle ends before it starts, or kind is unknown.
    """
    values = as_signal(x)
    t = as_time(time, len(values))
    if len(t) < 2:
        raise InputError(f"x must have at least 2 frames to resample, however it has {len(t)}.")
    first, last = _instants("starts", starts), _instants("ends", ends)
    if first.shape != last.shape:
        raise InputError(f"starts and ends must pair up, however there are {len(first)} and {len(last)}.")
    if np.any(last <= first):
        raise InputError("every cycle must end after it starts, however one does not.")
    check_count("n", n, 2)
    if kind not in ("linear", "cubic"):
        raise InputError(f"kind must be 'linear' or 'cubic', however it is {kind!r}.")

    at = first[:, None] + np.linspace(0.0, 1.0, n) * (last - first)[:, None]
    flat = values.reshape(len(t), -1)
    left = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)  # (n_cycles, n)
    u = ((at - t[left]) / (t[left + 1] - t[left]))[..., None]
    # A hit of a sample, up to rounding, needs no neighbour: 0 * NaN must not spoil it.
    u = np.where(np.abs(u - np.round(u)) < HIT, np.round(u), u)
    result = np.where(
        u == 0, flat[left], np.where(u == 1, flat[left + 1], (1 - u) * flat[left] + u * flat[left + 1])
    )
    if kind == "cubic":
        result = np.where(np.isfinite(result), _spline(t, flat, at), np.nan)
    result[(u[..., 0] < 0) | (u[..., 0] > 1)] = np.nan
    return result.reshape(*at.shape, *values.shape[1:])


def _instants(name: str, value: ArrayLike) -> FloatArray:
    """Return a list of instants [s], checked."""
    instants = as_signal(value, name)
    if instants.ndim != 1 or np.isnan(instants).any():
        raise InputError(f"{name} must be a list of instants without NaN, in s, however it is {value!r}.")
    return instants


def _spline(t: FloatArray, flat: FloatArray, at: FloatArray) -> FloatArray:
    """Return the not-a-knot spline through the finite samples of each column, shape (*at.shape, n_columns)."""
    result = np.full((*at.shape, flat.shape[1]), np.nan)
    finite = np.isfinite(flat)
    patterns, column_pattern = np.unique(finite, axis=1, return_inverse=True)
    for k in range(patterns.shape[1]):  # columns with the same gaps share one spline
        seen, columns = patterns[:, k], np.flatnonzero(column_pattern == k)
        if np.count_nonzero(seen) >= 2:
            result[..., columns] = CubicSpline(t[seen], flat[seen][:, columns])(at)
    return result


def cycle_mean(cycles: ArrayLike) -> CycleMean:
    """Return mean, standard deviation and count over cycles, point by point, leaving out NaN.

    Args:
        cycles: Curves, shape (n_cycles, ...), as from `time_normalize`.

    Raises:
        InputError: If cycles is no array of real numbers with an axis of cycles.
    """
    curves = as_signal(cycles, "cycles")
    seen = np.isfinite(curves)
    n = seen.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0 is NaN: not measured
        mean = np.where(seen, curves, 0.0).sum(axis=0) / n
        squares = (np.where(seen, curves - mean, 0.0) ** 2).sum(axis=0)
        sd = np.where(n > 1, np.sqrt(squares / (n - 1)), np.nan)
    return CycleMean(mean, sd, n)
