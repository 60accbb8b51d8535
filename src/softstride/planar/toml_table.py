"""Small TOML files: read with limits, and every table checked for its keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from softstride import files
from softstride.errors import ModelError, inside

LARGEST = 4_000_000
"""Bytes of a file."""

MOST_PARTS = 1000
"""Links, muscles or contacts of a file."""


def read_text(file: str | Path, what: str = "a chain") -> str:
    """Return the text of a file that is not too large.

    Raises:
        ModelError: It cannot be read.
    """
    with inside(raising=ModelError):
        return files.read_text(file, LARGEST, what)


def parse(text: str, origin: str) -> dict[str, Any]:
    """Return a TOML text as tables.

    Raises:
        ModelError: It is none; the message names `origin`.
    """
    with inside(raising=ModelError):
        return files.parse_toml(text, origin)


def check_keys(table: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    """Refuse keys that mean nothing."""
    unknown = [key for key in table if key not in known]
    if unknown:
        raise ModelError(f"{what}: unknown key {unknown[0]!r}; known: {', '.join(known)}.")


def rows(table: Mapping[str, Any], name: str, known: tuple[str, ...]) -> list[Mapping[str, Any]]:
    """Return a list of tables, each checked for its keys."""
    given = table.get(name, [])
    if not isinstance(given, list) or not all(isinstance(row, Mapping) for row in given):
        raise ModelError(f"{name} must be written as [[{name}]] tables.")
    if len(given) > MOST_PARTS:
        raise ModelError(f"{len(given)} {name} are too many; {MOST_PARTS} are allowed.")
    for number, row in enumerate(given):
        check_keys(row, known, f"{name} {number} ({row.get('name', 'without a name')})")
    return given


def needed(row: Mapping[str, Any], key: str, what: str) -> Any:
    """Return a value that must be there."""
    if key not in row:
        raise ModelError(f"{what} needs {key!r}.")
    return row[key]
