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

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.series import owned
from softstride.engine import inputs
from softstride.engine.manifold import layout
from softstride.errors import InputError
from softstride.model.model import Model
from softstride.signals.inputs import as_time
from softstride.signals.smoothing_spline import fit_spline
from softstride.spatial.quaternion import quat_conjugate, quat_multiply, quat_to_matrix
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

COLUMNS_AT_ONCE = 16
"""Coordinates splined in one go: the work space is a few times so many columns, however long and wide the motion is."""

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
    places = layout(model)
    n = len(t)
    result = np.empty((n, model.nq)), np.empty((n, model.nv)), np.empty((n, model.nv))
    q_out, v_out, a_out = result

    def splined(x: Array) -> tuple[Array, Array, Array]:
        """Return value, first and second derivative of the splines of some columns (n, k)."""
        if n == 0:
            return x, x.copy(), x.copy()
        p = smoothing if cutoff is None else None
        spline = fit_spline(t, x, smoothing=p, cutoff=cutoff, weights=weights)
        value, first, second = (spline(t, k) if n > k else np.zeros_like(x) for k in range(3))
        exact = cutoff is None and smoothing == 0.0
        return (x if exact else value), first, second

    for at_q, at_v in _chunks(places.plain_q, places.plain_v):
        q_out[:, at_q], v_out[:, at_v], a_out[:, at_v] = splined(rows[:, at_q])
    for at_q, at_v in zip(places.quaternions, places.rotations, strict=True):
        spline = splined(continuous(rows[:, at_q]))
        q_out[:, at_q], v_out[:, at_v], a_out[:, at_v] = _turning(spline, inputs.link_of(model, int(at_q[0])))
    for at_q, at_v in zip(places.free_q, places.free_v, strict=True):
        x, dx, ddx = splined(rows[:, at_q[:3]])
        back = np.swapaxes(quat_to_matrix(q_out[:, at_q[3:]]), -1, -2)
        omega = v_out[:, at_v[:3]]
        v = np.einsum("...ij,...j->...i", back, dx)
        q_out[:, at_q[:3]], v_out[:, at_v[3:]] = x, v
        a_out[:, at_v[3:]] = np.einsum("...ij,...j->...i", back, ddx) - cross(omega, v)
    return Curve(owned(t), *(owned(part) for part in result))


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


def _chunks(*places: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], ...]]:
    for start in range(0, len(places[0]), COLUMNS_AT_ONCE):
        yield tuple(part[start : start + COLUMNS_AT_ONCE] for part in places)


def _turning(spline: tuple[Array, Array, Array], link: str) -> tuple[Array, Array, Array]:
    """Return r, omega and omega' of the normalised curve of (p, p', p'')."""
    p, dp, ddp = spline
    squared = np.sum(p * p, axis=-1, keepdims=True)
    short = np.flatnonzero(squared[:, 0] < SHORTEST**2)
    if short.size:
        raise InputError(
            f"link {link!r} turns so fast about frame {short[0]} that the smoothing leaves nothing of its rotation; "
            "raise the cutoff or lower the smoothing."
        )
    back = quat_conjugate(p)
    omega = 2.0 * quat_multiply(back, dp)[..., :3] / squared
    shrink = np.sum(p * dp, axis=-1, keepdims=True) / squared
    return (
        p / np.sqrt(squared),
        omega,
        2.0 * quat_multiply(back, ddp)[..., :3] / squared - 2.0 * shrink * omega,
    )
