"""`softstride analyze`: a trial in, one folder of results out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride.cli.declare import NOTHING, Form, Given, ShellOptions
from softstride.cli.files import OverwriteOption, QuietOption
from softstride.cli.output import JsonOption, print_json
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.pipeline.request import Request

TEMPLATE_FILE = Path("softstride.toml")

ANALYSIS = ShellOptions(
    "softstride.pipeline.options:AnalyzeOptions", Form("time_range", "--time"), only="time_range"
)

INTERRUPTED = 130  # exit code, as shells have it


def command(
    trials: Annotated[
        list[Path] | None,
        typer.Argument(metavar="TRIAL", help="Trials, a .c3d or .trc file each.", show_default=False),
    ] = None,
    more: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="Forces or EMG of a .trc trial (.mot, .sto, external loads .xml); may be given several times. Found "
            "beside it unless given.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|NAME",
            help="The person: .osim, .json, or a packaged one (gait, human). Found beside the trial unless given; else "
            "the packaged person is scaled.",
        ),
    ] = None,
    static: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Standing trial to scale the model to. Found beside the trial for a packaged person.",
        ),
    ] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Marker weights, OpenSim's IK tasks (.xml). Found beside the trial unless given.",
        ),
    ] = None,
    mass: Annotated[
        float | None, typer.Option(metavar="KG", help="Mass of the person, where no file says it.")
    ] = None,
    height: Annotated[
        float | None,
        typer.Option(metavar="M", help="Height of the person, in metres, where no file says it."),
    ] = None,
    sex: Annotated[
        str | None, typer.Option(metavar="male|female", help="Which tables a packaged person is made from.")
    ] = None,
    options: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Settings (.toml), as --template writes them; what is given here comes first.",
        ),
    ] = None,
    analysis: Annotated[Given, ANALYSIS] = NOTHING,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the results; TRIAL_results unless given, and one for each trial in `results` for several.",
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Whether the HTML report is written.")
    ] = True,
    template: Annotated[
        bool,
        typer.Option(
            "--template", help=f"Write commented settings to {TEMPLATE_FILE} (or to --options), and stop."
        ),
    ] = False,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Analyse trials: motion, loads with plates and without, muscle forces, joint contact forces, report.

    Nothing has to be said that files tell: forces beside a .trc file, a
    model whose markers the trial has, a standing trial, mass and height.
    The notes of the report say what was found out.

    Each trial gets a folder: the study (.study.nc), OpenSim's files (.mot,
    .sto), tables (csv), figures of merit (figures.json) and report.html.
    What was interrupted goes on when the same command is given again.

    The exit code is 2 if a trial could not be analysed, and 3 if all could,
    but files that are made from their studies could not be written.

    For example:

    softstride analyze walk.c3d

    softstride analyze walk.trc --model subject.osim --with walk_grf.xml --out walk

    softstride analyze trial1.c3d trial2.c3d --options lab.toml --out results --json
    """
    if template:
        _write_template(options or TEMPLATE_FILE, overwrite, quiet)
        return
    if not trials:
        raise InputError(
            "name a trial, such as softstride analyze walk.c3d; softstride analyze --help says more"
        )
    from softstride.cli.analyze_runs import UNWRITTEN, list_runs, plan, run_all, told_kept
    from softstride.cli.analyze_table import figures_of, print_runs

    given = {"model": model, "static": static, "tasks": tasks, "mass": mass, "height": height, "sex": sex}
    requests = _requests(trials, more or [], options, analysis, given)
    planned = plan(requests, out)
    try:
        runs = run_all(planned, report=report, overwrite=overwrite, quiet=quiet)
    except KeyboardInterrupt:
        typer.echo(f"softstride: {told_kept(planned)}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    troubles = list_runs(runs)
    if json:
        print_json(figures_of(runs))
    elif not quiet:
        print_runs(runs)
    for run in runs:
        if run.error:
            typer.echo(f"softstride: {run.error}", err=True)
    for words in troubles:
        typer.echo(f"softstride: {words}", err=True)
    if any(run.error for run in runs):
        raise typer.Exit(2)
    if troubles:
        raise typer.Exit(UNWRITTEN)


def _requests(
    trials: list[Path],
    more: list[Path],
    options: Path | None,
    analysis: Given,
    given: dict[str, Any],
) -> list[Request]:
    """Return a request for each trial; what is given on the command line comes before the settings."""
    from softstride.pipeline.request import Request
    from softstride.pipeline.settings import read_settings

    if more and len(trials) > 1:
        raise InputError("--with belongs to one trial, however several were given: analyse them one by one")
    settings = {} if options is None else read_settings(options)
    settings |= {name: value for name, value in given.items() if value is not None}
    if analysis:
        from softstride.pipeline.options import AnalyzeOptions

        settings["options"] = settings.get("options", AnalyzeOptions()).changed(**analysis)
    return [Request((trial, *more), **settings) for trial in trials]


def _write_template(file: Path, overwrite: bool, quiet: bool) -> None:
    from softstride.files import write_whole
    from softstride.pipeline.settings import template

    write_whole(file, template().encode("utf-8"), overwrite=overwrite)
    if not quiet:
        typer.echo(f"settings: {file}; edit it, then: softstride analyze TRIAL --options {file}")
