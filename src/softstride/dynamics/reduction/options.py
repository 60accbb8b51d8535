"""What a residual reduction is told to do, and how far it may go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from softstride.dynamics.options import IdChanges, IdOptions
from softstride.errors import InputError
from softstride.fields import declared
from softstride.options import Options


@dataclass(frozen=True, eq=False)
class ReductionOptions(Options, of="residual reduction", also="inverse"):
    """How to make a recording and its plates agree, and how much may be changed for it.

    Options of the inverse dynamics may be given by their own names as well: ``reduce_residuals(model, motion, trial,
    lowpass=6.0)``.
    """

    inverse: IdOptions = declared(
        IdOptions(), "Options of the inverse dynamics: low pass, links of forces, times."
    )
    total_mass: float | Literal["free", "fixed"] = declared(
        "free",
        '"free": found, within `total_change`; "fixed": that of the model; or the mass of the whole model, which is '
        "then met exactly.",
        unit="kg",
        above=0.0,
    )
    total_change: float = declared(
        0.15, "How far the total may be from that of the model, as a part of it.", least=0.0, below=1.0
    )
    mass_change: float = declared(
        0.10, "How far a link may be from its share of the new total, as a part of its own mass.", least=0.0
    )
    masses: Mapping[str, float] = declared(
        {}, "The same for single links, by name; 0 keeps the share of a link.", least=0.0, of="links"
    )
    trunk_centre_change: float = declared(
        0.02,
        "How far the centre of mass of the base link and of the heaviest link may move along each axis of the link.",
        unit="m",
        least=0.0,
    )
    centre_change: float = declared(0.005, "The same for all other links.", unit="m", least=0.0)
    centres: Mapping[str, float] = declared(
        {}, "The same for single links, by name.", unit="m", least=0.0, of="links"
    )
    base_shift: float = declared(0.02, "How far the base may be moved along each axis.", unit="m", least=0.0)
    base_turn: float = declared(
        math.radians(3.0),
        "How far the base may be turned about each axis, a small angle.",
        unit="rad",
        least=0.0,
        most=0.5,
    )
    cutoff: float = declared(
        6.0,
        "Frequency up to which the base may be moved: its change is a quintic spline with knots 1 / (2 cutoff) apart.",
        unit="Hz",
        above=0.0,
    )
    angular: bool = declared(
        True, "Whether the moments of the residual are reduced too; if not, the base is not turned."
    )
    frames: Literal["believed", "known"] = declared(
        "believed",
        '"believed": those whose forces are known and whose residual can be believed (`Loads.doubtful`); "known": all '
        "whose forces are known.",
    )
    inertia_weight: float = declared(
        0.1,
        "What a change of a link's share or centre that fills its bound costs, where 1 is a residual of the size that "
        "Hicks et al. allow, in all frames (see `reduction.reduce`). The total is free.",
        above=0.0,
    )
    displacement: float = declared(
        0.01,
        "How far a change of the base may move the body, root mean square over links and frames, at the same cost of "
        "1.",
        unit="m",
        above=0.0,
    )
    iterations: int = declared(20, "Most Gauss-Newton steps.", least=1)
    tolerance: float = declared(
        1e-4, "Relative decrease of the objective from which it is steady.", above=0.0
    )

    def check(self) -> None:
        """Masses stay positive."""
        if self.total_change + self.mass_change >= 1.0:
            raise InputError(
                "total_change and mass_change must leave mass in every link: less than 1 together, however they are "
                f"{self.total_change:g} and {self.mass_change:g}",
                parameter="mass_change",
                value=self.mass_change,
            )
        if any(self.total_change + change >= 1.0 for change in self.masses.values()):
            raise InputError(
                "masses must leave mass in every link: with total_change less than 1", parameter="masses"
            )


class ReductionChanges(IdChanges, total=False):
    """The fields of `ReductionOptions` as keywords; written by tools/keywords.py."""

    inverse: IdOptions
    total_mass: float | Literal["free", "fixed"]
    total_change: float
    mass_change: float
    masses: Mapping[str, float]
    trunk_centre_change: float
    centre_change: float
    centres: Mapping[str, float]
    base_shift: float
    base_turn: float
    cutoff: float
    angular: bool
    frames: Literal["believed", "known"]
    inertia_weight: float
    displacement: float
    iterations: int
    tolerance: float
