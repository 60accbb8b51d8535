"""A quadratic in the differences of a few sums in time, and the banded system that it makes of a Newton step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve_banded, cholesky_banded

Array = NDArray[np.float64]

DIFFERENCES = {1: (-1.0, 1.0), 2: (1.0, -2.0, 1.0)}


class TimeCoupling:
    """The quadratic 1/2 |L^(1/2) D y|² of sums y (n, width) in time."""

    def __init__(self, n: int, order: int, weights: Array) -> None:
        """Take the number of frames, the order of the differences and the diagonal of L."""
        self._n, self._order, self._parts = n, order, DIFFERENCES[order]
        self._on = np.flatnonzero(weights > 0.0)
        self._weights = weights
        self._band: Array = np.zeros((0, 0))

    def differences(self, y: Array) -> Array:
        """Return D y, shape (n - order, width)."""
        rows = self._n - self._order
        return sum(
            (part * y[k : k + rows] for k, part in enumerate(self._parts)), np.zeros((rows, y.shape[1]))
        )

    def transposed(self, v: Array) -> Array:
        """Return D' v, shape (n, width)."""
        out = np.zeros((self._n, v.shape[1]))
        for k, part in enumerate(self._parts):
            out[k : k + len(v)] += part * v
        return out

    def force(self, y: Array) -> Array:
        """Return D' L D y."""
        return self.transposed(self._weights * self.differences(y))

    def prepare(self, flexibility: Array) -> None:
        """Factorise L^-1 + D G D' for the G of each frame, shape (n, width, width)."""
        on = self._on
        g = flexibility[:, on][:, :, on]
        width, rows = len(on), self._n - self._order
        band = np.zeros((rows, width, (self._order + 1) * width))  # a column of the lower band in a row
        for k in range(min(self._order, rows - 1) + 1):
            count = rows - k
            block = np.zeros((count, width, width))
            for j in range(k, self._order + 1):
                block += self._parts[j] * self._parts[j - k] * g[j : j + count]
            for b in range(width):
                first = b if k == 0 else 0
                band[:count, b, k * width + first - b : (k + 1) * width - b] = block[:, first:, b]
        band[:, :, 0] += 1.0 / self._weights[on]
        columns = band.reshape(rows * width, -1).T
        self._band = cholesky_banded(columns, overwrite_ab=True, lower=True, check_finite=False)

    def solve(self, y: Array) -> Array:
        """Return the forces q = D' v on the sums, (L^-1 + D G D') v = D y."""
        right = self.differences(y)
        v = np.zeros_like(right)
        solved = cho_solve_banded((self._band, True), right[:, self._on].ravel(), check_finite=False)
        v[:, self._on] = solved.reshape(len(v), -1)
        return self.transposed(v)
