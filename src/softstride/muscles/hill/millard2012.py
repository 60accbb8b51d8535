"""Curves of Millard, Uchida, Seth and Delp [Millard2013]: Bézier corners through points read from experiments.

The construction and the numbers are those that OpenSim 4.6 uses for Millard2012EquilibriumMuscle; a model file may
give others under OpenSim's names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache

from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.fields import Frozen
from softstride.muscles.hill.bezier import Bezier, Node, closeness
from softstride.muscles.hill.curve import NAME, Pair, called, made

MILLARD_DAMPING = 0.1
"""Of the fibre: force over maximal force at maximal velocity [Millard2013]."""

_NEAR_FASTEST = 0.9  # velocity of the nodes beside the fastest
_SHOULDER = 0.05  # half the width of the plateau [optimal lengths]


class _Drawn(Frozen, ABC, raising=ModelError):
    """A curve that draws itself once."""

    @cached_property
    def bezier(self) -> Bezier:
        """The corners."""
        return self._draw()

    @abstractmethod
    def _draw(self) -> Bezier:
        """Return the corners."""

    def breaks(self) -> tuple[float, ...]:
        """Return where corners join."""
        return self.bezier.breaks

    def __call__(self, x: ArrayLike) -> Pair:
        """Return value and slope."""
        return self.bezier(x)


@dataclass(frozen=True)
class MillardActive(_Drawn, of="the active curve"):
    """Active force over length: a steep and a shallow ascending limb, a peak of 1 at length 1, a descending limb.

    Attributes:
        shortest: Length of no force left of the peak.
        transition: Where steep becomes shallow.
        longest: Length of no force right of the peak.
        slope: Of the shallow limb.
        least: What is left at the ends; see `settled`.
    """

    shortest: float = called("ActiveForceLengthCurve.min_norm_active_fiber_length", 0.47 - 0.0259)
    transition: float = called("ActiveForceLengthCurve.transition_norm_fiber_length", 0.73)
    longest: float = called("ActiveForceLengthCurve.max_norm_active_fiber_length", 1.8123)
    slope: float = called("ActiveForceLengthCurve.shallow_ascending_slope", 0.8616)
    least: float = called("ActiveForceLengthCurve.minimum_value", 0.1)

    def check(self) -> None:
        """Check the numbers and draw."""
        if not 0.0 <= self.shortest < self.transition < 1.0 < self.longest:
            raise ModelError(
                "lengths of the active curve must increase from 0: shortest, transition, 1, longest; however they are "
                f"{self.shortest:g}, {self.transition:g}, 1, {self.longest:g}"
            )
        if self.least < 0.0 or not 0.0 <= self.slope < (1.0 - self.least) / (1.0 - self.transition):
            raise ModelError(
                f"slope {self.slope:g} or least value {self.least:g} of the active curve do not fit"
            )
        _ = self.bezier

    def _draw(self) -> Bezier:
        a, b, d = self.shortest, self.transition, self.longest
        shoulder = 1.0 - _SHOULDER
        y = 1.0 - self.slope * (shoulder - b)
        steep = Node(0.5 * (a + b), 0.5 * y, 1.25 * y / (b - a))
        shallow = Node(0.5 * (b + shoulder), 0.5 * (y + 1.0), self.slope)
        after = 1.0 + _SHOULDER
        falling = Node(0.5 * (after + d), 0.5, -1.0 / ((d - _SHOULDER) - after))
        nodes = [
            Node(a, self.least, 0.0),
            steep,
            shallow,
            Node(1.0, 1.0, 0.0),
            falling,
            Node(d, self.least, 0.0),
        ]
        return Bezier(nodes, [closeness(1.0)] * 5)


@dataclass(frozen=True)
class MillardPassive(_Drawn, of="the passive curve"):
    """Passive force over length: zero up to a strain, 1 at another, straight beyond.

    Attributes:
        slack: Strain up to which there is no force.
        strain: Strain at a force of 1.
        low_stiffness: Slope at the end of the toe.
        stiffness: Slope at a force of 1; None: 2 / (strain - slack).
        curviness: 0 to 1.
    """

    slack: float = called("FiberForceLengthCurve.strain_at_zero_force", 0.0)
    strain: float = called("FiberForceLengthCurve.strain_at_one_norm_force", 0.7)
    low_stiffness: float = called("FiberForceLengthCurve.stiffness_at_low_force", 0.2)
    stiffness: float | None = called("FiberForceLengthCurve.stiffness_at_one_norm_force", None)
    curviness: float = called("FiberForceLengthCurve.curviness", 0.75)

    def check(self) -> None:
        """Check the numbers and draw."""
        if not self.slack < self.strain:
            raise ModelError(
                f"passive strain at a force of one ({self.strain:g}) must exceed that at zero ({self.slack:g})"
            )
        mean = 1.0 / (self.strain - self.slack)
        if not 0.0 < self.low_stiffness < mean < self.steepest:
            raise ModelError(
                f"passive stiffnesses {self.low_stiffness:g} and {self.steepest:g} must lie on both sides of {mean:g}"
            )
        _ = self.bezier

    @property
    def steepest(self) -> float:
        """The stiffness in use."""
        return 2.0 / (self.strain - self.slack) if self.stiffness is None else self.stiffness

    def _draw(self) -> Bezier:
        k = self.steepest
        zero, one = 1.0 + self.slack, 1.0 + self.strain
        toe = min(0.1 / k, 0.1 * (one - zero))
        low = Node(zero + toe, 0.5 * toe * self.low_stiffness, self.low_stiffness)
        c = closeness(self.curviness)
        return Bezier([Node(zero, 0.0, 0.0), low, Node(one, 1.0, k)], [c, c])


@dataclass(frozen=True)
class MillardVelocity(_Drawn, of="the force-velocity curve"):
    """Force over velocity, lengthening positive: 0 at -1, 1 at 0, the eccentric maximum at 1, straight beyond.

    Attributes:
        fastest_slope: At the greatest velocity of shortening.
        fast_slope: Near it.
        isometric_slope: At rest.
        stretched_slope: At the greatest velocity of lengthening.
        stretching_slope: Near it.
        stretched_force: Force at the greatest velocity of lengthening.
        concentric_curviness: 0 to 1.
        eccentric_curviness: 0 to 1.
    """

    fastest_slope: float = called("ForceVelocityCurve.concentric_slope_at_vmax", 0.0)
    fast_slope: float = called("ForceVelocityCurve.concentric_slope_near_vmax", 0.25)
    isometric_slope: float = called("ForceVelocityCurve.isometric_slope", 5.0)
    stretched_slope: float = called("ForceVelocityCurve.eccentric_slope_at_vmax", 0.0)
    stretching_slope: float = called("ForceVelocityCurve.eccentric_slope_near_vmax", 0.15)
    stretched_force: float = called("ForceVelocityCurve.max_eccentric_velocity_force_multiplier", 1.4)
    concentric_curviness: float = called("ForceVelocityCurve.concentric_curviness", 0.6)
    eccentric_curviness: float = called("ForceVelocityCurve.eccentric_curviness", 0.9)

    def check(self) -> None:
        """Check the numbers and draw."""
        if not self.stretched_force > 1.0:
            raise ModelError(
                f"force in fast lengthening must exceed 1, however it is {self.stretched_force:g}"
            )
        rise = self.stretched_force - 1.0
        if not (0.0 <= self.fastest_slope < self.fast_slope <= 1.0 < self.isometric_slope):
            raise ModelError("slopes of the force-velocity curve must increase from fast shortening to rest")
        if not 0.0 <= self.stretched_slope <= self.stretching_slope < rise:
            raise ModelError("slopes of the force-velocity curve must decrease from rest to fast lengthening")
        _ = self.bezier

    def _draw(self) -> Bezier:
        edge, top = 1.0 - _NEAR_FASTEST, self.stretched_force
        slow = 0.5 * edge * (self.fast_slope + self.fastest_slope)
        near_top = top - 0.5 * edge * (self.stretching_slope + self.stretched_slope)
        nodes = [
            Node(-1.0, 0.0, self.fastest_slope),
            Node(-_NEAR_FASTEST, slow, self.fast_slope),
            Node(0.0, 1.0, self.isometric_slope),
            Node(_NEAR_FASTEST, near_top, self.stretching_slope),
            Node(1.0, top, self.stretched_slope),
        ]
        short, long = closeness(self.concentric_curviness), closeness(self.eccentric_curviness)
        return Bezier(nodes, [short, short, long, long])


@dataclass(frozen=True)
class MillardTendon(_Drawn, of="the tendon curve"):
    """Tendon force over length, in slack lengths: zero up to 1, a toe, then straight through 1 at 1 + strain.

    Attributes:
        strain: At a force of 1.
        stiffness: Slope of the straight part; None: 1.375 / strain.
        toe_force: Force where the toe ends.
        curviness: 0 to 1.
    """

    strain: float = called("TendonForceLengthCurve.strain_at_one_norm_force", 0.049, above=0.0)
    stiffness: float | None = called("TendonForceLengthCurve.stiffness_at_one_norm_force", None)
    toe_force: float = called("TendonForceLengthCurve.norm_force_at_toe_end", 2.0 / 3.0, above=0.0)
    curviness: float = called("TendonForceLengthCurve.curviness", 0.5)

    def check(self) -> None:
        """Check the numbers and draw."""
        if not (self.toe_force < 1.0 and self.steepest > 1.0 / self.strain):
            raise ModelError(
                f"tendon: force at the end of the toe ({self.toe_force:g}) must be below 1, and the stiffness "
                f"({self.steepest:g}) above {1.0 / self.strain:g}"
            )
        _ = self.bezier

    @property
    def steepest(self) -> float:
        """The stiffness in use."""
        return 1.375 / self.strain if self.stiffness is None else self.stiffness

    def _draw(self) -> Bezier:
        k, one = self.steepest, 1.0 + self.strain

        def straight(force: float) -> float:
            return one + (force - 1.0) / k

        end = straight(self.toe_force)
        foot = 1.0 + 0.1 * (end - 1.0)  # where the toe's mean line meets zero
        middle = straight(0.5 * self.toe_force)
        slope = 0.5 * self.toe_force / (middle - foot)
        half = 0.5 * (middle - foot)
        c = closeness(self.curviness)
        nodes = [Node(1.0, 0.0, 0.0), Node(foot + half, slope * half, slope), Node(end, self.toe_force, k)]
        return Bezier(nodes, [c, c])


def read_millard_passive(parameters: Mapping[str, float]) -> MillardPassive:
    """Return the passive curve with the numbers of a file."""
    _all_or_none(parameters, MillardPassive, ("low_stiffness", "stiffness", "curviness"))
    return made(MillardPassive, parameters)


def read_millard_tendon(parameters: Mapping[str, float]) -> MillardTendon:
    """Return the tendon curve with the numbers of a file."""
    _all_or_none(parameters, MillardTendon, ("stiffness", "toe_force", "curviness"))
    return made(MillardTendon, parameters)


def _all_or_none(parameters: Mapping[str, float], kind: type, own: tuple[str, ...]) -> None:
    """Refuse some numbers of a set that only makes sense together (as OpenSim does)."""
    names = [each.metadata[NAME] for each in fields(kind) if each.name in own]
    missing = [name for name in names if name not in parameters]
    if missing and len(missing) < len(names):
        raise ModelError(
            f"{', '.join(names)} must be given together, however {', '.join(missing)} is missing"
        )


@lru_cache(maxsize=4096)
def settled(
    active: MillardActive, velocity: MillardVelocity, invertible: bool
) -> tuple[MillardActive, MillardVelocity]:
    """Return the curves as OpenSim 4.6 uses them.

    With a damper, or a rigid tendon, the active curve ends at zero and the force-velocity curve ends flat. Without,
    forces must give velocities: the active curve keeps at least 0.1, the end slopes half of those near them.
    """
    if invertible:
        return replace(active, least=max(active.least, 0.1)), replace(
            velocity,
            fastest_slope=max(velocity.fastest_slope, 0.5 * velocity.fast_slope),
            stretched_slope=max(velocity.stretched_slope, 0.5 * velocity.stretching_slope),
        )
    return replace(active, least=0.0), replace(velocity, fastest_slope=0.0, stretched_slope=0.0)
