"""What every command prints with: the `--json` option, tables for people, one JSON object for programs."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

JsonOption = Annotated[
    bool, typer.Option("--json", help="For programs: print the figures as one JSON object, last on stdout.")
]

WIDE = 200  # columns


def print_json(figures: Mapping[str, Any]) -> None:
    """Print one JSON object on one line; numbers that JSON does not know (NaN, infinities) become null."""
    typer.echo(json.dumps(_plain(figures), allow_nan=False))


def print_table(
    columns: Iterable[str], rows: Iterable[Iterable[str]], *, title: str = "", numbers: Iterable[int] = ()
) -> None:
    """Print a table on stdout.

    Args:
        columns: Headings.
        rows: Cells, as text.
        title: Line above the table.
        numbers: Positions of the columns that are set flush right.
    """
    right = set(numbers)
    table = Table(box=None, pad_edge=False)
    for i, heading in enumerate(columns):
        table.add_column(heading, justify="right" if i in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = WIDE  # a file or a pipe has no edge to fold at
    if title:
        console.print(title, style="bold")
    console.print(table)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None
