"""A leg that rolls over its foot in the plane: the reference problem of the contact models.

A foot (mass m_f, inertia I_f) rolls on the ground; an upper body (m_u, I_u), its centre L_c above the ankle, leans by ψ
(forward +). An ankle moment τ = 400 (ψ − a − ref) + 12 (ψ̇ − ȧ − reḟ), plantarflexor +, acts on a with +τ and on ψ with
−τ; ref is a natural cubic spline. State (a, ψ, ȧ, ψ̇). Plane and signs as in `softstride.contact.surface`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from softstride.contact import RollingJoint, RollingSurface

FloatArray = NDArray[np.float64]

GRAVITY = 9.81  # [m/s²], the problem's own
FOOT_MASS, FOOT_INERTIA = 0.94, 0.004  # [kg], [kg m²]
FOOT_CENTRE, ANKLE = np.array([0.03, 0.035]), np.array([-0.04, 0.068])  # foot axes [m]
_PLACES = np.stack([FOOT_CENTRE, ANKLE])
BODY_MASS, BODY_INERTIA, BODY_HEIGHT = 64.06, 7.0, 0.90  # [kg], [kg m²], [m] above the ankle
STIFFNESS, DAMPING = 400.0, 12.0  # of the ankle [N m/rad], [N m s/rad]
START = np.array([-0.18, -0.26, 1.9, 1.4])  # a, ψ, ȧ, ψ̇

_TIMES = [0.0, 0.04, 0.08, 0.14, 0.22, 0.30, 0.36, 0.42]  # [s]
_ANGLES = [-0.08, -0.100, -0.115, -0.08, 0.03, 0.115, 0.135, 0.10]  # [rad]
REFERENCE = CubicSpline(_TIMES, _ANGLES, bc_type="natural")
REFERENCE_RATE = REFERENCE.derivative()


def reference_surface() -> RollingSurface:
    """Return the surface that the leg rolls on: exponents 8.4, 65, .25 and 7, ρ(0) = 1 m, switch .026 rad."""
    return RollingSurface.from_exponents((8.4, 65.0, 0.25, 7.0), 1.0, 0.026)


def ankle_moment(t: float, a: float, psi: float, a_rate: float, psi_rate: float) -> float:
    """Return τ [N m]."""
    angle, rate = psi - a - float(REFERENCE(t)), psi_rate - a_rate - float(REFERENCE_RATE(t))
    return STIFFNESS * angle + DAMPING * rate


@dataclass(frozen=True, eq=False)
class RollingLeg:
    """The leg in minimal coordinates.

    Attributes:
        joint: Foot and ground.
        driven: Whether the ankle moment acts; without it energy is conserved.
    """

    joint: RollingJoint
    driven: bool = True

    def rates(self, t: float, y: FloatArray) -> FloatArray:
        """Return (ȧ, ψ̇, ä, ψ̈)."""
        return np.concatenate([y[2:], self._solve(t, y)[0]])

    def ground_force(self, t: float, y: FloatArray) -> FloatArray:
        """Return (Fx, Fz, centre of pressure), [N], [N], [m]."""
        _, foot, body = self._solve(t, y)
        x, z = FOOT_MASS * foot + BODY_MASS * body
        weight = (FOOT_MASS + BODY_MASS) * GRAVITY
        return np.array([x, z + weight, self.joint.force_point(y[0])[0]])

    def energy(self, y: FloatArray) -> float:
        """Return kinetic and potential energy [J]."""
        a, psi, a_rate, psi_rate = y
        P, first, _ = self.joint.motion(a, _PLACES)
        swing = BODY_HEIGHT * np.array([np.cos(psi), -np.sin(psi)])
        foot, body = first[0] * a_rate, first[1] * a_rate + swing * psi_rate
        kinetic = 0.5 * (FOOT_MASS * foot @ foot + BODY_MASS * body @ body)
        kinetic += 0.5 * (FOOT_INERTIA * a_rate**2 + BODY_INERTIA * psi_rate**2)
        heights = FOOT_MASS * P[0, 1] + BODY_MASS * (P[1, 1] + BODY_HEIGHT * np.cos(psi))
        return float(kinetic + GRAVITY * heights)

    def _solve(self, t: float, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return (ä, ψ̈) and the accelerations of both centres of mass, each of shape (2,)."""
        a, psi, a_rate, psi_rate = (float(value) for value in y)
        _, (J_f, J_a), second = self.joint.motion(a, _PLACES)
        sine, cosine = np.sin(psi), np.cos(psi)
        J_p = BODY_HEIGHT * np.array([cosine, -sine])
        foot = second[0] * a_rate**2
        body = second[1] * a_rate**2 - BODY_HEIGHT * np.array([sine, cosine]) * psi_rate**2
        up = np.array([0.0, GRAVITY])
        tau = ankle_moment(t, a, psi, a_rate, psi_rate) if self.driven else 0.0
        M11 = FOOT_INERTIA + FOOT_MASS * J_f @ J_f + BODY_MASS * J_a @ J_a
        M12 = BODY_MASS * J_a @ J_p
        M22 = BODY_INERTIA + BODY_MASS * BODY_HEIGHT**2
        Q1 = tau - FOOT_MASS * J_f @ (foot + up) - BODY_MASS * J_a @ (body + up)
        Q2 = -tau - BODY_MASS * J_p @ (body + up)
        acceleration = np.array([M22 * Q1 - M12 * Q2, M11 * Q2 - M12 * Q1]) / (M11 * M22 - M12**2)
        foot = foot + J_f * acceleration[0]
        return acceleration, foot, body + J_a * acceleration[0] + J_p * acceleration[1]
