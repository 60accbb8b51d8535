"""One coordinate of a model: its default, its range and the passive forces on it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import Frozen


@dataclass(frozen=True)
class Coordinate(Frozen):
    """A coordinate with its spring, damper and limits; there is one for each velocity.

    Passive generalized force on a scalar coordinate q with velocity v:

        τ = -stiffness (q - rest) - damping v - limit force

    The limit force acts only beyond `lower` or `upper`; it rises smoothly there and then grows by
    `limit_stiffness` per coordinate and `limit_damping` per velocity.

    The three coordinates of a spherical joint hold a rotation vector: the default pose is exp(default), and
    the spring pulls back to exp(rest) with equal stiffness on the three.

    Attributes:
        name: Name of the coordinate.
        default: Value in the default pose [rad], [m] or [1/m].
        lower: Lower limit.
        upper: Upper limit.
        stiffness: Spring stiffness, force per coordinate.
        rest: Value where the spring is slack.
        damping: Force per velocity.
        limit_stiffness: Extra stiffness beyond a limit.
        limit_damping: Extra damping beyond a limit.
        locked: Whether it is to be held at its default; the engine moves it all the same.
        clamped: Whether it is to be kept between its limits by whoever chooses its value.
    """

    name: str
    default: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    limit_stiffness: float = 0.0
    limit_damping: float = 0.0
    locked: bool = False
    clamped: bool = False

    def __post_init__(self) -> None:
        """Check the fields."""
        what = f"coordinate {checks.text(self.name, 'name of a coordinate')!r}"
        for name in ("default", "rest"):
            self._set(**{name: checks.number(getattr(self, name), f"{what}: {name}")})
        for name in ("lower", "upper"):
            self._set(**{name: checks.number(getattr(self, name), f"{what}: {name}", infinite=True)})
        for name in ("stiffness", "damping", "limit_stiffness", "limit_damping"):
            self._set(**{name: checks.number(getattr(self, name), f"{what}: {name}", lower=0.0)})
        if self.lower > self.upper:
            raise ModelError(
                f"{what}: lower limit {self.lower:g} must not be above the upper limit {self.upper:g}."
            )
        if self.lower == math.inf or self.upper == -math.inf:
            raise ModelError(f"{what}: the range {self.lower:g} to {self.upper:g} holds no number.")

    @property
    def passive(self) -> bool:
        """Whether any passive force acts on the coordinate."""
        return any((self.stiffness, self.damping, self.limit_stiffness, self.limit_damping))
