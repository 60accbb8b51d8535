"""The border of the Hill muscles: what a user gives becomes (n, m) arrays, or an error says why not."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.muscles.hill.curve import Array

BEYOND = 1e-6
"""By which an activation may leave 0 to 1: what a solver leaves behind."""


def numbers(x: ArrayLike, what: str) -> Array:
    """Return an array of real numbers, float64, of any shape."""
    try:
        raw = np.asarray(x)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be made of numbers, however: {error}") from error
    if raw.dtype.kind not in "fiub":
        raise InputError(f"{what} must be made of real numbers, however it is of {raw.dtype}")
    return np.asarray(raw, dtype=np.float64)


def matrix(x: ArrayLike, names: tuple[str, ...], what: str) -> tuple[Array, bool]:
    """Return (n, m) float64, contiguous, and whether it was one frame without axis; NaN may stay, infinity not."""
    array = numbers(x, what)
    m = len(names)
    if array.ndim not in (1, 2) or array.shape[-1] != m:
        raise InputError(
            f"{what} must have shape (n_frames, {m}) or ({m},), one column a muscle, however it has {array.shape}"
        )
    single = array.ndim == 1
    array = np.ascontiguousarray(array[None] if single else array)
    if np.isinf(array).any():
        frame, column = np.argwhere(np.isinf(array))[0].tolist()
        raise InputError(
            f"{what} must be finite or NaN, however frame {frame} of {names[column]!r} is infinite"
        )
    return array, single


def like(
    x: ArrayLike | None, shape: tuple[int, ...], names: tuple[str, ...], what: str, missing: float
) -> Array:
    """Return an array of the shape of another: one number, one for each muscle, or all of them; None is `missing`."""
    if x is None:
        return np.full(shape, missing)
    if np.ndim(x) == 0:
        x = np.full(shape[1:], x)
    array, single = matrix(x, names, what)
    if single:
        return np.ascontiguousarray(np.broadcast_to(array, shape))
    if array.shape != shape:
        raise InputError(
            f"{what} must have as many frames as length ({shape[0]}), however it has {len(array)}"
        )
    return array


def activations(x: ArrayLike, shape: tuple[int, ...], names: tuple[str, ...]) -> Array:
    """Return activations (n, m) between 0 and 1: one number, one for each muscle, or all of them; NaN may stay."""
    a = like(x, shape, names, "activation", 1.0)
    bad = (a < -BEYOND) | (a > 1.0 + BEYOND)
    if bad.any():
        frame, column = np.argwhere(bad)[0].tolist()
        raise InputError(
            f"activation must be between 0 and 1, however that of {names[column]!r} is {a[frame, column]:g} in frame "
            f"{frame}"
        )
    return np.clip(a, 0.0, 1.0)


def instants(time: ArrayLike, n: int) -> Array:
    """Return n instants that increase."""
    t = np.ascontiguousarray(numbers(time, "time"))
    if t.shape != (n,):
        raise InputError(f"time must have shape ({n},), one instant a frame, however it has {t.shape}")
    if not np.isfinite(t).all() or not (np.diff(t) > 0.0).all():
        bad = (
            int(np.flatnonzero(~np.isfinite(t))[0])
            if not np.isfinite(t).all()
            else int(np.argmin(np.diff(t) > 0.0)) + 1
        )
        raise InputError(f"time must be finite and increase, however frame {bad} is {t[bad]:g} s")
    return t
