"""Vectors of the plane as complex numbers: x + i y, so that a quarter turn is a product with i.

Equations then read as in the theory:

    perp(a) = k x a = i a        a . b = Re(conj(a) b)        a x b = Im(conj(a) b)        R(theta) a = e^(i theta) a
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

AXES = ("x", "y")


def to_complex(xy: ArrayLike) -> Complex:
    """Return vectors (..., 2) as complex numbers (...)."""
    array = np.asarray(xy, dtype=np.float64)
    return np.asarray(array[..., 0] + 1j * array[..., 1])


def to_xy(z: Complex) -> Floats:
    """Return complex numbers (...) as vectors (..., 2)."""
    array = np.ascontiguousarray(z)
    return array.view(np.float64).reshape(*array.shape, 2)


def empty_vectors(*shape: int) -> tuple[Floats, Complex]:
    """Return an array (*shape, 2) to be filled, and the same memory as complex numbers (*shape)."""
    vectors = np.empty((*shape, 2))
    return vectors, vectors.view(np.complex128)[..., 0]


def dot(a: Complex, b: Complex) -> Floats:
    """Return the inner products."""
    return np.asarray(a.real * b.real + a.imag * b.imag)


def cross(a: Complex, b: Complex) -> Floats:
    """Return the components of a x b along k."""
    return np.asarray(a.real * b.imag - a.imag * b.real)


def suffix_sums(values: Complex) -> Complex:
    """Return sums from each column to the last, along axis 1."""
    return np.asarray(np.cumsum(values[:, ::-1], axis=1)[:, ::-1])


def polar(length: ArrayLike, angle: ArrayLike) -> Floats:
    """Return points in a link's frame from their distance [m] and angle [rad] at the link's joint, shape (..., 2).

    >>> polar([0.19], [0.05])
    """
    return to_xy(np.asarray(length, dtype=np.float64) * np.exp(1j * np.asarray(angle, dtype=np.float64)))
