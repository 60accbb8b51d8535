"""Locks that end with the process that holds them, however it ends: two of them never write the same results.

A lock is a file that is open and locked. It is removed when the lock is let go of. Whoever waited for it then has
a lock on a file that has lost its name, which keeps nobody out, so that the name is looked at again once it is held.
"""

from __future__ import annotations

import os
import sys
import time as clock
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from softstride.errors import SoftstrideError

PAUSE = 0.1  # s, between two attempts

PATIENT = 20
"""How often a folder is made again that others remove."""

SHORT = 60.0
"""How long to wait for somebody who writes files that are ready to be written [s]."""

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _take(stream: BinaryIO) -> None:
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(stream: BinaryIO) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def hold(file: Path, *, patience: float, results: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Hold a lock while the block runs.

    Args:
        file: Stands for the lock; made if missing, its folder too, and removed in the end with the folders that were
            made, unless something else is in them.
        patience: How long to wait for somebody else to let go of it [s].
        results: What it keeps others from writing, as an error is to name it; None: the file itself.

    Raises:
        SoftstrideError: Somebody else holds it.
        OSError: The file cannot be made.
    """
    made = [folder for folder in file.parents if not folder.exists()]
    stream = _held(file, patience, file if results is None else results)
    try:
        yield
    finally:
        if sys.platform == "win32":
            stream.close()  # no file is removed while somebody has it open: who waits for it keeps it
            _remove(file)
        else:
            _remove(file)  # while it is held, so that it is ours
            stream.close()
        with suppress(OSError):
            for folder in made:
                folder.rmdir()


@contextmanager
def writing(folder: str | os.PathLike[str], *, patience: float = 0.0) -> Iterator[Path]:
    """Keep others from making a folder of results, or from replacing it, while the block runs.

    The lock lies beside the folder, `.NAME.lock`, since the folder itself gets its name in the end.

    Args:
        folder: May be missing, or a link to a folder.
        patience: As for `hold`.

    Returns:
        The folder itself, with an absolute name, where a link leads.

    Raises:
        SoftstrideError: Somebody else writes it, or no folder can be made there.
        OSError: The lock cannot be made.
    """
    real = Path(os.path.realpath(folder))
    if not real.name:
        raise SoftstrideError(f"{os.fspath(folder)}: holds the whole file system: choose a folder in it")
    with hold(real.with_name(f".{real.name}.lock"), patience=patience, results=folder):
        yield real


def clear(folder: str | os.PathLike[str]) -> None:
    """Remove the lock of a folder of results that nobody holds: who was killed could not."""
    real = Path(os.path.realpath(folder))
    if real.name and real.with_name(f".{real.name}.lock").exists():
        with suppress(SoftstrideError, OSError), writing(folder):
            pass


@contextmanager
def filling(folder: Path) -> Iterator[None]:
    """Keep others from writing files into a folder that is there, or from replacing it: its files are of one run.

    Raises:
        SoftstrideError: Somebody else writes into it, or replaces it, and does not come to an end.
        OSError: The folder cannot be written to.
    """
    with ExitStack() as stack:
        if _replaceable(folder):
            stack.enter_context(writing(folder, patience=SHORT))
        stack.enter_context(hold(folder / ".softstride.lock", patience=SHORT, results=folder))
        yield


def _replaceable(folder: Path) -> bool:
    """Return whether this user may give another folder its name: its own folder can be written to."""
    real = Path(os.path.realpath(folder))
    return bool(real.name) and os.access(real.parent, os.W_OK | os.X_OK)


def _held(file: Path, patience: float, results: str | os.PathLike[str]) -> BinaryIO:
    """Return the file of a lock, open and locked."""
    end = clock.monotonic() + patience
    while True:
        stream = _opened(file)
        try:
            _take(stream)
            if _named(stream, file):
                return stream
        except (BlockingIOError, PermissionError) as error:
            stream.close()
            if clock.monotonic() >= end:
                raise SoftstrideError(
                    f"{os.fspath(results)}: somebody else writes the same results right now: wait, or choose another "
                    "folder"
                ) from error
            clock.sleep(PAUSE)
        except OSError:  # a file system without locks: nobody can be kept out
            return stream
        else:
            stream.close()


def _opened(file: Path) -> BinaryIO:
    for _ in range(PATIENT):
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # somebody else has just removed the folder
            return file.open("ab")
    return file.open("ab")


def _named(stream: BinaryIO, file: Path) -> bool:
    """Return whether an open file still has its name."""
    if sys.platform == "win32":
        return True  # no file loses its name there while it is open
    with suppress(OSError):
        return os.path.samestat(os.fstat(stream.fileno()), file.stat())
    return False


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()
