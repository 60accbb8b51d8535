"""A rolling foot that comes down and leaves: the rolling surface pressed into the ground, in the plane.

With the foot's origin at (x, z) and tilt a, the lowest point of the surface is at (x + h'(a), z − h(a)); it is
d = h(a) − z deep. As foot particle it moves with

    v_n = ż − h' ȧ  (out of the ground),      v_t = ẋ − h ȧ  (over it),

the rates of the two constraints of the rolling joint. So the normal law presses where the joint would hold, the grip
replaces rolling without slip, and both approach the joint as their stiffness grows; nothing has to be in contact at the
start. The force acts at the lowest point and makes no moment about it. Signs as in `surface`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray, as_floats
from softstride.contact.laws import Grip, NormalLaw
from softstride.contact.surface import Surface
from softstride.errors import InputError


class Touch(NamedTuple):
    """What the ground does to a planar foot.

    Attributes:
        force: (Fx, Fz) on the foot, shape (..., 2), [N].
        moment: Generalised force on the tilt, −h Fx − h' Fz, shape (...), [N m].
        place: x of the lowest point, where the force acts, shape (...), [m].
        depth: d, above zero in contact, shape (...), [m].
        stretch_rate: u̇ of the grip, shape (...), [m/s].
    """

    force: FloatArray
    moment: FloatArray
    place: FloatArray
    depth: FloatArray
    stretch_rate: FloatArray


@dataclass(frozen=True, eq=False)
class CompliantRolling:
    """A rolling surface on yielding ground.

    Attributes:
        surface: The sole.
        press: Its normal law.
        grip: Its friction: a `Bristle` (with one state, the stretch) or a `SlipFriction`.
    """

    surface: Surface
    press: NormalLaw
    grip: Grip

    def __post_init__(self) -> None:
        """Check the surface."""
        if not isinstance(self.surface, Surface):
            raise InputError(
                "surface of a compliant contact must be a RollingSurface, a SplineSurface or an OutlineSurface, "
                f"however it is {self.surface!r}"
            )

    def touch(
        self,
        position: ArrayLike,
        a: ArrayLike,
        velocity: ArrayLike,
        rate: ArrayLike,
        stretch: ArrayLike = 0.0,
    ) -> Touch:
        """Return what the ground does.

        Args:
            position: (x, z) of the foot's origin, shape (..., 2), [m].
            a: Tilts, shape (...), [rad].
            velocity: (ẋ, ż), shape (..., 2), [m/s].
            rate: ȧ, shape (...), [rad/s].
            stretch: u of the grip, shape (...), [m].
        """
        position, velocity = as_floats(position, "position"), as_floats(velocity, "velocity")
        rate = as_floats(rate, "rate")
        _, h, dh, _ = self.surface.roll(a)
        depth = h - position[..., 1]
        pressed = self.press.force(depth, velocity[..., 1] - dh * rate)
        slip = velocity[..., 0] - h * rate
        u = np.broadcast_to(as_floats(stretch, "stretch"), np.shape(slip))
        drag, stretch_rate = self.grip.force(pressed, slip[..., None], u[..., None])
        force = np.stack([drag[..., 0], pressed], axis=-1)
        moment = -h * force[..., 0] - dh * pressed
        return Touch(force, np.asarray(moment), position[..., 0] + dh, depth, stretch_rate[..., 0])

    def stored(self, depth: ArrayLike, stretch: ArrayLike = 0.0) -> FloatArray:
        """Return the energy that the contact holds and gives back, shape (...), [J].

        Args:
            depth: d, shape (...), [m].
            stretch: u, shape (...), [m].
        """
        u = as_floats(stretch, "stretch")
        return np.asarray(self.press.stored(depth) + self.grip.stored(u[..., None]))

    def clearance(self, position: ArrayLike, a: ArrayLike) -> FloatArray:
        """Return the height of the lowest point above the ground, z − h(a), shape (...), [m]."""
        return np.asarray(as_floats(position, "position")[..., 1] - self.surface.h(a))
