"""What an inverse dynamics is told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from softstride.fields import Named, Span, Text, declared
from softstride.options import Options


@dataclass(frozen=True, eq=False)
class IdOptions(Options, of="inverse dynamics"):
    """How to find the loads of a motion."""

    lowpass: float | None = declared(
        None,
        "Cut-off frequency of a low pass of the coordinates, the filter of OpenSim's InverseDynamicsTool (see "
        "`prepare`); None: the motion's own velocities and accelerations.",
        unit="Hz",
        above=0.0,
        example=6.0,
    )
    bodies: Mapping[str, str] = declared(
        {},
        "Link that each force acts on, by the name of the force. Others act on the body that their file names, or else "
        "on the foot of their side, or else on the foot that they are under.",
        rule=Named(Text("the name of a link"), of="forces"),
    )
    time_range: tuple[float, float] | None = declared(
        None,
        "First and last instant to solve; None: the whole motion. Low pass and derivatives are those of the whole "
        "motion all the same.",
        unit="s",
        rule=Span(finite=False),
        example=(0.5, 1.8),
    )
    sockets: tuple[str, ...] | None = declared(
        None,
        "Links whose joint is a socket: the wrench that crosses it is reported. None: those that `attach_blade` makes, "
        '"socket_r" and "socket_l".',
        of="links",
    )


class IdChanges(TypedDict, total=False):
    """The fields of `IdOptions` as keywords; written by tools/keywords.py."""

    lowpass: float | None
    bodies: Mapping[str, str]
    time_range: tuple[float, float] | None
    sockets: tuple[str, ...] | None
