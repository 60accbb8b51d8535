"""Which variable of the program is which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.gait.optimise.limits import StepLimits
from softstride.gait.optimise.mesh import PhaseMesh

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOMENT_UNIT = 100.0
"""Moments are counted in this [N m], so that variables are of one size."""

ACCELERATION_UNIT = 100.0
"""So are angular accelerations [rad/s²]."""

MOVING = {1: tuple(range(7)), 2: tuple(range(7)), 3: tuple(range(1, 7)), 4: tuple(range(7))}
"""Segments that move in each phase: a flat foot does not."""


class Counter:
    """Hands out numbers of variables."""

    def __init__(self) -> None:
        self.used = 0

    def take(self, *shape: int) -> Integers:
        """Return as many new numbers as the shape holds."""
        count = int(np.prod(shape))
        numbers = self.used + np.arange(count, dtype=np.int64).reshape(shape)
        self.used += count
        return numbers


@dataclass(frozen=True, eq=False)
class Run:
    """One run through the four phases: its variables, and what is special about it.

    Attributes:
        mesh: Intervals of the phases.
        instants: Ends of the phases that the mesh was made for, shape (4,), [s].
        times: Variables of those ends, shape (4,); None where they are fixed.
        nodes: Angles then rates of what moves, at the ends of intervals, for each phase (K+1, 2 n).
        accelerations: At the stages, for each phase (K, s, n).
        separation: S, shape (1,); runs share it.
        knots: Moments at their nodes, shape (k, 6); runs share them.
        factor: What moments are multiplied by, phase by phase, shape (4, 6).
        added: What is added to them, shape (4, 6), [N m].
        limits: What is allowed.
        name: What to call it in words; "" for the step itself.
    """

    mesh: tuple[PhaseMesh, ...]
    instants: Floats
    times: Integers | None
    nodes: tuple[Integers, ...]
    accelerations: tuple[Integers, ...]
    separation: Integers
    knots: Integers
    factor: Floats
    added: Floats
    limits: StepLimits
    name: str = ""

    @property
    def start(self) -> Integers:
        """Variables of the state that the step begins with, shape (14,)."""
        return self.nodes[0][0]

    def end(self, phase: int) -> Integers:
        """Variables of the state that a phase ends with."""
        return self.nodes[phase - 1][-1]

    def last_acceleration(self, phase: int) -> Integers:
        """Variables of the accelerations there."""
        return self.accelerations[phase - 1][-1, -1]

    def clock(self, symbol: Any) -> tuple[list[tuple[Any, Any]], list[tuple[Any, Any]]]:
        """Return the four times as variables or as parameters of a block: (variables, parameters)."""
        if self.times is None:
            return [], [(symbol, self.instants)]
        return [(symbol, self.times)], []


def lay_out(
    counter: Counter,
    mesh: tuple[PhaseMesh, ...],
    instants: Floats,
    free: bool,
    stages: int,
    knots: int,
    limits: StepLimits,
) -> Run:
    """Return the variables of a step."""
    times = counter.take(4) if free else None
    nodes, accelerations = _states(counter, mesh, stages, None)
    return Run(
        mesh, instants, times, nodes, accelerations, counter.take(1), counter.take(knots, 6),
        np.ones((4, 6)), np.zeros((4, 6)), limits,
    )  # fmt: skip


def lay_out_beside(
    counter: Counter,
    mesh: tuple[PhaseMesh, ...],
    instants: Floats,
    stages: int,
    run: Run,
    effect: tuple[Floats, Floats],
    limits: StepLimits,
) -> Run:
    """Return the variables of a run with the same start and the same moments as `run`, changed by `effect`."""
    nodes, accelerations = _states(counter, mesh, stages, run.start)
    return Run(
        mesh,
        instants,
        None,
        nodes,
        accelerations,
        run.separation,
        run.knots,
        *effect,
        limits,
        "perturbed run",
    )


def _states(
    counter: Counter, mesh: tuple[PhaseMesh, ...], stages: int, start: Integers | None
) -> tuple[tuple[Integers, ...], tuple[Integers, ...]]:
    """Return numbers for states and accelerations, phase by phase."""
    nodes, accelerations = [], []
    for phase, part in enumerate(mesh, start=1):
        n, count = len(MOVING[phase]), len(part.start)
        if phase == 1 and start is not None:
            nodes.append(np.concatenate([start[None], counter.take(count, 2 * n)]))
        else:
            nodes.append(counter.take(count + 1, 2 * n))
        accelerations.append(counter.take(count, stages, n))
    return tuple(nodes), tuple(accelerations)
