"""`softstride selfcheck`: does this installation compute what it should?"""

from typing import Annotated

import typer

from softstride.cli.output import JsonOption, print_json, print_table


def command(
    names: Annotated[
        list[str] | None, typer.Argument(help="Checks, or rooms such as 'engine'; without any, all.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compare this installation with known answers; exit code 1 if one of them is missed."""
    from softstride.selfcheck import run_checks  # loads the compiler: not needed for --help

    results = run_checks(names or ())
    if json:
        print_json({result.name: result.figures() for result in results})
    else:
        print_table(
            ("check", "value", "reference", "tolerance", "", "what is compared"),
            [
                (
                    result.name,
                    f"{result.value:.6g}",
                    f"{result.reference:.6g}",
                    f"{result.tolerance:.1g}",
                    "ok" if result.ok else "FAILED",
                    result.what,
                )
                for result in results
            ],
            numbers=(1, 2, 3),
        )
    if not all(result.ok for result in results):
        raise typer.Exit(1)
