"""Read an OpenSim model: the steps in order."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from softstride.errors import ModelError, inside
from softstride.model.coordinate import Coordinate
from softstride.model.formats.osim.bodies import read_frames, read_markers
from softstride.model.formats.osim.context import Context
from softstride.model.formats.osim.coordinates import declare_coordinates, read_coordinates
from softstride.model.formats.osim.forces import read_forces
from softstride.model.formats.osim.tree import build_links
from softstride.model.formats.osim.versions import open_document, read_joints
from softstride.model.formats.xml import parse_xml, read_xml
from softstride.model.model import GRAVITY, Model
from softstride.model.plausible import check_plausible
from softstride.model.tree import lay_out
from softstride.notes import Note

LENGTH_UNITS = ("", "m", "meter", "meters", "metre", "metres", "unassigned")
FORCE_UNITS = ("", "n", "newton", "newtons", "unassigned")
MAX_WORDS = 1000
"""Most that is kept of credits, and of publications, in characters."""

_KNOWN = frozenset(
    [
        "credits",
        "publications",
        "length_units",
        "force_units",
        "gravity",
        "assembly_method",
        "defaults",
        "components",
        "Ground",
        "ground",
        "BodySet",
        "JointSet",
        "CoordinateSet",
        "ControllerSet",
        "ConstraintSet",
        "ForceSet",
        "MarkerSet",
        "ContactGeometrySet",
        "ProbeSet",
        "ComponentSet",
        "ModelVisualPreferences",
        "ModelVisualizer",
        "model_visual_preferences",
    ]
)
"""Parts of a model that are read, or that only say how it looks."""

_UNREAD = ("Frame", "Station", "Coordinate", "Set", "Geometry")
_READ = ("PhysicalOffsetFrame", "Station")


def read_osim(path: str | Path, *, plausible: bool = True) -> Model:
    """Read an OpenSim model, formats 3 and 4.

    Links are named as bodies ("world" is the ground), coordinates as OpenSim names them, in radians and metres.
    Coordinates that a coupler constraint ties to others are substituted. What was not understood or changed is in the
    `notes` of the model.

    Args:
        path: The file, ".osim".
        plausible: Whether to refuse lengths and masses that cannot be those of a body in metres and kilograms.

    Returns:
        The model.

    Raises:
        ModelError: The file cannot be read, is no OpenSim model, or holds what would make results wrong: an unknown
            joint, a loop, a marker on a body that does not exist. The message names the element.
    """
    return _read(*read_xml(path), path, plausible)


def parse_osim(data: bytes, path: str | Path = "model.osim", *, plausible: bool = True) -> Model:
    """Read an OpenSim model from the bytes of its file; see `read_osim`.

    Args:
        data: The document.
        path: Its name, for messages.
        plausible: Whether to refuse lengths and masses that cannot be right.
    """
    return _read(*parse_xml(data, path), path, plausible)


def _read(root: Element, repairs: tuple[Note, ...], path: str | Path, plausible: bool) -> Model:
    context = open_document(root, path, repairs)
    with inside(file=context.path):
        _check_units(context)
        model = _build(context)
        if plausible:
            check_plausible(model)
    return model


def _build(context: Context) -> Model:
    joints = read_joints(context)
    links = build_links(context, joints, declare_coordinates(context, joints))
    coordinates = read_coordinates(context, joints, set(lay_out(links).names))
    markers = read_markers(context)
    frames = read_frames(context, {link.name for link in links} | set(markers))
    forces = read_forces(context.model, context)
    for name, spring in forces.springs.items():
        coordinates[name] = dataclasses.replace(
            coordinates.get(name, Coordinate(name)),
            stiffness=spring.stiffness,
            rest=spring.rest,
            damping=spring.damping,
        )
    _note_rest(context)
    credits, publications = (_words(context, tag) for tag in ("credits", "publications"))
    return Model(
        name=context.model.get("name", "").strip() or Path(context.path).stem or "model",
        links=links,
        gravity=context.vector(context.model, "gravity", np.array(GRAVITY)),
        coordinates=coordinates,
        markers=markers,
        frames=frames,
        muscles=forces.muscles,
        wraps=forces.wraps,
        ligaments=forces.ligaments,
        actuators=forces.actuators,
        contacts=forces.contacts,
        notes=context.notes,
        credits=credits,
        publications=publications,
    )


def _check_units(context: Context) -> None:
    for tag, allowed in (("length_units", LENGTH_UNITS), ("force_units", FORCE_UNITS)):
        given = context.text(context.model, tag, "")
        if given.lower() not in allowed:
            raise ModelError(
                f"<{tag}> must be {allowed[2]}, however it is {given[:40]!r}: OpenSim computes in metres and newtons "
                f"whatever it says",
                fix="convert the numbers and correct the entry.",
            )


def _note_rest(context: Context) -> None:
    """Name what no part of the reader looks at."""
    for element in context.model:
        if element.tag not in _KNOWN:
            _left_out(context, element)
        file = element.get("file")
        if file:
            text = f"{context.label(element)} refers to the file {file!r}, which was not read"
            context.note("osim.file-not-read", text, element, severity="warning")
    for element in context.components(""):
        if element.tag.endswith(_UNREAD) and element.tag not in _READ:
            _left_out(context, element)


def _left_out(context: Context, element: Element) -> None:
    context.note("osim.not-understood", f"{context.label(element)} is not understood: left out", element)


def _words(context: Context, tag: str) -> str:
    """Return and note the credits or the publications; "" if the file has none."""
    words = " ".join(context.text(context.model, tag, "").split())
    if not words or words.lower() == "unassigned":
        return ""
    words = words if len(words) <= MAX_WORDS else words[: MAX_WORDS - 3] + "..."
    context.note(f"osim.{tag}", f"{tag}: {words}")
    return words
