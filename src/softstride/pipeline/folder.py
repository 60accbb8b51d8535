"""`analyze_to_folder`: from files to a folder of results, whole or not at all; what was cut short goes on.

While an analysis runs, a hidden folder beside the results holds the study so far. It is used again if the same files
are analysed with the same wishes by the same softstride, and goes when the results are there. A lock beside them keeps
a second analysis out, which would take this folder for its own.
"""

from __future__ import annotations

import os
import shutil
import time as clock
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from softstride.errors import CaptureError, InputError
from softstride.files import read_json, read_text, write_whole
from softstride.locks import writing
from softstride.pipeline.analysis import Progress, analyze
from softstride.pipeline.options import AnalyzeOptions
from softstride.pipeline.request import Request, prepare_trial
from softstride.pipeline.results import FIGURES, LARGEST, Extra, write_results
from softstride.study.files import open_study, save_study
from softstride.study.study import Study

CHECKPOINT = "so-far.study.nc"
DIGEST = "inputs.sha256"
RESULTS = "results"

WORTH = 5.0
"""Work that is kept as soon as it is done, lest it be lost [s]."""


def analyze_to_folder(
    request: Request,
    out: str | Path,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
    extra: Mapping[str, Extra] | None = None,
) -> Study:
    """Analyse a trial and write all results into one folder: study, OpenSim's files, tables, figures of merit.

    Args:
        request: What to analyse.
        out: The folder; it must not exist, unless it may be replaced. If it is a link, results go where it leads, and
            the link stays.
        overwrite: Whether results of an earlier analysis may be replaced: a folder without any is never touched.
        progress: Called before each step with its name and the share that is done.
        extra: Writers of more files, such as a report, by what they are; see `write_results`.

    Returns:
        The study. Files for OpenSim, tables and the like that could not be written are in `Study.unwritten`: the
        results are there without them.

    Raises:
        SoftstrideError: What `prepare_trial` and `analyze` raise, or the folder cannot be written, or somebody else
            writes it.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(writing(out))
            _put_back(folder)
            _check_folder(Path(out), overwrite)
        except OSError as error:
            raise _unwritten(Path(out), error) from error
        return _fill(request.completed(), folder, overwrite, progress, extra)


def _fill(
    whole: Request,
    folder: Path,
    overwrite: bool,
    progress: Progress | None,
    extra: Mapping[str, Extra] | None,
) -> Study:
    """Analyse a trial into a folder that is ours, whole or not at all, whatever ends it."""
    digest = whole.digest()
    work = _work(folder)
    start = _earlier(work, digest)
    keeper = _Keeper(work / CHECKPOINT)
    try:
        if start is None:
            shutil.rmtree(work, ignore_errors=True)  # of other inputs
        _make(work)
        write_whole(work / DIGEST, f"{digest}\n".encode(), overwrite=True)
        if start is None:
            (progress or _silent)("files and model", 0.0)
            recording, model, options = prepare_trial(whole)
        else:
            recording, model = start.recording, start.model
            options = AnalyzeOptions().changed(**start.options)
        study = analyze(
            recording,
            model,
            options,
            progress=progress,
            start=start,
            checkpoint=keeper.keep,
        )
        fresh = work / RESULTS
        shutil.rmtree(fresh, ignore_errors=True)
        _make(fresh)
        study = write_results(study, fresh, digest, extra)
        _check_folder(folder, overwrite)  # others than softstride know of no lock
        _put(fresh, folder)
        shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        _leave(work)
        raise _unwritten(folder, error) from error
    except BaseException:
        _leave(work)
        raise
    return study


def kept(out: str | Path) -> tuple[Path, tuple[str, ...]] | None:
    """Return where an analysis that was cut short is kept, and the steps that need not be done again; None: nowhere."""
    work = _work(Path(os.path.realpath(out)))
    try:
        return work, tuple(stage.name for stage in open_study(work / CHECKPOINT).stages)
    except CaptureError:
        return None


class _Keeper:
    """Keeps the study so far in a file, as often as it is worth its time."""

    def __init__(self, file: Path) -> None:
        self._file, self._last = file, clock.monotonic()

    def keep(self, so_far: Study) -> None:
        """Write the study if it would take long to get here again."""
        if clock.monotonic() - self._last >= WORTH:
            save_study(so_far, self._file, overwrite=True)
            self._last = clock.monotonic()


def _work(folder: Path) -> Path:
    """Return the hidden folder of an analysis while it runs."""
    return folder.with_name(f".{folder.name}.part")


def _silent(name: str, share: float) -> None:
    """Show nothing."""


def _leave(work: Path) -> None:
    """Leave behind what an analysis can go on from, and nothing else."""
    shutil.rmtree(work / RESULTS, ignore_errors=True)
    if not (work / CHECKPOINT).is_file():
        shutil.rmtree(work, ignore_errors=True)


def _unwritten(folder: Path, error: OSError) -> CaptureError:
    reason = error.strerror or str(error)
    return CaptureError(
        folder,
        "folder",
        f"cannot be written: {reason}",
        "check rights and room on the disk, or choose another folder; the same command then goes on from here",
    )


def finished(out: str | Path, digest: str) -> bool:
    """Return whether a folder holds the results of these very inputs."""
    try:
        known = read_json(Path(out) / FIGURES, LARGEST, "figures of results")
    except CaptureError:
        return False
    return isinstance(known, dict) and known.get("digest") == digest


def _check_folder(folder: Path, overwrite: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, however results need a folder: choose another name")
    if folder.is_dir() and any(folder.iterdir()):
        if not (folder / FIGURES).is_file():
            raise InputError(f"{folder} holds other files than results of softstride: choose another folder")
        if not overwrite:
            raise InputError(
                f"{folder} holds results already: choose another folder, or allow to replace them (--overwrite)"
            )


def _earlier(work: Path, digest: str) -> Study | None:
    """Return the study of an analysis of these inputs that was cut short; None if there is none."""
    try:
        if read_text(work / DIGEST, LARGEST, "a digest").strip() != digest:
            return None
        return open_study(work / CHECKPOINT)
    except CaptureError:
        return None


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _old(folder: Path) -> Path:
    return folder.parent / f".{folder.name}.old"


def _put_back(folder: Path) -> None:
    """Put back results that were about to be replaced when somebody pulled the plug."""
    if not folder.exists() and _old(folder).is_dir():
        _old(folder).rename(folder)


def _put(fresh: Path, folder: Path) -> None:
    """Give a folder its name; one that stands there goes only when the new one is in its place."""
    old = _old(folder)
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    try:
        fresh.rename(folder)
    except BaseException:
        with suppress(OSError):
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
