"""Where the feet are: footprints from heel and toe markers, on the clock of a force."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from softstride.capture.labels import find_labels
from softstride.capture.series import Floats, Points
from softstride.naming import SIDES, Side

# A shoe goes on beyond its markers: ahead of the toe, behind the heel (or the ankle), and to the sides [m].
AHEAD, BEHIND, BEHIND_ANKLE, HALF_WIDTH = 0.08, 0.02, 0.07, 0.05
# A marker is down within this of its own lowest height of the trial [m].
DOWN = 0.03
LONGEST_GAP = 0.1  # of a marker, over which its path is taken as straight [s]


@dataclass(frozen=True, eq=False)
class Foot:
    """One foot at the samples of a force.

    Attributes:
        side: Which foot.
        rear: Heel, or ankle without heel markers, shape (n, 3), in [m], world axes; NaN where not seen.
        toe: Middle of the toe markers, likewise.
        rear_down: Whether heel (or ankle) is as low as it ever gets, shape (n,).
        toe_down: Whether the toe is.
        velocity: Of the slower end, horizontal, shape (n, 3), in [m/s].
        behind: How far the shoe reaches behind `rear`, in [m].
        up: Unit vector that points up, shape (3,).
    """

    side: Side
    rear: Floats
    toe: Floats
    rear_down: NDArray[np.bool_]
    toe_down: NDArray[np.bool_]
    velocity: Floats
    behind: float
    up: Floats

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Whether both ends are known, shape (n,)."""
        return np.asarray(np.isfinite(self.rear[:, 0]) & np.isfinite(self.toe[:, 0]))

    @property
    def down(self) -> NDArray[np.bool_]:
        """Whether any part of the foot is on the floor, shape (n,)."""
        return self.rear_down | self.toe_down

    def cut(self, rows: slice) -> Self:
        """Return the foot at some of the samples."""
        return replace(
            self,
            rear=self.rear[rows],
            toe=self.toe[rows],
            rear_down=self.rear_down[rows],
            toe_down=self.toe_down[rows],
            velocity=self.velocity[rows],
        )

    def distance(self, point: Floats) -> Floats:
        """Return how far points, shape (n, 3), are outside the footprint, horizontally, in [m]; 0 inside."""
        along = horizontal(self.toe - self.rear, self.up)
        to_point = horizontal(point - self.rear, self.up)
        length = np.maximum(np.linalg.norm(along, axis=1), 1e-6)
        direction = along / length[:, None]
        position = (to_point * direction).sum(axis=1)
        nearest = np.clip(position, -self.behind, length + AHEAD)
        away = np.linalg.norm(to_point - nearest[:, None] * direction, axis=1)
        return np.asarray(np.maximum(away - HALF_WIDTH, 0.0), dtype=np.float64)


def horizontal(vectors: Floats, up: Floats) -> Floats:
    """Return the part of vectors (n, 3) across a unit vector, v - u (u · v)."""
    return vectors - (vectors @ up)[:, None] * up


def find_feet(markers: Points, time: Floats, up: Floats, subject: str | None = None) -> dict[Side, Foot]:
    """Return the feet of one person that have a toe marker and a heel or ankle marker, at the given times.

    Args:
        markers: Positions, in [m].
        time: Instants, shape (n,), in [s].
        up: Unit vector that points up, shape (3,).
        subject: Whose feet, if the labels have the prefixes of several people; None takes all labels as one person's.
    """
    feet: dict[Side, Foot] = {}
    frames = np.unique(markers.time, return_index=True)[1]  # some files count a frame twice, or backwards
    clock = markers.time[frames]
    for side in SIDES:
        toes, heels = (find_labels(markers.labels, part, side, subject) for part in ("toe", "heel"))
        rear = heels or find_labels(markers.labels, "ankle", side, subject)
        if not (toes and rear) or len(clock) < 2 or not np.isfinite(clock).all():
            continue
        ends = [_middle(markers, labels)[frames] for labels in (rear, toes)]
        low = [_is_low(end @ up) for end in ends]
        speeds = [horizontal(np.gradient(end, clock, axis=0), up) for end in ends]
        pace = [np.linalg.norm(np.nan_to_num(speed, nan=np.inf), axis=1) for speed in speeds]
        slower = np.where((pace[0] < pace[1])[:, None], speeds[0], speeds[1])
        feet[side] = Foot(
            side,
            at_times(clock, ends[0], time),
            at_times(clock, ends[1], time),
            at_times(clock, low[0].astype(float)[:, None], time)[:, 0] > 0.5,
            at_times(clock, low[1].astype(float)[:, None], time)[:, 0] > 0.5,
            at_times(clock, slower, time),
            BEHIND if heels else BEHIND_ANKLE,
            up,
        )
    return feet


def at_times(known: Floats, values: Floats, wanted: Floats) -> Floats:
    """Interpolate linearly, shape (n, k) to (len(wanted), k); NaN outside and in gaps longer than LONGEST_GAP."""
    result = np.full((len(wanted), values.shape[1]), np.nan)
    seen = np.isfinite(values).all(axis=1)
    if not seen.any():
        return result
    times = known[seen]
    after = np.clip(np.searchsorted(times, wanted), 1, max(1, len(times) - 1))
    ends = times[np.minimum(after, len(times) - 1)]
    gap = ends - times[after - 1]
    slack = 1.5 * float(np.median(np.diff(known)))  # analog samples go on after the last frame
    inside = (wanted >= times[0] - slack) & (wanted <= times[-1] + slack)
    inside &= gap <= LONGEST_GAP
    for i in range(values.shape[1]):
        result[inside, i] = np.interp(wanted[inside], times, values[seen, i])
    return result


def _middle(markers: Points, labels: tuple[str, ...]) -> Floats:
    """Return the mean of markers; where one is missing the mean would jump, so there it is not known."""
    values = markers.select(labels).values
    often = np.isfinite(values[:, :, 0]).mean(axis=0)
    return np.asarray(values[:, often >= 0.9 * often.max()].mean(axis=1), dtype=np.float64)


def _is_low(height: Floats) -> NDArray[np.bool_]:
    if not np.isfinite(height).any():
        return np.zeros(len(height), dtype=bool)
    return np.asarray(height <= np.nanquantile(height, 0.02) + DOWN)
