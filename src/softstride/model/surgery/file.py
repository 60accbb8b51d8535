"""Tables of surgery as text: read from TOML or a mapping, and written again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any

from softstride.errors import ModelError, inside
from softstride.files import parse_toml, read_text, toml_key, toml_value
from softstride.frozen import Table
from softstride.model.surgery.table import KEYS, SIZES, Surgery, Treatment

LARGEST = 1_000_000
"""Bytes; a leg has some forty muscles."""

SCALARS = ("name", "level", "source", "strength", "fibre", "least_tendon")
SECTIONS = ("bone", "others", "muscles")


def read_surgery(path: str | PathLike[str]) -> Surgery:
    """Read a table of surgery from a TOML file.

    It has a `name`, a `level`, defaults for `strength`, `fibre` and `least_tendon`, the sizes `[bone]` of the bone end,
    `[others]` for muscles without a row, and one row `[muscles.NAME]` for each muscle; see `Surgery` and `Treatment`.

    Raises:
        ModelError: The file cannot be read, or says what cannot be.
    """
    with inside(raising=ModelError):
        text = read_text(path, LARGEST, "a table of surgery")
    return parse_surgery(text, str(path))


def parse_surgery(text: str, origin: str) -> Surgery:
    """Return the surgery that a TOML text describes; `origin` is where it is from, for messages."""
    with inside(raising=ModelError):
        table = parse_toml(text, origin)
    return surgery_from(table, origin)


def surgery_from(table: Mapping[str, Any], origin: str = "surgery") -> Surgery:
    """Return the surgery that a mapping with the keys of such a file describes.

    Raises:
        ModelError: A key that is unknown, or a value that cannot be; the message begins with `origin`.
    """
    with inside(file=origin):
        _check_keys(table, (*SCALARS, *SECTIONS))
        for key in SECTIONS:
            if not isinstance(table.get(key, {}), Mapping):
                raise ModelError(f"[{key}] must be a table, however it is {table[key]!r}.", parameter=key)
        sizes = table.get("bone", {})
        with inside(part="[bone]"):
            _check_keys(sizes, SIZES)
        plain = Surgery(
            **({"name": "own"} | {key: table[key] for key in SCALARS if key in table} | dict(sizes))
        )
        with inside(part="[others]"):
            others = plain.plain.changed(table.get("others", {}))
        rows: dict[str, Treatment] = {}
        for name, row in table.get("muscles", {}).items():
            with inside(part=f"muscle {name!r}"):
                rows[name] = plain.plain.changed(row)
        return plain.changed(others=others, muscles=Table(rows))


def _check_keys(table: Mapping[str, Any], known: Collection[str]) -> None:
    unknown = [key for key in table if key not in known]
    if unknown:
        raise ModelError(
            f"unknown key {unknown[0]!r}; known: {', '.join(known)}.", names=unknown, known=known
        )


def format_surgery(surgery: Surgery) -> str:
    """Return a surgery as the text of a TOML file, which reads back to the same surgery."""
    lines = [f"{key} = {toml_value(getattr(surgery, key))}" for key in SCALARS]
    lines += ["", "[bone]", *(f"{key} = {toml_value(getattr(surgery, key))}" for key in SIZES)]
    for head, row in (
        ("others", surgery.others),
        *((f"muscles.{toml_key(n)}", r) for n, r in surgery.muscles.items()),
    ):
        lines += ["", f"[{head}]", *_row(row, surgery.plain)]
    return "\n".join(lines) + "\n"


def _row(row: Treatment, plain: Treatment) -> list[str]:
    """Return the lines of a row: what to do, and what differs from the defaults."""
    told = [f"do = {toml_value(row.deed)}"]
    for key, name in KEYS.items():
        value = getattr(row, name)
        usual = 1.0 if (name, row.deed) == ("strength", "keep") else getattr(plain, name)
        if key != "do" and value != usual:
            told.append(f"{key} = {toml_value(value)}")
    return told
