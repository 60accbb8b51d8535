"""The Typer application: every command is registered here.

Exit codes: 0 done, 1 a check failed, 2 the request or its input is at fault, 3 the results are there,
but files that are made from them could not be written, 130 interrupted.
"""

import io
import sys
from typing import Annotated, Any

import typer

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
from softstride.cli.declare import DeclaredCommand
from softstride.cli.spelling import shell_words, spelt_for
from softstride.errors import SoftstrideError


class _Command(DeclaredCommand):
    """Turns every `SoftstrideError` into one line on stderr, in the words of the command, and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        with spelt_for(self, {function: name for name, _, function, _ in COMMANDS if function}):
            try:
                return super().invoke(ctx)
            except SoftstrideError as error:
                typer.echo(f"softstride: {shell_words(error)}", err=True)
                raise typer.Exit(2) from error


app = typer.Typer(
    name="softstride",
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


COMMANDS = (  # name, what it does, the one function of the library that it calls, example
    ("demo", demo.command, "", "--out demo"),
    ("analyze", analyze.command, "", "walk.c3d --model subject.osim --out walk"),
    ("info", info.command, "", "walk.c3d --json"),
    ("ik", ik.command, "solve_ik", "--model subject.osim --markers walk.trc --tasks tasks.xml --out ik.mot"),
    (
        "id",
        id.command,
        "solve_id",
        "--model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 --out id.sto",
    ),
    (
        "grf",
        grf.command,
        "estimate_loads",
        "--model subject.osim --motion ik.mot --out grf.mot --id-out id.sto",
    ),
    (
        "muscles",
        muscles.command,
        "solve_muscles",
        "--model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 --out so",
    ),
    (
        "reactions",
        reactions.command,
        "joint_reactions",
        "--model subject.osim --motion ik.mot --external-loads loads.xml --forces so_force.sto --out jr.sto",
    ),
    ("segments", segments.command, "", "walk.c3d --static standing.c3d --out walk"),
    ("blade", blade.command, "", "c-medium --out blade"),
    ("chain", chain.command, "", "squat --find wall --out squat"),
    ("walk", walk.command, "", "--perturb left_ankle:1=+20% --out push"),
    ("view", view.command, "", "results/walk.study.nc"),
    ("report", report.command, "", "results/walk.study.nc --out walk.html"),
    ("batch", batch.command, "", "recordings --out results"),
    ("selfcheck", selfcheck.command, "", "engine.elastica"),
    ("bench", bench.command, "", "engine --json"),
)

for _name, _run, _, _example in COMMANDS:
    app.command(_name, cls=_Command, epilog=f"Example: softstride {_name} {_example}")(_run)


def main() -> None:
    """Run the command line; the entry point of the installed script."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")  # code pages of Windows lack signs: "?" is not the end
    app()
