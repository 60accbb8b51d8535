"""Which way a functional axis points: to the right of the person, as landmarks show it, never as the room does."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.segments.clusters import Poses
from softstride.segments.functional.axes import JointAxis
from softstride.segments.landmarks import Landmarks

Array = NDArray[np.float64]

ASIDE = 0.02
"""How far along the axis a lateral landmark must be from the clusters to tell which way is out [m]: they may be as far
out as it is."""


@dataclass(frozen=True, eq=False)
class LocalMarks:
    """Landmarks in the frame of a cluster, from the first of some trials that shows them.

    Attributes:
        trials: Landmarks of a trial, and poses of the cluster in it.
        joint: "right knee", ...
        pair: Its lateral and its medial landmark; none where it has none.
        across: Landmarks that are right and left of each other whatever the joint does; none where there are none.
    """

    trials: tuple[tuple[Landmarks, Poses], ...]
    joint: str
    pair: tuple[str, ...]
    across: tuple[str, ...]

    def middle(self) -> Array | None:
        """Return the middle of the lateral and the medial landmark, shape (3,), [m]; None where they are not shown."""
        found = self._mean(*self._own)
        return None if found is None else np.asarray(np.mean(found, axis=0))

    def to_the_right(self) -> Array | None:
        """Return a vector to the right, by both landmarks of the joint or by those across; None: not shown."""
        for names, sign in ((self._own, self._out), (self.across, 1.0)):
            found = self._mean(*names)
            if found is not None:
                return np.asarray((found[0] - found[1]) * sign)
        return None

    def outward(self, axis: JointAxis) -> JointAxis:
        """Return an axis that points to the right by the lateral landmark alone, which is out from the two clusters.

        The frame has its origin in the middle of the proximal cluster, and the point of the axis is where the middle of
        the distal one is along it: between them, a slant of the axis hardly counts.

        Raises:
            InputError: It is not shown, or so near that it may be on either side.
        """
        lateral = self._mean(*self._own[:1])
        off = 0.0 if lateral is None else float((lateral[0] - 0.5 * axis.point) @ axis.direction) * self._out
        if abs(off) < ASIDE:
            ways = [" and ".join(names) for names in (self.pair, self.across) if names]
            show = f"show {', or '.join(ways)}, in either trial" if ways else "take a centre alone, by score"
            near = "" if lateral is None else f" ({self.pair[0]} is {1e3 * abs(off):.0f} mm along it)"
            raise InputError(f"{self.joint}: nothing shows which way its axis points{near}: {show}")
        if off > 0.0:
            return axis
        other = None if axis.distal_direction is None else -axis.distal_direction
        return replace(axis, direction=-axis.direction, distal_direction=other)

    def _mean(self, *names: str) -> list[Array] | None:
        """Return the mean places of landmarks that one trial shows together, shape (3,) each; None where none does."""
        for marks, poses in self.trials:
            if not names or any(name not in marks for name in names):
                continue
            places = np.stack([poses.inverse(marks[name]) for name in names])
            known = np.isfinite(places).all(axis=(0, 2))
            if known.any():
                return list(places[:, known].mean(axis=1))
        return None

    @property
    def _out(self) -> float:
        """1 where outward is to the right, -1 where it is to the left."""
        return -1.0 if self.joint.startswith("left ") else 1.0

    @property
    def _own(self) -> tuple[str, ...]:
        return tuple(f"{self.joint.partition(' ')[0]} {name}" for name in self.pair)
