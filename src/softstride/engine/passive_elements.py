r"""The passive elements of a model: each knows its force, its tangent derivatives and its energy.

An element works on all joints of its kind and all frames at once: q (F, nq), v (F, nv) in, added to tau (F,
nv), to d tau / dq and d tau / dv (F, nv, nv), and to the energy (F,).

The law of one coordinate is a spring with limits, tau = -E'(x) with

    E(x) = k (x - rest)^2 / 2 + k_limit P(e),    e = how far x lies beyond its range, P'(e) = e^2 / (2 w)
    for e < w,   e - w / 2 beyond:    P'' rises from 0 to 1 over the onset w and stays there.

The force and its stiffness are thus continuous at the limit, which an integrator with error control and a
Newton solver need, and far beyond the limit the stiffness is the one given. (A linear stop has a jump in
stiffness; an exponential or softplus stop acts also inside the range, where the recording shows no force.)
The onset w is one percent of the range. Limit damping is switched on by the smooth step S(e / w), S(u) = 3
u^2 - 2 u^3, and always dissipates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softstride.spatial import so3

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


class Element(Protocol):
    """What every passive element answers."""

    def add_force(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> None:
        """Add the generalized forces to tau, shape (F, nv)."""

    def add_derivatives(self, q: FloatArray, v: FloatArray, dq: FloatArray, dv: FloatArray) -> None:
        """Add the derivatives of the forces to dq and dv, shape (F, nv, nv)."""

    def energy(self, q: FloatArray) -> FloatArray:
        """Return the stored energy, shape (F,), [J]."""


@dataclass(frozen=True, eq=False)
class Law:
    """Springs with limits on single values x; every array has the shape of the last axes of x."""

    stiffness: FloatArray
    rest: FloatArray
    lower: FloatArray
    upper: FloatArray
    limit_stiffness: FloatArray
    limit_damping: FloatArray
    onset: FloatArray

    def beyond(self, x: FloatArray) -> FloatArray:
        """Return the signed distance outside the range: negative below, positive above, zero inside."""
        return np.minimum(x - self.lower, 0.0) + np.maximum(x - self.upper, 0.0)

    def energy(self, x: FloatArray) -> FloatArray:
        """Return E(x)."""
        e, w = np.abs(self.beyond(x)), self.onset
        penalty = np.where(e < w, e**3 / (6.0 * w), e**2 / 2.0 - w * e / 2.0 + w**2 / 6.0)
        return 0.5 * self.stiffness * (x - self.rest) ** 2 + self.limit_stiffness * penalty

    def slope(self, x: FloatArray) -> FloatArray:
        """Return E'(x)."""
        signed, w = self.beyond(x), self.onset
        e = np.abs(signed)
        push = np.sign(signed) * np.where(e < w, e**2 / (2.0 * w), e - w / 2.0)
        return self.stiffness * (x - self.rest) + self.limit_stiffness * push

    def curvature(self, x: FloatArray) -> FloatArray:
        """Return E''(x)."""
        return self.stiffness + self.limit_stiffness * np.clip(np.abs(self.beyond(x)) / self.onset, 0.0, 1.0)

    def damping(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the limit's damping coefficient c(x) >= 0 and its derivative."""
        signed = self.beyond(x)
        u = np.clip(np.abs(signed) / self.onset, 0.0, 1.0)
        step, rise = u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / self.onset
        return self.limit_damping * step, self.limit_damping * np.sign(signed) * rise


@dataclass(frozen=True, eq=False)
class Dampers:
    """Linear dampers on velocities: tau = -d v."""

    at: IntArray  # (k,)
    coefficient: FloatArray  # (k,)

    def add_force(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> None:
        """Add -d v."""
        tau[:, self.at] -= self.coefficient * v[:, self.at]

    def add_derivatives(self, q: FloatArray, v: FloatArray, dq: FloatArray, dv: FloatArray) -> None:
        """Add the diagonal -d."""
        dv[:, self.at, self.at] -= self.coefficient

    def energy(self, q: FloatArray) -> FloatArray:
        """Return zero: a damper stores nothing."""
        return np.zeros(len(q))


@dataclass(frozen=True, eq=False)
class PlainSprings:
    """Springs and limits on plain coordinates: tau = -E'(q) - c(q) v."""

    q_at: IntArray  # (k,)
    v_at: IntArray  # (k,)
    law: Law

    def add_force(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> None:
        """Add -E'(q) - c(q) v."""
        x = q[:, self.q_at]
        tau[:, self.v_at] -= self.law.slope(x) + self.law.damping(x)[0] * v[:, self.v_at]

    def add_derivatives(self, q: FloatArray, v: FloatArray, dq: FloatArray, dv: FloatArray) -> None:
        """Add the diagonals -E'' - c' v and -c."""
        x = q[:, self.q_at]
        c, dc = self.law.damping(x)
        dq[:, self.v_at, self.v_at] -= self.law.curvature(x) + dc * v[:, self.v_at]
        dv[:, self.v_at, self.v_at] -= c

    def energy(self, q: FloatArray) -> FloatArray:
        """Return sum E(q)."""
        return np.asarray(self.law.energy(q[:, self.q_at]).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class Rods:
    """Elastic and viscous rods: tau = -L B^T (K B q + D B v), energy L q^T B^T K B q / 2.

    Source: docs/theory/rods.md [Hybrid2026].
    """

    q_at: IntArray  # (k,)
    v_at: IntArray  # (k,)
    stiffness: FloatArray  # (k, k), block-diagonal, L B^T K B of each segment
    damping: FloatArray  # (k, k)

    def add_force(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> None:
        """Add the force of all segments."""
        tau[:, self.v_at] -= q[:, self.q_at] @ self.stiffness.T + v[:, self.v_at] @ self.damping.T

    def add_derivatives(self, q: FloatArray, v: FloatArray, dq: FloatArray, dv: FloatArray) -> None:
        """Add -L B^T K B and -L B^T D B."""
        rows, columns = self.v_at[:, None], self.v_at
        dq[:, rows, columns] -= self.stiffness
        dv[:, rows, columns] -= self.damping

    def energy(self, q: FloatArray) -> FloatArray:
        """Return the elastic energy of all segments."""
        x = q[:, self.q_at]
        return np.asarray(0.5 * np.einsum("fi,ij,fj->f", x, self.stiffness, x))


@dataclass(frozen=True, eq=False)
class RotationSprings:
    """Isotropic springs on quaternions: tau = -k phi with exp(phi) = rest^-1 o quat, energy k |phi|^2 / 2.

    phi is a fixed direction of the tangent maps, T_R(phi)^T phi = phi, so the torque in child axes is -k
    phi itself, and its derivative along a rotation in child axes is -k T_R(phi)^-1.
    """

    q_at: IntArray  # (b, 4)
    v_at: IntArray  # (b, 3)
    stiffness: FloatArray  # (b,)
    rest: FloatArray  # (b, 4) unit quaternions

    def _phi(self, q: FloatArray) -> FloatArray:
        backward = self.rest * np.array([-1.0, -1.0, -1.0, 1.0])
        return np.asarray(so3.quat_log(so3.quat_multiply(backward, q[:, self.q_at])))  # (F, b, 3)

    def add_force(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> None:
        """Add -k phi."""
        tau[:, self.v_at] -= self.stiffness[:, None] * self._phi(q)

    def add_derivatives(self, q: FloatArray, v: FloatArray, dq: FloatArray, dv: FloatArray) -> None:
        """Add -k T_R(phi)^-1."""
        turn = self.stiffness[:, None, None] * so3.tangent_right_inverse(self._phi(q))
        dq[:, self.v_at[:, :, None], self.v_at[:, None, :]] -= turn

    def energy(self, q: FloatArray) -> FloatArray:
        """Return sum k |phi|^2 / 2."""
        return np.asarray(0.5 * np.einsum("b,fbi->f", self.stiffness, self._phi(q) ** 2))
