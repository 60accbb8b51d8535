"""Loads as files: OpenSim's inverse_dynamics.sto, there and back.

A column is named after its coordinate, with "_moment" where OpenSim calls the coordinate rotational and "_force" for
all others. Bending and twist of rods, whose generalized force is a moment times a length, have "_moment" too, their
stretch and shear "_force".
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.capture.reading import MAX_BYTES, read_bytes
from softstride.capture.text import StorageFile, format_storage, parse_storage
from softstride.dynamics.loads import Loads
from softstride.errors import CaptureError, InputError
from softstride.files import write_whole
from softstride.kinematics.frames import spans
from softstride.kinematics.motion_files import file_names
from softstride.kinematics.motion_table import describe_columns
from softstride.model.model import Model
from softstride.notes import Note

Array = NDArray[np.float64]

SUFFIXES = (".sto", ".mot")
NAME = "Inverse Dynamics Generalized Forces"
ENDINGS = ("_moment", "_force")
FILE = "file of loads"
NAMED = 12
"""Names that a note lists before it only counts."""


def column_names(model: Model) -> tuple[str, ...]:
    """Return the names of the columns of a model's loads, in the order of v."""
    columns = describe_columns(model)
    turning = [column.rotational or column.unit == "1/m" for column in columns]
    return tuple(
        name + ("_moment" if turns else "_force")
        for name, turns in zip(file_names(columns), turning, strict=True)
    )


def save_loads(loads: Loads, path: str | os.PathLike[str], *, overwrite: bool = False) -> tuple[Note, ...]:
    """Write the generalized forces for OpenSim, as text that reads back bit for bit.

    Frames that are not known hold "nan". Residual, elastic forces and wrenches are not in such a file.

    Args:
        loads: The loads.
        path: Where to, ending in .sto or .mot; its folder must exist.
        overwrite: Whether an existing file may be replaced.

    Returns:
        Notes on what the file does not say by itself.

    Raises:
        CaptureError: The file exists already or cannot be written.
    """
    target = _as_path(path, "choose one of them")
    columns = describe_columns(loads.model)
    notes = []
    turned = [name for name, column in zip(column_names(loads.model), columns, strict=True) if column.euler]
    if turned:
        told = (
            "Moments of ball and free joints are about the axes of the link, not of successive angles: "
            f"{_listed(turned)}"
        )
        notes.append(Note("loads-file.moments-about-link-axes", told, topic=FILE, names=tuple(turned)))
    strains = [name for name, column in zip(column_names(loads.model), columns, strict=True) if column.strain]
    if strains:
        told = f"Generalized forces of strains of rods, in N m^2 (k) and N m (e): {_listed(strains)}"
        notes.append(Note("loads-file.forces-of-strains", told, topic=FILE, names=tuple(strains)))
    unknown = int(np.count_nonzero(~loads.known))
    if unknown:
        told = f"nan in {unknown} of {len(loads)} frames, in which external forces were not measured"
        notes.append(Note("loads-file.not-measured", told, topic=FILE, values={"frames": unknown}))
    lines = (*map(str, notes), *_certificate(loads))
    head = ["Generalized forces in N m and N", *(line.replace("=", ":") for line in lines)]
    file = StorageFile(
        name=NAME,
        columns=column_names(loads.model),
        time=loads.time,
        values=np.asarray(loads.tau),
        in_degrees=False,
        header={"description": "\n".join(head)},
    )
    write_whole(target, format_storage(file, path=str(target)), overwrite=overwrite)
    return tuple(notes)


def _certificate(loads: Loads) -> list[str]:
    """Return what somebody who has the file alone must know of it: where forces come from, frames not to believe."""
    lines = []
    if loads.ground is not None:
        lines.append("Ground reactions were estimated from the motion, not measured")
    doubtful = np.flatnonzero(loads.doubtful)
    if len(doubtful):
        frames = f"{len(doubtful)} of {len(loads)} frames, {spans(doubtful, loads.time)}"
        lines.append(f"Not to be believed, as the residual is too large: {frames}")
    return lines


def read_loads(path: str | os.PathLike[str], model: Model, *, max_bytes: int = MAX_BYTES) -> Loads:
    """Read the loads of a model from results of an inverse dynamics, ours or OpenSim's.

    Columns of coordinates that the model does not have (those that follow others by couplers) are left out and a note
    names them. What the file does not hold, some coordinates, residual and elastic forces, is NaN.

    Args:
        path: The file, .sto or .mot.
        model: The model whose loads they are.
        max_bytes: Files larger than this are refused.

    Raises:
        CaptureError: The file cannot be read, has no column of the model, or one twice.
    """
    source = _as_path(path, "convert the file")
    file = parse_storage(read_bytes(source, max_bytes), str(source))
    names = column_names(model)
    known = {_stem(name): i for i, name in enumerate(names)}
    known |= {name: i for i, name in enumerate(model.coordinate_names)}
    tau = np.full((len(file.time), model.nv), np.nan)
    found: dict[int, str] = {}
    others: list[str] = []
    for column, label in enumerate(file.columns):
        place = known.get(_stem(label)) if label.endswith(ENDINGS) else None
        if place is None:
            others.append(label)
        elif place in found:
            problem = f"{found[place]!r} and {label!r} are both loads of {model.coordinate_names[place]!r}"
            raise CaptureError(source, "columns", problem, "keep one of them")
        else:
            found[place] = label
            tau[:, place] = file.values[:, column]
    missing = [name for i, name in enumerate(names) if i not in found]
    if not found:
        raise CaptureError(
            source,
            "columns",
            f"none is a load of {model.name!r}; the file has {_listed(list(file.columns))}",
            f"give the model it belongs to; this one has {_listed(missing)}",
        )
    notes = [replace(note, text=f"{source.name}: {note.text}") for note in file.notes]
    if missing:
        told = f"{source.name}: has no column for these, which are NaN: {_listed(missing)}"
        notes.append(
            Note("loads-file.columns-missing", told, severity="warning", topic=FILE, names=tuple(missing))
        )
    if others:
        told = f"{source.name}: left out, no loads of {model.name!r}: {_listed(others)}"
        notes.append(Note("loads-file.columns-left-out", told, topic=FILE, names=tuple(others)))
    told = f"{source.name}: holds no residual and no elastic forces: they are NaN"
    notes.append(Note("loads-file.no-residual", told, topic=FILE))
    nothing = np.full((len(file.time), model.nv), np.nan)
    return Loads(
        model, file.time, tau, residual=np.full((len(tau), 6), np.nan), elastic=nothing, notes=tuple(notes)
    )


def _stem(label: str) -> str:
    return label.removesuffix("_moment") if label.endswith("_moment") else label.removesuffix("_force")


def _as_path(path: object, fix: str) -> Path:
    try:
        found = Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"a file must be given by its name, not as {path!r}") from None
    if found.suffix.lower() not in SUFFIXES:
        raise CaptureError(found, "suffix", f"{found.suffix or 'none'} is not .sto or .mot", fix)
    return found


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
