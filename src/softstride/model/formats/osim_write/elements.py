"""Small pieces of an OpenSim document: elements, numbers, angles and names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from softstride.model.checks import FloatArray

_FORBIDDEN = re.compile(r"[\s/\\*+]")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def add(parent: Element, tag: str, text: str | None = None, name: str | None = None) -> Element:
    """Append an element with a text or a name to another one."""
    element = SubElement(parent, tag) if name is None else SubElement(parent, tag, name=name)
    element.text = None if text is None else plain(text)
    return element


def plain(text: str) -> str:
    """Return a text without characters that XML forbids."""
    return _NOT_XML.sub("_", text)


def component_name(name: str) -> str:
    """Return a name without characters that OpenSim refuses in the name of a component."""
    return _FORBIDDEN.sub("_", plain(name))


def add_numbers(parent: Element, tag: str, values: Iterable[float]) -> Element:
    """Append an element that holds numbers which read back exactly."""
    return add(parent, tag, " ".join(number(value) for value in values))


def add_flag(parent: Element, tag: str, value: bool) -> Element:
    """Append an element that holds true or false."""
    return add(parent, tag, "true" if value else "false")


def add_set(parent: Element, tag: str, name: str | None = None) -> Element:
    """Append a set and return its list of objects."""
    return add(add(parent, tag, name=name), "objects")


def number(value: float) -> str:
    """Return the shortest text that reads back as the same number; infinity as OpenSim spells it."""
    value = float(value)
    if math.isinf(value):
        return "Inf" if value > 0.0 else "-Inf"
    return repr(value)


def angles(R: FloatArray) -> FloatArray:
    """Return the body-fixed x-y-z angles [rad], shape (3,), of R = Rx(a) Ry(b) Rz(c).

    The first angle is taken out before the others are found, so that the three give R back to rounding even where a
    and c cannot be told apart.
    """
    a = math.atan2(-R[1, 2], R[2, 2])
    s, c = math.sin(a), math.cos(a)
    rest = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]]) @ R  # Ry(b) Rz(c)
    return np.array([a, math.atan2(rest[0, 2], rest[2, 2]), math.atan2(rest[1, 0], rest[1, 1])])


class Names:
    """Names that OpenSim accepts, each given once.

    Attributes:
        changed: Names that had to be changed: old to new.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self.changed: dict[str, str] = {}

    def new(self, name: str) -> str:
        """Return a name like this one that is not in use yet, without blanks, slashes and the like."""
        clean = component_name(name)
        if clean in (".", ".."):
            clean = "_"
        result, i = clean, 1
        while result in self._taken:
            i += 1
            result = f"{clean}_{i}"
        self._taken.add(result)
        if result != name:
            self.changed[name] = result
        return result
