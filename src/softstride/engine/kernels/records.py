"""Vectors and matrices in scratch rows and among the constants; the forms that all kernels use."""

from __future__ import annotations

from typing import Any

from softstride.engine.lanes import Frames, Index, Rows
from softstride.spatial.small import Mat, Vec

Row = Index | int
Spatial = tuple[Vec, Vec]
"""A spatial vector: angular and linear part of a motion, moment and force of a wrench."""

# rows of a station in the forward sweep, all in world axes about its origin
ROTATION, POSITION, ARM, TWIST, BIAS, ACCELERATION = 0, 9, 12, 15, 21, 27
STATION_ROWS = 33
COLUMN_ROWS = 6


def vec(m: Any, i: Row) -> Vec:
    """Return the vector at rows (or constants) i, i + 1, i + 2."""
    return Vec(m[i], m[i + 1], m[i + 2])


def mat(m: Any, i: Row) -> Mat:
    """Return the matrix at rows (or constants) i ... i + 8, row by row."""
    return Mat(vec(m, i), vec(m, i + 3), vec(m, i + 6))


def pair(m: Rows, row: Row) -> Spatial:
    """Return the spatial vector at a row."""
    return vec(m, row), vec(m, row + 3)


def take(x: Frames, f: Index, i: Row) -> Vec:
    """Return columns i, i + 1, i + 2 of the input as a vector."""
    return Vec(x[f, i], x[f, i + 1], x[f, i + 2])


def put(m: Rows, i: Row, *values: Vec | Mat) -> None:
    """Store vectors and matrices one behind the other from row i."""
    for value in values:
        for part in value.rows if isinstance(value, Mat) else (value,):
            m[i], m[i + 1], m[i + 2] = part.x, part.y, part.z
            i = i + 3


def accumulate(m: Rows, i: Row, *values: Vec) -> None:
    """Add vectors to those one behind the other from row i."""
    for k, value in enumerate(values):
        put(m, i + 3 * k, vec(m, i + 3 * k) + value)


def shift(w: Vec, u: Vec, d: Vec) -> Spatial:
    """Return a motion vector about an origin moved by d."""
    return w, u + w.cross(d)


def dot(a: Spatial, b: Spatial) -> Any:
    """Return the power of a motion and a wrench."""
    return a[0].dot(b[0]) + a[1].dot(b[1])


def plus(*vectors: Spatial) -> Spatial:
    """Return the sum of spatial vectors."""
    w, u = vectors[0]
    for x, y in vectors[1:]:
        w, u = w + x, u + y
    return w, u


def placement(c: Any, i: Row, aligned: bool = False) -> tuple[Mat, Vec]:
    """Return the constant pose (R, p) at i; ``aligned`` says that R is the identity."""
    return (Mat.identity() if aligned else mat(c, i)), vec(c, i + 9)


def rigid(c: Any, i: Row, form: int) -> tuple[Any, Vec, Mat]:
    """Return mass, first moment and inertia matrix about the station's origin, by form of the inertia."""
    # Inertia about the station's origin: [[I, hat(h)], [-hat(h), m E]], h = m c, I = I_com - m hat(c)^2;
    # diag(I_com, m E) of [Hybrid2026, eq. 45] is its form at the centre of mass.
    if form == 2:
        return c[i], Vec.zero(), Mat.diagonal(c[i + 4], c[i + 7], c[i + 9])
    xx, xy, xz, yy, yz, zz = (c[i + 4 + k] for k in range(6))
    return c[i], vec(c, i + 1), Mat(Vec(xx, xy, xz), Vec(xy, yy, yz), Vec(xz, yz, zz))
