"""Actuators that are no muscles: on a coordinate, at a point, or a torque between links."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import ArrayField, Frozen, constant


@dataclass(frozen=True, eq=False)
class _Actuator(Frozen):
    """What all kinds share.

    Attributes:
        name: Its name.
        optimal_force: Force or torque at a control of one [N] or [N·m].
        lower: Least control.
        upper: Greatest control.
        enabled: Whether it is switched on.
    """

    name: str
    optimal_force: float = 1.0
    lower: float = -math.inf
    upper: float = math.inf
    enabled: bool = True

    def __post_init__(self) -> None:
        """Check the fields."""
        what = f"actuator {checks.text(self.name, 'name of an actuator')!r}"
        self._set(optimal_force=checks.number(self.optimal_force, f"{what}: optimal_force"))
        for name in ("lower", "upper"):
            self._set(**{name: checks.number(getattr(self, name), f"{what}: {name}", infinite=True)})
        if self.lower > self.upper:
            raise ModelError(f"{what}: the range of control {self.lower:g} to {self.upper:g} is empty.")


@dataclass(frozen=True, eq=False)
class CoordinateActuator(_Actuator):
    """A generalized force on one coordinate.

    Attributes:
        coordinate: Name of the coordinate.
    """

    coordinate: str = ""


@dataclass(frozen=True, eq=False)
class PointActuator(_Actuator):
    """A force at a point of a link.

    Attributes:
        link: Name of the link.
        point: Where it acts, shape (3,), [m], in link axes, or in the world's if `point_in_world`.
        direction: Along which it acts, shape (3,), in link axes, or in the world's if `direction_in_world`.
        point_in_world: Whether the point is given in the world.
        direction_in_world: Whether the direction is given in the world.
    """

    link: str = ""
    point: ArrayField = field(default_factory=constant((0.0, 0.0, 0.0)))
    direction: ArrayField = field(default_factory=constant((1.0, 0.0, 0.0)))
    point_in_world: bool = False
    direction_in_world: bool = False

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        super().__post_init__()
        what = f"actuator {self.name!r}"
        self._set(
            point=checks.array(self.point, (3,), f"{what}: point"),
            direction=checks.unit(self.direction, f"{what}: direction"),
        )


@dataclass(frozen=True, eq=False)
class TorqueActuator(_Actuator):
    """A torque on one link and its opposite on another.

    Attributes:
        link: Name of the link that it turns.
        reaction: Name of the link that takes the opposite torque; "world" for none.
        axis: About which it acts, shape (3,), in axes of `link`, or in the world's if `axis_in_world`.
        axis_in_world: Whether the axis is given in the world.
    """

    link: str = ""
    reaction: str = "world"
    axis: ArrayField = field(default_factory=constant((0.0, 0.0, 1.0)))
    axis_in_world: bool = True

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        super().__post_init__()
        self._set(axis=checks.unit(self.axis, f"actuator {self.name!r}: axis"))


Actuator = CoordinateActuator | PointActuator | TorqueActuator
