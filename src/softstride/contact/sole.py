"""The sole of a foot: places by which it may touch the ground, and where they touch as it rolls.

Axes of a foot: forward, up and to the right of the person, whichever foot it is; the origin is that of the foot's link.
A foot rolls over its sole without slipping. As long as it is stiff that needs nothing but its pose. In front of the
ball it is not: toes and shoe bend and stay on the floor while a model's foot, often one stiff link, turns into it. So
what lies in front of the ball is unrolled: it touches the floor as far in front of the ball as it is on the sole, the
length along the surface that a rolling contact keeps ("Kinematic rolling foot", ds = rho da).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.results import Labels, Result, values

Array = NDArray[np.float64]

NAMES = (
    "heel_back",
    "heel_medial",
    "heel_lateral",
    "midfoot_lateral",
    "metatarsal_5",
    "metatarsal_1",
    "toes_lateral",
    "hallux",
)

OUTLINE = np.array(
    [
        [0.00, 0.00],
        [0.19, -0.105],
        [0.19, 0.105],
        [0.55, 0.14],
        [0.91, 0.21],
        [1.02, -0.14],
        [1.21, 0.14],
        [1.36, -0.07],
    ]
)
"""Places of `NAMES`: forward from the back of the heel and outward from the middle, in lengths from heel to ball. A
foot is 1.36 of these long and 0.35 broad at the ball, 0.21 at the heel."""


class Sole(Result, of="a sole"):
    """Places on the sole of a foot.

    Attributes:
        names: One for each place.
        points: Where they are in the axes of the foot, [forward, up, right], shape (c, 3), [m].
        toes: Which lie in front of the ball, shape (c,).
        ball: Middle of the ball, shape (3,), [m].
    """

    names: tuple[str, ...]
    points: Array = values("place axis", "m")
    toes: NDArray[np.bool_] = values("place", dtype=bool)
    ball: Array = values("axis", "m")

    LABELS: ClassVar[Mapping[str, Labels]] = {"place": lambda own: own.names}

    def check(self) -> None:
        """Check that there is a place, and that all are known."""
        if not self.names:
            raise InputError("a sole needs at least one place", parameter="names")
        for name in ("points", "ball"):
            numbers = getattr(self, name)
            if not np.isfinite(numbers).all():
                unknown = float(numbers[~np.isfinite(numbers)][0])
                raise InputError(
                    f"{name} of a sole must be finite, however one number is {unknown:g}",
                    parameter=name,
                    value=unknown,
                )

    @classmethod
    def foot(cls, heel: float, ball: float, side: str, *, middle: float = 0.0) -> Sole:
        """Return the sole of an average foot, in the plane through its origin.

        Args:
            heel: Forward coordinate of the back of the heel [m].
            ball: Forward coordinate of the ball, the joint of the toes [m].
            side: "right" or "left".
            middle: Where the middle of the foot is, to the right of the origin [m].
        """
        length = ball - heel
        if not 0.02 < length < 0.6:
            raise InputError(f"from heel to ball a foot is 0.02 to 0.6 m long, however it is {length:g} m")
        outward = 1.0 if side == "right" else -1.0
        points = np.zeros((len(NAMES), 3))
        points[:, 0] = heel + length * OUTLINE[:, 0]
        points[:, 2] = middle + outward * length * OUTLINE[:, 1]
        return cls(NAMES, points, points[:, 0] > ball + 0.05 * length, np.array([ball, 0.0, middle]))

    def lowered(self, heel: float, ball: float) -> Sole:
        """Return the sole below that plane: by `heel` [m] at the heel, by `ball` [m] from the ball on."""
        back, front = float(self.points[:, 0].min()), float(self.ball[0])
        along = np.clip((self.points[:, 0] - back) / (front - back), 0.0, 1.0)
        points = self.points - np.outer(heel + (ball - heel) * along, [0.0, 1.0, 0.0])
        return Sole(self.names, points, self.toes, self.ball - [0.0, ball, 0.0])


def touching_places(sole: Sole, material: Array, ball: Array, forward: Array, up: Array) -> Array:
    """Return where the places of a sole meet the floor, but for their heights.

    Args:
        sole: The sole.
        material: Where its places are in the world, shape (n, c, 3), [m].
        ball: Where the ball is, shape (n, 3), [m].
        forward: The forward axis of the foot in the world, shape (n, 3).
        up: The upward direction of the world, shape (3,).

    Returns:
        Shape (n, c, 3), [m]: the places behind the ball as they are; those in front of it as far ahead of the ball, and
        beside it, as they are on the sole.
    """
    if not sole.toes.any():
        return material
    level = forward - np.outer(forward @ up, up)
    length = np.linalg.norm(level, axis=1, keepdims=True)
    heading = level / np.where(length > 0.0, length, 1.0)
    right = np.cross(heading, up)
    places = material.copy()
    ahead = sole.points[sole.toes] - sole.ball
    unrolled = (
        ball[:, None] + ahead[None, :, :1] * heading[:, None, :] + ahead[None, :, 2:] * right[:, None, :]
    )
    steep = (length[:, :, None] < 0.2) | np.zeros(
        (1, len(ahead), 1), dtype=bool
    )  # standing on the tip of the toes
    places[:, sole.toes] = np.where(steep, material[:, sole.toes], unrolled)
    return places
