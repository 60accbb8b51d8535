r"""The right-hand side: accelerations of a model under controls, loads, passive forces and constraints.

    M a + b = controls(t, q, v) + tau_passive(q, v) + sum J_i^T w_i(t, q, v) + fields(t, q, v) + J^T lambda
    J a = -Jdot v - 2 w (J v + dphi/dt) - w^2 phi(q, t)

with what time adds to Jdot v where constraints move on their own. The last two terms are Baumgarte's stabilisation
with the rate w [1/s], zero unless asked for (J. Baumgarte,
"Stabilization of constraints and integrals of motion in dynamical systems", Comput. Methods Appl. Mech.
Eng. 1, 1972); drift is otherwise removed by projection after each step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride import engine
from softstride.engine.manifold import chart_rate_derivative, integrate, layout
from softstride.engine.passive import elements, passive_derivatives, passive_forces
from softstride.errors import InputError, SimulationError
from softstride.model.frame import Frame, Point
from softstride.model.model import Model
from softstride.simulation.chart import Chart
from softstride.simulation.constraints import ConstraintSet
from softstride.simulation.fields import ForceField, StiffForceField
from softstride.simulation.kkt import factorise, project_position, project_velocity

FloatArray = NDArray[np.float64]
Controls: TypeAlias = Callable[[float, FloatArray, FloatArray], ArrayLike]
Wrenches: TypeAlias = Mapping[str | Frame | Point, ArrayLike]
Loads: TypeAlias = Wrenches | Callable[[float, FloatArray, FloatArray], Wrenches]

DIFFERENCE = 6e-6
"""Step of central differences, the cube root of the machine precision."""


class StepFailure(SimulationError):
    """A step that cannot be taken at this size: a turn beyond half a turn, a number that is not finite."""


@dataclass(frozen=True, eq=False)
class State:
    """One instant: time [s], q (nq,), v (nv,), and a (nv,) with the multipliers (rows,) there."""

    t: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    multipliers: FloatArray


@dataclass(eq=False)
class System:
    """A model with everything that acts on it; counts its evaluations."""

    model: Model
    controls: Controls | None = None
    f_ext: Loads | None = None
    constraints: ConstraintSet = field(default=None)  # type: ignore[assignment]
    passive: bool = True
    baumgarte: float = 0.0
    fields: tuple[ForceField, ...] = ()
    horizon: float = (
        np.inf
    )  # later instants count as this one: a step that ends at a jump sees the value before it
    evaluations: int = 0
    jacobians: int = 0

    def __post_init__(self) -> None:
        """Leave out what does nothing."""
        if self.constraints is None:
            self.constraints = ConstraintSet(self.model, ())
        for item in self.fields:
            if not isinstance(item, ForceField):
                raise InputError(f"a force field needs forces(model, t, q, v), however {item!r} has none.")
        self.chart = Chart(self.model)
        self._stiff = [item for item in self.fields if isinstance(item, StiffForceField)]
        self._smooth = [item for item in self.fields if not isinstance(item, StiffForceField)]
        self._has_passive = self.passive and bool(elements(self.model))

    @property
    def timed(self) -> bool:
        """Whether the right-hand side may depend on time."""
        return (
            self.controls is not None or callable(self.f_ext) or bool(self.fields) or self.constraints.timed
        )

    def state(self, t: float, q: FloatArray, v: FloatArray) -> State:
        """Return the state with its acceleration."""
        a, multipliers = self.acceleration(np.array([t]), q[None], v[None])
        return State(t, q, v, a[0], multipliers[0])

    def project(
        self, q: FloatArray, v: FloatArray, t: float, h: float = 0.0
    ) -> tuple[FloatArray, FloatArray]:
        """Return the nearest state on the constraints at t [s].

        After an implicit step of size h [s] distances are measured with M + h D + h^2 K, D and K of springs, dampers
        and rods: what the step itself found too stiff to move is not moved by the projection either. With M alone the
        correction would go to the lightest coordinates, the strains of a rod, and come back as forces.
        """
        if not self.constraints.rows:
            return q, v
        stiff = None
        if h > 0.0 and self._has_passive:
            by_q, by_v = passive_derivatives(self.model, q, v)
            whole = -h * np.asarray(by_v) - h * h * np.asarray(by_q)
            stiff = 0.5 * (whole + whole.T)
        q = project_position(self.model, q, self.constraints, t, stiff)
        return q, project_velocity(self.model, q, v, self.constraints, t, stiff)[0]

    def loads(self, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return controls, external wrenches and fields as generalized forces, shape (F, nv)."""
        tau = self._plain_loads(t, q, v)
        for item in self._stiff:
            tau += item.forces(self.model, np.minimum(t, self.horizon), q.copy(), v.copy())
        return tau

    def _plain_loads(self, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return the loads that differences can differentiate, shape (F, nv)."""
        tau = np.zeros_like(v)
        t = np.minimum(t, self.horizon)
        if self.controls is not None:
            for i, (time, position, speed) in enumerate(zip(t, q, v, strict=True)):
                tau[i] = self._checked(self.controls(float(time), position.copy(), speed.copy()), float(time))
        if self.f_ext:
            tau += engine.generalized_forces(self.model, q, self._wrenches(t, q, v))
        for item in self._smooth:
            tau += item.forces(self.model, t, q.copy(), v.copy())
        return tau

    def acceleration(self, t: FloatArray, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return a (F, nv) and the multipliers (F, rows) for times (F,), q (F, nq), v (F, nv)."""
        self.evaluations += len(t)
        tau = self.loads(t, q, v)
        if self._has_passive:
            tau += passive_forces(self.model, q, v)
        if not np.isfinite(tau).all():
            raise StepFailure(f"the forces at t = {t[0]:.9g} s are not finite.")
        if not self.constraints.rows:
            return np.asarray(engine.forward_dynamics(self.model, q, v, tau)), np.zeros((len(t), 0))
        t = np.minimum(t, self.horizon)
        J = self.constraints.jacobian(q, t)
        factor = factorise(engine.mass_matrix(self.model, q), J)
        force = (tau - engine.bias(self.model, q, v))[..., None]
        a, multipliers = factor.solve(force, -self._pull(t, q, v, J)[..., None])
        return a[..., 0], multipliers[..., 0]

    def jacobian(self, state: State) -> FloatArray:
        """Return d(dx/dt, a)/d(x, v) of the chart centred at the state, shape (2 nv, 2 nv).

        From the derivative of the equation of motion at fixed a and lambda,
        M da - J^T dlambda = d(tau_passive + loads + J^T lambda) - d(M a + b),   J da = -d(J a + Jdot v).
        Inverse dynamics and passive forces are differentiated analytically, and so are fields that know how; other
        loads and constraint rows, which users may supply, by central differences, all columns in one call.
        """
        self.jacobians += 1
        model, nv = self.model, self.model.nv
        q, v = state.q[None], state.v[None]
        dq, dv, M = (part[0] for part in engine.inverse_dynamics_derivatives(model, q, v, state.a[None]))
        dq, dv = -np.asarray(dq), -np.asarray(dv)
        if self._has_passive:
            dp_dq, dp_dv = passive_derivatives(model, state.q, state.v)
            dq, dv = dq + dp_dq, dv + dp_dv
        rows = self.constraints.rows
        target = np.zeros((rows, 2 * nv))
        if rows or self.timed or self.f_ext:
            more_q, more_v, target = self.differences(state)
            dq, dv = dq + more_q, dv + more_v
        for item in self._stiff:
            more_q, more_v = item.derivatives(model, state.t, state.q.copy(), state.v.copy())
            dq, dv = dq + more_q, dv + more_v
        J = self.constraints.jacobian(q, state.t)
        da, _ = factorise(np.asarray(M)[None], J).solve(np.concatenate([dq, dv], axis=1)[None], -target[None])
        top = np.concatenate([chart_rate_derivative(model, state.v), np.eye(nv)], axis=1)
        return np.concatenate([top, da[0]], axis=0)

    def time_derivative(self, state: State) -> FloatArray:
        """Return the partial derivative of (dx/dt, a) in time, shape (2 nv,), by a forward difference."""
        out = np.zeros(2 * self.model.nv)
        if self.timed:
            step = 1e-7 * max(1.0, abs(state.t))
            later, _ = self.acceleration(np.array([state.t + step]), state.q[None], state.v[None])
            out[self.model.nv :] = (later[0] - state.a) / step
        return out

    def size(self, q: FloatArray) -> FloatArray:
        """Return the size of each tangent direction for relative errors, shape (nv,).

        |q| for plain coordinates, 1 rad for rotations, the distance from the origin for a free joint's
        position.
        """
        places = layout(self.model)
        out = np.ones(places.nv)
        out[places.plain_v] = np.abs(q[places.plain_q])
        out[places.free_v[:, 3:]] = np.linalg.norm(q[places.free_q[:, :3]], axis=-1)[:, None]
        return out

    def constraint_rate(self, t: ArrayLike, q: FloatArray, v: FloatArray, J: FloatArray) -> FloatArray:
        """Return J v + dphi/dt, shape (F, rows)."""
        return np.asarray(np.einsum("fri,fi->fr", J, v) + self.constraints.drift(q, t))

    def _pull(self, t: ArrayLike, q: FloatArray, v: FloatArray, J: FloatArray) -> FloatArray:
        """Return Jdot v with Baumgarte's terms, shape (F, rows)."""
        out = self.constraints.bias(q, v, t)
        if self.baumgarte > 0.0:
            rate = self.constraint_rate(t, q, v, J)
            out = out + 2.0 * self.baumgarte * rate + self.baumgarte**2 * self.constraints.residual(q, t)
        return out

    def differences(self, state: State) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Differentiate loads (but stiff fields) + J^T lambda, (nv, nv) twice, and J a + Jdot v, (rows, 2 nv)."""
        nv = self.model.nv
        steps = np.concatenate([DIFFERENCE * np.maximum(1.0, self.size(state.q)), np.full(nv, DIFFERENCE)])
        steps[nv:] *= np.maximum(1.0, np.abs(state.v))
        moves = np.concatenate([np.diag(steps), -np.diag(steps)])  # (4 nv, 2 nv)
        q = integrate(self.model, state.q, moves[:, :nv])
        v = state.v + moves[:, nv:]
        force = self._plain_loads(np.full(len(q), state.t), q, v)
        pull = np.zeros((len(q), self.constraints.rows))
        if self.constraints.rows:
            J = self.constraints.jacobian(q, state.t)
            force = force + np.einsum("fri,r->fi", J, state.multipliers)
            pull = J @ state.a + self._pull(state.t, q, v, J)
        force = (force[: 2 * nv] - force[2 * nv :]).T / (2.0 * steps)
        pull = (pull[: 2 * nv] - pull[2 * nv :]).T / (2.0 * steps)
        return force[:, :nv], force[:, nv:], pull

    def _wrenches(self, t: FloatArray, q: FloatArray, v: FloatArray) -> dict[str | Frame | Point, FloatArray]:
        if not callable(self.f_ext):
            constant = self.f_ext or {}
            return {key: np.tile(np.asarray(w, dtype=np.float64), (len(t), 1)) for key, w in constant.items()}
        frames = [
            self.f_ext(float(time), place.copy(), speed.copy())
            for time, place, speed in zip(t, q, v, strict=True)
        ]
        keys: dict[str | Frame | Point, None] = {key: None for frame in frames for key in frame}
        return {
            key: np.array([frame.get(key, np.zeros(6)) for frame in frames], dtype=np.float64) for key in keys
        }

    def _checked(self, tau: ArrayLike, t: float) -> FloatArray:
        out = np.asarray(tau, dtype=np.float64)
        if out.shape != (self.model.nv,):
            raise InputError(
                f"controls must return shape ({self.model.nv},), however at t = {t:g} s it is {out.shape}."
            )
        return out
