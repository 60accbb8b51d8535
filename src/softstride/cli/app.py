"""The Typer application: every command is registered here.

Exit codes: 0 done, 1 a check failed, 2 the request or its input is at fault, 3 the results are there,
but files that are made from them could not be written, 130 interrupted.
"""

import io
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from softstride import __version__
from softstride.cli import (
    analyze,
    batch,
    bench,
    blade,
    chain,
    demo,
    grf,
    id,
    ik,
    info,
    muscles,
    reactions,
    report,
    segments,
    selfcheck,
    view,
    walk,
)
from softstride.cli.wording import without_none
from softstride.errors import SoftstrideError


class _Commands(TyperGroup):
    """Turns every `SoftstrideError` into one line on stderr and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SoftstrideError as error:
            typer.echo(f"softstride: {without_none(str(error))}", err=True)
            raise typer.Exit(2) from error


app = typer.Typer(
    name="softstride",
    cls=_Commands,
    help="Dynamics of human movement with rigid and soft links.",
    epilog="Example: softstride demo --out demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"softstride {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Dynamics of human movement with rigid and soft links."""


app.command("demo", epilog="Example: softstride demo --out demo")(demo.command)
app.command("analyze", epilog="Example: softstride analyze walk.c3d --model subject.osim --out walk")(
    analyze.command
)
app.command("info", epilog="Example: softstride info walk.c3d --json")(info.command)
app.command(
    "ik",
    epilog="Example: softstride ik --model subject.osim --markers walk.trc --tasks tasks.xml --out ik.mot",
)(ik.command)
app.command(
    "id",
    epilog="Example: softstride id --model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 "
    "--out id.sto",
)(id.command)
app.command(
    "grf", epilog="Example: softstride grf --model subject.osim --motion ik.mot --out grf.mot --id-out id.sto"
)(grf.command)
app.command(
    "muscles",
    epilog="Example: softstride muscles --model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 "
    "--out so",
)(muscles.command)
app.command(
    "reactions",
    epilog="Example: softstride reactions --model subject.osim --motion ik.mot --external-loads loads.xml "
    "--forces so_force.sto --out jr.sto",
)(reactions.command)
app.command("segments", epilog="Example: softstride segments walk.c3d --static standing.c3d --out walk")(
    segments.command
)
app.command("blade", epilog="Example: softstride blade c-medium --out blade")(blade.command)
app.command("chain", epilog="Example: softstride chain squat --find wall --out squat")(chain.command)
app.command("walk", epilog="Example: softstride walk --perturb left_ankle:1=+20% --out push")(walk.command)
app.command("view", epilog="Example: softstride view results/walk.study.nc")(view.command)
app.command("report", epilog="Example: softstride report results/walk.study.nc --out walk.html")(
    report.command
)
app.command("batch", epilog="Example: softstride batch recordings --out results")(batch.command)
app.command("selfcheck", epilog="Example: softstride selfcheck engine.elastica")(selfcheck.command)
app.command("bench", epilog="Example: softstride bench engine --json")(bench.command)


def main() -> None:
    """Run the command line; the entry point of the installed script."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")  # code pages of Windows lack signs: "?" is not the end
    app()
