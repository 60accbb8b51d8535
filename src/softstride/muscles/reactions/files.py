"""Reactions as files: the ReactionLoads.sto of OpenSim's JointReaction analysis."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from softstride.capture.text import StorageFile, format_storage
from softstride.errors import CaptureError, InputError
from softstride.files import write_whole
from softstride.muscles.reactions.result import JointReactions
from softstride.notes import Note

SUFFIXES = (".sto", ".mot")
NAME = "Joint Reaction Loads"


def save_reactions(
    reactions: JointReactions, path: str | os.PathLike[str], *, overwrite: bool = False
) -> tuple[Note, ...]:
    """Write forces, moments and points of all joints for OpenSim, as text that reads back bit for bit.

    Frames that are not known hold "nan".

    Args:
        reactions: The reactions.
        path: Where to, ending in .sto or .mot; its folder must exist.
        overwrite: Whether an existing file may be replaced.

    Returns:
        Notes on what the file does not say by itself.

    Raises:
        CaptureError: The file exists already or cannot be written.
    """
    try:
        target = Path(path)
    except TypeError:
        raise InputError(f"a file must be given by its name, not as {path!r}") from None
    if target.suffix.lower() not in SUFFIXES:
        raise CaptureError(
            target, "suffix", f"{target.suffix or 'none'} is not .sto or .mot", "choose one of them"
        )
    unknown = int(np.count_nonzero(~reactions.known))
    notes: tuple[Note, ...] = ()
    if unknown:
        notes = (
            Note(
                "reactions.unknown-frames",
                f"nan in {unknown} of {len(reactions)} frames, in which not all forces are known",
                topic="reactions",
                values={"frames": unknown, "of_frames": len(reactions)},
            ),
        )
    what = [
        "What joints give the named body, in axes of the named frame: forces in N, moments in N m about the points, "
        "points in m",
        f"With {len(reactions.muscles)} muscles" if reactions.muscles else "Without muscles",
        *map(str, notes),
    ]
    file = StorageFile(
        name=NAME,
        columns=reactions.columns,
        time=reactions.time,
        values=reactions.table,
        in_degrees=False,
        header={"description": "\n".join(line.replace("=", ":") for line in what)},
    )
    write_whole(target, format_storage(file, path=str(target)), overwrite=overwrite)
    return notes
