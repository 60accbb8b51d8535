"""Wrap objects of bodies, the ground and offset frames as surfaces on links."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from softstride.model.checks import locked
from softstride.model.formats.osim.frames import euler_pose
from softstride.model.path import (
    QUADRANTS,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapSurface,
    WrapTorus,
)

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context


def read_wraps(context: Context) -> tuple[dict[str, WrapSurface], set[str]]:
    """Return the surfaces by name, and the names of wrap objects that are not understood.

    Paths find a surface by its name alone and take the first; a second one of the same name is kept as "name@link".
    """
    surfaces: dict[str, WrapSurface] = {}
    unknown: set[str] = set()
    for owner in context.model.iter():
        for element in context.objects("WrapObjectSet", owner) if owner is not context.model else ():
            name = context.name(element)
            surface = _read(element, owner, context)
            if surface is None:
                text = f"{context.label(element)} is a kind of wrap object that is not understood: left out"
                context.note("osim.wrap-not-understood", text, element, severity="warning")
                unknown.add(name)
            elif name not in surfaces:
                surfaces[name] = surface
            else:
                key = f"{name}@{surface.link}"
                if key in surfaces:
                    raise context.error(
                        element, "exists twice on one body; give each wrap object its own name."
                    )
                text = f"{context.label(element)} has the name of another one and was renamed {key!r}"
                context.note("osim.wrap-renamed", text, names=(name, key))
                surfaces[key] = surface
    return surfaces, unknown - set(surfaces)


def _read(element: Element, owner: Element, context: Context) -> WrapSurface | None:
    link, T_link_frame = context.link_of(context.frames.path_of(owner), element)
    T = euler_pose(context.vector(element, "translation"), context.vector(element, "xyz_body_rotation"))
    options = {
        "pose": locked(T_link_frame @ T),
        "quadrant": _quadrant(element, context),
        "active": context.boolean(element, "active", True),
    }
    if element.tag == "WrapCylinder":
        options["radius"] = context.number(element, "radius", 1.0)
        options["length"] = context.number(element, "length", 1.0)
        return context.build(element, WrapCylinder, link, **options)
    if element.tag == "WrapSphere":
        options["radius"] = context.number(element, "radius", 0.05)
        return context.build(element, WrapSphere, link, **options)
    if element.tag == "WrapEllipsoid":
        options |= dict(zip("abc", context.vector(element, "dimensions", (0.05, 0.05, 0.05)), strict=True))
        return context.build(element, WrapEllipsoid, link, **options)
    if element.tag == "WrapTorus":
        options["inner"] = context.number(element, "inner_radius", 0.01)
        options["outer"] = context.number(element, "outer_radius", 0.05)
        return context.build(element, WrapTorus, link, **options)
    return None


def _quadrant(element: Element, context: Context) -> str:
    word = context.text(element, "quadrant", "all").lower()
    if word == "unassigned":
        return "all"
    if word not in QUADRANTS:
        raise context.error(
            element, f"<quadrant> must be one of {', '.join(QUADRANTS)}, however it is {word!r}."
        )
    return word
