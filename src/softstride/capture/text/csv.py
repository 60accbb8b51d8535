"""Tables with a row of names: CSV with commas, semicolons or tabs, and plain text in columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from softstride.capture.text.clean_numbers import FloatArray, read_clean
from softstride.capture.text.csv_layout import COMMENT, Layout, find_layout, split_cells
from softstride.capture.text.encoding import decoded, plain_text, unique_names
from softstride.capture.text.table import is_missing, is_number, read_numbers, short_rows_note
from softstride.errors import CaptureError
from softstride.fields import Frozen
from softstride.notes import Note, Notes

_MANY = 100  # cells from which on the fast reader of columns pays


@dataclass(frozen=True, eq=False)
class CsvFile(Frozen):
    """A table.

    Attributes:
        columns: Names of the columns of numbers, all different, units taken off; "column_1", ... without names.
        units: Unit of each, from "name (unit)", "name [unit]" or a row of units; "" where there is none.
        values: Shape (n, k), finite or NaN.
        text_columns: Cells of the columns that are not numbers, by name.
        header: Comments and lines above the names.
        separator: What stands between the cells: "," or ";" or a tab, or " " for any run of blanks.
        notes: What had to be decided.
    """

    columns: tuple[str, ...]
    units: tuple[str, ...]
    values: FloatArray
    text_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    separator: str = ","
    notes: tuple[Note, ...] = ()


def parse_csv(data: bytes, path: object) -> CsvFile:
    """Read a table.

    Lines that begin with # or % are comments. Decimal commas are understood where semicolons stand between cells
    and no number has a point. A column with cells that are not numbers is kept as text.

    Args:
        data: The whole file.
        path: Its name, for errors.

    Returns:
        The table.

    Raises:
        CaptureError: No column of numbers, or rows longer than the names.
    """
    text, notes = plain_text(data, path)
    layout = find_layout(text, path)
    names, renamed = unique_names(layout.names, "columns")
    notes.extend(renamed)
    if layout.decimal_comma:
        notes.add("csv.decimal-commas", "commas in numbers read as decimal points", topic="csv")
    body = text[layout.start :]
    numbers = None
    if not re.search(rb'["#%]', body):
        separator = None if layout.separator == " " else layout.separator.encode()
        try:
            numbers = read_numbers(
                body,
                names,
                path,
                first_line=layout.first_line,
                separator=separator,
                decimal_comma=layout.decimal_comma,
            )
        except CaptureError:
            numbers = None  # a cell is text, or a row is too long: the careful way tells which
    if numbers is not None and len(numbers.values):
        units = tuple(layout.units)
        notes.extend(numbers.notes)
        return CsvFile(names, units, numbers.values, {}, tuple(layout.header), layout.separator, tuple(notes))
    return _with_text(body, layout, names, path, notes)


def _with_text(body: bytes, layout: Layout, names: tuple[str, ...], path: object, notes: Notes) -> CsvFile:
    """Read a table some of whose columns are text."""
    comments: list[str] = []
    short: list[int] = []
    rows: list[list[str]] = []
    for number, line in enumerate(decoded(body).split("\n"), layout.first_line):
        if not line.strip():
            continue
        if line.lstrip().startswith(COMMENT):
            comments.append(line.strip())
            continue
        cells = split_cells(line, layout.separator, path, number)
        while len(cells) > len(names) and not cells[-1]:
            cells.pop()
        if len(cells) > len(names):
            problem = f"has {len(cells)} cells for {len(names)} columns"
            raise CaptureError(
                path, f"row {number}", problem, "quote cells that hold the separator, or repair the row"
            )
        if len(cells) < len(names):
            short.append(number)
        rows.append(cells + [""] * (len(names) - len(cells)))
    if not rows:
        raise CaptureError(path, "rows", "there are none below the names", "export the table again")
    if short:
        notes.extend([short_rows_note(short)])
    numeric, text_columns = [], {}
    for i, column in enumerate(zip(*rows, strict=True)):
        values = _numbers(column, layout.decimal_comma)
        if values is None:
            text_columns[names[i]] = tuple(column)
            _note_mixed(names[i], column, layout.decimal_comma, notes)
        else:
            numeric.append((i, values))
    if not numeric:
        raise CaptureError(
            path, "columns", "none holds numbers", "check that this file is a table of measurements"
        )
    return CsvFile(
        columns=tuple(names[i] for i, _ in numeric),
        units=tuple(layout.units[i] for i, _ in numeric),
        values=np.stack([values for _, values in numeric], axis=1),
        text_columns=text_columns,
        header=(*layout.header, *comments),
        separator=layout.separator,
        notes=tuple(notes),
    )


def _numbers(cells: Sequence[str], decimal_comma: bool) -> FloatArray | None:
    """Return a column as numbers, None if it holds words."""
    plain = [cell.replace(",", ".") for cell in cells] if decimal_comma else cells
    clean = read_clean("\n".join(plain).encode(), 1) if len(plain) > _MANY else None
    if clean is not None and len(clean) == len(cells):
        values = clean[:, 0]
    elif all(_is_value(cell) for cell in plain):
        words = (cell.lower().replace("d", "e") if is_number(cell) else "nan" for cell in plain)
        values = np.array([float(word) for word in words])
    else:
        return None
    values[np.isinf(values)] = np.nan
    return values


def _is_value(cell: str) -> bool:
    return is_number(cell) or is_missing(cell)


def _note_mixed(name: str, cells: Sequence[str], decimal_comma: bool, notes: Notes) -> None:
    plain = (cell.replace(",", ".") if decimal_comma else cell for cell in cells)
    odd = [cell for cell, word in zip(cells, plain, strict=True) if not _is_value(word)]
    n_numbers = sum(not is_missing(cell) for cell in cells) - len(odd)
    if n_numbers > len(odd):
        said = (
            f"column {name!r} is kept as text: {len(odd)} of {len(cells)} cells are not numbers: {odd[0]!r}"
        )
        values = {"not_numbers": len(odd), "cells": len(cells)}
        notes.add("csv.kept-as-text", said, topic="csv", names=(name,), values=values)
