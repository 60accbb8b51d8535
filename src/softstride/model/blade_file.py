"""Blades and load-deflection tables from small text files.

A blade is a TOML file with its curve (`points`, or `arcs` with `heading_deg`), `width`, `thickness`, `[material]` and,
if it has several, `[categories]`; or a CSV file with one section a row (columns x, y, width, thickness, young, shear,
density). `max_load` is the load [N] up to which it is tested, a number or a table by category. Lengths are metres
unless a column of a table says otherwise in its name ("deflection_mm").
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from softstride.errors import ModelError, SoftstrideError, inside
from softstride.files import parse_toml, read_text
from softstride.model import checks
from softstride.model.blade import MAX_LOAD, Blade
from softstride.model.blade_shape import arc_points
from softstride.model.checks import FloatArray

LARGEST = 4_000_000
"""Bytes; a blade has a few hundred numbers."""

KEYS = {
    "name", "shape", "kind", "mount", "source", "heading_deg", "arcs", "points", "width", "thickness", "segments",
    "material", "categories", "max_load",
}  # fmt: skip

MATERIAL = ("young", "shear", "density", "damping")

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "n": 1.0, "kn": 1e3, "deg": 1.0, "": 1.0}


def read_blade(path: str | Path, category: str | None = None) -> Blade:
    """Read a blade from a TOML or CSV file.

    Args:
        path: The file, .toml or .csv.
        category: Which of its `[categories]`; None: the first, if it has any.

    Raises:
        ModelError: The file cannot be read, is no blade, or describes one that cannot be.
    """
    file = Path(path)
    text = _read(file)
    if file.suffix.lower() == ".toml":
        return blade_from_text(text, str(path), name=file.stem, category=category)
    if file.suffix.lower() == ".csv":
        options, columns = _columns(text, str(path))
        with _reading(path):
            n = int(options.pop("segments", "6"))
            damping = float(options.pop("damping", "0"))
            name, mount = options.pop("name", file.stem), options.pop("mount", "distal")
            source = options.pop("source", f"file {file.name}")
            for key in ("young", "shear", "density"):
                if key in options:
                    columns[key] = np.array(float(options.pop(key)))
            if options:
                raise ModelError(f"unknown setting {next(iter(options))!r} in a comment.")
            return Blade.from_sections(columns, n=n, damping=damping, name=name, mount=mount, source=source)  # type: ignore[arg-type]
    raise ModelError(f"a blade is a .toml or .csv file, not {file.suffix or 'without a suffix'}.", file=path)


def blade_from_text(text: str, origin: str, *, name: str, category: str | None = None) -> Blade:
    """Return the blade that a TOML text describes.

    Args:
        text: The text.
        origin: Where it is from, for messages.
        name: Name of the blade unless the text has one.
        category: Which of its categories; None: the first, if it has any.
    """
    with _reading(origin):
        return _from_table(parse_toml(text), name, category)


def read_load_table(path: str | Path) -> FloatArray:
    """Read a measured load-deflection table from a CSV file.

    Columns are found by name: "deflection" (or "displacement"), "force" (or "load") and, if there is one, "angle", each
    with its unit at the end: deflection_mm, force_N, angle_deg. Lines that start with # are passed over.

    Returns:
        Rows of deflection [m], force [N] and, if given, angle [°]; shape (m, 2) or (m, 3).
    """
    _, columns = _columns(_read(Path(path)), str(path))
    found: list[FloatArray] = []
    for words in (("deflection", "displacement"), ("force", "load"), ("angle",)):
        matches = [key for key in columns if key.split("_")[0] in words]
        if len(matches) == 1:
            unit = matches[0].partition("_")[2].lower()
            if unit not in UNITS:
                raise ModelError(
                    f"unit {unit!r} of column {matches[0]!r} is unknown; known: m, cm, mm, N, kN, deg.",
                    file=path,
                )
            found.append(columns[matches[0]] * UNITS[unit])
        elif words != ("angle",):
            raise ModelError(
                f"one column must be called {' or '.join(words)}; there are {', '.join(columns)}.",
                file=path,
                known=columns,
            )
    return np.column_stack(found)


def _from_table(table: Mapping[str, Any], name: str, category: str | None) -> Blade:
    unknown = [key for key in table if key not in KEYS]
    if unknown:
        raise ModelError(f"unknown key {unknown[0]!r}; known: {', '.join(sorted(KEYS))}.")
    if ("arcs" in table) == ("points" in table):
        raise ModelError("a blade has either 'points' or 'arcs'.")
    segments: Any = table.get("segments", 6)
    if "arcs" in table:
        arcs = checks.any_array(table["arcs"], "arcs of a blade")
        heading = checks.number(table.get("heading_deg", -90.0), "heading_deg")
        points = arc_points(
            arcs * (1.0, np.pi / 180.0) if arcs.ndim == 2 and arcs.shape[1] == 2 else arcs,
            np.radians(heading),
        )
        if "segments" not in table:
            segments = (arcs[:, 0] / arcs[:, 0].sum()).tolist()  # one for each arc: its strain is constant
    else:
        points = checks.any_array(table["points"], "points of a blade")
    material = table.get("material")
    missing = [key for key in MATERIAL[:3] if not isinstance(material, Mapping) or key not in material]
    missing += [key for key in ("width", "thickness") if key not in table]
    if missing:
        raise ModelError(f"a blade needs {', '.join(map(repr, missing))}.")
    given: Mapping[str, Any] = material if isinstance(material, Mapping) else {}
    odd = [key for key in given if key not in MATERIAL]
    if odd:
        raise ModelError(f"unknown property {odd[0]!r} of the material; known: {', '.join(MATERIAL)}.")
    blade = Blade.from_centreline(
        points,
        table["width"],
        table["thickness"],
        *(given[key] for key in MATERIAL[:3]),
        n=segments,
        damping=given.get("damping", 0.0),
        name=table.get("name", name),
        mount=table.get("mount", "distal"),
        source=table.get("source", ""),
    )
    return _categorised(blade, table.get("categories", {}), category, table.get("max_load", MAX_LOAD))


def _categorised(blade: Blade, categories: Mapping[str, Any], category: str | None, load: Any) -> Blade:
    """Return the blade with the thickness and the largest load of a category."""
    if category is None:
        category = next(iter(categories), None)
    given = load.get(category, MAX_LOAD) if isinstance(load, Mapping) else load
    blade = dataclasses.replace(blade, max_load=given)
    if category is None:
        return blade
    if category not in categories:
        raise ModelError(f"no category {category!r}; there are: {', '.join(categories) or 'none'}.")
    return blade.thickened(checks.number(categories[category], f"category {category!r}", lower=0.01))


def _read(file: Path) -> str:
    with inside(raising=ModelError):
        return read_text(file, LARGEST, "a blade or a table")


def _columns(text: str, origin: str) -> tuple[dict[str, str], dict[str, FloatArray]]:
    """Return the settings "# key = value" and the columns by name of a CSV text."""
    lines = [line for line in text.splitlines() if line.strip()]
    comments = [line.lstrip("# ").partition("=") for line in lines if line.startswith("#")]
    options = {key.strip(): value.strip() for key, equals, value in comments if equals}
    rows = list(csv.reader(io.StringIO("\n".join(line for line in lines if not line.startswith("#")))))
    if len(rows) < 2:
        raise ModelError("a line of names and lines of numbers are needed.", file=origin)
    names = [cell.strip() for cell in rows[0]]
    if len(set(names)) != len(names):
        raise ModelError(
            f"columns must have different names, however they are {', '.join(names)}.", file=origin
        )
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(names):
            raise ModelError(
                f"row {number} has {len(row)} cells, however there are {len(names)} columns.", file=origin
            )
    try:
        values = np.array([[float(cell) for cell in row] for row in rows[1:]])
    except ValueError as error:
        raise ModelError(f"{error}.", file=origin) from error
    if not np.isfinite(values).all():
        raise ModelError("every cell must be a finite number.", file=origin)
    return options, dict(zip(names, values.T, strict=True))


@contextmanager
def _reading(origin: str | Path) -> Iterator[None]:
    """Say in every error from inside which file it is about; words that are no numbers are errors of the file."""
    with inside(file=origin, raising=ModelError):
        try:
            yield
        except SoftstrideError:
            raise
        except (ValueError, TypeError) as error:
            raise ModelError(str(error)) from error
