"""Rows of numbers: the parser that all text formats share.

A table in perfect order is converted as a whole. Any other is read row by row, slowly, and its errors name the cell.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softstride.capture.text.clean_numbers import FloatArray, read_clean
from softstride.capture.text.encoding import decoded, listed
from softstride.errors import CaptureError
from softstride.notes import Note, Notes

# Possessive repeats: a megabyte of digits is refused in one pass. Nobody writes a number of more characters.
_NUMBER = re.compile(rb"(?=.{1,500}\Z)[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eEdD][+-]?[0-9]++)?")
_MISSING = re.compile(rb"(?i:|[+-]?nan(?:\([a-z0-9]*\))?|[+-]?1\.#(?:qnan|snan|ind)[0-9]*|#?n/?a|null|none)")
_INFINITE = re.compile(rb"(?i:[+-]?(?:inf(?:inity)?|1\.#inf[0-9]*))")


@dataclass(frozen=True, eq=False)
class NumberTable:
    """A table of numbers.

    Attributes:
        values: The numbers, shape (n_rows, n_columns), finite or NaN.
        widest: Cells of the widest row, blank ones at its end not counted unless a tab closes them.
        notes: What had to be decided.
    """

    values: FloatArray
    widest: int
    notes: tuple[Note, ...]


def read_numbers(
    body: bytes,
    columns: Sequence[str],
    path: object,
    *,
    first_line: int = 1,
    separator: bytes | None = b"\t",
    decimal_comma: bool = False,
    group: int = 1,
) -> NumberTable:
    r"""Read rows of numbers.

    Blank cells and the usual spellings of "not a number" are NaN; so are infinities, which are noted. Blank lines are
    skipped, short rows are padded with NaN and noted, lines of text behind the last row are dropped and noted, and so
    is a last row that was cut off.

    Args:
        body: The rows, with ``\n`` line ends.
        columns: Names of the columns, for errors; their number is the width of the table.
        path: The file, for errors.
        first_line: Line number of the first row in the file, for errors.
        separator: One byte between the cells, or None for any run of blanks.
        decimal_comma: Commas are decimal points.
        group: Columns come in groups of so many: a short row that lacks part of a group lost a cell in its middle.

    Returns:
        The table.

    Raises:
        CaptureError: A cell is not a number, or a row is longer than the names or lacks part of a group.
    """
    body = _tab_separated(body, separator, decimal_comma)
    values = read_clean(body, len(columns))
    if values is None:
        table = _read_rows(body, columns, path, first_line, group)
    else:
        table = NumberTable(values, len(columns), ())
    infinite = np.isinf(table.values)
    if infinite.any():
        table.values[infinite] = np.nan
        count = int(np.count_nonzero(infinite))
        said = f"{count} infinite values taken as missing"
        note = Note("table.infinite", said, topic="table", values={"cells": count})
        table = NumberTable(table.values, table.widest, (*table.notes, note))
    return table


def is_number(cell: str) -> bool:
    """Return whether a cell holds a number; blanks and NaN do not count."""
    return _NUMBER.fullmatch(cell.strip().encode()) is not None


def is_missing(cell: str) -> bool:
    """Return whether a cell is blank or a spelling of "not a number" or of infinity."""
    text = cell.strip().encode()
    return (_MISSING.fullmatch(text) or _INFINITE.fullmatch(text)) is not None


def _tab_separated(body: bytes, separator: bytes | None, decimal_comma: bool) -> bytes:
    if separator is None:
        return b"\n".join([b"\t".join(line.split()) for line in body.split(b"\n")])
    if separator != b"\t":
        body = body.replace(b"\t", b" ")
        if decimal_comma:
            body = body.replace(b",", b".")
        body = body.replace(separator, b"\t")
    return body


def _read_rows(
    body: bytes, columns: Sequence[str], path: object, first_line: int, group: int = 1
) -> NumberTable:
    """Read row by row: for tables that are not in perfect order, and for the errors."""
    width = len(columns)
    lines = body.split(b"\n")
    notes = Notes()
    cut_off = _drop_trailing_text(lines, notes)
    values = array("d")
    short: list[int] = []
    widest = 0
    for number, line in enumerate(lines, first_line):
        cells = [cell.strip() for cell in line.split(b"\t")]
        if not any(cells):
            continue
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if len(cells) > width:
            problem = f"has {len(cells)} values for {width} columns"
            raise CaptureError(path, f"row {number}", problem, "name every column, or repair the row")
        widest = max(widest, len(cells))
        if len(cells) < width:
            if cut_off and number == first_line + len(lines) - 1:
                said = f"row {number} is cut off in the middle: dropped"
                notes.add("table.last-row-cut", said, topic="table", values={"row": number})
                break
            if (width - len(cells)) % group:
                problem = f"has {len(cells)} values for {width} columns, which come in groups of {group}"
                raise CaptureError(path, f"row {number}", problem, "restore the cell that is missing")
            short.append(number)
        row = _parse_cells(cells, columns, path, number)
        values.extend(row)
        values.extend([np.nan] * (width - len(row)))
    if short:
        notes.extend([short_rows_note(short)])
    table = np.array(values, dtype=np.float64).reshape(-1, width)
    return NumberTable(table, widest, tuple(notes))


def short_rows_note(rows: list[int]) -> Note:
    """Return the note on rows, by their numbers, that were shorter than the names."""
    said = f"{len(rows)} rows shorter than the names padded with missing values: row {listed(rows)}"
    return Note("table.rows-padded", said, topic="table", values={"rows": len(rows)})


def _drop_trailing_text(lines: list[bytes], notes: Notes) -> bool:
    """Drop lines at the end that do not begin with a number; return whether the last row lacks its line end."""
    cut_off = bool(lines) and bool(lines[-1].strip())
    dropped = 0
    while lines:
        first = lines[-1].split(b"\t", 1)[0].strip()
        if _NUMBER.fullmatch(first) or (_MISSING.fullmatch(first) and lines[-1].strip()):
            break
        dropped += bool(lines.pop().strip())
    if dropped:
        said = f"{dropped} lines of text behind the last row ignored"
        notes.add("table.text-behind-ignored", said, topic="table", values={"lines": dropped})
    return cut_off and not dropped


def _parse_cells(cells: list[bytes], columns: Sequence[str], path: object, number: int) -> list[float]:
    result: list[float] = []
    for cell, column in zip(cells, columns, strict=False):
        if _NUMBER.fullmatch(cell):
            result.append(float(cell.lower().replace(b"d", b"e")))
        elif _MISSING.fullmatch(cell):
            result.append(np.nan)
        elif _INFINITE.fullmatch(cell):
            result.append(np.inf)
        else:
            shown = decoded(cell[:40])
            raise CaptureError(
                path,
                f"row {number}, column {column!r}",
                f"{shown!r} is not a number",
                "correct or blank the cell",
            )
    return result
