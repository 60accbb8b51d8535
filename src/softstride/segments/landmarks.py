"""`Landmarks`: named points of the body over time, where each came from, and directions that go with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.labels import subject_of, subjects
from softstride.capture.recording import Recording
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.naming import Side
from softstride.notes import Note, Said, as_notes
from softstride.results import AXES, Frames, Result, values
from softstride.segments.protocol import Protocol, choose_protocol, match, plain_labels, read_protocol
from softstride.segments.recipes import Recipe

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Array = NDArray[np.float64]

MILLIMETRE = 1e-3


class Landmarks(Result, of="landmarks"):
    """Points of the body.

    Attributes:
        time: Instants [s], shape (n,).
        points: By name, such as "right LFE" or "C7", shape (n, 3), [m], world axes; NaN where not seen.
        directions: Functional axes by joint, such as "right knee", shape (n, 3), to the right; see `recipes`.
        sources: Where each point or direction came from, in words.
        clusters: Markers that move with a segment, by segment and label, shape (n, p, 3), [m].
        wands: Markers that show the plane of a segment, by segment, shape (n, 3), [m].
        computed: Joint centres that another model wrote into the file, as `points`; used only where asked for.
        measures: Of the person, by name, such as "right knee_width", [m].
        protocol: Name of the table that the markers were read with.
        notes: What was decided on the way.
    """

    time: Array = values("time", "s")
    points: Mapping[str, Array] = values("time axis", "m", parts=())
    directions: Mapping[str, Array] = values("time axis", default=np.nan, parts=())
    sources: Mapping[str, str] = field(default_factory=Table)
    clusters: Mapping[str, tuple[tuple[str, ...], Array]] = field(default_factory=Table)
    wands: Mapping[str, Array] = values("time axis", "m", default=np.nan, parts=())
    computed: Mapping[str, Array] = values("time axis", "m", default=np.nan, parts=())
    measures: Mapping[str, float] = field(default_factory=Table)
    protocol: str = ""
    notes: tuple[Note, ...] = ()

    def _at(self, frames: Frames) -> dict[str, Any]:
        """Return the fields at some frames; clusters are no arrays of their own."""
        clusters = {name: (labels, points[frames]) for name, (labels, points) in self.clusters.items()}
        return super()._at(frames) | {"clusters": Table(clusters)}

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"Landmarks({len(self.time)} frames, {len(self.points)} points by {self.protocol or 'hand'})"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    def __contains__(self, name: str) -> bool:
        """Whether a point is there."""
        return name in self.points

    def __getitem__(self, name: str) -> Array:
        """Return a point by its full name.

        Raises:
            InputError: It is not there; the message lists those that are.
        """
        if name not in self.points:
            raise InputError(f"no landmark {name!r}; there are: {', '.join(self.points) or 'none'}")
        return self.points[name]

    def key(self, name: str, side: Side | None) -> str | None:
        """Return the full name of a landmark as a recipe of this side writes it; None where it is not there."""
        if name.startswith("axis "):
            joint = name.removeprefix("axis ")
            return next((key for key in (f"{side} {joint}", joint) if key in self.directions), None)
        keys = [name] if name.startswith(("right ", "left ")) else [f"{side} {name}", name]
        return next((key for key in keys if key in self.points), None)

    def find(self, name: str, side: Side | None) -> Array:
        """Return a point or an axis as a recipe of this side writes it."""
        key = self.key(name, side)
        if key is None:
            raise InputError(f"no landmark {name!r} of side {side or 'none'}")
        return self.directions[key] if name.startswith("axis ") else self.points[key]

    def can(self, recipe: Recipe, side: Side | None) -> bool:
        """Whether all that a recipe needs is there."""
        if recipe.kind == "axis":
            return self.key(f"axis {recipe.name}", side) is not None
        return all(self.key(name, side) is not None for name in recipe.landmarks())

    def with_points(self, points: Mapping[str, ArrayLike], source: str, *notes: Said) -> Landmarks:
        """Return landmarks with points added or replaced."""
        added = {name: np.asarray(value, dtype=np.float64) for name, value in points.items()}
        return replace(
            self,
            points={**self.points, **added},
            sources={**self.sources, **dict.fromkeys(added, source)},
            notes=as_notes((*self.notes, *notes)),
        )

    def with_directions(self, directions: Mapping[str, ArrayLike], source: str, *notes: Said) -> Landmarks:
        """Return landmarks with functional axes added or replaced."""
        added = {name: np.asarray(value, dtype=np.float64) for name, value in directions.items()}
        named = {f"axis {name}": source for name in added}
        return replace(
            self,
            directions={**self.directions, **added},
            sources={**self.sources, **named},
            notes=as_notes((*self.notes, *notes)),
        )

    def to_xarray(self) -> xr.DataArray:
        """Return an `xarray.DataArray` of the points with the dimensions time, landmark and axis."""
        import xarray as xr

        places = np.stack(list(self.points.values()), axis=1) if self.points else np.zeros((len(self), 0, 3))
        coords = {"time": self.time, "landmark": list(self.points), "axis": list(AXES)}
        return xr.DataArray(places, dims=("time", "landmark", "axis"), coords=coords, attrs={"units": "m"})

    def to_dataframe(self) -> pd.DataFrame:
        """Return the points as a `pandas.DataFrame` indexed by time, columns (landmark, axis)."""
        import pandas as pd

        columns = pd.MultiIndex.from_product([list(self.points), AXES], names=["landmark", "axis"])
        rows = self.to_xarray().to_numpy().reshape(len(self), -1)
        return pd.DataFrame(rows, index=pd.Index(self.time, name="time"), columns=columns)


def find_landmarks(
    recording: Recording,
    protocol: Protocol | str | Path | None = None,
    *,
    subject: str | None = None,
) -> Landmarks:
    """Find the landmarks that the markers of a recording stand for.

    Args:
        recording: With markers, in world axes.
        protocol: A table, its name or the path of a file; None: the packaged one that knows most of the markers.
        subject: Whose markers, the "A" of "A:RKNE", where there are those of several people.

    Raises:
        InputError: No markers, none that the table knows, or those of several people.
    """
    if not recording.markers:
        raise InputError(f"recording {recording.name!r} has no markers")
    labels = _of_subject(recording.markers.labels, subject)
    seen = [x for x in labels if np.isfinite(recording.markers[x]).all(axis=1).any()]
    if protocol is None:
        table, count = choose_protocol(seen)
        words = (
            f"landmarks: table {table.name!r} ({table.title}) knows most of the markers, {count} landmarks"
        )
        note = Note("landmarks.table-chosen", words, topic="landmarks", values={"landmarks": count})
    else:
        table = protocol if isinstance(protocol, Protocol) else read_protocol(protocol)
        words = f"landmarks: table {table.name!r} ({table.title})"
        note = Note("landmarks.table-given", words, topic="landmarks")
    found = table.found(seen)
    if not found:
        raise InputError(
            f"the table {table.name!r} knows none of the markers {', '.join(seen[:12])}: give another protocol"
        )
    markers = recording.markers
    points = {name: markers[label] for name, label in found.items()}
    sources = {name: f"marker {label}" for name, label in found.items()}
    computed = {name: markers[label] for name, label in match(table.computed, seen).items()}
    plain = plain_labels(seen)
    clusters = {}
    for name, several in table.clusters.items():
        here = tuple(plain[x.casefold()] for x in several if x.casefold() in plain)
        if len(here) >= 3:
            clusters[name] = (here, np.stack([markers[x] for x in here], axis=1))
    wands = {name: markers[label] for name, label in match(table.wands, seen).items()}
    return Landmarks(
        time=markers.time,
        points=points,
        sources=sources,
        clusters=clusters,
        wands=wands,
        computed=computed,
        measures=_measures(table, recording.subject.measures),
        protocol=table.name,
        notes=(note,),
    )


def _of_subject(labels: Iterable[str], subject: str | None) -> list[str]:
    names = list(labels)
    people = subjects(names)
    if subject is None and len(people) > 1:
        raise InputError(
            f"the markers are of {', '.join(x or 'nobody' for x in people)}: choose one with subject=... or --subject"
        )
    if subject is not None and subject not in people:
        raise InputError(f"subject must be one of {', '.join(people) or 'nobody'}, not {subject!r}")
    whose = subject if subject is not None else (people[0] if people else "")
    return [label for label in names if subject_of(label) == whose]


def _measures(table: Protocol, given: Mapping[str, float]) -> dict[str, float]:
    """Return measures in metres; a measure of zero was not taken."""
    found = match(table.measures, given)
    return {name: given[label] * MILLIMETRE for name, label in found.items() if given[label] > 0.0}
