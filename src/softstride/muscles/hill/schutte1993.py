"""Curves of Schutte, Rodgers, Zajac and Glaser [Schutte1993], with the numbers of OpenSim 4.6's muscle of that name.

Active force and tendon are OpenSim's splines, the passive force is an exponential, and the force-velocity relation is
the one that OpenSim solves for the velocity, written as a force.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.fields import Frozen, declared
from softstride.model.checks import as_given
from softstride.model.functions import SimmSpline
from softstride.muscles.hill.curve import Array, Pair, sections, tangent

SCHUTTE_DAMPING = 0.1
"""Of the fibre: force over maximal force at maximal velocity."""

ACTIVE_POINTS = (
    (-5.307692, 0.012188), (-4.307692, 0.021899), (-1.923077, 0.036466), (-0.884615, 0.052493),
    (-0.269231, 0.075312), (0.230769, 0.114158), (0.461538, 0.157859), (0.52725, 0.226667),
    (0.62875, 0.636667), (0.71875, 0.856667), (0.86125, 0.95), (1.045, 0.993333), (1.2175, 0.77),
    (1.43875, 0.246667), (1.5, 0.193821), (1.615385, 0.133252), (2.0, 0.072683), (2.961538, 0.044417),
    (3.692308, 0.036341), (5.461538, 0.021899), (9.901902, 0.007332),
)  # fmt: skip
"""Length and force."""

TENDON_POINTS = (
    (-10.0, 0.0), (-0.002, 0.0), (-0.001, 0.0), (0.0, 0.0), (0.00131, 0.0108), (0.00281, 0.0257),
    (0.00431, 0.0435), (0.00581, 0.0652), (0.00731, 0.0915), (0.00881, 0.123), (0.0103, 0.161),
    (0.0118, 0.208), (0.0123, 0.227), (9.2, 345.0), (9.201, 345.0), (9.202, 345.0), (20.0, 345.0),
)  # fmt: skip
"""Strain and force."""

_LONGEST_STRAIN = 0.5  # of a tendon: beyond, the spline is replaced by its tangent


@dataclass(frozen=True)
class SchutteActive:
    """Active force over length: a spline."""

    @cached_property
    def spline(self) -> SimmSpline:
        """The spline through the points."""
        return _spline(ACTIVE_POINTS)

    def breaks(self) -> tuple[float, ...]:
        """Return the points."""
        return tuple(x for x, _ in ACTIVE_POINTS)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        return self.spline(x), self.spline(x, 1)


@dataclass(frozen=True)
class SchuttePassive(Frozen, of="the passive curve", raising=ModelError):
    """Passive force over length: exp(steepness (l - unit)), 1 at `unit`."""

    steepness: float = declared(8.0, above=0.0)
    unit: float = declared(1.5, above=0.0)

    def breaks(self) -> tuple[float, ...]:
        """Return no length, and where it goes on straight."""
        return (0.0, 2.5)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        at, section = sections(x, self.breaks())
        start, end = self.breaks()
        value, slope = self._exponential(np.clip(at, start, end))
        for outside, edge in ((section == 0, start), (section == 2, end)):
            beyond = tangent(self._exponential(np.asarray(edge)), at, edge)
            value = np.where(outside, beyond[0], value)
        return value, slope + 0.0 * at

    def _exponential(self, x: Array) -> Pair:
        value = np.exp(self.steepness * (x - self.unit))
        return value, self.steepness * value


@dataclass(frozen=True)
class Hyperbolas(Frozen, of="the force-velocity curve", raising=ModelError):
    """Force over velocity, lengthening positive: Hill's hyperbola and another one for lengthening.

    Shortening: (1 + v) / (1 - v / curvature), zero below -1. Lengthening: (s + F v) / (s + v), which rises from 1 with
    slope (F - 1) / s and tends to F.

    Attributes:
        curvature: a / F0.
        stretched_force: F.
        stretch: s.
    """

    curvature: float = declared(0.15, above=0.0)
    stretched_force: float = declared(1.4, above=0.0)
    stretch: float = declared(0.13 * 0.15 / 1.15, above=0.0)

    def breaks(self) -> tuple[float, ...]:
        """Return the velocities of no force and of rest, and where it goes on straight."""
        return (-1.0, 0.0, 20.0)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        at, section = sections(x, self.breaks())
        fastest, _, end = self.breaks()
        short, long = np.clip(at, fastest, 0.0), np.clip(at, 0.0, end)
        under = 1.0 - short / self.curvature
        value, slope = self._lengthening(long)
        beyond = tangent(self._lengthening(np.asarray(end)), at, end)
        pieces = [section == 0, section == 1, section == 3]
        return (
            np.select(pieces, [0.0 * at, (1.0 + short) / under, beyond[0]], value),
            np.select(pieces, [0.0 * at, (1.0 + 1.0 / self.curvature) / under**2, beyond[1]], slope),
        )

    def _lengthening(self, v: Array) -> Pair:
        s, top = self.stretch, self.stretched_force
        return (s + top * v) / (s + v), s * (top - 1.0) / (s + v) ** 2


@dataclass(frozen=True)
class SchutteTendon:
    """Tendon force over length, in slack lengths: a spline of the strain, zero below 1."""

    @cached_property
    def spline(self) -> SimmSpline:
        """The spline through the points."""
        return _spline(TENDON_POINTS)

    def breaks(self) -> tuple[float, ...]:
        """Return the points that matter."""
        inside = tuple(1.0 + x for x, _ in TENDON_POINTS if 0.0 <= x < _LONGEST_STRAIN)
        return (*inside, 1.0 + _LONGEST_STRAIN)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        at, section = sections(x, self.breaks())
        strain = np.clip(at - 1.0, 0.0, _LONGEST_STRAIN)
        end = (self.spline(_LONGEST_STRAIN), self.spline(_LONGEST_STRAIN, 1))
        beyond = tangent(end, at, 1.0 + _LONGEST_STRAIN)
        pieces = [section == 0, section == len(self.breaks())]
        return (
            np.select(pieces, [0.0 * at, beyond[0]], self.spline(strain)),
            np.select(pieces, [0.0 * at, beyond[1]], self.spline(strain, 1)),
        )


def _spline(points: tuple[tuple[float, float], ...]) -> SimmSpline:
    return SimmSpline(as_given([x for x, _ in points]), as_given([y for _, y in points]))
