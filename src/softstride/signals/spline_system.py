"""The banded equations of a natural smoothing spline on one set of instants.

The spline s of degree 2m - 1 that minimises sum_i w_i (y_i - s(t_i))^2 + p * integral (s^(m))^2 dt has
s^(m) = sum_j gamma_j N_j with the n - m B-splines N_j of degree m - 1 on the instants. With R_ij = integral N_i N_j
and Q^T the differences that map values to integral s^(m) N_j [Reinsch1967; deHoog1987]

    W (y - s) = p Q gamma,    Q^T s = R gamma.

Eliminating y - s gives R + p Q^T W^-1 Q, whose condition grows with p and which a slow cutoff at a fast rate makes
useless. We solve for the residual e = y - s and for v = sqrt(p) gamma together,

    [      W      -sqrt(p) Q ] [e]   [      0       ]
    [ sqrt(p) Q^T      R     ] [v] = [ sqrt(p) Q^T y ],

the identity plus a skew part up to scaling: its condition grows with sqrt(p) only. Written e and v in turn it is
banded, so all channels cost O(n) each.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.linalg import lapack

from softstride.errors import InputError
from softstride.signals.inputs import FloatArray

# Imaginary step of the trace: so small that its square vanishes beside one, so the derivative is exact.
_STEP = 1e-30


class SplineSystem:
    """The equations of a smoothing spline for given instants, weights and half order; any p, any values."""

    def __init__(self, time: FloatArray, half_order: int, weights: FloatArray) -> None:
        """Set up Q and R.

        Args:
            time: Instants, shape (n,) with n > half_order, in a unit in which their spacing is about one.
            half_order: m.
            weights: w, shape (n,), positive.
        """
        self._n, self._m, self._weights = len(time), half_order, weights
        self._Q = _differences(time, half_order)
        self._R = _gram(time, half_order)
        m = half_order
        self._band = max(m + 1 - m % 2, 2 * (m - 1))
        self._row_e = 2 * np.arange(self._n)
        self._row_v = 2 * np.arange(self._n - m) + m + 1 - m % 2  # beside the middle of its stencil

    def residual(self, y: FloatArray, p: float) -> FloatArray:
        """Return y - s at the instants, shape (n, n_columns)."""
        m, n = self._m, self._n
        root = np.sqrt(p)
        right = np.zeros((2 * n, y.shape[1]), order="F")
        right[self._row_v] = root * sum(self._Q[k][:, None] * y[k : n - m + k] for k in range(m + 1))
        matrix = self._matrix(root, 1.0, np.dtype(np.float64))
        _, _, solution, info = lapack.dgbsv(
            self._band, self._band, matrix, right, overwrite_ab=True, overwrite_b=True
        )
        _check(info)
        return solution[self._row_e]

    def dof(self, p: float) -> float:
        """Return the trace of the hat matrix y -> s, the number of parameters the spline makes use of.

        tr H = m + tr((R + p Q^T W^-1 Q)^-1 R) = m + d/dz log det(z R + p Q^T W^-1 Q) at z = 1, a sum of positive terms;
        the derivative is that of the LU factors along an imaginary step, exact to rounding.
        """
        matrix = self._matrix(np.sqrt(p), 1.0 + 1j * _STEP, np.dtype(np.complex128))
        factors, _, info = lapack.zgbtrf(matrix, self._band, self._band, overwrite_ab=True)
        _check(info)
        pivots = factors[2 * self._band]
        return self._m + float(np.sum(pivots.imag / pivots.real)) / _STEP

    def _matrix(self, root: float, z: complex, dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
        """Return the equations in LAPACK's band storage, with R multiplied by z."""
        m, centre = self._m, 2 * self._band
        matrix = np.zeros((3 * self._band + 1, 2 * self._n), dtype=dtype, order="F")
        matrix[centre] = 1.0  # rows that hold neither e nor v
        matrix[centre, self._row_e] = self._weights
        for k in range(m + 1):
            row_e = self._row_e[k : self._n - m + k]
            offset = int(row_e[0] - self._row_v[0])
            matrix[centre + offset, self._row_v] = -root * self._Q[k]
            matrix[centre - offset, row_e] = root * self._Q[k]
        for k in range(min(m, self._n - m)):
            entries = z * self._R[k, : self._n - m - k]
            matrix[centre + 2 * k, self._row_v[: self._n - m - k]] = entries
            matrix[centre - 2 * k, self._row_v[k:]] = entries
        return matrix


def _differences(time: FloatArray, m: int) -> FloatArray:
    """Return Q by diagonals: row j of Q^T is Q[:, j] on samples j .. j + m; shape (m + 1, n - m)."""
    count = len(time) - m
    places = np.stack([time[k : count + k] for k in range(m + 1)])
    gaps = places[:, None] - places[None]
    gaps[np.arange(m + 1), np.arange(m + 1)] = 1.0
    return factorial(m - 1) * (places[m] - places[0]) / np.prod(gaps, axis=1)


def _gram(time: FloatArray, m: int) -> FloatArray:
    """Return R by diagonals: R[k, j] = integral N_j N_(j+k); shape (m, n - m). Gauss points make it exact."""
    n, before = len(time), np.arange(1.0 - m, 0.0)
    knots = np.concatenate([time[0] + before, time, time[-1] - before[::-1]])
    nodes, shares = np.polynomial.legendre.leggauss(m)
    width = np.diff(time)
    points = time[:-1, None] + width[:, None] * (nodes + 1.0) / 2.0
    values = BSpline.design_matrix(points.ravel(), knots, m - 1).data.reshape(n - 1, m, m)
    weighted = values * (width[:, None, None] * shares[:, None] / 2.0)
    products = np.einsum("iqa,iqb->abi", weighted, values)
    full = np.zeros((m, n + m - 2))  # also of the B-splines that reach beyond the ends
    for a in range(m):
        for b in range(a, m):
            full[b - a, a : a + n - 1] += products[a, b]
    return full[:, m - 1 : n - 1]


def _check(info: int) -> None:
    """Refuse equations that have no solution."""
    if info:
        raise InputError(
            "the equations of the spline are singular: instants too close together or weights too far apart."
        )
