"""A rolling body on yielding ground in space: landing and leaving, under any multibody engine.

The lowest point of the body, Rp(d) from its origin with d = −Rᵀn, is H(d) − n·(x − ground) deep; as a particle of the
body it moves with v + ω × Rp. The laws press along n and grip across it, as in the plane (`compliant`). The force acts
at the lowest point without a moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.friction import UP, unit_normal
from softstride.contact.inputs import FloatArray, as_floats, constants
from softstride.contact.laws import Grip, NormalLaw
from softstride.contact.solid import RollingBody
from softstride.errors import InputError


class BodyTouch(NamedTuple):
    """What the ground does to a body in space, in world axes.

    Attributes:
        force: On the body, shape (..., 3), [N].
        point: Where it acts, shape (..., 3), [m].
        wrench: [moment; force] about the body's origin, shape (..., 6), as the engine's external loads, [N m], [N].
        depth: Above zero in contact, shape (...), [m].
        stretch_rate: u̇ of the grip, shape (..., 3), square to the normal, [m/s].
    """

    force: FloatArray
    point: FloatArray
    wrench: FloatArray
    depth: FloatArray
    stretch_rate: FloatArray


@dataclass(frozen=True, eq=False)
class CompliantBody:
    """A rolling body that presses into the ground and grips it.

    Attributes:
        body: Its shape.
        press: The normal law.
        grip: The friction: a `Bristle`, whose stretch is a state of three components, or a `SlipFriction` without one.
        normal: Out of the ground, shape (3,).
        ground: A point of the ground, shape (3,), [m].
    """

    body: RollingBody
    press: NormalLaw
    grip: Grip
    normal: ArrayLike = UP
    ground: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check and normalise."""
        if not isinstance(self.body, RollingBody):
            raise InputError(
                f"body of a compliant contact must be a RollingBody, however it is {self.body!r}"
            )
        object.__setattr__(self, "normal", unit_normal(self.normal))
        object.__setattr__(self, "ground", constants(self.ground, (3,), "ground of a compliant contact"))

    def touch(
        self,
        rotation: ArrayLike,
        position: ArrayLike,
        spin: ArrayLike,
        velocity: ArrayLike,
        stretch: ArrayLike = (0.0, 0.0, 0.0),
    ) -> BodyTouch:
        """Return what the ground does.

        Args:
            rotation: R from foot axes (x forward, y up, z right) to the world, shape (..., 3, 3).
            position: Of the foot's origin, world, shape (..., 3), [m].
            spin: ω, world, shape (..., 3), [rad/s].
            velocity: Of the foot's origin, world, shape (..., 3), [m/s].
            stretch: u of the grip, world, shape (..., 3), [m].
        """
        R, x = as_floats(rotation, "rotation"), as_floats(position, "position")
        n = np.asarray(self.normal)
        down = -np.einsum("...ij,i->...j", R, n)
        arm = np.einsum("...ij,...j->...i", R, self.body.contact(down))
        depth = -np.asarray((x + arm - np.asarray(self.ground)) @ n)
        particle = as_floats(velocity, "velocity") + np.cross(as_floats(spin, "spin"), arm)
        separation = particle @ n
        pressed = self.press.force(depth, separation)
        u = np.broadcast_to(as_floats(stretch, "stretch"), particle.shape)
        drag, rate = self.grip.force(
            pressed, particle - separation[..., None] * n, u - (u @ n)[..., None] * n
        )
        force = pressed[..., None] * n + drag
        return BodyTouch(force, x + arm, np.concatenate([np.cross(arm, force), force], axis=-1), depth, rate)
