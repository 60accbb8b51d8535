"""`Task`: one trial and where its results go; `do_trial` does it, in whatever process, and never raises."""

from __future__ import annotations

import contextlib
import hashlib
import time as clock
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from softstride.batch.outcome import Outcome, read_outcome
from softstride.batch.peaks import PEAKS, write_peaks
from softstride.errors import SoftstrideError
from softstride.harmless import file_name
from softstride.locks import hold, writing
from softstride.pipeline.analysis import Progress
from softstride.pipeline.folder import analyze_to_folder, finished
from softstride.pipeline.request import Request
from softstride.pipeline.results import FIGURES, unexpected
from softstride.study.files import SUFFIX, open_study
from softstride.study.study import Study

LOCKS = ".batch"
"""Folder of the locks, in the folder of the results."""

PATIENCE = 3600.0
"""How long a trial waits for somebody else who is at it: a worker that a broken batch left behind [s]."""


@dataclass(frozen=True)
class Addition:
    """A file that is added to the results of each trial.

    Attributes:
        file: Its name.
        write: Writes it from a study, whole or not at all; a function of a module, so that other processes find it.
    """

    file: str
    write: Callable[[Study, Path], None]


ALWAYS = (Addition(PEAKS, write_peaks),)


@dataclass(frozen=True, eq=False)
class Task:
    """A trial to be done.

    Attributes:
        name: Of the trial.
        path: Its file, as it was found.
        request: What to analyse, with whole paths.
        out: Folder of all results.
        additions: Files that are added.
        overwrite: Whether results of other inputs may be replaced.
    """

    name: str
    path: str
    request: Request
    out: Path
    additions: tuple[Addition, ...] = ()
    overwrite: bool = False

    @property
    def folder(self) -> Path:
        """Folder of the results of this trial, in that of all results, whatever the trial is called."""
        return self.out.joinpath(*map(file_name, self.name.split("/")))

    @property
    def lock(self) -> Path:
        """File of the lock of this trial."""
        return self.out / LOCKS / hashlib.sha256(self.name.encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        """Size of its file [bytes]; 0 where there is none."""
        with contextlib.suppress(OSError):
            return self.request.trial[0].stat().st_size
        return 0

    def missing(self) -> list[Addition]:
        """Return the additions that are not there."""
        return [each for each in (*ALWAYS, *self.additions) if not (self.folder / each.file).is_file()]

    def finished(self) -> bool:
        """Return whether the results of these very inputs are there, additions or not.

        Raises:
            SoftstrideError: A file cannot be read.
        """
        return (self.folder / FIGURES).is_file() and finished(self.folder, self.request.completed().digest())

    def outcome(self) -> Outcome | None:
        """Return the outcome that the results tell; None if there are none."""
        return read_outcome(self.folder, self.name, self.path, PEAKS)

    def failure(self, reason: str, seconds: float = 0.0, trace: str = "") -> Outcome:
        """Return the outcome of a trial without results."""
        return Outcome(self.name, self.path, "failed", reason, seconds, trace=trace)


def do_trial(task: Task, progress: Progress | None = None) -> Outcome:
    """Analyse a trial, or go on with it, or do nothing if it is finished.

    Everything that goes wrong ends here and becomes a reason: one trial must not stop the others.

    Args:
        task: The trial.
        progress: Called before each step with its name and the share that is done.
    """
    start = clock.perf_counter()
    try:
        with hold(task.lock, patience=PATIENCE, results=task.folder):
            return _do(task, progress)
    except SoftstrideError as error:
        return task.failure(str(error), clock.perf_counter() - start)
    except MemoryError:
        return task.failure(
            "there was not enough memory: try fewer at once (--jobs)", clock.perf_counter() - start
        )
    except Exception as error:  # noqa: BLE001 -- a mistake of ours in one trial is no reason to lose the others
        return task.failure(unexpected(error), clock.perf_counter() - start, traceback.format_exc())


def _do(task: Task, progress: Progress | None) -> Outcome:
    troubles: list[str] = []
    traces: list[str] = []

    def add(study: Study, folder: Path, additions: list[Addition]) -> None:
        for each in additions:
            try:
                each.write(study, folder / each.file)
            except SoftstrideError as error:
                troubles.append(f"{each.file}: {error}")
            except Exception as error:  # noqa: BLE001 -- as above; the numbers are there without it
                troubles.append(f"{each.file}: {unexpected(error)}")
                traces.append(traceback.format_exc())

    if task.finished():
        missing = task.missing()
        if missing:
            with writing(task.folder):
                add(_study(task.folder), task.folder, missing)
    else:
        analyze_to_folder(
            task.request,
            task.folder,
            overwrite=task.overwrite,
            progress=progress,
            extra={"additions": lambda study, folder: add(study, folder, [*ALWAYS, *task.additions])},
        )
    outcome = task.outcome()
    if outcome is None:
        return task.failure(f"its results in {task.folder} cannot be read: remove them and start again")
    if not troubles:
        return outcome
    reason = "; ".join([outcome.reason, *troubles] if outcome.reason else troubles)
    return replace(outcome, state="partial", reason=reason, trace="\n".join(traces))


def _study(folder: Path) -> Study:
    """Return the study in a folder of results.

    Raises:
        CaptureError: There is none, or it is damaged.
    """
    files = sorted(file for file in folder.iterdir() if file.name.endswith(SUFFIX))
    return open_study(files[0] if files else folder / f"trial{SUFFIX}")
