"""Where in a file something stands, for the errors: "links[3].joint.axis"."""

from __future__ import annotations

import re
from typing import Any

from softstride.errors import ModelError

PLAIN = re.compile(r"[A-Za-z_$][\w$-]*\Z", re.ASCII)
MOST_SHOWN = 60  # characters of a value in an error


class Place:
    """A place in a JSON document: a key or a number inside another place.

    Attributes:
        depth: Number of objects and lists around it.
    """

    __slots__ = ("_key", "_parent", "depth")

    def __init__(self, parent: Place | None = None, key: str | int = "") -> None:
        """Go to `key` (of an object) or number `key` (of a list) inside `parent`; without it, to the top."""
        self._parent, self._key = parent, key
        self.depth: int = parent.depth + 1 if parent else 0

    def __truediv__(self, key: str | int) -> Place:
        """Return the place of one of its parts."""
        return Place(self, key)

    def __str__(self) -> str:
        """Return the path from the top, "top level" for the top itself."""
        steps: list[str] = []
        here: Place = self
        while here._parent is not None:
            key = here._key
            if isinstance(key, int):
                steps.append(f"[{key}]")
            elif PLAIN.match(key):
                steps.append(f".{key}")
            else:
                steps.append(f"[{key!r}]")
            here = here._parent
        return "".join(reversed(steps)).removeprefix(".") or "top level"

    def fault(self, problem: str) -> ModelError:
        """Return the error that something is wrong here."""
        return ModelError(problem, part=str(self))


def shown(value: Any) -> str:
    """Return a value of a JSON document as the file writes it, cut if it is long."""
    if isinstance(value, dict):
        return "an object {...}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."
