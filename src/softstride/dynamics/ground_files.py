"""Ground reactions as files: OpenSim's table of forces, and the document of external loads that goes with it.

The table has nine columns for each foot, `ground_force_r_vx` to `_vz`, `ground_force_r_px` to `_pz` and
`ground_torque_r_x` to `_z`, in ground: force [N], point where it acts [m] and moment about that point [N·m]. A force on
a link without a side, or one of several on a foot, has its number in the place of the letter. The document says which
body the columns of each act on, so that OpenSim's tools, `softstride id` and `read` can use them.
"""

from __future__ import annotations

import os
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from softstride.capture.force import ExternalForce
from softstride.capture.recording import Recording
from softstride.capture.writing import force_keys, write
from softstride.dynamics.loads import AppliedWrench, Loads
from softstride.errors import CaptureError, InputError
from softstride.files import write_whole
from softstride.model.formats.osim_write.elements import component_name
from softstride.naming import Side, side_of
from softstride.notes import Note

SUFFIXES = (".mot", ".sto")


def ground_recording(loads: Loads) -> Recording:
    """Return what acts from outside as the forces of a recording, each with its body, and its side if that is told.

    Raises:
        InputError: Nothing acts.
    """
    if not loads.wrenches:
        raise InputError(
            "these loads hold no ground reaction: estimate them, or give a recording to solve_id"
        )
    forces = tuple(
        _force(name, loads, wrench, side_of(wrench.link)) for name, wrench in loads.wrenches.items()
    )
    told = "" if loads.ground is None else ", estimated from the motion"
    return Recording(f"ground reaction of {loads.model.name}{told}", forces=forces)


def save_ground(
    loads: Loads,
    path: str | os.PathLike[str],
    document: str | os.PathLike[str] | None = None,
    *,
    overwrite: bool = False,
) -> tuple[Note, ...]:
    """Write the ground reactions of loads as a table and, if asked, the document of external loads.

    Args:
        loads: The loads.
        path: Where the table goes, ending in .mot or .sto; its folder must exist.
        document: Where the document goes, ending in .xml, in the same folder; None: nowhere.
        overwrite: Whether existing files may be replaced.

    Returns:
        Notes on what the files do not say by themselves.

    Raises:
        CaptureError: A file exists already or cannot be written.
        InputError: The loads hold no force.
    """
    table = Path(path)
    if table.suffix.lower() not in SUFFIXES:
        raise CaptureError(
            table, "suffix", f"{table.suffix or 'none'} is not .mot or .sto", "choose one of them"
        )
    recording = ground_recording(loads)
    target = None if document is None else _document(Path(document), table, overwrite)
    notes = list(write(recording, table, what="forces", overwrite=overwrite))
    if target is not None:
        write_whole(target, external_loads(recording, table.name).encode(), overwrite=overwrite)
    notes += [
        _numbered(force, key)
        for force, key in zip(recording.forces, force_keys(recording.forces), strict=True)
        if key.isdigit()
    ]
    soft = [force.body for force in recording.forces if force.body and loads.model.link(force.body).soft]
    if soft:
        told = f"{', '.join(soft)} is a rod: OpenSim has no such body, ours reads the files"
        notes.append(Note("forces-file.on-a-rod", told, topic="file of forces", names=tuple(soft)))
    return tuple(notes)


def _numbered(force: ExternalForce, key: str) -> Note:
    why = "the name tells no side" if force.side is None else f"it is not alone on the {force.side} foot"
    told = (
        f"the columns of force {force.name!r} on {force.body!r} go by its number, ground_force_{key}: {why}"
    )
    return Note("forces-file.columns-by-number", told, topic="file of forces", names=(force.name,))


def external_loads(recording: Recording, table: str) -> str:
    """Return OpenSim's document of external loads for the forces of a recording.

    Args:
        recording: The forces, each with its body.
        table: Name of the file with the columns, as the document is to give it.
    """
    objects = []
    for force, key in zip(recording.forces, force_keys(recording.forces), strict=True):
        fields = {
            "applied_to_body": force.body or "",
            "force_expressed_in_body": force.force_in,
            "point_expressed_in_body": force.point_in,
            "force_identifier": f"ground_force_{key}_v",
            "point_identifier": f"ground_force_{key}_p",
            "torque_identifier": f"ground_torque_{key}_",
        }
        lines = "".join(f"\n        <{tag}>{escape(text)}</{tag}>" for tag, text in fields.items())
        objects.append(f"\n      <ExternalForce name={_name(force.name)}>{lines}\n      </ExternalForce>")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<OpenSimDocument Version="40000">\n'
        f"  <ExternalLoads name={_name(recording.name)}>\n    <objects>{''.join(objects)}\n    </objects>\n"
        f"    <groups />\n    <datafile>{escape(table)}</datafile>\n  </ExternalLoads>\n</OpenSimDocument>\n"
    )


def _name(text: str) -> str:
    return quoteattr(component_name(text))


def _force(name: str, loads: Loads, wrench: AppliedWrench, side: Side | None) -> ExternalForce:
    acts = np.all(np.isfinite(wrench.point), axis=1, keepdims=True)
    return ExternalForce(
        name,
        loads.time,
        wrench.force,
        np.where(acts, wrench.point, 0.0),
        wrench.moment,
        body=wrench.link,
        side=side,
    )


def _document(document: Path, table: Path, overwrite: bool) -> Path:
    if document.suffix.lower() != ".xml":
        raise CaptureError(document, "suffix", f"{document.suffix or 'none'} is not .xml", "choose that")
    if document.parent.resolve() != table.parent.resolve():
        raise CaptureError(
            document, "folder", f"is not that of {table.name}, which it names", "put both in one folder"
        )
    if document.exists() and not overwrite:
        raise CaptureError(document, "file", "exists already", "choose another name or allow overwriting")
    return document
