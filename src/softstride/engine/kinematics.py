"""Where everything is and how it moves, all frames at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs
from softstride.engine.jit import Kernel
from softstride.engine.kernels.jacobian import AXES_ROWS, jacobians
from softstride.engine.kernels.observe import observe_motions, observe_points, observe_poses
from softstride.engine.places import PlaceLike, listed
from softstride.engine.plan import Plan, plan
from softstride.engine.run import run
from softstride.errors import InputError
from softstride.model import Model, Point

Array = NDArray[np.float64]
Places = PlaceLike | Sequence[PlaceLike]


def poses(model: Model, q: ArrayLike, frames: Places | None = None, *, threads: int | None = None) -> Array:
    """Return world poses T, p_world = T p_place.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq), or (nq,) for one frame.
        frames: Names of links, frames or markers, or `Frame` and `Point` objects; None: all links in order.
        threads: How many threads may be used.

    Returns:
        Homogeneous matrices, shape (n_frames, n, 4, 4), translations in [m]; without the axis n for a single place, and
        without n_frames for a single frame. Points have the axes of their link.
    """
    return _observed(model, q, frames, observe_poses, (4, 4), threads)


def positions(model: Model, q: ArrayLike, points: Places, *, threads: int | None = None) -> Array:
    """Return world positions of points or of frame origins, shape (n_frames, n, 3), in [m]; see `poses`."""
    return _observed(model, q, points, observe_points, (3,), threads)


def velocities(
    model: Model, q: ArrayLike, v: ArrayLike, frames: Places | None = None, *, threads: int | None = None
) -> Array:
    """Return body-fixed twists [angular; linear] of frames, hat(eta) = T^-1 dT/dt.

    Returns:
        Shape (n_frames, n, 6), in [rad/s] and [m/s], in the axes of each frame (a point has the axes of its link).
    """
    array, single = inputs.configuration(model, q)
    v = inputs.tangent(model, v, "v", len(array))
    return _motions(model, array, v, v, frames, single, 0, threads)


def accelerations(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frames: Places | None = None,
    *,
    gravity: bool = False,
    threads: int | None = None,
) -> Array:
    """Return the component-wise time derivatives of the body twists of frames.

    The acceleration of a frame's origin is the linear part plus omega x v (docs/theory/rods.md).

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq).
        v: Velocities, shape (n_frames, nv).
        a: Accelerations, shape (n_frames, nv).
        frames: Places, as in `poses`.
        gravity: Whether to add the upward acceleration -g that an accelerometer feels.
        threads: How many threads may be used.

    Returns:
        Shape (n_frames, n, 6), in [rad/s^2] and [m/s^2], in the axes of each frame.
    """
    array, single = inputs.configuration(model, q)
    v, a = inputs.tangent(model, v, "v", len(array)), inputs.tangent(model, a, "a", len(array))
    return _motions(model, array, v, a, frames, single, 1, threads, gravity)


def jacobian(
    model: Model, q: ArrayLike, point: Places, *, threads: int | None = None, out: Array | None = None
) -> Array:
    """Return Jacobians: velocity = J v.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq).
        point: A `Point` or marker: linear velocity in world axes, 3 rows. A `Frame` or link name: body-fixed twist
            [angular; linear], 6 rows. Or a list of one sort.
        threads: How many threads may be used.
        out: Array for the result.

    Returns:
        Shape (n_frames, 3 or 6, nv), or (n_frames, n, 3 or 6, nv) for a list.
    """
    array, single = inputs.configuration(model, q)
    places, one = listed(model, point)
    p = plan(model, places)
    rows = 3 if _all_points(p, "jacobian") else 6
    whole = (len(array), len(places), rows, model.nv)
    wanted = (() if single else whole[:1]) + (() if one else whole[1:2]) + whole[2:]
    result = inputs.output(out, wanted).reshape(whole)
    flat = result.reshape(len(array), len(places) * rows * model.nv)
    tables = (p.tree, p.places, p.supports, rows)
    run(jacobians, tables, (p.q_in(array),), (flat,), p.sweep_rows + AXES_ROWS + rows * model.nv, threads)
    return _squeezed(p.v_out(result), single, one)


def jacobian_dot_v(
    model: Model, q: ArrayLike, v: ArrayLike, point: Places, *, threads: int | None = None
) -> Array:
    """Return dJ/dt v, the acceleration of a place at a = 0.

    Returns:
        For a frame the derivative of its body twist, shape (n_frames, 6); for a `Point` its acceleration in world axes,
        shape (n_frames, 3); with an axis n for a list.
    """
    array, single = inputs.configuration(model, q)
    places, one = listed(model, point)
    points = _all_points(plan(model, places), "jacobian_dot_v")
    v = inputs.tangent(model, v, "v", len(array))
    rate = accelerations(model, array, v, np.zeros_like(v), places, threads=threads)
    if points:
        twist = velocities(model, array, v, places, threads=threads)
        R = poses(model, array, places, threads=threads)[..., :3, :3]
        body = rate[..., 3:] + np.cross(twist[..., :3], twist[..., 3:])
        rate = np.einsum("fnij,fnj->fni", R, body)
    return _squeezed(rate, single, one)


def _observed(
    model: Model,
    q: ArrayLike,
    frames: Places | None,
    kernel: Kernel,
    shape: tuple[int, ...],
    threads: int | None,
) -> Array:
    array, single = inputs.configuration(model, q)
    places, one = listed(model, frames)
    p = plan(model, places)
    out = np.empty((len(array), math.prod(shape) * len(places)))
    run(kernel, (p.tree, p.places), (p.q_in(array),), (out,), p.sweep_rows, threads)
    return _squeezed(out.reshape(len(array), len(places), *shape), single, one)


def _motions(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    frames: Places | None,
    single: bool,
    second: int,
    threads: int | None,
    gravity: bool = False,
) -> Array:
    places, one = listed(model, frames)
    p = plan(model, places)
    out = np.empty((len(q), 6 * len(places)))
    tables = (p.tree if gravity else p.weightless, p.places, second)
    run(observe_motions, tables, (p.q_in(q), p.v_in(v), p.v_in(a)), (out,), p.sweep_rows, threads)
    return _squeezed(out.reshape(len(q), len(places), 6), single, one)


def _all_points(p: Plan, what: str) -> bool:
    """Return whether all places are points; a mixture has no common number of rows."""
    if len(set(p.kinds)) != 1:
        given = "frames and points mixed" if p.kinds else "an empty list"
        raise InputError(
            f"{what} takes one place, or a list of frames only, or a list of points only, however it has {given}"
        )
    return p.kinds[0] is Point


def _squeezed(x: Array, single: bool, one: bool) -> Array:
    if one:
        x = x[:, 0]
    return x[0] if single else x
