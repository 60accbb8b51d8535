"""Which tests look at a file of the source, nearest first: found in the imports of source and tests."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_FILES = 20  # of one run of pytest at most: the next ones are collected only if these pass
_FAR = 10**6


@dataclass(frozen=True)
class Stage:
    """Files that pytest runs together, in this order."""

    files: tuple[str, ...]
    marks: str = ""
    """The expression after -m; of the marks that the project knows, for pytest refuses others."""

    @property
    def options(self) -> tuple[str, ...]:
        """The options of pytest for the marks."""
        return ("-m", self.marks) if self.marks else ()


class TestOrder:
    """The imports of a project: files of `src/` and `tests/`, and how far each test stands from a module."""

    __test__ = False

    def __init__(self, root: Path) -> None:
        self._trees: dict[str, ast.Module] = {}
        self._files: dict[str, str] = {}
        self._packages: set[str] = set()
        self._slow: set[str] = set()
        self._marks = _marks(root / "pyproject.toml")
        for folder in (root / "src", root / "tests"):
            for path in sorted(folder.rglob("*.py")):
                self._add(root, path)
        self._homes = {package: self._gathered(package) for package in self._packages & set(self._trees)}
        self._importers: dict[str, set[str]] = defaultdict(set)
        for name in self._trees:
            for other in self._imports(name):
                self._importers[other].add(name)

    def _add(self, root: Path, path: Path) -> None:
        file = path.relative_to(root).as_posix()
        parts = PurePosixPath(file).with_suffix("").parts
        parts = parts[1:] if parts[0] == "src" else parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
            self._packages.add(".".join(parts))
        name = ".".join(parts)
        source = path.read_bytes()
        self._trees[name], self._files[name] = ast.parse(source), file
        self._packages.update(".".join(parts[:i]) for i in range(1, len(parts)))
        if b"slow" in source:
            self._slow.add(file)

    def _gathered(self, package: str) -> dict[str, str]:
        """Return where the names come from that a package offers, imported at once or on demand."""
        return {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(self._trees[package])
            if isinstance(node, ast.ImportFrom) and not node.level
            for alias in node.names
        }

    def _module(self, dotted: str) -> str | None:
        """Return the module that defines what a dotted name means; None for what is not of this project."""
        for _ in range(9):  # a name may be handed on from package to package
            parts = dotted.split(".")
            known = next((n for n in range(len(parts), 0, -1) if self._is_known(".".join(parts[:n]))), 0)
            if not known:
                return None
            module, rest = ".".join(parts[:known]), parts[known:]
            home = self._homes.get(module, {}).get(rest[0]) if rest else None
            if home is None or home == dotted:
                return module
            dotted = ".".join([home, *rest[1:]])
        return None

    def _is_known(self, name: str) -> bool:
        return name in self._trees or name in self._packages

    def _imports(self, name: str) -> Iterator[str]:
        """Yield the modules that a module uses; a package of a room stands only for what is asked of it."""
        nodes = list(ast.walk(self._trees[name]))
        bound = dict(pair for node in nodes for pair in _bindings(node))
        named = {*bound.values(), *(dotted for node in nodes for dotted in _attributes(node, bound))}
        parts = name.split(".")
        if parts[0] == "tests":
            named |= {".".join([*parts[:i], "conftest"]) for i in range(1, len(parts))}
        yield from {module for dotted in named if (module := self._module(dotted)) and module != name}

    def _distances(self, module: str) -> dict[str, int]:
        """Return how many imports lead from each module to this one."""
        found = {module: 0}
        waiting = deque([module])
        while waiting:
            name = waiting.popleft()
            for other in self._importers[name] - found.keys():
                found[other] = found[name] + 1
                waiting.append(other)
        return found

    def ranks(self, file: str) -> tuple[list[str], list[str], list[str]]:
        """Return the tests of a file, nearest first: what mirrors or names it, its room, rooms that import its room."""
        module = next(name for name, known in self._files.items() if known == file)
        distance = self._distances(module)
        room = _room(file)
        users = {_room(self._files[name]) for name in self._users(room)} - {room}
        ranked: tuple[list[tuple[int, str]], ...] = ([], [], [])
        for name, test in self._files.items():
            if not test.startswith("tests/") or not PurePosixPath(test).name.startswith("test_"):
                continue
            away = distance.get(name, _FAR)
            mirror = _room(test) == room and _mirrors(test, file)
            if mirror or (away == 1 and (_room(test) == room or self._says(name, module))):
                ranked[0].append((0 if mirror else away, test))
            elif _room(test) == room:
                ranked[1].append((away, test))
            elif _room(test) in users:
                ranked[2].append((away, test))
        near, inside, far = ([test for _, test in sorted(rank)] for rank in ranked)
        return near, inside, far

    def stages(self, file: str, slow: bool = True) -> list[Stage]:
        """Return the runs of pytest for a file of the source, in the order of `ranks`.

        In each of them the quick tests come first; those of the room, slow ones too, come before other rooms.
        """
        near, inside, far = self.ranks(file)
        runs = [(near, False), (inside, False), (near + inside, True), (far, False), (far, True)]
        stages = []
        for tests, only_slow in runs:
            if only_slow:
                tests = (
                    [test for test in tests if test in self._slow] if slow and "slow" in self._marks else []
                )
            marks = [("slow" if only_slow else "not slow", "slow"), ("not nightly", "nightly")]
            expression = " and ".join(words for words, mark in marks if mark in self._marks)
            stages += [Stage(tuple(tests[i : i + _FILES]), expression) for i in range(0, len(tests), _FILES)]
        return stages

    def _users(self, room: str) -> set[str]:
        """Return the modules of the source that import a module of a room."""
        inside = [
            name for name, file in self._files.items() if file.startswith("src/") and _room(file) == room
        ]
        found = {other for name in inside for other in self._importers[name]}
        return {name for name in found if self._files[name].startswith("src/")}

    def _says(self, test: str, module: str) -> bool:
        """Return whether a test imports a module by its own name, not through the room."""
        return any(
            dotted == module or dotted.rpartition(".")[0] == module
            for node in ast.walk(self._trees[test])
            for _, dotted in _bindings(node)
        )


def _marks(file: Path) -> set[str]:
    """Return the marks that a project registers."""
    options = (
        tomllib.loads(file.read_text(encoding="utf-8"))
        .get("tool", {})
        .get("pytest", {})
        .get("ini_options", {})
    )
    return {line.partition(":")[0].strip() for line in options.get("markers", [])}


def _room(file: str) -> str:
    """Return the room of a file of source or tests; a file that lies in no room counts by its name."""
    parts = PurePosixPath(file).parts
    inside = parts[2:] if parts[0] == "src" else parts[1:]
    if len(inside) > 1:
        return inside[0]
    return inside[0].removesuffix(".py").removeprefix("test_")


def _mirrors(test: str, file: str) -> bool:
    """Return whether a test is named after a file: test_rnea_lanes.py after rnea.py, fit/test_start.py after fit.py."""
    parts = PurePosixPath(file).with_suffix("").parts[2:]
    names = {parts[-1], "_".join(parts[-2:])}
    if parts[-1] == "__init__":
        names = {parts[-2]} if len(parts) > 1 else set()
    path = PurePosixPath(test)
    stem = path.stem.removeprefix("test_")
    return path.parent.name in names or any(stem == name or stem.startswith(f"{name}_") for name in names)


def _bindings(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (local name, dotted name) of an import."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name, alias.name
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _attributes(node: ast.AST, bound: dict[str, str]) -> Iterator[str]:
    """Yield the dotted name of an attribute of something imported."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    if names and isinstance(node, ast.Name) and node.id in bound:
        yield ".".join([bound[node.id], *names])
