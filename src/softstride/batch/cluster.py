"""Trials on a Dask cluster: the same work, done by the workers of a scheduler.

Workers read the trials and write the results themselves: they see the same files by the same names as the machine that
starts the batch. A worker that dies is the scheduler's affair: it gives the trial to another one. Whoever can reach a
scheduler can run programs on its workers, hence it belongs on this machine or in a network that is trusted.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import time as clock
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from softstride._version import __version__
from softstride.batch.outcome import Outcome
from softstride.batch.task import Task, do_trial
from softstride.batch.watcher import Watcher
from softstride.errors import InputError, SoftstrideError

EXTRA = "softstride[cluster]"

CONNECT = 8.0
"""How long a scheduler may take to answer [s]."""

ARRIVE = 20.0
"""How long the first worker may take to come [s]."""

GONE = 60.0
"""How long a batch goes on without any worker [s]."""

LOOK = 1.0
"""How often it is looked whether scheduler and workers are still there [s]."""


def run_on_cluster(tasks: Sequence[Task], address: str, watcher: Watcher) -> Iterator[Outcome]:
    """Yield the outcome of each trial as it ends.

    On each machine one trial is alone until it has ended, so that kernels are compiled once there.

    Args:
        tasks: Trials to be done, all with results in one folder.
        address: Of the scheduler, such as "tcp://10.0.0.5:8786".
        watcher: Is told how it goes.

    Raises:
        InputError: Dask is not installed, or the scheduler cannot be reached or has no workers that can do it.
        SoftstrideError: Scheduler or all workers are gone.
    """
    with _connected(address) as client:
        hosts = _check_workers(client, tasks[0].out)
        watcher.says("", f"{sum(hosts.values())} workers on {len(hosts)} machines at {address}")
        waiting = sorted(tasks, key=lambda task: task.size)
        first = len(hosts) if sum(hosts.values()) > len(hosts) else 0
        yield from _do_all(client, waiting[:first], address, watcher)
        yield from _do_all(client, waiting[first:], address, watcher)


def _do_all(client: Any, tasks: Sequence[Task], address: str, watcher: Watcher) -> Iterator[Outcome]:
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    by_key = {}
    futures = []
    for task in tasks:
        future = client.submit(do_trial, task, pure=False)
        by_key[future.key] = task
        futures.append(future)
        future.add_done_callback(ended.put)
    seen = clock.monotonic()
    try:
        while by_key:
            try:
                future = ended.get(timeout=LOOK)
            except queue.Empty:
                seen = clock.monotonic() if _any_worker(client, address) else seen
                if clock.monotonic() - seen > GONE:
                    raise SoftstrideError(_gone("all workers of the cluster are")) from None
                continue
            seen = clock.monotonic()
            yield _outcome(future, by_key.pop(future.key))
    finally:
        client.cancel([future for future in futures if future.key in by_key])


def _outcome(future: Any, task: Task) -> Outcome:
    """Return the outcome of a trial that a worker did, or several died of.

    Raises:
        SoftstrideError: The scheduler has lost it.
    """
    if future.status == "finished":
        return future.result()
    if future.status != "error":
        raise SoftstrideError(_gone("the scheduler of the cluster is"))
    error = future.exception()
    if type(error).__name__ == "KilledWorker":
        return task.failure(
            "several workers of the cluster died of it, one after the other: mostly for want of memory"
        )
    return task.failure(f"the cluster could not do it: {type(error).__name__}: {error}")


def _any_worker(client: Any, address: str) -> bool:
    """Return whether the scheduler has any workers.

    Raises:
        SoftstrideError: The scheduler is gone.
    """
    try:
        return bool(client.nthreads())
    except (OSError, TimeoutError) as error:
        raise SoftstrideError(_gone(f"the scheduler at {address} is")) from error


def _gone(who: str) -> str:
    return f"{who} gone: start the same command again when it is back; trials that are finished are kept"


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a scheduler while the block runs.

    Raises:
        InputError: Dask is not installed, or nobody answers.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise InputError(f'a cluster needs Dask, which is not installed: pip install "{EXTRA}"') from error
    if "://" not in address:
        raise InputError(f"a scheduler has an address such as tcp://10.0.0.5:8786, however it is {address!r}")
    try:
        with ThreadPoolExecutor(1) as alone:  # there may be an event loop here already, as in notebooks
            alone.submit(asyncio.run, _knock(address)).result()
        client = Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address}: check the address, and that `dask scheduler` runs there"
        ) from error
    with client, _without_traces():
        yield client


@contextmanager
def _without_traces() -> Iterator[None]:
    """Keep Dask from printing what is told in words here anyway: a scheduler that is gone."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


async def _knock(address: str) -> None:
    """Ask who is there; a client itself would wait for ever on somebody who listens and does not answer.

    Raises:
        ValueError: It is no scheduler, or no address.
        OSError: Nobody is there.
        TimeoutError: Nobody answers.
    """
    from distributed.core import rpc

    async with asyncio.timeout(CONNECT), rpc(address) as remote:
        who = await remote.identity()
    if who.get("type") != "Scheduler":
        raise ValueError(f"it is a {who.get('type')}")


def _check_workers(client: Any, out: Path) -> dict[str, int]:
    """Return how many workers there are on each machine that can do trials.

    Raises:
        InputError: There is none, or one has another softstride, or does not see the folder of the results.
    """
    try:
        client.wait_for_workers(1, timeout=ARRIVE)
    except TimeoutError as error:
        raise InputError(
            "the scheduler has no workers: start some, such as `dask worker ADDRESS --nthreads 1 --nworkers 4`"
        ) from error
    token = out / f".seen-{uuid.uuid4().hex}"
    token.touch()
    try:
        told = client.run(_tell, str(token), on_error="return")
    finally:
        token.unlink(missing_ok=True)
    hosts: dict[str, int] = {}
    for worker, answer in told.items():
        if not isinstance(answer, tuple):
            raise InputError(
                f"the worker {worker} has no softstride that can be used: {answer}. Install it there"
            )
        version, sees = answer
        if version != __version__:
            raise InputError(
                f"the worker {worker} has softstride {version}, however here is {__version__}: results would differ. "
                "Install the same version"
            )
        if not sees:
            raise InputError(
                f"the worker {worker} does not see the folder {out}: trials and results must lie in a folder that all "
                "machines see by the same name"
            )
        host = worker.rpartition(":")[0]
        hosts[host] = hosts.get(host, 0) + 1
    return hosts


def _tell(token: str) -> tuple[str, bool]:
    """Return, on a worker, which softstride it has and whether it sees a file."""
    return __version__, Path(token).exists()
