"""Axis values of custom joints: piecewise polynomials of the coordinates, lane by lane."""

from __future__ import annotations

from softstride.engine.jit import inner
from softstride.engine.kernels.tables import (
    AXES,
    AXIS,
    COORDINATE,
    DEGREE,
    IQ,
    IV,
    PIECE,
    PIECES,
    SLOPES,
    TERM,
    TERMS,
    Array,
    N,
    Tree,
)
from softstride.engine.lanes import LANES


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
    count = tree.stations[k, TERMS]
    for r in range(row, row + SLOPES + 18 * n):
        for lane in range(LANES):
            m[r, lane] = 0.0
    for t in range(first, first + count):
        axis = terms[t, AXIS]
        coordinate = terms[t, COORDINATE]
        start = terms[t, PIECE]
        last = terms[t, PIECES] - 1
        degree = terms[t, DEGREE]
        for lane in range(LANES):
            x = 0.0
            if coordinate >= 0:
                x = q[f + lane, iq + coordinate]
            low = 0
            high = last
            while low < high:  # the piece of x: breaks[k - 1] <= x < breaks[k]
                middle = (low + high) // 2
                if x >= pieces[start + middle]:
                    low = middle + 1
                else:
                    high = middle
            piece = start + last + low * (degree + 2)
            r = x - pieces[piece]
            y0 = 0.0
            y1 = 0.0
            y2 = 0.0
            y3 = 0.0
            for d in range(degree, -1, -1):
                y3 = y3 * r + y2
                y2 = y2 * r + y1
                y1 = y1 * r + y0
                y0 = y0 * r + pieces[piece + 1 + d]
            m[row + AXES + axis, lane] += y0
            if coordinate >= 0:
                slope = row + SLOPES + axis * n + coordinate
                speed = v[g + lane, iv + coordinate]
                m[slope, lane] += y1
                m[slope + 6 * n, lane] += 2.0 * y2
                m[slope + 12 * n, lane] += 6.0 * y3
                m[row + AXES + 6 + axis, lane] += y1 * speed
                m[row + AXES + 12 + axis, lane] += (
                    y1 * a[h + lane, iv + coordinate] + 2.0 * y2 * speed * speed
                )
