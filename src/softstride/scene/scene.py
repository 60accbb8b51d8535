"""`Scene`: everything there is to see of a motion, in arrays with frames first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Event
from softstride.capture.series import rate_of
from softstride.errors import InputError
from softstride.results import Labels, Result, owned, values
from softstride.scene.parts import BITS, Arrow, Drawn, Markers, Muscles, Patch, Ribbon
from softstride.scene.shapes import Shape
from softstride.signals.inputs import as_time


class Scene(Result, of="a scene"):
    """What there is to see of a motion; world axes, x forward, y up, z right.

    Attributes:
        name: Of the trial.
        time: Instants [s], shape (n,).
        links: Names of the links that shapes are on.
        poses: Position [m] and quaternion (x, y, z, w) of each link, shape (n, links, 7), from frame to frame without
            a change of sign.
        shapes: Solids on links.
        ribbons: Rods.
        markers: Seen and modelled; None: there are none.
        arrows: Forces of the ground.
        muscles: As lines; None: there are none.
        plates: On the floor.
        floor: Its height [m].
        base: The point that a camera follows, shape (n, 3), [m]: the centre of mass.
        weight: Of the person [N]; what forces are drawn in proportion to.
        events: Strikes and offs, on the clock of `time`.
        doubtful: Frames whose loads are not to be believed, shape (n,).
    """

    name: str
    time: NDArray[np.float64] = values("time", "s")
    links: tuple[str, ...]
    poses: Drawn = values("time link place", "m, 1", dtype=BITS)
    shapes: tuple[Shape, ...]
    base: Drawn = values("time axis", "m", dtype=BITS)
    ribbons: tuple[Ribbon, ...] = ()
    markers: Markers | None = None
    arrows: tuple[Arrow, ...] = ()
    muscles: Muscles | None = None
    plates: tuple[Patch, ...] = ()
    floor: float = 0.0
    weight: float = 0.0
    events: tuple[Event, ...] = ()
    doubtful: NDArray[np.bool_] | None = values("time", default=None, dtype=bool)

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "link": lambda own: own.links,
        "place": lambda _: ("x", "y", "z", "qx", "qy", "qz", "qw"),
    }

    def check(self) -> None:
        """Check the instants, the frames of the parts, and the links of the shapes."""
        n = len(self.time)
        if not n:
            raise InputError("a scene needs at least one frame")
        as_time(self.time, n)
        if self.doubtful is None:
            object.__setattr__(self, "doubtful", owned(np.zeros(n, dtype=bool)))
        lengths = {part.whose(): len(part.centre) for part in self.ribbons}
        lengths |= {part.whose(): len(part.force) for part in self.arrows}
        lengths |= {} if self.markers is None else {"markers": len(self.markers.model)}
        lengths |= {} if self.muscles is None else {"muscles": len(self.muscles.points)}
        for what, length in lengths.items():
            if length != n:
                raise InputError(f"{what} of a scene must have {n} frames, however it has {length}")
        strange = [shape.link for shape in self.shapes if shape.link not in self.links]
        if strange:
            raise InputError(f"a shape is on {strange[0]!r}, which is no link of the scene")

    def __repr__(self) -> str:
        """Say what it is in one line."""
        parts = [f"{len(self.shapes)} shapes", *(["markers"] if self.markers else [])]
        parts += [
            f"{len(part)} {word}"
            for part, word in ((self.ribbons, "ribbons"), (self.arrows, "arrows"))
            if part
        ]
        parts += [f"{len(self.muscles.names)} muscles"] if self.muscles else []
        return f"Scene({self.name!r}, {self.n_frames} frames, {', '.join(parts)})"

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.time)

    @property
    def rate(self) -> float:
        """Frames per second [Hz], from the median step of time; NaN with one frame."""
        return rate_of(self.time)

    @property
    def duration(self) -> float:
        """From the first to the last frame [s]."""
        return float(self.time[-1] - self.time[0])

    def frame_at(self, instant: float) -> int:
        """Return the frame nearest to an instant [s]."""
        after = int(np.searchsorted(self.time, instant))
        if after == 0:
            return 0
        if after == self.n_frames:
            return after - 1
        return after if self.time[after] - instant < instant - self.time[after - 1] else after - 1

    def at_rate(self, hz: float) -> Scene:
        """Return the scene with about `hz` frames a second, those nearest to even steps; never more than there are.

        Raises:
            InputError: A rate that is no positive number.
        """
        return self.take(frames_at_rate(self.time, hz))

    def to_json(self, hz: float | None = 30.0, **options: Any) -> dict[str, Any]:
        """Return the scene for a page, compact; see `softstride.scene.compact.pack`."""
        from softstride.scene.compact import pack

        return pack(self if hz is None else self.at_rate(hz), **options)


def frames_at_rate(time: NDArray[np.float64], hz: float) -> NDArray[np.intp]:
    """Return the frames nearest to steps of 1 / hz from the first; all of them where there are no more.

    Raises:
        InputError: A rate that is no positive number.
    """
    if not (np.isfinite(hz) and hz > 0.0):
        raise InputError(f"a rate must be a positive number of frames a second, however it is {hz!r}")
    wanted = np.arange(time[0], time[-1] + 0.5 / hz, 1.0 / hz)
    if len(wanted) >= len(time):
        return np.arange(len(time))
    after = np.clip(np.searchsorted(time, wanted), 1, max(len(time) - 1, 1))
    before_is_nearer = wanted - time[after - 1] <= time[after] - wanted
    return np.unique(np.where(before_is_nearer, after - 1, after))
