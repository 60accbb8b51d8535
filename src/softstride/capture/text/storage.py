"""MOT and STO: OpenSim's tables over time, versions 1 to 3, and SIMM's motion files before them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from softstride.capture.text.clean_numbers import FloatArray
from softstride.capture.text.clock import read_clock
from softstride.capture.text.encoding import plain_text, unique_names
from softstride.capture.text.numerals import check_names, joined, number_rows
from softstride.capture.text.storage_header import (
    TIME,
    find_lies,
    read_header,
    read_in_degrees,
    read_names,
    read_vector_size,
    time_from_range,
)
from softstride.capture.text.table import is_number, read_numbers
from softstride.errors import CaptureError
from softstride.fields import Frozen
from softstride.notes import Note, Notes

_TYPES = {2: "Vec2", 3: "Vec3", 4: "Quaternion", 6: "Vec6"}


@dataclass(frozen=True, eq=False)
class StorageFile(Frozen):
    """The content of a MOT or STO file, in the file's own units.

    Attributes:
        name: Name of the table, often that of the file.
        columns: Names of the columns, all different, time not among them. A vector column "f" of size 3 is
            "f_1", "f_2", "f_3", as OpenSim itself flattens it.
        time: Instants [s], shape (n,); regular where rounding explains the file's column.
        values: Shape (n, k), finite or NaN.
        in_degrees: Whether the header says that angles are in degrees; None if it does not say.
        header: What the header says, by its own names; free text as "description".
        vector_size: Numbers in one cell of the file: 1, or 3 for `DataType=Vec3`.
        time_column: Instants as in the file [s], shape (n,); `time` if None.
        notes: What had to be decided.
    """

    name: str
    columns: tuple[str, ...]
    time: FloatArray
    values: FloatArray
    in_degrees: bool | None = None
    header: Mapping[str, str] = field(default_factory=dict)
    vector_size: int = 1
    time_column: FloatArray | None = None
    notes: tuple[Note, ...] = ()


def parse_storage(data: bytes, path: object) -> StorageFile:
    """Read a MOT or STO file.

    Where the header disagrees with the rows about their number or that of the columns, the rows are believed and a
    note says so.

    Args:
        data: The whole file.
        path: Its name, for errors.

    Returns:
        The content.

    Raises:
        CaptureError: No names of columns, no time, a cell that is not a number, names that do not fit the rows.
    """
    text, notes = plain_text(data, path)
    name, header, start, first_line = read_header(text, path, notes)
    names, start, first_line = read_names(text, start, first_line, path)
    size = read_vector_size(header, path)
    columns, renamed = unique_names(_flat_names(names, size), "columns")
    notes.extend(renamed)
    body, separator = text[start:], b"\t" if b"\t" in text[start : start + 10_000] else None
    if size > 1:
        body = _spread(body, size)
    elif b"," in body:
        where = "DataType is not a vector" if "DataType" in header else "there is no DataType"
        raise CaptureError(
            path, "rows", f"cells hold commas, but {where}", "write decimal points, or DataType=Vec3"
        )
    table = read_numbers(body, columns, path, first_line=first_line, separator=separator, group=size)
    _check_shape(table.values, table.widest, columns, path)
    notes.extend([*table.notes, *find_lies(header, len(table.values), len(names))])
    time_index = _find_time(columns, notes)
    if time_index is None:
        time_column = time_from_range(header, len(table.values), path, notes)
    else:
        time_column = table.values[:, time_index].copy()
    stated = header.get("DataRate", "")
    clock = read_clock(time_column, path, float(stated) if is_number(stated) else None)
    kept = [i for i in range(len(columns)) if i != time_index]
    return StorageFile(
        name=name,
        columns=tuple(columns[i] for i in kept),
        time=clock.time,
        values=np.ascontiguousarray(table.values[:, kept]),
        in_degrees=read_in_degrees(header, notes),
        header=header,
        vector_size=size,
        time_column=time_column,
        notes=(*notes, *clock.notes),
    )


def _flat_names(names: list[str], size: int) -> list[str]:
    if size == 1:
        return names
    return [names[0], *(f"{name}_{i}" for name in names[1:] for i in range(1, size + 1))]


def _spread(body: bytes, size: int) -> bytes:
    """Return rows of "1,2,3" as rows of single cells; a blank or NaN cell is so many blanks."""
    blanks = b"," * (size - 1)
    body = re.sub(rb"(?m)(?<=\t)[ ]*(?:(?i:nan)[ ]*)?(?=\t|$)", blanks, body)
    return body.replace(b",", b"\t")


def _check_shape(values: FloatArray, widest: int, columns: tuple[str, ...], path: object) -> None:
    if not len(values):
        raise CaptureError(
            path, "rows", "there are none below the names of the columns", "export the trial again"
        )
    if widest < len(columns):
        problem = f"{len(columns)} are named, but no row has more than {widest} values"
        raise CaptureError(path, "names of columns", problem, "name each column once")


def _find_time(columns: tuple[str, ...], notes: Notes) -> int | None:
    for i, name in enumerate(columns):
        if TIME.fullmatch(name):
            if i:
                said = f"time is column {i + 1}, not the first"
                notes.add("storage.time-not-first", said, topic="storage", values={"column": i + 1})
            return i
    return None


def format_storage(file: StorageFile, precision: int | None = None, path: object = "output") -> bytes:
    """Return the bytes of a MOT or STO file that reads back bit for bit, here and in OpenSim.

    Times are written as `time_column` has them. Vectors are written as `DataType=Vec3` and its kin.

    Args:
        file: The content.
        precision: Significant digits of the values; None for as many as each needs.
        path: The file to be written, for errors.

    Raises:
        CaptureError: A name that cannot be a cell, or arrays that do not fit the names.
    """
    size, n = file.vector_size, len(file.time)
    check_names(("time", *file.columns), "columns", path)
    values = np.asarray(file.values, dtype=np.float64)
    if values.shape != (n, len(file.columns)) or len(file.columns) % size:
        problem = f"shape {values.shape} does not fit {n} times and {len(file.columns)} columns"
        raise CaptureError(path, "values", problem, "give one column a name")
    time = file.time if file.time_column is None else file.time_column
    columns = [name if size == 1 else name.rpartition("_")[0] for name in file.columns[::size]]
    times = number_rows(np.asarray(time, dtype=np.float64)[:, None], None, "nan", path)
    numbers = number_rows(values, precision, "nan", path)
    cells = (
        [[",".join(row[i : i + size]) for i in range(0, len(row), size)] for row in numbers]
        if size > 1
        else numbers
    )
    head = _header_lines(file, n, len(columns) + 1)
    body = joined([["time", *columns], *([*t, *row] for t, row in zip(times, cells, strict=True))])
    return (head + body).encode()


def _header_lines(file: StorageFile, n_rows: int, n_columns: int) -> str:
    fixed = {
        "nrows": str(n_rows),
        "ncolumns": str(n_columns),
        "datarows": str(n_rows),
        "datacolumns": str(n_columns),
    }
    vector = file.vector_size > 1
    lines = {"version": "3" if vector else "1", "nRows": "", "nColumns": ""}
    if vector:
        lines["DataType"] = _TYPES.get(file.vector_size, f"Vec{file.vector_size}")
    if file.in_degrees is not None:
        lines["inDegrees"] = "yes" if file.in_degrees else "no"
    taken = {key.lower() for key in (*lines, "inDegrees", "DataType", "description", "name")}
    lines |= {key: value for key, value in file.header.items() if key.lower() not in taken}
    if "version" in file.header and not vector:
        lines["version"] = file.header["version"]
    title = " ".join(file.name.split()) or "table"
    text = "".join(
        f"{key}={fixed.get(key.lower(), ' '.join(value.split()))}\n" for key, value in lines.items()
    )
    description = [line for line in file.header.get("description", "").splitlines() if "=" not in line]
    free = "".join(f"{line}\n" for line in description if line.strip().lower() != "endheader")
    return f"{title}\n{text}{free}endheader\n"
