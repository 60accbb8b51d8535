r"""Static equilibrium: the configuration where all forces balance, by Newton's method on the manifold.

    r(q, lambda) = b(q, 0) - tau_passive(q, 0) - tau - sum J_i^T w_i - J^T lambda = 0,      phi(q) = 0,

with K = dr/dq from the analytic derivatives of inverse dynamics and passive forces (loads and constraint
rows by differences), and q <- q [+] d from the bordered system [K, -J^T; J, 0]. Where the full Newton method
fails, the load is put on in parts: r - (1 - s) r(q0) = 0 has the start as its solution at s = 0 and is
followed to s = 1 (Newton homotopy; E. L. Allgower and K. Georg, Introduction to Numerical Continuation
Methods, 2003, chapter 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride import engine
from softstride.engine.manifold import integrate, largest_turn, normalise
from softstride.engine.passive import passive_derivatives, passive_forces
from softstride.errors import SimulationError
from softstride.model.model import Model
from softstride.simulation.constraints import Constraint, ConstraintSet
from softstride.simulation.kkt import one_state
from softstride.simulation.system import State, System, Wrenches

FloatArray = NDArray[np.float64]

ITERATIONS = 25
SMALLEST_PART = 1.0 / 1024.0  # of the load
LARGEST_TURN = 1.0  # [rad] in one Newton step


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A configuration at rest.

    Attributes:
        q: Configuration, shape (nq,).
        multipliers: Forces of the constraints, shape (rows,), [N] for points.
        stiffness: K = dr/dq, shape (nv, nv), the tangent stiffness with loads and constraints.
        residual: Largest generalized force left, relative to the largest met on the way.
        iterations: Newton steps taken.
        stable: Whether K is positive definite along the motions the constraints allow.
    """

    q: FloatArray
    multipliers: FloatArray
    stiffness: FloatArray
    residual: float
    iterations: int
    stable: bool


def equilibrium(
    model: Model,
    q0: ArrayLike,
    f_ext: Wrenches | None = None,
    constraints: Sequence[Constraint] = (),
    *,
    tau: ArrayLike | None = None,
    tolerance: float = 1e-10,
) -> Equilibrium:
    """Find the static equilibrium near a configuration.

    Args:
        model: The model.
        q0: Where to start, shape (nq,).
        f_ext: Constant wrenches [moment; force] in world axes about each frame or point, shape (6,).
        constraints: Constraints; q0 need not meet them.
        tau: Constant generalized forces, shape (nv,).
        tolerance: Largest residual, relative to the largest generalized force.

    Returns:
        The equilibrium.

    Raises:
        SimulationError: If no equilibrium is reached from q0.
    """
    q, push = one_state(model, q0, np.zeros(model.nv) if tau is None else tau, "tau")
    balance = _Balance(System(model, None, f_ext, ConstraintSet(model, constraints)), push, tolerance)
    return balance.solve(normalise(model, q))


@dataclass(eq=False)
class _Balance:
    system: System
    tau: FloatArray
    tolerance: float
    size: float = 0.0
    iterations: int = 0

    def forces(self, q: FloatArray, multipliers: FloatArray) -> tuple[FloatArray, float]:
        """Return (r, phi), shape (nv + rows,), and the size of the largest force met so far."""
        model, rest = self.system.model, np.zeros(self.system.model.nv)
        held = self.system.constraints
        parts = np.array(
            [
                engine.bias(model, q, rest),
                -passive_forces(model, q, rest),
                -self.system.loads(np.zeros(1), q[None], rest[None])[0] - self.tau,
                -held.jacobian(q[None])[0].T @ multipliers,
            ]
        )
        residual = np.concatenate([parts.sum(axis=0), held.residual(q[None])[0]])
        size = float(np.max(np.abs(parts), initial=0.0))
        self.size = max(self.size, size if np.isfinite(size) else 0.0)
        return residual, self.size

    def stiffness(self, q: FloatArray, multipliers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return K (nv, nv) and J (rows, nv)."""
        model, rest = self.system.model, np.zeros(self.system.model.nv)
        state = State(0.0, q, rest, rest, multipliers)
        gravity, _, _ = engine.inverse_dynamics_derivatives(model, q, rest, rest)
        K = np.asarray(gravity) - passive_derivatives(model, q, rest)[0] - self.system.differences(state)[0]
        return K, self.system.constraints.jacobian(q[None])[0]

    def solve(self, q: FloatArray) -> Equilibrium:
        """Follow the load from nothing to all of it, in one part if that works."""
        multipliers = np.zeros(self.system.constraints.rows)
        start, _ = self.forces(q, multipliers)
        done, part = 0.0, 1.0
        while done < 1.0:
            target = min(1.0, done + part)
            found = self._newton(q, multipliers, (1.0 - target) * start, 1.0 if target == 1.0 else 1e4)
            if found is not None:
                q, multipliers = found
                done, part = target, 2.0 * part
                continue
            part *= 0.5
            if part < SMALLEST_PART:
                raise SimulationError(
                    f"no equilibrium was reached: Newton's method stopped at {100.0 * done:.1f} % of the "
                    f"load after "
                    f"{self.iterations} iterations; start nearer, or look for a motion without stiffness."
                )
        residual, size = self.forces(q, multipliers)
        K, J = self.stiffness(q, multipliers)
        left = float(np.max(np.abs(residual[: len(K)]), initial=0.0)) / (size or 1.0)
        return Equilibrium(q, multipliers, K, left, self.iterations, _positive_along(K, J))

    def _newton(
        self, q: FloatArray, multipliers: FloatArray, offset: FloatArray, slack: float
    ) -> tuple[FloatArray, FloatArray] | None:
        """Solve (r, phi) = offset from here; None if it does not converge."""
        nv = self.system.model.nv
        best = np.inf
        for count in range(ITERATIONS):
            with np.errstate(all="ignore"):
                residual, size = self.forces(q, multipliers)
            gap = residual - offset
            if not np.isfinite(gap).all():
                return None
            force = float(np.max(np.abs(gap[:nv]), initial=0.0)) / (size or 1.0)
            place = float(np.max(np.abs(gap[nv:]), initial=0.0))
            error = max(force / self.tolerance, place / 1e-12) / slack
            if error <= 1.0 and (slack > 1.0 or error > 0.25 * best):
                return q, multipliers  # the last part is polished until rounding stops it
            if count > 6 and error > 1e3 * best:
                return None
            best = min(best, error)
            self.iterations += 1
            K, J = self.stiffness(q, multipliers)
            d = _bordered_solve(K, J, -gap)
            if not np.isfinite(d).all():
                return None
            shorter = min(1.0, LARGEST_TURN / max(1e-300, largest_turn(self.system.model, d[:nv])))
            q = integrate(self.system.model, q, shorter * d[:nv])
            multipliers = multipliers + shorter * d[nv:]
        return (q, multipliers) if best <= 1.0 else None


def _bordered_solve(K: FloatArray, J: FloatArray, right: FloatArray) -> FloatArray:
    """Solve [K, -J^T; J, 0] d = right; least squares where it is singular."""
    if not len(J):
        try:
            return np.asarray(np.linalg.solve(K, right), dtype=np.float64)
        except np.linalg.LinAlgError:
            pass
    rows = len(J)
    matrix = np.block([[K, -J.T], [J, np.zeros((rows, rows))]])
    scale = np.sqrt(np.maximum(np.max(np.abs(matrix), axis=0), 1e-300))
    solution, *_ = np.linalg.lstsq(matrix / scale / scale[:, None], right / scale, rcond=1e-12)
    return np.asarray(solution / scale)


def _positive_along(K: FloatArray, J: FloatArray) -> bool:
    """Whether the symmetric part of K is positive on the null space of J."""
    if len(J):
        _, singular, Vt = np.linalg.svd(J)
        allowed = Vt[int((singular > 1e-10 * max(singular[0], 1e-300)).sum()) :]
        K = allowed @ K @ allowed.T
    symmetric = 0.5 * (K + K.T)
    scale = np.sqrt(np.maximum(np.abs(np.diag(symmetric)), 1e-300))
    return bool(np.min(np.linalg.eigvalsh(symmetric / scale / scale[:, None]), initial=1.0) > 0.0)
