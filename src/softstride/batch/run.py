"""`run_batch`: all trials through the pipeline, whatever happens to one of them; one table in the end."""

from __future__ import annotations

import time as clock
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from softstride.batch.outcome import Batch, Outcome
from softstride.batch.table import check_parquet, write_tables
from softstride.batch.task import LOCKS, Addition, Task
from softstride.batch.trials import Trial
from softstride.batch.watcher import Watcher
from softstride.errors import CaptureError, InputError, SoftstrideError
from softstride.locks import clear, hold
from softstride.model.load import PACKAGED
from softstride.pipeline.request import Request
from softstride.pipeline.results import FIGURES

BATCH = "batch"
"""Name of the lock of a batch, among those of its tasks."""


def run_batch(
    trials: Sequence[Trial],
    out: str | Path,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    additions: Sequence[Addition] = (),
    overwrite: bool = False,
    watcher: Watcher | None = None,
) -> Batch:
    """Analyse trials, each into a folder of its own, and gather them in one table.

    Trials whose results are there, made from the same files, wishes and version, are not done again; those that were
    cut short go on; those that failed are tried again. Results do not depend on where they are made: on processors of
    the same type they are the same bit for bit.

    Args:
        trials: See `find_trials`.
        out: Folder of the results, made if missing: a folder for each trial, `trials.parquet`, `trials.csv`, and
            `failures.txt` if something failed.
        jobs: How many processes on this machine; None: one for each core.
        scheduler: Address of a Dask scheduler whose workers do the trials in their place, see `run_on_cluster`.
        additions: Files that are added to the results of each trial, such as a report.
        overwrite: Whether results may be replaced that were made from other files, other wishes or by another version.
        watcher: Is told how it goes.

    Raises:
        InputError: The request cannot be met; nothing has been analysed then.
        SoftstrideError: No process can be started, the cluster is gone, or somebody else writes the same results.
        CaptureError: The folder or a table cannot be written.
    """
    start = clock.perf_counter()
    told = watcher or Watcher()
    if not trials:
        raise InputError("there are no trials to analyse")
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs must be at least 1, however it is {jobs}")
    check_parquet()
    folder = Path(out).resolve()
    with _reserved(folder):
        tasks = [
            Task(trial.name, str(trial.path), _whole(trial.request), folder, tuple(additions), overwrite)
            for trial in trials
        ]
        ended = {outcome.name: outcome for outcome in _earlier(tasks)}
        told.begins(len(tasks), len(ended))
        waiting = [task for task in tasks if task.name not in ended]
        try:
            with closing(_outcomes(waiting, jobs, scheduler, told)) as outcomes:
                for outcome in outcomes:
                    ended[outcome.name] = outcome
                    told.ended(outcome)
        finally:
            told.ends()
        batch = Batch(Path(out), tuple(ended[task.name] for task in tasks), clock.perf_counter() - start)
        write_tables(batch)
        for task in tasks:
            clear(task.folder)
        for lock in (folder / LOCKS).iterdir():  # those of tasks; that of the batch is still held
            if lock.name != BATCH:
                lock.unlink(missing_ok=True)
    with suppress(OSError):  # another batch has begun
        (folder / LOCKS).rmdir()
    return batch


def _outcomes(
    tasks: Sequence[Task], jobs: int | None, scheduler: str | None, watcher: Watcher
) -> Generator[Outcome, None, None]:
    if scheduler is not None:
        from softstride.batch.cluster import run_on_cluster

        if tasks:
            yield from run_on_cluster(tasks, scheduler, watcher)
        return
    from softstride.batch.processes import count_cores, run_on_processes

    yield from run_on_processes(tasks, jobs or count_cores(), watcher)


def _earlier(tasks: Sequence[Task]) -> Iterator[Outcome]:
    """Yield the outcomes of trials that are finished.

    Raises:
        InputError: There are results of other inputs, which may not be replaced.
    """
    others = []
    for task in tasks:
        if not (task.folder / FIGURES).is_file():
            continue
        try:
            same = task.finished()
        except SoftstrideError:
            continue  # a file that cannot be read: it will say so when its turn comes
        outcome = task.outcome() if same and not task.missing() else None
        if outcome is not None:
            yield replace(outcome, earlier=True)
        elif not same and not task.overwrite:
            others.append(task)
    if others:
        raise InputError(
            f"{len(others)} of {len(tasks)} trials have results in {others[0].out} that were made from other files, "
            f"with other wishes or by another version, such as {others[0].name}: choose another folder, or allow to "
            "replace them (--overwrite)"
        )


def _whole(request: Request) -> Request:
    """Return a request with paths that are the same for every process."""
    model = request.model
    if model is not None and model not in PACKAGED:
        model = str(Path(model).resolve())
    paths = {name: getattr(request, name) for name in ("static", "tasks")}
    whole = {name: None if path is None else path.resolve() for name, path in paths.items()}
    trial = tuple(file.parent.resolve() / file.name for file in request.trial)
    return request.changed(trial=trial, model=model, **whole)


@contextmanager
def _reserved(folder: Path) -> Iterator[None]:
    """Make the folder of the results, and keep other batches out of it while the block runs.

    Raises:
        InputError: It is a file.
        CaptureError: It cannot be made or written to.
        SoftstrideError: Another batch writes into it.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, however results need a folder: choose another name (--out)")
    with ExitStack() as stack:
        try:
            stack.enter_context(hold(folder / LOCKS / BATCH, patience=0.0, results=folder))
        except OSError as error:
            reason = error.strerror or str(error)
            raise CaptureError(
                folder,
                "folder",
                f"cannot be written: {reason}",
                "check its rights, or choose another (--out)",
            ) from error
        yield
