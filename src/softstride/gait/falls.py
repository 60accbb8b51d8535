"""How a walk ended that did not get where it should: when, in which phase, and what gave way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from softstride.gait.kernels import march as kernel
from softstride.gait.kernels.walker import FLAT
from softstride.gait.states import evaluate_states

if TYPE_CHECKING:
    from softstride.gait.simulate import Course

WAITED = (
    "the {swing} toe never left the floor",
    "the {stance} sole never met the floor",
    "the {stance} heel never rose",
    "the {swing} heel never struck",
)
"""What phases 1 to 4 wait for."""


def tell_end(course: Course, status: int, number: int, phase: int, time: float) -> str:
    """Say when and how it ended."""
    limits, y = course.model.limits, course.y
    row = limits.row(course.model.body)
    knees = (y[1] - y[2], y[5] - y[4])
    sides = ("left", "right") if number % 2 == 0 else ("right", "left")
    bent, straight = int(np.argmin(knees)), int(np.argmax(knees))
    waited = WAITED[0 if phase == FLAT else phase - 1].format(stance=sides[0], swing=sides[1])
    now = evaluate_states(course.model.walker, phase, y[:7], y[7:14], separation=course.separation)
    hip = float(now.points[0, 6, 1])
    how = {
        kernel.TIME_UP: f"{waited} within {limits.phase_time:g} s",
        kernel.HIP_LOW: f"fell: the hip is {hip:.3g} m above the floor, below {row[0]:.3g} m",
        kernel.TRUNK_OVER: f"fell: the trunk leans {'forward' if y[3] < math.pi / 2 else 'backward'} by "
        f"{abs(y[3] - math.pi / 2):.3g} rad, more than {limits.lean:g}",
        kernel.KNEE_FOLDED: f"fell: the {sides[bent]} knee is bent by {-knees[bent]:.3g} rad, more than "
        f"{limits.knee_flexion:g}",
        kernel.KNEE_BACK: f"fell: the {sides[straight]} knee is bent backwards by {knees[straight]:.3g} rad, more than "
        f"{limits.knee_extension:g}",
        kernel.HEEL_EARLY: f"the {sides[1]} heel struck before the {sides[0]} one rose, which no phase has",
        kernel.STEP_SHRUNK: "the integrator's step shrank to nothing",
        kernel.NOT_FINITE: "the state is not finite any more: the step is too long for what acts",
        kernel.TOO_MANY: f"more than {limits.steps} steps of the integrator",
    }[status]
    return f"at {course.clock + time:.4f} s, phase {1 if phase == FLAT else phase} of step {number}, {how}"
