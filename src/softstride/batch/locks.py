"""Locks that end with the process that holds them, however it ends: two of them never write the same results."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from softstride.errors import SoftstrideError

PAUSE = 0.1  # s, between two attempts

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _take(stream: BinaryIO) -> None:
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(stream: BinaryIO) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def hold(file: Path, *, patience: float) -> Iterator[None]:
    """Hold a lock while the block runs.

    Args:
        file: Stands for the lock; made if missing, its folder too.
        patience: How long to wait for somebody else to let go of it [s].

    Raises:
        SoftstrideError: Somebody else holds it.
        OSError: The file cannot be made.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    end = clock.monotonic() + patience
    with file.open("ab") as stream:
        while True:
            try:
                _take(stream)
                break
            except (BlockingIOError, PermissionError) as error:
                if clock.monotonic() >= end:
                    raise SoftstrideError(
                        f"{file.parent.parent}: somebody else writes the same results right now: wait, or choose "
                        "another folder"
                    ) from error
            except OSError:  # a file system without locks: nobody can be kept out
                break
            clock.sleep(PAUSE)
        yield
