"""Forces from motion and motion from forces, all frames at once.

    tau = M(q) a + b(q, v) - sum J^T w

The bias b holds velocity terms and gravity. Springs, dampers, limits and the elasticity of rods are not part of it:
they are forces like any other, see `softstride.engine.passive`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs
from softstride.engine.cuts import Cut
from softstride.engine.kernels.aba import aba, aba_rows
from softstride.engine.kernels.changes import derivatives_rows
from softstride.engine.kernels.crba import crba, crba_rows
from softstride.engine.kernels.derivatives import rnea_derivatives
from softstride.engine.kernels.jacobian import transmit, transmit_rows
from softstride.engine.kernels.rnea import rnea
from softstride.engine.kernels.rnea_loads import ABOUT_POINT, SHOWN
from softstride.engine.kernels.rnea_stations import rnea_rows
from softstride.engine.kinematics import poses, velocities
from softstride.engine.places import PlaceLike
from softstride.engine.plan import Plan, plan
from softstride.engine.run import run
from softstride.errors import InputError, ModelError
from softstride.model import Model

Array = NDArray[np.float64]
Wrenches = Mapping[PlaceLike, ArrayLike]

SUSPICIOUS = 1e8  # accelerations above this (in any unit) are worth a look at the mass matrix
CHECKED = 100  # frames looked at, the fastest first
CANCELLED = 1e-14  # what rounding leaves of an inertia that should be zero, as a part of what cancelled in it
ALIKE = 1e-13  # what it leaves of the difference of two coordinates that do the same


def inverse_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    f_ext: Wrenches | None = None,
    *,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return the generalized forces of a motion, tau = M a + b - sum J^T w (recursive Newton-Euler).

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq), or (nq,) for one frame.
        v: Velocities, shape (n_frames, nv).
        a: Accelerations, shape (n_frames, nv).
        f_ext: External wrenches by place (name, `Frame` or `Point`): [moment; force] in world axes, moment about the
            place, acting on the body, shape (n_frames, 6) or (6,), in [N m] and [N].
        threads: How many threads may be used.
        out: Array for the result.

    Returns:
        Shape (n_frames, nv), in [N m] for angles, [N] for lengths, [N m^2] and [N m] for strains.
    """
    array, single = inputs.configuration(model, q)
    v, a = inputs.tangent(model, v, "v", len(array)), inputs.tangent(model, a, "a", len(array))
    given = {} if f_ext is None else inputs.wrenches(f_ext, len(array))
    loads = np.concatenate(list(given.values()), axis=1) if given else np.empty((len(array), 0))
    p = plan(model, tuple(given), chained=True)
    tau = inputs.output(out, (model.nv,) if single else (len(array), model.nv)).reshape(len(array), model.nv)
    nothing = np.empty((len(array), 0))
    _run_rnea(p, (array, v, a), (nothing, loads), (tau, nothing, nothing), threads)
    return tau[0] if single else tau


def balance_of_forces(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    loads: Array,
    places: tuple[PlaceLike, ...],
    cuts: tuple[Cut, ...] = (),
    wrenches: Wrenches | None = None,
    *,
    threads: int | None = None,
) -> tuple[Array, Array, Array]:
    """Return the generalized forces of a motion under loads at moving points, and what joints transmit.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq).
        v: Velocities, shape (n_frames, nv).
        a: Accelerations, shape (n_frames, nv).
        loads: Of each place nine columns in world axes: moment about a point [N m], force [N] and that point [m];
            shape (n_frames, 9 n_places). The load acts on the link or section that the place is on.
        places: Names, `Frame` or `Point` objects; one may occur more than once.
        cuts: Joints whose wrenches are wanted.
        wrenches: Further loads as the external wrenches of `inverse_dynamics`, about their places.
        threads: How many threads may be used.

    Returns:
        tau as of `inverse_dynamics`, shape (n_frames, nv); for each cut the moment and the force that the joint gives
        its link and all that it carries, and the point that the moment is about, as the cut asks for them, shape
        (n_frames, n_cuts, 9), [N m], [N] and [m]; and where the places are, shape (n_frames, n_places, 3), [m].
    """
    array, _ = inputs.configuration(model, q)
    v, a = inputs.tangent(model, v, "v", len(array)), inputs.tangent(model, a, "a", len(array))
    loads = inputs.loads(loads, len(array), ABOUT_POINT * len(places))
    given = {} if wrenches is None else inputs.wrenches(wrenches, len(array))
    about_places = np.concatenate([np.empty((len(array), 0)), *given.values()], axis=1)
    views = tuple(place for cut in cuts for place in (cut.about, cut.axes))
    p = plan(
        model, (*places, *given, *views), chained=True, cuts=tuple(model.link(cut.link).name for cut in cuts)
    )
    widths = (model.nv, SHOWN * len(cuts), 3 * len(places))
    tau, shown, origins = (np.empty((len(array), width)) for width in widths)
    _run_rnea(p, (array, v, a), (loads, about_places), (tau, shown, origins), threads)
    return tau, shown.reshape(len(array), len(cuts), SHOWN), origins.reshape(len(array), len(places), 3)


def _run_rnea(
    p: Plan,
    state: tuple[Array, Array, Array],
    loads: tuple[Array, Array],
    outputs: tuple[Array, Array, Array],
    threads: int | None,
) -> None:
    q, v, a = state
    arguments = (p.q_in(q), p.v_in(v), p.v_in(a), *loads)
    run(rnea, (p.tree, p.places, p.paths, p.cuts), arguments, outputs, rnea_rows(p.tree), threads)
    p.v_out(outputs[0])


def bias(model: Model, q: ArrayLike, v: ArrayLike, *, threads: int | None = None) -> Array:
    """Return b(q, v), the generalized forces at zero acceleration, gravity included; shape (n_frames, nv)."""
    return inverse_dynamics(model, q, v, np.zeros_like(inputs.numbers(v, "v")), threads=threads)


def mass_matrix(model: Model, q: ArrayLike, *, threads: int | None = None, out: Array | None = None) -> Array:
    """Return the joint-space inertia matrix M(q), symmetric, by composite bodies; shape (n_frames, nv, nv)."""
    array, single = inputs.configuration(model, q)
    p = plan(model)
    shape = (model.nv, model.nv)
    M = inputs.output(out, shape if single else (len(array), *shape)).reshape(len(array), *shape)
    rows = p.sweep_rows + crba_rows(p.tree)
    run(crba, (p.tree, p.related), (p.q_in(array),), (M.reshape(len(array), model.nv**2),), rows, threads)
    p.v_out(M, axes=2)
    return M[0] if single else M


def forward_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: Wrenches | None = None,
    *,
    method: str = "aba",
    threads: int | None = None,
) -> Array:
    """Return the accelerations under given forces, M a = tau - b + sum J^T w.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq).
        v: Velocities, shape (n_frames, nv).
        tau: Generalized forces, shape (n_frames, nv).
        f_ext: External wrenches as in `inverse_dynamics`.
        method: "aba" (articulated bodies, O(n)) or "crba" (mass matrix and Cholesky, O(n^3), its check).
        threads: How many threads may be used.

    Raises:
        ModelError: If M is singular: a coordinate moves no mass, or two do the same.
    """
    array, single = inputs.configuration(model, q)
    v, forces = inputs.tangent(model, v, "v", len(array)), inputs.tangent(model, tau, "tau", len(array))
    if f_ext is not None:
        forces = forces + generalized_forces(model, array, f_ext, threads=threads)
    if method == "aba":
        p = plan(model)
        a = np.empty((len(array), model.nv))
        arguments = (p.q_in(array), p.v_in(v), p.v_in(forces))
        run(aba, (p.tree,), arguments, (a,), p.sweep_rows + aba_rows(p.tree), threads)
        p.v_out(a)
    elif method == "crba":
        right = forces - bias(model, array, v, threads=threads)
        a = _cholesky_solve(mass_matrix(model, array, threads=threads), right)
    else:
        raise InputError(f'method must be "aba" or "crba", however it is {method!r}')
    _refuse_singular(model, array, a)
    return a[0] if single else a


def _cholesky_solve(M: Array, right: Array) -> Array:
    """Solve frame by frame where some M has no factor, so that only those frames are not finite."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        if len(M) == 1:
            return np.full_like(right, np.nan)
        return np.concatenate([_cholesky_solve(M[f : f + 1], right[f : f + 1]) for f in range(len(M))])
    y = np.linalg.solve(L, right[..., None])
    return np.linalg.solve(np.swapaxes(L, -1, -2), y)[..., 0]


def _refuse_singular(model: Model, q: Array, a: Array) -> None:
    """Raise if M has no inverse: accelerations are not finite, or huge because of a pivot that is rounding alone."""
    worst = np.nan_to_num(np.abs(a), nan=np.inf).max(axis=1, initial=0.0)
    for frame in sorted(np.flatnonzero(worst > SUSPICIOUS), key=lambda f: -worst[f])[:CHECKED]:
        name = _immobile(model, q[frame], certain=not np.isfinite(worst[frame]))
        if name is not None:
            raise ModelError(
                f"forward dynamics has no solution in frame {frame}: coordinate {name!r} moves no inertia of its own "
                "there. Give what it carries mass; or, if another coordinate does the same (a gimbal lock), fix one."
            )


def _immobile(model: Model, q: Array, certain: bool) -> str | None:
    """Return the coordinate that makes M singular: its own inertia is rounding, or another does the same."""
    M, names = mass_matrix(model, q), list(model.coordinates)
    diagonal = np.diag(M)
    could = _roots_of_moved_inertia(model, q)
    idle = np.isfinite(could) & (np.sqrt(np.maximum(diagonal, 0.0)) <= math.sqrt(CANCELLED) * could)
    if idle.any():
        return names[int(np.argmin(np.where(idle, diagonal, np.inf)))]
    if not np.isfinite(M).all():
        return None  # too large a number, not too small an inertia: the result says so itself
    scale = np.sqrt(diagonal)
    values, motions = np.linalg.eigh(M / scale / scale[:, None])
    return names[int(np.argmax(np.abs(motions[:, 0])))] if certain or values[0] < ALIKE else None


def _roots_of_moved_inertia(model: Model, q: Array) -> Array:
    """Return, for each velocity, the root of the largest inertia that its links could show to it; shape (nv,).

    That is sum m (|v|^2 + |omega|^2 r^2) with the twists of a unit velocity and r, the extent of what it moves: the
    size of the terms that cancel in an inertia about an axis through the centres of mass. A root, for the square of a
    large distance is no number.
    """
    places = poses(model, q)[:, :3, 3]
    twists = velocities(model, np.tile(q, (model.nv, 1)), np.eye(model.nv))
    turn, speed = np.linalg.norm(twists[..., :3], axis=2), np.linalg.norm(twists[..., 3:], axis=2)
    links = list(model.links)
    weight = np.sqrt([link.mass for link in links])
    offset = np.array([math.hypot(*link.inertia.com) for link in links])
    found = np.empty(model.nv)
    for i in range(model.nv):
        moved = (turn[i] > 0.0) | (speed[i] > 0.0)
        extent = math.hypot(*np.ptp(places[moved], axis=0)) if moved.any() else 0.0
        each = weight * np.hypot(speed[i], turn[i] * (extent + offset))
        found[i] = math.hypot(*each)
    return found


def generalized_forces(
    model: Model, q: ArrayLike, wrenches: Wrenches, *, threads: int | None = None
) -> Array:
    """Return sum J^T w of wrenches [moment; force] in world axes about their places; shape (n_frames, nv)."""
    array, single = inputs.configuration(model, q)
    loads = inputs.wrenches(wrenches, len(array))
    p = plan(model, tuple(loads))
    out = np.zeros((len(array), model.nv))
    if loads:
        together = np.ascontiguousarray(np.concatenate(list(loads.values()), axis=1))
        run(
            transmit,
            (p.tree, p.places),
            (p.q_in(array), together),
            (out,),
            p.sweep_rows + transmit_rows(p.tree),
            threads,
        )
        p.v_out(out)
    return out[0] if single else out


def inverse_dynamics_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    threads: int | None = None,
    out: tuple[Array, Array, Array] | None = None,
) -> tuple[Array, Array, Array]:
    """Return the derivatives of `inverse_dynamics` by q, v and a, analytic, O(n depth).

    The derivative by q is taken in the tangent space: tau(q [+] d) = tau + (dtau/dq) d, with [+] as in `integrate`.
    External wrenches are not part of it.

    Returns:
        dtau/dq, dtau/dv and M, each of shape (n_frames, nv, nv).
    """
    array, single = inputs.configuration(model, q)
    v, a = inputs.tangent(model, v, "v", len(array)), inputs.tangent(model, a, "a", len(array))
    p = plan(model)
    if out is not None and len(out) != 3:
        raise InputError(
            f"out must be three arrays, for the derivatives by q, v and a, however it is {len(out)}"
        )
    shape, whole = (model.nv, model.nv), (len(array), model.nv, model.nv)
    given = (None, None, None) if out is None else out
    results = tuple(inputs.output(x, shape if single else whole).reshape(whole) for x in given)
    flat = tuple(x.reshape(len(array), model.nv**2) for x in results)
    arguments = (p.q_in(array), p.v_in(v), p.v_in(a))
    rows = p.sweep_rows + derivatives_rows(p.tree)
    run(rnea_derivatives, (p.tree, p.related), arguments, flat, rows, threads)
    dq, dv, M = (p.v_out(x, axes=2) for x in results)
    return (dq[0], dv[0], M[0]) if single else (dq, dv, M)
