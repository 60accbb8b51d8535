"""A spline surface for one tilt: a search among the breaks, and polynomials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softstride.contact.inputs import FloatArray
from softstride.contact.spline import SplineSurface
from softstride.contact.spline_pieces import TERMS
from softstride.engine.jit import inner

START, S, H, DH, FIRST = range(5)  # columns of the table; coefficients of ρ from FIRST on


def spline_table(surface: SplineSurface) -> FloatArray:
    """Return the pieces of a surface as `roll_spline` takes them, shape (k + 2, 4 + m).

    Each row: the tilt from which u counts, then s, h and h' there, then the coefficients of ρ, lowest power first. The
    first row serves the tilts before the first break.
    """
    return np.concatenate([surface._starts[:, None], surface._states.T, surface._pieces.T], axis=1)


@inner
def roll_spline(table: Any, a: float) -> tuple[float, float, float, float]:
    """Return s, h, h' and ρ at one tilt [rad], [m]; see `softstride.contact.spline`.

    S_k(u) is summed from its last term on for the two highest powers; S_k = (u^{k+2} − S_{k+2})/((k + 1)(k + 2)) gives
    the lower ones.
    """
    low, high = 0, table.shape[0] - 1
    while low < high:  # the last piece that begins at or before a
        middle = (low + high + 1) // 2
        if table[middle, START] <= a:
            low = middle
        else:
            high = middle - 1
    u = a - table[low, START]
    count = table.shape[1] - FIRST
    sine, cosine = math.sin(u), math.cos(u)
    square = u * u
    # ρ = Σ c_k u^k and s − s_j = Σ c_k u^{k+1}/(k + 1), both by Horner.
    rho, rolled = 0.0, 0.0
    for k in range(count - 1, -1, -1):
        c = table[low, FIRST + k]
        rho = rho * u + c
        rolled = rolled * u + c / (k + 1)
    # h = h_j cos u + h'_j sin u + Σ c_k S_k, and h' with S_0' = sin u, S_k' = k S_{k−1}.
    h0, dh0 = table[low, H], table[low, DH]
    h, dh = h0 * cosine + dh0 * sine, dh0 * cosine - h0 * sine + table[low, FIRST] * sine
    after, above = 0.0, 0.0  # S_{k+1} and S_{k+2}
    for k in range(count - 1, -1, -1):
        if k >= count - 2:
            share = 1.0
            for term in range(TERMS, 0, -1):
                share = 1.0 - share * square / ((k + 1 + 2 * term) * (k + 2 + 2 * term))
            now = share * u ** (k + 2) / ((k + 1) * (k + 2))
        else:
            now = (u ** (k + 2) - above) / ((k + 1) * (k + 2))
        h += table[low, FIRST + k] * now
        if k + 1 < count:
            dh += (k + 1) * table[low, FIRST + k + 1] * now
        above, after = after, now
    return table[low, S] + rolled * u, h, dh, rho
