"""Make small changes in src/, one at a time, and see whether a test notices.

    python tools/mutate.py --seed 1                  40 changes, 30 of them in physics, readers and solvers; or go on
    python tools/mutate.py --seed 1 --list           what was chosen and what came of it; runs nothing
    python tools/mutate.py --seed 1 --only 7         number 7 alone, again if need be
    python tools/mutate.py --seed 1 --fresh          forget the table and begin again
    python tools/mutate.py --seed 1 --equivalent 7 "both branches give zero there"
    python tools/mutate.py --seed 1 --common ../before
                                                     only changes that can be made in that checkout too
    python tools/mutate.py --replay build/mutations/1.json --tree ../before --name before
                                                     the same changes under the tests of another checkout
    python tools/mutate.py --seed 2 --tests quick --workers 2

Each change is made in a copy of the project under build/mutants, never in the working tree; its tests run up to the
first failure, nearest first (the order is that of tools/nearest.py), without those marked nightly. A campaign
can be stopped at any moment; the table in build/mutations is written after each change, and the same command goes on.

caught            a test failed with the change, and passes without it
caught (hang)     a test took longer than --hang with the change, and does not without it, kernels compiled anew
survived          all tests of the room, and of the rooms that import it, passed
survived (limit)  so did all that ran until --limit seconds were over; a test that had begun was waited for
equivalent        survived, and --equivalent says why no test can see it
lost              the line is not in the source any more

Compiled kernels come from SOFTSTRIDE_CACHE_DIR or .cache/kernels: fill it first (any test run with that folder does).
Those that a change makes are removed after it. A POSIX system is needed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for `python tools/mutate.py`

from tools.mutation_runs import Copy, Outcome, Stop
from tools.mutation_table import Record, Table, markdown, progress
from tools.mutations import applied, choose
from tools.nearest import TestOrder

ROOT = Path(__file__).resolve().parents[1]
COUNT, PHYSICS = 40, 30
STOPPED = 130  # exit code of what was interrupted


class Broken(Exception):
    """The tests say nothing, for they do not even run without a change."""


@dataclass(frozen=True)
class Limits:
    """How long a change may take [s], and which tests run."""

    mutation: float = 300.0
    hang: float = 200.0
    slow: bool = True


class Campaign:
    """Tries the changes of a table, in as many copies as there are workers."""

    def __init__(self, table: Table, tree: Path, limits: Limits, kernels: Path) -> None:
        self.table = table
        self.tree = tree
        self.limits = limits
        self.kernels = kernels
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._passing: set[str] = set()

    def run(self, records: Sequence[Record], workers: int = 1) -> None:
        """Try these changes; the table is written after each. A signal leaves the others for the next time."""
        self.kernels.mkdir(parents=True, exist_ok=True)
        if not any(self.kernels.iterdir()):
            print(f"no compiled kernels in {self.kernels}: each change compiles its own")
        order = TestOrder(self.tree)
        folder = self.table.file.parent.parent / "mutants"
        folder.mkdir(parents=True, exist_ok=True)
        _clear(folder)
        here = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=folder))
        copies: SimpleQueue[Copy] = SimpleQueue()
        pool = ThreadPoolExecutor(workers)
        try:
            for i in range(min(workers, len(records))):
                (here / str(i)).mkdir()
                copies.put(Copy(self.tree, here / str(i), self.kernels, _data(self.tree), self._stop))
            running = [pool.submit(self._one, record, order, copies) for record in records]
            for done in as_completed(running):
                done.result()
        finally:
            self._stop.set()
            pool.shutdown(cancel_futures=True)
            shutil.rmtree(here, ignore_errors=True)

    def _one(self, record: Record, order: TestOrder, copies: SimpleQueue[Copy]) -> None:
        if self._stop.is_set():
            return
        copy = copies.get()
        try:
            start = time.monotonic()
            try:
                result, test = self._try(record, order, copy)
            except Stop:
                return
            seconds = round(time.monotonic() - start, 1)
        finally:
            copies.put(copy)
        if result.startswith("survived") and record.reason:
            result = "equivalent"
        with self._lock:
            record.result, record.test, record.seconds = result, test, seconds
            self.table.save()
            print(progress(record, len(self.table.records)), flush=True)

    def _try(self, record: Record, order: TestOrder, copy: Copy) -> tuple[str, str]:
        """Return the result of one change and the test that saw it."""
        file = copy.root / record.mutation.file
        if not file.is_file() or applied(record.mutation, file.read_bytes()) is None:
            return "lost", ""
        copy.link_kernels()
        left = self.limits.mutation
        stages = order.stages(record.mutation.file, self.limits.slow)
        slow: list[str] = []  # tests that hang with the change, and are no quicker without it
        while stages:
            files = [file for file in stages[0].files if file not in self.table.failing]
            if not files:
                stages.pop(0)
                continue
            options = [*stages[0].options, *(f"--deselect={test}" for test in [*self.table.failing, *slow])]
            start = time.monotonic()
            with copy.change(record):
                outcome = copy.run(files, left, self.limits.hang, copy.changed_kernels, *options)
            left -= time.monotonic() - start
            if outcome.passed:
                stages.pop(0)
            elif outcome.code is None and not outcome.stuck:
                return "survived (limit)", ""
            elif self._passes(copy, outcome, files, options):
                return (
                    "caught (hang)" if outcome.stuck else "caught"
                ), outcome.test or "all: nothing is collected"
            elif not outcome.test or outcome.test in (*self.table.failing, *slow):
                raise Broken(f"tests cannot run on the unchanged source:\n{copy.told()}")
            elif outcome.stuck:
                slow.append(outcome.test)
            else:
                with self._lock:
                    self.table.failing.append(outcome.test)
            if left <= 0:
                return "survived (limit)", ""
        return "survived", ""

    def _passes(self, copy: Copy, outcome: Outcome, files: Sequence[str], options: list[str]) -> bool:
        """Return whether the test that failed passes without the change; of no test, whether these are collected.

        One that hung has to pass alone within the same time, with all its kernels compiled anew, as a change may ask.
        """
        if outcome.test in self._passing and not outcome.stuck:
            return True
        kernels = self.kernels
        if outcome.stuck:
            kernels = copy.changed_kernels.with_name("no-kernels")
            shutil.rmtree(kernels, ignore_errors=True)
        limit = self.limits.hang if outcome.stuck else max(self.limits.mutation, self.limits.hang)
        if "::" in outcome.test:
            again = copy.run([outcome.test], limit, limit, kernels)
        else:
            again = copy.run(
                [outcome.test] if outcome.test else files, limit, limit, kernels, "--collect-only", *options
            )
        if again.code == 0 and "::" in outcome.test:
            self._passing.add(outcome.test)
        return again.passed if "::" not in outcome.test else again.code == 0


def _data(tree: Path) -> Path | None:
    """Return the folder of recordings that the tests would use where the tree lies."""
    given = os.environ.get("SOFTSTRIDE_TEST_DATA")
    folders = [Path(given)] if given else [tree.parent / "shared" / "data", ROOT.parent / "shared" / "data"]
    return next((folder.resolve() for folder in folders if folder.is_dir()), None)


def _clear(folder: Path) -> None:
    """Remove the copies of campaigns that were killed."""
    for old in folder.iterdir():
        number = old.name.partition("-")[0]
        if number.isdigit():
            try:
                os.kill(int(number), 0)
            except ProcessLookupError:
                shutil.rmtree(old, ignore_errors=True)
            except PermissionError:
                pass


def sources(tree: Path) -> dict[str, bytes]:
    """Return the files that may be changed, by path from the root."""
    files = sorted((tree / "src").rglob("*.py"))
    return {
        file.relative_to(tree).as_posix(): file.read_bytes() for file in files if file.name != "_version.py"
    }


def digest(files: dict[str, bytes]) -> str:
    """Return what tells one state of the source from another."""
    whole = hashlib.sha256()
    for name, content in sorted(files.items()):
        whole.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    return whole.hexdigest()[:16]


def open_table(given: argparse.Namespace, root: Path) -> Table:
    """Return the table of a campaign: the one begun, one replayed, or a new one."""
    name = given.name or (f"{given.replay.stem}-replay" if given.replay else str(given.seed))
    if given.tree and not given.name:
        name += f"-{given.tree.name}"
    file = root / "build" / "mutations" / f"{name}.json"
    tree = str(given.tree or root)
    if file.is_file() and not given.fresh:
        table = Table.read(file)
        asked = {"count": given.count, "physics": given.physics, "tree": tree, "tests": given.tests}
        for key, value in asked.items():
            if value is not None and table.settings[key] != value:
                raise SystemExit(
                    f"{file} was made with {key} {table.settings[key]}: use --fresh or another --name"
                )
        return table
    settings: dict[str, Any] = {"tree": tree, "tests": given.tests or "all"}
    if given.replay:
        former = Table.read(given.replay)
        records = [Record(old.number, old.mutation, reason=old.reason) for old in former.records]
        return Table(file, former.settings | settings, records)
    count = COUNT if given.count is None else given.count
    physics = min(PHYSICS, count) if given.physics is None else given.physics
    if not 0 <= physics <= count:
        raise SystemExit(f"--physics {physics} is not between 0 and --count {count}")
    files = sources(root)
    chosen = choose(files, given.seed, count, physics, sources(given.common) if given.common else None)
    settings |= {"seed": given.seed, "count": count, "physics": physics, "source": digest(files)}
    return Table(file, settings, [Record(i, one) for i, one in enumerate(chosen, 1)])


def mark_equivalent(table: Table, number: str, reason: str) -> None:
    """Note by hand why no test can see a change that survived."""
    record = _numbered(table, int(number) if number.isdigit() else 0)
    if not record.result.startswith(("survived", "equivalent")):
        raise SystemExit(
            f"number {number} is {record.result or 'not run'}: only what survived can be equivalent"
        )
    if not reason.strip():
        raise SystemExit("say why no test can see it")
    record.result, record.reason = "equivalent", reason.strip()
    table.save()


def _numbered(table: Table, number: int) -> Record:
    if not 1 <= number <= len(table.records):
        raise SystemExit(f"there are numbers 1 to {len(table.records)}, not {number}")
    return table.records[number - 1]


def _path(text: str) -> Path:
    return Path(text).resolve()


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python tools/mutate.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--seed", type=int, default=1, help="which changes (1)")
    made.add_argument("--count", type=int, help=f"how many ({COUNT})")
    made.add_argument(
        "--physics", type=int, help=f"how many of them in physics, readers and solvers ({PHYSICS})"
    )
    made.add_argument("--name", help="of the table in build/mutations (the seed)")
    made.add_argument("--fresh", action="store_true", help="forget the table of this name")
    made.add_argument("--list", action="store_true", help="print the table and run nothing")
    made.add_argument("--only", type=int, metavar="N", help="run number N, again if need be")
    made.add_argument("--equivalent", nargs=2, metavar=("N", "REASON"), help="why no test can see survivor N")
    made.add_argument(
        "--common", type=_path, metavar="PATH", help="only changes that can be made in this checkout too"
    )
    made.add_argument("--replay", type=_path, metavar="PATH", help="take the changes of this table")
    made.add_argument(
        "--tree",
        type=_path,
        metavar="PATH",
        help="the checkout whose source is changed and whose tests run (this one)",
    )
    made.add_argument("--tests", choices=("all", "quick"), help="quick: without those marked slow (all)")
    made.add_argument("--limit", type=float, default=300.0, help="seconds of tests for a change (300)")
    made.add_argument("--hang", type=float, default=200.0, help="seconds for one test (200)")
    made.add_argument("--workers", type=int, default=1, help="changes at a time (1)")
    return made


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Run the command; 130 where it was stopped."""
    given = parser().parse_args(arguments)
    table = open_table(given, root)
    if given.equivalent:
        mark_equivalent(table, *given.equivalent)
    if given.list or given.equivalent:
        print(markdown(table.records))
        return 0
    records = [record for record in table.records if not record.result]
    if given.only is not None:
        records = [_numbered(table, given.only)]
    table.save()
    kernels = Path(os.environ.get("SOFTSTRIDE_CACHE_DIR") or root / ".cache" / "kernels").resolve()
    limits = Limits(given.limit, given.hang, table.settings["tests"] == "all")
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        Campaign(table, Path(table.settings["tree"]), limits, kernels).run(records, max(1, given.workers))
    except KeyboardInterrupt:
        print(
            f"stopped: {sum(not x.result for x in table.records)} left; the same command goes on",
            file=sys.stderr,
        )
        return STOPPED
    except Broken as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGTERM, former)
    print(markdown(table.records))
    if table.failing:
        print("left out, for they fail without a change, too:", *table.failing, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
