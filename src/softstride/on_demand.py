"""Rooms that gather names without importing them: each is imported when it is first asked for (PEP 562).

A room lists its names as imports for type checkers alone; `on_demand` reads that list from the room's own source, so
that it stands once:

    if TYPE_CHECKING:
        from softstride.signals.butterworth import butterworth

    __getattr__, __dir__ = on_demand(__name__, __file__)
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def on_demand(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package for its modules and what it imports under `if TYPE_CHECKING`."""
    homes = _homes(ast.parse(Path(file).read_bytes()))

    def find(name: str) -> Any:
        if name not in homes:
            if not name.startswith("_") and find_spec(f"{package}.{name}") is not None:
                return import_module(f"{package}.{name}")
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: sorted({*vars(sys.modules[package]), *homes})


def _homes(tree: ast.Module) -> dict[str, str]:
    """Return the module of each name that is imported for type checkers."""
    return {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }
