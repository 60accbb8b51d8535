"""`WalkBench`: a step, the moments that make it, and what becomes of it when one of them changes."""

from __future__ import annotations

import math
import threading
import time as clock
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softstride.errors import InputError
from softstride.fields import Frozen, Limits, declared
from softstride.gait.body import JOINTS, PHASES, Body
from softstride.gait.feedback import Impedance
from softstride.gait.moments import joint_index
from softstride.gait.options import Count
from softstride.gait.passive import Ligaments
from softstride.gait.perturbation import Perturbation
from softstride.gait.recipe import Recipe, load_recipe
from softstride.gait.records import transition_names
from softstride.gait.seven_segment import SevenSegment
from softstride.gait.walk import Walk

LEAST, MOST = -100, 100
"""Changes of a moment that a page offers [%]."""

MOST_STEPS = 10


@dataclass(frozen=True)
class Settings(Frozen, of="a bench"):
    """What a bench simulates besides the changes.

    Attributes:
        recipe: Name or file of the recipe.
        steps: How many steps.
        held: Whether joints are held about the nominal step; several steps need it.
        ligaments: Whether ligaments keep knees from bending backwards.
    """

    recipe: str = "B"
    steps: int = declared(1, rule=Count(Limits(least=1, most=MOST_STEPS)))
    held: bool = False
    ligaments: bool = False


@dataclass(frozen=True, eq=False)
class Trial:
    """The walk that was asked for, beside the one as it is.

    Attributes:
        settings: Of both.
        recipe: Of both.
        baseline: Without changes.
        walk: With them.
        changes: What was changed, one for each joint and phase.
        seconds: How long the walk took to simulate [s].
    """

    settings: Settings
    recipe: Recipe
    baseline: Walk
    walk: Walk
    changes: tuple[Perturbation, ...]
    seconds: float

    @cached_property
    def events(self) -> dict[str, tuple[float, float]]:
        """Events of the first step, as it is and changed [s]; NaN where one is not reached."""
        before, now = self.baseline.event_times, self.walk.event_times
        return {
            name: (before.get(name, math.nan), now.get(name, math.nan)) for name in transition_names("right")
        }

    @cached_property
    def figures(self) -> dict[str, tuple[float, float]]:
        """Figures of the first step, as it is and changed: length, speed, largest force, work; names have the unit."""
        both = [_figures(walk) for walk in (self.baseline, self.walk)]
        return {name: (both[0][name], both[1][name]) for name in both[0]}


class WalkBench:
    """A walker whose moments can be changed; it walks again when it is asked to.

    Its methods may be called from several threads, as the callbacks of a page are.

    Attributes:
        body: Who walks; that of the paper unless given.
        trial: What was simulated last.
    """

    def __init__(self, settings: Settings | None = None, body: Body | None = None) -> None:
        self._lock = threading.RLock()
        self.body = body or Body()
        self._percent: dict[tuple[str, int], float] = {}
        self._settings = settings or Settings()
        self._prepare(self._settings)
        self.trial = self._simulate()

    @property
    def settings(self) -> Settings:
        """What is simulated besides the changes."""
        return self._settings

    def percent(self, joint: str, phase: int) -> float:
        """Return by how much the moment of a joint is changed in a phase [%]."""
        return self._percent.get(_place(joint, phase), 0.0)

    def set(self, joint: str, phase: int, percent: float) -> None:
        """Change the moment of a joint in a phase of the first step; `run` then simulates it.

        Args:
            joint: One of `JOINTS`, such as "left_ankle".
            phase: 1 to 4.
            percent: What is added to the moment [%]; 0 leaves it as it is.

        Raises:
            InputError: No such joint or phase, or a change that is not finite.
        """
        place = _place(joint, phase)
        if not math.isfinite(percent):
            raise InputError(f"a change of {place[0]} must be finite, however it is {percent!r}")
        with self._lock:
            self._percent.pop(place, None)
            if percent != 0.0:
                self._percent[place] = float(percent)

    def reset(self) -> None:
        """Take all changes back."""
        with self._lock:
            self._percent.clear()

    def configure(self, settings: Settings) -> None:
        """Simulate something else; changes stay.

        Raises:
            InputError: A recipe that is none; all stays as it was.
        """
        with self._lock:
            self._prepare(settings)
            self._settings = settings

    def run(self) -> Trial:
        """Walk with the changes of now."""
        with self._lock:
            self.trial = self._simulate()
            return self.trial

    @property
    def changes(self) -> tuple[Perturbation, ...]:
        """The changes of now, in the order of joints, then of phases."""
        with self._lock:
            given = sorted(self._percent.items(), key=lambda item: (JOINTS.index(item[0][0]), item[0][1]))
        return tuple(
            Perturbation(joint, (phase,), factor=1.0 + percent / 100.0) for (joint, phase), percent in given
        )

    def mean_moment(self, joint: str, phase: int) -> float:
        """Return the mean moment of a joint in a phase of the step as it is [N m]; NaN where that is not reached."""
        walk, (name, number) = self.trial.baseline, _place(joint, phase)
        now = (walk.phase == number) & (walk.time <= walk.phases[min(3, len(walk.phases) - 1)].end)
        return float(np.mean(walk.moment(name)[now])) if now.any() else math.nan

    def _prepare(self, settings: Settings) -> None:
        recipe = load_recipe(settings.recipe)
        model = SevenSegment(self.body, ligaments=Ligaments() if settings.ligaments else None)
        if settings.held:
            model = model.changed(feedback=Impedance.from_walk(model.simulate(recipe)))
        self._baseline = model.simulate(recipe, steps=settings.steps)
        self._model, self._recipe = model, recipe

    def _simulate(self) -> Trial:
        start = clock.perf_counter()
        changes = self.changes
        walk = self._baseline
        if changes:
            walk = self._model.simulate(self._recipe, steps=self._settings.steps, perturb=changes)
        seconds = clock.perf_counter() - start
        return Trial(self._settings, self._recipe, self._baseline, walk, changes, seconds)


def _place(joint: str, phase: int) -> tuple[str, int]:
    if phase not in PHASES:
        raise InputError(f"a phase is a number from 1 to 4, however it is {phase!r}")
    return JOINTS[joint_index(joint)], phase


def _figures(walk: Walk) -> dict[str, float]:
    first = walk.steps[0]
    weight = walk.body.mass * walk.body.gravity
    knees = [JOINTS.index(name) for name in ("right_knee", "left_knee")]
    return {
        "step length [m]": first.length,
        "step time [s]": first.duration,
        "speed [m/s]": first.speed,
        "largest force [BW]": float(walk.ground_force[..., 1].max()) / weight,
        "knee flexion at most [°]": math.degrees(-float(walk.joint_angles[:, knees].min())),
        "net work of joints [J]": float(np.sum(walk.work[-1])),
    }
