"""Borders of the NumPy functions: checked arrays in, component vectors inside, arrays out.

The functions of `so3`, `se3`, `quaternion` and `inertia` accept any leading axes (frames first) and compute
on one array a component (`Vec`, `Mat`), which is faster than stacks of small matrix products and shares the
formulas of `segment` with the compiled engine. NaN is a value like any other: it flows to the results of
its own frame and to no other frame.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.spatial.small import Mat, Vec

FloatArray: TypeAlias = NDArray[np.float64]


def as_array(name: str, value: ArrayLike, *tail: int) -> FloatArray:
    """Return value as a float64 array whose last axes have the lengths `tail`.

    Args:
        name: Name of the argument, for the message.
        value: Real numbers, shape (..., *tail).
        tail: Expected lengths of the last axes.

    Raises:
        InputError: If the shape does not end in `tail`, or the values are not real numbers.
    """
    expected = "(" + ", ".join(["...", *map(str, tail)]) + ")"
    try:
        array = np.asarray(value)
        if np.iscomplexobj(array):
            raise TypeError("complex numbers")
        array = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be real numbers of shape {expected}, however: {error}") from error
    if len(tail) and array.shape[-len(tail) :] != tail:
        raise InputError(f"{name} must have shape {expected}, however it has shape {array.shape}")
    return array


def leading_shape(**parts: tuple[FloatArray, int]) -> tuple[int, ...]:
    """Return the common leading shape of several arguments.

    Args:
        parts: For each argument name, its array and the number of last axes that belong to the value.

    Raises:
        InputError: If the leading axes do not broadcast.
    """
    shapes = {name: array.shape[: array.ndim - axes] for name, (array, axes) in parts.items()}
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError as error:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(f"leading axes must agree or be 1, however they are: {listed}") from error


def to_vec(array: FloatArray) -> Vec:
    """Return the component arrays of vectors, shape (..., 3)."""
    return Vec(array[..., 0], array[..., 1], array[..., 2])


def to_mat(array: FloatArray) -> Mat:
    """Return the component arrays of matrices, shape (..., 3, 3)."""
    return Mat(to_vec(array[..., 0, :]), to_vec(array[..., 1, :]), to_vec(array[..., 2, :]))


def from_vec(vec: Vec, shape: tuple[int, ...], out: FloatArray | None = None) -> FloatArray:
    """Return an array (*shape, 3) from component arrays, written to `out` if given."""
    result = np.empty((*shape, 3)) if out is None else out
    for i, component in enumerate(vec):
        result[..., i] = component
    return result


def from_mat(mat: Mat, shape: tuple[int, ...], out: FloatArray | None = None) -> FloatArray:
    """Return an array (*shape, 3, 3) from component arrays, written to `out` if given."""
    result = np.empty((*shape, 3, 3)) if out is None else out
    for i, row in enumerate(mat):
        from_vec(row, shape, result[..., i, :])
    return result


def cross(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return the vector product a x b over the last axis.

    Same result as `numpy.cross` without its axis handling, in half the time.

    Args:
        a: Vectors, shape (..., 3).
        b: Vectors, shape (..., 3); leading axes broadcast with those of a.

    Returns:
        Shape (..., 3), in the product of both units.

    Raises:
        InputError: If a shape does not fit.
    """
    left, right = as_array("a", a, 3), as_array("b", b, 3)
    shape = leading_shape(a=(left, 1), b=(right, 1))
    return from_vec(to_vec(left).cross(to_vec(right)), shape)
