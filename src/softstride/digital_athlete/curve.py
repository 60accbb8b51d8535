"""Motion as one smooth curve: uniform B-splines of degree five, and least squares over their coefficients.

At its knots, h apart, such a curve and its derivatives are sums over five coefficients,

    q = (1, 26, 66, 26, 1) c / 120,   v = (-1, -10, 0, 10, 1) c / (24 h),   a = (1, 2, -6, 2, 1) c / (6 h²),

so that a condition at every knot couples neighbours only and normal equations are banded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.linalg import solve_banded, solveh_banded

Array = NDArray[np.float64]

DEGREE = 5
VALUE = np.array([1.0, 26.0, 66.0, 26.0, 1.0]) / 120.0
SLOPE = np.array([-1.0, -10.0, 0.0, 10.0, 1.0]) / 24.0
BEND = np.array([1.0, 2.0, -6.0, 2.0, 1.0]) / 6.0
SNAP = np.array([1.0, -4.0, 6.0, -4.0, 1.0])


def even_times(start: float, step: float, count: int) -> Array:
    """Return instants start, start + step, ..., shape (count,), [s]."""
    return np.asarray(start + step * np.arange(count), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve in coordinates.

    Attributes:
        start: Time of the first knot [s].
        step: Between knots, h [s].
        coefficients: Shape (n + 4, nq) for n knots.
    """

    start: float
    step: float
    coefficients: Array

    @property
    def count(self) -> int:
        """Number of knots n."""
        return len(self.coefficients) - 4

    @property
    def time(self) -> Array:
        """Instants of the knots, shape (n,), [s]."""
        return even_times(self.start, self.step, self.count)

    def at_knots(self) -> tuple[Array, Array, Array]:
        """Return q, v and a at the knots, shape (n, nq) each."""
        c, n = self.coefficients, self.count
        parts = [c[i : i + n] for i in range(5)]
        q, v, a = (sum(w * part for w, part in zip(row, parts, strict=True)) for row in (VALUE, SLOPE, BEND))
        return np.asarray(q), np.asarray(v) / self.step, np.asarray(a) / self.step**2

    def snap(self) -> Array:
        """Return the fourth derivative at the knots, shape (n, nq)."""
        c, n = self.coefficients, self.count
        return np.asarray(sum(w * c[i : i + n] for i, w in enumerate(SNAP))) / self.step**4

    def at(self, time: Array) -> tuple[Array, Array, Array]:
        """Return q, v and a at any instants between the first knot and the last, shape (k, nq) each."""
        knots = self.start + self.step * np.arange(-DEGREE, self.count + DEGREE)
        spline = BSpline(knots, self.coefficients, DEGREE, extrapolate=False)
        inside = np.clip(time, self.start, self.start + self.step * (self.count - 1) * (1.0 - 1e-12))
        return spline(inside), spline.derivative(1)(inside), spline.derivative(2)(inside)

    def finer(self) -> Curve:
        """Return a curve through the same values with knots at half the step."""
        time = even_times(self.start, 0.5 * self.step, 2 * self.count - 1)
        return through(time, self.at(time)[0])

    def cut(self, first: int, count: int) -> Curve:
        """Return the same curve over some of the knots, its clock at zero."""
        return Curve(0.0, self.step, self.coefficients[first : first + count + 4].copy())


def through(time: Array, q: Array) -> Curve:
    """Return a curve through values at even instants, straight at its ends."""
    n = len(time)
    rows = np.zeros((9, n + 4))  # banded: rows[4 + i - j, j] = A[i, j]

    def put(row: int, weights: Array, first: int) -> None:
        for offset, weight in enumerate(weights):
            rows[4 + row - (first + offset), first + offset] = weight

    for end in (0, n):  # second and third differences vanish
        put(end + 0 if end == 0 else n + 2, np.array([1.0, -3.0, 3.0, -1.0]), 0 if end == 0 else n)
        put(end + 1 if end == 0 else n + 3, np.array([1.0, -3.0, 3.0, -1.0]), 1 if end == 0 else n - 1)
    for i in range(n):
        put(i + 2, VALUE, i)
    right = np.zeros((n + 4, q.shape[1]))
    right[2 : n + 2] = q
    return Curve(float(time[0]), float(time[1] - time[0]), solve_banded((4, 4), rows, right))


def normal_step(
    by_q: Array,
    by_v: Array,
    by_a: Array,
    residual: Array,
    weights: tuple[Array, Array, Array],
    errors: tuple[Array, Array, Array],
    step: float,
    damping: float,
) -> tuple[Array, Array]:
    """Return the Gauss-Newton step of the coefficients.

    Minimised is sum |residual|² + w_q (q - q_ref)² + w_a (a - a_ref)² + w_s (d⁴q/dt⁴)² over all knots, linearised.

    Args:
        by_q: Derivative of the residual by q, shape (n, m, nq).
        by_v: By v.
        by_a: By a.
        residual: Shape (n, m).
        weights: w_q, w_a and w_s, shape (nq,) each.
        errors: q - q_ref, a - a_ref and d⁴q/dt⁴, shape (n, nq) each.
        step: h [s].
        damping: Added to the diagonal, relative to w_q.

    Returns:
        The step, shape (n + 4, nq), and the gradient.
    """
    n, _, nq = by_q.shape
    total = n + 4
    slope, bend, snap = SLOPE / step, BEND / step**2, SNAP / step**4
    # lower band: band[i - j, j] = A[i, j], both counted over all coefficients, knot by knot
    band = np.zeros((5 * nq, total, nq))
    gradient = np.zeros((total, nq))
    rows = [VALUE[i] * by_q + slope[i] * by_v + bend[i] * by_a for i in range(5)]
    for i in range(5):
        gradient[i : i + n] += (rows[i].swapaxes(1, 2) @ residual[..., None])[..., 0]
        gradient[i : i + n] += sum(
            stencil[i] * w * e for stencil, w, e in zip((VALUE, bend, snap), weights, errors, strict=True)
        )
        for j in range(i, 5):
            block = rows[j].swapaxes(1, 2) @ rows[i]  # A[t + j, t + i]
            shift = (j - i) * nq
            for b in range(nq):
                first = b if i == j else 0
                band[shift + first - b : shift + nq - b, i : i + n, b] += block[:, first:, b].T
            band[shift, i : i + n] += sum(
                stencil[i] * stencil[j] * w for stencil, w in zip((VALUE, bend, snap), weights, strict=True)
            )
    band[0] += damping * weights[0]
    flat = band.reshape(5 * nq, total * nq)
    size = np.sqrt(flat[0])
    flat[0] = 1.0
    for k in range(1, 5 * nq):
        flat[k, : total * nq - k] /= size[k:] * size[: total * nq - k]
    x = (
        solveh_banded(flat, -gradient.reshape(-1) / size, overwrite_ab=True, lower=True, check_finite=False)
        / size
    )
    return x.reshape(total, nq), gradient


__all__ = ["Curve", "even_times", "normal_step", "through"]
