"""Steps of one foot from its swing relative to the pelvis, and peaks of a curve between samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.signals.inputs import FloatArray
from softstride.signals.runs import contiguous_runs

SHORTEST_SWING = 0.1  # [m] forward and back, below which the foot stays where it is
BAND = 0.15  # of the swing, around its middle, where a foot is neither in front of the pelvis nor behind it
LOW_IN_STANCE = -0.005  # [m]: the pelvis below its mean in the middle of stance is running

LONGEST_RUNNING_STANCE = 0.65  # [s] from foremost to rearmost; a slow jog needs 0.45 s
TRAVEL = (
    0.3  # [m/s] of the pelvis, above which it says where the person goes; on a treadmill it drifts by less
)
LOW_SWING = -0.01  # [m]: a foot that is lower while it goes forward than while it goes back stands meanwhile


@dataclass(frozen=True, eq=False)
class Steps:
    """Stances of one foot, in frames that need not be whole; NaN where outside the recording.

    Attributes:
        foremost: Foot farthest in front of the pelvis, before each stance, shape (n_steps,).
        middle: Foot passes backward under the middle of its swing, shape (n_steps,).
        rearmost: Foot farthest behind the pelvis, after each stance, shape (n_steps,).
    """

    foremost: FloatArray
    middle: FloatArray
    rearmost: FloatArray

    def __len__(self) -> int:
        return len(self.middle)


@dataclass(frozen=True, eq=False)
class Peaks:
    """Maxima of a curve: frames that need not be whole, shape (n_peaks,), and values."""

    frame: FloatArray
    value: FloatArray

    def largest(self, around: FloatArray, before: float, after: float) -> FloatArray:
        """Return the frame of the largest peak from around - before to around + after, NaN where there is none."""
        inside = (self.frame >= around[:, None] - before) & (self.frame <= around[:, None] + after)
        return self._choose(np.where(inside, self.value, -np.inf))

    def nearest(self, around: FloatArray, within: float) -> FloatArray:
        """Return the frame of the peak nearest to each of `around`, NaN where none is `within` so many frames."""
        distance = np.abs(self.frame - around[:, None])
        return self._choose(np.where(distance <= within, -distance, -np.inf))

    def _choose(self, merit: FloatArray) -> FloatArray:
        """Return the frame of highest merit in each row, NaN where no merit is finite."""
        if not len(self.frame):
            return np.full(len(merit), np.nan)
        best = np.argmax(merit, axis=1)
        possible = np.isfinite(np.take_along_axis(merit, best[:, None], axis=1)[:, 0])
        return np.where(possible, self.frame[best], np.nan)


def find_peaks(curve: FloatArray) -> Peaks:
    """Find the maxima of a curve (n_frames,), each at the vertex of the parabola through three samples.

    A maximum next to NaN, or at an end, is none.
    """
    left, centre, right = curve[:-2], curve[1:-1], curve[2:]
    k = np.flatnonzero((centre > left) & (centre >= right))
    bend = left[k] - 2 * centre[k] + right[k]  # negative: left is lower
    shift = 0.5 * (left[k] - right[k]) / bend
    return Peaks(k + 1 + shift, centre[k] - 0.25 * (left[k] - right[k]) * shift)


def find_steps(relative: FloatArray) -> Steps:
    """Find the steps in the forward position of a foot relative to the pelvis.

    Args:
        relative: Forward position, smooth, shape (n_frames,), in [m]; NaN where not measured.
    """
    empty = Steps(np.empty(0), np.empty(0), np.empty(0))
    if np.isnan(relative).all():
        return empty
    rear, front = np.nanpercentile(relative, [5, 95])
    swing, middle = front - rear, (front + rear) / 2
    if swing < SHORTEST_SWING:
        return empty
    foremost, rearmost = find_peaks(relative), find_peaks(-relative)
    rows: list[tuple[float, float, float]] = []
    for run in contiguous_runs(relative):
        part = (relative[run.start : run.stop] - middle) / swing
        side = np.where(part > BAND, 1, np.where(part < -BAND, -1, 0))
        decided = np.flatnonzero(side)
        if not len(decided):
            continue
        cuts = np.flatnonzero(np.diff(side[decided])) + 1
        firsts, lasts = decided[np.r_[0, cuts]], decided[np.r_[cuts - 1, len(decided) - 1]]
        sides, bounds = side[firsts], np.stack([firsts, lasts], axis=1) + run.start
        for i in range(len(sides)):
            if sides[i] > 0:
                behind = bounds[i + 1] if i + 1 < len(sides) else None
                rows.append(
                    (
                        _top(foremost, bounds[i]),
                        np.nan if behind is None else _crossing(relative, middle, bounds[i][1], behind[0]),
                        np.nan if behind is None else _top(rearmost, behind),
                    )
                )
            elif i == 0:
                rows.append((np.nan, np.nan, _top(rearmost, bounds[0])))
    table = np.array(rows).reshape(-1, 3)
    return Steps(table[:, 0], table[:, 1], table[:, 2])


def _top(peaks: Peaks, bounds: NDArray[np.intp]) -> float:
    """Return the frame of the largest peak within bounds, NaN where there is none."""
    middle = np.array([bounds.mean()])
    half = (bounds[1] - bounds[0]) / 2 + 0.5
    return float(peaks.largest(middle, half, half)[0])


def _crossing(curve: FloatArray, level: float, first: int, last: int) -> float:
    """Return the frame in first..last where a falling curve meets a level."""
    k = first + int(np.argmax(curve[first : last + 1] < level))
    return float(k - (level - curve[k]) / (curve[k - 1] - curve[k]))


def is_running(steps: Steps, pelvis_height: FloatArray, rate: float) -> bool:
    """Tell running from walking: the leg is a spring in one and a strut in the other.

    In the middle of stance a walker vaults over a stiff leg and the pelvis is high; a runner sinks into a
    bent one and it is low [Cavagna1977]. In very slow walking the pelvis hardly rises at all; it is told by the
    time the foot takes from its foremost to its rearmost point. False where no stance is seen.

    [Cavagna1977] Cavagna, Heglund and Taylor, Am J Physiol 233:R243.

    Args:
        steps: Steps of one foot.
        pelvis_height: Height of the pelvis, shape (n_frames,), in [m].
        rate: Sampling rate, in [Hz].
    """
    frames = np.arange(len(pelvis_height))
    seen = ~np.isnan(pelvis_height)
    middles = steps.middle[~np.isnan(steps.middle)]
    if not len(middles) or np.count_nonzero(seen) < 2:
        return False
    backward = (steps.rearmost - steps.foremost) / rate
    backward = backward[~np.isnan(backward)]
    if len(backward) and np.median(backward) > LONGEST_RUNNING_STANCE:
        return False
    slope, offset = np.polyfit(frames[seen], pelvis_height[seen], 1)
    height = np.interp(middles, frames[seen], pelvis_height[seen]) - (offset + slope * middles)
    return bool(np.median(height) < LOW_IN_STANCE)


def is_backward(swing: FloatArray, foot_height: FloatArray, pelvis: FloatArray, rate: float) -> bool:
    """Tell whether a person goes against the direction of facing.

    The pelvis that travels says it; on the spot the foot does: it is lifted while it swings, and swings in
    the direction of going. False where neither says anything.

    Args:
        swing: Forward position of the foot relative to the pelvis, smooth, shape (n_frames,), in [m].
        foot_height: Height of the foot, shape (n_frames,), in [m].
        pelvis: Forward position of the pelvis, shape (n_frames,), in [m].
        rate: Sampling rate, in [Hz].
    """
    seen = np.flatnonzero(~np.isnan(pelvis))
    if len(seen) < 2:
        return False
    travel = float(np.polyfit(seen / rate, pelvis[seen], 1)[0])
    if abs(travel) > TRAVEL:
        return travel < 0.0
    velocity = np.gradient(swing)
    known = ~np.isnan(velocity) & ~np.isnan(foot_height)
    ahead, back = known & (velocity > 0.0), known & (velocity < 0.0)
    if not (ahead.any() and back.any()):
        return False
    return bool(foot_height[ahead].mean() - foot_height[back].mean() < LOW_SWING)
