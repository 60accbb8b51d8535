"""The layout of a table, from its first lines: separator, names, units, decimal commas, where the rows begin."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from softstride.capture.text.encoding import decoded, iter_lines
from softstride.capture.text.table import is_missing, is_number
from softstride.errors import CaptureError

_SAMPLE = 60  # lines that decide about separator, names and units
_SAMPLE_COLUMNS = 200
_LONGEST = 100_000  # characters of a line that is split without a look at the length of its cells
COMMENT = ("#", "%", "//")
_NAME_WITH_UNIT = re.compile(r"(?P<name>.*?\S)\s*(?:\((?P<round>[^()]*)\)|\[(?P<square>[^\[\]]*)\])")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+(?:[eE][+-]?\d+)?\s*")
_UNIT = re.compile(
    r"(s|sec|ms|min|m|cm|mm|(?:centi|milli)?met(?:er|re)s?|in(?:ch|ches)?|ft|feet|kg|g|N|kN|Nm|N\.?m|Nmm|N\.?mm|V|mV|uV|µV|Hz|deg|degrees|rad|°|%|-|W|m/s|m/s2|m/s\^2|deg/s|rad/s)"
)


@dataclass
class Layout:
    """What the first lines tell: names, units, where the rows begin."""

    separator: str
    names: list[str]
    units: list[str]
    header: list[str]
    start: int
    first_line: int
    decimal_comma: bool


def find_layout(text: bytes, path: object) -> Layout:
    """Return the layout of a table.

    Args:
        text: The whole file.
        path: Its name, for errors.

    Raises:
        CaptureError: No row among the first holds a number.
    """
    comments: list[tuple[int, str]] = []
    lines: list[tuple[int, int, str]] = []  # line number, offset where it begins, text
    begin = 0
    for number, after, raw in iter_lines(text):
        line = decoded(raw)
        if line.lstrip().startswith(COMMENT):
            comments.append((number, line.strip()))
        elif line.strip():
            lines.append((number, begin, line))
        begin = after
        if len(lines) >= _SAMPLE:
            break
    if not lines:
        raise CaptureError(path, "rows", "there are none", "export the table again")
    separator = _find_separator([line for _, _, line in lines])
    rows = [split_cells(line, separator, path, number) for number, _, line in lines]
    decimal_comma = separator == ";" and _has_decimal_commas(rows)
    if decimal_comma:
        rows = [
            [cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell for cell in row]
            for row in rows
        ]
    n_above = _rows_above(rows)
    if n_above == len(rows):
        raise CaptureError(
            path, "rows", "none holds numbers", "check that this file is a table of measurements"
        )
    widths = [len(_trimmed(row)) for row in rows[n_above:]]
    width = max(set(widths), key=widths.count)
    said = [comment for number, comment in comments if number < lines[n_above][0]]
    names, units, used = _names_and_units(rows[:n_above], said, separator, width, path)
    header = [*said, *(line.strip() for _, _, line in lines[: max(n_above - used, 0)])]
    return Layout(separator, names, units, header, lines[n_above][1], lines[n_above][0], decimal_comma)


def _find_separator(lines: list[str]) -> str:
    """Return the separator that cuts most lines into equally many cells, at least two."""
    for separator in "\t;,":
        counts = [line.count(separator) for line in lines]
        if 2 * sum(count > 0 and count == counts[-1] for count in counts) > len(counts):
            return separator
    return " " if any(len(line.split()) > 1 for line in lines) else ","


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    cells = [cell for row in rows for cell in row]
    points = any(is_number(cell) and "." in cell for cell in cells)
    return not points and any(_DECIMAL_COMMA.fullmatch(cell) for cell in cells)


def _trimmed(row: list[str]) -> list[str]:
    return row[: len(row) - next((i for i, cell in enumerate(reversed(row)) if cell), len(row))]


def _rows_above(rows: list[list[str]]) -> int:
    """Return how many rows come before the data: those with words where most later rows have numbers."""
    for i, row in enumerate(rows):
        later = rows[i + 1 :]
        if any(is_number(cell) for cell in row) and not _is_heading(row, later):
            return i
    return len(rows)


def _is_heading(row: list[str], later: list[list[str]]) -> bool:
    for c, cell in enumerate(row[:_SAMPLE_COLUMNS]):
        below = [other[c] for other in later if c < len(other)]
        numbers = sum(is_number(other) for other in below)
        if below and not is_number(cell) and not is_missing(cell) and 2 * numbers > len(below):
            return True
    return False


def _names_and_units(
    above: list[list[str]], comments: list[str], separator: str, width: int, path: object
) -> tuple[list[str], list[str], int]:
    """Return name and unit of each column, and how many of the rows above them were used."""
    used = 0
    units = [""] * width
    rows = [_trimmed(row) for row in above]
    if len(rows) > 1 and len(rows[-1]) == width and all(_UNIT.fullmatch(cell) for cell in rows[-1]):
        units, used = list(rows.pop()), 1
    names: list[str] = []
    if rows:
        names, used = rows[-1], used + 1
    elif comments:
        candidate = split_cells(comments[-1].lstrip("#%/ "), separator, path, 1)
        if len(_trimmed(candidate)) == width and not any(is_number(cell) for cell in candidate):
            names = _trimmed(candidate)
    width = max(width, len(names))
    names = [*names, *([""] * (width - len(names)))]
    units += [""] * (width - len(units))
    for i, name in enumerate(names):
        match = _NAME_WITH_UNIT.fullmatch(name)
        if match:
            unit = match["round"] if match["round"] is not None else match["square"]
            names[i], units[i] = match["name"], unit.strip()
    return [name or f"column_{i}" for i, name in enumerate(names, 1)], units, used


def split_cells(line: str, separator: str, path: object, number: int) -> list[str]:
    """Return the cells of a line, stripped and without their quotes.

    Raises:
        CaptureError: Its quotes do not close, or a cell is longer than any cell is.
    """
    blanks = separator == " "
    source = re.sub(r"[ \t]+", " ", line.strip()) if blanks else line
    if not ('"' in source or (blanks and "'" in source) or len(source) > _LONGEST):
        return [cell.strip() for cell in source.split(separator)] if source else []
    quote = "'" if blanks and "'" in source and '"' not in source else '"'
    try:
        rows = list(csv.reader([source], delimiter=separator, quotechar=quote, skipinitialspace=True))
    except csv.Error as error:
        raise CaptureError(path, f"row {number}", f"cannot be split: {error}", "repair its quotes") from error
    return [cell.strip() for cell in rows[0]] if rows else []
