"""Forces from motion and motion from forces, all frames at once.

    tau = M(q) a + b(q, v) - sum J^T w

The bias b holds velocity terms and gravity. Springs, dampers, limits and the elasticity of rods are not part of it:
they are forces like any other, see `softstride.engine.passive`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs
from softstride.engine.kernels.aba import aba, aba_rows
from softstride.engine.kernels.changes import derivatives_rows
from softstride.engine.kernels.crba import crba, crba_rows
from softstride.engine.kernels.derivatives import rnea_derivatives
from softstride.engine.kernels.jacobian import transmit, transmit_rows
from softstride.engine.kernels.rnea import rnea
from softstride.engine.kernels.rnea_stations import rnea_rows
from softstride.engine.places import PlaceLike
from softstride.engine.plan import plan
from softstride.engine.run import run
from softstride.errors import InputError, ModelError
from softstride.model import Model

Array = NDArray[np.float64]
Wrenches = Mapping[PlaceLike, ArrayLike]

SUSPICIOUS = 1e8  # accelerations above this (in any unit) are worth a look at the mass matrix
SINGULAR = 1e-13  # smallest eigenvalue, relative to its diagonal, of a mass matrix that has an inverse


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
    p = plan(model)
    tau = inputs.output(out, (len(array), model.nv))
    arguments = (p.q_in(array), p.v_in(v), p.v_in(a))
    run(rnea, (p.tree,), arguments, (tau,), rnea_rows(p.tree), threads)
    p.v_out(tau)
    if f_ext is not None:
        tau -= generalized_forces(model, array, f_ext, threads=threads)
    return tau[0] if single else tau


def bias(model: Model, q: ArrayLike, v: ArrayLike, *, threads: int | None = None) -> Array:
    """Return b(q, v), the generalized forces at zero acceleration, gravity included; shape (n_frames, nv)."""
    return inverse_dynamics(model, q, v, np.zeros_like(np.asarray(v, dtype=np.float64)), threads=threads)


def mass_matrix(model: Model, q: ArrayLike, *, threads: int | None = None, out: Array | None = None) -> Array:
    """Return the joint-space inertia matrix M(q), symmetric, by composite bodies; shape (n_frames, nv, nv)."""
    array, single = inputs.configuration(model, q)
    p = plan(model)
    M = inputs.output(out, (len(array), model.nv, model.nv))
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
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return np.full_like(right, np.nan)
    y = np.linalg.solve(L, right[..., None])
    return np.linalg.solve(np.swapaxes(L, -1, -2), y)[..., 0]


def _refuse_singular(model: Model, q: Array, a: Array) -> None:
    """Raise if M has no inverse: accelerations are not finite, or huge because of a pivot that is rounding alone."""
    worst = np.nan_to_num(np.abs(a), nan=np.inf).max(axis=1, initial=0.0)
    for frame in np.flatnonzero(worst > SUSPICIOUS)[:1]:
        M = mass_matrix(model, q[frame])
        scale = np.sqrt(np.diag(M))
        scale[scale == 0.0] = 1.0
        values, motions = np.linalg.eigh(M / scale / scale[:, None])
        if values[0] > SINGULAR and np.isfinite(worst[frame]):
            return
        name = list(model.coordinates)[int(np.argmax(np.abs(motions[:, 0])))]
        raise ModelError(
            f"forward dynamics has no solution in frame {frame}: coordinate {name!r} moves no inertia of its own "
            "there. Give what it carries mass; or, if another coordinate does the same (a gimbal lock), fix one."
        )


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
    shape = (len(array), model.nv, model.nv)
    results = tuple(inputs.output(None if out is None else out[i], shape) for i in range(3))
    flat = tuple(x.reshape(len(array), model.nv**2) for x in results)
    arguments = (p.q_in(array), p.v_in(v), p.v_in(a))
    rows = p.sweep_rows + derivatives_rows(p.tree)
    run(rnea_derivatives, (p.tree, p.related), arguments, flat, rows, threads)
    dq, dv, M = (p.v_out(x, axes=2) for x in results)
    return (dq[0], dv[0], M[0]) if single else (dq, dv, M)
