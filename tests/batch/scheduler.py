"""A real Dask scheduler with workers, on this machine alone."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.batch.small import ROOT, wait_for

ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # as Dask's nannies set them
FINDS_TESTS = {"PYTHONPATH": str(ROOT)}


def _start(folder: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            stdout=log,
            stderr=log,
            cwd=folder,
            env=os.environ | ALONE | FINDS_TESTS,
        )


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Yield the address of a scheduler, its process and those of its workers; all end with the block."""
    folder.mkdir()
    file = folder / "scheduler.json"
    started = [
        _start(
            folder, "scheduler", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(file),
        )
    ]  # fmt: skip
    try:
        wait_for(file.is_file)
        address = json.loads(file.read_text())["address"]
        started += [
            _start(
                folder, f"worker-{i}", "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                "--host", "127.0.0.1", "--local-directory", str(folder),
            )
            for i in range(workers)
        ]  # fmt: skip
        yield address, started
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
