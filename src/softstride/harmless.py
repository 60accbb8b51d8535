"""Names of strangers as names of files and as cells of tables.

Links, muscles, trials and channels are called as files say. As the name of a file such a name must not lead into
another folder; as a cell it must not be a formula, which spreadsheets would work out. Ordinary names stay as they are.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

ELSEWHERE = re.compile(r"[/\\\x00-\x1f\x7f]")
"""What separates folders, here or on other systems, and what no terminal shows."""

WINDOWS = re.compile(r'[<>:"|?*]|[. ]$')
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices."""

LONGEST = 150
"""Of a name in UTF-8 [bytes]; file systems take 255, of which endings and the names of parts need some."""

FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
"""What formulas of spreadsheets begin with."""


PLAIN = "biufcmM"
"""Kinds of arrays that hold numbers or dates."""


def file_name(text: str) -> str:
    """Return a name as one that a file may have in its folder, with an ending behind it.

    What leads elsewhere becomes "_"; a name that is too long keeps its beginning, and a digest tells it from others.
    """
    name = ELSEWHERE.sub("_", text)
    if sys.platform == "win32":
        name = WINDOWS.sub("_", name)
        name = f"_{name}" if RESERVED.fullmatch(name) else name
    if not name.strip(". "):
        name = "_" * max(len(name), 1)
    data = name.encode("utf-8", "replace")
    if len(data) > LONGEST:
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
        name = f"{data[: LONGEST - 9].decode('utf-8', 'ignore')}_{digest}"
    return name


def storable(text: str) -> str:
    """Return a text as HDF5 can hold it: without NUL, which ends texts there, and without halves of characters."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{SYMBOL FOR NULL}")


def file_names(texts: Iterable[str]) -> list[str]:
    """Return names as `file_name` does, no two alike, also where a file system takes A for a."""
    found: list[str] = []
    taken: set[str] = set()
    for text in texts:
        base = name = file_name(text)
        number = 2
        while name.casefold() in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name.casefold())
        found.append(name)
    return found


def cell(value: Any) -> Any:
    """Return a value of a table as no spreadsheet takes it for a formula; what is no text, or a number, stays."""
    if not isinstance(value, str):
        return value
    plain = value.replace("\r", " ")  # it may begin a row, and is not quoted for it
    if not FORMULA.match(value):
        return plain
    try:
        float(value)
    except ValueError:
        return f"'{plain}"
    return plain


def csv_line(values: Iterable[Any]) -> str:
    """Return a line of comma-separated values, without its end; text is harmless and quoted where it must be."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow([cell(value) for value in values])
    return stream.getvalue()[:-1]


def csv_text(table: pd.DataFrame, **options: Any) -> str:
    """Return a table as comma-separated values with harmless headings and text; options are those of `to_csv`."""
    clean = table.copy(deep=False)
    clean.columns = clean.columns.map(_heading)
    if clean.index.dtype.kind not in PLAIN:
        clean.index = clean.index.map(_heading)
    clean.index = clean.index.set_names([cell(name) for name in table.index.names])
    for i, kind in enumerate(clean.dtypes):
        if kind.kind not in PLAIN:
            clean.isetitem(i, clean.iloc[:, i].map(cell))
    return str(clean.to_csv(lineterminator="\n", **options))


def _heading(name: Any) -> Any:
    return tuple(cell(each) for each in name) if isinstance(name, tuple) else cell(name)
