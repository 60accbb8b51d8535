"""The reference leg on a rolling surface that presses into the ground: four coordinates and the stretch of the grip.

State (x, z of the foot's origin, tilt a, lean ψ, their rates, stretch u); masses and moments are the constrained leg's.
"""

from dataclasses import dataclass

import numpy as np
from tests.oracles.constrained_leg import ConstrainedLeg, turned

from softstride.contact import CompliantRolling, RollingJoint
from softstride.selfcheck import rolling_leg as leg


@dataclass(frozen=True, eq=False)
class CompliantLeg:
    contact: CompliantRolling
    driven: bool = True

    @property
    def held(self):
        return ConstrainedLeg(RollingJoint(self.contact.surface), self.driven)

    def touch(self, y):
        return self.contact.touch(y[:2], y[2], y[4:6], y[6], y[8])

    def rates(self, t, y):
        M, Q, _, _ = self.held.free(t, y[:4], y[4:8])
        touch = self.touch(y)
        Q[:2] += touch.force
        Q[2] += touch.moment
        return np.concatenate([y[4:8], np.linalg.solve(M, Q), [touch.stretch_rate]])

    def energy(self, y):
        """Kinetic, potential, and what the contact holds."""
        M, _, _, _ = self.held.free(0.0, y[:4], y[4:8])
        kinetic = 0.5 * y[4:8] @ M @ y[4:8]
        foot = y[1] + turned(leg.FOOT_CENTRE, y[2])[1]
        body = y[1] + turned(leg.ANKLE, y[2])[1] + leg.BODY_HEIGHT * np.cos(y[3])
        height = leg.FOOT_MASS * foot + leg.BODY_MASS * body
        return kinetic + leg.GRAVITY * height + self.contact.stored(self.touch(y).depth, y[8])

    def start(self):
        """The constrained leg's start, sunk in and stretched as far as the joint's force asks for."""
        y = np.append(self.held.start(), 0.0)
        x, z = self.held.solve(0.0, y[:8])[1]
        press, grip = self.contact.press, self.contact.grip
        y[1] -= (z / press.stiffness) ** (1.0 / press.exponent)
        y[8] = -x / grip.stiffness
        return y
