"""Paths of muscles as files: the tables of OpenSim's MuscleAnalysis."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from softstride.capture.text import StorageFile, format_storage
from softstride.errors import CaptureError, InputError
from softstride.files import write_whole
from softstride.harmless import file_names
from softstride.muscles.paths.paths import MusclePaths
from softstride.signals.inputs import as_time


def save_paths(
    found: MusclePaths, base: str | os.PathLike[str], time: ArrayLike, *, overwrite: bool = False
) -> tuple[Path, ...]:
    """Write lengths and moment arms for OpenSim, as text that reads back bit for bit.

    `BASE_Length.sto` holds lengths [m], `BASE_MomentArm_COORDINATE.sto` moment arms, a file for each coordinate that
    some path moves about.

    Args:
        found: The paths.
        base: Beginning of the names, with a folder that exists.
        time: Instants of the frames [s], shape (n,).
        overwrite: Whether existing files may be replaced.

    Returns:
        The files.

    Raises:
        InputError: Not one instant a frame.
        CaptureError: A file exists already or cannot be written; if one exists, none is written.
    """
    try:
        text = os.fspath(base)
    except TypeError:
        raise InputError(f"files of paths must be given by a name, not as {base!r}") from None
    length = np.atleast_2d(found.length)
    arms = found.arms.reshape(len(length), len(found.names), -1)
    instants = as_time(time, len(length))
    tables = {Path(f"{text}_Length.sto"): ("Length", "Lengths of muscles in m", length)}
    moved = np.flatnonzero(arms.any(axis=(0, 1)))
    safe = dict(zip(moved, file_names(found.coordinates[j] for j in moved), strict=True))
    for j in moved:
        name = found.coordinates[j]
        about = f"Moment arms about {name}, -dL/dq, in m or 1"
        tables[Path(f"{text}_MomentArm_{safe[j]}.sto")] = (
            "MomentArm",
            about,
            np.ascontiguousarray(arms[:, :, j]),
        )
    for target in tables:
        if os.path.lexists(target) and not overwrite:
            raise CaptureError(target, "file", "exists already", "choose another name, or overwrite=True")
    for target, (name, about, values) in tables.items():
        file = StorageFile(
            name=name,
            columns=found.names,
            time=instants,
            values=values,
            in_degrees=False,
            header={"description": about},
        )
        write_whole(target, format_storage(file, path=str(target)), overwrite=overwrite)
    return tuple(tables)
