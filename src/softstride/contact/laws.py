"""Laws of a yielding contact: how it presses and how it grips.

Pressing, one-sided, with depth d and rate of separation v_n (Hunt and Crossley 1975):

    F_n = max(0, k dⁿ (1 − D v_n)) where d > 0, else 0.

Gripping, two laws. `Bristle` is a spring and a damper in series with a slider that gives way at the Coulomb limit. With
stretch u (the state of the law) and slip velocity v of the foot over the ground,

    f = −(k_t u + c_t v);     |f| ≤ μ F_n:  F = f, u̇ = v;     else  F = μ F_n f/|f|, u̇ = −(F + k_t u)/c_t.

While it sticks it is a spring and a damper, so it does not creep, however long the load lasts; u̇ is continuous where
it begins to slip; power −F·v equals the rate of the stored k_t u²/2 plus what is never negative; without load u decays
in c_t/k_t. `SlipFriction` has no state, F = −μ F_n tanh(|v|/v_s) v/|v|, and creeps at up to v_s under load.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray, as_floats
from softstride.contact.spheres import DampingLaw, SphereContact
from softstride.fields import Frozen, declared


@dataclass(frozen=True)
class NormalLaw(Frozen, of="a normal law"):
    """How a contact presses.

    Attributes:
        stiffness: k [N/mⁿ].
        exponent: n: 1 linear, 1.5 Hertz.
        dissipation: D [s/m].

    Raises:
        InputError: Stiffness or exponent not above zero, dissipation below zero.
    """

    stiffness: float = declared(unit="N/m^n", above=0.0)
    exponent: float = declared(1.0, above=0.0)
    dissipation: float = declared(0.0, unit="s/m", least=0.0)

    @classmethod
    def from_restitution(
        cls,
        stiffness: float,
        restitution: float,
        impact_speed: float = 0.1,
        *,
        exponent: float = 1.0,
        damping: DampingLaw = "flores",
    ) -> NormalLaw:
        """Return the law whose D gives about a wanted restitution, see `spheres`."""
        sphere = SphereContact(
            0.0, stiffness, restitution, exponent=exponent, damping=damping, impact_speed=impact_speed
        )
        return cls(stiffness, exponent, float(sphere.dissipation))

    def force(self, depth: ArrayLike, separation: ArrayLike) -> FloatArray:
        """Return F_n, shape of the arguments, [N].

        Args:
            depth: d, above zero in contact, [m].
            separation: v_n, above zero when leaving, [m/s].
        """
        pressed = np.maximum(as_floats(depth, "depth"), 0.0) ** self.exponent
        damped = np.maximum(1.0 - self.dissipation * as_floats(separation, "separation"), 0.0)
        return np.asarray(self.stiffness * pressed * damped)

    def stored(self, depth: ArrayLike) -> FloatArray:
        """Return the elastic energy k d^{n+1}/(n + 1), shape of the argument, [J]."""
        power = self.exponent + 1.0
        return np.asarray(self.stiffness / power * np.maximum(as_floats(depth, "depth"), 0.0) ** power)


@dataclass(frozen=True)
class Bristle(Frozen, of="a bristle"):
    """Grip by a spring and a damper that slide at the Coulomb limit: sticks without creep.

    Attributes:
        friction: μ ≥ 0.
        stiffness: k_t [N/m].
        damping: c_t [N s/m].

    Raises:
        InputError: Friction below zero, stiffness or damping not above zero.
    """

    friction: float = declared(least=0.0)
    stiffness: float = declared(unit="N/m", above=0.0)
    damping: float = declared(unit="N s/m", above=0.0)

    def force(self, pressed: ArrayLike, slip: ArrayLike, stretch: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the force on the foot and u̇, each of shape (..., d), [N] and [m/s].

        Args:
            pressed: F_n, shape (...), [N].
            slip: v of the foot's contact over the ground, shape (..., d), d = 1 or more directions, [m/s].
            stretch: u, shape (..., d), [m].
        """
        v, u = as_floats(slip, "slip"), as_floats(stretch, "stretch")
        trial = -(self.stiffness * u + self.damping * v)
        size = np.linalg.norm(trial, axis=-1, keepdims=True)
        limit = self.friction * as_floats(pressed, "pressed")[..., None]
        sticks = size <= limit
        force = np.where(sticks, trial, trial * (limit / np.where(size > 0.0, size, 1.0)))
        return force, np.where(sticks, v, -(force + self.stiffness * u) / self.damping)

    def stored(self, stretch: ArrayLike) -> FloatArray:
        """Return the elastic energy k_t |u|²/2, shape (...), [J]."""
        return np.asarray(0.5 * self.stiffness * np.sum(as_floats(stretch, "stretch") ** 2, axis=-1))


@dataclass(frozen=True)
class SlipFriction(Frozen, of="a contact"):
    """Grip by the speed of slip alone: without a state, and with a creep below `slip_speed`.

    Attributes:
        friction: μ ≥ 0.
        slip_speed: v_s, at which friction reaches tanh 1 = 76 % of its limit [m/s].

    Raises:
        InputError: Friction below zero, or slip speed not above zero.
    """

    friction: float = declared(least=0.0)
    slip_speed: float = declared(0.01, unit="m/s", above=0.0)

    def force(self, pressed: ArrayLike, slip: ArrayLike, stretch: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the force on the foot and zeros, as `Bristle.force` does; the stretch plays no part."""
        v = as_floats(slip, "slip")
        speed = np.linalg.norm(v, axis=-1, keepdims=True)
        limit = self.friction * as_floats(pressed, "pressed")[..., None]
        force = -limit * np.tanh(speed / self.slip_speed) * v / np.where(speed > 0.0, speed, 1.0)
        return force, np.zeros_like(force)

    def stored(self, stretch: ArrayLike) -> FloatArray:
        """Return zero: nothing is stored, shape (...), [J]."""
        return np.zeros(np.shape(as_floats(stretch, "stretch"))[:-1])


Grip = Bristle | SlipFriction
