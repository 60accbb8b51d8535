"""The walks that `softstride walk` shows: the one asked for and, where something was changed, the one without it."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.gait.body import Body
    from softstride.gait.perturbation import Perturbation
    from softstride.gait.recipe import Recipe
    from softstride.gait.seven_segment import SevenSegment
    from softstride.gait.walk import Walk


MOST_STEPS = 1000
"""Of one walk: frames of all of them are kept."""


@dataclass(frozen=True)
class WalkOptions:
    """What was asked for; None: as the library has it.

    Attributes:
        recipe: Name or file.
        perturb: Changes of moments.
        steps: How many.
        feedback: Whether joints are held about the nominal step.
        stiffness: Of that [N m/rad].
        damping: Of that [N m s/rad].
        ligaments: Whether knees have ligaments.
        toe_spring: Its stiffness [N m/rad].
        rff: What happens at foot flat.
        old_toe: What the toe that stood does as the other heel strikes.
        method: Integrator.
        dt: Its fixed step [s].
        rate: Frames a second [Hz].
        phase_time: Longest phase [s].
        mass: Of the person [kg].
        height: Of the person [m].
        sex: Of the person.
    """

    recipe: str | None = None
    perturb: tuple[str, ...] = ()
    steps: int | None = None
    feedback: bool = False
    stiffness: float | None = None
    damping: float | None = None
    ligaments: bool = False
    toe_spring: float | None = None
    rff: str | None = None
    old_toe: str | None = None
    method: str | None = None
    dt: float | None = None
    rate: float | None = None
    phase_time: float | None = None
    mass: float | None = None
    height: float | None = None
    sex: str | None = None

    @property
    def given(self) -> list[str]:
        """Options that say something, as they are written."""
        unset = WalkOptions()
        return [
            f"--{name.replace('_', '-')}"
            for name in vars(self)
            if getattr(self, name) != getattr(unset, name)
        ]


@dataclass(frozen=True, eq=False)
class WalkStudy:
    """A walk and what it is compared with.

    Attributes:
        recipe: Start and moments.
        walk: The walk asked for.
        baseline: The one without the changes; None where there are none.
        changes: What was changed, in words.
        perturb: Changes of moments, as `Perturbation.parse` reads them.
        asked: How many steps were asked for.
        feedback: Whether joints are held about the nominal step.
        seconds: How long both took [s], compilation included.
    """

    recipe: Recipe
    walk: Walk
    baseline: Walk | None
    changes: tuple[str, ...]
    perturb: tuple[str, ...]
    asked: int
    feedback: bool
    seconds: float

    @property
    def longest(self) -> float:
        """When the longer walk ends [s]."""
        ends = [float(each.time[-1]) for each in (self.walk, self.baseline) if each is not None]
        return max(ends)


def simulate_walks(options: WalkOptions) -> WalkStudy:
    """Simulate the walk, and the one without changes.

    Raises:
        InputError: Options that do not fit; the library says which.
    """
    from softstride.cli.walk_person import person_of
    from softstride.gait.passive import Ligaments, ToeSpring
    from softstride.gait.perturbation import Perturbation

    if not options.feedback and (options.stiffness is not None or options.damping is not None):
        raise InputError("--stiffness and --damping are those of --feedback: give that too")
    perturbations = [Perturbation.parse(text) for text in options.perturb]
    steps = 1 if options.steps is None else options.steps
    if steps > MOST_STEPS:
        raise InputError(f"--steps must be {MOST_STEPS} or less, however it is {steps}")
    late = [str(each) for each in perturbations if each.steps and min(each.steps) > steps]
    if late:
        raise InputError(f"--perturb {late[0]}: there are {steps} steps; give more with --steps")
    start = clock.perf_counter()
    body, recipe = person_of(options)
    plain = _model(options, body)
    if options.feedback:
        plain = plain.changed(feedback=_feedback(plain, recipe, options))
    model = plain.changed(
        ligaments=Ligaments() if options.ligaments else None,
        toe_spring=None if options.toe_spring is None else ToeSpring(options.toe_spring),
    )
    changes = [_words(each, steps) for each in perturbations]
    changes += ["ligaments of the knees"] if options.ligaments else []
    changes += [f"a toe spring of {options.toe_spring:g} N·m/rad"] if options.toe_spring is not None else []
    integration = _integration(options)
    baseline = plain.simulate(recipe, steps=steps, **integration) if changes else None
    walk = model.simulate(recipe, steps=steps, perturb=perturbations, **integration)
    seconds = clock.perf_counter() - start
    texts = tuple(str(each) for each in perturbations)
    return WalkStudy(recipe, walk, baseline, tuple(changes), texts, steps, options.feedback, seconds)


def _model(options: WalkOptions, body: Body) -> SevenSegment:
    """Return the walker without what is changed."""
    from softstride.gait.options import Limits
    from softstride.gait.seven_segment import SevenSegment

    limits = Limits() if options.phase_time is None else Limits(phase_time=options.phase_time)
    return SevenSegment(body, rff=options.rff, old_toe=options.old_toe or "pinned", limits=limits)


def _feedback(model: SevenSegment, recipe: Recipe, options: WalkOptions) -> object:
    """Return the impedance about the first step of the recipe."""
    from softstride.gait.feedback import DAMPING, STIFFNESS, Impedance

    return Impedance.from_walk(
        model.simulate(recipe),
        STIFFNESS if options.stiffness is None else options.stiffness,
        DAMPING if options.damping is None else options.damping,
    )


def _integration(options: WalkOptions) -> dict[str, Any]:
    """Return what `simulate` is told about integration and frames."""
    named = {"method": options.method, "step": options.dt, "rate": options.rate}
    return {name: value for name, value in named.items() if value is not None}


def _words(change: Perturbation, steps: int) -> str:
    """Return a perturbation as it is said, "left ankle +20 % in phase 1"."""
    amount = f"{100.0 * (change.factor - 1.0):+g} %" if change.added == 0.0 else f"{change.added:+g} N·m"
    words = f"{change.joint.replace('_', ' ')} {amount}"
    if len(change.phases) < 4:
        words += f" in phase{'s' if len(change.phases) > 1 else ''} {_listed(change.phases)}"
    if steps > 1:
        several = "s" if len(change.steps) > 1 else ""
        words += f" of step{several} {_listed(change.steps)}" if change.steps else " of every step"
    return words


def _listed(numbers: tuple[int, ...]) -> str:
    *first, last = (str(number) for number in numbers)
    return f"{', '.join(first)} and {last}" if first else last
