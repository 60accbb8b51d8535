"""Run one stage of the checks: say how long it took, or how to run it again.

    python tools/stage.py --again "make NAME" NAME -- COMMAND ...

What the command prints goes through. The last line is `== NAME: ok in 12 s`, or `== NAME: failed after 12 s; again:
make NAME`; the exit code is that of the command.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

INTERRUPTED = 130  # what a shell calls a command that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command of a stage and return its exit code."""
    parser = argparse.ArgumentParser(prog="stage.py", description=str(__doc__).partition("\n")[0])
    parser.add_argument("name", help="what the stage is called in its line")
    parser.add_argument("--again", required=True, help="the command that repeats it")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- and the command")
    given = parser.parse_args(arguments)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        parser.error("no command: write -- and the command after the options")
    return run(given.name, command, given.again)


def run(name: str, command: Sequence[str], again: str, as_good: Mapping[int, str] | None = None) -> int:
    """Run a command, print the line of its stage, and return its exit code.

    Exit codes that are `as_good` as 0 count as such, and are told in these words.
    """
    start = time.monotonic()
    try:
        code = subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as error:
        print(f"{name}: {command[0]} cannot be run: {error}", file=sys.stderr)
        code = 127
    code = code if code >= 0 else 128 - code  # ended by a signal: as a shell says it
    seconds = time.monotonic() - start
    well = {0: "ok in", **{good: f"{words}," for good, words in (as_good or {}).items()}}
    if code in well:
        print(f"== {name}: {well[code]} {seconds:.0f} s", flush=True)
        return 0
    print(_failed(name, seconds, code, again), flush=True)
    return code


def _failed(name: str, seconds: float, code: int, again: str) -> str:
    how = "interrupted" if code == INTERRUPTED else "failed"
    return f"== {name}: {how} after {seconds:.0f} s; again: {again}"


if __name__ == "__main__":
    sys.exit(main())
