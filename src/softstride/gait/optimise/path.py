"""What must hold at every instant of a step: loads that press, friction, clearance, knees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from softstride.gait.optimise.casadi import load_casadi
from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.limits import StepLimits
from softstride.gait.optimise.rows import Rows

FORCE_UNIT = 1000.0
"""Forces in constraints are counted in this [N]."""

HOLD_UNIT = 100.0
"""So are moments on the foot [N m]."""


@dataclass(frozen=True)
class Instant:
    """Expressions at one instant.

    Attributes:
        theta: Angles of the seven segments.
        omega: Rates.
        acceleration: Accelerations.
        moments: Six joint moments [N m].
        separation: S [m].
        time: Since the start of the step [s].
        times: Ends of the four phases [s].
    """

    theta: Any
    omega: Any
    acceleration: Any
    moments: Any
    separation: Any
    time: Any
    times: Any

    def stance_force(self, equations: Equations, phase: int) -> tuple[Any, Any]:
        """Return the force of the floor on the right foot [N]."""
        return equations.stance_force(phase, self.theta, self.omega, self.acceleration, self.separation)

    def toe_force(self, equations: Equations) -> tuple[Any, Any]:
        """Return the force of the floor on the left toe in phase 1 [N]."""
        return equations.toe_force(self.theta, self.omega, self.acceleration, self.separation)


def path_rows(
    rows: Rows, equations: Equations, phase: int, at: Instant, limits: StepLimits, last: bool
) -> None:
    """Add what must hold at an instant of a phase; `last` says that it is the end of an interval."""
    theta = at.theta
    forward, up = at.stance_force(equations, phase)
    least = limits.vertical if phase > 1 else 0.0
    rows.positive((up - least) / FORCE_UNIT, "vertical force on the right foot")
    rows.positive((limits.friction * up - forward) / FORCE_UNIT, "friction of the right foot, forward")
    rows.positive((limits.friction * up + forward) / FORCE_UNIT, "friction of the right foot, backward")
    if phase == 1:
        left = at.times[0] - at.time
        pressing = at.toe_force(equations)[1] - limits.toe_unloading * left
        rows.positive(pressing / FORCE_UNIT, "vertical force on the left toe", not_last=last)
        rows.positive(-theta[6], "left heel above the floor")
    if phase < 3:
        left = at.times[1] - at.time
        rows.positive(
            theta[0] - limits.sole_fall * left, "right sole above the floor", not_last=last and phase == 2
        )
    if phase == 3:
        hold = equations.heel_hold(theta, at.omega, at.acceleration, at.moments)
        left = at.times[2] - at.time
        pressing = hold - limits.heel_unloading * left
        rows.positive(pressing / HOLD_UNIT, "flat heel held down", not_last=last)
        rows.positive((equations.body.sole * up - hold) / HOLD_UNIT, "centre of pressure ahead of the heel")
    if phase == 4:
        rows.positive(-theta[0], "right heel above the floor", not_first=not last)
    if phase > 1:
        _clearance(rows, equations, phase, at, limits, last and phase == 4)
    rows.between(theta[2] - theta[1], *limits.knee, "flexion of the right knee")
    rows.between(theta[4] - theta[5], *limits.knee, "flexion of the left knee")


def _clearance(
    rows: Rows, equations: Equations, phase: int, at: Instant, limits: StepLimits, strikes: bool
) -> None:
    """Add that the swinging foot keeps clear: c (1 − e^{−r(t − t₁)/c}), for the heel times (1 − e^{−r(t₄ − t)/c})."""
    ca = load_casadi()
    rate = limits.clearance_rate / limits.clearance
    risen = limits.clearance * (1.0 - ca.exp(-rate * (at.time - at.times[0])))
    falling = 1.0 - ca.exp(-rate * (at.times[3] - at.time))
    rows.positive(equations.left_toe(phase, at.theta)[1] - risen, "clearance of the left toe")
    height = equations.left_heel(phase, at.theta)[1]
    rows.positive(height - risen * falling, "clearance of the left heel", not_last=strikes)
