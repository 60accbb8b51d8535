"""Vectors and matrices in scratch rows and among the constants; the forms that all kernels use."""

from __future__ import annotations

from softstride.engine.lanes import Index, Params, Rows
from softstride.spatial.small import Mat, Vec

Row = Index | int


def vec(m: Rows | Params, i: Row) -> Vec:
    """Return the vector at rows i, i + 1, i + 2."""
    return Vec(m[i], m[i + 1], m[i + 2])


def mat(m: Rows | Params, i: Row) -> Mat:
    """Return the matrix at rows i ... i + 8, row by row."""
    return Mat(vec(m, i), vec(m, i + 3), vec(m, i + 6))


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


def placement(c: Params, i: Row, aligned: bool = False) -> tuple[Mat, Vec]:
    """Return the constant pose (R, p) at i; ``aligned`` says that R is the identity."""
    return (Mat.identity() if aligned else mat(c, i)), vec(c, i + 9)


def rigid(c: Params, i: Row, form: int) -> tuple[object, Vec, Mat]:
    """Return mass, first moment and inertia matrix about the station's origin, by form of the inertia."""
    if form == 2:
        return c[i], Vec.zero(), Mat.diagonal(c[i + 4], c[i + 7], c[i + 9])
    xx, xy, xz, yy, yz, zz = (c[i + 4 + k] for k in range(6))
    return c[i], vec(c, i + 1), Mat(Vec(xx, xy, xz), Vec(xy, yy, yz), Vec(xz, yz, zz))
