"""Numbers as text that reads back as the same number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from softstride.errors import CaptureError, InputError


def number_rows(
    values: NDArray[np.float64], precision: int | None, missing: str, path: object = "output"
) -> list[list[str]]:
    """Return a table as text: the shortest decimals that read back bit for bit, or `precision` significant digits.

    Args:
        values: Shape (n_rows, n_columns), finite or NaN.
        precision: Significant digits; None for as many as each number needs.
        missing: What stands for NaN.
        path: The file to be written, for errors.

    Raises:
        InputError: The precision is not a number of digits.
        CaptureError: A value is infinite, which no reader of these formats expects.
    """
    if precision is not None and not 1 <= precision <= 17:
        raise InputError(f"precision must be 1 to 17 significant digits or None, not {precision}")
    infinite = np.argwhere(np.isinf(values))
    if infinite.size:
        row, column = infinite[0]
        raise CaptureError(
            path,
            f"row {row + 1}, column {column + 1}",
            "an infinite value",
            "write NaN for what is not known",
        )
    write = repr if precision is None else f"{{:.{precision}g}}".format
    rows = [list(map(write, row)) for row in np.asarray(values, dtype=np.float64).tolist()]
    for row, column in np.argwhere(np.isnan(values)).tolist():
        rows[row][column] = missing
    return rows


def check_names(names: Sequence[str], kind: str, path: object = "output") -> None:
    """Raise where a name cannot be a cell: blank, with tabs or line ends, with blanks at its ends, or twice.

    Args:
        names: The names.
        kind: What they name, for errors.
        path: The file to be written, for errors.

    Raises:
        CaptureError: Such a name.
    """
    for name in names:
        if not name or name != name.strip() or any(character in name for character in "\t\r\n\x00"):
            problem = f"{name!r} is blank, or holds a tab, a line end or outer blanks"
            raise CaptureError(path, kind, problem, "rename it")
    twice = {name for name in names if list(names).count(name) > 1} if len(set(names)) < len(names) else set()
    if twice:
        raise CaptureError(path, kind, f"{sorted(twice)[0]!r} appears twice", "rename one")


def joined(rows: Iterable[Sequence[str]]) -> str:
    r"""Return rows as lines of tab-separated cells, each with its ``\n``."""
    return "".join("\t".join(row) + "\n" for row in rows)
