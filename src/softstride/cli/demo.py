"""`softstride demo`: the packaged athlete with a running blade, walking and running, from C3D files to reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride.cli.files import OverwriteOption, QuietOption
from softstride.cli.output import JsonOption, print_json
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.cli.analyze_runs import Run
    from softstride.study.study import Study

INPUTS = "inputs"
INTERRUPTED = 130  # exit code, as shells have it


def command(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for files and results; made if missing.")
    ] = Path("demo"),
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Whether the HTML reports are written.")
    ] = True,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Analyse the packaged athlete, who walks and runs with a blade below the right knee: C3D in, reports out.

    Motion, ground reaction without plates beside plates, force of the
    blade, forces of the muscles that the surgeon left beside EMG, joint
    contact forces. The files are written first, so that `softstride
    analyze` can do the same with them, or with changed ones. The first
    time kernels are compiled, for a minute or two, which is counted apart.

    For example:

    softstride demo

    softstride demo --out athlete --json
    """
    from softstride.cli.analyze_runs import UNWRITTEN, list_runs, plan, run_all, told_kept
    from softstride.cli.demo_inputs import write_inputs
    from softstride.cli.steps_bar import steps_bar
    from softstride.pipeline.compile_ahead import compile_ahead

    inputs = out / INPUTS
    try:
        inputs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot make the folder {inputs}: {error.strerror}; choose another with --out"
        ) from error
    planned: list[Run] = []
    try:
        with steps_bar("kernels", quiet=quiet) as progress:
            ahead = compile_ahead(progress)  # before the athlete is recorded, which needs some
        planned = plan(write_inputs(inputs), out)
        runs = run_all(planned, report=report, overwrite=overwrite, quiet=quiet)
    except KeyboardInterrupt:
        typer.echo(f"softstride: {told_kept(planned)}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    for run in runs:
        if run.study is None:
            raise InputError(run.error)
    troubles = list_runs(runs)
    for words in troubles:
        typer.echo(f"softstride: {words}", err=True)
    studies = [run.study for run in runs if run.study is not None]
    if json:
        print_json(_figures(runs, studies, ahead) | {"out": str(out)})
    elif not quiet:
        _show(runs, studies, ahead, inputs)
    if troubles:
        raise typer.Exit(UNWRITTEN)


def _figures(runs: Sequence[Run], studies: Sequence[Study], ahead: float) -> dict[str, Any]:
    """Return one flat object, with the time that compilation took ahead of the runs [s] counted in."""
    from softstride.cli.demo_tables import demo_figures

    figures = {key: value for study in studies for key, value in demo_figures(study).items()}
    seconds = {
        "seconds": sum(run.seconds for run in runs),
        "compiling_seconds": ahead + sum(run.compiling for run in runs),
    }
    return figures | seconds


def _show(runs: Sequence[Run], studies: Sequence[Study], ahead: float, inputs: Path) -> None:
    from softstride.cli.analyze_table import times
    from softstride.cli.demo_inputs import SETTINGS
    from softstride.cli.demo_tables import print_blades, print_ground, print_muscles

    for number, study in enumerate(studies, 1):
        print_ground(study, number)
        typer.echo()
    for study in reversed(studies):
        print_muscles(study)
        typer.echo()
    print_blades(studies)
    typer.echo()
    typer.echo(times(runs, ahead))
    for run in runs:
        typer.echo(f"{run.name}: {run.report or run.folder}")
    trial = inputs / f"{runs[-1].name}.c3d"
    typer.echo(f"the same by hand: softstride analyze {trial} --options {inputs / SETTINGS}")
