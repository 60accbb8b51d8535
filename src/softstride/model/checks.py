"""Turn what a user gives into read-only float64 arrays, or say what is wrong with it.

Every function takes `what`, the words that name the value in an error ("link 'thigh': position").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import ModelError
from softstride.errors import names_hint as names_hint

FloatArray = NDArray[np.float64]

if TYPE_CHECKING:

    class ArrayField:
        """Type of a dataclass field with a default: array-like goes in, a float64 array comes out."""

        def __get__(self, instance: object, owner: type | None = None) -> FloatArray:
            """Read the array."""

        def __set__(self, instance: object, value: ArrayLike) -> None:
            """Give the array to the constructor."""

else:
    ArrayField = FloatArray

IDENTITY = np.eye(3)
IDENTITY.setflags(write=False)

ORTHONORMAL_TOLERANCE = 1e-8
"""Largest allowed entry of R Rᵀ - E: files give rotations with eight or more digits."""


class Frozen:
    """Base of the model's dataclasses: stored arrays stay read-only through pickling and copying."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields and lock their arrays again."""
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        self.__dict__.update(state)

    def _set(self, **values: object) -> None:
        """Store cleaned values from `__post_init__` of a frozen dataclass."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


def as_given(value: ArrayLike) -> FloatArray:
    """Hand a value to a dataclass that converts and checks it itself."""
    return cast(FloatArray, value)


def locked(array: FloatArray) -> FloatArray:
    """Return `array`, no longer writable."""
    array.setflags(write=False)
    return array


def constant(value: ArrayLike) -> Callable[[], Any]:
    """Return a default factory for a dataclass field that holds this array."""
    shared = locked(np.array(value, dtype=np.float64))
    return lambda: shared


def array(value: ArrayLike, shape: tuple[int, ...], what: str) -> FloatArray:
    """Return a read-only copy of `value` with exactly this shape and finite entries."""
    result = any_array(value, what)
    if result.shape != shape:
        raise ModelError(f"{what} must have shape {shape}, however it has shape {result.shape}.")
    return result


def any_array(value: ArrayLike, what: str, *, infinite: bool = False) -> FloatArray:
    """Return a read-only float64 copy of `value`, finite unless `infinite`, never NaN, whatever its shape."""
    try:
        raw = np.asarray(value)
        result = np.array(raw, dtype=np.float64) if raw.dtype.kind in "fiub" else None
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{what} must be made of numbers, however it is {value!r}.") from error
    if result is None:
        raise ModelError(f"{what} must be made of real numbers, however it is {value!r}.")
    if not np.isfinite(result).all() and (not infinite or np.isnan(result).any()):
        raise ModelError(f"{what} must be finite, however it is {result.tolist()}.")
    return locked(result)


def number(value: object, what: str, *, lower: float = -math.inf, infinite: bool = False) -> float:
    """Return `value` as a float, not NaN, at least `lower`, and finite unless `infinite`."""
    try:
        scalar = np.ndim(value) == 0 and not isinstance(value, str | bytes)  # type: ignore[arg-type]
        result = float(value) if scalar else math.nan  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        scalar, result = False, math.nan
    if not scalar:
        raise ModelError(f"{what} must be a number, however it is {value!r}.")
    if math.isnan(result) or (math.isinf(result) and not infinite):
        raise ModelError(f"{what} must be finite, however it is {result}.")
    if result < lower:
        raise ModelError(f"{what} must be at least {lower:g}, however it is {result:g}.")
    return result


def text(value: object, what: str) -> str:
    """Return a name: a string that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ModelError(f"{what} must be a string that is not empty, however it is {value!r}.")
    return value


def unit(value: ArrayLike, what: str) -> FloatArray:
    """Return the direction of a vector, shape (3,), length 1."""
    vector = array(value, (3,), what)
    largest = float(np.max(np.abs(vector)))
    if largest < 1e-150:
        raise ModelError(f"{what} must not be zero, however it is {vector.tolist()}: give a direction.")
    scaled = vector / largest
    length = float(np.sqrt(scaled @ scaled))
    if largest == 1.0 and abs(length - 1.0) < 1e-15:
        return vector
    return locked(scaled / length)


def rotation(value: ArrayLike, what: str) -> FloatArray:
    """Return a rotation matrix, shape (3, 3), after checking R Rᵀ = E and det R = 1."""
    R = array(value, (3, 3), what)
    if abs(R).max() > 2.0 or abs(R @ R.T - IDENTITY).max() > ORTHONORMAL_TOLERANCE:
        raise ModelError(
            f"{what} must be a rotation matrix (its rows orthonormal), however it is {R.tolist()}."
        )
    if np.linalg.det(R) < 0.0:
        raise ModelError(f"{what} must be a rotation, however it is a reflection: swap the sign of one axis.")
    return R


def pose(value: ArrayLike, what: str) -> FloatArray:
    """Return a rigid transform [[R, p], [0, 1]], shape (4, 4)."""
    T = array(value, (4, 4), what)
    rotation(T[:3, :3], f"{what}: its rotation")
    if np.any(T[3] != (0.0, 0.0, 0.0, 1.0)):
        raise ModelError(f"{what} must have the last row (0, 0, 0, 1), however it is {T[3].tolist()}.")
    return T


def transform(position: ArrayLike, turn: ArrayLike | None, what: str) -> FloatArray:
    """Return the rigid transform of a position [m], shape (3,), and a rotation matrix (None: no rotation)."""
    T = np.eye(4)
    T[:3, 3] = array(position, (3,), f"{what}: position")
    if turn is not None:
        T[:3, :3] = rotation(turn, f"{what}: rotation")
    return locked(T)
