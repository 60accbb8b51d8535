"""The curves of a muscle: which four its set names, with the numbers of its model file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from softstride.errors import ModelError
from softstride.model.muscle import Muscle
from softstride.muscles.hill.curve import Curve, Nothing, about, made
from softstride.muscles.hill.degroote2016 import (
    SHORTEST,
    DeGrooteActive,
    DeGrooteTendon,
    DeGrooteVelocity,
    read_degroote_passive,
)
from softstride.muscles.hill.gaussian import read_gauss_active, read_gauss_velocity
from softstride.muscles.hill.millard2012 import (
    MILLARD_DAMPING,
    MillardActive,
    MillardVelocity,
    read_millard_passive,
    read_millard_tendon,
    settled,
)
from softstride.muscles.hill.schutte1993 import (
    SCHUTTE_DAMPING,
    Hyperbolas,
    SchutteActive,
    SchuttePassive,
    SchutteTendon,
)
from softstride.muscles.hill.thelen2003 import (
    RELAXED_SPEED,
    GaussActive,
    ThelenPassive,
    ThelenTendon,
    ThelenVelocity,
)

STEEPEST = math.acos(0.1)
"""Greatest pennation angle unless a file gives one [rad]: the fibre force along the tendon is a tenth (OpenSim 4.6)."""

LEAST_DAMPING = 1e-3
"""Damping below is none (OpenSim 4.6)."""

Reader = Callable[[Mapping[str, float]], Curve]


class CurveSet(NamedTuple):
    """What a muscle is made of, without units.

    Velocities are in units of the greatest one at full activation, lengths in optimal fibre lengths or tendon slack
    lengths, forces in maximal isometric ones.
    """

    active: Curve  # over fibre length
    passive: Curve  # over fibre length
    velocity: Curve  # over fibre velocity, lengthening positive
    tendon: Curve | None  # over tendon length; None: it does not stretch
    damping: float  # force at the greatest velocity
    relaxed_speed: float  # greatest velocity without activation, over that at full activation
    shortest: float  # least fibre length, beside that which pennation sets
    steepest: float  # greatest pennation angle [rad]
    max_velocity: float  # [optimal lengths a second]


@dataclass(frozen=True)
class _Source:
    """How a set is read."""

    active: Reader
    passive: Reader
    velocity: Reader
    tendon: Reader | None
    damping: float = 0.0
    relaxed_speed: float = 1.0


def _reader(kind: type[Curve]) -> Reader:
    return lambda parameters: made(kind, parameters)


SOURCES: Mapping[str, _Source] = {
    "thelen2003": _Source(
        _reader(GaussActive),
        _reader(ThelenPassive),
        _reader(ThelenVelocity),
        _reader(ThelenTendon),
        relaxed_speed=RELAXED_SPEED,
    ),
    "millard2012": _Source(
        _reader(MillardActive),
        read_millard_passive,
        _reader(MillardVelocity),
        read_millard_tendon,
        MILLARD_DAMPING,
    ),
    "degrootefregly2016": _Source(
        _reader(DeGrooteActive), read_degroote_passive, _reader(DeGrooteVelocity), _reader(DeGrooteTendon)
    ),
    "schutte1993": _Source(
        _reader(SchutteActive),
        _reader(SchuttePassive),
        _reader(Hyperbolas),
        _reader(SchutteTendon),
        SCHUTTE_DAMPING,
    ),
    "gaussian": _Source(read_gauss_active, _reader(Nothing), read_gauss_velocity, None),
}
"""By the names of `softstride.model.muscle.CURVES`."""


def curve_set(muscle: Muscle) -> CurveSet:
    """Return the curves of a muscle.

    Raises:
        ModelError: Numbers of its file that make no curve; the message names muscle and number.
    """
    source, given = SOURCES[muscle.curves], muscle.parameters
    with about(muscle.name):
        damping = given.get("fiber_damping", given.get("damping", source.damping))
        if not 0.0 <= damping < math.inf:
            raise ModelError(f"damping of the fibre must be 0 or more, however it is {damping:g}")
        damping = damping if damping >= LEAST_DAMPING else 0.0
        active, velocity = source.active(given), source.velocity(given)
        if isinstance(active, MillardActive) and isinstance(velocity, MillardVelocity):
            active, velocity = settled(active, velocity, damping == 0.0 and not muscle.rigid_tendon)
        steepest = given.get("maximum_pennation_angle", STEEPEST)
        if not 0.0 < steepest <= 0.5 * math.pi or not muscle.pennation < steepest:
            raise ModelError(
                f"greatest pennation angle must be above the angle at optimal length ({muscle.pennation:g} rad) and at "
                f"most a right angle, however it is {steepest:g} rad"
            )
        return CurveSet(
            active=active,
            passive=source.passive(given),
            velocity=velocity,
            tendon=None if source.tendon is None else source.tendon(given),
            damping=damping,
            relaxed_speed=source.relaxed_speed,
            shortest=_shortest(muscle, active),
            steepest=steepest,
            max_velocity=_fastest(muscle),
        )


def _shortest(muscle: Muscle, active: Curve) -> float:
    """Return the least fibre length of a set [optimal lengths]."""
    if isinstance(active, MillardActive):
        return active.shortest
    return SHORTEST if muscle.curves == "degrootefregly2016" else 0.0


def _fastest(muscle: Muscle) -> float:
    """Return the greatest velocity; OpenSim's Schutte1993Muscle has a time scale instead, its inverse."""
    scale = muscle.parameters.get("time_scale") if muscle.curves == "schutte1993" else None
    if scale is None:
        return muscle.max_velocity
    if not 0.0 < scale < math.inf:
        raise ModelError(f"time_scale must be above zero, however it is {scale:g}")
    return 1.0 / scale
