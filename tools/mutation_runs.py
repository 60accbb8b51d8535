"""A copy of the project in which a file is changed for a while, and the tests that run there."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.mutation_table import Record
from tools.mutations import applied

TOP = (".git", ".venv", "build", "dist", "*.egg-info")  # of the project: left out of copies, as are
CACHES = (".cache", ".*_cache", ".hypothesis", "__pycache__")
COLLECTING = 120.0  # seconds for imports at least, before the first test
_LINE = re.compile(
    r"^(\S+\.py::.+?)(?: (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|SUBFAILED).*)?$", re.MULTILINE
)
_SUMMARY = re.compile(r"^ERROR (\S+\.py)\b", re.MULTILINE)  # a file that cannot be collected


class Stop(Exception):
    """The campaign was asked to stop."""


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
        top, caches = shutil.ignore_patterns(*TOP, *CACHES), shutil.ignore_patterns(*CACHES)
        shutil.copytree(
            source,
            self.root,
            symlinks=True,
            ignore=lambda at, names: (top if Path(at) == source else caches)(at, names),
        )
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

    def told(self) -> str:
        """Return the last lines of the last run."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").split("\n")[-12:])

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
        """Wait for a run, which writes when a test begins and when it ends. End it, and all it started, where it must.

        Once its seconds are over, the test that has begun may still go on, up to what counts as a hang.
        """
        start = moved = time.monotonic()
        size, begun = 0, False
        try:
            while (code := process.poll()) is None:
                now = time.monotonic()
                written = self.log.stat().st_size
                if self.stop.is_set():
                    raise Stop
                if written != size:
                    if now - start > seconds:
                        return None, False
                    size, moved = written, now
                    begun = begun or b"::" in self.log.read_bytes()
                if now - moved > (hang if begun else max(hang, COLLECTING)):
                    return None, True
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
