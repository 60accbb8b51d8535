"""The border of the engine: arrays become float64, contiguous, of the right shape and finite, or an error says why."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine.kernels.scan import scan_finite, scan_quaternions
from softstride.engine.run import sealed
from softstride.errors import InputError
from softstride.model import Free, Model, Spherical

Array = NDArray[np.float64]

LARGEST_COORDINATE = 1e15
"""Beyond this an angle has no digits left within a turn; no length or strain is that large either."""

_ANY = float(np.finfo(np.float64).max)

_quaternions: weakref.WeakKeyDictionary[Model, NDArray[np.int64]] = weakref.WeakKeyDictionary()


def quaternion_starts(model: Model) -> NDArray[np.int64]:
    """Return the first column in q of every quaternion."""
    starts = _quaternions.get(model)
    if starts is None:
        rotating = (link.name for link in model.links if isinstance(link.joint, Spherical | Free))
        starts = np.array([model.q_indices(name)[-4] for name in rotating], dtype=np.int64)
        _quaternions[model] = starts
    return starts


def numbers(x: ArrayLike, what: str) -> Array:
    """Return an array of real numbers, float64."""
    try:
        array = np.asarray(x)
        if not np.iscomplexobj(array):
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be made of numbers, however: {error}") from error
    raise InputError(f"{what} must be made of real numbers, however it is complex")


def _frames(x: ArrayLike, width: int, what: str, meaning: str) -> tuple[Array, bool]:
    array = numbers(x, what)
    single = array.ndim == 1
    if array.ndim not in (1, 2) or array.shape[-1] != width:
        shape = f"(n_frames, {width}) or ({width},)"
        raise InputError(f"{what} must have shape {shape} ({meaning}), however it has {array.shape}")
    array = array[None] if single else array
    return np.ascontiguousarray(array), single


def _refuse_nonfinite(array: Array, what: str, names: Callable[[int], str], limit: float = _ANY) -> None:
    found = np.array([-1, -1], dtype=np.int64)
    scan_finite(sealed(array), limit, found)
    if found[0] >= 0:
        frame, column = found.tolist()
        kind = "finite" if limit == _ANY else f"finite and at most {limit:g}"
        value = array[frame, column]
        raise InputError(f"{what} must be {kind}, however frame {frame} of {names(column)} is {value}")


def configuration(model: Model, q: ArrayLike, what: str = "q") -> tuple[Array, bool]:
    """Return q as (n_frames, nq) and whether it was one frame without axis."""
    array, single = _frames(q, model.nq, what, f"nq of model {model.name!r}")
    _refuse_nonfinite(
        array, what, lambda column: f"link {link_of(model, column)!r} (column {column})", LARGEST_COORDINATE
    )
    starts = quaternion_starts(model)
    if len(starts):
        found = np.array([-1, -1], dtype=np.int64)
        scan_quaternions(sealed(array), starts, found)
        if found[0] >= 0:
            link = link_of(model, int(starts[found[1]]))
            raise InputError(
                f"quaternion of link {link!r} in {what} has norm zero in frame {found[0]}; no rotation is (0, 0, 0, 1)"
            )
    return array, single


def velocity(model: Model, x: ArrayLike, what: str) -> tuple[Array, bool]:
    """Return a velocity-like array as (n_frames, nv) and whether it was one frame without axis."""
    array, single = _frames(x, model.nv, what, f"nv of model {model.name!r}")
    names = list(model.coordinates)
    _refuse_nonfinite(array, what, lambda column: f"coordinate {names[column]!r} (column {column})")
    return array, single


def tangent(model: Model, x: ArrayLike, what: str, frames: int) -> Array:
    """Return a velocity-like array as (n_frames, nv) with as many frames as q."""
    array, _ = velocity(model, x, what)
    if len(array) != frames:
        raise InputError(f"{what} must have as many frames as q, {frames}, however it has {len(array)}")
    return array


def wrenches(given: object, frames: int) -> dict[Any, Array]:
    """Return wrenches by place, each (n_frames, 6); one wrench stands for all frames."""
    if not isinstance(given, Mapping):
        raise InputError(
            "wrenches must be a mapping from places to arrays, such as {'foot': w}, however they are a "
            f"{type(given).__name__}"
        )
    return {place: _wrench(w, place, frames) for place, w in given.items()}


def _wrench(x: ArrayLike, place: object, frames: int) -> Array:
    try:
        array = np.asarray(x)
        array = array if array.dtype == np.float64 else numbers(x, f"wrench on {place!r}")
    except (TypeError, ValueError):
        array = numbers(x, f"wrench on {place!r}")  # says what is wrong
    if array.shape == (6,):
        array = np.broadcast_to(array, (frames, 6))
    if array.shape != (frames, 6):
        raise InputError(
            f"wrench on {place!r} must have shape ({frames}, 6) or (6,), however it has {np.shape(x)}"
        )
    if not np.isfinite(array).all():
        frame = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise InputError(
            f"wrench on {place!r} must be finite, however frame {frame} is {array[frame].tolist()}"
        )
    return array


def loads(x: Array, frames: int, width: int) -> Array:
    """Return a table of loads as (n_frames, width), all finite."""
    array, _ = _frames(x, width, "loads", "those of all places side by side")
    if len(array) != frames:
        raise InputError(f"loads must have as many frames as q, {frames}, however they have {len(array)}")
    _refuse_nonfinite(array, "loads", lambda column: f"column {column}")
    return array


def output(out: Array | None, shape: tuple[int, ...]) -> Array:
    """Return the array that takes a result: a new one, or the given one if it fits."""
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != np.float64:
        raise InputError(f"out must be a float64 array of shape {shape}, however it is {_described(out)}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise InputError("out must be writable and C-contiguous")
    return out


def _described(x: object) -> str:
    return f"{x.dtype} of shape {x.shape}" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"


def link_of(model: Model, column: int) -> str:
    """Return the link whose coordinate is this column of q."""
    return next(link.name for link in model.links if column in model.q_indices(link.name))
