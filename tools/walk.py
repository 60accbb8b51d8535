"""The way of a command through the house: files and functions entered, models checked, plans made.

    python -m tools.walk softstride analyze walk.c3d --out walk
    python -m tools.walk --list softstride info walk.c3d         every function too, in the order of the way

The command runs here, in this process, and does what it always does: it writes its files. Fill the cache of kernels
first, or their compilation is walked through as well. What runs while a module is imported is left out, and so is
everything outside of the package. A *validation* is a whole model that is checked (`Model.__post_init__`), a *plan* a
set of tables that is made (`make_plan`), not one that was kept; one that is made again for the same model and places,
compared by value, is called out.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module, metadata
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

MODULE = "<module>"


class _Depth(threading.local):
    depth = 0


class Walk:
    """Notes what is entered while a block runs, on all threads.

    Attributes:
        entered: How often each function was entered, by file and name, in the order of the first time.
        models: How often a model was checked.
        plans: How often a plan was made, by model and places.
    """

    def __init__(self, package: Path) -> None:
        self.entered: Counter[tuple[str, str]] = Counter()
        self.models = 0
        self.plans: Counter[Any] = Counter()
        self._package = f"{package}/"
        self._places: dict[CodeType, tuple[str, str] | None] = {}
        self._importing = _Depth()
        self._kept: list[Any] = []  # alive, so that no other model gets the number of one that is gone

    def __enter__(self) -> Walk:
        threading.setprofile(self._event)
        sys.setprofile(self._event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    @property
    def files(self) -> list[str]:
        """Files that were entered."""
        return list(dict.fromkeys(file for file, _ in self.entered))

    def _event(self, frame: FrameType, event: str, _: Any) -> None:
        if event not in ("call", "return"):
            return
        code = frame.f_code
        if code.co_name == MODULE:
            self._importing.depth += 1 if event == "call" else -1
            return
        if event == "return" or self._importing.depth:
            return
        place = self._place(code)
        if place is None:
            return
        self.entered[place] += 1
        if place == ("model/model.py", "Model.__post_init__"):
            self.models += 1
        elif place[1] == "make_plan":
            self.plans[self._plan(frame.f_locals)] += 1

    def _place(self, code: CodeType) -> tuple[str, str] | None:
        """Return file and name of a function of the package; None for any other, and for what is only an expression."""
        if code not in self._places:
            inside = code.co_filename.startswith(self._package)
            name = code.co_qualname
            known = inside and not name.rpartition(".")[2].startswith("<")
            self._places[code] = (code.co_filename.removeprefix(self._package), name) if known else None
        return self._places[code]

    def _plan(self, given: dict[str, Any]) -> Any:
        self._kept.append(given["model"])
        return id(given["model"]), *(plain(value) for name, value in given.items() if name != "model")


def plain(value: Any) -> Any:
    """Return a value that is equal to that of another object of the same contents."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return tuple(plain(each) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, *(plain(getattr(value, each.name)) for each in fields(value))
    return value if isinstance(value, str | int | float | bool | None) else id(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk with a command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.walk", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print every function")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="a command of the package with its words")
    given = parser.parse_args(arguments)
    scripts = {each.name: each for each in metadata.entry_points(group="console_scripts")}
    if not given.command or given.command[0] not in scripts:
        parser.error("name a command, such as softstride info walk.c3d")
    script = scripts[given.command[0]]
    run = script.load()
    package = Path(str(import_module(script.module.partition(".")[0]).__file__)).parent
    sys.argv = given.command
    code: Any = 0
    with Walk(package) as walk:
        try:
            run()
        except SystemExit as end:
            code = end.code
    tell(walk, given.list)
    return code if isinstance(code, int) else 1 if code else 0


def tell(walk: Walk, everything: bool) -> None:
    """Print what was counted."""
    if everything:
        for (file, name), times in walk.entered.items():
            print(f"{file}: {name}{f' x {times}' if times > 1 else ''}")
    again = {plan: times for plan, times in walk.plans.items() if times > 1}
    print(f"files {len(walk.files)}, functions {len(walk.entered)}, calls {walk.entered.total()}")
    print(f"validations of a model {walk.models}")
    print(f"plans {walk.plans.total()}, of them made again {sum(again.values()) - len(again)}")


if __name__ == "__main__":
    sys.exit(main())
