"""Forces in the compartments of knees as files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from softstride.capture.text import StorageFile, format_storage
from softstride.errors import CaptureError, InputError
from softstride.files import write_whole
from softstride.muscles.reactions.files import SUFFIXES
from softstride.muscles.reactions.knee import PARTS, KneeContact


def save_knees(
    knees: Sequence[KneeContact], path: str | os.PathLike[str], *, overwrite: bool = False
) -> None:
    """Write pressure along the tibia and its two parts [N] of one or two knees, as text that reads back bit for bit.

    Columns are called "knee_left_total", "knee_left_medial", "knee_left_lateral".

    Args:
        knees: Of the same frames.
        path: Where to, ending in .sto or .mot; its folder must exist.
        overwrite: Whether an existing file may be replaced.

    Raises:
        CaptureError: The file exists already or cannot be written.
        InputError: No knee, or knees of other frames.
    """
    try:
        target = Path(path)
    except TypeError:
        raise InputError(f"a file must be given by its name, not as {path!r}") from None
    if target.suffix.lower() not in SUFFIXES:
        raise CaptureError(
            target, "suffix", f"{target.suffix or 'none'} is not .sto or .mot", "choose one of them"
        )
    if not knees or any(not np.array_equal(each.time, knees[0].time) for each in knees):
        raise InputError("a file of knees holds one or two of the same frames")
    file = StorageFile(
        name="Knee Contact Forces",
        columns=tuple(f"knee_{each.side}_{part}" for each in knees for part in PARTS),
        time=knees[0].time,
        values=np.stack([getattr(each, part) for each in knees for part in PARTS], axis=1),
        in_degrees=False,
        header={
            "description": "Pressure on the tibia along its axis in N, and its share in each compartment"
        },
    )
    write_whole(target, format_storage(file, path=str(target)), overwrite=overwrite)
