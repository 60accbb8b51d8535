"""`Recording`: everything that the files of one trial hold, in SI units and world axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from softstride.capture.c3d import Parameter
from softstride.capture.force import ExternalForce, Plate
from softstride.capture.series import Channels, Floats, Points
from softstride.errors import InputError
from softstride.fields import Frozen
from softstride.frozen import Table
from softstride.naming import Side
from softstride.notes import Note, Said, as_notes
from softstride.results import Labels, Result, values

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from softstride.capture.quality import Quality


@dataclass(frozen=True)
class Event:
    """An instant with a name, on the clock of the recording.

    Attributes:
        label: "strike", "off", or the file's own word for anything else.
        time: In [s], on the same clock as the frames.
        side: The foot, if the event belongs to one.
        source: "file", "plates" or "markers".
    """

    label: str
    time: float
    side: Side | None = None
    source: str = "file"


@dataclass(frozen=True)
class Subject(Frozen, of="a subject"):
    """What the file says about the person.

    Attributes:
        name: As in the file, "" if unknown.
        mass: In [kg], None if unknown.
        height: In [m], None if unknown.
        measures: Other numbers of the file by its own names and in its own units (leg length, knee width).
    """

    name: str = ""
    mass: float | None = None
    height: float | None = None
    measures: Mapping[str, float] = field(default_factory=Table)


class Axes(Result, of="axes"):
    """How the axes of the laboratory became those of the world: x forward, y up, z right.

    Attributes:
        rotation: R with x_world = R x_lab, shape (3, 3).
        up: Lab axis that points up, such as "+Z".
        forward: Lab axis that became x.
        reason: What was decided from what.
    """

    rotation: Floats = values("axis lab_axis", "1", default=lambda _: np.eye(3))
    up: str = "+Y"
    forward: str = "+X"
    reason: str = "the file's axes are the world's"

    LABELS: ClassVar[Mapping[str, Labels]] = {"lab_axis": lambda _: ("X", "Y", "Z")}


@dataclass(frozen=True, eq=False)
class Recording(Frozen, of="a recording"):
    """One trial: markers, forces, analog channels, events and what is known about them.

    Positions are in [m], forces in [N], moments in [N·m], angles in [rad]; x points forward, y up and z to the
    right. All parts share one clock: for C3D, frame f was taken at (f - 1) / rate seconds, so trials cut from
    one recording agree with each other and with their events. NaN means not measured.

    Attributes:
        name: Stem of the first file.
        files: Names of the files, without folders.
        markers: Positions of the labelled points.
        outputs: What a model had computed into the file, by kind: "angle", "force", "moment", "power",
            "scalar", "reaction"; in SI units, in the axes in which that model gave it.
        analog: Every analog channel, each in the unit that it names.
        emg: Those of the analog channels (or table columns) that hold EMG.
        plates: Force plates with the whole wrench that they measured.
        forces: The forces to apply: one for each plate, or for each entry of an external-loads file.
        table: Columns of a table that are neither markers nor forces, such as joint coordinates.
        events: In order of time.
        subject: The person.
        axes: How lab axes became world axes.
        parameters: Every parameter of a C3D file, by group and name.
        notes: Every decision taken on the way.
    """

    name: str
    files: tuple[str, ...] = ()
    markers: Points = field(default_factory=Points.none)
    outputs: Mapping[str, Points] = field(default_factory=Table)
    analog: Channels = field(default_factory=Channels.none)
    emg: Channels = field(default_factory=Channels.none)
    plates: tuple[Plate, ...] = ()
    forces: tuple[ExternalForce, ...] = ()
    table: Channels = field(default_factory=Channels.none)
    events: tuple[Event, ...] = ()
    subject: Subject = field(default_factory=Subject)
    axes: Axes = field(default_factory=Axes)
    parameters: Mapping[str, Mapping[str, Parameter]] = field(default_factory=Table)
    notes: tuple[Note, ...] = ()

    def check(self) -> None:
        """Put the events in order."""
        object.__setattr__(self, "events", tuple(sorted(self.events, key=lambda event: event.time)))

    @property
    def rate(self) -> float:
        """Frames of markers per second [Hz]; NaN without markers."""
        return self.markers.rate

    @property
    def span(self) -> tuple[float, float] | None:
        """Instants of the first and the last sample of anything [s]; None without any."""
        times = [time for time in self.times() if len(time)]
        return (min(float(t.min()) for t in times), max(float(t.max()) for t in times)) if times else None

    @property
    def duration(self) -> float:
        """From the first to the last sample of anything [s]."""
        start, stop = self.span or (0.0, 0.0)
        return stop - start

    def times(self) -> tuple[Floats, ...]:
        """Return the clock of every part, in [s]; those of absent parts are empty."""
        series = (self.markers, self.analog, self.emg, self.table)
        return (*(part.time for part in series), *(force.time for force in self.forces))

    def force(self, name: str) -> ExternalForce:
        """Return the external force of this name, or of this side ("left", "right") if only one has it."""
        found = [force for force in self.forces if name in (force.name, force.side)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(f"{force.name} ({force.side or 'no side'})" for force in self.forces)
        raise InputError(f"{len(found)} forces are called {name!r}; there are: {known or 'none'}")

    def events_of(self, label: str, side: Side | None = None, source: str | None = None) -> Floats:
        """Return the times of the events of this label (and side, and source), in [s]."""
        chosen = (
            e
            for e in self.events
            if e.label == label and side in (None, e.side) and source in (None, e.source)
        )
        return np.array([event.time for event in chosen])

    def replace(self, **changes: object) -> Self:
        """Return a copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def noted(self, *notes: Said) -> Self:
        """Return a copy with more notes, or with sentences of your own among them."""
        return replace(self, notes=(*self.notes, *as_notes(notes)))

    def quality(self) -> Quality:
        """Look for what is wrong with the recording."""
        from softstride.capture.quality import assess

        return assess(self)

    def save(self, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
        """Write the recording; the suffix (.c3d, .trc, .mot, .sto) chooses the format. See `write`."""
        from softstride.capture.writing import write

        return write(self, path, overwrite=overwrite)

    def to_xarray(self) -> xr.DataTree:
        """Return an `xarray.DataTree` with one node for markers, analog, emg, table and each force."""
        import xarray as xr

        series: dict[str, Points | Channels] = {
            "markers": self.markers,
            "analog": self.analog,
            "emg": self.emg,
            "table": self.table,
        }
        nodes = {
            f"/{name}": part.to_xarray().to_dataset(name="values") for name, part in series.items() if part
        }
        nodes |= {
            f"/outputs/{kind}": part.to_xarray().to_dataset(name="values")
            for kind, part in self.outputs.items()
        }
        nodes |= {f"/forces/{force.name}": force.to_xarray() for force in self.forces}
        return xr.DataTree.from_dict(nodes, name=self.name)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the markers, or without any the table, as a `pandas.DataFrame` indexed by time."""
        return self.markers.to_dataframe() if self.markers else self.table.to_dataframe()
