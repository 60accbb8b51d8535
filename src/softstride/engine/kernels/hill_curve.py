"""Hill curves as piecewise polynomials: value and slope at one number. See `softstride.muscles.hill.table`.

Which piece holds a number differs from frame to frame and from muscle to muscle: no lanes.
"""

from __future__ import annotations

from typing import NamedTuple

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.tables import Array, IntArray, Table

# columns of a piece: ascending coefficients in (x - origin) scale, then
COEFFICIENTS = 8
ORIGIN, SCALE, END = 8, 9, 10  # END: where the next piece begins
PIECE = 11


class Tables(NamedTuple):
    """All curves."""

    heads: Table  # (n_curves, 2) where the bins begin, and bins a unit
    spans: Table  # (n_curves, 2) first bin, and number of the last
    bins: Table  # (n_bins,) first piece of a bin
    pieces: Table  # (n_pieces, PIECE)


@inner
def curve_at(tables: Tables, c: int, x: float) -> tuple[float, float]:
    """Return value and slope of curve c; NaN at NaN."""
    # The bin of x names a piece at or before its own. NaN fails all comparisons and comes out again.
    place = (x - tables.heads[c, 0]) * tables.heads[c, 1]
    last = tables.spans[c, 1]
    position = 0
    if place >= last:
        position = last
    elif place > 0.0:
        position = int(place)
    k = tables.bins[tables.spans[c, 0] + position]
    p = tables.pieces
    while x >= p[k, END]:
        k += 1
    d = (x - p[k, ORIGIN]) * p[k, SCALE]
    # Horner's scheme for the polynomial and, one step behind, its derivative.
    value, slope = p[k, COEFFICIENTS - 1], 0.0
    for i in range(COEFFICIENTS - 2, -1, -1):
        slope = slope * d + value
        value = value * d + p[k, i]
    return value, slope * p[k, SCALE]


@kernel
def hill_curves(tables: Tables, curves: IntArray, x: Array, value: Array, slope: Array) -> None:
    """Evaluate curve curves[j] at x[f, j]."""
    for f in range(x.shape[0]):
        for j in range(x.shape[1]):
            value[f, j], slope[f, j] = curve_at(tables, curves[j], x[f, j])
