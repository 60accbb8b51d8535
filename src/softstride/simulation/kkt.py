r"""Motion under constraints: Gauss' principle solved in mass-weighted coordinates.

Accelerations, projections and impacts all solve the same saddle-point (KKT) system

    M a - J^T lambda = f,        J a = c,

the stationary point of |a - M^-1 f|_M^2 / 2 under J a = c (F. E. Udwadia and R. E. Kalaba, "A new
perspective on constrained motion", Proc. R. Soc. A 439, 1992). With M = L L^T and G = L^-1 J^T it reads

    a = L^-T y,   y = y0 + G^+T (c - G^T y0),   y0 = L^-1 f,   lambda = (G^T G)^+ (c - G^T y0),

and a singular value decomposition of G, its columns scaled to length one, gives the pseudo-inverses.
Redundant rows (a loop closed twice, a planar mechanism closed in space) are thereby harmless: accelerations
stay unique, and the multipliers are the smallest ones in the scaled norm. Squaring the condition number, as
J M^-1 J^T does, is avoided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride import engine
from softstride.engine import inputs
from softstride.engine.manifold import integrate
from softstride.errors import InputError, SimulationError
from softstride.model.model import Model
from softstride.simulation.constraints import AnyConstraint, ConstraintSet

FloatArray = NDArray[np.float64]

RANK_TOLERANCE = 1e-8
"""Singular values of the scaled G below this fraction of the largest count as redundant rows."""

POSITION_TOLERANCE = 1e-12  # [m] or [rad]: where the position projection stops
POSITION_ITERATIONS = 12


@dataclass(frozen=True, eq=False)
class Factor:
    """The factorised KKT matrix of each frame."""

    root_inverse: FloatArray  # L^-1, (F, nv, nv)
    scale: FloatArray  # length of the columns of G, (F, r)
    G: FloatArray  # scaled, (F, nv, r)
    U: FloatArray  # (F, nv, k)
    s_inverse: FloatArray  # 1 / singular value, zero where redundant, (F, k)
    Vt: FloatArray  # (F, k, r)

    def solve(self, force: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return a and lambda of M a - J^T lambda = force, J a = target, for columns of right-hand sides.

        Args:
            force: Shape (F, nv, m).
            target: Shape (F, r, m).

        Returns:
            a of shape (F, nv, m) and lambda of shape (F, r, m).
        """
        y = self.root_inverse @ force
        gap = target / self.scale[..., None] - np.swapaxes(self.G, -1, -2) @ y
        z = self.s_inverse[..., None] * (self.Vt @ gap)  # (F, k, m)
        y = y + self.U @ z
        multiplier = np.swapaxes(self.Vt, -1, -2) @ (self.s_inverse[..., None] * z)
        return np.swapaxes(self.root_inverse, -1, -2) @ y, multiplier / self.scale[..., None]


def factorise(M: FloatArray, J: FloatArray) -> Factor:
    """Factorise mass matrices (F, nv, nv) with constraint Jacobians (F, r, nv).

    Raises:
        SimulationError: If a mass matrix is not positive definite: a movable part has no mass.
    """
    try:
        root_inverse = np.linalg.inv(np.linalg.cholesky(M))
    except np.linalg.LinAlgError as error:
        raise SimulationError(
            "the mass matrix is not positive definite: a movable link, or everything it carries, has no mass."
        ) from error
    G = root_inverse @ np.swapaxes(J, -1, -2)
    scale = np.linalg.norm(G, axis=-2)
    scale = np.where(scale > 0.0, scale, 1.0)
    G = G / scale[..., None, :]
    U, s, Vt = np.linalg.svd(G, full_matrices=False)
    keep = s > RANK_TOLERANCE * np.max(s, axis=-1, keepdims=True, initial=np.finfo(float).tiny)
    s_inverse = np.where(keep, 1.0 / np.where(keep, s, 1.0), 0.0)
    return Factor(root_inverse, scale, G, U, s_inverse, Vt)


def project_position(
    model: Model, q: FloatArray, constraints: ConstraintSet, t: float = 0.0, stiff: FloatArray | None = None
) -> FloatArray:
    """Move q (nq,) the shortest way, in the metric of the kinetic energy, onto the holonomic constraints at t [s].

    `stiff` (nv, nv) is added to the mass matrix in that metric, so that springs are not bent by the way (see
    `System.project`). Newton: q <- q [+] d, d the smallest with J d = -phi(q). Quadratic in the distance.

    Raises:
        SimulationError: If the constraints cannot be met from here.
    """
    mask = constraints.holonomic
    if not mask.any():
        return q
    residual, best = np.inf, np.inf
    for _ in range(POSITION_ITERATIONS):
        phi = constraints.residual(q[None], t)[:, mask]
        residual = float(np.max(np.abs(phi)))
        if residual <= POSITION_TOLERANCE or (residual > 0.5 * best and residual < 1e3 * POSITION_TOLERANCE):
            return q  # met, or down to rounding
        best = min(best, residual)
        J = constraints.jacobian(q[None], t)[:, mask]
        factor = factorise(_metric(model, q, stiff), J)
        d, _ = factor.solve(np.zeros((1, model.nv, 1)), -phi[..., None])
        q = integrate(model, q, d[0, :, 0])
    raise SimulationError(
        f"the constraints cannot be met from here: the largest residual is {residual:.3g} after "
        f"{POSITION_ITERATIONS} Newton steps."
    )


def project_velocity(
    model: Model,
    q: FloatArray,
    v: FloatArray,
    constraints: ConstraintSet,
    t: float = 0.0,
    stiff: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the v nearest in kinetic energy with J v + dphi/dt = 0 at t [s], and the impulses that do it.

    `stiff` as in `project_position`.
    """
    J = constraints.jacobian(q[None], t)
    factor = factorise(_metric(model, q, stiff), J)
    gap = J @ v[None, :, None] + constraints.drift(q[None], t)[..., None]
    dv, impulse = factor.solve(np.zeros((1, model.nv, 1)), -gap)
    return v + dv[0, :, 0], impulse[0, :, 0]


def _metric(model: Model, q: FloatArray, stiff: FloatArray | None) -> FloatArray:
    M = engine.mass_matrix(model, q[None])
    return M if stiff is None else M + stiff


def assemble(
    model: Model, q: ArrayLike, v: ArrayLike | None, constraints: Sequence[AnyConstraint], t: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return the nearest state that meets the constraints, as a start for `simulate`.

    Args:
        model: The model.
        q: A configuration near the constraints, shape (nq,).
        v: A velocity, shape (nv,); None: at rest.
        constraints: The constraints.
        t: The instant of the start [s], for constraints that move.

    Returns:
        q of shape (nq,) with phi(q) = 0 and v of shape (nv,) with J v = 0, or J v = -dphi/dt where rows move.

    Raises:
        SimulationError: If the constraints cannot be met from q.
    """
    start, speed = one_state(model, q, np.zeros(model.nv) if v is None else v)
    held = ConstraintSet(model, constraints)
    start = project_position(model, start, held, t)
    return start, project_velocity(model, start, speed, held, t)[0]


def constrained_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    constraints: Sequence[AnyConstraint],
    t: ArrayLike = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Return the acceleration under constraints and the multipliers, the forces of the constraints.

    M a + b = tau + J^T lambda,   J a = -Jdot v.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq) or (nq,).
        v: Velocities, shape (n_frames, nv) or (nv,).
        tau: All other generalized forces, passive ones included, shape (n_frames, nv) or (nv,).
        constraints: The constraints.
        t: Instants [s], one or one a frame, for constraints that move.

    Returns:
        a, shape (n_frames, nv) or (nv,), and lambda, shape (n_frames, rows) or (rows,), in the order of the
        constraints and their rows; for a point the force on it in [N], along the rows' directions.
    """
    q_rows, one = inputs.configuration(model, q)
    v_rows, tau_rows = (inputs.tangent(model, x, name, len(q_rows)) for x, name in ((v, "v"), (tau, "tau")))
    held = ConstraintSet(model, constraints)
    factor = factorise(engine.mass_matrix(model, q_rows), held.jacobian(q_rows, t))
    force = (tau_rows - engine.bias(model, q_rows, v_rows))[..., None]
    a, multipliers = factor.solve(force, -held.bias(q_rows, v_rows, t)[..., None])
    return (a[0, :, 0], multipliers[0, :, 0]) if one else (a[..., 0], multipliers[..., 0])


@dataclass(frozen=True, eq=False)
class Impact:
    """What a plastic impact did.

    Attributes:
        v: Velocity afterwards, shape (nv,), with J v = 0 (or -dphi/dt).
        impulse: Impulses of the constraints, shape (rows,), [N·s] for points.
        energy_lost: Kinetic energy lost [J], never negative.
    """

    v: FloatArray
    impulse: FloatArray
    energy_lost: float


def plastic_impact(
    model: Model, q: ArrayLike, v: ArrayLike, constraints: Sequence[AnyConstraint], t: float = 0.0
) -> Impact:
    """Return the velocity just after the constraints took hold without rebound.

    M (v+ - v-) = J^T Lambda,   J v+ + dphi/dt = 0. The loss is the kinetic energy of the lost velocity (Carnot),
    (v- - v+)^T M (v- - v+) / 2; where constraints move their impulses also do work, and it is not the whole change.

    Args:
        model: The model.
        q: Configuration, shape (nq,).
        v: Velocity before, shape (nv,).
        constraints: The constraints that hold from now on.
        t: The instant [s], for constraints that move.
    """
    start, speed = one_state(model, q, v)
    after, impulse = project_velocity(model, start, speed, ConstraintSet(model, constraints), t)
    lost = speed - after
    M = engine.mass_matrix(model, start[None])[0]
    return Impact(after, impulse, float(0.5 * lost @ M @ lost))


def one_state(model: Model, q: ArrayLike, v: ArrayLike, what: str = "v") -> tuple[FloatArray, FloatArray]:
    """Return copies of one q (nq,) and v (nv,), finite; InputError otherwise."""
    place, one_q = inputs.configuration(model, q)
    speed, one_v = inputs.velocity(model, v, what)
    if not (one_q and one_v):
        name, width = ("q", model.nq) if not one_q else (what, model.nv)
        raise InputError(f"{name} must be one state of shape ({width},), however it has a frame axis.")
    return place[0].copy(), speed[0].copy()
