"""Chains from a recording: a recipe (TOML) says which markers make which links, a table of numbers holds them.

    name = "stance leg"
    base = "trunk"
    cutoff = 6.0                                # [Hz]
    filter = "butterworth"                      # or "states"
    body_mass = 67.2                            # [kg]
    [plate]
    force = ["FP2.ForX", "FP2.ForY"]            # columns [N]
    moment = "FP2.MomZ"                         # column [N·m], about the origin of the laboratory
    [[links]]
    name = "thigh"
    joint = "hip"
    at = "RGTRO"                                # marker at the joint
    line = ["RGTRO", "RLEK"]                    # markers at the ends of the segment
    mass = 0.1                                  # share of body mass
    com = 0.433                                 # share of the way along the line
    gyration = 0.323                            # share of its length

The table has one line of names, which may begin with %, and one line of numbers a frame, between tabs, commas or
blanks: time first, then columns such as RGTRO.PosX and RGTRO.PosY. Empty cells and NaN were not measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softstride.errors import ModelError, inside
from softstride.files import read_text
from softstride.model import checks
from softstride.planar.case import Case
from softstride.planar.chain import GRAVITY
from softstride.planar.markers import MarkerChain, MarkerLink
from softstride.planar.toml_table import check_keys, needed, parse, rows
from softstride.planar.vectors import Floats

MOST_BYTES = 100_000_000
"""Of a table."""

FILE = ("name", "source", "base", "gravity", "body_mass", "cutoff", "filter", "rigid", "plate", "links")
LINK = ("name", "joint", "at", "line", "mass", "com", "gyration")


def is_recipe(text: str) -> bool:
    """Return whether a TOML text is a chain from markers."""
    return re.search(r"^\s*\[plate\]", text, flags=re.MULTILINE) is not None


def recorded_chain(text: str, origin: str, table: str | Path) -> Case:
    """Return the chain that a recipe makes of a table.

    Args:
        text: The recipe.
        origin: Where it is from, for messages.
        table: File of the recording.

    Raises:
        ModelError: Recipe or table cannot be read, or do not fit; the message names the file.
    """
    recipe = parse(text, origin)
    with inside(file=origin, raising=ModelError):
        check_keys(recipe, FILE, "file")
        chain = _chain(recipe)
        pushes, twist = _plate(needed(recipe, "plate", "a chain from markers"))
        settings = {
            "body_mass": checks.number(needed(recipe, "body_mass", "a chain from markers"), "body_mass"),
            "cutoff": checks.number(needed(recipe, "cutoff", "a chain from markers"), "cutoff"),
            "filter": recipe.get("filter", "butterworth"),
            "rigid": _switch(recipe, "rigid"),
        }
    columns = read_table(table)
    with inside(file=table, raising=ModelError):
        markers = {name: _pair(columns, (f"{name}.PosX", f"{name}.PosY")) for name in chain.markers}
        time = next(iter(columns.values()))
        force, moment = _pair(columns, pushes), _column(columns, twist)
        case = chain.case(time, markers, force, moment, **settings)
    source = f"{recipe.get('source', '')} Recording: {Path(table).name}.".strip()
    return Case(case.chain, case.state, case.form, source, case.notes)


def read_table(path: str | Path) -> dict[str, Floats]:
    """Read a table of named columns, time first.

    Raises:
        ModelError: The file cannot be read or is no such table.
    """
    with inside(raising=ModelError):
        lines = read_text(path, MOST_BYTES, "a table of a recording").splitlines()
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if len(filled) < 3:
        raise ModelError("a line of names and two lines of numbers are needed.", file=path)
    head = filled[0][1].lstrip("%# ")
    mark = next((sign for sign in "\t," if sign in head), None)
    names = [name.strip() for name in head.split(mark)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        problem = f"columns must have different names, however {twice[0]!r} occurs twice."
        raise ModelError(problem, file=path, names=twice)
    values = np.empty((len(filled) - 1, len(names)))
    for row, (number, line) in enumerate(filled[1:]):
        cells = line.split(mark)
        if len(cells) != len(names):
            raise ModelError(
                f"line {number} has {len(cells)} cells, however there are {len(names)} columns.", file=path
            )
        try:
            values[row] = [float(cell) if cell.strip() else np.nan for cell in cells]
        except ValueError as error:
            raise ModelError(f"{error}.", file=path, part=f"line {number}") from error
    return dict(zip(names, values.T, strict=True))


def _plate(plate: Any) -> tuple[tuple[str, str], str]:
    """Return the columns of the force and of the moment of a plate."""
    if not isinstance(plate, Mapping):
        raise ModelError("plate must be written as a [plate] table.")
    check_keys(plate, ("force", "moment"), "plate")
    moment = checks.text(needed(plate, "moment", "plate"), "plate: moment, the name of a column,")
    return _names(needed(plate, "force", "plate"), "plate: force", "columns"), moment


def _names(given: Any, what: str, kind: str) -> tuple[str, str]:
    if not (isinstance(given, list) and len(given) == 2 and all(isinstance(x, str) and x for x in given)):
        raise ModelError(f"{what} must be two names of {kind}, however it is {given!r}.")
    return given[0], given[1]


def _switch(recipe: Mapping[str, Any], key: str) -> bool:
    value = recipe.get(key, False)
    if not isinstance(value, bool):
        raise ModelError(f"{key} must be true or false, however it is {value!r}.")
    return value


def _chain(recipe: Mapping[str, Any]) -> MarkerChain:
    links = []
    for i, row in enumerate(rows(recipe, "links", LINK)):
        what = f"links {i} ({row.get('name', 'without a name')})"
        name, joint, at = (
            checks.text(needed(row, key, what), f"{what}: {key}") for key in ("name", "joint", "at")
        )
        line = _names(needed(row, "line", what), f"{what}: line", "markers")
        mass, com, gyration = (
            checks.number(needed(row, key, what), f"{what}: {key}", lower=0.0)
            for key in ("mass", "com", "gyration")
        )
        links.append(MarkerLink(name, joint, at, line, mass, com, gyration))
    if not links:
        raise ModelError("a chain from markers needs [[links]] tables.")
    return MarkerChain(
        tuple(links),
        base=str(recipe.get("base", "trunk")),
        name=str(recipe.get("name", "limb")),
        gravity=checks.number(recipe.get("gravity", GRAVITY), "gravity", lower=0.0),
    )


def _column(columns: Mapping[str, Floats], name: str) -> Floats:
    if name not in columns:
        raise ModelError(f"there is no column {name!r}; there are: {', '.join(columns)}.")
    return columns[name]


def _pair(columns: Mapping[str, Floats], names: tuple[str, str]) -> Floats:
    return np.stack([_column(columns, name) for name in names], axis=1)
