"""Curves of De Groote, Kinney, Rao and Fregly [DeGroote2016]: smooth functions made for optimal control.

The numbers are those of OpenSim 4.6's DeGrooteFregly2016Muscle, which changed some of the paper's so that the curves
pass exactly through 1 at optimal length, through 1 at rest and 0 at the greatest velocity of shortening, and through 0
at slack length. A tendon does not push, and a fibre is not shorter than a fifth of its optimal length: where OpenSim's
formulas go on below zero, these curves stay at it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.fields import Frozen, declared
from softstride.muscles.hill.curve import (
    Array,
    Curve,
    Nothing,
    Pair,
    called,
    made,
    sections,
    spring,
    tangent,
)

SHORTEST = 0.2
"""Least length of a fibre, in optimal lengths."""

_LONGEST = 5.0  # where the active curve is taken to be flat
_FASTEST = 20.0  # where the force-velocity curve is taken to be straight
_STRAINS = 3.0  # at a force of one, of tendon or fibre, where the exponentials go on straight

BELLS = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
"""Height, centre, width and widening with length of three bells."""


@dataclass(frozen=True)
class DeGrooteActive(Frozen, of="the active curve", raising=ModelError):
    """Active force over length: a sum of three bells b1 exp(-(x - b2)² / 2 (b3 + b4 x)²).

    Attributes:
        stretch: Factor of the width about length 1; 1 or more.
    """

    stretch: float = called("active_force_width_scale", 1.0, least=1.0)

    def breaks(self) -> tuple[float, ...]:
        """Return the shortest length and where the curve is flat."""
        return (SHORTEST, 1.0 + (_LONGEST - 1.0) * self.stretch)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope; flat beyond the breaks."""
        at, section = sections(x, self.breaks())
        scaled = (np.clip(at, self.breaks()[0], self.breaks()[1]) - 1.0) / self.stretch + 1.0
        value, slope = np.zeros(at.shape), np.zeros(at.shape)
        for height, centre, width, widening in BELLS:
            spread = width + widening * scaled
            part = height * np.exp(-0.5 * ((scaled - centre) / spread) ** 2)
            value = value + part
            slope = slope + part * (centre - scaled) * (width + centre * widening) / spread**3
        return value, np.where(section == 1, slope / self.stretch, 0.0 * at)


@dataclass(frozen=True)
class DeGrootePassive(Frozen, of="the passive curve", raising=ModelError):
    """Passive force over length: an exponential through 0 at the shortest length and 1 at 1 + strain.

    Attributes:
        strain: At a force of 1.
        shape: Of the exponential.
    """

    strain: float = called("passive_fiber_strain_at_one_norm_force", 0.6, above=0.0)
    shape: float = declared(4.0, above=0.0)

    def breaks(self) -> tuple[float, float]:
        """Return where it begins, and where it goes on straight."""
        return (SHORTEST, 1.0 + _STRAINS * self.strain)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        return spring(x, self.breaks(), self._exponential)

    def _exponential(self, x: Array) -> Pair:
        rate = self.shape / self.strain
        offset = math.exp(rate * (SHORTEST - 1.0))
        unit = math.exp(self.shape) - offset
        grown = np.exp(rate * (x - 1.0))
        return (grown - offset) / unit, rate * grown / unit


@dataclass(frozen=True)
class DeGrooteVelocity:
    """Force over velocity, lengthening positive: d1 asinh(d2 v + d3) + d4."""

    d1: float = -0.3211346127989808
    d2: float = -8.149
    d3: float = -0.374
    d4: float = 0.8825327733249912

    def breaks(self) -> tuple[float, ...]:
        """Return where it goes on straight."""
        return (-_FASTEST, _FASTEST)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        at, section = sections(x, self.breaks())
        value, slope = self._arc(np.clip(at, -_FASTEST, _FASTEST))
        for outside, end in ((section == 0, -_FASTEST), (section == 2, _FASTEST)):
            beyond = tangent(self._arc(np.asarray(end)), at, end)
            value = np.where(outside, beyond[0], value)
        return value, slope + 0.0 * at

    def _arc(self, v: Array) -> Pair:
        u = self.d2 * v + self.d3
        return self.d1 * np.arcsinh(u) + self.d4, self.d1 * self.d2 / np.sqrt(u * u + 1.0)


@dataclass(frozen=True)
class DeGrooteTendon(Frozen, of="the tendon curve", raising=ModelError):
    """Tendon force over length, in slack lengths: c (exp(k (l - 1)) - 1), 1 at 1 + strain, zero below 1.

    Attributes:
        strain: At a force of 1.
        c: Force scale.
    """

    strain: float = called("tendon_strain_at_one_norm_force", 0.049, above=0.0)
    c: float = declared(0.2, above=0.0)

    def breaks(self) -> tuple[float, float]:
        """Return slack length, and where it goes on straight."""
        return (1.0, 1.0 + _STRAINS * self.strain)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        return spring(x, self.breaks(), self._exponential)

    def _exponential(self, x: Array) -> Pair:
        k = math.log1p(1.0 / self.c) / self.strain
        return self.c * np.expm1(k * (x - 1.0)), self.c * k * np.exp(k * (x - 1.0))


def read_degroote_passive(parameters: Mapping[str, float]) -> Curve:
    """Return the passive curve with the numbers of a file."""
    return (
        Nothing() if parameters.get("ignore_passive_fiber_force", 0.0) else made(DeGrootePassive, parameters)
    )
