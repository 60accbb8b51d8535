"""What an inverse dynamics is told to do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from softstride.dynamics.option_checks import number, time_range
from softstride.errors import InputError
from softstride.frozen import Table


@dataclass(frozen=True, eq=False)
class IdOptions:
    """How to find the loads of a motion.

    Attributes:
        lowpass: Cut-off frequency of a low pass of the coordinates [Hz], the filter of OpenSim's InverseDynamicsTool
            (see `prepare`); None: the motion's own velocities and accelerations.
        bodies: Link that each force acts on, by the name of the force. Others act on the body that their file names,
            or else on the foot of their side, or else on the foot that they are under.
        time_range: First and last instant to solve [s]; None: the whole motion. Low pass and derivatives are those of
            the whole motion all the same.
        sockets: Links whose joint is a socket: the wrench that crosses it is reported. None: those that `attach_blade`
            makes, "socket_r" and "socket_l".
    """

    lowpass: float | None = None
    bodies: Mapping[str, str] = field(default_factory=Table)
    time_range: tuple[float, float] | None = None
    sockets: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check what can be checked without a model."""
        if self.lowpass is not None:
            cutoff = number(self.lowpass, "lowpass")
            if not 0.0 < cutoff < math.inf:
                raise InputError(f"lowpass must be a frequency above 0 Hz, however it is {cutoff:g}")
            object.__setattr__(self, "lowpass", cutoff)
        if not isinstance(self.bodies, Mapping):
            raise InputError(
                f"bodies must map names of forces to names of links, however they are {self.bodies!r}"
            )
        object.__setattr__(self, "bodies", Table(self.bodies))
        if self.time_range is not None:
            object.__setattr__(self, "time_range", time_range(self.time_range))
        if self.sockets is not None:
            object.__setattr__(self, "sockets", _names(self.sockets))

    def changed(self, **changes: Any) -> IdOptions:
        """Return options with some fields changed; an unknown field is an error that lists the known ones."""
        known = [each.name for each in fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise InputError(f"{unknown[0]!r} is no option of inverse dynamics; known: {', '.join(known)}")
        return replace(self, **changes)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InputError(f"sockets must be a list of links, however they are the one text {names!r}")
    return tuple(names)
