"""Trials on the cores of this machine: a process for each core, of which any may die without harm to the others.

The pools of the standard library give up all trials when one process is killed, and do not know whose fault it was.
Here each process has a pipe of its own and one trial at a time: the pipe breaks, the trial is known, and it is tried
once more in a new process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, cast

from softstride.batch.outcome import Outcome
from softstride.batch.task import Task
from softstride.batch.watcher import Watcher
from softstride.batch.worker import ENDED, READY, SAYS, STEP, serve
from softstride.errors import SoftstrideError

ATTEMPTS = 2
"""How often a trial is tried whose process dies."""

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Variables that libraries of linear algebra read: with as many processes as cores, more threads only wait."""

GRACE = 2.0
"""How long a process may take to end [s]."""


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def run_on_processes(tasks: Sequence[Task], jobs: int, watcher: Watcher) -> Iterator[Outcome]:
    """Yield the outcome of each trial as it ends.

    The first trial, the one with the smallest file, is alone until it has results: kernels that are not compiled yet
    are compiled once, not once for each process.

    Args:
        tasks: Trials to be done.
        jobs: How many processes.
        watcher: Is told how it goes.

    Raises:
        SoftstrideError: No process can be started.
    """
    pool = _Pool(jobs, watcher)
    try:
        yield from pool.run(tasks)
    finally:
        pool.close()


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    task: Task | None = None


class _Pool:
    def __init__(self, jobs: int, watcher: Watcher) -> None:
        self.jobs, self.watcher = jobs, watcher
        self.threads = max(1, count_cores() // jobs)
        self.workers: list[_Worker] = []
        self.attempts: Counter[str] = Counter()
        self.works = False

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        waiting = deque(sorted(tasks, key=lambda task: task.size))
        alone = True
        while waiting or self._busy():
            self._give(waiting, 1 if alone else self.jobs)
            ready = wait([worker.pipe for worker in self._busy()])
            for worker in [each for each in self._busy() if each.pipe in ready]:
                outcome = self._listen(worker, waiting)
                if outcome is not None:
                    alone = alone and outcome.state == "failed"
                    yield outcome

    def close(self) -> None:
        """End all processes; those that are busy at once."""
        for worker in self.workers:
            if worker.task is None:
                _tell(worker, None)
            else:
                worker.process.kill()
            worker.pipe.close()
        for worker in self.workers:
            worker.process.join(GRACE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self.workers.clear()

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self.workers if worker.task is not None]

    def _give(self, waiting: deque[Task], most: int) -> None:
        """Give trials to processes that have none, as long as fewer than `most` are busy."""
        while waiting and len(self._busy()) < most:
            worker = next((each for each in self.workers if each.task is None), None) or self._start()
            worker.task = waiting.popleft()
            _tell(worker, worker.task)

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self.threads), daemon=True)
        try:
            with _environment(dict.fromkeys(ONE_THREAD, "1")):
                process.start()
        except OSError as error:
            raise SoftstrideError(
                f"no process can be started for a trial: {error.strerror or error}; try fewer at once (--jobs)"
            ) from error
        finally:
            theirs.close()  # ours alone: then it breaks when the process ends
        self.workers.append(_Worker(process, ours))
        return self.workers[-1]

    def _listen(self, worker: _Worker, waiting: deque[Task]) -> Outcome | None:
        """Take a message; return an outcome if it is one, or if a trial is given up."""
        task = worker.task
        if task is None:
            return None
        try:
            kind, *content = cast(tuple[Any, ...], worker.pipe.recv())
        except (EOFError, OSError):
            return self._bury(worker, task, waiting)
        if kind == READY:
            self.works = True
        elif kind == STEP:
            self.watcher.step(task.name, *content)
        elif kind == SAYS:
            self.watcher.says(task.name, *content)
        elif kind == ENDED:
            worker.task = None
            return cast(Outcome, content[0])
        return None

    def _bury(self, worker: _Worker, task: Task, waiting: deque[Task]) -> Outcome | None:
        """Put the trial of a process that died back at the end, or give it up."""
        worker.process.join()
        worker.pipe.close()
        self.workers.remove(worker)
        how = _in_words(worker.process.exitcode)
        if not self.works:
            raise SoftstrideError(
                f"a process for trials {how} before it began. In a script of your own, call run_batch below "
                'if __name__ == "__main__":'
            )
        self.attempts[task.name] += 1
        if self.attempts[task.name] < ATTEMPTS:
            self.watcher.says(task.name, f"its process {how}: it is tried once more")
            waiting.append(task)
            return None
        return task.failure(
            f"its process {how}, {ATTEMPTS} times: mostly for want of memory, then try fewer at once (--jobs)"
        )


def _tell(worker: _Worker, task: Task | None) -> None:
    """Send a trial; one whose process is gone is noticed when it is listened to."""
    with suppress(OSError):
        worker.pipe.send(task)


def _in_words(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended by itself (exit code {code})"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Set variables of the environment for processes that are started inside."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
