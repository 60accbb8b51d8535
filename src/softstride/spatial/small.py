"""Vectors and 3x3 matrices of scalars of any type.

The closed forms of this package are written once, on these two classes, and serve every kind of scalar that
knows ``+``, ``-`` and ``*``: Python floats, NumPy arrays (one array a component, any shape: a whole trial
at once) and symbolic objects that record the operations for a compiler. Nothing here branches on a value,
divides, or imports NumPy.

A scalar factor may stand on either side of a vector or matrix. On the left it works for every scalar type
whose ``__mul__`` returns ``NotImplemented`` for a `Vec` (floats do, NumPy arrays are told to by
``__array_ufunc__``); on the right it works always, so the formulas of this package write ``vector *
scalar``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, overload

Scalar: TypeAlias = Any
"""Anything with ``+``, ``-``, ``*`` and unary ``-`` that mixes with floats."""


class Vec:
    """Three scalars (x, y, z).

    Example:
        >>> Vec(1.0, 0.0, 0.0).cross(Vec(0.0, 1.0, 0.0))
        Vec(0.0, 0.0, 1.0)
        >>> 2.0 * Vec(1.0, 2.0, 3.0) - Vec.unit(2)
        Vec(2.0, 4.0, 5.0)
    """

    __slots__ = ("x", "y", "z")
    __array_ufunc__ = None  # array * Vec must reach Vec.__rmul__ instead of iterating over the vector

    def __init__(self, x: Scalar, y: Scalar, z: Scalar) -> None:
        """Hold the three components; nothing is copied."""
        self.x = x
        self.y = y
        self.z = z

    @classmethod
    def zero(cls) -> Vec:
        """Return (0, 0, 0)."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def unit(cls, axis: int) -> Vec:
        """Return the unit vector of axis 0, 1 or 2."""
        if axis not in (0, 1, 2):
            raise IndexError(f"axis must be 0, 1 or 2, however it is {axis!r}")
        return cls(*(1.0 if i == axis else 0.0 for i in range(3)))

    def __add__(self, other: Vec) -> Vec:
        if not isinstance(other, Vec):
            return NotImplemented
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec) -> Vec:
        if not isinstance(other, Vec):
            return NotImplemented
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec:
        return Vec(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> Vec:
        if isinstance(factor, (Vec, Mat)):  # dot, cross or outer? the caller must say
            return NotImplemented
        return Vec(self.x * factor, self.y * factor, self.z * factor)

    def __rmul__(self, factor: Scalar) -> Vec:
        return self.__mul__(factor)

    def dot(self, other: Vec) -> Scalar:
        """Return the scalar product x x' + y y' + z z'."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vec) -> Vec:
        """Return the vector product, self x other."""
        return Vec(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def __iter__(self) -> Iterator[Scalar]:
        yield self.x
        yield self.y
        yield self.z

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Scalar:
        return (self.x, self.y, self.z)[index]

    def __repr__(self) -> str:
        return f"Vec({self.x!r}, {self.y!r}, {self.z!r})"


class Mat:
    """A 3x3 matrix of scalars, held as its three rows.

    ``m[i]`` is row i as a `Vec`, ``m[i, j]`` an entry, ``m @ v`` and ``m @ n`` the products, ``m.T`` the
    transpose.
    """

    __slots__ = ("rows",)
    __array_ufunc__ = None

    def __init__(self, row0: Vec, row1: Vec, row2: Vec) -> None:
        """Hold the three rows."""
        self.rows = (row0, row1, row2)

    @classmethod
    def zero(cls) -> Mat:
        """Return the zero matrix."""
        return cls(Vec.zero(), Vec.zero(), Vec.zero())

    @classmethod
    def identity(cls) -> Mat:
        """Return the identity matrix."""
        return cls(Vec.unit(0), Vec.unit(1), Vec.unit(2))

    @classmethod
    def diagonal(cls, x: Scalar, y: Scalar, z: Scalar) -> Mat:
        """Return the matrix with this diagonal and zeros elsewhere."""
        return cls(Vec(x, 0.0, 0.0), Vec(0.0, y, 0.0), Vec(0.0, 0.0, z))

    @classmethod
    def from_columns(cls, a: Vec, b: Vec, c: Vec) -> Mat:
        """Return the matrix [a b c]."""
        return cls(Vec(a.x, b.x, c.x), Vec(a.y, b.y, c.y), Vec(a.z, b.z, c.z))

    @classmethod
    def hat(cls, v: Vec) -> Mat:
        """Return the skew matrix of v, the one that maps u to v x u."""
        return cls(Vec(0.0, -v.z, v.y), Vec(v.z, 0.0, -v.x), Vec(-v.y, v.x, 0.0))

    @classmethod
    def outer(cls, a: Vec, b: Vec) -> Mat:
        """Return a b^T."""
        return cls(b * a.x, b * a.y, b * a.z)

    @classmethod
    def skew_symmetric(cls, skew: Vec, diagonal: Vec, off: Vec) -> Mat:
        """Return hat(skew) + S for a symmetric S, with six additions.

        Args:
            skew: Axial vector of the skew part.
            diagonal: (S_xx, S_yy, S_zz).
            off: (S_yz, S_zx, S_xy).
        """
        return cls(
            Vec(diagonal.x, off.z - skew.z, off.y + skew.y),
            Vec(off.z + skew.z, diagonal.y, off.x - skew.x),
            Vec(off.y - skew.y, off.x + skew.x, diagonal.z),
        )

    @classmethod
    def symmetric(cls, diagonal: Vec, off: Vec) -> Mat:
        """Return the symmetric matrix with diagonal (S_xx, S_yy, S_zz) and off = (S_yz, S_zx, S_xy)."""
        return cls(
            Vec(diagonal.x, off.z, off.y), Vec(off.z, diagonal.y, off.x), Vec(off.y, off.x, diagonal.z)
        )

    @property
    def T(self) -> Mat:
        """The transpose."""
        return Mat.from_columns(*self.rows)

    def columns(self) -> tuple[Vec, Vec, Vec]:
        """Return the three columns."""
        return self.T.rows

    def __add__(self, other: Mat) -> Mat:
        if not isinstance(other, Mat):
            return NotImplemented
        return Mat(*(a + b for a, b in zip(self.rows, other.rows, strict=True)))

    def __sub__(self, other: Mat) -> Mat:
        if not isinstance(other, Mat):
            return NotImplemented
        return Mat(*(a - b for a, b in zip(self.rows, other.rows, strict=True)))

    def __neg__(self) -> Mat:
        return Mat(*(-row for row in self.rows))

    def __mul__(self, factor: Scalar) -> Mat:
        if isinstance(factor, (Vec, Mat)):
            return NotImplemented
        return Mat(*(row * factor for row in self.rows))

    def __rmul__(self, factor: Scalar) -> Mat:
        return self.__mul__(factor)

    @overload
    def __matmul__(self, other: Vec) -> Vec: ...
    @overload
    def __matmul__(self, other: Mat) -> Mat: ...
    def __matmul__(self, other: Vec | Mat) -> Vec | Mat:
        if isinstance(other, Vec):
            return Vec(*(row.dot(other) for row in self.rows))
        if isinstance(other, Mat):
            columns = other.columns()
            return Mat(*(Vec(*(row.dot(column) for column in columns)) for row in self.rows))
        return NotImplemented

    @overload
    def __getitem__(self, index: int) -> Vec: ...
    @overload
    def __getitem__(self, index: tuple[int, int]) -> Scalar: ...
    def __getitem__(self, index: int | tuple[int, int]) -> Vec | Scalar:
        if isinstance(index, tuple):
            return self.rows[index[0]][index[1]]
        return self.rows[index]

    def __iter__(self) -> Iterator[Vec]:
        return iter(self.rows)

    def __len__(self) -> int:
        return 3

    def __repr__(self) -> str:
        return f"Mat({self.rows[0]!r}, {self.rows[1]!r}, {self.rows[2]!r})"
