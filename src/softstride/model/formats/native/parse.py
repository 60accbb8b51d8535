"""Bytes to a tree of JSON values that keeps what JSON readers usually pass over in silence.

Repeated keys and numbers that are no numbers (NaN, Infinity, 1e999) stay visible, so that whoever reads the tree can
say where they stand.
"""

from __future__ import annotations

import math
from typing import Any

from softstride import files
from softstride.errors import ModelError, inside

MOST_DIGITS = 15  # whole numbers up to here are exact as floats


class Object(dict[str, Any]):
    """A JSON object.

    Attributes:
        repeated: A key that it has twice; None if all are different.
    """

    repeated: str | None = None


class Odd:
    """A token that stands for no finite number, such as NaN."""

    def __init__(self, token: str) -> None:
        """Keep the token."""
        self.token = token

    def __repr__(self) -> str:
        """Return the token."""
        return self.token


def parse_json(data: bytes) -> Any:
    """Return the JSON value in UTF-8 text: objects as `Object`, numbers as int or finite float, or `Odd`.

    Raises:
        ModelError: Not UTF-8, not JSON, or nested too deep to be read.
    """
    hooks = {"object_pairs_hook": _object, "parse_float": _number, "parse_int": _whole, "parse_constant": Odd}
    with inside(raising=ModelError):
        return files.parse_json(data, "", **hooks)


def _object(pairs: list[tuple[str, Any]]) -> Object:
    result = Object(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                result.repeated = key
            seen.add(key)
    return result


def _number(token: str) -> float | Odd:
    value = float(token)
    return value if math.isfinite(value) else Odd(_cut(token))


def _whole(token: str) -> int | float | Odd:
    if token == "-0":
        return -0.0
    return int(token) if len(token) <= MOST_DIGITS else _number(token)


def _cut(token: str) -> str:
    return token if len(token) <= 20 else f"{token[:17]}..."
