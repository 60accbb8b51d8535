"""Functions of one coordinate that drive the axes of a custom joint, as OpenSim has them.

Each is a piecewise polynomial: `pieces()` hands it to compiled code, calling it evaluates the same pieces in
NumPy.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import FloatArray, Frozen


@dataclass(frozen=True, eq=False)
class Pieces(Frozen):
    """A piecewise polynomial.

    f(x) = Σ_k coefficients[i, k] (x - origins[i])^k for breaks[i-1] ≤ x < breaks[i]

    Attributes:
        breaks: Interior break points, increasing, shape (m - 1,).
        origins: Where each piece has its zero, shape (m,).
        coefficients: Ascending powers, shape (m, degree + 1).
    """

    breaks: FloatArray
    origins: FloatArray
    coefficients: FloatArray

    def __post_init__(self) -> None:
        """Lock the arrays."""
        for name in ("breaks", "origins", "coefficients"):
            self._set(**{name: checks.any_array(getattr(self, name), f"{name} of a piecewise polynomial")})
        m = len(self.origins)
        if self.breaks.shape != (m - 1,) or self.coefficients.ndim != 2 or len(self.coefficients) != m:
            raise ModelError("pieces must have m - 1 breaks, m origins and m rows of coefficients.")

    def evaluate(self, x: ArrayLike, derivative: int = 0) -> FloatArray:
        """Evaluate the polynomial, or one of its derivatives, at any array of x (same shape out)."""
        if derivative < 0:
            raise ModelError(f"derivative must be 0 or more, however it is {derivative}.")
        at = np.asarray(x, dtype=np.float64)
        piece = np.searchsorted(self.breaks, at, side="right")
        d, rows = at - self.origins[piece], self.coefficients[piece]
        result = np.where(np.isnan(at), np.nan, 0.0)
        for k in range(rows.shape[-1] - 1, derivative - 1, -1):
            result = result * d + math.perm(k, derivative) * rows[..., k]
        return result


@runtime_checkable
class Function(Protocol):
    """A scalar function of one coordinate with all its derivatives."""

    def __call__(self, x: ArrayLike, derivative: int = 0) -> FloatArray:
        """Return the value (or derivative) at x, the same shape as x."""

    def pieces(self) -> Pieces:
        """Return the function as a piecewise polynomial."""


class _Piecewise(Frozen, ABC):
    """What all kinds share: built once, evaluated from the pieces."""

    def __call__(self, x: ArrayLike, derivative: int = 0) -> FloatArray:
        """Return the value (or derivative) at x, the same shape as x."""
        return self.pieces().evaluate(x, derivative)

    def pieces(self) -> Pieces:
        """Return the function as a piecewise polynomial."""
        return self._pieces

    @property
    @abstractmethod
    def _pieces(self) -> Pieces:
        """The pieces of this kind; subclasses keep them."""

    def _build(self) -> None:
        """Make the pieces now: numbers too large for them are an error of the constructor."""
        with np.errstate(all="ignore"):
            _ = self._pieces


def _single(coefficients: ArrayLike) -> Pieces:
    return Pieces(np.zeros(0), np.zeros(1), np.atleast_2d(np.asarray(coefficients, dtype=np.float64)))


@dataclass(frozen=True, eq=False)
class Constant(_Piecewise):
    """f(x) = value."""

    value: float

    def __post_init__(self) -> None:
        """Check the field."""
        self._set(value=checks.number(self.value, "value of Constant"))

    @cached_property
    def _pieces(self) -> Pieces:
        return _single([self.value])


@dataclass(frozen=True, eq=False)
class Linear(_Piecewise):
    """f(x) = slope x + intercept (OpenSim's LinearFunction: coefficients "slope intercept")."""

    slope: float = 1.0
    intercept: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields."""
        self._set(
            slope=checks.number(self.slope, "slope of Linear"),
            intercept=checks.number(self.intercept, "intercept of Linear"),
        )

    @cached_property
    def _pieces(self) -> Pieces:
        return _single([self.intercept, self.slope])


@dataclass(frozen=True, eq=False)
class Polynomial(_Piecewise):
    """f(x) = Σ_k coefficients[k] x^k, ascending powers.

    OpenSim's PolynomialFunction stores the same numbers the other way round, highest power first: reverse
    them.
    """

    coefficients: FloatArray

    def __post_init__(self) -> None:
        """Copy and check the coefficients."""
        coefficients = checks.any_array(self.coefficients, "coefficients of Polynomial")
        if coefficients.ndim != 1 or len(coefficients) == 0:
            raise ModelError(
                f"coefficients of Polynomial must be a list of numbers, not shape {coefficients.shape}."
            )
        self._set(coefficients=coefficients)

    @cached_property
    def _pieces(self) -> Pieces:
        return _single(self.coefficients)


@dataclass(frozen=True, eq=False)
class _Knots(_Piecewise):
    """A function given by points (x, y) with increasing x."""

    x: FloatArray
    y: FloatArray

    def __post_init__(self) -> None:
        """Copy and check the points."""
        kind = type(self).__name__
        x = checks.any_array(self.x, f"x of {kind}")
        y = checks.any_array(self.y, f"y of {kind}")
        if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
            raise ModelError(
                f"{kind} needs two or more points, as many x as y, however x has shape {x.shape} and y "
                f"{y.shape}; "
                f"for one point use Constant."
            )
        if not np.all(np.diff(x) > 0.0):
            first = int(np.argmin(np.diff(x) > 0.0))
            raise ModelError(
                f"x of {kind} must increase, however x[{first}] = {x[first]:g} and x[{first + 1}] = "
                f"{x[first + 1]:g}: "
                f"sort the points and join those with the same x."
            )
        self._set(x=x, y=y)
        self._build()


@dataclass(frozen=True, eq=False)
class PiecewiseLinear(_Knots):
    """Straight lines between points, continued beyond the ends (OpenSim's PiecewiseLinearFunction)."""

    @cached_property
    def _pieces(self) -> Pieces:
        slope = np.diff(self.y) / np.diff(self.x)
        return Pieces(self.x[1:-1], self.x[:-1], np.stack([self.y[:-1], slope], axis=1))


@dataclass(frozen=True, eq=False)
class SimmSpline(_Knots):
    """OpenSim's SimmSpline: the cubic spline of Forsythe, Malcolm and Moler, straight lines beyond the ends.

    Between points f = y_i + d (b_i + d (c_i + d d_i)), d = x - x_i, twice continuously differentiable. It is
    not the natural spline: the third derivative at each end is that of the cubic through the four end points
    (for three points the spline is one parabola, for two a line). Outside, f goes on with the slope at the
    end.

    References:
        Forsythe, Malcolm, Moler, Computer Methods for Mathematical Computations (1977), chapter 4, SPLINE.
    """

    @cached_property
    def _pieces(self) -> Pieces:
        b, c, d = _spline_coefficients(self.x, self.y)
        rows = np.stack([self.y, b, c, d], axis=1)  # (n, 4): row i starts at knot i
        left = [[self.y[0], b[0], 0.0, 0.0]]
        rows[-1, 2:] = 0.0  # beyond the last knot: a line
        breaks = self.x.copy()
        breaks[-1] = np.nextafter(breaks[-1], np.inf)  # the last knot itself belongs to the last cubic
        return Pieces(breaks, np.concatenate([self.x[:1], self.x]), np.concatenate([left, rows]))


def _spline_coefficients(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return b, c, d (n,) of f = y + b t + c t² + d t³ on each interval and at the last knot.

    With σ_i = f''(x_i)/6 and h_i = x_{i+1} - x_i the inner equations are
    h_{i-1} σ_{i-1} + 2 (h_{i-1} + h_i) σ_i + h_i σ_{i+1} = Δ_i - Δ_{i-1},  Δ_i = (y_{i+1} - y_i) / h_i,
    and the ends -h_0 σ_0 + h_0 σ_1 = h_0² f[x_0, x_1, x_2, x_3] and the like.
    """
    n, h = len(x), np.diff(x)
    slope = np.diff(y) / h
    if n == 2:
        return np.repeat(slope, 2), np.zeros(2), np.zeros(2)
    diagonal = np.concatenate([[-h[0]], 2.0 * (h[:-1] + h[1:]), [-h[-1]]])
    right = np.concatenate([[0.0], np.diff(slope), [0.0]])
    if n > 3:
        third = np.diff(right[1:-1] / (x[2:] - x[:-2])) / (x[3:] - x[:-3])  # f[x_i .. x_i+3], (n - 3,)
        right[0], right[-1] = third[0] * h[0] ** 2, -third[-1] * h[-1] ** 2
    for i in range(1, n):  # Thomas: eliminate downward, substitute upward
        t = h[i - 1] / diagonal[i - 1]
        diagonal[i] -= t * h[i - 1]
        right[i] -= t * right[i - 1]
    sigma = right
    sigma[-1] /= diagonal[-1]
    for i in range(n - 2, -1, -1):
        sigma[i] = (sigma[i] - h[i] * sigma[i + 1]) / diagonal[i]
    b = np.append(
        slope - h * (sigma[1:] + 2.0 * sigma[:-1]), slope[-1] + h[-1] * (sigma[-2] + 2.0 * sigma[-1])
    )
    d = np.diff(sigma) / h
    return b, 3.0 * sigma, np.append(d, d[-1])


@dataclass(frozen=True, eq=False)
class Scaled(_Piecewise):
    """f(x) = factor · function(x) (OpenSim's MultiplierFunction)."""

    function: Function
    factor: float = 1.0

    def __post_init__(self) -> None:
        """Check the fields."""
        if not isinstance(self.function, Function) or isinstance(self.function, type):
            raise ModelError(f"function of Scaled must be a Function, however it is {self.function!r}.")
        self._set(factor=checks.number(self.factor, "factor of Scaled"))
        self._build()

    @cached_property
    def _pieces(self) -> Pieces:
        inner = self.function.pieces()
        return Pieces(inner.breaks, inner.origins, self.factor * inner.coefficients)


@dataclass(frozen=True, eq=False)
class Composed(_Piecewise):
    """f(x) = outer(inner(x)), with an inner function of straight pieces (a coordinate coupled to another).

    Attributes:
        outer: Any function.
        inner: A function whose pieces are linear: `Linear`, `PiecewiseLinear`, or multiples of them.
    """

    outer: Function
    inner: Function

    def __post_init__(self) -> None:
        """Check the fields."""
        for name in ("outer", "inner"):
            function = getattr(self, name)
            if not isinstance(function, Function) or isinstance(function, type):
                raise ModelError(f"{name} of Composed must be a Function, however it is {function!r}.")
        straight = self.inner.pieces().coefficients
        if straight.shape[1] > 2 and np.any(straight[:, 2:]):
            raise ModelError("inner of Composed must have straight pieces; a curved one is not supported.")
        self._build()

    @cached_property
    def _pieces(self) -> Pieces:
        inner, outer = self.inner.pieces(), self.outer.pieces()
        edges = np.concatenate([[-np.inf], inner.breaks, [np.inf]])
        breaks, origins, rows = [], [], []
        for i, line in enumerate(inner.coefficients):
            start, slope = float(line[0]), float(line[1]) if len(line) > 1 else 0.0
            origin = float(inner.origins[i])
            # where this line crosses the breaks of the outer function, inside its own piece
            cuts = sorted(origin + (b - start) / slope for b in outer.breaks) if slope else []
            marks = [edges[i], *(c for c in cuts if edges[i] < c < edges[i + 1]), edges[i + 1]]
            for a, b in pairwise(marks):
                inside = _middle(float(a), float(b))
                k = int(np.searchsorted(outer.breaks, start + slope * (inside - origin), side="right"))
                # outer = sum c_j (start + slope (x - origin) - o)^j = sum c_j slope^j (x - x_o)^j
                powers = slope ** np.arange(outer.coefficients.shape[1])
                if slope:
                    rows.append(outer.coefficients[k] * powers)
                    origins.append(origin + (float(outer.origins[k]) - start) / slope)
                else:
                    value = float(self.outer(start))
                    rows.append(np.append(value, np.zeros(outer.coefficients.shape[1] - 1)))
                    origins.append(origin)
                if np.isfinite(b):
                    breaks.append(float(b))
        return Pieces(np.array(breaks), np.array(origins), np.array(rows))


def _middle(a: float, b: float) -> float:
    """Return a number between two edges, of which either may be infinite."""
    if np.isinf(a) and np.isinf(b):
        return 0.0
    if np.isinf(a):
        return b - 1.0
    return a + 1.0 if np.isinf(b) else 0.5 * (a + b)
