"""Trials one after the other: where results go, a bar, a report each; one that fails does not stop the others."""

from __future__ import annotations

import time as clock
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from softstride.cli.spelling import shell_words
from softstride.cli.steps_bar import steps_bar
from softstride.errors import InputError, SoftstrideError
from softstride.harmless import file_name
from softstride.pipeline.analysis import Progress
from softstride.pipeline.compile_ahead import compile_ahead
from softstride.pipeline.folder import analyze_to_folder, finished, kept
from softstride.pipeline.request import Request
from softstride.pipeline.results import FIGURES
from softstride.study.files import SUFFIX, open_study
from softstride.study.study import Study

UNWRITTEN = 3
"""Exit code where the results are there, however files that are made from them could not be written."""

REPORT = "report.html"
REPORT_STEP = "report"


@dataclass(frozen=True, eq=False)
class Run:
    """A trial and what became of it.

    Attributes:
        name: Of the trial, no two alike.
        request: What to analyse.
        folder: Where results go.
        alone: Whether it is the only one.
        study: What was found; None: nothing.
        error: Why nothing was found; "" for nothing of that kind.
        seconds: How long it took, compilation left out [s].
        compiling: How long kernels took to compile [s].
        known: Whether results of the same files and wishes were there already.
    """

    name: str
    request: Request
    folder: Path
    alone: bool = True
    study: Study | None = None
    error: str = ""
    seconds: float = 0.0
    compiling: float = 0.0
    known: bool = False

    @property
    def unwritten(self) -> list[str]:
        """Files that could not be written, and why."""
        stages = () if self.study is None else self.study.unwritten
        return [f"{self.name}: {stage.name} not written: {stage.words}" for stage in stages]

    @property
    def report(self) -> Path | None:
        """The report, if there is one."""
        file = self.folder / REPORT
        return file if file.is_file() else None


def plan(requests: Sequence[Request], out: Path | None) -> list[Run]:
    """Return a run for each request, each with a folder of its own.

    Raises:
        InputError: Two trials would have the same folder.
    """
    if len(requests) == 1:
        name = requests[0].name
        return [Run(name, requests[0], out or Path(f"{file_name(name)}_results"))]
    names = [request.name for request in requests]
    if max(Counter(names).values()) > 1:
        names = [f"{request.trial[0].resolve().parent.name}_{request.name}" for request in requests]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"two trials are called {twice[0]}: give them different names, or analyse them one by one"
        )
    root = out or Path("results")
    return [
        Run(name, request, root / file_name(name), alone=False)
        for name, request in zip(names, requests, strict=True)
    ]


def run_all(
    runs: Sequence[Run], *, report: bool = True, overwrite: bool = False, quiet: bool = False
) -> list[Run]:
    """Do all runs and return them with what became of them.

    Raises:
        SoftstrideError: Why nothing was found, if there is one run only.
    """
    done = []
    for run in runs:
        try:
            with steps_bar(run.name, quiet=quiet) as progress:
                done.append(_run_one(run, report, overwrite, progress))
        except SoftstrideError as error:
            if run.alone:
                raise
            done.append(
                Run(run.name, run.request, run.folder, alone=False, error=f"{run.name}: {shell_words(error)}")
            )
    return done


def told_kept(runs: Sequence[Run]) -> str:
    """Return what is said after Ctrl-C: what is kept of some runs, and what the same command does then."""
    parts = []
    for run in runs:
        held = kept(run.folder)
        if held is not None:
            parts.append(f"of {run.name} {', '.join(held[1])} in {held[0]}")
        elif (run.folder / FIGURES).is_file():
            parts.append(f"of {run.name} the results in {run.folder}")
    if not parts:
        return "interrupted; nothing was kept yet: the same command begins anew"
    return f"interrupted; kept: {'; '.join(parts)}; the same command goes on from here"


def list_runs(runs: Sequence[Run]) -> list[str]:
    """Write the page that lists several runs; return which files could not be written, those of runs too, and why."""
    troubles = [words for run in runs for words in run.unwritten]
    if len(runs) > 1 and any(run.study is not None for run in runs):
        from softstride.cli.analyze_page import write_page

        try:
            write_page(runs, runs[0].folder.parent)
        except SoftstrideError as error:
            troubles.append(shell_words(error))
    return troubles


def _run_one(run: Run, report: bool, overwrite: bool, progress: Progress) -> Run:
    from softstride.engine.jit import Kernel

    start, compiled, ahead = clock.perf_counter(), Kernel.compiling, 0.0
    known = not overwrite and finished(run.folder, run.request.completed().digest())
    if known:
        study = open_study(run.folder / f"{file_name(run.request.name)}{SUFFIX}")
    else:
        ahead = compile_ahead(progress)
        study = analyze_to_folder(
            run.request,
            run.folder,
            overwrite=overwrite,
            progress=progress,
            extra={REPORT_STEP: lambda found, folder: _write_report(found, folder, progress)}
            if report
            else None,
        )
    compiling = Kernel.compiling - compiled + ahead
    seconds = clock.perf_counter() - start - compiling
    return Run(run.name, run.request, run.folder, run.alone, study, "", seconds, compiling, known)


def _write_report(study: Study, folder: Path, progress: Progress) -> None:
    from softstride.report import write_report

    progress(REPORT_STEP, 0.97)
    write_report(study, folder / REPORT)
