"""The motion next to a reference that obeys the laws of motion, found together with its contact forces.

Over all coefficients of the curve q(t),

    minimise  sum w_q (q - q_ref)² + w_a (a - a_ref)² + |F(q, v) - F_ref|² / s_F²
    so that   [M(q) a + b(q, v) - tau_passive(q, v) - sum J(q)ᵀ f(q, v)]_i = 0   at every knot,

i the six rows of the pelvis, which nothing drives, and those of the blade, which nothing but its own elasticity drives.
The forces f are those of `foundation`. Gauss-Newton steps on a quadratic penalty whose weight grows, contacts rounded
at first; then the smallest steps that let the rows vanish.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.digital_athlete.curve import Curve, normal_step, through
from softstride.digital_athlete.foundation import linearise, respond
from softstride.digital_athlete.person import true_model
from softstride.digital_athlete.reference import Reference
from softstride.engine.dynamics import inverse_dynamics, inverse_dynamics_derivatives
from softstride.engine.passive import passive_derivatives, passive_forces
from softstride.errors import SimulationError
from softstride.model.model import Model
from softstride.model.rod import Rod, Segment

Array = NDArray[np.float64]
Tell = Callable[[str], None]
Stages = tuple[tuple[float, float, int], ...]

SHIFT, BEND, TWIST = 0.05, 5.0, 0.2
"""Widths of the wish to be near the reference (angles: of the gait): place of the pelvis [m], bends
of the blade in its plane, twist and bends to the side [1/m]."""

JOLT = {"angle": 60.0, "shift": 20.0, "strain": 2e4}
"""The same for accelerations [rad/s²], [m/s²], [1/(m s²)]."""

SNAP = {"angle": 1e6, "shift": 5e5, "strain": 2e9}
"""The same for fourth derivatives, which tell a tremor from a movement [rad/s⁴], [m/s⁴], [1/(m s⁴)]."""

ARM = 0.3
"""Lever that makes a moment of a force [m]: rows of moments are weighed so, those of the blade by half of it."""

STAGES = (
    (300.0, 0.020, 12),
    (100.0, 0.012, 12),
    (50.0, 0.006, 12),
    (20.0, 0.002, 15),
    (5.0, 0.0, 40),
)
"""Width of the balance of forces [N], rounding of the contact [m], most steps."""

LATER = ((20.0, 0.002, 12), (5.0, 0.0, 30))
"""The same from a guess that is nearly right."""

LAST = ((20.0, 0.0, 8), (5.0, 0.0, 12))
"""The same from a guess with twice the step."""

GAIN = 0.02
"""Relative gain of a whole step below which the next stage begins."""

BALANCE = 0.5
"""Width of the last steps, which only balance [N]."""

ENOUGH = 1e-8
"""Largest row that is left, relative to body weight (and to body weight times `ARM`)."""


@dataclass(frozen=True, eq=False)
class State:
    """A curve with what it leaves of the equations."""

    curve: Curve
    rows: Array
    errors: tuple[Array, Array, Array]
    force: Array
    blur: float
    cost: float


def _segments(model: Model, name: str) -> tuple[Segment, ...]:
    joint = model.link(name).joint
    return joint.segments if isinstance(joint, Rod) else ()


class Problem:
    """The optimisation over one trial."""

    def __init__(self, reference: Reference) -> None:
        self.model = true_model()
        self.reference = reference
        self.force_width = np.array(reference.gait.force_width * 2)
        start = through(reference.time, reference.q)
        self.start = start
        self.a_ref = start.at_knots()[2]
        names = self.model.coordinate_names
        rods = [link.name for link in self.model.links if isinstance(link.joint, Rod)]
        soft = np.concatenate([self.model.v_indices(name) for name in rods]).astype(np.intp)
        base = np.array(self.model.v_indices("pelvis"), dtype=np.intp)
        self.free = np.concatenate([base, soft])
        shift = np.array([name in ("pelvis_tx", "pelvis_ty", "pelvis_tz") for name in names])
        kind = np.where(shift, 1, 0)
        kind[soft] = 2
        self.w_q = np.choose(kind, (reference.gait.angle_width, SHIFT, BEND)) ** -2.0
        self.w_q[[i for i in soft if not names[i].endswith("ky")]] = TWIST**-2.0
        self.w_a = np.choose(kind, tuple(JOLT.values())) ** -2.0
        self.w_s = np.choose(kind, tuple(SNAP.values())) ** -2.0
        lengths = np.concatenate(
            [np.repeat(s.length, len(s.free)) for name in rods for s in _segments(self.model, name)]
        )
        self.scale = np.concatenate([np.where(shift[base], 1.0, ARM), 0.5 * ARM * lengths])

    def look(self, curve: Curve, width: float, blur: float) -> State:
        """Return the state of a curve."""
        q, v, a = curve.at_knots()
        load, force = respond(q, v, blur)
        left = inverse_dynamics(self.model, q, v, a) - passive_forces(self.model, q, v) - load
        rows = left[:, self.free] / self.scale
        errors = (q - self.reference.q, a - self.a_ref, curve.snap())
        wish = (force - self.reference.force) / self.force_width
        cost = (
            float(np.sum((rows / width) ** 2) + np.sum(wish**2))
            + float(np.sum(self.w_q * errors[0] ** 2) + np.sum(self.w_a * errors[1] ** 2))
            + float(np.sum(self.w_s * errors[2] ** 2))
        )
        return State(curve, rows, errors, force, blur, cost)

    def step(self, state: State, width: float, damping: float, balance: bool = False) -> Array:
        """Return the change of the coefficients; to `balance`, the smallest that lets the rows vanish."""
        q, v, a = state.curve.at_knots()
        by_q, by_v, by_a = inverse_dynamics_derivatives(self.model, q, v, a)
        passive_q, passive_v = passive_derivatives(self.model, q, v)
        contact = linearise(q, v, state.blur)
        by_q -= passive_q + contact.load_q
        by_v -= passive_v + contact.load_v
        weight = 1.0 / (self.scale * width)
        parts = [weight[:, None] * x[:, self.free] for x in (by_q, by_v, by_a)]
        residual, errors, w_s = state.rows / width, state.errors, self.w_s
        if balance:
            errors = (0.0 * errors[0], 0.0 * errors[1], 0.0 * errors[2])
            w_s = 1e-6 * w_s
        else:
            changes = (contact.force_q, contact.force_v, 0.0 * contact.force_q)
            parts = [
                np.concatenate([x, y / self.force_width[:, None]], axis=1)
                for x, y in zip(parts, changes, strict=True)
            ]
            wish = (state.force - self.reference.force) / self.force_width
            residual = np.concatenate([residual, wish], axis=1)
        change, _ = normal_step(
            parts[0],
            parts[1],
            parts[2],
            residual,
            (self.w_q, self.w_a, w_s),
            errors,
            state.curve.step,
            damping,
        )
        return change

    def descend(self, state: State, width: float, blur: float, most: int, tell: Tell) -> State:
        """Return a better state: steps with a damping that follows success."""
        damping, idle = 1.0, 0
        for i in range(most):
            change = self.step(state, width, damping)
            share = 1.0
            for _ in range(5):
                trial = Curve(state.curve.start, state.curve.step, state.curve.coefficients + share * change)
                new = self.look(trial, width, blur)
                if np.isfinite(new.cost) and new.cost < state.cost:
                    break
                share *= 0.4
            else:
                damping *= 30.0
                tell(f"  no way down; damping {damping:g}")
                if damping > 1e9:
                    break
                continue
            damping = max(1e-6, damping * (0.2 if share == 1.0 else 4.0))
            gain = 1.0 - new.cost / state.cost
            state = new
            tell(
                f"  {i} cost {state.cost:.5g} share {share:.2g} largest row {np.abs(state.rows).max():.3g} N"
            )
            idle = idle + 1 if gain < GAIN else 0
            if idle == 2 or (idle and share == 1.0):
                break
        return state


def solve_consistent(
    reference: Reference, stages: Stages = STAGES, tell: Tell = lambda text: None, guess: Curve | None = None
) -> Curve:
    """Return the curve of the true model that obeys the laws of motion at its knots.

    Args:
        reference: What to follow.
        stages: How the weights grow.
        tell: Told how it goes.
        guess: Where to begin; None: at the reference.

    Raises:
        SimulationError: The rows do not vanish.
    """
    problem = Problem(reference)
    curve = guess or problem.start
    for width, blur, most in stages:
        tell(f"width {width:g} N, contact rounded by {1e3 * blur:g} mm")
        curve = problem.descend(problem.look(curve, width, blur), width, blur, most, tell).curve
    weight = problem.model.mass * float(np.linalg.norm(problem.model.gravity))
    for i in range(12):
        state = problem.look(curve, BALANCE, 0.0)
        largest = float(np.abs(state.rows).max())
        tell(f"balance {i}: largest row {largest:.3g} N")
        if largest < ENOUGH * weight:
            return curve
        change = problem.step(state, BALANCE, 0.1, balance=True)
        curve = Curve(curve.start, curve.step, curve.coefficients + change)
    raise SimulationError(f"the motion could not be made consistent: {largest:.3g} N are left")


__all__ = ["Problem", "solve_consistent"]
