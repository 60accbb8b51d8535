"""Muscle forces as files: the two tables of OpenSim's StaticOptimization, there and back.

`BASE_force.sto` holds forces [N] of muscles, then those of actuators and reserves [N·m] or [N]; `BASE_activation.sto`
holds activations and, for actuators and reserves, controls. Columns are named after muscles and actuators; a reserve
after its coordinate, "knee_angle_r_reserve".
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.capture.reading import MAX_BYTES
from softstride.capture.text import StorageFile, format_storage
from softstride.errors import CaptureError, InputError
from softstride.files import write_whole
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.muscles.force_files import ACTIVATION, FORCE, read_forces
from softstride.muscles.sharing.forces import MuscleForces
from softstride.notes import Notes

Array = NDArray[np.float64]

RESERVE = "_reserve"
SAME = 1e-6
"""Difference of instants in two files [s] that rounding explains."""


def save_muscles(
    forces: MuscleForces, base: str | os.PathLike[str], *, overwrite: bool = False
) -> tuple[Path, Path]:
    """Write forces and activations for OpenSim, as text that reads back bit for bit.

    Frames that are not known hold "nan".

    Args:
        forces: The forces.
        base: Beginning of both names, with its folder, which must exist; "so" makes so_force.sto and so_activation.sto.
        overwrite: Whether existing files may be replaced.

    Returns:
        The two files.

    Raises:
        CaptureError: A file exists already or cannot be written; then neither is written.
    """
    targets = muscle_files(base)
    for target in targets:
        if os.path.lexists(target) and not overwrite:
            raise CaptureError(target, "file", "exists already", "choose another name, or overwrite=True")
    backed = np.flatnonzero(forces.reserve_size > 0.0)
    names = (*forces.names, *forces.actuators, *(f"{forces.coordinates[j]}{RESERVE}" for j in backed))
    reserve = forces.reserve[:, backed]
    tables = {
        "ModelForces": (targets[0], (forces.force, forces.actuator_force, reserve)),
        "Static Optimization": (
            targets[1],
            (forces.activation, forces.control, reserve / forces.reserve_size[backed]),
        ),
    }
    texts = {
        "ModelForces": "Forces of muscles in N, of actuators and reserves in N m or N",
        "Static Optimization": "Activations of muscles, controls of actuators and reserves",
    }
    for name, (target, parts) in tables.items():
        file = StorageFile(
            name=name,
            columns=names,
            time=forces.time,
            values=np.concatenate(parts, axis=1),
            in_degrees=False,
            header={"description": texts[name]},
        )
        write_whole(target, format_storage(file, path=str(target)), overwrite=overwrite)
    return targets


def muscle_files(base: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Return the names of both files; `base` may also be one of them."""
    try:
        text = os.fspath(base)
    except TypeError:
        raise InputError(f"files of muscle forces must be given by a name, not as {base!r}") from None
    for ending in (FORCE, ACTIVATION):
        text = text.removesuffix(ending)
    return Path(text + FORCE), Path(text + ACTIVATION)


def read_muscles(base: str | os.PathLike[str], model: Model, *, max_bytes: int = MAX_BYTES) -> MuscleForces:
    """Read forces, and activations if they are there, of a static optimisation, ours or OpenSim's.

    Columns that are neither muscles nor actuators nor reserves (OpenSim also reports external forces) are left out, and
    a note names them. What files do not hold, demand and certificate, is empty or NaN.

    Args:
        base: Beginning of both names, or the file of forces.
        model: The model whose muscles they are.
        max_bytes: Files larger than this are refused.

    Raises:
        CaptureError: The forces cannot be read, hold no muscle of the model, or do not fit the activations.
    """
    where, beside = muscle_files(base)
    table = read_forces(where, model.muscles, max_bytes=max_bytes)
    column = {name: i for i, name in enumerate(table.names)}
    names = tuple(name for name in model.muscles if name in column)
    if not names:
        raise CaptureError(
            where, "columns", f"none is a muscle: {model.name!r} has none", "give the model it belongs to"
        )
    actuators = tuple(name for name in model.actuators if name in column)
    coordinates = tuple(name for name in model.coordinate_names if f"{name}{RESERVE}" in column)
    notes = Notes(table.notes)
    used = {*names, *actuators, *(f"{name}{RESERVE}" for name in coordinates)}
    others = [name for name in column if name not in used]
    if others:
        notes.add(
            "forces.columns-left-out",
            f"{where.name}: left out, neither muscles nor actuators of {model.name!r}: {names_hint(others)}",
            topic="muscle forces",
            names=others,
        )
    force, activation = table.force, np.full_like(table.force, np.nan)
    if os.path.lexists(beside):
        second = read_forces(beside, max_bytes=max_bytes)
        if second.time.shape != table.time.shape or np.abs(second.time - table.time).max(initial=0.0) > SAME:
            raise CaptureError(
                beside, "time", f"its frames are not those of {where.name}", "give two files of one run"
            )
        places = {name: i for i, name in enumerate(second.names)}
        for name in used & places.keys():
            activation[:, column[name]] = second.force[:, places[name]]
    else:
        notes.add(
            "forces.no-activations",
            f"{where.name}: there are no activations beside it, no {beside.name}",
            topic="muscle forces",
        )

    def take(source: Array, wanted: tuple[str, ...]) -> Array:
        return source[:, [column[name] for name in wanted]]

    reserves = tuple(f"{name}{RESERVE}" for name in coordinates)
    reserve, control = take(force, reserves), take(activation, reserves)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.where(np.abs(control) > 0.0, reserve / control, np.nan)
    by_name = {name: getattr(motor, "coordinate", "") for name, motor in model.actuators.items()}
    return MuscleForces(
        model,
        table.time,
        names,
        take(force, names),
        take(activation, names),
        coordinates=coordinates,
        reserve=reserve,
        reserve_size=np.nan_to_num(_median(sizes)),
        actuators=actuators,
        actuator_coordinates=tuple(by_name[name] for name in actuators),
        actuator_force=take(force, actuators),
        control=take(activation, actuators),
        notes=tuple(notes),
    )


def _median(sizes: Array) -> Array:
    """Return the middle of the numbers in each column, NaN where there is none."""
    return np.array([np.median(c[np.isfinite(c)]) if np.isfinite(c).any() else np.nan for c in sizes.T])
