"""Least squares within bounds: a banded problem with a dense border, as splines and a few constants make it.

    minimise  1/2 y^T H y - g^T y,   low <= y <= high,   a^T y = 0,     H = [[B, C], [C^T, D]]

with B banded and positive definite. Bounds by projected Newton steps [Bertsekas1982]: variables that are at a bound and
would leave it are held, the others take the Newton step of what is left, and a step along the clipped path is
shortened until the objective falls. The one equation by multipliers: its square is added to the objective, and what
remains of it moves the multiplier, until nothing remains but rounding; a last Newton step takes that too.

References:
    [Bertsekas1982] Bertsekas, SIAM J Control Optim 20:221-246.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, cho_solve_banded, cholesky_banded
from scipy.sparse import csr_matrix

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

STEPS = 100
"""Most projected Newton steps; a handful is usual."""

SHORTEST = 2.0**-20
"""Part of a step below which no decrease is looked for."""

MULTIPLIERS = 20
"""Most steps of the multiplier; two to four are usual."""

ROUNDING = 1e-15
"""Relative decrease of the objective that is none."""

SETTLED = 1e-10
"""Gradient, as a part of the largest number in g, at which the minimum is found."""

EVEN = 1e-10
"""Of a^T y, as a part of |a| |y|, at which only rounding is left to take."""


@dataclass(frozen=True, eq=False)
class Quadratic:
    """1/2 y^T H y - g^T y, its first variables banded.

    Attributes:
        band: Lower diagonals of B, shape (w, n): band[k, j] = B[j + k, j].
        border: C, shape (n, m).
        corner: D, shape (m, m).
        linear: g, shape (n + m,).
    """

    band: Array
    border: Array
    corner: Array
    linear: Array

    def times(self, y: Array) -> Array:
        """Return H y."""
        n = self.band.shape[1]
        x, z = y[:n], y[n:]
        top = self.band[0] * x + self.border @ z
        for k in range(1, min(len(self.band), n)):
            below = self.band[k, : n - k]
            top[k:] += below * x[: n - k]
            top[: n - k] += below * x[k:]
        return np.concatenate([top, self.border.T @ x + self.corner @ z])

    def value(self, y: Array) -> float:
        """Return the objective."""
        return float(y @ (0.5 * self.times(y) - self.linear))

    def solve(self, right: Array, free: Mask) -> Array:
        """Return the solution of H y = right among free variables, zero for the others."""
        n = self.band.shape[1]
        on = free.astype(np.float64)
        right = right * on
        band = self.band.copy()
        for k in range(len(band)):
            band[k, : max(n - k, 0)] *= on[: max(n - k, 0)] * on[k:n]
        band[0] += 1.0 - on[:n]
        border = self.border * on[:n, None] * on[n:]
        corner = self.corner * on[n:, None] * on[n:] + np.diag(1.0 - on[n:])
        if not n:
            return np.asarray(cho_solve(cho_factor(corner), right))
        factor = (cholesky_banded(band, lower=True), True)
        if not len(corner):
            return np.asarray(cho_solve_banded(factor, right))
        both = cho_solve_banded(factor, np.column_stack([border, right[:n]]))
        across, first = both[:, :-1], both[:, -1]
        z = cho_solve(cho_factor(corner - border.T @ across), right[n:] - border.T @ first)
        return np.concatenate([first - across @ z, z])


def banded(H: csr_matrix) -> Array:
    """Return the lower diagonals of a symmetric sparse matrix, shape (w, n)."""
    entries = H.tocoo()
    below = entries.row >= entries.col
    row, col, value = entries.row[below], entries.col[below], entries.data[below]
    width = int((row - col).max(initial=0)) + 1
    band = np.zeros((width, H.shape[0]))
    band[row - col, col] = value
    return band


def minimise(problem: Quadratic, low: Array, high: Array, even: Array | None = None) -> Array:
    """Return the minimum within bounds, and with even^T y = 0 if given.

    Args:
        problem: The objective; H positive definite in the variables whose bounds differ.
        low: Lower bounds, shape (n + m,); with an equation, y = 0 of its variables must be within the bounds.
        high: Upper bounds.
        even: The vector a, shape (n + m,), zero for the banded variables; None: no equation.
    """
    y = np.clip(np.zeros(len(low)), low, high)
    if even is None or not even.any():
        return _within(problem, low, high, y)
    n = problem.band.shape[1]
    a = even / float(np.linalg.norm(even))
    weight = max(1.0, float(np.abs(np.diag(problem.corner)).max()))
    corner = problem.corner + weight * np.outer(a[n:], a[n:])
    multiplier = 0.0
    for _ in range(MULTIPLIERS):
        shifted = Quadratic(problem.band, problem.border, corner, problem.linear - multiplier * a)
        y = _within(shifted, low, high, y)
        left = float(a @ y)
        if abs(left) <= EVEN * max(float(np.linalg.norm(y[n:])), 1e-12):
            break
        multiplier += weight * left
    return _polished(problem, low, high, a, y)


def _polished(problem: Quadratic, low: Array, high: Array, a: Array, y: Array) -> Array:
    """Return y after one Newton step with the equation, of the variables that are inside their bounds."""
    inside = (low < y) & (y < high)
    step = problem.solve(problem.linear - problem.times(y), inside)
    across = problem.solve(a, inside)
    slope = float(a @ across)
    if not slope > 0.0:
        return y
    new = y + step - across * (float(a @ (y + step)) / slope)
    return new if bool(((low <= new) & (new <= high)).all()) else y


def _within(problem: Quadratic, low: Array, high: Array, y: Array) -> Array:
    value = problem.value(y)
    small = SETTLED * max(float(np.abs(problem.linear).max(initial=0.0)), 1e-300)
    for _ in range(STEPS):
        gradient = problem.times(y) - problem.linear
        held = (low == high) | ((y <= low) & (gradient > 0.0)) | ((y >= high) & (gradient < 0.0))
        if not (np.abs(gradient[~held]) > small).any():
            return y
        step = problem.solve(-gradient, ~held)
        part = 1.0
        while True:
            trial = np.clip(y + part * step, low, high)
            found = problem.value(trial)
            if found < value or part < SHORTEST:
                break
            part *= 0.5
        if not found < value:
            return y
        gained = value - found
        y, value = trial, found
        if gained <= ROUNDING * abs(value):
            return y
    return y
