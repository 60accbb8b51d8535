"""Curves as piecewise polynomials, so that compiled code evaluates all kinds alike.

Each smooth section of a curve is halved until a polynomial of degree 7 through its Lobatto points meets value and slope
everywhere between them; beyond the sections it is a line. What results is as good as the curve itself (`TOLERANCE`).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kernels.hill_curve import COEFFICIENTS, END, ORIGIN, PIECE, SCALE, Tables
from softstride.engine.run import sealed
from softstride.errors import ModelError
from softstride.muscles.hill.curve import Array, Curve

TOLERANCE = 1e-12
"""Error of a value, in units of 1 + its size; of a slope, a thousand times as much; and rounding."""

_DEGREE = COEFFICIENTS - 1
_NODES = -np.cos(np.pi * np.arange(COEFFICIENTS) / _DEGREE)
_FIT = np.linalg.inv(np.vander(_NODES, increasing=True))
_TESTS = np.linspace(-1.0, 1.0, 31)[1:-1]
_POINTS = np.concatenate([_NODES, _TESTS])
_TEST_POWERS = np.vander(_TESTS, COEFFICIENTS, increasing=True)
_FIRST_PIECES, _MOST_HALVINGS = 4, 24
_MOST_BINS = 1024
_EPS = float(np.finfo(np.float64).eps)


class Tabulated(NamedTuple):
    """One curve: pieces from left to right, and a grid of bins that says where to begin looking."""

    pieces: Array  # (n, PIECE)
    bins: NDArray[np.int64]  # piece at the beginning of each bin
    first: float  # where the bins begin
    scale: float  # bins a unit of x


@lru_cache(maxsize=4096)
def tabulate(curve: Curve) -> Tabulated:
    """Return a curve as pieces; curves with the same numbers share them."""
    breaks = curve.breaks()
    edges: list[float] = [breaks[0]]
    rows: list[Array] = []
    for a, b in pairwise(breaks):
        ends, coefficients = _section(curve, a, b)
        edges += ends
        rows += coefficients
    pieces = np.zeros((len(rows) + 2, PIECE))
    pieces[0] = _line(curve, breaks[0], -1.0)
    pieces[-1] = _line(curve, breaks[-1], 1.0)
    left, right = np.array(edges[:-1]), np.array(edges[1:])
    pieces[1:-1, :COEFFICIENTS] = rows
    pieces[1:-1, ORIGIN] = 0.5 * (left + right)
    pieces[1:-1, SCALE] = 2.0 / (right - left)
    pieces[:-1, END] = edges
    pieces[-1, END] = np.nan  # nothing lies beyond
    count = int(min(_MOST_BINS, np.ceil((edges[-1] - edges[0]) / np.min(right - left))))
    scale = count / (edges[-1] - edges[0])
    starts = edges[0] + np.arange(count + 1) / scale
    bins = np.searchsorted(pieces[:-1, END], starts, side="right").astype(np.int64)
    bins[0] = 0  # what lies before the first edge is there too
    return Tabulated(pieces, bins, edges[0], scale)


def _section(curve: Curve, a: float, b: float) -> tuple[list[float], list[Array]]:
    """Return the right ends of the pieces of a smooth section, and their coefficients."""
    grid = a + (b - a) * np.linspace(0.0, 1.0, _FIRST_PIECES + 1)
    left, right = grid[:-1], grid[1:]
    done: dict[float, tuple[float, Array]] = {}
    for _ in range(_MOST_HALVINGS):
        middle, half = 0.5 * (left + right), 0.5 * (right - left)
        nodes = middle[:, None] + half[:, None] * _POINTS
        # a break belongs to two sections: stay in this one
        values, slopes = curve(np.clip(nodes, np.nextafter(a, b), np.nextafter(b, a)))
        coefficients = values[:, :COEFFICIENTS] @ _FIT.T  # (n, 8)
        value, slope = values[:, COEFFICIENTS:], slopes[:, COEFFICIENTS:]
        found = coefficients @ _TEST_POWERS.T
        rates = (coefficients[:, 1:] * np.arange(1, COEFFICIENTS)) @ _TEST_POWERS[:, :-1].T / half[:, None]
        rounding = _EPS * (
            1.0 + np.abs(value) + np.abs(middle)[:, None] * np.abs(slope)
        )  # of x, where it is steep
        near = np.abs(found - value) <= TOLERANCE * (1.0 + np.abs(value)) + 4.0 * rounding
        rising = 1e3 * TOLERANCE * (1.0 + np.abs(slope)) + 4.0 * _DEGREE**2 * rounding / half[:, None]
        good = (near & (np.abs(rates - slope) <= rising)).all(axis=1)
        for x, y, row in zip(left[good], right[good], coefficients[good], strict=True):
            done[float(x)] = float(y), row
        if good.all():
            ends = [done[x] for x in sorted(done)]
            return [end for end, _ in ends], [row for _, row in ends]
        left, right, middle = left[~good], right[~good], middle[~good]
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    raise ModelError(f"{curve!r} is not smooth between {a:g} and {b:g}")


def _line(curve: Curve, end: float, side: float) -> Array:
    """Return the straight piece beyond an end."""
    row = np.zeros(PIECE)
    value, slope = curve(np.array([end + side]))
    row[0], row[1] = value[0] - side * slope[0], slope[0]
    row[ORIGIN], row[SCALE] = end, 1.0
    return row


def pack(curves: list[Curve]) -> tuple[Tables, dict[Curve, int]]:
    """Return the tables of different curves for compiled code, and the number of each curve."""
    numbers: dict[Curve, int] = {}
    for curve in curves:
        numbers.setdefault(curve, len(numbers))
    parts = [tabulate(curve) for curve in numbers]
    firsts = np.cumsum([0, *(len(part.pieces) for part in parts)])
    starts = np.cumsum([0, *(len(part.bins) for part in parts)])
    bins = [part.bins + first for part, first in zip(parts, firsts[:-1], strict=True)]
    tables = Tables(
        heads=sealed(np.array([(part.first, part.scale) for part in parts]).reshape(-1, 2)),
        spans=sealed(
            np.array(
                [(start, len(part.bins) - 1) for start, part in zip(starts[:-1], parts, strict=True)],
                dtype=np.int64,
            ).reshape(-1, 2)
        ),
        bins=sealed(np.concatenate([np.zeros(0, dtype=np.int64), *bins])),
        pieces=sealed(np.concatenate([np.zeros((0, PIECE)), *(part.pieces for part in parts)])),
    )
    return tables, numbers
