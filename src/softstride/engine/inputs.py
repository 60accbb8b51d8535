"""The border of the engine: arrays become float64, contiguous, of the right shape and finite, or an error says why."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine.kernels.scan import scan_finite, scan_quaternions
from softstride.errors import InputError
from softstride.model import Free, Model, Spherical

Array = NDArray[np.float64]

_quaternions: weakref.WeakKeyDictionary[Model, NDArray[np.int64]] = weakref.WeakKeyDictionary()


def quaternion_starts(model: Model) -> NDArray[np.int64]:
    """Return the first column in q of every quaternion."""
    starts = _quaternions.get(model)
    if starts is None:
        rotating = (link.name for link in model.links if isinstance(link.joint, Spherical | Free))
        starts = np.array([model.q_indices(name)[-4] for name in rotating], dtype=np.int64)
        _quaternions[model] = starts
    return starts


def _array(x: ArrayLike, width: int, what: str, meaning: str) -> tuple[Array, bool]:
    try:
        array = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be an array of numbers: {error}") from error
    single = array.ndim == 1
    if single:
        array = array[None]
    if array.ndim != 2 or array.shape[1] != width:
        raise InputError(
            f"{what} must have shape (n_frames, {width}) or ({width},) ({meaning}), however it has {np.shape(x)}"
        )
    if not array.flags.c_contiguous or not array.flags.writeable:  # a kernel takes one kind of array
        array = np.array(array, order="C")
    return array, single


def _refuse_nonfinite(array: Array, what: str, names: Any) -> None:
    found = np.array([-1, -1], dtype=np.int64)
    scan_finite(array, found)
    if found[0] >= 0:
        frame, column = found.tolist()
        raise InputError(
            f"{what} must be finite, however frame {frame} of {names(column)} is {array[frame, column]}"
        )


def configuration(model: Model, q: ArrayLike) -> tuple[Array, bool]:
    """Return q as (n_frames, nq) and whether it was one frame without axis."""
    array, single = _array(q, model.nq, "q", f"nq of model {model.name!r}")
    _refuse_nonfinite(array, "q", lambda column: f"link {link_of(model, column)!r} (column {column})")
    starts = quaternion_starts(model)
    if len(starts):
        found = np.array([-1, -1], dtype=np.int64)
        scan_quaternions(array, starts, found)
        if found[0] >= 0:
            link = link_of(model, int(starts[found[1]]))
            raise InputError(
                f"quaternion of link {link!r} in q has norm zero in frame {found[0]}: (0, 0, 0, 1) is no rotation"
            )
    return array, single


def tangent(model: Model, x: ArrayLike, what: str, frames: int) -> Array:
    """Return a velocity-like array as (n_frames, nv); one frame without axis is accepted for one frame of q."""
    array, _ = _array(x, model.nv, what, f"nv of model {model.name!r}")
    if len(array) != frames:
        raise InputError(f"{what} must have as many frames as q, {frames}, however it has {len(array)}")
    names = list(model.coordinates)
    _refuse_nonfinite(array, what, lambda column: f"coordinate {names[column]!r} (column {column})")
    return array


def wrench(x: ArrayLike, what: str, frames: int) -> Array:
    """Return a wrench as (n_frames, 6); one wrench stands for all frames."""
    array = np.asarray(x, dtype=np.float64)
    if array.shape == (6,):
        array = np.broadcast_to(array, (frames, 6))
    if array.shape != (frames, 6):
        raise InputError(
            f"wrench on {what} must have shape ({frames}, 6) or (6,), however it has {np.shape(x)}"
        )
    if not np.isfinite(array).all():
        frame = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise InputError(f"wrench on {what} must be finite, however frame {frame} is {array[frame].tolist()}")
    return array


def output(out: Array | None, shape: tuple[int, ...]) -> Array:
    """Return the array that takes a result: a new one, or the given one if it fits."""
    if out is None:
        return np.empty(shape)
    if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous or not out.flags.writeable:
        raise InputError(
            f"out must be a writable C-contiguous float64 array of shape {shape}, however it is {out.shape}"
        )
    return out


def link_of(model: Model, column: int) -> str:
    """Return the link whose coordinate is this column of q."""
    return next(link.name for link in model.links if column in model.q_indices(link.name))
