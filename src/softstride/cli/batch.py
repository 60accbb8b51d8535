"""`softstride batch`: every trial of a folder through the pipeline, one table in the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride.cli.files import QuietOption
from softstride.cli.output import JsonOption, print_json, print_lines

if TYPE_CHECKING:
    from softstride.batch.outcome import Batch
    from softstride.batch.task import Addition
    from softstride.batch.trials import Found
    from softstride.study.study import Study

REPORT = "report.html"

SHOWN = 20
"""Failures that are printed; all are in a file."""

INTERRUPTED = 130  # exit code, as shells have it


def command(
    trials: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRIALS",
            help="Folders, searched with all that is in them, or files (.c3d, .trc).",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the results; made if missing.", show_default=False)
    ],
    options: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Settings that all trials share (.toml), as `softstride analyze --template` writes them.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|NAME",
            help="The model of all trials; found beside each unless given, or a packaged person.",
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Whether each trial gets a report (.html).")
    ] = True,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="How many trials at once; as many as cores unless given."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Dask scheduler whose workers do the trials, such as tcp://10.0.0.5:8786. Whoever reaches it can run "
            "programs there: keep it in a network that you trust.",
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Replace results of other files, other settings or another version."
        ),
    ] = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Analyse many trials, each into a folder of its own, and gather them in one table.

    The table is trials.parquet, and trials.csv for spreadsheets: a row for each trial, with its figures of merit and
    its peaks by side. A trial that fails does not stop the others; failures.txt says why it failed. The same command
    given again goes on where it was interrupted, and does not do again what is finished.

    Standing trials are left out; models and standing trials are found beside each trial. The exit code is 1 if a trial
    failed.

    For example:

    softstride batch recordings --out results

    softstride batch recordings/*.c3d --options clinic.toml --out results --jobs 4

    softstride batch recordings --out results --scheduler tcp://10.0.0.5:8786
    """
    from softstride.batch.run import run_batch
    from softstride.batch.trials import find_trials
    from softstride.cli.batch_display import Display
    from softstride.pipeline.settings import read_settings

    wishes: dict[str, Any] = {} if options is None else read_settings(options.resolve())
    if model is not None:
        wishes["model"] = model
    found = find_trials(trials, out=out, wishes=wishes)
    if not quiet:
        _tell_left_out(found)
    display = Display(quiet=quiet)
    try:
        batch = run_batch(
            found.trials,
            out,
            jobs=jobs,
            scheduler=scheduler,
            additions=_additions(report),
            overwrite=overwrite,
            watcher=display,
        )
    except KeyboardInterrupt:
        done = f"kept: {display.count - display.failed} of {display.total} trials in {out}; "
        told = done if display.total else ""
        typer.echo(f"softstride: interrupted; {told}the same command goes on where it was", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if json:
        print_json(_figures(batch))
    elif quiet:
        for outcome in batch.failed:
            typer.echo(f"softstride: {outcome.name}: {outcome.reason}", err=True)
    else:
        _show(batch)
    if batch.failed:
        raise typer.Exit(1)


def write_report(study: Study, path: Path) -> None:
    """Write the report of a trial; worker processes find it here."""
    from softstride.report import write_report as write

    write(study, path)


def _additions(report: bool) -> tuple[Addition, ...]:
    from softstride.batch.task import Addition

    return (Addition(REPORT, write_report),) if report else ()


def _tell_left_out(found: Found) -> None:
    if found.left_out:
        path, why = found.left_out[0]
        many = len(found.left_out)
        others = f", and {many - 1} more" if many > 1 else ""
        typer.echo(f"left out: {path}, {why}{others}; name a file itself to have it analysed", err=True)


def _figures(batch: Batch) -> dict[str, Any]:
    from softstride.batch.table import written

    return {
        "trials": len(batch.outcomes),
        **batch.counts,
        "earlier": sum(outcome.earlier for outcome in batch.outcomes),
        "seconds": batch.seconds,
        "compile_s": sum(outcome.compiling for outcome in batch.outcomes if not outcome.earlier),
        "out": str(batch.out),
        **written(batch.out),
        "failed_trials": [outcome.name for outcome in batch.failed],
    }


def _show(batch: Batch) -> None:
    from softstride.batch.table import written

    told = _figures(batch)
    earlier = f" ({told['earlier']} from an earlier run)" if told["earlier"] else ""
    rows = [("done", "green", f"{told['done']} of {told['trials']} trials{earlier}, {batch.seconds:.0f} s")]
    if told["compile_s"]:
        rows.append(("compiled", "", f"kernels, once on this machine, in {told['compile_s']:.0f} s"))
    troubled = [outcome for outcome in batch.outcomes if outcome.state != "done"]
    colours = {"failed": "red", "partial": "yellow"}
    rows += [
        (outcome.state, colours[outcome.state], f"{outcome.name}: {outcome.reason}")
        for outcome in troubled[:SHOWN]
    ]
    if len(troubled) > SHOWN:
        rows.append(("", "", f"and {len(troubled) - SHOWN} more, see the file below"))
    rows += [(what, "", path) for what, path in written(batch.out).items() if path is not None]
    print_lines(rows)
