"""Searches on meshes, one after the other, and the record of them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.found import FoundStep, Pass
from softstride.gait.optimise.guess import carry_over, crude_guess
from softstride.gait.optimise.ipopt import Solution, solve
from softstride.gait.optimise.program import Fineness, StepProgram, build_program
from softstride.gait.optimise.reading import RunCourse, read_recipe, read_run, residuals, step_length
from softstride.gait.optimise.replay import replay_step
from softstride.gait.optimise.wanted import WantedStep
from softstride.gait.recipe import Recipe
from softstride.notes import Note

Floats = NDArray[np.float64]

STRATEGIES = ("adaptive", "monotone")
"""How the barrier is lowered; the second is tried where the first fails."""

SOURCE = (
    "Found by direct collocation on the corrected equations of [Onyshko1980]; every digit counts, "
    "the standing leg is an unstable column."
)


@dataclass(frozen=True, eq=False)
class Known:
    """A step to go on from.

    Attributes:
        recipe: Start and moments.
        courses: Of its runs.
        impulse: Of its heel strike in the units of the program, shape (2,), if it repeats exactly.
    """

    recipe: Recipe
    courses: tuple[RunCourse, ...]
    impulse: Floats | None = None

    @classmethod
    def of(cls, found: FoundStep) -> Known:
        """Return a step that was found before."""
        return cls(found.recipe, tuple(each for each in (found.course, found.perturbed) if each is not None))


@dataclass(frozen=True, eq=False)
class Answer:
    """What one search left."""

    problem: StepProgram
    solution: Solution
    known: Known


class Search:
    """Searches for one walker; keeps a record of each."""

    def __init__(self, equations: Equations, max_iterations: int, max_seconds: float) -> None:
        """Begin; all searches together may take `max_seconds`."""
        self.equations, self.max_iterations = equations, max_iterations
        self.until = time.perf_counter() + max_seconds
        self.passes: list[Pass] = []

    def run(
        self,
        wanted: WantedStep,
        level: Fineness,
        known: Known | None,
        what: str,
        replay: bool = True,
    ) -> Answer:
        """Search on one mesh, from what is known or from a crude guess."""
        began = time.perf_counter()
        times = wanted.middle_times
        if known is not None and wanted.free_times:
            times = np.clip(known.courses[0].times, *np.array(wanted.time_spans).T)
        problem = build_program(self.equations, wanted, times, level)
        if known is None:
            start = crude_guess(problem, self.equations.body, wanted.angles)
        else:
            start = carry_over(problem, known.courses, known.recipe, known.impulse)
        iterations = 0
        for strategy in STRATEGIES:
            solution = solve(
                problem.program,
                start,
                problem.lower,
                problem.upper,
                strategy=strategy,
                max_iterations=self.max_iterations,
                max_seconds=max(0.1, self.until - time.perf_counter()),
            )
            iterations += solution.iterations
            if solution.converged or time.perf_counter() > self.until:
                break
        answer = Answer(problem, solution, _read(problem, solution.x, wanted))
        error = self._replay(wanted, answer) if replay and solution.converged else float("nan")
        self.passes.append(
            Pass(
                what,
                sum(len(part.start) for run in problem.runs for part in run.mesh),
                level.stages,
                problem.program.n,
                len(problem.program.lower),
                iterations,
                time.perf_counter() - began,
                solution.status,
                error,
            )
        )
        return answer

    def _replay(self, wanted: WantedStep, answer: Answer) -> float:
        """Return the largest difference of an event from the simulator's, all runs together [s]."""
        known = answer.known
        error = replay_step(self.equations, known.recipe, known.courses[0].times)[1]
        if wanted.perturbed is not None:
            change = wanted.perturbed.perturbation
            error = max(error, replay_step(self.equations, known.recipe, known.courses[1].times, change)[1])
        return error

    def report(self, wanted: WantedStep, answer: Answer, name: str, source: str) -> FoundStep:
        """Return the step of an answer with all that is known about it."""
        program, x = answer.problem.program, answer.solution.x
        cost, g = program.evaluate(x)
        violation, violated = program.worst(g)
        course = answer.known.courses[0]
        other = answer.known.courses[1] if len(answer.known.courses) > 1 else None
        recipe = replace(answer.known.recipe, name=name, source=source or SOURCE)
        walk = replay_step(self.equations, recipe, course.times)[0] if answer.solution.converged else None
        return FoundStep(
            recipe=recipe,
            wanted=wanted,
            course=course,
            perturbed=other,
            length=step_length(self.equations, course),
            perturbed_length=float("nan") if other is None else step_length(self.equations, other),
            converged=answer.solution.converged,
            status=answer.solution.status,
            cost=cost,
            violation=violation,
            violated=violated,
            residuals=residuals(self.equations, course, wanted),
            replay=walk,
            passes=tuple(self.passes),
            notes=tuple(self._notes(wanted, answer)),
        )

    def _notes(self, wanted: WantedStep, answer: Answer) -> list[Note]:
        """Return what else to know."""
        notes = []
        error = self.passes[-1].replay_error
        if not answer.solution.converged:
            missed, what = answer.problem.program.worst(answer.problem.program.evaluate(answer.solution.x)[1])
            words = f"This is no step: {what} misses by {missed:.2g}, more than any other constraint."
            notes.append(
                Note(
                    "step.not-found",
                    words,
                    "error",
                    topic="step",
                    names=(what,),
                    values={"violation": missed},
                )
            )
        elif error > 1e-3:
            words = (
                f"The simulator's events differ by {1e3 * error:.3g} ms: the step is unstable, and this mesh too "
                "coarse for it"
            )
            notes.append(
                Note(
                    "step.mesh-too-coarse",
                    words,
                    "warning",
                    topic="step",
                    values={"difference_ms": 1e3 * error},
                    fix="give finer levels.",
                )
            )
        for label, courses in (("angles", wanted.angles), ("forces", wanted.forces)):
            rough = {name: course.misfit for name, course in courses.items() if course.misfit > 0.0}
            if rough:
                worst = max(rough, key=lambda each: rough[each])
                unit = "rad" if label == "angles" else "N"
                words = (
                    f"Polynomials stand for the {label} to follow; they leave at most {rough[worst]:.2g} {unit} (rms) "
                    f"of the samples, of {worst}."
                )
                facts = {f"misfit_{unit}": rough[worst]}
                notes.append(Note("step.course-fitted", words, topic="step", names=(worst,), values=facts))
        return notes


def _read(problem: StepProgram, x: Floats, wanted: WantedStep) -> Known:
    """Return the step that variables say."""
    courses = tuple(read_run(problem, x, run) for run in problem.runs)
    impulse = None if problem.impulse is None else x[problem.impulse]
    return Known(read_recipe(problem, x, wanted, "", ""), courses, impulse)
