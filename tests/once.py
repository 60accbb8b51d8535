"""Dear things of a test run: the first worker makes one, the others wait for it and open the file."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from softstride.batch.locks import hold

PATIENCE = 1800.0
"""How long a worker waits for another one that makes it [s]; a busy machine is slow."""


def folder() -> Path:
    """Return the folder of this run, the same for all its workers and for nobody else."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or f"alone-{os.getpid()}"
    return Path(tempfile.gettempdir()) / f"softstride-once-{run}"


def once(name: str, make: Callable[[Path], object]) -> Path:
    """Return a file of this run; `make` writes it where it is told, in one worker only."""
    file = folder() / name
    with hold(folder() / "locks" / name, patience=PATIENCE):
        if not file.exists():
            part = file.with_name(f"part-{name}")
            make(part)
            part.replace(file)
    return file


def forget() -> None:
    """Remove what this run made."""
    shutil.rmtree(folder(), ignore_errors=True)
