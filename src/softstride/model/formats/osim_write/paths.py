"""Paths of the document."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from softstride.errors import ModelError
from softstride.model.formats.osim_write.elements import Names, add, add_numbers, add_set
from softstride.model.formats.osim_write.functions import add_function
from softstride.model.formats.osim_write.plan import Plan
from softstride.model.functions import Composed, Function, Linear
from softstride.model.path import AnyPathPoint, ConditionalPathPoint, MovingPathPoint, Path


def add_path(parent: Element, path: Path, wraps: dict[str, str], what: str, plan: Plan) -> None:
    """Append a path.

    Args:
        parent: The muscle or ligament.
        path: Its path.
        wraps: Names of the surfaces in the document by ours.
        what: Words that name the owner.
        plan: Names and notes.
    """
    element = add(parent, "GeometryPath", name="path")
    points = add_set(element, "PathPointSet")
    names = Names()
    for i, point in enumerate(path.points, start=1):
        _add_point(points, point, names.new(point.name or f"P{i}"), what, plan)
    objects = add_set(element, "PathWrapSet")
    for i, wrap in enumerate(path.wraps, start=1):
        child = add(objects, "PathWrap", name=f"pathwrap_{i}")
        add(child, "wrap_object", wraps[wrap.surface])
        add(child, "method", wrap.method)
        ends = [-1 if end is None else end + 1 for end in (wrap.first, wrap.last)]
        add(child, "range", f"{ends[0]} {ends[1]}")


def _add_point(parent: Element, point: AnyPathPoint, name: str, what: str, plan: Plan) -> None:
    element = add(parent, type(point).__name__, name=name)
    add(element, "socket_parent_frame", plan.frame(point.link))
    if isinstance(point, MovingPathPoint):
        _add_motion(element, point, what, plan)
        return
    add_numbers(element, "location", point.position)
    if isinstance(point, ConditionalPathPoint):
        name, factor = _target(point.coordinate, what, plan)
        add(element, "socket_coordinate", name)
        add_numbers(element, "range", [factor * point.lower, factor * point.upper])


def _add_motion(element: Element, point: MovingPathPoint, what: str, plan: Plan) -> None:
    """Append the functions; every axis needs a coordinate, so a constant one takes that of another axis."""
    given = {letter: getattr(point, letter) for letter in "xyz"}
    spare = next((name for name, _ in given.values() if name), next(iter(plan.source.coordinates), ""))
    paths = {letter: _target(name or spare, what, plan) for letter, (name, _) in given.items()}
    for letter, (name, _) in paths.items():
        add(element, f"socket_{letter}_coordinate", name)
    for letter, (_, function) in given.items():
        scaled: Function = function
        if paths[letter][1] != 1.0:
            scaled = Composed(function, Linear(1.0 / paths[letter][1]))
        if add_function(add(element, f"{letter}_location"), scaled):
            plan.modern.append(f"path point {point.name!r} of {what}")


def _target(coordinate: str, what: str, plan: Plan) -> tuple[str, float]:
    """Return the path of a coordinate and the factor between it and ours."""
    if coordinate in plan.coordinates:
        return plan.coordinate_path(coordinate), 1.0
    news, length = plan.rigid.coordinates[coordinate]
    if len(news) > 1:
        raise ModelError(
            f"{what} has a point that depends on the strain {coordinate!r} of a rod; write with pieces=1."
        )
    return plan.coordinate_path(news[0]), length
