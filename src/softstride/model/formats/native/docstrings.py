"""What the docstrings of the dataclasses say about their fields, for the schema that editors show."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

ENTRY = re.compile(r"    (\w+): (.*)")


def summary_of(made: type) -> str:
    """Return the first paragraph of a docstring on one line."""
    first, *_ = inspect.cleandoc(made.__doc__ or "").split("\n\n")
    return " ".join(first.split())


def words_of(made: type) -> dict[str, str]:
    """Return the words on each attribute, those of the base classes included."""
    result: dict[str, str] = {}
    for base in reversed(made.__mro__):
        if base.__doc__ and base is not object:
            result |= {name: " ".join(lines) for name, lines in _entries(inspect.cleandoc(base.__doc__))}
    return result


def _entries(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield name and lines of each entry under "Attributes:"."""
    _, _, rest = text.partition("Attributes:\n")
    name = ""
    lines: list[str] = []
    for line in rest.splitlines():
        entry = ENTRY.fullmatch(line)
        if entry:
            if name:
                yield name, lines
            name, lines = entry[1], [entry[2]]
        elif line.startswith("        ") and name:
            lines.append(line.strip())
        else:
            break
    if name:
        yield name, lines
