"""Writing many columns: from lanes to one contiguous run of numbers a frame."""

from __future__ import annotations

from softstride.engine.jit import inner
from softstride.engine.kernels.tables import Array, IntArray
from softstride.engine.lanes import LANES, Frames, Index, Rows, straight, where

ALL = (1 << LANES) - 1  # every column of a tile


@straight
def put_tile(m: Rows, row: Index, out: Frames, f: Index, column: Index) -> None:
    """Write LANES rows of scratch to LANES columns of the result."""
    out.put_tile(f, column, [m[row + k] for k in range(LANES)])


@straight
def put_some(m: Rows, row: Index, bits: Index, out: Frames, f: Index, column: Index) -> None:
    """Write those of LANES rows whose bit is set, and zeros for the others."""
    out.put_tile(f, column, [where(bits.bit(k), m[row + k], 0.0) for k in range(LANES)])


@straight
def put_zeros(out: Frames, f: Index, column: Index) -> None:
    """Write zeros to LANES columns of the result."""
    out.put_tile(f, column, 0.0)


@straight
def put_one(m: Rows, row: Index, out: Frames, f: Index, column: Index) -> None:
    """Write one row of scratch to one column of the result."""
    out[f, column] = m[row]


@straight
def put_zero(out: Frames, f: Index, column: Index) -> None:
    """Write zeros to one column of the result."""
    out[f, column] = 0.0


@straight
def clear_row(m: Rows, row: Index) -> None:
    """Set a row to zero."""
    m[row] = 0.0


@inner
def clear_rows(m: Array, first: int, count: int) -> None:
    """Set rows to zero."""
    for row in range(first, first + count):
        clear_row(m, row)


@inner
def put_row(m: Array, first: int, n: int, related: IntArray, i: int, out: Array, f: int, target: int) -> None:
    """Write one matrix row of n columns at scratch rows first + j to columns target + j of the result.

    Only columns whose bit is set in ``related[i]`` (one number for LANES columns) are read, the others are zero.
    """
    # LANES columns at a time: in scratch a row holds LANES frames, in the result a frame is contiguous.
    # Scratch of unrelated pairs is not written, so it must not be read.
    full = n // LANES
    for tile in range(full):
        j = tile * LANES
        bits = related[i, tile]
        if bits == ALL:
            put_tile(m, first + j, out, f, target + j)
        elif bits == 0:
            put_zeros(out, f, target + j)
        else:
            put_some(m, first + j, bits, out, f, target + j)
    for j in range(full * LANES, n):
        if related[i, full] >> (j - full * LANES) & 1:
            put_one(m, first + j, out, f, target + j)
        else:
            put_zero(out, f, target + j)


@inner
def put_matrix(m: Array, first: int, n: int, related: IntArray, out: Array, f: int) -> None:
    """Write a matrix over pairs of coordinates, row i at scratch rows first + i n, to columns i n on."""
    for i in range(n):
        put_row(m, first + i * n, n, related, i, out, f, i * n)
