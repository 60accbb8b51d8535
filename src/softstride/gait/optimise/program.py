"""A wanted step as a nonlinear program: variables, constraints and cost on a mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.gait.body import PHASES
from softstride.gait.optimise.blocks import Block, Integers, Program
from softstride.gait.optimise.boundary import (
    foot_flat_block,
    heel_off_block,
    heel_strike_block,
    shorter_block,
    start_block,
    toe_off_block,
)
from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.following import moment_blocks
from softstride.gait.optimise.interval import interval_block
from softstride.gait.optimise.layout import MOMENT_UNIT, Counter, Run, lay_out, lay_out_beside
from softstride.gait.optimise.mesh import make_knots, make_mesh
from softstride.gait.optimise.radau import Tableau, radau_iia
from softstride.gait.optimise.repeat import exact_block, mirror_blocks
from softstride.gait.optimise.wanted import WantedStep
from softstride.gait.perturbation import effect

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fineness:
    """How finely a step is collocated.

    Attributes:
        stages: Of Radau IIA in an interval.
        longest: Longest interval of each phase, shape (4,), [s].
    """

    stages: int
    longest: tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class StepProgram:
    """The program of a wanted step.

    Attributes:
        program: Its functions.
        tableau: Its method.
        run: Variables of the step.
        other: Variables of the perturbed run, if there is one.
        impulse: Variables of the impulse at heel strike, shape (2,), if the step repeats exactly.
        knots: Nodes of the moments at the times that the mesh was made for, shape (k,), [s].
        lower: Least values of the variables, shape (n,).
        upper: Largest ones.
    """

    program: Program
    tableau: Tableau
    run: Run
    other: Run | None
    impulse: Integers | None
    knots: Floats
    lower: Floats
    upper: Floats

    @property
    def runs(self) -> tuple[Run, ...]:
        """The step, and the perturbed run if there is one."""
        return (self.run,) if self.other is None else (self.run, self.other)


def build_program(equations: Equations, wanted: WantedStep, times: Floats, fineness: Fineness) -> StepProgram:
    """Return the program of a step on a mesh made for ends of phases at `times` (4,) [s]."""
    tableau = radau_iia(fineness.stages)
    knots = make_knots(times, wanted.spacing, wanted.free_times)
    longest = np.array(fineness.longest)
    counter = Counter()
    run = lay_out(
        counter,
        make_mesh(times, knots, longest),
        times,
        wanted.free_times,
        fineness.stages,
        len(knots),
        wanted.limits,
    )
    blocks = _run_blocks(equations, tableau, run, wanted, follow=True)
    blocks += [start_block(equations, run), *moment_blocks(run, wanted.weights)]
    other, impulse = None, None
    if wanted.perturbed is not None:
        beside = wanted.perturbed
        instants = np.array(beside.times)
        change = effect([beside.perturbation], 1, False)
        mesh = make_mesh(instants, knots, longest)
        other = lay_out_beside(counter, mesh, instants, fineness.stages, run, change, beside.limits)
        blocks += _run_blocks(equations, tableau, other, wanted, follow=False)
        blocks.append(shorter_block(equations, run, other, beside.shorter))
    if wanted.repeat != "no":
        blocks += mirror_blocks(run, wanted.weights, states=wanted.repeat == "soft")
    if wanted.repeat == "exact":
        impulse = counter.take(2)
        blocks.append(exact_block(equations, run, impulse))
    lower, upper = _bounds(counter.used, run, wanted)
    return StepProgram(Program(counter.used, blocks), tableau, run, other, impulse, knots, lower, upper)


def _run_blocks(
    equations: Equations, tableau: Tableau, run: Run, wanted: WantedStep, follow: bool
) -> list[Block]:
    """Return the blocks of one run through the phases."""
    blocks = [interval_block(equations, tableau, run, phase, wanted if follow else None) for phase in PHASES]
    return [
        *blocks,
        toe_off_block(equations, run),
        foot_flat_block(equations, run, wanted.rff),
        heel_off_block(equations, run),
        heel_strike_block(equations, run, wanted),
    ]


def _bounds(n: int, run: Run, wanted: WantedStep) -> tuple[Floats, Floats]:
    """Return the bounds of the variables."""
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    if run.times is not None:
        lower[run.times], upper[run.times] = np.array(wanted.time_spans).T
    lower[run.knots], upper[run.knots] = (
        -wanted.limits.moment / MOMENT_UNIT,
        wanted.limits.moment / MOMENT_UNIT,
    )
    if wanted.limits.push_off:
        upper[run.knots[0, 5]] = -wanted.limits.push_off / MOMENT_UNIT
    return lower, upper
