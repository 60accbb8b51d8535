"""Paths of muscles and ligaments: fixed, conditional and moving points, and what they wrap around."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.formats.osim.couplers import affine
from softstride.model.formats.osim.functions import inner_function, read_function
from softstride.model.formats.osim.preimage import preimage
from softstride.model.functions import Constant, Function
from softstride.model.path import (
    WRAP_METHODS,
    AnyPathPoint,
    ConditionalPathPoint,
    MovingPathPoint,
    Path,
    PathPoint,
    PathWrap,
    WrapSurface,
)

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context

Axis = tuple[str, Function]


def read_path(
    owner: Element, surfaces: Mapping[str, WrapSurface], unknown: set[str], context: Context
) -> Path | None:
    """Return the path of a muscle or ligament; None, with a note, if it is not understood.

    Args:
        owner: The muscle or ligament.
        surfaces: Surfaces that a path may wrap around.
        unknown: Names of wrap objects that were not understood.
        context: The document.
    """
    element = owner.find("GeometryPath")
    if element is None:
        element = owner.find("path/GeometryPath")
    if element is None:
        text = f"{context.label(owner)} has no GeometryPath: left out"
        context.note("osim.no-path", text, owner, severity="warning")
        return None
    points: list[AnyPathPoint] = []
    numbers: list[int] = []  # of the points in the file, from 0
    for number, child in enumerate(context.objects("PathPointSet", element)):
        if child.tag not in ("PathPoint", "ConditionalPathPoint", "MovingPathPoint"):
            text = f"{context.label(owner)} has a {child.tag}, a point that is not understood: left out"
            context.note("osim.point-not-understood", text, owner, severity="warning")
            return None
        point = _point(child, context)
        if point is not None:
            points.append(point)
            numbers.append(number)
    wraps = [
        wrap
        for child in context.objects("PathWrapSet", element)
        if (wrap := _wrap(child, owner, numbers, surfaces, unknown, context)) is not None
    ]
    return context.build(element, Path, tuple(points), tuple(wraps))


def _point(element: Element, context: Context) -> AnyPathPoint | None:
    frame = context.socket(element, "parent_frame") or context.text(element, "body")
    link, T = context.link_of(frame, element)
    name = element.get("name", "").strip()
    if element.tag == "MovingPathPoint":
        return _moving(element, link, T, name, context)
    position = T[:3, :3] @ context.vector(element, "location") + T[:3, 3]
    if element.tag == "PathPoint":
        return context.build(element, PathPoint, link, position, name)
    return _conditional(element, link, position, name, context)


def _conditional(
    element: Element, link: str, position: FloatArray, name: str, context: Context
) -> AnyPathPoint | None:
    """Return the point; its range is rewritten for the independent coordinate where a coupler ties the one named."""
    reference = context.socket(element, "coordinate") or context.text(element, "coordinate")
    coordinate, coupling = context.coordinate(reference, element)
    lower, upper = context.numbers(element, "range", 2, (0.0, 0.0), infinite=True)
    if lower > upper:
        text = f"{context.label(element)} has an empty range and is never used: left out"
        context.note("osim.point-never-used", text, element)
        return None
    if coupling is not None:
        intervals = preimage(coupling, float(lower), float(upper))
        if len(intervals) > 1:
            raise context.error(
                element,
                f"is used in several ranges of {coordinate!r}, which drives {reference!r}; "
                f"give it a coordinate that is independent.",
            )
        if not intervals:
            text = f"{context.label(element)}: {reference!r} never comes into its range: left out"
            context.note("osim.point-never-used", text, element)
            return None
        lower, upper = intervals[0]
    return context.build(element, ConditionalPathPoint, link, position, name, coordinate, lower, upper)


def _moving(element: Element, link: str, T: FloatArray, name: str, context: Context) -> AnyPathPoint:
    axes = [_axis(element, letter, context) for letter in "xyz"]
    if all(isinstance(function, Constant) for _, function in axes):
        local = [float(function(0.0)) for _, function in axes]
        return context.build(element, PathPoint, link, T[:3, :3] @ local + T[:3, 3], name)
    if not np.array_equal(T[:3, :3], np.eye(3)):
        raise context.error(element, "moves in a frame that is turned against its body; move it to the body.")
    shifted: list[Axis] = []
    for (coordinate, function), offset in zip(axes, T[:3, 3], strict=True):
        moved = function if offset == 0.0 else affine(function, 1.0, float(offset))
        if moved is None:
            raise context.error(element, "moves by a function that cannot be shifted; move it to the body.")
        shifted.append((coordinate, moved))
    return context.build(element, MovingPathPoint, link, *shifted, name)


def _axis(element: Element, letter: str, context: Context) -> Axis:
    function = read_function(inner_function(element, f"{letter}_location", context), context)
    if isinstance(function, Constant):
        return "", function
    reference = context.socket(element, f"{letter}_coordinate") or context.text(
        element, f"{letter}_coordinate"
    )
    coordinate, driven = context.drive(reference, function, element)
    return ("" if isinstance(driven, Constant) else coordinate), driven


def _wrap(
    element: Element,
    owner: Element,
    numbers: list[int],
    surfaces: Mapping[str, WrapSurface],
    unknown: set[str],
    context: Context,
) -> PathWrap | None:
    surface = context.text(element, "wrap_object").rsplit("/", 1)[-1]
    if surface in unknown:
        context.note(
            "osim.straight-through-wrap",
            f"{context.label(owner)} runs straight through {surface!r}, which is not understood",
            owner,
            names=(surface,),
            severity="warning",
        )
        return None
    if surface not in surfaces:
        raise context.error(
            element, f"{surface!r} is no wrap object of the model; correct the name or remove it."
        )
    method = context.text(element, "method", "hybrid").lower()
    if method not in WRAP_METHODS:
        method = "hybrid" if method == "unassigned" else method
    first, last = (int(value) for value in context.numbers(element, "range", 2, (-1.0, -1.0)))
    return context.build(
        element,
        PathWrap,
        surface,
        method,
        None if first < 1 else _kept(first - 1, numbers),
        None if last < 1 else _kept(last - 1, numbers),
    )


def _kept(number: int, numbers: list[int]) -> int:
    """Return the place, among the points that were kept, of a point of the file."""
    return sum(kept < number for kept in numbers)
