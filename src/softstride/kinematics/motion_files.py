"""Motions as files: OpenSim's .mot and .sto."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.capture.reading import MAX_BYTES, read_bytes
from softstride.capture.text import StorageFile, format_storage, parse_storage
from softstride.errors import CaptureError, InputError, Option
from softstride.files import write_whole
from softstride.kinematics.motion import Motion
from softstride.kinematics.motion_table import Column, describe_columns, q_of, table_of
from softstride.model.formats.osim_write.elements import Names
from softstride.model.model import Model
from softstride.notes import Note, Notes

Array = NDArray[np.float64]

SUFFIXES = (".mot", ".sto")
NAMED = 12
"""Names that a note lists before it only counts."""


def save_motion(
    motion: Motion, path: str | os.PathLike[str], *, degrees: bool = True, overwrite: bool = False
) -> tuple[Note, ...]:
    """Write the coordinates of a motion for OpenSim, as text that reads back to rounding.

    The columns have the names of the coordinates; characters that OpenSim does not allow become "_", as in the
    documents of `save_model`. The rotations of spherical and free joints are successive angles about x, y and z.

    Args:
        motion: The motion.
        path: Where to, ending in .mot or .sto; its folder must exist.
        degrees: Whether angles are written in degrees, and the header says so; otherwise in radians.
        overwrite: Whether an existing file may be replaced.

    Returns:
        Notes on what the file does not say by itself.

    Raises:
        CaptureError: The file exists already or cannot be written.
    """
    target = _as_path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise CaptureError(
            target, "suffix", f"{target.suffix or 'none'} is not .mot or .sto", "choose one of them"
        )
    data, notes = format_motion(motion, degrees=degrees, path=str(target))
    write_whole(target, data, overwrite=overwrite)
    return notes


def format_motion(
    motion: Motion, *, degrees: bool = True, path: str = "motion"
) -> tuple[bytes, tuple[Note, ...]]:
    """Return the file of `save_motion` as bytes, and its notes; `path` is its name, for errors."""
    columns = describe_columns(motion.model)
    names = file_names(columns)
    notes = (*_remarks(columns, names, degrees), *_followed(motion.model))
    angles = "degrees" if degrees else "radians"
    header = ["Units are S.I. units (second, meters, Newtons, ...)", f"Angles are in {angles}."]
    file = StorageFile(
        name="Coordinates",
        columns=names,
        time=motion.time,
        values=table_of(motion.model, motion.q, degrees=degrees),
        in_degrees=degrees,
        header={"description": "\n".join([*header, *(str(note).replace("=", ":") for note in notes)])},
    )
    return format_storage(file, path=path), notes


def read_motion(
    path: str | os.PathLike[str], model: Model, *, degrees: bool | None = None, max_bytes: int = MAX_BYTES
) -> Motion:
    """Read a motion of a model from a .mot or .sto file: results of inverse kinematics, states, or our own.

    Columns are found by the names of coordinates, alone or as "/jointset/hip_r/hip_flexion_r/value". Other columns
    (speeds, activations, coordinates that couplers removed from the model) are left out and a note names them.
    Coordinates without a column have their default, and a note names them too.

    Args:
        path: The file.
        model: The model whose motion it is.
        degrees: Whether its angles are in degrees; None: as its header says.
        max_bytes: Files larger than this are refused.

    Returns:
        The motion; `notes` tells what was left out and filled in.

    Raises:
        CaptureError: The file cannot be read, has no column of the model, times that do not increase, a coordinate
            twice or a cell without number, or does not say whether it is in degrees.
    """
    source = _as_path(path)
    if source.suffix.lower() not in SUFFIXES:
        raise CaptureError(
            source, "suffix", f"{source.suffix or 'none'} is not .mot or .sto", "convert the file"
        )
    file = parse_storage(read_bytes(source, max_bytes), str(source))
    columns = describe_columns(model)
    found, others = _match(file.columns, columns, model, source)
    _check_time(file.time, source)
    in_degrees = _in_degrees(file, degrees, [columns[i] for i in found], source)
    rest = table_of(model, model.neutral()[None], degrees=in_degrees)
    table = np.repeat(rest, len(file.time), axis=0)
    for place, column in found.items():
        table[:, place] = file.values[:, column]
    _check_numbers(table, found, file.columns, source)
    missing = [column.name for i, column in enumerate(columns) if i not in found]
    notes = Notes(replace(note, text=f"{source.name}: {note.text}") for note in file.notes)
    if others:
        text = f"{source.name}: left out, no coordinates of {model.name!r}: {_listed(others)}"
        notes.add("motion-file.columns-left-out", text, topic="motion file", names=others)
    if missing:
        text = f"{source.name}: has no column for these, which are at their default: {_listed(missing)}"
        notes.add("motion-file.coordinates-at-default", text, topic="motion file", names=missing)
    return Motion(model, file.time, q_of(model, table, degrees=in_degrees), notes=tuple(notes))


def _as_path(path: object) -> Path:
    try:
        return Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"a file must be given by its name, not as {path!r}") from None


def file_names(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return names that OpenSim accepts; strains come last, since its documents have none."""
    names = Names()
    given = {
        column.name: names.new(column.name) for column in sorted(columns, key=lambda column: column.strain)
    }
    return tuple(given[column.name] for column in columns)


def _remarks(columns: Sequence[Column], names: Sequence[str], degrees: bool) -> Iterator[Note]:
    strains = [name for name, column in zip(names, columns, strict=True) if column.strain]
    euler = [name for name, column in zip(names, columns, strict=True) if column.euler]
    other = [name for name, column in zip(names, columns, strict=True) if not column.unit]
    renamed = [f"{c.name!r} as {name!r}" for name, c in zip(names, columns, strict=True) if name != c.name]
    if euler:
        yield _told("successive-angles", f"Successive angles about x, y and z: {_listed(euler)}", euler)
    if strains:
        text = f"Strains of rods, in 1/m (k) and 1 (e), never in degrees: {_listed(strains)}"
        yield _told("strains", text, strains)
    if other and degrees:
        text = f"Neither angles nor lengths to OpenSim, not converted to degrees: {_listed(other)}"
        yield _told("not-in-degrees", text, other)
    if renamed:
        changed = [c.name for name, c in zip(names, columns, strict=True) if name != c.name]
        text = f"Names that OpenSim does not allow are changed: {_listed(renamed)}"
        yield _told("names-changed", text, changed)


def _followed(model: Model) -> Iterator[Note]:
    """Yield a note on coordinates that drive several links, which have several names in OpenSim."""
    used = Counter(name for link in model.links for name in link.coordinate_names)
    shared = [name for name, count in used.items() if count > 1]
    if shared:
        text = (
            f"Drive several links: {_listed(shared)}. The coordinates that follow them in OpenSim by couplers, such as "
            "knee_angle_r_beta, have no column"
        )
        yield _told("followers-without-column", text, shared)


def _told(what: str, text: str, names: Sequence[str]) -> Note:
    return Note(f"motion-file.{what}", text, topic="motion file", names=tuple(names))


def _match(
    labels: Sequence[str], columns: Sequence[Column], model: Model, path: Path
) -> tuple[dict[int, int], list[str]]:
    """Return the column of the file for each place in the table, and the labels of the others."""
    places = {name: i for i, name in enumerate(file_names(columns))}
    places |= {column.name: i for i, column in enumerate(columns)}
    found: dict[int, int] = {}
    others: list[str] = []
    for i, label in enumerate(labels):
        place = places.get(label, places.get(_coordinate_in(label)))
        if place is None:
            others.append(label)
        elif place in found:
            problem = f"{labels[found[place]]!r} and {label!r} are both coordinate {columns[place].name!r}"
            raise CaptureError(path, "columns", problem, "keep one of them")
        else:
            found[place] = i
    if not found:
        problem = f"none is a coordinate of {model.name!r}; the file has {_listed(labels)}"
        known = _listed([column.name for column in columns])
        raise CaptureError(path, "columns", problem, f"give the model it belongs to; this one has {known}")
    return found, others


def _coordinate_in(label: str) -> str:
    """Return the coordinate whose value a path-like label names, "" if it names anything else."""
    parts = label.split("/")
    return parts[-2] if len(parts) > 1 and parts[-1] == "value" else ""


def _in_degrees(file: StorageFile, given: bool | None, columns: Sequence[Column], path: Path) -> bool:
    if given is not None:
        return given
    if file.in_degrees is None and any(column.rotational for column in columns):
        option = Option("degrees", bool)
        raise CaptureError(
            path,
            "inDegrees",
            "the header does not say whether angles are in degrees",
            f"say it: {option}",
            parameter="degrees",
            options=[option],
        )
    return bool(file.in_degrees)


def _check_time(time: Array, path: Path) -> None:
    back = np.flatnonzero(np.diff(time) <= 0.0)
    if back.size:
        row = int(back[0]) + 2
        problem = f"{time[row - 1]:.10g} s does not come after {time[row - 2]:.10g} s"
        raise CaptureError(
            path, f"data row {row}, column 'time'", problem, "sort the rows and keep each time once"
        )


def _check_numbers(table: Array, found: dict[int, int], labels: Sequence[str], path: Path) -> None:
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, place = (int(i) for i in bad[0])
        field = f"data row {row + 1}, column {labels[found[place]]!r}"
        raise CaptureError(path, field, "holds no number", "fill the gap or cut the rows")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
