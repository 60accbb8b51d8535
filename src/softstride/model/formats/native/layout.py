"""JSON as a person would lay it out: what fits on a line stays on it, links and long parts are blocks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

WIDTH = 100  # columns
INDENT = "  "
WHOLE = 1e15  # whole floats below are written without a point


def lay_out(document: dict[str, Any]) -> str:
    """Return the text of a document of dicts, lists, strings, bools, ints and finite floats, exact to the last bit."""
    lines = [f"{INDENT}{_text(key)}: {_section(key, value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _section(key: str, value: Any) -> str:
    """Return a part of the top level: always a block; in the list of links every link is one too."""
    if not isinstance(value, dict | list) or not value or _is_row(value):
        return _laid(value, INDENT, len(key) + 4)
    return _block(value, INDENT, blocks=key == "links")


def _laid(value: Any, indent: str, used: int) -> str:
    """Return a value on what is left of the line, or else as a block; `used` columns of it are taken."""
    line = _line(value, WIDTH - len(indent) - used - 1)
    if line is not None:
        return line
    if not isinstance(value, dict | list):
        return _scalar(value)
    return _filled(value, indent) if _is_row(value) else _block(value, indent)


def _block(value: dict[str, Any] | list[Any], indent: str, *, blocks: bool = False) -> str:
    """Return an object or list with one entry a line."""
    inner = indent + INDENT
    if isinstance(value, dict):
        entries = [f"{_text(key)}: {_laid(item, inner, len(_text(key)) + 2)}" for key, item in value.items()]
        opening, closing = "{", "}"
    else:
        entries = [_block(item, inner) if blocks else _laid(item, inner, 0) for item in value]
        opening, closing = "[", "]"
    body = ",\n".join(inner + entry for entry in entries)
    return f"{opening}\n{body}\n{indent}{closing}"


def _is_row(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, dict | list | str) for item in value)


def _filled(row: Iterable[Any], indent: str) -> str:
    """Return a long list of numbers, as many on each line as there is room for."""
    inner = indent + INDENT
    lines, line = [], inner
    for text in map(_scalar, row):
        if line != inner and len(line) + len(text) + 1 > WIDTH:
            lines.append(line.rstrip())
            line = inner
        line += f"{text}, "
    lines.append(line.removesuffix(", "))
    return "[\n" + "\n".join(lines) + f"\n{indent}]"


def _line(value: Any, room: int) -> str | None:
    """Return the value on one line of at most `room` columns; None if it is longer."""
    if isinstance(value, dict):
        items: Iterable[tuple[str, Any]] = ((f"{_text(key)}: ", item) for key, item in value.items())
        opening, closing = "{", "}"
    elif isinstance(value, list):
        items = (("", item) for item in value)
        opening, closing = "[", "]"
    else:
        text = _scalar(value)
        return text if len(text) <= room else None
    left, parts = room - 2, []
    for label, item in items:
        text_of = _line(item, left - len(label))
        if text_of is None:
            return None
        parts.append(label + text_of)
        left -= len(parts[-1]) + 2
    line = opening + ", ".join(parts) + closing
    return line if len(line) <= room else None


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE:
        return str(int(value)) if value or math.copysign(1.0, value) > 0.0 else "-0.0"
    return repr(value)


def _text(value: str) -> str:
    """Return a quoted string; letters of all languages stay readable, halves of a surrogate pair are escaped."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return json.dumps(value, ensure_ascii=False)
