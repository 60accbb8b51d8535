"""Where the search begins: angles as they are wanted, no moments; or another step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from softstride.gait.body import JOINTS, Body
from softstride.gait.optimise.course import Course
from softstride.gait.optimise.layout import ACCELERATION_UNIT, MOMENT_UNIT, MOVING, Run
from softstride.gait.optimise.program import StepProgram
from softstride.gait.optimise.reading import RunCourse
from softstride.gait.optimise.textbook import UPRIGHT
from softstride.gait.recipe import Recipe

Floats = NDArray[np.float64]


def segment_angles(angles: Mapping[str, Course], fraction: Floats, rates: bool = False) -> Floats:
    """Return angles of the segments that give joints their wanted angles, or their rates by the fraction, (n, 7).

    What is not wanted is straight: legs in line with an upright trunk, feet square to them.
    """

    def course(name: str, otherwise: float) -> Floats:
        which = angles.get(name, Course.constant(otherwise))
        return np.broadcast_to(which.rate(fraction) if rates else which.at(fraction), fraction.shape)

    joint = {name: course(name, 0.0) for name in JOINTS}
    square = 0.0 if rates else np.pi / 2.0
    trunk = course("trunk", UPRIGHT)
    chains = {}
    for side in ("right", "left"):
        thigh = trunk + joint[f"{side}_hip"]
        shank = thigh + joint[f"{side}_knee"]
        chains[side] = [shank + joint[f"{side}_ankle"] - square, shank, thigh]
    return np.stack([*chains["right"], trunk, *chains["left"][::-1]], axis=-1)


def crude_guess(problem: StepProgram, body: Body, angles: Mapping[str, Course]) -> Floats:
    """Return variables of a step whose joints do what is wanted, in the air as it were, without moments."""
    x = np.zeros(problem.program.n)
    for run in problem.runs:
        if run.times is not None:
            x[run.times] = run.instants
        ends = np.concatenate([[0.0], run.instants])
        for phase, part in enumerate(run.mesh, start=1):
            moving = list(MOVING[phase])
            span = run.instants[phase - 1] - ends[phase - 1]
            s = (ends[phase - 1] + span * np.append(part.start, 1.0)) / run.instants[3]
            theta = segment_angles(angles, s)[:, moving]
            omega = segment_angles(angles, s, rates=True)[:, moving] / run.instants[3]
            x[run.nodes[phase - 1]] = np.concatenate([theta, omega], axis=1)
    _, offset, _, gap = body.coefficients(1)
    x[problem.run.separation] = -np.sum(gap * np.cos(x[problem.run.start[:7]] + offset))
    return x


def carry_over(
    problem: StepProgram, courses: Sequence[RunCourse], recipe: Recipe, impulse: Floats | None
) -> Floats:
    """Return variables of a step that goes as another one does, on another mesh.

    Args:
        problem: Where it goes.
        courses: Of the runs; the last one also serves runs that were not there before.
        recipe: Moments and separation.
        impulse: Of heel strike in the units of the program, shape (2,).
    """
    x = np.zeros(problem.program.n)
    x[problem.run.knots] = recipe.moments.at(problem.knots) / MOMENT_UNIT
    x[problem.run.separation] = recipe.separation
    if problem.impulse is not None and impulse is not None:
        x[problem.impulse] = impulse
    for number, run in reversed(
        list(enumerate(problem.runs))
    ):  # the step itself has the last word on the start
        course = courses[min(number, len(courses) - 1)]
        if run.times is not None:
            x[run.times] = course.times
        _fill(x, run, course, problem.tableau.c)
    return x


def _fill(x: Floats, run: Run, course: RunCourse, stages: Floats) -> None:
    """Set states and accelerations of a run as a course has them at the same fraction of each phase."""
    for phase, part in enumerate(run.mesh, start=1):
        moving = list(MOVING[phase])
        time, theta, omega, a = (
            each[phase - 1] for each in (course.time, course.theta, course.omega, course.acceleration)
        )
        begin, span = time[0], time[-1] - time[0]
        at = begin + span * np.append(part.start, 1.0)
        angles, rates = CubicHermiteSpline(time, theta, omega)(at), CubicHermiteSpline(time, omega, a)(at)
        x[run.nodes[phase - 1]] = np.concatenate([angles[:, moving], rates[:, moving]], axis=1)
        at = begin + span * (part.start[:, None] + part.length[:, None] * stages)
        inner = np.stack([np.interp(at, time, a[:, i]) for i in moving], axis=-1)
        x[run.accelerations[phase - 1]] = inner / ACCELERATION_UNIT
