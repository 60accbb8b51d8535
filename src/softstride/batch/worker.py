"""What a worker process does: take a trial, do it, say how it went, until there are no more."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

READY, STEP, SAYS, ENDED = "ready", "step", "says", "ended"
"""What messages are about."""


def serve(pipe: Connection, threads: int) -> None:
    """Do trials that come through a pipe until it closes or None comes.

    Messages back are tuples: (READY,), (STEP, name of the step, share), (SAYS, line), (ENDED, outcome).

    Args:
        pipe: To the process that gives the trials.
        threads: How many threads a kernel may use.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the batch ends the workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sending = threading.Lock()

    def send(*message: Any) -> None:
        with sending:
            pipe.send(message)

    sys.stdout = sys.stderr = _Lines(lambda line: send(SAYS, line))
    from softstride.batch.task import do_trial
    from softstride.engine.run import set_threads

    set_threads(threads)
    send(READY)
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        if task is None:
            return
        send(ENDED, do_trial(task, progress=lambda step, share: send(STEP, step, share)))


def _end_with_parent() -> None:
    """End at once if the process that gives the trials is gone: whoever starts the batch again must be alone."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


class _Lines(io.TextIOBase):
    """A stream that hands on whole lines."""

    def __init__(self, hand_on: Callable[[str], None]) -> None:
        self._hand_on, self._rest = hand_on, ""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            if line.strip():
                self._hand_on(line)
        return len(text)
