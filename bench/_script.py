"""What benchmarks share as scripts: how a figure is said, and the options --json and --quick."""

import argparse
import json as json_format
from collections.abc import Callable
from typing import Protocol

Say = Callable[[str], None]


class Main(Protocol):
    """What a benchmark offers."""

    def __call__(self, *, json: bool, quick: bool) -> dict[str, float]: ...


def line(say: Say, label: str, value: str, target: float | None = None, reached: float = 0.0) -> None:
    """Say a figure, its target, and whether that is missed."""
    told = f"{label:<62}{value:>11}"
    if target is not None:
        told += f"   target {target:g}" + ("   MISSED" if reached < target else "")
    say(told)


def run(main: Main, about: str | None) -> None:
    """Run a benchmark with the options of the command line; `about` is its docstring."""
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument(
        "--json", action="store_true", help="print the figures as one JSON object, nothing else"
    )
    parser.add_argument("--quick", action="store_true", help="short trials, few turns, rough figures")
    options = parser.parse_args()
    figures = main(json=options.json, quick=options.quick)
    if options.json:
        print(json_format.dumps(figures))
