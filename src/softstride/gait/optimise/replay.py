"""A found step given to the simulator: recipe in, events out, no knowledge of how it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.gait.optimise.equations import Equations
from softstride.gait.perturbation import Perturbation
from softstride.gait.recipe import Recipe
from softstride.gait.seven_segment import SevenSegment

if TYPE_CHECKING:
    from softstride.gait.walk import Walk

Floats = NDArray[np.float64]


def replay_step(
    equations: Equations, recipe: Recipe, times: Floats, perturbation: Perturbation | None = None
) -> tuple[Walk | None, float]:
    """Return the walk of a recipe and the largest difference of its events from `times` (4,) [s].

    The difference is infinite if an event is not reached, or if the simulator refuses the start (no walk then).
    """
    model = SevenSegment(equations.body, spring=equations.spring, damper=equations.damper)
    try:
        walk = model.simulate(recipe, perturb=() if perturbation is None else perturbation)
    except InputError:
        return None, float("inf")
    step = walk.steps[0]
    events = np.array([step.toe_off, step.foot_flat, step.heel_off, step.heel_strike])
    missed = np.abs(events - times)
    return walk, float(np.max(np.where(np.isfinite(missed), missed, np.inf)))
