"""Curves of Thelen [Thelen2003], with the numbers that OpenSim 4.6 uses for Thelen2003Muscle unless a file has others.

Older model files do: tendon strain 0.033, width 0.5, passive shape 4, curvature 0.3, eccentric force 1.8. The end of
the tendon's toe is exact here and in OpenSim, where the paper has 0.609 of the strain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.fields import Frozen, declared
from softstride.muscles.hill.curve import Array, Pair, called, sections, spring, tangent

RELAXED_SPEED = 0.25
"""Greatest velocity of an inactive muscle over that of a fully active one: 0.25 + 0.75 a [Thelen2003, eq. 6]."""

GAUSS_REACH = 6.0  # widths from the peak, where exp(-36) is below rounding
EXPONENTIAL_REACH = 2.0  # strains at a force of one: beyond, forces are hundreds of maximal ones


@dataclass(frozen=True)
class GaussActive(Frozen, of="the active curve", raising=ModelError):
    """Active force over length: exp(-(l - 1)² / width) [Thelen2003, eq. 4]."""

    width: float = called("KshapeActive", 0.45, above=0.0)

    def breaks(self) -> tuple[float, ...]:
        """Return where the force has become nothing."""
        reach = GAUSS_REACH * math.sqrt(self.width)
        return (1.0 - reach, 1.0 + reach)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        at, section = sections(x, self.breaks())
        value = np.where(section == 1, np.exp(-((at - 1.0) ** 2) / self.width), 0.0 * at)
        return value, -2.0 * (at - 1.0) / self.width * value


@dataclass(frozen=True)
class ThelenPassive(Frozen, of="the passive curve", raising=ModelError):
    """Passive force over length: (exp(k (l - 1) / strain) - 1) / (exp(k) - 1), zero below 1 [Thelen2003, eq. 3].

    Attributes:
        strain: At a force of 1.
        shape: k.
    """

    strain: float = called("FmaxMuscleStrain", 0.6, above=0.0)
    shape: float = called("KshapePassive", 5.0, above=0.0)

    def breaks(self) -> tuple[float, float]:
        """Return where it begins, and where it goes on straight."""
        return (1.0, 1.0 + EXPONENTIAL_REACH * self.strain)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        return spring(x, self.breaks(), self._exponential)

    def _exponential(self, x: Array) -> Pair:
        rate = self.shape / self.strain
        unit = math.expm1(self.shape)
        return np.expm1(rate * (x - 1.0)) / unit, rate * np.exp(rate * (x - 1.0)) / unit


@dataclass(frozen=True)
class ThelenVelocity(Frozen, of="the force-velocity curve", raising=ModelError):
    """Force over velocity, lengthening positive [Thelen2003, eqs 6 and 7, solved for the force].

    Shortening: (1 + v) / (1 - v / curvature). Lengthening: (1 + c F v) / (1 + c v), c = (2 + 2 / curvature) / (F - 1),
    up to a part of F; straight beyond that, and straight, below zero, beyond the greatest velocity of shortening. The
    velocity is in units of the greatest one at the present activation (see `RELAXED_SPEED`).

    Attributes:
        curvature: a / F0 of Hill's hyperbola.
        stretched_force: F, the force that fast lengthening tends to.
        straight_from: Part of F from which on the curve is straight.
    """

    curvature: float = called("Af", 0.25, above=0.0)
    stretched_force: float = called("Flen", 1.4)
    straight_from: float = called("fv_linear_extrap_threshold", 0.95)

    def check(self) -> None:
        """Check the lengthening half."""
        if not self.stretched_force > 1.0 or not 1.0 / self.stretched_force < self.straight_from < 1.0:
            raise ModelError(
                f"force in fast lengthening must exceed 1, and the curve be straight from between 1 / it and 1 on; "
                f"however they are {self.stretched_force:g} and {self.straight_from:g}"
            )

    @property
    def bend(self) -> float:
        """The constant c."""
        return (2.0 + 2.0 / self.curvature) / (self.stretched_force - 1.0)

    def breaks(self) -> tuple[float, ...]:
        """Return the velocities of no force and of rest, and where the curve becomes straight."""
        top = self.stretched_force
        force = self.straight_from * top
        return (-1.0, 0.0, (force - 1.0) / (self.bend * (top - force)))

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        at, section = sections(x, self.breaks())
        fastest, _, end = self.breaks()
        v = np.clip(at, fastest, end)
        value, slope = np.where(
            at < 0.0, self._shortening(np.minimum(v, 0.0)), self._lengthening(np.maximum(v, 0.0))
        )
        below = tangent(self._shortening(np.asarray(fastest)), at, fastest)
        above = tangent(self._lengthening(np.asarray(end)), at, end)
        pieces = [section == 0, section == 3]
        return (
            np.select(pieces, [below[0], above[0]], value),
            np.select(pieces, [below[1], above[1]], slope),
        )

    def _shortening(self, v: Array) -> Pair:
        under = 1.0 - v / self.curvature
        return (1.0 + v) / under, (1.0 + 1.0 / self.curvature) / under**2

    def _lengthening(self, v: Array) -> Pair:
        under = 1.0 + self.bend * v
        top = self.stretched_force
        return (1.0 + self.bend * top * v) / under, self.bend * (top - 1.0) / under**2


@dataclass(frozen=True)
class ThelenTendon(Frozen, of="the tendon curve", raising=ModelError):
    """Tendon force over length, in slack lengths: an exponential toe, then straight through 1 at 1 + strain [eq. 5].

    Attributes:
        strain: At a force of 1.
        toe_force: Where the toe ends.
        toe_shape: Of the exponential.
    """

    strain: float = called("FmaxTendonStrain", 0.04, above=0.0)
    toe_force: float = declared(0.33, above=0.0, below=1.0)
    toe_shape: float = declared(3.0, above=0.0)

    @property
    def toe(self) -> float:
        """Strain where the toe ends: the slopes agree there."""
        steep = self.toe_force * self.toe_shape * math.exp(self.toe_shape) / math.expm1(self.toe_shape)
        return self.strain * steep / (steep + 1.0 - self.toe_force)

    def breaks(self) -> tuple[float, ...]:
        """Return slack length and end of the toe."""
        return (1.0, 1.0 + self.toe)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        at, section = sections(x, self.breaks())
        toe = self.toe
        rate, unit = self.toe_shape / toe, self.toe_force / math.expm1(self.toe_shape)
        strain = np.clip(at - 1.0, 0.0, toe)
        stiffness = (1.0 - self.toe_force) / (self.strain - toe)
        straight = self.toe_force + stiffness * (at - 1.0 - toe)
        value = np.where(section == 2, straight, unit * np.expm1(rate * strain))
        slope = np.select(
            [section == 0, section == 2],
            [0.0 * at, stiffness + 0.0 * at],
            unit * rate * np.exp(rate * strain),
        )
        return value, slope
