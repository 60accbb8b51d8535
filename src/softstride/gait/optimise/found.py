"""`FoundStep`: the step that was found, with how well it does what was wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.gait.optimise.reading import RunCourse
from softstride.gait.optimise.wanted import WantedStep
from softstride.gait.recipe import Recipe
from softstride.notes import Note
from softstride.results import Result

if TYPE_CHECKING:
    from softstride.gait.walk import Walk

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pass:
    """One search on one mesh.

    Attributes:
        what: What was sought, in words.
        intervals: Of the mesh, all runs together.
        stages: Of Radau IIA in each.
        variables: Of the program.
        constraints: Of the program.
        iterations: How many it took.
        seconds: How long, building of the program included.
        status: How it ended, in words.
        replay_error: Largest difference between an event and the simulator's [s]; infinite if the simulator did not get
            there, NaN if it was not asked.
    """

    what: str
    intervals: int
    stages: int
    variables: int
    constraints: int
    iterations: int
    seconds: float
    status: str
    replay_error: float


class FoundStep(Result, of="a found step"):
    """A step that an optimiser found, or what it had when it gave up.

    Attributes:
        recipe: Start and moments, for the simulator.
        wanted: What was wanted.
        course: The step as it was collocated.
        perturbed: The perturbed run likewise, or None.
        length: From right heel to left heel [m].
        perturbed_length: The same of the perturbed run [m]; NaN without one.
        converged: Whether constraints are met and the cost is least.
        status: Why the last search ended, in words.
        cost: The cost by term; see `StepWeights`.
        violation: Largest miss of a constraint, in the units of the program (angles [rad], forces [kN], moments
            [100 N m]).
        violated: Which constraint that is.
        residuals: By name: largest differences of the mirrored end from the start, and root mean squares of what is
            left between the step and the courses that it follows [rad, rad/s, N m, N].
        replay: The step as the simulator walks it, from the recipe alone; None if it was not asked.
        passes: One record a search.
        notes: What else to know.
    """

    recipe: Recipe
    wanted: WantedStep
    course: RunCourse
    perturbed: RunCourse | None
    length: float
    perturbed_length: float
    converged: bool
    status: str
    cost: Mapping[str, float]
    violation: float
    violated: str
    residuals: Mapping[str, float]
    replay: Walk | None
    passes: tuple[Pass, ...]
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        """Say what it is in one line."""
        times = ", ".join(f"{t:.6g}" for t in self.times)
        return f"FoundStep(times {times} s, length {self.length:.4g} m, {self.status})"

    @property
    def times(self) -> Floats:
        """Left toe-off, right foot flat, right heel-off and left heel strike, shape (4,), [s]."""
        return self.course.times

    @property
    def speed(self) -> float:
        """Length over time [m/s]."""
        return self.length / float(self.times[3])

    @property
    def total_cost(self) -> float:
        """The cost."""
        return float(sum(self.cost.values()))

    @property
    def iterations(self) -> int:
        """Of all searches."""
        return sum(each.iterations for each in self.passes)

    @property
    def seconds(self) -> float:
        """Of all searches [s]."""
        return sum(each.seconds for each in self.passes)

    @property
    def replay_error(self) -> float:
        """Largest difference between an event of the step and the simulator's [s]; see `Pass.replay_error`."""
        return self.passes[-1].replay_error
