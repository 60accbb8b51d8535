"""Where a function takes values in a range."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from softstride.model.functions import Function

FAR = 1e3
"""How far beyond the last break or crossing the sign is looked up."""


def preimage(function: Function, lower: float, upper: float) -> list[tuple[float, float]]:
    """Return the intervals of x on which lower ≤ f(x) ≤ upper, in order.

    Candidates for the ends are the breaks of the pieces and the roots of each piece minus either bound; between two
    neighbours the function stays on one side, so one value in the middle tells which.

    Args:
        function: A continuous function.
        lower: Lower bound, -inf for none.
        upper: Upper bound, inf for none.
    """
    pieces = function.pieces()
    marks = set(pieces.breaks.tolist())
    edges = np.concatenate([[-np.inf], pieces.breaks, [np.inf]])
    for i, row in enumerate(pieces.coefficients):
        for bound in (lower, upper):
            if math.isinf(bound):
                continue
            shifted = row.copy()
            shifted[0] -= bound
            roots = np.roots(np.trim_zeros(shifted[::-1], "f"))
            real = roots[np.abs(roots.imag) <= 1e-9 * (1.0 + np.abs(roots.real))].real + pieces.origins[i]
            marks |= {float(x) for x in real if edges[i] <= x <= edges[i + 1]}
    ends = [-math.inf, *sorted(marks), math.inf]
    found: list[tuple[float, float]] = []
    for a, b in pairwise(ends):
        if lower <= float(function(_between(a, b))) <= upper:
            joins = found and found[-1][1] == a
            found[-1:] = [(found[-1][0], b)] if joins else [*found[-1:], (a, b)]
    return found


def _between(a: float, b: float) -> float:
    if math.isinf(a) and math.isinf(b):
        return 0.0
    if math.isinf(a):
        return b - FAR
    return a + FAR if math.isinf(b) else 0.5 * (a + b)
