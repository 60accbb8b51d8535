"""Viscoelastic spheres under a model: their law as `simulation.PointForces` takes it, with its derivatives.

In the notation of `contact.spheres`, with depth d, rate of separation v_n, slip v_t = s e (e of length one) and
g = tanh(s/v_s),

    dF_n/dy = -k n d^(n-1) (1 - D v_n),      dF_n/dv_n = -k d^n D,
    dF_t/dv_t = -mu F_n (g' e e^T + (g/s) (1 - e e^T)),      g' = (1 - g^2)/v_s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.contact import SphereContact
from softstride.model.frame import Frame
from softstride.simulation import PointForces

Floats = NDArray[np.float64]

CREEP = 1e-12
"""A slip below this has no direction [m/s]."""

GRAZE = 1e-9
"""A sphere this near to the ground has the slope of one that touches [m]: an implicit step that begins with a landing
must know what is below."""


@dataclass(frozen=True, eq=False)
class SphereLaw:
    """The law of spheres on level ground, by place and velocity of their lowest points.

    Attributes:
        contact: The spheres, their numbers of shape (n,) or one for all.
        floor: Height of the ground [m].
    """

    contact: SphereContact
    floor: float = 0.0

    def force(self, x: Floats, u: Floats) -> Floats:
        """Return the forces, shape (F, n, 3), [N]."""
        radius = np.asarray(self.contact.radius)
        pressed = self.contact.normal_force(x[..., 1] - self.floor + radius, u[..., 1])
        out = np.zeros(x.shape)
        out[..., 1] = pressed
        speed = np.hypot(u[..., 0], u[..., 2])
        drag = self.contact.friction_force(pressed, speed) / np.maximum(speed, CREEP)
        out[..., 0], out[..., 2] = drag * u[..., 0], drag * u[..., 2]
        return out

    def slopes(self, x: Floats, u: Floats) -> tuple[Floats, Floats]:
        """Return df/dx and df/du, each of shape (F, n, 3, 3)."""
        c = self.contact
        k, n, mu = (np.asarray(each) for each in (c.stiffness, c.exponent, c.friction))
        depth = np.maximum(self.floor - x[..., 1], 0.0)
        touching = self.floor - x[..., 1] > -GRAZE
        damped = np.maximum(1.0 - c.dissipation * u[..., 1], 0.0)
        pressed = k * depth**n * damped
        steep = np.where(touching, -k * n * depth ** (n - 1.0) * damped, 0.0)
        loss = np.where(damped > 0.0, -k * depth**n * c.dissipation, 0.0)
        slip = np.stack([u[..., 0], u[..., 2]], axis=-1)
        speed = np.linalg.norm(slip, axis=-1)
        e = slip / np.maximum(speed, CREEP)[..., None]
        g = np.tanh(speed / np.asarray(c.slip_speed))
        along = (1.0 - g * g) / np.asarray(c.slip_speed)
        across = np.where(speed > CREEP, g / np.maximum(speed, CREEP), along)
        by_x, by_u = np.zeros((*x.shape, 3)), np.zeros((*x.shape, 3))
        rub = -mu[..., None] * g[..., None] * e  # (.., n, 2), friction over normal force
        by_x[..., 1, 1], by_u[..., 1, 1] = steep, loss
        for i, row in enumerate((0, 2)):
            by_x[..., row, 1], by_u[..., row, 1] = rub[..., i] * steep, rub[..., i] * loss
            for j, column in enumerate((0, 2)):
                both = e[..., i] * e[..., j]
                by_u[..., row, column] = -mu * pressed * (along * both + across * (float(i == j) - both))
        return by_x, by_u


def sphere_forces(centres: Sequence[Frame], contact: SphereContact, floor: float = 0.0) -> PointForces:
    """Return the forces of spheres on a model.

    Args:
        centres: Their centres on the model, n of them.
        contact: Their numbers, each for all or of shape (n,).
        floor: Height of the ground [m].
    """
    radius = np.broadcast_to(np.asarray(contact.radius), (len(centres),))
    arms = np.zeros((len(centres), 3))
    arms[:, 1] = -radius
    return PointForces(tuple(centres), SphereLaw(contact, floor), arms)
