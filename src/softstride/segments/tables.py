"""Results as text: comma-separated values, or the storage files that OpenSim reads."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.capture.text import StorageFile, format_storage
from softstride.errors import InputError
from softstride.files import write_whole
from softstride.harmless import csv_line
from softstride.notes import Note

Array = NDArray[np.float64]

SUFFIXES = (".csv", ".sto", ".mot")


def save_table(
    path: str | Path,
    index: str,
    rows: Array,
    columns: Sequence[str],
    values: Array,
    *,
    overwrite: bool = False,
    name: str = "segments",
) -> tuple[Note, ...]:
    """Write a table; numbers read back bit for bit, and "nan" is what is not known.

    Args:
        path: Ending in .csv, .sto or .mot.
        index: Heading of the first column; "time" for storage files.
        rows: Values of the first column, shape (n,).
        columns: Headings of the others.
        values: Shape (n, k).
        overwrite: Whether an existing file may be replaced.
        name: Of the table, in storage files.

    Returns:
        Notes on what the file does not say by itself: none.

    Raises:
        CaptureError: The file exists already or cannot be written.
        InputError: The name of the file ends in something else, or shapes do not fit.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(f"{target}: must end in {', '.join(SUFFIXES)}")
    if values.shape != (len(rows), len(columns)):
        raise InputError(f"values must be ({len(rows)}, {len(columns)}), not {values.shape}")
    if target.suffix.lower() != ".csv" and index != "time":
        raise InputError(f"{target}: a table by {index} has no time; end it in .csv")
    if target.suffix.lower() == ".csv":
        data = _csv(index, rows, columns, values).encode("utf-8")
    else:
        file = StorageFile(
            name=name,
            columns=tuple(columns),
            time=np.asarray(rows),
            values=np.asarray(values),
            in_degrees=False,
        )
        data = format_storage(file, path=str(target))
    write_whole(target, data, overwrite=overwrite)
    return ()


def _csv(index: str, rows: Array, columns: Sequence[str], values: Array) -> str:
    out = io.StringIO()
    out.write(csv_line([index, *columns]) + "\n")
    for row, line in zip(rows.tolist(), values.tolist(), strict=True):
        out.write(",".join([repr(row), *(repr(x) for x in line)]) + "\n")
    return out.getvalue()
