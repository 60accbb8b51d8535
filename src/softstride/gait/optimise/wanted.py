"""What a step should be like: times, length, angles to follow, and what body and floor allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.fields import Choice, Frozen, Instance, Named, declared
from softstride.gait.body import JOINTS
from softstride.gait.optimise.course import Course
from softstride.gait.optimise.limits import Range, Span, StepLimits, StepWeights, Times
from softstride.gait.optimise.textbook import textbook_courses
from softstride.gait.perturbation import Perturbation
from softstride.gait.recipe import FOOT_FLAT

Floats = NDArray[np.float64]

PAPER_TIMES = (0.044, 0.0715, 0.3135, 0.55)
"""Left toe-off, right foot flat, right heel-off and left heel strike of [Onyshko1980], 8 to 100 % of 0.55 s [s]."""

FORCES = ("right_vertical", "right_forward", "left_vertical", "left_forward")
"""Forces of the floor that a step may follow; those of the left foot in double support."""

REPEAT = ("soft", "exact", "no")
"""How the end of a step is the mirror of its start: about, by weights; exactly, through the impact of the heel; not."""


@dataclass(frozen=True)
class PerturbedRun(Frozen, of="a perturbed run"):
    """A second run with the same start and the same moments, one of them changed, that should go in a wanted way.

    Attributes:
        perturbation: The change.
        times: Ends of its phases [s].
        shorter: By how much its step is shorter, at least [m].
        limits: What is allowed in it.
    """

    perturbation: Perturbation = declared()
    times: tuple[float, float, float, float] = declared(rule=Times(free=False))
    shorter: float = declared(0.02, unit="m")
    limits: StepLimits = declared(StepLimits(vertical=50.0, knee=(0.02, 1.3)))


@dataclass(frozen=True, eq=False)
class WantedStep(Frozen, of="a step"):
    """A step from the strike of the right heel to that of the left one.

    Attributes:
        times: Left toe-off, right foot flat, right heel-off and left heel strike [s]; each a number, or a range that it
            may be chosen from.
        length: From right heel to left heel [m]; a number, a range, or None for any above zero.
        speed: Length over time [m/s]; likewise.
        repeat: "soft", "exact" or "no", see `REPEAT`.
        rff: "impulse" or "keep", what happens at foot flat.
        angles: Courses to follow by name: those of `JOINTS` (dorsiflexion, extension of a knee, flexion of a hip) and
            "trunk", [rad].
        forces: Courses of forces of the floor to follow by name, see `FORCES`, [N].
        spacing: Distance of the nodes of the moments [s].
        limits: What body and floor allow.
        weights: What counts how much.
        perturbed: A second run, or None.
    """

    times: tuple[float | Span, ...] = declared(PAPER_TIMES, rule=Times())
    length: float | Span | None = declared(None, rule=Range("m", above=0.0))
    speed: float | Span | None = declared(None, rule=Range("m/s", above=0.0))
    repeat: str = declared("soft", rule=Choice(REPEAT))
    rff: str = declared("impulse", rule=Choice(FOOT_FLAT))
    angles: Mapping[str, Course] = declared(
        factory=textbook_courses, rule=Named(Instance(Course), (*JOINTS, "trunk"))
    )
    forces: Mapping[str, Course] = declared({}, rule=Named(Instance(Course), FORCES))
    spacing: float = declared(0.05, unit="s", above=0.0)
    limits: StepLimits = declared(StepLimits())
    weights: StepWeights = declared(StepWeights())
    perturbed: PerturbedRun | None = declared(None)

    def check(self) -> None:
        """Check that the wishes do not contradict one another."""
        for name in ("length", "speed"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, (0.0, math.inf))
        spans = self.time_spans
        low, high = self.speed_span[0] * spans[3][0], self.speed_span[1] * spans[3][1]
        if self.length_span[0] > high * (1 + 1e-9) or self.length_span[1] < low * (1 - 1e-9):
            raise InputError(
                f"length, speed and time contradict one another: {_words(self.speed_span, 'm/s')} in "
                f"{_words(spans[3], 's')} give {_words((low, high), 'm')}, however {_words(self.length_span, 'm')} is "
                "asked for"
            )
        if self.spacing > spans[3][1]:
            raise InputError(
                f"spacing must not be longer than the step, however it is {self.spacing:g} s",
                parameter="spacing",
            )
        if self.perturbed is not None and self.free_times:
            raise InputError(
                "a perturbed run needs times of the step that are numbers: moments are tied to time"
            )

    # the same, with their types

    @property
    def time_spans(self) -> tuple[Span, ...]:
        """Ranges of the four times [s]."""
        return self.times  # type: ignore[return-value]

    @property
    def length_span(self) -> Span:
        """Range of the length [m]."""
        return self.length  # type: ignore[return-value]

    @property
    def speed_span(self) -> Span:
        """Range of the speed [m/s]."""
        return self.speed  # type: ignore[return-value]

    @property
    def free_times(self) -> bool:
        """Whether some time is to be chosen."""
        return any(low != high for low, high in self.time_spans)

    @property
    def middle_times(self) -> Floats:
        """Times to begin with: the middles of the ranges, in order, shape (4,), [s]."""
        middle = np.array([0.5 * (low + high) for low, high in self.time_spans])
        lower = np.array([low for low, _ in self.time_spans])
        return np.where(
            np.all(np.diff(middle) > 0.0), middle, np.maximum.accumulate(lower + 1e-3 * np.arange(4))
        )


def _words(span: Span, unit: str) -> str:
    """Say a range."""
    return f"{span[0]:g} {unit}" if span[0] == span[1] else f"{span[0]:g} to {span[1]:g} {unit}"
