"""The Typer application: every command is registered here.

Exit codes: 0 done, 1 a check failed, 2 the request or its input is at fault.
"""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from softstride import __version__
from softstride.cli import bench, blade, demo, id, ik, info, selfcheck
from softstride.errors import SoftstrideError


class _Commands(TyperGroup):
    """Turns every `SoftstrideError` into one line on stderr and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SoftstrideError as error:
            typer.echo(f"softstride: {error}", err=True)
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
app.command("blade", epilog="Example: softstride blade c-medium --out blade")(blade.command)
app.command("selfcheck", epilog="Example: softstride selfcheck engine.elastica")(selfcheck.command)
app.command("bench", epilog="Example: softstride bench engine --json")(bench.command)


def main() -> None:
    """Run the command line; the entry point of the installed script."""
    app()
