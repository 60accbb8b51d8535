"""Dear things of a test run: the first worker makes one, the others wait for it and open the file."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from softstride.locks import hold

_FOLDER = "SOFTSTRIDE_TEST_RUN"

PATIENCE = 1800.0
"""How long a worker waits for another one that makes it [s]; a busy machine is slow."""


def begin() -> None:
    """Make the folder of this run; workers and processes that tests start inherit its name."""
    os.environ[_FOLDER] = tempfile.mkdtemp(prefix="softstride-once-")


def end() -> None:
    """Remove what this run made."""
    shutil.rmtree(os.environ.pop(_FOLDER), ignore_errors=True)


def once(name: str, make: Callable[[Path], object]) -> Path:
    """Return a file of this run; `make` writes it where it is told, in one worker only."""
    folder = Path(os.environ[_FOLDER])
    file = folder / name
    with hold(folder / "locks" / name, patience=PATIENCE):
        if not file.exists():
            part = file.with_name(f"part-{name}")
            make(part)
            part.replace(file)
    return file
