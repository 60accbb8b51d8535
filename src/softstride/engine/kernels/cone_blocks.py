"""Symmetric matrices of 3 x 3 blocks in lanes: Cholesky factor, substitution, product.

Block (i, j), j <= i, of a matrix stands in nine rows from ``first + 9 (i (i + 1) / 2 + j)``, so that the blocks of a
block row follow one another. A factor keeps the reciprocals of its diagonal.
"""

from __future__ import annotations

from typing import Any

from softstride.engine.jit import inner
from softstride.engine.kernels.tables import Array
from softstride.engine.lanes import Index, Rows, sqrt, straight

CHUNK = 4  # blocks handled by one straight piece of code
_COUNTS = tuple(range(1, CHUNK + 1))


@inner
def block_row(first: int, i: int) -> int:
    """Return the first row of block row i."""
    return first + 9 * (i * (i + 1) // 2)


@inner
def rows_of(n: int) -> int:
    """Return the number of rows of a matrix of n x n blocks."""
    return 9 * (n * (n + 1) // 2)


@straight(k=_COUNTS)
def take_off(m: Rows, source: Index, left: Index, right: Index, target: Index, k: int) -> None:
    """Set target = source - sum of A B^T over k neighbouring blocks A of `left` and B of `right`."""
    # Blocks stand row by row, so A B^T is rows of A times rows of B.
    total: Any = [m[source + e] for e in range(9)]
    for n in range(k):
        b = [m[right + 9 * n + e] for e in range(9)]
        for row in range(3):
            a = [m[left + 9 * n + 3 * row + e] for e in range(3)]
            for column in range(3):
                for e in range(3):
                    total[3 * row + column] = total[3 * row + column] - a[e] * b[3 * column + e]
    for e in range(9):
        m[target + e] = total[e]


@straight
def add_diagonal(m: Rows, h: Index, b: Index, target: Index) -> None:
    """Set target = H + B, both of one diagonal block, B as its six numbers 00 01 02 11 12 22."""
    for e, part in enumerate((0, 1, 2, 1, 3, 4, 2, 4, 5)):
        m[target + e] = m[h + e] + m[b + part]


@straight
def copy_block(m: Rows, source: Index, target: Index) -> None:
    """Copy a block."""
    for e in range(9):
        m[target + e] = m[source + e]


@straight
def root(m: Rows, block: Index) -> None:
    """Replace a diagonal block by its Cholesky factor, with reciprocals on the diagonal."""
    # L L^T = A for one 3 x 3 block; 1 / L_ii is kept, since what follows only divides by it.
    a, b, c, d, e, f = (m[block + k] for k in (0, 3, 4, 6, 7, 8))
    i = 1.0 / sqrt(a)
    b, d = b * i, d * i
    j = 1.0 / sqrt(c - b * b)
    e = (e - d * b) * j
    k = 1.0 / sqrt(f - d * d - e * e)
    for place, value in zip((0, 3, 4, 6, 7, 8), (i, b, j, d, e, k), strict=True):
        m[block + place] = value


@straight
def divide(m: Rows, diagonal: Index, block: Index) -> None:
    """Replace a block A by A L^-T, L being the factor of a diagonal block."""
    # X L^T = A: every row of A by forward substitution.
    i, b, j, d, e, k = (m[diagonal + n] for n in (0, 3, 4, 6, 7, 8))
    for row in range(3):
        at = block + 3 * row
        x = m[at] * i
        y = (m[at + 1] - x * b) * j
        m[at] = x
        m[at + 1] = y
        m[at + 2] = (m[at + 2] - x * d - y * e) * k


@inner
def factorise(m: Array, h: int, b: int, factor: int, n: int) -> None:
    """Write the Cholesky factor of H + diag(B)."""
    # Block Cholesky without pivoting (H + B is positive definite), one block column at a time:
    #     S_ij = H_ij + B_ij - sum over k < j of L_ik L_jk^T,   L_jj L_jj^T = S_jj,   L_ij = S_ij L_jj^-T.
    # B couples no two points, so only diagonal blocks have a part of it.
    for j in range(n):
        right = block_row(factor, j)
        for i in range(j, n):
            left = block_row(factor, i)
            target = left + 9 * j
            source = block_row(h, i) + 9 * j
            if i == j:
                add_diagonal(m, source, b + 6 * j, target)
                source = target
            elif j == 0:
                copy_block(m, source, target)
            # Blocks k of a block row are neighbours in memory: the sum is taken CHUNK at a time.
            k = 0
            while k < j:
                count = min(CHUNK, j - k)
                take_off(m, source, left + 9 * k, right + 9 * k, target, count)
                source = target
                k += count
            if i == j:
                root(m, target)
            else:
                divide(m, right + 9 * j, target)


def _gather(m: Rows, blocks: Index, x: Index, y: Index, sign: float, k: int) -> None:
    """Add sign times the sum of A x over k neighbouring blocks to y."""
    total: Any = [m[y + e] for e in range(3)]
    for n in range(k):
        for e in range(3):
            part = m[x + 3 * n + e] * sign
            for row in range(3):
                total[row] = total[row] + m[blocks + 9 * n + 3 * row + e] * part
    for e in range(3):
        m[y + e] = total[e]


def _spread(m: Rows, blocks: Index, x: Index, y: Index, sign: float, k: int) -> None:
    """Add sign times A^T x to the part of y that belongs to each of k neighbouring blocks."""
    part = [m[x + e] * sign for e in range(3)]
    for n in range(k):
        for column in range(3):
            total: Any = m[y + 3 * n + column]
            for e in range(3):
                total = total + m[blocks + 9 * n + 3 * e + column] * part[e]
            m[y + 3 * n + column] = total


gather_minus, gather_plus = (straight(_gather, sign=sign, k=_COUNTS) for sign in (-1.0, 1.0))
spread_minus, spread_plus = (straight(_spread, sign=sign, k=_COUNTS) for sign in (-1.0, 1.0))


@straight
def lower(m: Rows, block: Index, y: Index) -> None:
    """Replace y by L^-1 y, L being the factor of a diagonal block."""
    i, b, j, d, e, k = (m[block + n] for n in (0, 3, 4, 6, 7, 8))
    first = m[y] * i
    second = (m[y + 1] - first * b) * j
    m[y] = first
    m[y + 1] = second
    m[y + 2] = (m[y + 2] - first * d - second * e) * k


@straight
def upper(m: Rows, block: Index, y: Index) -> None:
    """Replace y by L^-T y, L being the factor of a diagonal block."""
    i, b, j, d, e, k = (m[block + n] for n in (0, 3, 4, 6, 7, 8))
    third = m[y + 2] * k
    second = (m[y + 1] - third * e) * j
    m[y + 2] = third
    m[y + 1] = second
    m[y] = (m[y] - third * d - second * b) * i


@inner
def substitute(m: Array, factor: int, y: int, n: int) -> None:
    """Replace y by (L L^T)^-1 y."""
    # L y' = y: y_i = L_ii^-1 (y_i - sum over k < i of L_ik y_k).
    for i in range(n):
        row = block_row(factor, i)
        k = 0
        while k < i:
            count = min(CHUNK, i - k)
            gather_minus(m, row + 9 * k, y + 3 * k, y + 3 * i, count)
            k += count
        lower(m, row + 9 * i, y + 3 * i)
    # L^T y = y', last point first: L is kept by rows, so y_i goes off all y_k, k < i, by row i.
    for i in range(n - 1, -1, -1):
        row = block_row(factor, i)
        upper(m, row + 9 * i, y + 3 * i)
        k = 0
        while k < i:
            count = min(CHUNK, i - k)
            spread_minus(m, row + 9 * k, y + 3 * i, y + 3 * k, count)
            k += count


@inner
def add_product(m: Array, h: int, x: int, y: int, n: int) -> None:
    """Add H x to y."""
    # H is kept on and below its diagonal: H_ik x_k goes to y_i, and H_ik^T x_i to y_k.
    for i in range(n):
        row = block_row(h, i)
        k = 0
        while k < i:
            count = min(CHUNK, i - k)
            gather_plus(m, row + 9 * k, x + 3 * k, y + 3 * i, count)
            spread_plus(m, row + 9 * k, x + 3 * i, y + 3 * k, count)
            k += count
        gather_plus(m, row + 9 * i, x + 3 * i, y + 3 * i, 1)
