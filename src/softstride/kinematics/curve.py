"""A smooth curve through the frames of a motion, on the manifold of q, with its exact velocity and acceleration.

Plain coordinates are quintic splines. A rotation is the normalised curve r = p / |p| of a spline p of the four numbers
of its quaternion, their signs made continuous first. Since p* o p' = |p|^2 r* o r' + p . p' and p'* o p' has no vector
part,

    omega  = 2 vec(p* o p') / |p|^2,
    omega' = 2 vec(p* o p'') / |p|^2 - 2 (p . p') / |p|^2 omega,

exactly, in the axes of the child. A free joint moves its origin x along a spline in the axes it hangs in; its twist
and the component-wise derivative of the twist are

    v = R^T x',    v' = R^T x'' - omega x v.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import make_interp_spline

from softstride.engine import inputs
from softstride.engine.manifold import layout
from softstride.errors import InputError
from softstride.model.model import Model
from softstride.results import owned
from softstride.signals.inputs import as_time
from softstride.signals.smoothing_spline import fit_spline
from softstride.spatial.quaternion import quat_conjugate, quat_multiply, quat_to_matrix
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]
Splined = Callable[[Array], tuple[Array, Array, Array]]

COLUMNS_AT_ONCE = 16
"""Most coordinates splined in one go: the work space is a few times so many columns, however wide the motion is."""

VALUES_AT_ONCE = 2**17
"""Most values splined in one go, where that is more than one column: long motions are splined one by one."""

FRAMES_AT_ONCE = 16_384
"""Frames whose rotations are differentiated in one go."""

SHORTEST = 0.05
"""Length of a smoothed quaternion below which it has no direction left to trust."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A motion and its rates at the instants it was given at.

    Attributes:
        time: Instants [s], shape (n,).
        q: Configurations, shape (n, nq); quaternions of length one, of continuous sign.
        v: Velocities, shape (n, nv).
        a: Accelerations, the component-wise derivatives of v, shape (n, nv).
    """

    time: Array
    q: Array
    v: Array
    a: Array


def fit_curve(
    model: Model,
    time: ArrayLike,
    q: ArrayLike,
    *,
    cutoff: float | None = None,
    smoothing: float = 0.0,
    weights: ArrayLike | None = None,
) -> Curve:
    """Lay a curve through a motion, or near it, and differentiate it exactly.

    The splines are natural, of degree five: their third and fourth derivatives vanish at the ends, where the
    acceleration is therefore less accurate than inside. Two frames make straight lines and three parabolas (of the
    four numbers, for a quaternion); one frame rests.

    Args:
        model: The model.
        time: Instants, shape (n,), in [s], strictly increasing, of any spacing.
        q: Configurations, shape (n, nq).
        cutoff: Frequency that is halved, in [Hz]; None: no smoothing by cutoff.
        smoothing: p of `signals.fit_spline`, in [s^5]; 0 goes through every frame.
        weights: Of the frames, shape (n,), positive; one by default.

    Returns:
        The curve.

    Raises:
        InputError: If shapes or instants do not fit, q is not finite, both cutoff and smoothing are given, or the
            smoothing takes a rotation away altogether.
    """
    if cutoff is not None and smoothing != 0.0:
        raise InputError("cutoff and smoothing each fix the smoothing; give one of them.")
    rows = check_frames(model, q)
    t = as_time(time, len(rows))
    if cutoff is None and smoothing == 0.0 and weights is None:
        through: Splined = partial(_through, t)
    else:
        through = partial(_near, t, None if cutoff is not None else smoothing, cutoff, weights)
    result = np.empty((len(t), model.nq))
    v, a = _rates(model, rows, through, result)
    return Curve(owned(t), owned(result), v, a)


def fit_rates(model: Model, time: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """Return v and a of the curve of `fit_curve` through every frame, each of shape (n, nv).

    Raises:
        InputError: If shapes or instants do not fit or q is not finite.
    """
    rows = check_frames(model, q)
    return _rates(model, rows, partial(_through, as_time(time, len(rows))), None)


def _rates(model: Model, rows: Array, splined: Splined, q_out: Array | None) -> tuple[Array, Array]:
    """Return v and a of a curve, and put its q into q_out."""
    places = layout(model)
    n = len(rows)
    v_out, a_out = np.empty((n, model.nv)), np.empty((n, model.nv))
    for at_q, at_v in _chunks(n, places.plain_q, places.plain_v):
        x, v_out[:, at_v], a_out[:, at_v] = splined(np.take(rows, at_q, axis=1))
        if q_out is not None:
            q_out[:, at_q] = x
    free = {
        int(at_q[3]): (at_q[:3], at_v[3:]) for at_q, at_v in zip(places.free_q, places.free_v, strict=True)
    }
    for at_q, at_v in zip(places.quaternions, places.rotations, strict=True):
        spline = splined(continuous(rows[:, at_q]))
        _refuse_short(spline[0], inputs.link_of(model, int(at_q[0])))
        at_x, at_u = free.get(int(at_q[0]), (None, None))
        moving = None if at_x is None else splined(rows[:, at_x])
        for start in range(0, n, FRAMES_AT_ONCE):
            part = slice(start, start + FRAMES_AT_ONCE)
            r, omega, alpha = _turning(*(each[part] for each in spline))
            v_out[part, at_v], a_out[part, at_v] = omega, alpha
            if q_out is not None:
                q_out[part, at_q] = r
            if moving is not None:
                x, dx, ddx = (each[part] for each in moving)
                back = np.swapaxes(quat_to_matrix(r), -1, -2)
                v = np.einsum("...ij,...j->...i", back, dx)
                v_out[part, at_u] = v
                a_out[part, at_u] = np.einsum("...ij,...j->...i", back, ddx) - cross(omega, v)
                if q_out is not None:
                    q_out[part, at_x] = x
    return owned(v_out), owned(a_out)


def _through(t: Array, x: Array) -> tuple[Array, Array, Array]:
    """Return columns (n, k) and the first and second derivative of the splines through them.

    They are those of `fit_spline` without smoothing, whose equations for the smoothing need not be set up.
    """
    n = len(t)
    if n <= 3:
        return _near(t, 0.0, None, None, x)
    interval = float(t[-1] - t[0]) / (n - 1)
    place = (t - t[0]) / interval
    flat = [(order, np.zeros(x.shape[1])) for order in (3, 4)]
    try:
        spline = make_interp_spline(place, x, k=5, bc_type=(flat, flat))
    except (ValueError, np.linalg.LinAlgError):
        raise InputError("no spline goes through the frames: instants are too close together.") from None
    return x, spline(place, 1) / interval, spline(place, 2) / interval**2


def _near(
    t: Array, smoothing: float | None, cutoff: float | None, weights: ArrayLike | None, x: Array
) -> tuple[Array, Array, Array]:
    """Return value, first and second derivative of the smoothing splines of some columns (n, k)."""
    n = len(t)
    if n == 0:
        return x, x.copy(), x.copy()
    spline = fit_spline(t, x, smoothing=smoothing, cutoff=cutoff, weights=weights)
    value, first, second = (spline(t, k) if n > k else np.zeros_like(x) for k in range(3))
    return (x if smoothing == 0.0 else value), first, second


def check_frames(model: Model, q: ArrayLike) -> Array:
    """Return q as an array (n, nq) of finite numbers without copying it, or say what is wrong with it.

    Raises:
        InputError: If the shape does not fit, a number is not finite or a quaternion is zero.
    """
    rows = inputs.numbers(q, "q")
    if rows.ndim != 2 or rows.shape[1] != model.nq:
        raise InputError(
            f"q must have shape (n_frames, {model.nq}) (nq of model {model.name!r}), however it has {rows.shape}"
        )
    largest = inputs.LARGEST_COORDINATE
    fits = not rows.size or bool(rows.min() >= -largest and rows.max() <= largest)
    if not fits or any(not rows[:, at].any(axis=1).all() for at in layout(model).quaternions):
        inputs.configuration(model, rows)  # says where
    return rows


def continuous(quaternions: Array) -> Array:
    """Return unit quaternions (n, 4), each with the sign that is nearer to the one before; the first keeps its own."""
    unit = quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)
    turned = np.sum(unit[1:] * unit[:-1], axis=-1) < 0.0
    signs = np.concatenate([[1.0], np.where(np.cumsum(turned) % 2, -1.0, 1.0)])[: len(unit)]
    return np.asarray(unit * signs[:, None])


def _chunks(n: int, *places: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], ...]]:
    """Cut lists of columns of n frames into pieces of the same columns each."""
    size = min(COLUMNS_AT_ONCE, max(1, VALUES_AT_ONCE // max(n, 1)))
    for start in range(0, len(places[0]), size):
        yield tuple(part[start : start + size] for part in places)


def _refuse_short(p: Array, link: str) -> None:
    """Refuse quaternions that the smoothing leaves no direction to."""
    short = np.flatnonzero(np.sum(p * p, axis=-1) < SHORTEST**2)
    if short.size:
        raise InputError(
            f"link {link!r} turns so fast about frame {short[0]} that the smoothing leaves nothing of its rotation; "
            "raise the cutoff or lower the smoothing."
        )


def _turning(p: Array, dp: Array, ddp: Array) -> tuple[Array, Array, Array]:
    """Return r, omega and omega' of the normalised curve of p from p, p' and p''."""
    squared = np.sum(p * p, axis=-1, keepdims=True)
    back = quat_conjugate(p)
    omega = 2.0 * quat_multiply(back, dp)[..., :3] / squared
    shrink = np.sum(p * dp, axis=-1, keepdims=True) / squared
    return (
        p / np.sqrt(squared),
        omega,
        2.0 * quat_multiply(back, ddp)[..., :3] / squared - 2.0 * shrink * omega,
    )
