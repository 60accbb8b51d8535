"""`find_step`: joint moments and initial state for a wanted step, by direct collocation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from softstride.errors import InputError
from softstride.gait.body import Body
from softstride.gait.optimise.apart import must_run_apart, run_apart
from softstride.gait.optimise.casadi import load_casadi
from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.found import FoundStep
from softstride.gait.optimise.program import Fineness
from softstride.gait.optimise.search import Known, Search
from softstride.gait.optimise.wanted import PerturbedRun, WantedStep
from softstride.gait.states import DAMPER, SPRING

LEVELS = (
    Fineness(3, (0.008, 0.012, 0.020, 0.020)),
    Fineness(4, (0.004, 0.006, 0.010, 0.010)),
    Fineness(5, (0.004, 0.006, 0.010, 0.010)),
)
"""Meshes from coarse to fine; the search goes on to the next until the simulator agrees."""

ACCURACY = 1e-4
"""How well events of the step and of the simulator should agree [s]."""

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Of a perturbation, that a perturbed run is led through."""


def find_step(
    body: Body | None = None,
    wanted: WantedStep | None = None,
    guess: FoundStep | None = None,
    *,
    spring: float = SPRING,
    damper: float = DAMPER,
    levels: Sequence[Fineness] = LEVELS,
    accuracy: float = ACCURACY,
    max_iterations: int = 500,
    max_seconds: float = 300.0,
    name: str = "found",
    source: str = "",
) -> FoundStep:
    """Find joint moments and initial state for a wanted step.

    Unknowns are the start, the distance between the feet, the nodes of the moments, the states on a mesh and, where
    they are free, the ends of the phases; equations of motion, events and transitions are constraints (Radau IIA, mesh
    aligned with phases and nodes), derivatives exact, the solver is IPOPT. The search begins on a coarse mesh, from
    joints that do what is wanted and no moments, and goes on to finer ones until the simulator, given the recipe alone,
    has its events where the step has them: a standing leg is an unstable column, which multiplies errors of the mesh by
    ten thousands. A perturbed run is led there in four shares.

    Args:
        body: The walker; that of Table A1 of [Onyshko1980] unless given.
        wanted: What the step should be like; the paper's times unless given.
        guess: A step to begin with in place of a crude one.
        spring: Stiffness between the hips in double support [N/m].
        damper: Damping there [N s/m].
        levels: Meshes from coarse to fine.
        accuracy: How well the simulator should agree [s].
        max_iterations: Of one search.
        max_seconds: Of all searches together.
        name: Of the recipe.
        source: Where the recipe comes from; said in general words unless given.

    Returns:
        The step; `converged` and `status` say whether it is one.

    Raises:
        InputError: CasADi is not installed, or no step can be as it is wanted.
    """
    person, wish = body or Body(), wanted or WantedStep()
    _check_reach(person, wish)
    if not levels:
        raise InputError("levels must hold one mesh or more, however there is none")
    given = (
        person,
        wish,
        guess,
        spring,
        damper,
        tuple(levels),
        accuracy,
        max_iterations,
        max_seconds,
        name,
        source,
    )
    return run_apart(_find, *given) if must_run_apart() else _find(*given)


def _find(
    body: Body,
    wish: WantedStep,
    guess: FoundStep | None,
    spring: float,
    damper: float,
    levels: tuple[Fineness, ...],
    accuracy: float,
    max_iterations: int,
    max_seconds: float,
    name: str,
    source: str,
) -> FoundStep:
    """Find a step in this process, see `find_step`."""
    load_casadi()
    equations = Equations(body, spring, damper)
    search = Search(equations, max_iterations, max_seconds)
    known = None if guess is None else Known.of(guess)
    if wish.repeat == "exact" and known is None:
        about = replace(wish, repeat="soft", perturbed=None)
        known = search.run(about, levels[0], None, "step that repeats about", replay=False).known
    if wish.perturbed is None or (known is not None and len(known.courses) > 1):
        answer = search.run(wish, levels[0], known, "step")
    else:
        alone = replace(wish, perturbed=None)
        answer = search.run(alone, levels[0], known, "step", replay=False)
        for share in SHARES:
            words = f"with {share:.0%} of the perturbation"
            led = replace(wish, perturbed=_share(wish.perturbed, share, wish))
            answer = search.run(led, levels[0], answer.known, words, replay=share == 1.0)
    for level in levels[1:]:
        if not answer.solution.converged or search.passes[-1].replay_error <= accuracy:
            break
        answer = search.run(wish, level, answer.known, "finer mesh")
    return search.report(wish, answer, name, source)


def _share(run: PerturbedRun, share: float, wanted: WantedStep) -> PerturbedRun:
    """Return a perturbed run with a share of the perturbation, between the step and what is wanted of the run."""
    change = run.perturbation
    times = (1.0 - share) * wanted.middle_times + share * np.array(run.times)
    return replace(
        run,
        perturbation=replace(change, factor=1.0 + share * (change.factor - 1.0), added=share * change.added),
        times=tuple(times.tolist()),
        shorter=share * run.shorter,
    )


def _check_reach(body: Body, wanted: WantedStep) -> None:
    """Check that legs reach as far as they should."""
    legs = 2.0 * (body.shank + body.thigh) + 2.0 * body.toe_centre + body.heel_ankle
    if wanted.length_span[0] >= body.sole + legs:
        raise InputError(
            f"a step of {wanted.length_span[0]:g} m is asked for, however these legs, in line from toe to heel, reach "
            f"{body.sole + legs:.3g} m; ask for a shorter step"
        )
    low, high = wanted.limits.knee
    if low > np.pi or high < 0.0:
        raise InputError(f"knees bend from 0 to pi, however {low:g} to {high:g} rad is asked for")
