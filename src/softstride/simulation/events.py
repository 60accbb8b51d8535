r"""Events: instants where a function g(t, q, v) changes sign, located on the solution itself.

Signs are compared at several points of each step (dense output), so that a step which crosses twice is
noticed. The instant is then refined by taking the step again with a smaller size, t* = t + s with g(step(s))
= 0 by Brent's method: the state at the event is a full-order solution, not an interpolation, and t* is found
to `TIME_TOLERANCE`.

Source: R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4; event location with
one-step methods: Hairer, Norsett, Wanner, Solving ODEs I, section II.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from softstride.engine.manifold import integrate
from softstride.errors import InputError, SimulationError
from softstride.model.model import Model
from softstride.simulation.step import Step
from softstride.simulation.system import State

FloatArray = NDArray[np.float64]
Watch = Callable[[float, FloatArray, FloatArray], float]
Map = Callable[[float, FloatArray, FloatArray], tuple[ArrayLike, ArrayLike]]

TIME_TOLERANCE = 1e-12  # [s]; events are promised to 1e-10
INSTANT = 1e-9  # [s]: how far behind an event its new sign is taken
SHORTEST_RETURN = 1e-8  # [s]: an event that cuts the motion again within this time has no end
SAMPLES = (0.25, 0.5, 0.75)
"""Inner points of a step where signs are compared."""


@dataclass(frozen=True, eq=False)
class Event:
    """Something to watch for.

    Attributes:
        function: g(t, q, v), one number; the event is where it crosses zero.
        name: Name in the results.
        direction: +1 only rising, -1 only falling, 0 both.
        terminal: Whether the simulation ends there.
        map: State map at the event, (t, q, v) -> (q, v), for example an impact; the simulation goes on from
            there.
    """

    function: Watch
    name: str = ""
    direction: int = 0
    terminal: bool = False
    map: Map | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        if not callable(self.function) or (self.map is not None and not callable(self.map)):
            raise InputError(
                "an Event needs a function g(t, q, v), and its map must be a function (t, q, v)."
            )
        if self.direction not in (-1, 0, 1):
            raise InputError(f"direction of an Event must be -1, 0 or 1, however it is {self.direction!r}.")

    @property
    def cuts(self) -> bool:
        """Whether the step must end at the event."""
        return self.terminal or self.map is not None

    def value(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """Return g, a finite number."""
        found = np.asarray(self.function(t, q, v), dtype=np.float64)
        if found.size != 1:
            raise InputError(
                f"the function of event {self.name!r} must return one number, however {found.shape}."
            )
        g = float(found.reshape(()))
        if not np.isfinite(g):
            raise InputError(
                f"the function of event {self.name!r} is {g} at t = {t:.9g} s; it must be finite."
            )
        return g

    def crossed(self, before: float, after: float) -> bool:
        """Whether g crossed zero in the direction watched; a start on zero is no crossing."""
        rising = before < 0.0 <= after and self.direction >= 0
        return rising or (before > 0.0 >= after and self.direction <= 0)


@dataclass(frozen=True, eq=False)
class Hit:
    """An event located in a step: which one, and the state there."""

    index: int
    state: State
    value: float


class Watcher:
    """Remembers the signs of all events at the current state."""

    def __init__(self, model: Model, events: Sequence[Event]) -> None:
        """Check and hold the events."""
        for event in events:
            if not isinstance(event, Event):
                raise InputError(f"events must be Event objects, however one is {event!r}.")
        self.model, self.events = model, tuple(events)
        self.last = [0.0] * len(self.events)
        self._fired = [-np.inf] * len(self.events)

    def begin(self, state: State, fired: int | None = None) -> None:
        """Take the signs at a state; of an event that lies on zero, or just fired, the one a moment later.

        Raises:
            SimulationError: If the event fired just before: bounces that pile up never end.
        """
        q = integrate(self.model, state.q, state.v, INSTANT)
        v = state.v + INSTANT * state.a
        for index, event in enumerate(self.events):
            self.last[index] = event.value(state.t, state.q, state.v)
            if index == fired or self.last[index] == 0.0:
                self.last[index] = event.value(state.t + INSTANT, q, v)
        if fired is not None:
            if state.t - self._fired[fired] < SHORTEST_RETURN:
                raise SimulationError(
                    f"event {self.events[fired].name!r} returns within {SHORTEST_RETURN:g} s: its bounces "
                    "pile up. Make it terminal, or let its map end them (plastic_impact)."
                )
            self._fired[fired] = state.t

    def search(
        self,
        step: Step,
        end: State,
        inside: Callable[[Step, float], State],
        again: Callable[[Step, float], State],
    ) -> list[Hit]:
        """Return the events of a step in time order, up to the first that cuts it, and remember the signs.

        Args:
            step: The step taken.
            end: The state at its end.
            inside: The state at a fraction of the step, by dense output.
            again: The state after a smaller step of the size given [s], by the method itself.
        """
        if not self.events:
            return []
        points = [(theta, inside(step, theta)) for theta in SAMPLES] + [(1.0, end)]
        hits: list[Hit] = []
        for index, event in enumerate(self.events):
            before, left = self.last[index], 0.0
            for theta, state in points:
                after = event.value(state.t, state.q, state.v)
                if event.crossed(before, after):
                    hits.append(self._locate(index, step, before, (left, theta), end, again))
                before, left = after, theta
            self.last[index] = before
        hits.sort(key=lambda hit: hit.state.t)
        cut = next((i for i, hit in enumerate(hits) if self.events[hit.index].cuts), None)
        return hits if cut is None else hits[: cut + 1]

    def _locate(
        self,
        index: int,
        step: Step,
        before: float,
        bracket: tuple[float, float],
        end: State,
        again: Callable[[Step, float], State],
    ) -> Hit:
        """Return the crossing between two fractions of a step; `before` has the sign on the left."""
        event = self.events[index]
        states: dict[float, State] = {0.0: step.start, step.h: end}

        def g(s: float) -> float:
            if s not in states:
                states[s] = again(step, s)
            return event.value(states[s].t, states[s].q, states[s].v)

        left, right = (theta * step.h for theta in bracket)
        if left > 0.0 and g(left) * before <= 0.0:
            root = left  # the dense output and the step disagree by rounding: the event is here
        elif g(right) * before > 0.0:
            root = right
        elif left == 0.0:
            root = _brent(lambda s: before if s == 0.0 else g(s), left, right)
        else:
            root = _brent(g, left, right)
        return Hit(index, states[root] if root in states else again(step, root), g(root))


def _brent(g: Callable[[float], float], left: float, right: float) -> float:
    return float(brentq(g, left, right, xtol=TIME_TOLERANCE, rtol=4.0 * np.finfo(float).eps))
