"""Bodies, markers and further frames of a document."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from softstride.errors import ModelError
from softstride.model.checks import FloatArray
from softstride.model.formats.osim.context import Context
from softstride.model.frame import Frame, Point
from softstride.model.inertia import Inertia
from softstride.model.link import WORLD

MASSLESS = 2.22e-16
"""Mass [kg] up to which OpenSim takes a body as massless and its inertia as zero."""


def read_inertia(context: Context, body: Element) -> Inertia:
    """Return mass, centre of mass and inertia of a body; one that breaks the triangle inequality is kept with a note.

    Raises:
        ModelError: A negative mass or principal moment, or a number that cannot be read.
    """
    mass = context.number(body, "mass", 0.0)
    com = context.vector(body, "mass_center")
    matrix = _matrix(context, body)
    if mass <= MASSLESS and mass >= 0.0 and np.any(matrix):
        text = f"{context.label(body)} has no mass, so its inertia was taken as zero, as OpenSim does"
        context.note("osim.inertia-without-mass", text, body)
        matrix = np.zeros((3, 3))
    try:
        return Inertia(mass, com, matrix)
    except ModelError:
        inertia = context.build(body, Inertia, mass, com, matrix, physical=False)
    text = f"{context.label(body)}: its inertia breaks the triangle inequality and was kept as it is"
    context.note("osim.inertia-unphysical", text, body, severity="warning")
    return inertia


def _matrix(context: Context, body: Element) -> FloatArray:
    if body.find("inertia") is not None:  # format 4
        xx, yy, zz, xy, xz, yz = context.numbers(body, "inertia", 6, np.zeros(6))
    else:
        xx, yy, zz, xy, xz, yz = (
            context.number(body, f"inertia_{axes}", 0.0) for axes in ("xx", "yy", "zz", "xy", "xz", "yz")
        )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def read_markers(context: Context) -> dict[str, Point]:
    """Return the markers by name, in link axes.

    Raises:
        ModelError: A marker on a body that does not exist, or two with one name.
    """
    markers: dict[str, Point] = {}
    for element in (*context.objects("MarkerSet"), *context.components("Marker")):
        if element.tag != "Marker":
            text = f"{context.label(element)} in the marker set is not understood and was left out"
            context.note("osim.not-understood", text, element)
            continue
        name = context.name(element)
        if name in markers:
            raise context.error(element, "exists twice; give each marker its own name.")
        markers[name] = read_point(context, element)
    return markers


def read_point(context: Context, element: Element) -> Point:
    """Return where a marker or station stands on its link."""
    reference = context.socket(element, "parent_frame") or context.text(element, "body")
    link, T = context.link_of(reference, element)
    return Point(link, T[:3, :3] @ context.vector(element, "location") + T[:3, 3])


def read_frames(context: Context, taken: set[str]) -> dict[str, Frame | Point]:
    """Return the offset frames that belong to no joint, and stations, by name; a name in `taken` becomes a path."""
    frames: dict[str, Frame | Point] = {}

    def keep(element: Element, place: Frame | Point) -> None:
        name = context.name(element)
        if name in taken or name in frames or name == WORLD:
            name = context.frames.path_of(element)
        frames[name] = place

    for path, element in context.frames.offsets.items():
        owner = context.parent(element)
        holder = None if owner is None else context.parent(owner)
        if path.startswith("/jointset/") or (holder is not None and holder.tag.endswith("Joint")):
            continue
        link, T = context.link_of(path, element)
        keep(element, Frame(link, T[:3, 3], T[:3, :3]))
    for element in context.model.iter("Station"):
        keep(element, read_point(context, element))
    return frames
