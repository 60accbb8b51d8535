"""Dual numbers on scalars of any type: a value and its derivative along one direction.

With x = Dual(x0, x1) every formula of ``+ - *`` carries its derivative along: forward differentiation, exact to
rounding. Used where a closed form of a derivative would only repeat the chain rule.
"""

from __future__ import annotations

from typing import Any

from softstride.spatial.small import Mat, Scalar, Vec


class Dual:
    """value + slope h with h^2 = 0.

    Example:
        >>> x = Dual(3.0, 1.0)
        >>> (x * x + 2.0 * x).slope
        8.0
    """

    __slots__ = ("slope", "value")

    def __init__(self, value: Scalar, slope: Scalar) -> None:
        """Hold a value and its derivative."""
        self.value = value
        self.slope = slope

    def __add__(self, other: Any) -> Dual:
        other = _dual(other)
        return NotImplemented if other is None else Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        other = _dual(other)
        return NotImplemented if other is None else Dual(self.value - other.value, self.slope - other.slope)

    def __rsub__(self, other: Any) -> Dual:
        return _dual(other) - self

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __mul__(self, other: Any) -> Dual:
        other = _dual(other)
        if other is None:
            return NotImplemented
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    __rmul__ = __mul__


def _dual(x: Any) -> Any:
    """Return x as a dual number; None for vectors and matrices, which multiply themselves."""
    if isinstance(x, Vec | Mat):
        return None
    return x if isinstance(x, Dual) else Dual(x, 0.0)


def dual_vec(value: Vec, slope: Vec) -> Vec:
    """Return the vector of dual numbers of a vector and its derivative."""
    return Vec(*(Dual(x, d) for x, d in zip(value, slope, strict=True)))


def slope(x: Any) -> Any:
    """Return the derivative of a dual number, or of a vector or matrix of them."""
    if isinstance(x, Vec):
        return Vec(*(slope(part) for part in x))
    if isinstance(x, Mat):
        return Mat(*(slope(row) for row in x))
    return x.slope if isinstance(x, Dual) else 0.0
