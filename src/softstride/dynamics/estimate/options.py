"""What an estimate of loads without force plates is told to do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from softstride.contact.sole import Sole
from softstride.dynamics.option_checks import number, time_range
from softstride.errors import InputError
from softstride.frozen import Table

SIDES = ("right", "left")


@dataclass(frozen=True, eq=False)
class EstimateOptions:
    """How to estimate the ground reaction and the loads of a motion.

    Forces are weighed in units of body weight, moments in body weight times metres.

    Attributes:
        lowpass: Cut-off of a low pass of the coordinates [Hz]; "auto": chosen from the motion, see
            `softstride.dynamics.estimate.cutoff`; None: the motion's own velocities and accelerations.
        time_range: First and last instant to solve [s]; None: the whole motion.
        friction: Coefficient of friction mu of the ground.
        facets: Sides of a pyramid in place of the friction cone; None: the cone itself.
        floor: Height of the floor [m]; None: estimated from the standing feet.
        belt: Velocity of the ground, (forward, right) or three components in world axes [m/s]; None: estimated from the
            standing feet.
        links: Link that carries the load of each foot, by side; others are found by name.
        soles: Soles by side, in place of those that model or averages give.
        load_cell: Whether the deformation of blades, whose stiffness the model knows, tells of the force in them.
        blade_error: Standard deviation of the stiffness of blades, as a share of it.
        strain_error: Standard deviation of the strains of blades [1/m]; None: from the markers that the motion comes
            from, see `softstride.dynamics.estimate.demand`, or 0.04 1/m for a motion without markers.
        reach: Length over which a force of one body weight in error counts as much as a moment of one body weight times
            metre [m]: moments about the base come from the swing of trunk and arms and are known worse than forces.
        torque: Weight of joint torques against the balance of the base: what shares a double support between the legs.
        load: Weight of the load of a foot, divided by its activation.
        spread: Weight of a distribution over the sole other than that of the activation.
        smoothness: Frequency [Hz] above which changes of the ground reaction cost more than they explain; None: frames
            are independent.
        sockets: Links whose joint is a socket, as in `IdOptions`.
        tolerance: Of the solution, relative.
        max_iterations: Of the solver.
    """

    lowpass: float | Literal["auto"] | None = "auto"
    time_range: tuple[float, float] | None = None
    friction: float = 0.8
    facets: int | None = None
    floor: float | None = None
    belt: tuple[float, ...] | None = None
    links: Mapping[str, str] = field(default_factory=Table)
    soles: Mapping[str, Sole] = field(default_factory=Table)
    load_cell: bool = True
    blade_error: float = 0.1
    strain_error: float | None = None
    reach: float = 4.0
    torque: float = 1e-3
    load: float = 2e-4
    spread: float = 5e-4
    smoothness: float | None = 30.0
    sockets: tuple[str, ...] | None = None
    tolerance: float = 1e-6
    max_iterations: int = 200

    def __post_init__(self) -> None:
        """Check what can be checked without a model."""
        if self.lowpass not in (None, "auto"):
            self._number("lowpass", above=0.0)
        for name in ("friction", "load", "spread", "blade_error", "torque"):
            self._number(name, above=0.0, or_equal=name in ("friction", "torque"))
        for name in ("reach", "tolerance"):
            self._number(name, above=0.0)
        for name in ("smoothness", "strain_error"):
            if getattr(self, name) is not None:
                self._number(name, above=0.0)
        if self.floor is not None:
            self._number("floor", above=-math.inf)
        if self.facets is not None and (not isinstance(self.facets, int) or self.facets < 4):
            raise InputError(
                f"facets of a friction pyramid must be a whole number from 4 on, or None for the cone, however they "
                f"are {self.facets!r}"
            )
        if not isinstance(self.max_iterations, int) or self.max_iterations < 1:
            raise InputError(
                f"max_iterations must be a whole number above 0, however it is {self.max_iterations!r}"
            )
        if self.time_range is not None:
            object.__setattr__(self, "time_range", time_range(self.time_range))
        if self.belt is not None:
            object.__setattr__(self, "belt", _velocity(self.belt))
        for name in ("links", "soles"):
            given = getattr(self, name)
            if not isinstance(given, Mapping) or any(side not in SIDES for side in given):
                raise InputError(
                    f"{name} must be given by side, 'right' or 'left', however they are {given!r}"
                )
            object.__setattr__(self, name, Table(given))
        for side, sole in self.soles.items():
            if not isinstance(sole, Sole):
                raise InputError(f"the {side} sole must be a contact.Sole, however it is {sole!r}")

    def _number(self, name: str, above: float, or_equal: bool = False) -> None:
        value = number(getattr(self, name), name)
        if not (value >= above if or_equal else value > above) or math.isinf(value):
            least = f"finite and at least {above:g}" if or_equal else f"finite and above {above:g}"
            raise InputError(f"{name} must be {least}, however it is {value:g}")
        object.__setattr__(self, name, value)

    def changed(self, **changes: Any) -> EstimateOptions:
        """Return options with some fields changed; an unknown field is an error that lists the known ones."""
        known = [each.name for each in fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise InputError(
                f"{unknown[0]!r} is no option of an estimate of loads; known: {', '.join(known)}"
            )
        return replace(self, **changes)


def _velocity(given: Iterable[float]) -> tuple[float, ...]:
    try:
        values = tuple(number(value, "belt") for value in given)
    except TypeError:
        raise InputError(
            f"belt must be a velocity, (forward, right) [m/s], however it is {given!r}"
        ) from None
    if not all(map(math.isfinite, values)):
        raise InputError(f"belt must be finite, however it is {values}")
    if len(values) not in (2, 3):
        raise InputError(f"belt must have two components, (forward, right), or three, however it is {values}")
    return values if len(values) == 3 else (values[0], 0.0, values[1])
