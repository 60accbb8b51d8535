"""Values that an element leaves to the defaults of its document."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context


def holder(element: Element, tag: str, context: Context) -> Element:
    """Return the element that gives a property: itself, or the default of its kind in `<defaults>` of the model."""
    if element.find(tag) is None:
        for default in context.model.findall(f"defaults/{element.tag}"):
            if default.find(tag) is not None:
                return default
    return element


def number(element: Element, tag: str, fallback: float, context: Context, *, infinite: bool = False) -> float:
    """Return a number of an element, else of the document's defaults, else `fallback`."""
    return context.number(holder(element, tag, context), tag, fallback, infinite=infinite)


def flag(element: Element, tag: str, fallback: bool, context: Context) -> bool:
    """Return a flag of an element, else of the document's defaults, else `fallback`."""
    return context.boolean(holder(element, tag, context), tag, fallback)
