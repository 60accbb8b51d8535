"""Loads over the gait cycle: curves from 0 to 100 % of the cycle or of stance, with mean and spread over cycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.recording import Event, Recording
from softstride.dynamics.loads import Loads, force_units
from softstride.dynamics.validation.feet import UP, foot_loads
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.naming import SIDES, Side
from softstride.results import frozen_floats
from softstride.signals.cycles import cycle_mean, pair_cycles, time_normalize
from softstride.signals.force_events import ContactEvents, events_from_force
from softstride.signals.inputs import as_time

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Over = Literal["cycle", "stance"]

GROUND = ("ground_x", "ground_y", "ground_z")
"""Force of the ground on the foot: forward, up, to the right."""


@dataclass(frozen=True, eq=False, repr=False)
class GaitCurves:
    """Curves of one foot's cycles on a common axis.

    Attributes:
        side: The foot whose strikes begin the cycles.
        over: "cycle" (strike to strike) or "stance" (strike to off).
        percent: Of the cycle or of stance, shape (n,).
        labels: Of the curves: `ground_x`, `ground_y`, `ground_z` and the coordinates, or the given names.
        units: Of the curves.
        curves: Shape (n_cycles, n, n_labels); NaN where nothing is known.
        starts: Of the cycles [s], shape (n_cycles,).
        ends: Of the cycles [s], shape (n_cycles,).
        mean: Over the cycles, shape (n, n_labels).
        sd: Standard deviation over the cycles, with n - 1, shape (n, n_labels); NaN with fewer than two.
        count: Cycles that are known at each point, shape (n, n_labels).
    """

    side: Side
    over: Over
    percent: Array
    labels: tuple[str, ...]
    units: tuple[str, ...]
    curves: Array
    starts: Array
    ends: Array
    mean: Array
    sd: Array
    count: NDArray[np.intp]

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"GaitCurves({self.side} {self.over}, {len(self.starts)} cycles, {len(self.labels)} curves)"

    def band(self, label: str) -> tuple[Array, Array, Array]:
        """Return mean - sd, mean and mean + sd of a curve, shape (n,) each.

        Raises:
            InputError: No such curve.
        """
        if label not in self.labels:
            raise InputError(f"there is no curve {label!r}; known: {names_hint(self.labels)}")
        i = self.labels.index(label)
        return self.mean[:, i] - self.sd[:, i], self.mean[:, i], self.mean[:, i] + self.sd[:, i]

    def to_dataframe(self) -> pd.DataFrame:
        """Return mean and sd as a `pandas.DataFrame` indexed by percent, with columns (label, "mean" or "sd")."""
        import pandas as pd

        columns = {}
        for i, label in enumerate(self.labels):
            columns[label, "mean"], columns[label, "sd"] = self.mean[:, i], self.sd[:, i]
        return pd.DataFrame(columns, index=pd.Index(self.percent, name="percent"))


def gait_cycles(
    source: Loads | Mapping[str, ArrayLike],
    events: Recording | Iterable[Event] | None = None,
    *,
    side: Side = "right",
    over: Over = "cycle",
    time: ArrayLike | None = None,
    points: int = 101,
    threshold: float = 20.0,
) -> GaitCurves:
    """Cut loads into cycles of one foot and put them on an axis from 0 to 100 %.

    Measured and estimated loads compare when both are cut at the same events: those of a recording with plates, say.

    Args:
        source: Loads, whose ground reaction on the foot and generalized forces are cut; or curves by name, shape
            (n_frames,), with their `time`.
        events: Strikes and offs of the foot, or a recording that has them (see `find_events`); None: where the
            vertical force of the loads crosses the threshold.
        side: The foot.
        over: "cycle", from strike to next strike, or "stance", from strike to off.
        time: Instants of curves that are given by name [s].
        points: On the axis, at least 2; 101 are whole percents.
        threshold: Vertical force of a contact [N], where events are found here.

    Raises:
        InputError: There is no whole cycle or stance, no force on the foot to find it from, or curves without time.
    """
    if side not in SIDES or over not in ("cycle", "stance"):
        raise InputError(
            f"side must be 'right' or 'left' and over 'cycle' or 'stance', however they are {side!r} and {over!r}"
        )
    clock, labels, units, values = _table(source, side, time)
    starts, ends = _bounds(_events(events, source, side, threshold), over)
    inside = (starts >= clock[0]) & (ends <= clock[-1])
    starts, ends = starts[inside], ends[inside]
    if not len(starts):
        raise InputError(
            f"there is no whole {over} of the {side} foot from {clock[0]:g} to {clock[-1]:g} s: give events that lie "
            "within the loads, or a longer motion"
        )
    curves = time_normalize(clock, values, starts, ends, points)
    mean = cycle_mean(curves)
    return GaitCurves(
        side=side,
        over=over,
        percent=frozen_floats(np.linspace(0.0, 100.0, points)),
        labels=labels,
        units=units,
        curves=frozen_floats(curves),
        starts=frozen_floats(starts),
        ends=frozen_floats(ends),
        mean=frozen_floats(mean.mean),
        sd=frozen_floats(mean.sd),
        count=mean.n,
    )


def _table(
    source: Loads | Mapping[str, ArrayLike], side: Side, time: ArrayLike | None
) -> tuple[Array, tuple[str, ...], tuple[str, ...], Array]:
    """Return instants, labels, units and values (n, m)."""
    if isinstance(source, Loads):
        foot = foot_loads(source.wrenches).get(side)
        ground = np.full((len(source), 3), np.nan) if foot is None else foot.force
        labels = (*GROUND, *source.model.coordinate_names)
        return source.time, labels, ("N",) * 3 + tuple(force_units(source)), np.hstack([ground, source.tau])
    if not isinstance(source, Mapping) or not source or time is None:
        raise InputError("gait_cycles takes Loads, or curves by name together with their time=...")
    curves = [np.asarray(x, dtype=np.float64) for x in source.values()]
    n = np.size(time)
    for name, curve in zip(source, curves, strict=True):
        if curve.shape != (n,):
            raise InputError(
                f"curve {name!r} must have shape ({n},), as its time, however it has {curve.shape}"
            )
    return as_time(time, n), tuple(source), ("",) * len(source), np.stack(curves, axis=1)


def _events(
    events: Recording | Iterable[Event] | None,
    source: Loads | Mapping[str, ArrayLike],
    side: Side,
    threshold: float,
) -> ContactEvents:
    if events is not None:
        given = events.events if isinstance(events, Recording) else tuple(events)
        for each in given:
            if not isinstance(each, Event):
                raise InputError(f"events must be Event objects or a Recording, however one is {each!r}")
        own = {
            label: np.unique([each.time for each in given if (each.label, each.side) == (label, side)])
            for label in ("strike", "off")
        }
        return ContactEvents(own["strike"], own["off"])
    foot = foot_loads(source.wrenches).get(side) if isinstance(source, Loads) else None
    if foot is None:
        raise InputError(f"nothing acts on the {side} foot that would tell its strikes: give events=...")
    return events_from_force(source.time, foot.wrench[:, 3 + UP], threshold=threshold)  # type: ignore[union-attr]


def _bounds(found: ContactEvents, over: Over) -> tuple[Array, Array]:
    if over == "cycle":
        return pair_cycles(found.strikes)
    return found.stances[:, 0], found.stances[:, 1]
