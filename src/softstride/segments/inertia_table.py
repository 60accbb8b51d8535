"""Tables of body segment parameters: published rows, each with how far its numbers are to be trusted.

A table is a TOML file. Packaged are "dumas", "deleva" and "winter"; a laboratory can give the path of its own.

    title = "Our table"
    kind = "frame"                 # com and radii in the axes of the segment; or "line": on the line between its ends

    [rows.thigh]                   # rows by sex, or "both"
    male = {mass = 12.3, com = [-4.1, -42.9, 3.3], radii = [29, 15, 30, 7, -2, -7], confidence = "A"}

Masses are in % of body mass, places and radii in % of length. Radii of kind "frame" are those of the tensor, xx yy zz
xy xz yz, and negative where its entry is; of kind "line" `sagittal`, `transverse` and `longitudinal`.

Rows of one's own are named as the segments are and told from the proximal end. Axes of kind "frame" are x forward, y
up, z right, see `placing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from softstride.errors import CaptureError, InputError
from softstride.files import packaged, packaged_names, packaged_text, parse_toml, read_toml
from softstride.frozen import Table

Sex = Literal["female", "male"]

LARGEST = 1_000_000
"""Bytes of a table of one's own; the largest packaged one has 7 kB."""

SEXES: tuple[Sex, Sex] = ("female", "male")
NUMBERS = ("mass", "com", "radii", "sagittal", "transverse", "longitudinal", "length")


@dataclass(frozen=True)
class InertiaRow:
    """One row of a table.

    Attributes:
        name: Of the row.
        sex: "female", "male" or "both".
        mass: Share of body mass.
        com: Centre of mass over length: (x, y, z) of kind "frame", one share from the first end of kind "line".
        radii: Over length: six of the tensor of kind "frame", (sagittal, longitudinal, transverse) of kind "line"; None
            where the table has none.
        length: Mean of the sample [m]; None where the table has none.
        confidence: Mark of the table.
        note: What is said about the row, "" for nothing.
    """

    name: str
    sex: str
    mass: float
    com: tuple[float, ...]
    radii: tuple[float, ...] | None
    length: float | None = None
    confidence: str = ""
    note: str = ""


@dataclass(frozen=True)
class InertiaTable:
    """Rows by name and sex.

    Attributes:
        name: Of the table.
        title: Of its source.
        kind: "frame" or "line".
        rows: By (row, sex).
        confidence: What the marks mean.
    """

    name: str
    title: str
    kind: str
    rows: Mapping[str, Mapping[str, InertiaRow]]
    confidence: Mapping[str, str] = field(default_factory=Table)

    def row(self, name: str, sex: Sex | None = None) -> InertiaRow:
        """Return a row.

        Raises:
            InputError: There is none, or the table needs to know the sex.
        """
        if name not in self.rows:
            raise InputError(f"table {self.name!r} has no row {name!r}; there are: {', '.join(self.rows)}")
        rows = self.rows[name]
        if "both" in rows:
            return rows["both"]
        if sex not in SEXES:
            raise InputError(
                f"table {self.name!r} has rows for female and male bodies: tell the sex, sex='female' or "
                f"sex='male' (--sex female or --sex male), not {sex!r}"
            )
        return rows[sex]

    @property
    def sexed(self) -> bool:
        """Whether it has rows for each sex."""
        return not all("both" in rows for rows in self.rows.values())

    def describe(self, row: InertiaRow) -> str:
        """Return how far a row is to be trusted, in words."""
        meaning = self.confidence.get(row.confidence, "")
        mark = (
            f"confidence {row.confidence}" + (f", {meaning}" if meaning else "")
            if row.confidence
            else "unmarked"
        )
        return f"{self.title}, {row.name} ({row.sex}): {mark}" + (f"; {row.note}" if row.note else "")


def inertia_tables() -> tuple[str, ...]:
    """Return the names of the packaged tables."""
    return packaged_names(__package__, "data", "inertia")


def read_inertia_table(name: str | Path) -> InertiaTable:
    """Read a packaged table by its name, or a table of one's own by its path.

    Raises:
        InputError: No packaged table has this name.
        CaptureError: The file cannot be read, or is no such table.
    """
    found = packaged(name, inertia_tables(), "table of inertia", ".toml")
    if isinstance(found, str):
        return _packaged(found)
    return _table(found.stem, read_toml(found, LARGEST, "a table of inertia"), found)


@cache
def _packaged(name: str) -> InertiaTable:
    text = packaged_text(__package__, "data", "inertia", f"{name}.toml")
    return _table(name, parse_toml(text, name), name)


def _table(name: str, content: Mapping[str, Any], path: object) -> InertiaTable:
    kind = content.get("kind")
    if kind not in ("frame", "line"):
        raise CaptureError(path, "kind", f"is {kind!r}", 'write kind = "frame" or kind = "line"')
    given = content.get("rows")
    if not isinstance(given, Mapping) or not given:
        raise CaptureError(
            path, "rows", "there are none", "write tables [rows.thigh] with a line for each sex"
        )
    rows: dict[str, Table[InertiaRow]] = {}
    for row, sexes in given.items():
        where = f"rows.{row}"
        if (
            not isinstance(sexes, Mapping)
            or not (set(sexes) == {"both"} or set(sexes) <= set(SEXES))
            or not sexes
        ):
            came = f"has {list(sexes)!r}" if isinstance(sexes, Mapping) else f"is {sexes!r}"
            raise CaptureError(path, where, came, "write a line female and a line male, or one for both")
        rows[row] = Table({sex: _row(row, sex, kind, values, path) for sex, values in sexes.items()})
    marks = content.get("confidence", {})
    if not isinstance(marks, Mapping) or not all(isinstance(words, str) for words in marks.values()):
        raise CaptureError(
            path, "confidence", f"is {marks!r}", 'write a table [confidence] of lines A = "..."'
        )
    return InertiaTable(name, str(content.get("title", name)), kind, Table(rows), Table(marks))


def _row(name: str, sex: str, kind: str, values: object, path: object) -> InertiaRow:
    where = f"rows.{name}.{sex}"
    if not isinstance(values, Mapping):
        raise CaptureError(path, where, f"is {values!r}", "write {mass = ..., com = ..., ...}")
    unknown = [key for key in values if key not in (*NUMBERS, "confidence", "note")]
    if unknown:
        raise CaptureError(path, f"{where}.{unknown[0]}", "is not known", f"known are: {', '.join(NUMBERS)}")
    try:
        mass = float(values["mass"]) / 100.0
        places = values["com"] if kind == "frame" else [values["com"]]
        com = tuple(float(x) / 100.0 for x in places)
        radii = _radii(kind, values)
        length = float(values["length"]) / 1000.0 if "length" in values else None
    except (KeyError, TypeError, ValueError) as error:
        raise CaptureError(
            path, where, f"mass, com or radii are missing or no numbers ({error})", "give them"
        ) from error
    if not 0.0 < mass < 1.0 or len(com) != (3 if kind == "frame" else 1):
        raise CaptureError(
            path, where, f"has mass {100 * mass:g} % and {len(com)} places", "see the packaged tables"
        )
    return InertiaRow(
        name, sex, mass, com, radii, length, str(values.get("confidence", "")), str(values.get("note", ""))
    )


def _radii(kind: str, values: Mapping[str, Any]) -> tuple[float, ...] | None:
    if kind == "frame":
        radii = tuple(float(x) / 100.0 for x in values["radii"])
        if len(radii) != 6:
            raise ValueError("radii must be six: xx, yy, zz, xy, xz, yz")
        return radii
    if "transverse" not in values:
        return None
    across = float(values["transverse"])
    sagittal = float(values.get("sagittal", across))
    return sagittal / 100.0, float(values.get("longitudinal", 0.0)) / 100.0, across / 100.0
