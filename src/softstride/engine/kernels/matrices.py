"""Writing matrices of coordinate pairs: from lanes to one contiguous matrix a frame."""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import inner
from softstride.engine.lanes import LANES, Frames, Index, Rows, straight


@straight
def put_tile(m: Rows, row: Index, out: Frames, f: Index, column: Index) -> None:
    """Write LANES rows of scratch to LANES columns of the result."""
    out.put_tile(f, column, [m[row + k] for k in range(LANES)])


@straight
def put_zeros(out: Frames, f: Index, column: Index) -> None:
    """Write zeros to LANES columns of the result."""
    out.put_tile(f, column, 0.0)


@straight
def put_one(m: Rows, row: Index, out: Frames, f: Index, column: Index) -> None:
    """Write one row of scratch to one column of the result."""
    out[f, column] = m[row]


@straight
def clear_row(m: Rows, row: Index) -> None:
    """Set a row to zero."""
    m[row] = 0.0


@inner
def clear_rows(m: Any, first: int, count: int) -> None:
    """Set rows to zero."""
    for row in range(first, first + count):
        clear_row(m, row)


@inner
def put_matrix(m: Any, first: int, n: int, related: Any, out: Any, f: int) -> None:
    """Write the matrix at scratch rows first + i n + j to columns i n + j of the result.

    Tiles in which no pair of coordinates is related are written as zeros without being read.
    """
    full = n // LANES
    for i in range(n):
        for tile in range(full):
            column = i * n + tile * LANES
            if related[i, tile]:
                put_tile(m, first + column, out, f, column)
            else:
                put_zeros(out, f, column)
        for column in range(i * n + full * LANES, (i + 1) * n):
            put_one(m, first + column, out, f, column)
