"""The reference leg on three viscoelastic spheres instead of a rolling surface: five degrees of freedom, not two.

Coordinates (x and z of the ankle, hindfoot tilt a, forefoot tilt b, lean ψ); the forefoot hangs on the hindfoot by a
sprung joint; everything above the ankle, and the ankle moment, are those of `softstride.selfcheck.rolling_leg`.
"""

from dataclasses import dataclass

import numpy as np

from softstride.contact import SphereFoot
from softstride.selfcheck import rolling_leg as leg

HIND_MASS, HIND_INERTIA, HIND_CENTRE = 0.80, 0.003, np.array([0.015, 0.036])  # centre in foot axes
FORE_MASS, FORE_INERTIA, FORE_CENTRE = 0.14, 1e-4, np.array([0.025, 0.0])  # centre ahead of the joint
JOINT_STIFFNESS, JOINT_DAMPING = 25.0, 0.5  # [N m/rad], [N m s/rad]
HEEL_LOAD = 400.0  # [N] that the heel carries at the start
MASSES = np.array([HIND_MASS, FORE_MASS, leg.BODY_MASS])
INERTIAS = np.diag([0.0, 0.0, HIND_INERTIA, FORE_INERTIA, leg.BODY_INERTIA])


@dataclass(frozen=True, eq=False)
class SphereLeg:
    foot: SphereFoot
    driven: bool = True

    def __post_init__(self):
        """Stack what hangs on the ankle: two lever arms, in hindfoot and forefoot axes, for each point."""
        fore = self.foot.on_forefoot[:, None]
        joint = self.foot.joint - leg.ANKLE
        hind_arms = np.where(fore, joint, self.foot.centres - leg.ANKLE)
        fore_arms = np.where(fore, self.foot.centres, 0.0)
        none = np.zeros(2)
        points = [HIND_CENTRE - leg.ANKLE, joint, none]
        arms = {
            "_hind": np.vstack([*points, hind_arms]),
            "_fore": np.vstack([none, FORE_CENTRE, none, fore_arms]),
            "_body": np.vstack([none, none, [0.0, leg.BODY_HEIGHT], np.zeros((len(fore), 2))]),
            "_carrier": np.where(self.foot.on_forefoot, 3, 2),
        }
        for name, value in arms.items():
            object.__setattr__(self, name, value)

    def points(self, q, v):
        """Positions, Jacobians and velocity-squared accelerations of the three centres of mass and the spheres."""
        P = np.tile(q[:2], (len(self._hind), 1))
        J = np.zeros((len(self._hind), 2, 5))
        J[:, 0, 0] = J[:, 1, 1] = 1.0
        bias = np.zeros_like(P)
        for index, arms in ((2, self._hind), (3, self._fore), (4, self._body)):
            sine, cosine = np.sin(q[index]), np.cos(q[index])
            x, z = arms[:, 0] * cosine + arms[:, 1] * sine, arms[:, 1] * cosine - arms[:, 0] * sine
            P[:, 0] += x
            P[:, 1] += z
            J[:, 0, index], J[:, 1, index] = z, -x
            bias[:, 0] -= x * v[index] ** 2
            bias[:, 1] -= z * v[index] ** 2
        return P, J, bias

    def contact(self, q, v):
        """Ground forces (3, 2), Jacobians of the lowest points (3, 2, 5) and their velocities (3, 2)."""
        return self._contact(*self.points(q, v)[:2], v)

    def _contact(self, P, J, v):
        spheres = self.foot.contact
        J = J[3:].copy()
        J[np.arange(len(J)), 0, self._carrier] -= spheres.radius
        velocity = J @ v
        pressed = spheres.normal_force(P[3:, 1], velocity[:, 1])
        return np.stack([spheres.friction_force(pressed, velocity[:, 0]), pressed], axis=1), J, velocity

    def rates(self, t, y):
        q, v = y[:5], y[5:]
        P, J, bias = self.points(q, v)
        force, J_ground, _ = self._contact(P, J, v)
        J, bias = J[:3], bias[:3]
        weighted = (J * MASSES[:, None, None]).reshape(6, 5)
        M = weighted.T @ J.reshape(6, 5) + INERTIAS
        bias[:, 1] += leg.GRAVITY
        Q = force.ravel() @ J_ground.reshape(-1, 5) - bias.ravel() @ weighted + self.moments(t, q, v)
        return np.concatenate([v, np.linalg.solve(M, Q)])

    def moments(self, t, q, v):
        Q = np.zeros(5)
        tau = leg.ankle_moment(t, q[2], q[4], v[2], v[4]) if self.driven else 0.0
        toes = JOINT_STIFFNESS * (q[3] - q[2]) + JOINT_DAMPING * (v[3] - v[2])
        Q[2], Q[3], Q[4] = tau + toes, -toes, -tau
        return Q

    def energy(self, y):
        """Kinetic, potential and elastic energy of the joint; not that of the spheres."""
        q, v = y[:5], y[5:]
        P, J, _ = self.points(q, v)
        velocity = J[:3] @ v
        kinetic = 0.5 * (MASSES @ np.sum(velocity**2, axis=1) + v @ INERTIAS @ v)
        return kinetic + leg.GRAVITY * MASSES @ P[:3, 1] + 0.5 * JOINT_STIFFNESS * (q[3] - q[2]) ** 2

    def start(self):
        """The rolling leg's tilt, lean and rates; the heel carries its load and its lowest point is at rest."""
        a, psi, a_rate, psi_rate = leg.START
        q, v = np.array([0.0, 0.0, a, a, psi]), np.array([0.0, 0.0, a_rate, a_rate, psi_rate])
        spheres = self.foot.contact
        P, _, _ = self.points(q, v)
        q[1] = spheres.radius[0] - spheres.depth_under(HEEL_LOAD)[0] - P[3, 1]
        _, _, velocity = self.contact(q, v)
        v[:2] = -velocity[0]
        return np.concatenate([q, v])
