"""Gaps in a recording: where they are, short ones filled by a spline, and what filling returns.

Every sample that was made up is marked, and no measured sample changes. Long gaps of markers are filled from other
markers: `rigid_fill`, `low_rank_fill`, and `marker_fill` which chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline

from softstride.errors import InputError
from softstride.notes import Note
from softstride.signals.inputs import FloatArray, as_signal, as_time, check_positive
from softstride.signals.runs import as_columns

BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]

GOLDEN = (5**0.5 - 1) / 2  # its multiples fill the unit interval as evenly as any, and repeat never


class FillMethod(IntEnum):
    """Where a sample comes from: measured (or still missing), or made up in one of three ways."""

    NONE = 0
    SPLINE = 1
    RIGID = 2
    LOW_RANK = 3


@dataclass(frozen=True, eq=False)
class Gaps:
    """Runs of missing samples, one entry a gap, ordered by channel and then by time.

    Attributes:
        channel: Index into the flattened trailing axes, shape (n_gaps,).
        start: First missing frame, shape (n_gaps,).
        stop: Frame after the last missing one, shape (n_gaps,).
        n_frames: Frames of the recording: a gap that starts at 0 or stops here is open.
    """

    channel: IndexArray
    start: IndexArray
    stop: IndexArray
    n_frames: int

    def __len__(self) -> int:
        return len(self.channel)

    @property
    def interior(self) -> BoolArray:
        """Whether there are samples on both sides of each gap, shape (n_gaps,)."""
        return (self.start > 0) & (self.stop < self.n_frames)

    def of(self, channel: int) -> list[tuple[int, int]]:
        """Return the gaps of one channel as (start, stop)."""
        mine = self.channel == channel
        return list(zip(self.start[mine].tolist(), self.stop[mine].tolist(), strict=True))

    def durations(self, time: FloatArray) -> FloatArray:
        """Return the time from the sample before to the sample after each gap [s]; infinite for an open gap."""
        result = np.full(len(self), np.inf)
        inside = self.interior
        result[inside] = time[self.stop[inside]] - time[self.start[inside] - 1]
        return result


class Unfilled(NamedTuple):
    """A gap of a marker that stays.

    Attributes:
        marker: Index of the marker.
        start: First missing frame.
        stop: Frame after the last missing one.
        reason: Why it was not filled.
        code: What the reason is.
    """

    marker: int
    start: int
    stop: int
    reason: str
    code: str

    def __str__(self) -> str:
        return f"marker {self.marker}, frames {self.start} to {self.stop - 1}: {self.reason}; not filled"

    @property
    def note(self) -> Note:
        """The same as a note."""
        values = {"marker": self.marker, "first_frame": self.start, "last_frame": self.stop - 1}
        return Note(self.code, str(self), topic="gaps", values=values)


@dataclass(frozen=True, eq=False)
class Filled:
    """A signal whose gaps were filled where that was possible.

    Attributes:
        values: The signal; measured samples are unchanged, what could not be filled is still NaN.
        method: How each sample came about (`FillMethod`), with the shape of the signal; for markers, where the three
            coordinates are lost together, without their last axis.
        unfilled: The gaps of markers that a method tried and left, ordered by marker and then by time.
    """

    values: FloatArray
    method: NDArray[np.int8]
    unfilled: tuple[Unfilled, ...] = ()

    @property
    def mask(self) -> BoolArray:
        """Whether each sample was made up, with the shape of `method`."""
        return self.method != FillMethod.NONE

    @property
    def notes(self) -> tuple[Note, ...]:
        """A note on each gap in `unfilled`."""
        return tuple(gap.note for gap in self.unfilled)


def find_gaps(x: ArrayLike) -> Gaps:
    """Find the runs of NaN in every channel.

    Args:
        x: Samples, shape (n_frames, ...).

    Raises:
        InputError: If x is no array of real numbers with time along axis 0.
    """
    return find_runs(np.isnan(as_signal(x)))


def find_runs(missing: BoolArray) -> Gaps:
    """Find the runs of True in every channel, given shape (n_frames, ...)."""
    rows = missing.reshape(len(missing), int(np.prod(missing.shape[1:]))).T
    edge = np.zeros((len(rows), 1), dtype=np.int8)
    step = np.diff(rows.astype(np.int8), axis=1, prepend=edge, append=edge)
    channel, start = np.nonzero(step == 1)
    return Gaps(channel, start, np.nonzero(step == -1)[1], len(missing))


def left_open(missing: BoolArray, code: str, reason: str) -> list[Unfilled]:
    """Return the gaps that stay, given what is still missing, shape (n_frames, n_markers), for one reason."""
    gaps = find_runs(missing)
    found = zip(gaps.channel.tolist(), gaps.start.tolist(), gaps.stop.tolist(), strict=True)
    return [Unfilled(marker, start, stop, reason, code) for marker, start, stop in found]


def thinned(frames: IndexArray, most: int) -> IndexArray:
    """Return at most so many of some frames: one from each of equally long stretches, at another place in each.

    Every sixtieth frame of a walk may show two instants of the gait cycle only; these show all of it.
    """
    if len(frames) <= most:
        return frames
    length = len(frames) / most
    start = np.arange(most) * length
    place = (
        np.arange(most) * GOLDEN % 1.0 if length >= 2 else 0.0
    )  # shorter stretches could yield a frame twice
    return frames[(start + place * length).astype(np.intp)]


def as_markers(positions: ArrayLike) -> tuple[FloatArray, BoolArray]:
    """Return marker positions (n_frames, n_markers, 3) and which are missing (n_frames, n_markers).

    A marker with one coordinate missing is missing.

    Raises:
        InputError: If the shape is not (n_frames, n_markers, 3).
    """
    markers = as_signal(positions, "positions")
    if markers.ndim != 3 or markers.shape[2] != 3:
        raise InputError(
            f"positions must have shape (n_frames, n_markers, 3), however it has {markers.shape}."
        )
    return markers, np.asarray(np.isnan(markers).any(axis=2))


def fill_spline(x: ArrayLike, time: ArrayLike, *, max_gap: float = 0.1) -> Filled:
    """Fill short gaps with the cubic spline through the samples of the channel.

    The spline is twice continuously differentiable and exact where the channel is a cubic polynomial
    (not-a-knot ends). Gaps at the ends are not filled: nothing is extrapolated.

    Args:
        x: Samples, shape (n_frames, ...), NaN where missing.
        time: Sample times, shape (n_frames,), increasing, in [s].
        max_gap: Longest gap that is filled, in [s], from the sample before it to the sample after it.

    Returns:
        The filled signal, with `method` of the shape of x. A channel with fewer than four samples stays as it is.

    Raises:
        InputError: If shapes do not fit, time does not increase, or max_gap is not positive.
    """
    signal = as_signal(x)
    t = as_time(time, len(signal))
    check_positive("max_gap", max_gap, "s")
    values = as_columns(signal)
    gaps = find_runs(np.isnan(values))
    short = gaps.durations(t) <= max_gap * (1 + 1e-9)  # a gap of exactly this length, with rounded times
    made = _spread(gaps, short, values.shape)
    columns = np.flatnonzero(made.any(axis=0))
    patterns, which = np.unique(np.isnan(values[:, columns]), axis=1, return_inverse=True)
    for k in range(patterns.shape[1]):  # the coordinates of a marker share their gaps, and so one spline
        together, seen = columns[which == k], ~patterns[:, k]
        frames = made[:, together[0]]
        if np.count_nonzero(seen) < 4:
            made[:, together] = False
        else:
            values[np.ix_(frames, together)] = CubicSpline(t[seen], values[np.ix_(seen, together)])(t[frames])
    method = np.where(made, FillMethod.SPLINE, FillMethod.NONE).astype(np.int8)
    return Filled(values.reshape(signal.shape), method.reshape(signal.shape))


def _spread(gaps: Gaps, chosen: BoolArray, shape: tuple[int, ...]) -> BoolArray:
    """Return a mask (n_frames, n_channels) that is True inside the chosen gaps."""
    steps = np.zeros((shape[0] + 1, shape[1]), dtype=np.int8)
    # Gaps of one channel never touch, so no index comes twice.
    steps[gaps.start[chosen], gaps.channel[chosen]] += 1
    steps[gaps.stop[chosen], gaps.channel[chosen]] -= 1
    return np.cumsum(steps[:-1], axis=0, dtype=np.int8).astype(bool)
