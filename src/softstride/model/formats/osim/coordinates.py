"""The coordinates of a document: defaults, ranges, what is locked, clamped or prescribed."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

from softstride.errors import ModelError
from softstride.model.coordinate import Coordinate
from softstride.model.formats.osim import joints
from softstride.model.formats.osim.context import Context
from softstride.model.formats.osim.couplers import read_couplers
from softstride.model.formats.osim.versions import JointData


def declare_coordinates(context: Context, data: list[JointData]) -> dict[str, tuple[str, ...]]:
    """Make all coordinates and couplers known to the context.

    Returns:
        The names of the coordinates of each joint, by the name of the joint.

    Raises:
        ModelError: Two coordinates with one name, a joint or constraint that is not understood.
    """
    by_joint = {joint.name: joints.coordinate_names(context, joint) for joint in data}
    owner: dict[str, str] = {}
    for joint, names in by_joint.items():
        for name in names:
            if name in owner:
                raise ModelError(
                    f"coordinate {name!r} exists in joint {owner[name]!r} and in joint {joint!r}",
                    file=context.path,
                    names=(name,),
                    fix="give each its own name.",
                )
            owner[name] = joint
    unused = [
        name for joint in data for name in joints.unused_coordinates(context, joint, by_joint[joint.name])
    ]
    for name in unused:
        text = f"coordinate {name!r} drives no axis of its joint {owner[name]!r} and was left out"
        context.note("osim.coordinate-unused", text, names=(name,))
    context.declare(list(owner), unused)
    context.couple(read_couplers(context))
    for name, (independent, _) in context.dependents.items():
        text = f"coordinate {name!r} follows {independent!r} (coupler constraint) and was substituted"
        context.note("osim.coordinate-substituted", text, names=(name, independent))
    return by_joint


def read_coordinates(context: Context, data: list[JointData], names: set[str]) -> dict[str, Coordinate]:
    """Return the coordinates of these names.

    Raises:
        ModelError: A number or flag that cannot be read, or an empty range.
    """
    found: dict[str, Coordinate] = {}
    for joint in data:
        for element in joint.coordinates:
            name = context.name(element)
            if name in names:
                found[name] = _coordinate(context, element, name)
    return found


def _coordinate(context: Context, element: Element, name: str) -> Coordinate:
    lower, upper = context.numbers(element, "range", 2, (-math.inf, math.inf), infinite=True)
    if context.boolean(element, "prescribed", False):
        text = f"coordinate {name!r} is prescribed by a function in the file; here it is free to move"
        context.note("osim.coordinate-prescribed", text, names=(name,))
    return context.build(
        element,
        Coordinate,
        name,
        default=context.number(element, "default_value", 0.0),
        lower=lower,
        upper=upper,
        locked=context.boolean(element, "locked", False),
        clamped=context.boolean(element, "clamped", False),
    )
