"""Data flows downward: a room may use rooms above it, never below."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import softstride

PACKAGE = Path(softstride.__file__).parent

ROOMS = (
    "_version",
    "errors",
    "locks",
    "frozen",
    "harmless",
    "notes",
    "fields",
    "options",
    "results",
    "files",
    "on_demand",
    "naming",
    "spatial",
    "signals",
    "solvers",
    "capture",
    "model",
    "engine",
    "simulation",
    "kinematics",
    "contact",
    "dynamics",
    "muscles",
    "digital_athlete",
    "segments",
    "planar",
    "gait",
    "study",
    "pipeline",
    "scene",
    "selfcheck",
    "report",
    "viewer",
    "batch",
    "cli",
)

LEAVES = {"report", "viewer", "batch", "cli"}
PEERS = {"pinocchio", "mujoco", "elastica", "opensim", "ezc3d", "pytest", "hypothesis"}
FILES = sorted(file for file in PACKAGE.rglob("*.py") if file != PACKAGE / "__init__.py")


def room_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) of every import, inside functions too; relative names are resolved."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], *([base] if base else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def violations(source: str, package: str, room: str) -> list[str]:
    """List the imports of a module in `room` that point below it, or to the package root, or to a peer."""
    found = []
    for line, name in imports_of(source, package):
        top, *rest = name.split(".")
        if top in PEERS:
            found.append(f"line {line}: {top} is a peer, for tests and benchmarks only")
        if top != "softstride":
            continue
        if not rest or rest[0] not in ROOMS:
            if rest != ["__version__"]:
                found.append(f"line {line}: import {name} from the room that defines it")
        elif ROOMS.index(rest[0]) > ROOMS.index(room):
            found.append(f"line {line}: {room} imports {rest[0]}, which is below it")
        elif rest[0] in LEAVES - {room} and room != "cli":
            found.append(f"line {line}: {rest[0]} is a leaf, only the command line uses it")
    return found


def test_every_file_lies_in_a_known_room() -> None:
    strange = {room_of(file) for file in FILES} - set(ROOMS)
    assert not strange, f"add {', '.join(sorted(strange))} to ROOMS at their places in the order"


def test_rooms_import_only_from_above() -> None:
    """Every file is looked at, and all that is wrong is listed."""
    found = []
    for file in FILES:
        place = file.relative_to(PACKAGE)
        package = ".".join(["softstride", *place.parent.parts])
        source = file.read_text(encoding="utf-8")
        found += [f"{place}, {each}" for each in violations(source, package, room_of(file))]
    assert len(FILES) > 300
    assert found == []


@pytest.mark.parametrize(
    ("source", "room", "word"),
    [
        ("from softstride.engine import poses", "model", "below"),
        ("def f():\n    import softstride.engine.rnea", "spatial", "below"),
        ("from softstride import simulation", "engine", "below"),
        ("from ..engine import poses", "model", "below"),
        ("import softstride as ss", "cli", "defines it"),
        ("import pinocchio", "engine", "peer"),
        ("from softstride.report import table", "batch", "leaf"),
    ],
)
def test_the_guard_fires(source: str, room: str, word: str) -> None:
    assert any(word in line for line in violations(source, f"softstride.{room}", room))


@pytest.mark.parametrize(
    ("source", "room"),
    [
        ("from softstride.errors import ModelError", "model"),
        ("from . import joints", "model"),
        ("from softstride import spatial", "engine"),
        ("import numpy as np", "engine"),
    ],
)
def test_the_guard_lets_upward_imports_pass(source: str, room: str) -> None:
    assert violations(source, f"softstride.{room}", room) == []
