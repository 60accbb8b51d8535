"""What every command prints with: the `--json` option, tables for people, one JSON object for programs."""

import json
import math
import textwrap
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

JsonOption = Annotated[
    bool, typer.Option("--json", help="For programs: print the figures as one JSON object, last on stdout.")
]

WIDE = 200  # columns
READABLE = 100  # columns; prose in longer lines is hard to follow
MIN_PROSE = 30  # columns; narrower terminals break lines themselves


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


def print_lines(rows: Iterable[tuple[str, str, str]], *, title: str = "") -> None:
    """Print lines of prose on stdout, each behind a word that says what it is; long ones go on below themselves.

    Args:
        rows: Word, style of the word ("" for none), prose.
        title: Line above.
    """
    lines = list(rows)
    margin = max((len(word) for word, _, _ in lines), default=0) + 2
    console = Console(highlight=False, markup=False, emoji=False)
    width = min(console.width, READABLE) if console.is_terminal else READABLE
    if title:
        console.print(title, style="bold")
    for word, style, prose in lines:
        first, *others = textwrap.wrap(prose, max(width - margin, MIN_PROSE), break_on_hyphens=False) or [""]
        console.print(Text.assemble((word.ljust(margin), style), first), soft_wrap=True)
        for line in others:
            console.print(Text(" " * margin + line), soft_wrap=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    number = float(value)
    return number if math.isfinite(number) else None
