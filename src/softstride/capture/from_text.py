"""Parsed text files as `Recording`s, still in their own axes: TRC, MOT, STO, CSV, ANC, external loads."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from softstride.capture.emg_channels import find_emg, names_muscle
from softstride.capture.force import ExternalForce
from softstride.capture.labels import side_of_body
from softstride.capture.recording import Recording
from softstride.capture.series import Channels, Floats, Points, owned
from softstride.capture.text import (
    AncFile,
    CsvFile,
    ExternalLoads,
    ForceColumns,
    LoadEntry,
    StorageFile,
    TrcFile,
    find_force_columns,
)
from softstride.capture.units import in_si, read_length_unit
from softstride.errors import CaptureError

TIME = re.compile(r"^(time|t|seconds|zeit)$", re.IGNORECASE)
TRIPLE = re.compile(r"^(?P<label>.+?)[ ._:-]*(?P<axis>[xyz])$", re.IGNORECASE)
SECONDS = {"": 1.0, "s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1000.0, "milliseconds": 1000.0}


def _of_file(notes: Iterable[str]) -> list[str]:
    return [f"file: {note}" for note in notes]


def recording_from_trc(file: TrcFile, path: Path) -> Recording:
    """Return the markers of a TRC file, in [m]."""
    unit, note = read_length_unit(file.units, file.positions)
    markers = Points(file.time, file.labels, owned(in_si(file.positions, unit)), "m")
    return Recording(
        path.stem, (path.name,), markers, notes=(*_of_file(file.notes), *((note,) if note else ()))
    )


def recording_from_storage(file: StorageFile, path: Path) -> Recording:
    """Return the ground forces of a MOT or STO file, and its other columns as a table or as EMG."""
    found = find_force_columns(file.columns)
    values = {name: file.values[:, i] for i, name in enumerate(file.columns)}
    forces = tuple(_force(columns, values.__getitem__, file.time) for columns in found)
    used = {name for columns in found for name in _names_of(columns)}
    rest = tuple(name for name in file.columns if name not in used)
    table = Channels(file.time, file.columns, file.values, in_degrees=file.in_degrees).select(rest)
    notes = _of_file(file.notes)
    if forces:
        notes.append(f"forces: found by their column names: {', '.join(force.name for force in forces)}")
    activity = bool(rest) and all(names_muscle(name) for name in rest) and file.in_degrees is not True
    if activity:
        notes.append(f"emg: every column names a muscle: {', '.join(rest)}")
    return Recording(
        path.stem,
        (path.name,),
        forces=forces,
        emg=table if activity else Channels.none(),
        table=Channels.none() if activity or not rest else table,
        notes=tuple(notes),
    )


def _names_of(columns: ForceColumns) -> tuple[str, ...]:
    return (*columns.force, *(columns.point or ()), *(columns.torque or ()))


def _force(columns: ForceColumns, column: Callable[[str], Floats], time: Floats) -> ExternalForce:
    force = np.stack([column(name) for name in columns.force], axis=1)
    point, moment = (
        np.stack([column(name) for name in names], axis=1) if names else np.zeros_like(force)
        for names in (columns.point, columns.torque)
    )
    return _unloaded_has_no_point(ExternalForce(columns.name, time, force, point, moment, side=columns.side))


def _unloaded_has_no_point(force: ExternalForce) -> ExternalForce:
    """A point without any force is a number without a meaning; OpenSim's files hold hundreds of metres there."""
    acting = force.loaded | (force.moment != 0.0).any(axis=1)
    return replace(force, point=np.where(acting[:, None], force.point, np.nan))


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
    notes = _of_file(loads.notes)
    files: dict[str, None] = {path.name: None}
    for entry in loads.entries:
        if not entry.enabled:
            notes.append(f"forces: {entry.name} is switched off in {path.name}; left out")
            continue
        source, file = read_storage(entry)
        if source.name not in files:
            notes += _of_file(file.notes)
            files[source.name] = None
        forces.append(_entry_force(entry, file, source))
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
    return _unloaded_has_no_point(
        ExternalForce(
            entry.name,
            file.time,
            force,
            point,
            moment,
            body=entry.body,
            side=side_of_body(entry.body),
            force_in=entry.force_in,
            point_in=entry.point_in,
        )
    )


def recording_from_anc(file: AncFile, path: Path) -> Recording:
    """Return the analog channels of an ANC file, in [V], and those of them that hold EMG."""
    analog = Channels(file.time, file.labels, file.volts, ("V",) * len(file.labels))
    emg = find_emg(analog)
    notes = _of_file(file.notes)
    if emg:
        notes.append(f"emg: {len(emg)} channels name a muscle: {', '.join(emg)}")
    return Recording(
        path.stem,
        (path.name,),
        analog=analog,
        emg=analog.select(emg) if emg else Channels.none(),
        notes=tuple(notes),
    )


def recording_from_csv(file: CsvFile, path: Path) -> Recording:
    """Return a table: markers if all columns come in x, y, z; forces by their names; the rest as it is."""
    notes = _of_file(file.notes)
    if file.text_columns:
        notes.append(f"table: columns of text are left out: {', '.join(file.text_columns)}")
    time, rest = _time_column(file, notes)
    units = dict(zip(file.columns, file.units, strict=True))
    values = {name: file.values[:, i] for i, name in enumerate(file.columns)}
    markers, rest = _triples(rest, values, units, time, notes)
    found = find_force_columns(rest)
    forces = tuple(_force(columns, values.__getitem__, time) for columns in found)
    used = {name for columns in found for name in _names_of(columns)}
    rest = tuple(name for name in rest if name not in used)
    table = Channels.none()
    if rest:
        columns = np.stack([values[name] for name in rest], axis=1)
        table = Channels(time, rest, columns, tuple(units[name] for name in rest))
    return Recording(path.stem, (path.name,), markers, table=table, forces=forces, notes=tuple(notes))


def _time_column(file: CsvFile, notes: list[str]) -> tuple[Floats, tuple[str, ...]]:
    for i, (name, unit) in enumerate(zip(file.columns, file.units, strict=True)):
        per_second = SECONDS.get(unit.strip().lower())
        if TIME.match(name.strip()) and per_second is not None:
            return file.values[:, i] / per_second, tuple(c for c in file.columns if c != name)
    notes.append(
        "time: the table has no column of time; its rows are counted 0, 1, 2, ... as if one second apart"
    )
    return np.arange(len(file.values), dtype=np.float64), file.columns


def _triples(
    names: tuple[str, ...], values: dict[str, Floats], units: dict[str, str], time: Floats, notes: list[str]
) -> tuple[Points, tuple[str, ...]]:
    """Return the columns as markers if every one of them is the x, y or z of a label; frame counters aside."""
    columns = [name for name in names if name.strip().lower() not in ("frame", "frame#", "frames")]
    matches = [TRIPLE.match(name.strip()) for name in columns]
    found = [(match["label"], match["axis"].lower()) for match in matches if match]
    labels = list(dict.fromkeys(label for label, _ in found))
    complete = len(found) == len(columns) and set(found) == {
        (label, axis) for label in labels for axis in "xyz"
    }
    if not columns or not complete or len(found) != 3 * len(labels) or find_force_columns(tuple(columns)):
        return Points.none(), names
    where = dict(zip(found, columns, strict=True))
    raw = np.stack(
        [np.stack([values[where[label, axis]] for axis in "xyz"], axis=1) for label in labels], axis=1
    )
    raw[(raw == 0.0).all(axis=2)] = np.nan
    unit, note = read_length_unit(units[columns[0]], raw)
    notes.append(note or f"table: every column is the x, y or z of one of {len(labels)} markers")
    return Points(time, tuple(labels), owned(in_si(raw, unit)), "m"), ()
