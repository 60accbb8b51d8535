"""Numbers, flags and texts of elements; whatever cannot be read is a `ModelError` that names the element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike

from softstride.model import checks
from softstride.model.checks import FloatArray

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context

MAX_NUMBERS = 100_000
"""Most numbers that one element may hold."""

MAX_VALUE = 1e50
"""Largest number of an element that must be finite: more has no meaning in SI units and overflows in products."""

_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def text(context: Context, element: Element, tag: str, default: str | None) -> str:
    """Return the stripped text of a child; `default` if it is missing or empty (None: an error)."""
    child = element.find(tag)
    found = "" if child is None or child.text is None else child.text.strip()
    if found:
        return found
    if default is None:
        raise context.error(element, f"has no <{tag}>; add it.")
    return default


def numbers(
    context: Context,
    element: Element,
    tag: str,
    count: int | None,
    default: object,
    *,
    infinite: bool = False,
) -> FloatArray:
    """Return the numbers in a child, shape (count,) or (n,); `default` if it is missing or empty (None: an error)."""
    words = text(context, element, tag, None if default is None else "").split()
    if not words:
        return checks.any_array(cast(ArrayLike, default), tag, infinite=True)
    if len(words) > MAX_NUMBERS:
        raise context.error(element, f"<{tag}> holds more than {MAX_NUMBERS} numbers.")
    try:
        found = [_number(word) for word in words]
    except ValueError:
        shown = " ".join(words)[:80]
        raise context.error(element, f"<{tag}> must hold numbers, however it is {shown!r}.") from None
    if count is not None and len(found) != count:
        raise context.error(element, f"<{tag}> must hold {count} number(s), however it holds {len(found)}.")
    if not all(-MAX_VALUE <= value <= MAX_VALUE for value in found):
        shown = " ".join(words)[:80]
        if any(map(math.isnan, found)) or not (infinite or all(map(math.isfinite, found))):
            raise context.error(element, f"<{tag}> must be finite, however it is {shown!r}.")
        if not infinite:
            raise context.error(element, f"<{tag}> must be below {MAX_VALUE:g}, however it is {shown!r}.")
    return checks.locked(np.array(found))


def _number(word: str) -> float:
    if "_" in word:  # Python reads 1_000, no other program does
        raise ValueError(word)
    return float(word)


def number(
    context: Context, element: Element, tag: str, default: float | None, *, infinite: bool = False
) -> float:
    """Return the number in a child; `default` if it is missing or empty (None: an error)."""
    given = None if default is None else (default,)
    return float(numbers(context, element, tag, 1, given, infinite=infinite)[0])


def boolean(context: Context, element: Element, tag: str, default: bool | None) -> bool:
    """Return the flag in a child; `default` if it is missing or empty (None: an error)."""
    word = text(context, element, tag, None if default is None else str(default))
    if word.lower() not in _FLAGS:
        raise context.error(element, f"<{tag}> must be true or false, however it is {word[:80]!r}.")
    return _FLAGS[word.lower()]


def socket(element: Element, name: str) -> str | None:
    """Return what a socket points to, in the spelling of format 4 or of its drafts (connectors)."""
    found = element.findtext(f"socket_{name}")
    if found is None:
        found = element.findtext(f"socket_{name}_connectee_name")
    for connectors in element.findall("connectors"):
        for connector in connectors:
            if found is None and connector.get("name") == name:
                found = connector.findtext("connectee_name")
    return found.strip() if found and found.strip() else None
