"""Make small changes in src/, one at a time, and see whether a test notices.

    python tools/mutate.py --seed 1                  40 changes, 30 of them in physics, readers and solvers; or go on
    python tools/mutate.py --seed 1 --list           what was chosen and what came of it; runs nothing
    python tools/mutate.py --seed 1 --only 7         number 7 alone, again if need be
    python tools/mutate.py --seed 1 --fresh          forget the table and begin again
    python tools/mutate.py --seed 1 --equivalent 7 "both branches give zero there"
    python tools/mutate.py --replay build/mutations/1.json --tree ../before --name before
                                                     the same changes under the tests of another checkout
    python tools/mutate.py --seed 2 --tests quick --workers 2

Each change is made in a copy of the project under build/mutants, never in the working tree; its tests run up to the
first failure, nearest first (the order is that of tools/mutation_tests.py), without those marked nightly. A campaign can
be stopped at any moment; the table in build/mutations is written after each change, and the same command goes on.

caught            a test failed with the change, and passes without it
caught (hang)     a test took longer than --hang with the change, and does not without it, kernels compiled anew
survived          all tests of the room, and of the rooms that import it, passed
survived (limit)  so did all that ran within --limit seconds
equivalent        survived, and --equivalent says why no test can see it
lost              the line is not in the source any more

Compiled kernels come from SOFTSTRIDE_CACHE_DIR or .cache/kernels: fill it first (any test run with that folder does).
Those that a change makes are removed after it. A POSIX system is needed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from queue import SimpleQueue
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for `python tools/mutate.py`

from tools.mutation_tests import TestOrder
from tools.mutations import Mutation, applied, choose

ROOT = Path(__file__).resolve().parents[1]
COUNT, PHYSICS = 40, 30
LEFT_OUT = (
    ".git",
    ".venv",
    ".cache",
    "build",
    "dist",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "*.egg-info",
)
STOPPED = 130  # exit code of what was interrupted

_LINE = re.compile(
    r"^(\S+\.py::.+?)(?: (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|SUBFAILED).*)?$", re.MULTILINE
)
_SUMMARY = re.compile(r"^ERROR (\S+\.py)\b", re.MULTILINE)  # a file that cannot be collected


class Stop(Exception):  # noqa: N818
    """The campaign was asked to stop."""


@dataclass
class Record:
    """What came of one change."""

    number: int
    mutation: Mutation
    result: str = ""
    test: str = ""
    seconds: float = 0.0
    reason: str = ""


@dataclass
class Table:
    """All changes of a campaign with their results: one JSON file, written whole."""

    file: Path
    settings: dict[str, Any]
    records: list[Record]
    failing: list[str] = field(default_factory=list)
    """Tests that fail without any change: they prove nothing and are left out."""

    def save(self) -> None:
        """Write the file: the former one stays until the new one is complete."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "settings": self.settings,
            "failing": self.failing,
            "records": [
                asdict(record.mutation) | {k: v for k, v in asdict(record).items() if k != "mutation"}
                for record in self.records
            ],
        }
        new = self.file.with_suffix(f".{os.getpid()}.part")
        new.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(new, self.file)

    @classmethod
    def read(cls, file: Path) -> Table:
        """Read what :meth:`save` wrote."""
        content = json.loads(file.read_text(encoding="utf-8"))
        names = [entry.name for entry in fields(Mutation)]
        records = []
        for row in content["records"]:
            mutation = Mutation(**{name: row.pop(name) for name in names})
            records.append(Record(mutation=mutation, **row))
        return cls(file, content["settings"], records, content["failing"])


@dataclass(frozen=True)
class Limits:
    """How long a change may take [s], and which tests run."""

    mutation: float = 300.0
    hang: float = 200.0
    slow: bool = True


@dataclass(frozen=True)
class Outcome:
    """How a run of pytest ended: its exit code, None where it was ended from here, and the test it was at."""

    code: int | None
    test: str
    stuck: bool = False

    @property
    def passed(self) -> bool:
        """Whether every test passed; none to run is as good."""
        return self.code in (0, 5)


class Copy:
    """One copy of the project: changes one of its files and runs its tests."""

    def __init__(
        self, source: Path, folder: Path, kernels: Path, data: Path | None, stop: threading.Event
    ) -> None:
        self.root = folder / source.name  # the name of the checkout, for tests that print it
        self.log = folder / "pytest.log"
        self.kernels = kernels
        self.changed_kernels = folder / "kernels"
        self.stop = stop
        shutil.copytree(source, self.root, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))} | {
            "PYTHONPATH": str(self.root / "src"),
            "MPLBACKEND": "Agg",
            "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1"),
        }
        if data is not None:
            self.environment["SOFTSTRIDE_TEST_DATA"] = str(data)

    @contextlib.contextmanager
    def change(self, record: Record) -> Iterator[None]:
        """Change a file for a while. Its time is unlike any other, so that no byte code of another change passes."""
        path = self.root / record.mutation.file
        before, times = path.read_bytes(), path.stat()
        changed = applied(record.mutation, before)
        assert changed is not None
        try:
            path.write_bytes(changed)
            os.utime(path, (times.st_atime, int(times.st_mtime) + 2 * record.number + 2))
            yield
        finally:
            path.write_bytes(before)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def link_kernels(self) -> None:
        """Offer the kernels of the unchanged source; what a change compiles comes beside these links and goes again."""
        shutil.rmtree(self.changed_kernels, ignore_errors=True)
        self.changed_kernels.mkdir()
        for folder in self.kernels.glob("kernels-*"):
            (self.changed_kernels / folder.name).symlink_to(folder)

    def run(self, tests: Sequence[str], seconds: float, hang: float, kernels: Path, *options: str) -> Outcome:
        """Run pytest up to the first failure, for so many seconds, and so many on one test."""
        command = [sys.executable, "-m", "pytest", "-x", "-v", "--color=no", "--tb=line"]
        command += ["-p", "no:cacheprovider", "-n", "0", *options, *tests]
        environment = self.environment | {"SOFTSTRIDE_CACHE_DIR": str(kernels)}
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            code, stuck = self._watch(process, seconds, hang)
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return Outcome(code, _last_test(text), stuck)

    def _watch(
        self, process: subprocess.Popen[bytes], seconds: float, hang: float
    ) -> tuple[int | None, bool]:
        """Wait for a run; it writes a line when a test begins. End it with all that it started where it must stop."""
        start = moved = time.monotonic()
        size = 0
        try:
            while (code := process.poll()) is None:
                now = time.monotonic()
                written = self.log.stat().st_size
                if written != size:
                    size, moved = written, now
                if self.stop.is_set():
                    raise Stop
                if now - moved > hang or now - start > seconds:
                    return None, now - moved > hang
                time.sleep(0.05)
            return code, False
        finally:
            with contextlib.suppress(ProcessLookupError):  # what tests left behind goes, too
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _last_test(log: str) -> str:
    """Return the test at which a run with -x stopped, or the file that could not be collected."""
    lines = [match for match in _LINE.finditer(log) if match[2] != "SKIPPED"]
    failed = [match[1] for match in lines if match[2] in ("FAILED", "ERROR", "SUBFAILED")]
    broken = _SUMMARY.search(log)
    if broken and not failed:
        return broken[1]
    name = failed[0] if failed else lines[-1][1] if lines else ""
    return re.split(r" <- | ?Fatal Python error", name)[0].rstrip()


class Campaign:
    """Tries the changes of a table, in as many copies as there are workers."""

    def __init__(self, table: Table, tree: Path, limits: Limits, kernels: Path) -> None:
        self.table = table
        self.tree = tree
        self.limits = limits
        self.kernels = kernels
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._passing: set[tuple[str, ...]] = set()

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
        while stages:
            stage = stages[0]
            options = ["-m", stage.marks, *(f"--deselect={test}" for test in self.table.failing)]
            start = time.monotonic()
            with copy.change(record):
                outcome = copy.run(stage.files, left, self.limits.hang, copy.changed_kernels, *options)
            left -= time.monotonic() - start
            if outcome.passed:
                stages.pop(0)
            elif outcome.code is None and not outcome.stuck:
                return "survived (limit)", ""
            elif self._passes(copy, outcome, stage.files):
                return ("caught (hang)" if outcome.stuck else "caught"), outcome.test or " ".join(stage.files)
            elif outcome.stuck or not outcome.test or outcome.test in self.table.failing:
                stages.pop(0)  # cannot be told from the unchanged source, nor be left out
            else:
                with self._lock:
                    self.table.failing.append(outcome.test)
            if left <= 0:
                return "survived (limit)", ""
        return "survived", ""

    def _passes(self, copy: Copy, outcome: Outcome, files: tuple[str, ...]) -> bool:
        """Return whether the test that failed passes without the change; of no test, whether the files are collected.

        One that hung has to pass alone within the same time, with all its kernels compiled anew, as a change may ask.
        """
        tests = (outcome.test,) if outcome.test else files
        if tests in self._passing and not outcome.stuck:
            return True
        options = [] if "::" in outcome.test else ["--collect-only"]
        kernels = self.kernels
        if outcome.stuck:
            kernels = copy.changed_kernels.with_name("no-kernels")
            shutil.rmtree(kernels, ignore_errors=True)
        limit = self.limits.hang if outcome.stuck else max(self.limits.mutation, self.limits.hang)
        passed = copy.run(tests, limit, limit, kernels, *options).passed
        if passed:
            self._passing.add(tests)
        return passed


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


def progress(record: Record, total: int) -> str:
    """Return one line on a change."""
    by = f"  by {record.test}" if record.test else ""
    one = record.mutation
    return (
        f"{record.number:3}/{total}  {record.result or 'not run':16}  {record.seconds:6.1f} s  "
        f"{one.file}:{one.line}  {one.kind}: {_short(one.before)} -> {_short(one.after) or 'nothing'}{by}"
    )


def _short(text: str, length: int = 50) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length // 2 - 1]} … {text[1 - length // 2 :]}"


def markdown(records: Sequence[Record]) -> str:
    """Return the table and its sums, physics apart from the rest."""
    lines = ["| no. | place | change | result | by | s |", "|---:|---|---|---|---|---:|"]
    for record in records:
        one = record.mutation
        change = f"{one.kind}: `{_short(one.before)}` → `{_short(one.after)}`".replace("|", "\\|")
        cells = [record.number, f"{one.file}:{one.line}", change, record.result or "not run"]
        by = record.test.replace("|", "\\|") or record.reason
        lines.append(f"| {' | '.join(map(str, cells))} | {by} | {record.seconds:.0f} |")
    lines.append("")
    for name, inside in (("physics, readers and solvers", True), ("the rest", False)):
        part = [record.result for record in records if record.mutation.physics is inside]
        sums = {
            word: sum(x.startswith(word) for x in part)
            for word in ("caught", "survived", "equivalent", "lost")
        }
        sums["not run"] = part.count("")
        told = ", ".join(f"{number} {word}" for word, number in sums.items() if number or word == "caught")
        lines.append(f"{name}: {len(part)} changes, {told}")
    return "\n".join(lines)


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
    chosen = choose(files, given.seed, count, physics)
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


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python tools/mutate.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    folder = {"type": lambda text: Path(text).resolve(), "metavar": "PATH"}
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
    made.add_argument("--replay", **folder, help="take the changes of this table")
    made.add_argument(
        "--tree", **folder, help="the checkout whose source is changed and whose tests run (this one)"
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
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        Campaign(table, Path(table.settings["tree"]), limits, kernels).run(records, max(1, given.workers))
    except KeyboardInterrupt:
        print(
            f"stopped: {sum(not x.result for x in table.records)} left; the same command goes on",
            file=sys.stderr,
        )
        return STOPPED
    print(markdown(table.records))
    if table.failing:
        print("left out, for they fail without a change, too:", *table.failing, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
