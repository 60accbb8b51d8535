"""Lint, types and the tests of what the working tree changes, in about a minute: before every commit.

    make check

Changed are files that differ from the last commit; in a clean tree, those of the last commit. Tests that name or
mirror a changed module come first, then the others of its room, quick ones only, until the time is up; how far they
came is said.
"""

from __future__ import annotations

import argparse
import functools
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.nearest import TestOrder
from tools.stage import run

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 45.0
"""For tests: with lint and types it makes about a minute."""

NONE_QUICK = {5: "none of them is quick; `make test` has them"}
"""What pytest says where it collects nothing."""


def changed_files(root: Path = ROOT) -> list[str]:
    """Return the files that the working tree changes; in a clean tree those of the last commit."""
    told = _git(root, "diff", "--name-only", "-z", "HEAD") + _git(
        root, "ls-files", "--others", "--exclude-standard", "-z"
    )
    told = told or _git(root, "diff", "--name-only", "-z", "HEAD~1", "HEAD")
    return sorted({name for name in told.split("\0") if name and (root / name).is_file()})


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def concerned(changed: Iterable[str], root: Path = ROOT) -> list[tuple[str, ...]]:
    """Return test files in runs, nearest first: changed tests, tests of changed modules, the rest of their rooms."""
    near: list[str] = []
    rooms: list[str] = []
    for name in changed:
        path = Path(name)
        if path.parts[:2] == ("src", "softstride") and path.suffix != ".py":  # data and pages of a room
            rooms += _tests(root, f"tests/{path.parts[2]}/**/test_*.py")
        elif path.suffix != ".py":
            continue
        elif path.parts[0] in ("tools", "bench"):
            rooms += _tests(root, f"tests/{path.parts[0]}/test_*.py")
        elif path.parts[0] == "tests" and path.name.startswith("test_"):
            near.append(name)
        elif path.parts[0] in ("src", "tests"):
            nearest, room, _ = _order(root).ranks(name)
            near += nearest
            rooms += room
    first = tuple(dict.fromkeys(near))
    rest = tuple(name for name in dict.fromkeys(rooms) if name not in first)
    return [files for files in (first, rest) if files]


@functools.cache
def _order(root: Path) -> TestOrder:
    return TestOrder(root)


def _tests(root: Path, pattern: str) -> list[str]:
    return sorted(each.relative_to(root).as_posix() for each in root.glob(pattern))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stages; return the exit code of the first that fails."""
    parser = argparse.ArgumentParser(prog="check.py", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for tests [s] (default: %(default)g)")
    given = parser.parse_args(arguments)
    runs = concerned(changed_files())
    end = time.monotonic() + given.seconds
    for number, files in enumerate(runs):
        left = end - time.monotonic()
        if left <= 0.0:
            print(f"== not run for want of time: {len(files)} files of tests; `make quick` has them all")
            break
        told = "tests of the change" if number == 0 else "tests of its rooms"
        os.environ["SOFTSTRIDE_TEST_SECONDS"] = f"{left:.0f}"
        options = ["-q", "--no-header", "--maxfail=1", "-m", "not slow", "-p", "tools.until"]
        if len(files) > 1 and (os.cpu_count() or 1) > 1:
            options += ["--numprocesses", "auto", "--dist", "worksteal"]
        code = run(told, [sys.executable, "-m", "pytest", *options, *files], "make check", NONE_QUICK)
        if code:
            return code
    if not runs:
        print("== no tests: nothing that is changed has any")
    return 0


if __name__ == "__main__":
    sys.exit(main())
