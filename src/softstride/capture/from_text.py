"""Parsed text files as `Recording`s, still in their own axes: TRC, MOT, STO, CSV, ANC, external loads."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from softstride.capture.column_forces import (
    force_from_columns,
    names_of,
    notes_without_point,
    units_of_force,
    without_point_unloaded,
)
from softstride.capture.emg_channels import find_emg, names_muscle
from softstride.capture.force import ExternalForce
from softstride.capture.recording import Recording
from softstride.capture.series import Channels, Floats, Points
from softstride.capture.text import (
    AncFile,
    CsvFile,
    ExternalLoads,
    LoadEntry,
    StorageFile,
    TrcFile,
    find_force_columns,
    find_marker_columns,
)
from softstride.capture.text.clock import read_clock
from softstride.capture.text.encoding import listed
from softstride.capture.text.marker_columns import FRAME_COUNTERS
from softstride.capture.units import in_si, read_length_unit
from softstride.errors import CaptureError
from softstride.naming import side_of
from softstride.notes import Note, Notes
from softstride.results import owned

TIME = re.compile(r"^(time|t|seconds|zeit)$", re.IGNORECASE)
SECONDS = {  # how many make a second
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 1e3),
    **dict.fromkeys(("us", "µs", "μs", "microsecond", "microseconds"), 1e6),
    **dict.fromkeys(("min", "minute", "minutes"), 1 / 60),
}


def _of_file(path: Path, notes: Iterable[Note]) -> Iterator[Note]:
    return (replace(note, text=f"file {path.name}: {note.text}") for note in notes)


def recording_from_trc(file: TrcFile, path: Path) -> Recording:
    """Return the markers of a TRC file, in [m]."""
    unit, note = read_length_unit(file.units, file.positions)
    markers = Points(file.time, file.labels, owned(in_si(file.positions, unit)), "m")
    notes = Notes(_of_file(path, file.notes), [note] if note else [])
    if len(file.time) == 1:
        said = f"time: a single frame has no rate; the {file.rate:g} Hz of the file are not kept"
        notes.add("time.rate-not-kept", said, topic="time", values={"rate_Hz": file.rate})
    return Recording(path.stem, (path.name,), markers, notes=tuple(notes))


def recording_from_storage(file: StorageFile, path: Path) -> Recording:
    """Return the ground forces of a MOT or STO file, and its other columns as a table or as EMG."""
    found = find_force_columns(file.columns)
    values = {name: file.values[:, i] for i, name in enumerate(file.columns)}
    forces = tuple(force_from_columns(columns, values.__getitem__, file.time) for columns in found)
    used = {name for columns in found for name in names_of(columns)}
    rest = tuple(name for name in file.columns if name not in used)
    table = Channels(file.time, file.columns, file.values, in_degrees=file.in_degrees).select(rest)
    notes = Notes(_of_file(path, file.notes), notes_without_point(found))
    if forces:
        names = [force.name for force in forces]
        said = f"forces: found by their column names: {', '.join(names)}"
        notes.add("forces.found-by-name", said, topic="forces", names=names)
    activity = bool(rest) and all(names_muscle(name) for name in rest) and file.in_degrees is not True
    if activity:
        notes.add(
            "emg.table-found", f"emg: every column names a muscle: {', '.join(rest)}", topic="emg", names=rest
        )
    return Recording(
        path.stem,
        (path.name,),
        forces=forces,
        emg=table if activity else Channels.none(),
        table=Channels.none() if activity or not rest else table,
        notes=tuple(notes),
    )


def recording_from_external_loads(
    loads: ExternalLoads, path: Path, read_storage: Callable[[LoadEntry], tuple[Path, StorageFile]]
) -> Recording:
    """Return the forces of an OpenSim external-loads file, each with the body that it acts on.

    Args:
        loads: The parsed XML.
        path: Where it came from.
        read_storage: Gives the data file of an entry.

    Raises:
        CaptureError: A column that an entry names is not in its data file.
    """
    forces: list[ExternalForce] = []
    notes = Notes(_of_file(path, loads.notes))
    files: dict[str, None] = {path.name: None}
    for entry in loads.entries:
        if not entry.enabled:
            said = f"forces: {entry.name} is switched off in {path.name}; left out"
            notes.add("forces.switched-off", said, topic="forces", names=(entry.name,))
            continue
        source, file = read_storage(entry)
        if source.name not in files:
            notes.extend(_of_file(source, file.notes))
            files[source.name] = None
        forces.append(_entry_force(entry, file, source))
        if entry.force_id and not entry.point_id:
            said = f"forces: {entry.name} names no point: it acts at the origin of {entry.body}"
            notes.add("forces.point-at-origin", said, topic="forces", names=(entry.name, entry.body))
    if not forces:
        raise CaptureError(
            path, "ExternalForce", "no force is switched on", "enable one, or leave the file out"
        )
    return Recording(path.stem, tuple(files), forces=tuple(forces), notes=tuple(notes))


def _entry_force(entry: LoadEntry, file: StorageFile, source: Path) -> ExternalForce:
    values = {name: file.values[:, i] for i, name in enumerate(file.columns)}

    def triple(prefix: str, what: str) -> Floats:
        names = [prefix + axis for axis in "xyz"]
        missing = [name for name in names if name not in values]
        if missing:
            raise CaptureError(
                source,
                f"columns of {entry.name}",
                f"no {', '.join(missing)}, which the {what} identifier {prefix!r} asks for",
                "correct the identifier in the external-loads file or the column names",
            )
        return np.stack([values[name] for name in names], axis=1)

    nothing = np.zeros((len(file.time), 3))
    force = triple(entry.force_id, "force") if entry.force_id else nothing
    point = triple(entry.point_id, "point") if entry.point_id else nothing
    moment = triple(entry.torque_id, "torque") if entry.torque_id else nothing
    return without_point_unloaded(  # without a point, OpenSim applies a force at the origin of its body
        ExternalForce(
            entry.name,
            file.time,
            force,
            point,
            moment,
            body=entry.body,
            side=side_of(entry.body),
            force_in=entry.force_in,
            point_in=entry.point_in if entry.point_id else entry.body,
        )
    )


def recording_from_anc(file: AncFile, path: Path) -> Recording:
    """Return the analog channels of an ANC file, in [V], and those of them that hold EMG."""
    analog = Channels(file.time, file.labels, file.volts, ("V",) * len(file.labels))
    emg = find_emg(analog)
    notes = Notes(_of_file(path, file.notes))
    if emg:
        said = f"emg: {len(emg)} channels name a muscle: {', '.join(emg)}"
        notes.add("emg.channels-found", said, topic="emg", names=emg)
    return Recording(
        path.stem,
        (path.name,),
        analog=analog,
        emg=analog.select(emg) if emg else Channels.none(),
        notes=tuple(notes),
    )


def recording_from_csv(file: CsvFile, path: Path) -> Recording:
    """Return a table: forces by the names of their columns; markers if all others come in x, y, z; else as it is."""
    notes = Notes(_of_file(path, file.notes))
    if file.text_columns:
        said = f"table: columns of text are left out: {', '.join(file.text_columns)}"
        notes.add("table.text-left-out", said, topic="table", names=file.text_columns)
    time, rest = _time_column(file, path, notes)
    units = dict(zip(file.columns, file.units, strict=True))
    values = {name: file.values[:, i] for i, name in enumerate(file.columns)}
    known = [(columns, units_of_force(columns, units, notes)) for columns in find_force_columns(rest)]
    found = {columns: meant for columns, meant in known if meant is not None}
    in_newtons = {name: in_si(values[name], unit) for meant in found.values() for name, unit in meant.items()}
    notes.extend(notes_without_point(found))
    forces = tuple(force_from_columns(columns, in_newtons.__getitem__, time) for columns in found)
    rest = tuple(name for name in rest if name not in in_newtons)
    markers, rest = _markers(rest, values, units, time, notes)
    table = Channels.none()
    if rest:
        columns = np.stack([values[name] for name in rest], axis=1)
        table = Channels(time, rest, columns, tuple(units[name] for name in rest))
    return Recording(path.stem, (path.name,), markers, table=table, forces=forces, notes=tuple(notes))


def _time_column(file: CsvFile, path: Path, notes: Notes) -> tuple[Floats, tuple[str, ...]]:
    why = "the table has no column of time"
    for i, (name, unit) in enumerate(zip(file.columns, file.units, strict=True)):
        if not TIME.match(name.strip()):
            continue
        per_second = SECONDS.get(unit.strip().lower())
        if per_second is not None:
            clock = read_clock(file.values[:, i] / per_second, path)
            notes.extend(_of_file(path, clock.notes))
            return clock.time, tuple(c for c in file.columns if c != name)
        why = f"the column {name!r} is in {unit!r}, which is not known"
    said = f"time: {why}; the rows are counted 0, 1, 2, ... as if one second apart"
    notes.add("time.rows-counted", said, severity="warning", topic="time")
    return np.arange(len(file.values), dtype=np.float64), file.columns


def _markers(
    names: tuple[str, ...], values: dict[str, Floats], units: dict[str, str], time: Floats, notes: Notes
) -> tuple[Points, tuple[str, ...]]:
    """Return the columns that are markers, and the others; a counter of frames beside markers is left out."""
    found = find_marker_columns(names, units)
    if found.others:
        said = f"table: no positions by their names or units: {listed(found.others)} (x, y, z)"
        notes.add("table.no-positions", said, topic="table", names=found.others)
    if not found.labels:
        return Points.none(), names
    raw = np.stack([np.stack([values[name] for name in triple], axis=1) for triple in found.columns], axis=1)
    raw[(raw == 0.0).all(axis=2)] = np.nan
    unit, note = read_length_unit(found.unit, raw)
    said = f"table: {len(found.labels)} markers found: columns in x, y, z"
    notes.add("table.markers-found", said, topic="table", names=found.labels)
    notes.extend([note] if note else [])
    used = {*FRAME_COUNTERS, *(name for triple in found.columns for name in triple)}
    rest = tuple(name for name in names if name not in used and name.strip().lower() not in used)
    return Points(time, found.labels, owned(in_si(raw, unit)), "m"), rest
