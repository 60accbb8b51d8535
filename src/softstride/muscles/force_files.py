"""Files of forces of muscles and actuators, as OpenSim's StaticOptimization and CMC write them: the one reader.

Joint reactions take the forces as they are; `softstride.muscles.sharing.files` sorts them into muscles, actuators and
reserves of a model.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.capture.reading import MAX_BYTES, read_bytes
from softstride.capture.text import parse_storage
from softstride.errors import CaptureError, InputError
from softstride.model.checks import names_hint
from softstride.notes import Note
from softstride.results import Labels, Result, values

Array = NDArray[np.float64]

FORCE, ACTIVATION = "_force.sto", "_activation.sto"
"""How the names of the two files of a static optimisation end."""

QUANTITIES = ("|tendon_force", ".tendon_force", "|actuation", ".actuation")
"""What may stand behind the name of a muscle or actuator."""


class GivenForces(Result, of="given forces"):
    """Forces over time by name.

    Attributes:
        names: Names of muscles, reserves and other actuators.
        time: Instants [s], shape (n,).
        force: [N]; of actuators also [N·m]; shape (n, m); NaN where the file has none.
        notes: What was decided.
    """

    names: tuple[str, ...]
    time: Array = values("time", "s")
    force: Array = values("time actuator")
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"actuator": lambda own: own.names}


def read_forces(
    path: str | os.PathLike[str], muscles: Iterable[str] = (), *, max_bytes: int = MAX_BYTES
) -> GivenForces:
    """Read forces over time from a .sto or .mot file.

    A column may be named by a path, "/forceset/soleus_r", or with "|tendon_force" or ".tendon_force" behind it.

    Args:
        path: The file.
        muscles: Names of muscles, of which the file must have one; they are taken as they are. Empty: any file.
        max_bytes: Files larger than this are refused.

    Raises:
        CaptureError: The file cannot be read, has no column of a muscle, or is one of activations.
    """
    try:
        source = Path(path)
    except TypeError:
        raise InputError(f"a file must be given by its name, not as {path!r}") from None
    file = parse_storage(read_bytes(source, max_bytes), str(source))
    known = tuple(muscles)
    if known and source.name.endswith(ACTIVATION):
        raise CaptureError(
            source, "name", "it holds activations, and forces are needed", f"give {_beside(source)}"
        )
    names = tuple(label if label in known else bare_name(label) for label in file.columns)
    if known and not set(known).intersection(names):
        raise CaptureError(
            source,
            "columns",
            f"none is a muscle of the model; the file has {names_hint(file.columns)}",
            f"give forces of this model, whose muscles are {names_hint(known)}",
        )
    if len(set(names)) != len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise CaptureError(source, "columns", f"two are forces of {double!r}", "keep one of them")
    notes = tuple(replace(note, text=f"{source.name}: {note.text}") for note in file.notes)
    return GivenForces(names, file.time, np.asarray(file.values), notes)


def bare_name(label: str) -> str:
    """Return the name of a muscle or actuator without the path before it and the quantity behind it."""
    name = label.rsplit("/", 1)[-1]
    for end in QUANTITIES:
        name = name.removesuffix(end)
    return name


def _beside(source: Path) -> str:
    return source.name.removesuffix(ACTIVATION) + FORCE
