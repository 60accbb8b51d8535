"""What a step should be like: times, length, angles to follow, and what body and floor allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.frozen import Table
from softstride.gait.body import JOINTS
from softstride.gait.optimise.course import Course
from softstride.gait.optimise.limits import Span, StepLimits, StepWeights, number, span_of
from softstride.gait.optimise.textbook import textbook_courses
from softstride.gait.perturbation import Perturbation
from softstride.gait.recipe import FOOT_FLAT
from softstride.gait.refusals import no_choice

Floats = NDArray[np.float64]

PAPER_TIMES = (0.044, 0.0715, 0.3135, 0.55)
"""Left toe-off, right foot flat, right heel-off and left heel strike of [Onyshko1980], 8 to 100 % of 0.55 s [s]."""

FORCES = ("right_vertical", "right_forward", "left_vertical", "left_forward")
"""Forces of the floor that a step may follow; those of the left foot in double support."""

REPEAT = ("soft", "exact", "no")
"""How the end of a step is the mirror of its start: about, by weights; exactly, through the impact of the heel; not."""


@dataclass(frozen=True)
class PerturbedRun:
    """A second run with the same start and the same moments, one of them changed, that should go in a wanted way.

    Attributes:
        perturbation: The change.
        times: Ends of its phases [s].
        shorter: By how much its step is shorter, at least [m].
        limits: What is allowed in it.
    """

    perturbation: Perturbation
    times: tuple[float, float, float, float]
    shorter: float = 0.02
    limits: StepLimits = field(default_factory=lambda: StepLimits(vertical=50.0, knee=(0.02, 1.3)))

    def __post_init__(self) -> None:
        """Check the times."""
        spans = _times(self.times, "times of a perturbed run")
        if any(low != high for low, high in spans):
            raise InputError(
                "times of a perturbed run must be four numbers, not ranges: moments are tied to time"
            )
        object.__setattr__(self, "times", tuple(low for low, _ in spans))


@dataclass(frozen=True, eq=False)
class WantedStep:
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

    times: tuple[float | Span, ...] = PAPER_TIMES
    length: float | Span | None = None
    speed: float | Span | None = None
    repeat: str = "soft"
    rff: str = "impulse"
    angles: Mapping[str, Course] = field(default_factory=textbook_courses)
    forces: Mapping[str, Course] = field(default_factory=dict)
    spacing: float = 0.05
    limits: StepLimits = field(default_factory=StepLimits)
    weights: StepWeights = field(default_factory=StepWeights)
    perturbed: PerturbedRun | None = None

    def __post_init__(self) -> None:
        """Check that the wishes do not contradict one another."""
        spans = _times(self.times, "times")
        object.__setattr__(self, "times", spans)
        for name in ("length", "speed"):
            value = getattr(self, name)
            span = (0.0, math.inf) if value is None else span_of(value, name)
            if span[1] <= 0.0:
                raise InputError(f"{name} of a step must be above 0, however it is {value}")
            object.__setattr__(self, name, span)
        low, high = self.speed_span[0] * spans[3][0], self.speed_span[1] * spans[3][1]
        if self.length_span[0] > high * (1 + 1e-9) or self.length_span[1] < low * (1 - 1e-9):
            raise InputError(
                f"length, speed and time contradict one another: {_words(self.speed_span, 'm/s')} in "
                f"{_words(spans[3], 's')} give {_words((low, high), 'm')}, however {_words(self.length_span, 'm')} is "
                "asked for"
            )
        if self.repeat not in REPEAT:
            raise InputError(f"repeat must be one of {', '.join(REPEAT)}, however it is {self.repeat!r}")
        if self.rff not in FOOT_FLAT:
            raise no_choice("rff", self.rff, FOOT_FLAT)
        for name, known in (("angles", (*JOINTS, "trunk")), ("forces", FORCES)):
            courses = getattr(self, name)
            for key, course in courses.items():
                if key not in known:
                    raise InputError(f"{name} may follow {', '.join(known)}, however {key!r} was asked for")
                if not isinstance(course, Course):
                    raise InputError(f"{name} to follow must be courses, however {key} is {course!r}")
            object.__setattr__(self, name, Table(courses))
        if not 0.0 < number(self.spacing, "spacing") <= spans[3][1]:
            raise InputError(
                f"spacing must be above 0 and not longer than the step, however it is {self.spacing:g} s"
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


def _times(values: object, name: str) -> tuple[Span, ...]:
    """Return the ranges of four times that can follow one another."""
    try:
        spans = tuple(span_of(each, name) for each in values)  # type: ignore[attr-defined]
    except TypeError as error:
        raise InputError(f"{name} must be four numbers or ranges [s], however they are {values!r}") from error
    if len(spans) != 4:
        raise InputError(
            f"{name} must be four: toe-off, foot flat, heel-off, heel strike; however there are {len(spans)}"
        )
    if not all(math.isfinite(end) and end > 0.0 for span in spans for end in span):
        raise InputError(f"{name} must be finite and above 0, however they are {values!r}")
    for (low, _), (_, high) in pairwise(spans):
        if low >= high:
            raise InputError(f"{name} must increase, however {high:g} s comes after {low:g} s")
    return spans


def _words(span: Span, unit: str) -> str:
    """Say a range."""
    return f"{span[0]:g} {unit}" if span[0] == span[1] else f"{span[0]:g} to {span[1]:g} {unit}"
