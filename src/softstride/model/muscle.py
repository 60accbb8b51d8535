"""Muscles and ligaments as data: path and parameters. Their forces are computed by the muscles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from softstride.errors import ModelError
from softstride.frozen import Table
from softstride.model import checks
from softstride.model.checks import Frozen
from softstride.model.functions import Function
from softstride.model.path import Path

CURVES = ("thelen2003", "millard2012", "degrootefregly2016", "schutte1993", "gaussian")
"""Sets of Hill curves that a muscle may name."""


@dataclass(frozen=True, eq=False)
class Muscle(Frozen):
    """A muscle-tendon unit.

    Attributes:
        name: Its name.
        path: Where it runs.
        max_force: Isometric force at optimal fibre length, fully active [N].
        fibre_length: Optimal fibre length [m].
        tendon_length: Tendon slack length [m].
        pennation: Pennation angle at optimal fibre length [rad].
        max_velocity: Greatest shortening velocity, in optimal fibre lengths a second [1/s].
        curves: Which set of Hill curves it was made for, see `CURVES`.
        rise_time: Time constant of activation [s].
        fall_time: Time constant of deactivation [s].
        min_activation: Least activation.
        rigid_tendon: Whether its tendon does not stretch.
        enabled: Whether it is switched on.
        parameters: Further numbers of its curves by their names in the source (tendon strain at maximal force, ...).
    """

    name: str
    path: Path
    max_force: float
    fibre_length: float
    tendon_length: float
    pennation: float = 0.0
    max_velocity: float = 10.0
    curves: str = "millard2012"
    rise_time: float = 0.010
    fall_time: float = 0.040
    min_activation: float = 0.01
    rigid_tendon: bool = False
    enabled: bool = True
    parameters: Mapping[str, float] = field(default_factory=Table)

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        what = f"muscle {checks.text(self.name, 'name of a muscle')!r}"
        if not isinstance(self.path, Path):
            raise ModelError(f"{what}: path must be a Path, however it is {self.path!r}.")
        for name in ("max_force", "fibre_length", "max_velocity"):
            value = checks.number(getattr(self, name), f"{what}: {name}")
            if value <= 0.0:
                raise ModelError(f"{what}: {name} must be above zero, however it is {value:g}.")
            self._set(**{name: value})
        for name in ("tendon_length", "pennation", "rise_time", "fall_time", "min_activation"):
            self._set(**{name: checks.number(getattr(self, name), f"{what}: {name}", lower=0.0)})
        if self.curves not in CURVES:
            raise ModelError(f"{what}: curves must be one of {', '.join(CURVES)}, not {self.curves!r}.")
        self._set(parameters=Table({key: float(value) for key, value in self.parameters.items()}))


@dataclass(frozen=True, eq=False)
class Ligament(Frozen):
    """A passive band.

    Attributes:
        name: Its name.
        path: Where it runs.
        resting_length: Length at which it becomes taut [m].
        force: Force that its curve is multiplied with [N].
        curve: Force over `force` as a function of length over `resting_length`.
        enabled: Whether it is switched on.
    """

    name: str
    path: Path
    resting_length: float
    force: float
    curve: Function
    enabled: bool = True

    def __post_init__(self) -> None:
        """Check the fields."""
        what = f"ligament {checks.text(self.name, 'name of a ligament')!r}"
        for name in ("resting_length", "force"):
            self._set(**{name: checks.number(getattr(self, name), f"{what}: {name}", lower=0.0)})
        if not isinstance(self.curve, Function):
            raise ModelError(f"{what}: curve must be a Function, however it is {self.curve!r}.")
