"""The equations of the walker as CasADi expressions, in the form that needs no mass matrix to be solved.

In every phase the residual

    ρ_i = Σ_j c_ij [cos(φ_i − φ_j) θ̈_j + sin(φ_i − φ_j) θ̇_j²] + g Re(z_i e^{iθ_i}) − Q_i − H_i

is zero, with Q the joint moments on the segments and H the pull of spring and damper between the hips (phase 1 only).
Forces follow from the momentum Σ i z_i e^{iθ_i} θ̇_i. Points are complex numbers written as pairs (x, y), right heel at
the origin. Source: [Onyshko1980], appendix, corrected; names are those of `softstride.gait.body`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softstride.gait.body import Body
from softstride.gait.optimise.casadi import load_casadi
from softstride.gait.states import DAMPER, SPRING

Pair = tuple[Any, Any]


def turned(length: float, angle: Any) -> Pair:
    """Return length·e^{i angle} as a pair."""
    ca = load_casadi()

    return length * ca.cos(angle), length * ca.sin(angle)


def plus(*pairs: Pair) -> Pair:
    """Return the sum of pairs."""
    return sum(x for x, _ in pairs), sum(y for _, y in pairs)


def minus(a: Pair, b: Pair) -> Pair:
    """Return a − b."""
    return a[0] - b[0], a[1] - b[1]


@dataclass(frozen=True)
class Equations:
    """Expressions of one body; angles, rates and accelerations are CasADi columns (7,), moments (6,), S a scalar.

    Attributes:
        body: The walker.
        spring: Stiffness between the hips in double support [N/m].
        damper: Damping between them [N s/m].
    """

    body: Body
    spring: float = SPRING
    damper: float = DAMPER

    # motion

    def residual(
        self, phase: int, theta: Any, omega: Any, acc: Any, moments: Any, separation: Any
    ) -> list[Any]:
        """Return ρ, seven expressions [N m]; in phase 3 the first is meaningless, the foot being held."""
        ca = load_casadi()

        c, offset, z, gap = self.body.coefficients(phase)
        phi = [theta[i] + float(offset[i]) for i in range(7)]
        cos, sin = [ca.cos(each) for each in phi], [ca.sin(each) for each in phi]
        pull = self.hip_pull(theta, omega, separation) if phase == 1 else (0.0, 0.0)
        rho = []
        for i, torque in enumerate(segment_torques(moments)):
            weight = z[i] * np.exp(-1j * offset[i]) * self.body.gravity  # in the axes of φ
            total = float(weight.real) * cos[i] - float(weight.imag) * sin[i] - torque
            for j in np.flatnonzero(c[i]):
                alike, apart = cos[i] * cos[j] + sin[i] * sin[j], sin[i] * cos[j] - cos[i] * sin[j]
                total += float(c[i, j]) * (acc[i] if i == j else alike * acc[j] + apart * omega[j] ** 2)
            if phase == 1 and gap[i]:
                total -= float(gap[i]) * (-pull[0] * sin[i] + pull[1] * cos[i])
            rho.append(total)
        return rho

    def mass_matrix(self, phase: int, theta: Any) -> list[list[Any]]:
        """Return c_ij cos(φ_i − φ_j), seven rows of seven expressions [kg m²]."""
        ca = load_casadi()

        c, offset, _, _ = self.body.coefficients(phase)
        phi = [theta[i] + float(offset[i]) for i in range(7)]
        return [
            [float(c[i, j]) * ca.cos(phi[i] - phi[j]) if c[i, j] else 0.0 for j in range(7)] for i in range(7)
        ]

    # hips in double support

    def hip_gap(self, theta: Any, separation: Any) -> Pair:
        """Return where the top of the right thigh is, seen from that of the left one [m]."""
        _, offset, _, gap = self.body.coefficients(1)
        return plus(
            (separation, 0.0), *(turned(float(gap[i]), theta[i] + float(offset[i])) for i in range(7))
        )

    def hip_gap_rate(self, theta: Any, omega: Any) -> Pair:
        """Return the rate of that [m/s]."""
        _, offset, _, gap = self.body.coefficients(1)
        arms = [turned(float(gap[i]), theta[i] + float(offset[i])) for i in range(7)]
        return (
            sum(-y * omega[i] for i, (_, y) in enumerate(arms)),
            sum(x * omega[i] for i, (x, _) in enumerate(arms)),
        )

    def hip_pull(self, theta: Any, omega: Any, separation: Any) -> Pair:
        """Return the force of spring and damper on the right thigh [N]; the left one feels the opposite."""
        r, v = self.hip_gap(theta, separation), self.hip_gap_rate(theta, omega)
        return -self.spring * r[0] - self.damper * v[0], -self.spring * r[1] - self.damper * v[1]

    # forces of the floor

    def momentum(self, phase: int, theta: Any, omega: Any) -> Pair:
        """Return the momentum of the body in single support, Σ i z_k e^{iθ_k} θ̇_k [N s]."""
        ca = load_casadi()
        z = self.body.coefficients(phase).z
        cos, sin = [ca.cos(theta[i]) for i in range(7)], [ca.sin(theta[i]) for i in range(7)]
        x = sum(-(float(z[i].real) * sin[i] + float(z[i].imag) * cos[i]) * omega[i] for i in range(7))
        y = sum((float(z[i].real) * cos[i] - float(z[i].imag) * sin[i]) * omega[i] for i in range(7))
        return x, y

    def _momentum_rate(self, phase: int, theta: Any, omega: Any, acc: Any, segments: range) -> Pair:
        """Return the rate of momentum of some segments, Σ z_i e^{iθ_i} (i θ̈_i − θ̇_i²) [N]."""
        ca = load_casadi()

        z = self.body.coefficients(phase).z
        x, y = 0.0, 0.0
        for i in segments:
            re = float(z[i].real) * ca.cos(theta[i]) - float(z[i].imag) * ca.sin(theta[i])
            im = float(z[i].real) * ca.sin(theta[i]) + float(z[i].imag) * ca.cos(theta[i])
            x += -re * omega[i] ** 2 - im * acc[i]
            y += -im * omega[i] ** 2 + re * acc[i]
        return x, y

    def toe_force(self, theta: Any, omega: Any, acc: Any, separation: Any) -> Pair:
        """Return the force of the floor on the left toe in phase 1 [N]."""
        body = self.body
        mass = body.foot_mass + body.shank_mass + body.thigh_mass + body.hat_mass
        inertial = self._momentum_rate(1, theta, omega, acc, range(3, 7))
        return plus(inertial, (0.0, mass * body.gravity), self.hip_pull(theta, omega, separation))

    def stance_force(self, phase: int, theta: Any, omega: Any, acc: Any, separation: Any) -> Pair:
        """Return the force of the floor on the right foot [N]."""
        body = self.body
        if phase > 1:
            inertial = self._momentum_rate(phase, theta, omega, acc, range(7))
            return plus(inertial, (0.0, body.mass * body.gravity))
        mass = body.foot_mass + body.shank_mass + body.thigh_mass
        inertial = self._momentum_rate(1, theta, omega, acc, range(3))
        return minus(plus(inertial, (0.0, mass * body.gravity)), self.hip_pull(theta, omega, separation))

    def heel_hold(self, theta: Any, omega: Any, acc: Any, moments: Any) -> Any:
        """Return the moment about the toe that holds a flat heel down [N m]: its reaction times the sole."""
        body = self.body
        up = plus(
            self._momentum_rate(3, theta, omega, acc, range(1, 7)), (0.0, body.mass_on_ankle * body.gravity)
        )
        x, y = (
            2.0 * body.toe_centre * math.cos(body.toe_angle),
            2.0 * body.toe_centre * math.sin(body.toe_angle),
        )
        return -x * up[1] + y * up[0] + moments[0] - 0.5 * x * body.foot_mass * body.gravity

    # points

    def right_ankle(self, phase: int, theta: Any) -> Pair:
        """Return the ankle that stands [m]."""
        body = self.body
        if phase < 4:
            return turned(body.heel_ankle, theta[0] + body.heel_angle)
        return plus((body.sole, 0.0), turned(2.0 * body.toe_centre, theta[0] + body.toe_angle))

    def left_ankle(self, phase: int, theta: Any) -> Pair:
        """Return the ankle of the leg that swings, phases 2 to 4 [m]."""
        body = self.body
        hip = plus(self.right_ankle(phase, theta), turned(body.shank, theta[1]), turned(body.thigh, theta[2]))
        return minus(hip, plus(turned(body.thigh, theta[4]), turned(body.shank, theta[5])))

    def left_heel(self, phase: int, theta: Any) -> Pair:
        """Return the heel of that leg [m]."""
        return minus(
            self.left_ankle(phase, theta), turned(self.body.heel_ankle, theta[6] + self.body.heel_angle)
        )

    def left_toe(self, phase: int, theta: Any) -> Pair:
        """Return its toe [m]."""
        return minus(
            self.left_ankle(phase, theta), turned(2.0 * self.body.toe_centre, theta[6] + self.body.toe_angle)
        )


def segment_torques(moments: Any) -> list[Any]:
    """Return what six joint moments do to the seven segments [N m]."""
    ra, rk, rh, lh, lk, la = (moments[i] for i in range(6))
    return [ra, rk - ra, rh - rk, -rh - lh, lh - lk, lk - la, la]


def joint_angles(theta: Any) -> list[Any]:
    """Return the six joint angles in the order of `JOINTS` [rad], as `softstride.gait.states.joint_angles`.

    Dorsiflexion θ_foot − θ_shank + π/2, extension of a knee θ_shank − θ_thigh, flexion of a hip θ_thigh − θ_HAT.
    """
    right = [theta[0] - theta[1] + math.pi / 2.0, theta[1] - theta[2], theta[2] - theta[3]]
    left = [theta[4] - theta[3], theta[5] - theta[4], theta[6] - theta[5] + math.pi / 2.0]
    return right + left
