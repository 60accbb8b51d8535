r"""How loads change with a motion: derivatives by an error d of the pose and by its two rates.

Errors move the motion to q [+] d(t). In the tangent space of a plain coordinate that is dv = d', da = d''; of rotations
and free joints, whose axes move with the child (ad: bracket of so(3) or se(3)),

    dv = d' + ad_v d,        da = d'' + ad_a d + ad_v d',

so that the generalized forces of the motion, tau = M a + b, change by T_0 d + T_1 d' + T_2 d'' with

    T_0 = dtau/dq + dtau/dv ad_v + M ad_a,    T_1 = dtau/dv + M ad_v,    T_2 = M.

Loads from outside stay where they are in the world, while the links move under them: J(q)^T w changes with q, by
central differences along the coordinates of the links that bear them. The wrench of the base is B(q) tau.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import branch_of
from softstride.dynamics.loads import AppliedWrench
from softstride.dynamics.prepare import State
from softstride.dynamics.residual import base_wrench
from softstride.dynamics.rod_loads import share_along
from softstride.engine.dynamics import generalized_forces, inverse_dynamics_derivatives
from softstride.engine.kinematics import poses
from softstride.engine.manifold import integrate, layout
from softstride.model.model import Model
from softstride.spatial.se3 import ad
from softstride.spatial.so3 import hat
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

STEP = 1e-5
"""Of differences along coordinates [rad], [m], [1/m]."""


def bracket(model: Model, x: Array) -> Array:
    """Return ad_x of all joints, block by block, shape (n, nv, nv); zero for plain coordinates."""
    at = layout(model)
    out = np.zeros((len(x), model.nv, model.nv))
    for own in at.spherical_v:
        out[:, own[:, None], own] = hat(x[:, own])
    for own in at.free_v:
        out[:, own[:, None], own] = ad(x[:, own])
    return out


def motion_maps(model: Model, state: State, threads: int | None = None) -> Array:
    """Return T_0, T_1 and T_2 of the generalized forces of a motion, shape (n, 3, nv, nv)."""
    dq, dv, M = inverse_dynamics_derivatives(model, state.q, state.v, state.a, threads=threads)
    if not layout(model).flat:
        turning = bracket(model, state.v)
        dq = dq + dv @ turning + M @ bracket(model, state.a)
        dv = dv + M @ turning
    return np.stack([dq, dv, M], axis=1)


def applied_forces(
    model: Model, q: Array, wrenches: Mapping[str, AppliedWrench], threads: int | None = None
) -> Array:
    """Return sum J^T w of loads that are fixed in the world, shape (n, nv); nothing acts where they are NaN."""
    out = np.zeros((len(q), model.nv))
    for wrench in wrenches.values():
        f, p, m = (np.nan_to_num(x) for x in (wrench.force, wrench.point, wrench.moment))
        part = branch_of(model, {wrench.link})
        at = part.take(q)
        places: dict[Any, Array] = {}
        if model.link(wrench.link).soft:
            places.update(share_along(model, q, wrench.link, p, f, m, threads))
        else:
            origin = poses(part.model, at, wrench.link, threads=threads)[:, :3, 3]
            places[wrench.link] = np.concatenate([m + cross(p - origin, f), f], axis=1)
        out[:, part.v] += generalized_forces(part.model, at, places, threads=threads)
    return out


def applied_map(
    model: Model, q: Array, wrenches: Mapping[str, AppliedWrench], threads: int | None = None
) -> Array:
    """Return the derivative of `applied_forces` by d, shape (n, nv, nv)."""
    n = len(q)
    out = np.zeros((n, model.nv, model.nv))
    for name, wrench in wrenches.items():
        columns = branch_of(model, {wrench.link}).v
        k = len(columns)
        moved = np.concatenate([_moved(model, q, columns, h) for h in (STEP, -STEP)])
        repeated = AppliedWrench(
            wrench.link, *(np.tile(x, (2 * k, 1)) for x in (wrench.force, wrench.point, wrench.moment))
        )
        there, back = applied_forces(model, moved, {name: repeated}, threads).reshape(2, k, n, model.nv)
        out[:, :, columns] += np.moveaxis(there - back, 0, 2) / (2.0 * STEP)
    return out


def wrench_map(model: Model, q: Array, link: str, point: Array, threads: int | None = None) -> Array:
    """Return J^T of a wrench [moment; force] on a link about a point, world axes, shape (n, nv, 6).

    Args:
        model: The model.
        q: Configurations, shape (n, nq).
        link: The link.
        point: Shape (n, 3), [m], world axes; of a rod it also says which section bears the load.
        threads: How many threads may be used.
    """
    n = len(q)
    unit = np.repeat(np.eye(6), n, axis=0)
    load = AppliedWrench(link, unit[:, 3:], np.tile(np.nan_to_num(point), (6, 1)), unit[:, :3])
    found = applied_forces(model, np.tile(q, (6, 1)), {"": load}, threads)
    return np.moveaxis(found.reshape(6, n, model.nv), 0, 2)


def section_map(
    model: Model, q: Array, wrench: AppliedWrench, along: Array, threads: int | None = None
) -> Array:
    """Return what other sections of a rod do under the same load, by where on the rod it acts, shape (n, nv, 3).

    The wrench stays the same, the point that says which section bears it moves along the given axes (k, 3).
    """
    out = np.zeros((len(q), model.nv, 3))
    f, p, m = (np.nan_to_num(x) for x in (wrench.force, wrench.point, wrench.moment))
    for axis in along:
        step = np.broadcast_to(STEP * axis, f.shape)
        there, back = (
            applied_forces(
                model,
                q,
                {"": AppliedWrench(wrench.link, f, p + sign * step, m - sign * cross(step, f))},
                threads,
            )
            for sign in (1.0, -1.0)
        )
        out += (there - back)[:, :, None] / (2.0 * STEP) * axis
    return out


def base_maps(
    model: Model, base: str | None, q: Array, taus: Sequence[Array], threads: int | None = None
) -> tuple[Array, tuple[Array, ...]]:
    """Return B with wrench of the base = B tau, shape (n, 6, nv), and the derivatives of B tau by d, (n, 6, nv) each.

    All are zero without a base. The wrench is about the origin of the base link, which moves with it.

    Args:
        model: The model.
        base: Name of the base link.
        q: Configurations, shape (n, nq).
        taus: Generalized forces, shape (n, nv) each.
        threads: How many threads may be used.
    """
    n, nv = len(q), model.nv
    B, changes = np.zeros((n, 6, nv)), np.zeros((len(taus), n, 6, nv))
    if base is None:
        return B, tuple(changes)
    columns = branch_of(model, (base,)).v
    k = len(columns)
    unit = np.repeat(np.eye(nv)[columns], n, axis=0)
    found, _ = base_wrench(model, base, np.tile(q, (k, 1)), unit, threads)
    B[:, :, columns] = np.moveaxis(found.reshape(k, n, 6), 0, 2)
    moved = np.concatenate([_moved(model, q, columns, h) for h in (STEP, -STEP)])
    for tau, change in zip(taus, changes, strict=True):
        found, _ = base_wrench(model, base, moved, np.tile(np.nan_to_num(tau), (2 * k, 1)), threads)
        there, back = found.reshape(2, k, n, 6)
        change[:, :, columns] = np.moveaxis(there - back, 0, 2) / (2.0 * STEP)
    return B, tuple(changes)


def _moved(model: Model, q: Array, columns: NDArray[np.intp], step: float) -> Array:
    """Return q moved along each of some velocities, shape (k n, nq), the frames of one after those of another."""
    d = np.repeat(step * np.eye(model.nv)[columns], len(q), axis=0)
    return np.asarray(integrate(model, np.tile(q, (len(columns), 1)), d))
