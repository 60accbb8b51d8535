"""How a walk is integrated, and when it counts as a fall."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride import fields
from softstride.errors import InputError, Option
from softstride.fields import Choice, Frozen, Number, Whole, declared
from softstride.gait.body import Body
from softstride.gait.tableaus import METHODS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Count(Whole):
    """A whole number, which may be given as a float: 1e6."""

    def take(self, value: Any) -> int:
        """Return the value as it is kept."""
        found = Number().take(value)
        return super().take(int(found) if found.is_integer() else value)


@dataclass(frozen=True)
class Limits(Frozen, of="the limits"):
    """Beyond these a walker has fallen, or waits in vain.

    Attributes:
        hip_height: Least height of the hip over the length of a straight leg, floor to hip.
        lean: Most lean of the trunk from the vertical [rad].
        knee_flexion: Most flexion of a knee [rad].
        knee_extension: Most hyperextension of a knee [rad].
        phase_time: Longest phase [s].
        steps: Most steps of the integrator in a walk.
    """

    hip_height: float = declared(0.5, above=0.0)
    lean: float = declared(1.2, unit="rad", above=0.0)
    knee_flexion: float = declared(2.7, unit="rad", above=0.0)
    knee_extension: float = declared(0.8, unit="rad", above=0.0)
    phase_time: float = declared(1.0, unit="s", above=0.0)
    steps: int = declared(2_000_000, rule=Count(fields.Limits(above=0.0)))

    def row(self, body: Body) -> Floats:
        """Return what the march compares with, shape (5,)."""
        return np.array(
            [
                self.hip_height * leg_length(body),
                self.lean,
                self.knee_flexion,
                self.knee_extension,
                float(self.steps),
            ]
        )


def leg_length(body: Body) -> float:
    """Return the height of the hip over the floor with the foot flat and the leg straight [m]."""
    return body.heel_ankle * math.sin(body.heel_angle) + body.shank + body.thigh


@dataclass(frozen=True)
class Integration(Frozen):
    """How to integrate.

    Attributes:
        method: "dop853", order 8; "rk4" or "euler", order 4 and 1.
        step: Fixed step [s]; needed by "rk4" and "euler". None: "dop853" controls its error.
        rtol: Relative tolerance of a step.
        atol: Absolute tolerance [rad] and [rad/s].
        max_step: Longest step where the error is controlled [s]; longer ones could step over a short dip of the heel.
        locate: Whether events are located inside steps, to 1e-13 s; None: yes, but not with "euler", where they happen
            at the end of a step, as they did in 1980.
    """

    method: str = declared("dop853", rule=Choice(METHODS))
    step: float | None = declared(None, unit="s", above=0.0)
    rtol: float = declared(1e-10, above=0.0)
    atol: float = declared(1e-12, above=0.0)
    max_step: float = declared(2e-3, unit="s", above=0.0)
    locate: bool | None = declared(None)

    def check(self) -> None:
        """Ask for a step where the error is not controlled."""
        if self.method != "dop853" and self.step is None:
            option, example = Option("method"), Option("step", 1e-4)
            raise InputError(
                f"{option} {self.method!r} needs a step, for example {example} [s]",
                parameter="step",
                options=[option, example],
            )

    @property
    def located(self) -> bool:
        """Whether events are located inside steps."""
        return self.method != "euler" if self.locate is None else self.locate
