"""Axis values of custom joints: piecewise polynomials of the coordinates.

Neighbouring frames mostly lie in one piece: then its coefficients are the same in all lanes. Where they do not, each
lane fetches its own. Roundings are written out (`fma`), so that both ways end in the same bits: a frame does not depend
on its neighbours.
"""

from __future__ import annotations

from softstride.engine.jit import inner
from softstride.engine.kernels.matrices import clear_rows
from softstride.engine.kernels.tables import (
    AXES,
    AXIS,
    COEFFICIENTS,
    COORDINATE,
    DEGREE,
    IQ,
    IV,
    PIECE,
    PIECES,
    SLOPES,
    TERM,
    TERMS,
    VALUES,
    WITHIN,
    Array,
    N,
    Tree,
)
from softstride.engine.lanes import LANES, Frames, Index, Lane, Number, Rows, fma, straight

COMMON = 4  # degree up to which a polynomial is written out


def add_rates(
    m: Rows,
    axis: Index,
    slope: Index,
    n: Index,
    y: list[Lane | Number],
    speed: Lane,
    acceleration: Lane,
) -> None:
    """Add a term to its axis: value, slopes, rates. ``y`` are the derivatives y^(k) / k!."""
    # A term f(q_c) adds f' v to the rate of its axis and f'' v^2 + f' a to the second rate.
    # From y_k = f^(k) / k!: f' = y_1, f'' = 2 y_2, f''' = 6 y_3.
    for row, x, factors in (
        (axis, y[0], (1.0,)),
        (slope, y[1], (1.0,)),
        (slope + n * 6, y[2], (2.0,)),
        (slope + n * 12, y[3], (6.0,)),
        (axis + 6, y[1], (speed,)),
        (axis + 12, y[2], (2.0, speed, speed)),
        (axis + 12, y[1], (acceleration,)),
    ):
        if isinstance(x, Lane):
            for factor in factors[:-1]:
                x = x * factor
            m[row] = fma(x, factors[-1], m[row])


def horner(y: list[Lane | Number], r: Lane, c: Lane) -> list[Lane | Number]:
    """Take one coefficient more into a value and its derivatives y^(k) / k!."""
    # y_k <- y_k r + y_(k-1), and the coefficient for y_(-1): Horner and its derivatives without factorials.
    lower = (c, *y[:3])
    return [fma(x, r, z) if isinstance(x, Lane) else z for x, z in zip(y, lower, strict=True)]


def polynomial(
    tree: Tree,
    m: Rows,
    axis: Index,
    slope: Index,
    n: Index,
    piece: Index,
    q: Frames,
    f: Index,
    iq: Index,
    v: Frames,
    g: Index,
    a: Frames,
    h: Index,
    iv: Index,
    degree: int,
) -> None:
    """Add a term whose lanes are all in one piece (Horner)."""
    # A piece is its origin, then its coefficients in ascending powers of r = q - origin.
    r = q[f, iq] - tree.pieces[piece]
    y: list[Lane | Number] = [0.0, 0.0, 0.0, 0.0]
    for d in range(degree, -1, -1):
        y = horner(y, r, tree.pieces[piece + 1 + d])
    add_rates(m, axis, slope, n, y, v[g, iv], a[h, iv])


add_polynomial = straight(polynomial, degree=tuple(range(COMMON + 1)))


@straight
def step(m: Rows, work: Index, c: Index) -> None:
    """Take one coefficient of each lane's piece into value and derivatives."""
    y: list[Lane | Number] = [m[work + VALUES + k] for k in range(4)]
    for k, x in enumerate(horner(y, m[work + WITHIN], m[c])):
        m[work + VALUES + k] = x


@straight
def add_constant(m: Rows, work: Index, axis: Index) -> None:
    """Add a term without coordinate."""
    m[axis] = m[axis] + m[work + VALUES]


@straight
def add_values(
    m: Rows,
    work: Index,
    axis: Index,
    slope: Index,
    n: Index,
    v: Frames,
    g: Index,
    a: Frames,
    h: Index,
    iv: Index,
) -> None:
    """Add a term whose lanes are in pieces of their own."""
    add_rates(m, axis, slope, n, [m[work + VALUES + k] for k in range(4)], v[g, iv], a[h, iv])


@inner
def find_piece(pieces: Array, start: int, last: int, x: float) -> int:
    """Return the piece of x: breaks[k - 1] <= x < breaks[k]."""
    low = 0
    high = last
    while low < high:
        middle = (low + high) // 2
        if x >= pieces[start + middle]:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def common_piece(pieces: Array, start: int, last: int, q: Array, f: int, column: int) -> int:
    """Return the piece that all lanes are in; -1 if they are in more than one."""
    if last == 0:
        return 0
    # Search in the first lane; of the others only ask whether they lie between the same breaks.
    k = find_piece(pieces, start, last, q[f, column])
    inside = True
    for lane in range(1, LANES):
        x = q[f + lane, column]
        inside = inside and (k == 0 or x >= pieces[start + k - 1]) and (k == last or x < pieces[start + k])
    return k if inside else -1


@inner
def add_term(
    tree: Tree,
    t: int,
    axis: int,
    slope: int,
    n: int,
    iq: int,
    iv: int,
    q: Array,
    f: int,
    v: Array,
    g: int,
    a: Array,
    h: int,
    m: Array,
    work: int,
) -> None:
    """Add a term whose lanes are in pieces of their own, that has no coordinate, or that is of high degree."""
    terms, pieces = tree.terms, tree.pieces
    coordinate, start = terms[t, COORDINATE], terms[t, PIECE]
    last, degree = terms[t, PIECES] - 1, terms[t, DEGREE]
    # Each lane copies the coefficients of its own piece to [row, lane]; then one Horner serves all lanes.
    for lane in range(LANES):
        x = 0.0
        if coordinate >= 0:
            x = q[f + lane, iq + coordinate]
        piece = start + last + find_piece(pieces, start, last, x) * (degree + 2)
        m[work + WITHIN, lane] = x - pieces[piece]
        for d in range(degree + 1):
            m[work + COEFFICIENTS + d, lane] = pieces[piece + 1 + d]
    clear_rows(m, work + VALUES, 4)
    for d in range(degree, -1, -1):
        step(m, work, work + COEFFICIENTS + d)
    if coordinate >= 0:
        add_values(m, work, axis, slope, n, v, g, a, h, iv + coordinate)
    else:
        add_constant(m, work, axis)


@inner
def evaluate_axes(
    tree: Tree, i: int, k: int, q: Array, f: int, v: Array, g: int, a: Array, h: int, m: Array, row: int
) -> None:
    """Fill the record of custom station k of node i: axis values, rates, second rates and slopes.

    x_i = sum over its terms of function(q_c); rates by the chain rule with x' and x''; up to x''' for derivatives.
    Positions are read from frame f on, velocities from frame g, accelerations from frame h.
    A function's pieces are stored as breaks (pieces - 1), then origin and ascending coefficients of each piece.
    """
    terms, pieces = tree.terms, tree.pieces
    n, iq, iv = tree.nodes[i, N], tree.nodes[i, IQ], tree.nodes[i, IV]
    first = tree.stations[k, TERM]
    work = row + SLOPES + 18 * n
    clear_rows(m, row + AXES, 18)
    clear_rows(m, row + SLOPES, 18 * n)
    for t in range(first, first + tree.stations[k, TERMS]):
        coordinate, start = terms[t, COORDINATE], terms[t, PIECE]
        last, degree = terms[t, PIECES] - 1, terms[t, DEGREE]
        axis = row + AXES + terms[t, AXIS]
        slope = row + SLOPES + terms[t, AXIS] * n + coordinate
        # One piece for all lanes is the rule: coefficients are broadcast and the degree is unrolled.
        piece = -1
        if coordinate >= 0 and degree <= COMMON:
            piece = common_piece(pieces, start, last, q, f, iq + coordinate)
        if piece >= 0:
            piece = start + last + piece * (degree + 2)
            add_polynomial(
                tree, m, axis, slope, n, piece, q, f, iq + coordinate, v, g, a, h, iv + coordinate, degree
            )
        else:
            add_term(tree, t, axis, slope, n, iq, iv, q, f, v, g, a, h, m, work)
