"""The reference leg again, with the rolling joint as constraint: four coordinates and two multipliers.

Coordinates (x and z of the foot's origin M, tilt a, lean ψ). Nothing of the minimal form is used: points turn with the
foot, and the rows of `RollingJoint` bring the ground's force as multipliers.
"""

from dataclasses import dataclass

import numpy as np

from softstride.contact import RollingJoint
from softstride.selfcheck import rolling_leg as leg

WEIGHT = np.array([0.0, leg.GRAVITY])  # [m/s²], upward


def turned(place, a):
    x, z = place
    return np.array([x * np.cos(a) + z * np.sin(a), z * np.cos(a) - x * np.sin(a)])


@dataclass(frozen=True, eq=False)
class ConstrainedLeg:
    joint: RollingJoint
    driven: bool = True

    def free(self, t, q, v):
        """Mass matrix (4, 4), forces without the ground (4,), Jacobians and biases of both centres, ankle moment."""
        a, psi = q[2:]
        M, Q = np.zeros((4, 4)), np.zeros(4)
        M[2, 2], M[3, 3] = leg.FOOT_INERTIA, leg.BODY_INERTIA
        parts = []
        ankle, up = turned(leg.ANKLE, a), leg.BODY_HEIGHT * np.array([np.sin(psi), np.cos(psi)])
        for mass, on_foot, on_body in (
            (leg.FOOT_MASS, turned(leg.FOOT_CENTRE, a), np.zeros(2)),
            (leg.BODY_MASS, ankle, up),
        ):
            J = np.zeros((2, 4))
            J[:, :2] = np.eye(2)
            J[:, 2], J[:, 3] = (on_foot[1], -on_foot[0]), (on_body[1], -on_body[0])
            bias = -on_foot * v[2] ** 2 - on_body * v[3] ** 2
            M += mass * J.T @ J
            Q -= mass * J.T @ (bias + WEIGHT)
            parts.append((J, bias))
        tau = leg.ankle_moment(t, a, psi, v[2], v[3]) if self.driven else 0.0
        Q[2:] += tau, -tau
        return M, Q, parts, tau

    def solve(self, t, y):
        """Accelerations (4,), ground force (2,), and the force (2,) and moment that the body puts on the foot."""
        q, v = y[:4], y[4:]
        a = q[2]
        M, Q, parts, tau = self.free(t, q, v)
        G = np.hstack([self.joint.jacobian(a), np.zeros((2, 1))])
        K = np.block([[M, -G.T], [G, np.zeros((2, 2))]])
        solution = np.linalg.solve(K, np.concatenate([Q, self.joint.acceleration(a, v[2])]))
        J, bias = parts[1]
        body = leg.BODY_MASS * (
            J @ solution[:4] + bias + [0.0, leg.GRAVITY]
        )  # what the foot puts on the body
        return solution[:4], solution[4:], -body, tau

    def rates(self, t, y):
        return np.concatenate([y[4:], self.solve(t, y)[0]])

    def centre_of_pressure(self, t, y):
        """From the foot's own moments about its centre of mass, clockwise: knows forces, not the surface's s."""
        acceleration, ground, ankle, tau = self.solve(t, y)
        centre = y[:2] + turned(leg.FOOT_CENTRE, y[2])
        arm = y[:2] + turned(leg.ANKLE, y[2]) - centre
        # I ä = τ + (z Fx − x Fz) of ankle and ground, the ground's arm being (x_p − x_c, −z_c)
        left = leg.FOOT_INERTIA * acceleration[2] - tau - (arm[1] * ankle[0] - arm[0] * ankle[1])
        return centre[0] + (-centre[1] * ground[0] - left) / ground[1]

    def start(self):
        a, psi, a_rate, psi_rate = leg.START
        position = self.joint.position(a)
        velocity = -self.joint.jacobian(a)[:, 2] * a_rate
        return np.concatenate([position, [a, psi], velocity, [a_rate, psi_rate]])
