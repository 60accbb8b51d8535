"""`parse_toml`: the text of a TOML file as tables, whoever wrote it: what a program chokes on is no TOML for us."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

DEEPEST = 20
"""Tables and lists within each other; ours have four."""


def parse_toml(text: str) -> dict[str, Any]:
    """Return a TOML text as tables.

    Raises:
        tomllib.TOMLDecodeError: It is no TOML, is nested more than `DEEPEST` deep, or holds a number without end.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError(_deep()) from None
    except ValueError as error:  # of whole numbers with thousands of digits
        raise tomllib.TOMLDecodeError(str(error)) from None
    level: list[Any] = [found]
    for _ in range(DEEPEST):
        level = [
            inside
            for each in level
            for inside in (each.values() if isinstance(each, dict) else each)
            if isinstance(inside, dict | list)
        ]
    if level:
        raise tomllib.TOMLDecodeError(_deep())
    return found


def toml_value(value: Any) -> str:
    """Return how TOML writes a value: a text, a number, true or false, or a list of these."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(key)} = {toml_value(each)}" for key, each in value.items()) + "}"
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def toml_key(name: str) -> str:
    """Return how TOML writes a name: bare where that is possible."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _deep() -> str:
    return f"expected tables and lists at most {DEEPEST} deep, however these are nested deeper"
