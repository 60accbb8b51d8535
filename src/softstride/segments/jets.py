"""Quantities that carry their first two derivatives in time along: exact rates without differences.

A `Jet` is (x, x', x''). Sums, products, vector products, unit vectors, sines and inverse tangents of jets follow the
rules of Leibniz and the chain rule, so that whatever is computed from a pose whose derivatives are known comes with its
own, to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Jet:
    """A quantity with its rate and its acceleration.

    Attributes:
        x: Value, any shape, frames first.
        d: First derivative in time, same shape.
        dd: Second derivative in time, same shape.
    """

    x: Array
    d: Array
    dd: Array

    def __add__(self, other: Jet) -> Jet:
        return Jet(self.x + other.x, self.d + other.d, self.dd + other.dd)

    def __sub__(self, other: Jet) -> Jet:
        return Jet(self.x - other.x, self.d - other.d, self.dd - other.dd)

    def __neg__(self) -> Jet:
        return Jet(-self.x, -self.d, -self.dd)

    def __mul__(self, other: Jet | float) -> Jet:
        """Return the product, component by component."""
        if not isinstance(other, Jet):
            return Jet(self.x * other, self.d * other, self.dd * other)
        return Jet(
            self.x * other.x,
            self.d * other.x + self.x * other.d,
            self.dd * other.x + 2.0 * self.d * other.d + self.x * other.dd,
        )

    def __matmul__(self, other: Jet) -> Jet:
        """Return the product of matrices (..., 3, 3)."""
        return Jet(
            self.x @ other.x,
            self.d @ other.x + self.x @ other.d,
            self.dd @ other.x + 2.0 * (self.d @ other.d) + self.x @ other.dd,
        )

    def part(self, *index: int | slice) -> Jet:
        """Return components by their place behind the leading axis."""
        place = (slice(None), *index)
        return Jet(self.x[place], self.d[place], self.dd[place])

    def dot(self, other: Jet) -> Jet:
        """Return the scalar product of vectors, shape (n, 1): it multiplies vectors again."""
        product = self * other
        return Jet(*(part.sum(axis=-1, keepdims=True) for part in (product.x, product.d, product.dd)))

    def cross(self, other: Jet) -> Jet:
        """Return the vector product."""
        return Jet(
            cross(self.x, other.x),
            cross(self.d, other.x) + cross(self.x, other.d),
            cross(self.dd, other.x) + 2.0 * cross(self.d, other.d) + cross(self.x, other.dd),
        )

    def unit(self) -> Jet:
        """Return the vector over its length; NaN for a vector of length zero."""
        return self * self.dot(self).power(-0.5)

    def power(self, exponent: float) -> Jet:
        """Return x^p of a positive quantity."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self.x**exponent
            slope = exponent * value / self.x
            bend = (exponent - 1.0) * slope / self.x
        return _chain(self, value, slope, bend)

    def exp(self) -> Jet:
        """Return e to the power of a quantity."""
        value = np.exp(self.x)
        return _chain(self, value, value, value)

    def sin(self) -> Jet:
        """Return the sine of an angle [rad]."""
        return _chain(self, np.sin(self.x), np.cos(self.x), -np.sin(self.x))

    def cos(self) -> Jet:
        """Return the cosine of an angle [rad]."""
        return _chain(self, np.cos(self.x), -np.sin(self.x), -np.cos(self.x))

    def arcsin(self) -> Jet:
        """Return the angle of a sine [rad]; its derivatives are singular at +-1."""
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = 1.0 / np.sqrt((1.0 - self.x) * (1.0 + self.x))
            return _chain(self, np.arcsin(np.clip(self.x, -1.0, 1.0)), slope, self.x * slope**3)


def _chain(inner: Jet, value: Array, slope: Array, bend: Array) -> Jet:
    """Return f(x): f' x' and f' x'' + f'' x'^2."""
    return Jet(value, slope * inner.d, slope * inner.dd + bend * inner.d**2)


def arctan2(y: Jet, x: Jet) -> Jet:
    """Return the angle of (x, y) [rad]: a' = (x y' - y x') / r^2."""
    square = x.x**2 + y.x**2
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = (x.x * y.d - y.x * x.d) / square
        change = 2.0 * (x.x * x.d + y.x * y.d)
        acceleration = (x.x * y.dd - y.x * x.dd - rate * change) / square
    return Jet(np.arctan2(y.x, x.x), rate, acceleration)


def constant(x: Array) -> Jet:
    """Return a quantity that does not change."""
    return Jet(x, np.zeros_like(x), np.zeros_like(x))


def stack(parts: list[list[Jet]]) -> Jet:
    """Return matrices (n, rows, columns) of jets of shape (n,)."""
    fields = (
        np.stack([np.stack([getattr(jet, name) for jet in row], axis=-1) for row in parts], axis=-2)
        for name in ("x", "d", "dd")
    )
    return Jet(*fields)
