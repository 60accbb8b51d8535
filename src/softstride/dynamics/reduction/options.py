"""What a residual reduction is told to do, and how far it may go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from softstride.dynamics.options import IdOptions
from softstride.errors import InputError
from softstride.frozen import Table

FRAMES = ("believed", "known")

SMALL = ("mass_change", "total_change", "base_shift", "base_turn", "trunk_centre_change", "centre_change")
"""Bounds that are one number, zero or more."""


@dataclass(frozen=True, eq=False)
class ReductionOptions:
    """How to make a recording and its plates agree, and how much may be changed for it.

    Attributes:
        inverse: Options of the inverse dynamics: low pass, links of forces, times. They may be given by their own names
            as well: ``reduce_residuals(model, motion, trial, lowpass=6.0)``.
        total_mass: "free": found, within `total_change`; "fixed": that of the model; or the mass of the whole model
            [kg], which is then met exactly.
        total_change: How far the total may be from that of the model, as a part of it.
        mass_change: How far a link may be from its share of the new total, as a part of its own mass.
        masses: The same for single links, by name; 0 keeps the share of a link.
        trunk_centre_change: How far the centre of mass of the base link and of the heaviest link may move along each
            axis of the link [m].
        centre_change: The same for all other links [m].
        centres: The same for single links, by name [m].
        base_shift: How far the base may be moved along each axis [m].
        base_turn: How far the base may be turned about each axis [rad].
        cutoff: Frequency up to which the base may be moved [Hz]: its change is a quintic spline with knots 1 / (2
            cutoff) apart.
        angular: Whether the moments of the residual are reduced too; if not, the base is not turned.
        frames: "believed": those whose forces are known and whose residual can be believed (`Loads.doubtful`);
            "known": all whose forces are known.
        inertia_weight: What a change of a link's share or centre that fills its bound costs, where 1 is a residual of
            the size that Hicks et al. allow, in all frames (see `reduction.reduce`). The total is free.
        displacement: How far a change of the base may move the body, root mean square over links and frames [m], at
            the same cost of 1.
        iterations: Most Gauss-Newton steps.
        tolerance: Relative decrease of the objective from which it is steady.
    """

    inverse: IdOptions = field(default_factory=IdOptions)
    total_mass: float | Literal["free", "fixed"] = "free"
    total_change: float = 0.15
    mass_change: float = 0.10
    masses: Mapping[str, float] = field(default_factory=Table)
    trunk_centre_change: float = 0.02
    centre_change: float = 0.005
    centres: Mapping[str, float] = field(default_factory=Table)
    base_shift: float = 0.02
    base_turn: float = math.radians(3.0)
    cutoff: float = 6.0
    angular: bool = True
    frames: Literal["believed", "known"] = "believed"
    inertia_weight: float = 0.1
    displacement: float = 0.01
    iterations: int = 20
    tolerance: float = 1e-4

    def __post_init__(self) -> None:
        """Check what can be checked without a model."""
        if not isinstance(self.inverse, IdOptions):
            raise InputError(f"inverse must be IdOptions, however it is {self.inverse!r}")
        for name in SMALL:
            object.__setattr__(self, name, _number(getattr(self, name), name, 0.0))
        for name in ("inertia_weight", "displacement", "cutoff", "tolerance"):
            object.__setattr__(self, name, _number(getattr(self, name), name, 0.0, above=True))
        if self.total_change >= 1.0 or self.total_change + self.mass_change >= 1.0:
            raise InputError(
                "total_change and mass_change must leave mass in every link: less than 1 together, however they are "
                f"{self.total_change:g} and {self.mass_change:g}"
            )
        if self.base_turn > 0.5:
            raise InputError(
                f"base_turn must be a small angle [rad], at most 0.5, however it is {self.base_turn:g}"
            )
        for name in ("masses", "centres"):
            object.__setattr__(self, name, _bounds(getattr(self, name), name))
        if any(self.total_change + change >= 1.0 for change in self.masses.values()):
            raise InputError("masses must leave mass in every link: with total_change less than 1")
        if self.total_mass not in ("free", "fixed"):
            total = _number(self.total_mass, 'total_mass, "free", "fixed" or [kg],', 0.0, above=True)
            object.__setattr__(self, "total_mass", total)
        if self.frames not in FRAMES:
            raise InputError(f"frames must be one of {', '.join(FRAMES)}, however it is {self.frames!r}")
        if isinstance(self.iterations, bool) or not isinstance(self.iterations, int) or self.iterations < 1:
            raise InputError(f"iterations must be a whole number above 0, however it is {self.iterations!r}")

    def changed(self, **changes: Any) -> ReductionOptions:
        """Return options with some fields changed, those of the inverse dynamics included.

        Raises:
            InputError: An unknown field; the known ones are listed.
        """
        own, inner = ([each.name for each in fields(kind)] for kind in (ReductionOptions, IdOptions))
        unknown = [name for name in changes if name not in own and name not in inner]
        if unknown:
            raise InputError(
                f"{unknown[0]!r} is no option of residual reduction; known: {', '.join([*own, *inner])}"
            )
        inverse = changes.pop("inverse", self.inverse)
        below = {name: changes.pop(name) for name in inner if name in changes}
        if below and isinstance(inverse, IdOptions):
            inverse = inverse.changed(**below)
        return replace(self, inverse=inverse, **changes)


def _number(value: object, what: str, least: float, *, above: bool = False) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < least or (above and number == least):
        raise InputError(
            f"{what} must be a number {'above' if above else 'from'} {least:g}, however it is {value!r}"
        )
    return number


def _bounds(given: object, what: str) -> Table[float]:
    if not isinstance(given, Mapping):
        raise InputError(f"{what} must map names of links to bounds, however they are {given!r}")
    return Table({name: _number(bound, f"{what}[{name!r}]", 0.0) for name, bound in given.items()})
