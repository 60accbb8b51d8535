r"""The search for events in a step, and what happens when several fall on one instant.

Signs are compared at several points of each step (dense output), so that a step which crosses twice is
noticed. The instant is then refined by taking the step again with a smaller size, t* = t + s with g(step(s))
= 0 by Brent's method: the state at the event is a full-order solution, not an interpolation, and t* is found
to `TIME_TOLERANCE`.

Rounding decides which of two simultaneous events is found first, and on which side of zero the second one is
by then. Hence all events within `COINCIDENT` of the one that cuts the step happen there, in turn, and the
sign of each is taken afresh a moment later.

Source: R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 4; event location with
one-step methods: Hairer, Norsett, Wanner, Solving ODEs I, section II.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from softstride.engine.manifold import integrate
from softstride.errors import InputError, SimulationError
from softstride.model.model import Model
from softstride.simulation.events import Event
from softstride.simulation.step import Step
from softstride.simulation.system import State

TIME_TOLERANCE = 1e-12  # [s]; events are promised to 1e-10
COINCIDENT = 1e-11  # [s]: events this close are one instant
INSTANT = 1e-9  # [s]: how far behind an event its new sign is taken
SHORTEST_RETURN = 1e-8  # [s]: an event that cuts the motion again within this time has no end
MOST_AT_ONCE = 1000  # maps at one instant before they count as endless
SAMPLES = (0.25, 0.5, 0.75)
"""Inner points of a step where signs are compared."""


@dataclass(frozen=True, eq=False)
class Hit:
    """An event located in a step: which one, how far in the step [s], the state there, g's sign before."""

    index: int
    s: float
    state: State
    before: float


@dataclass(eq=False)
class _Look:
    """One step under search: the sizes [s] and values of g where signs are known, and states computed."""

    step: Step
    again: Callable[[Step, float], State]
    states: dict[float, State]
    sizes: list[float]
    values: list[list[float]] = field(default_factory=list)

    def state(self, s: float) -> State:
        """Return the state after a step of size s [s], by the method itself."""
        if s not in self.states:
            self.states[s] = self.again(self.step, s)
        return self.states[s]


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
        self._passed: set[int] = set()

    def begin(self, state: State, met: Iterable[int] = ()) -> None:
        """Take the signs at a state; of the events met there, or on zero, the one a moment later."""
        for index, event in enumerate(self.events):
            self.last[index] = event.value(state.t, state.q, state.v)
            if index in met or self.last[index] == 0.0:
                self.last[index] = self._later(index, state)

    def search(
        self,
        step: Step,
        end: State,
        inside: Callable[[Step, float], State],
        again: Callable[[Step, float], State],
    ) -> tuple[list[Hit], list[Hit]]:
        """Return the events of a step in time order, and those at the instant that cuts it; remember signs.

        Args:
            step: The step taken.
            end: The state at its end.
            inside: The state at a fraction of the step, by dense output.
            again: The state after a smaller step of the size given [s], by the method itself.

        Returns:
            Events that do not cut the step, up to the first that does; and that one with all others at its
            instant, empty if none does.
        """
        if not self.events:
            return [], []
        points = [inside(step, theta) for theta in SAMPLES] + [end]
        sizes = [0.0, *(theta * step.h for theta in SAMPLES), step.h]
        look = _Look(step, again, {0.0: step.start, step.h: end}, sizes)
        hits: list[Hit] = []
        for index, event in enumerate(self.events):
            values = [self.last[index], *(event.value(point.t, point.q, point.v) for point in points)]
            look.values.append(values)
            turns = [i for i in range(len(points)) if event.crossed(values[i], values[i + 1])]
            hits += [self._locate(look, index, i, sizes[i + 1]) for i in turns]
            self.last[index] = values[-1]
        return self._divide(look, hits)

    def resolve(self, due: list[Hit], happen: Callable[[int, State], State]) -> State:
        """Let the events of one instant happen in turn and return the state after them.

        The map of an event acts on what the maps before it left, and only if the event still crosses; one
        that a later map drives across again happens again.

        Args:
            due: The events, from `search`.
            happen: Records an event at a state, and returns the state after its map.

        Raises:
            SimulationError: If an event fired just before, or the maps at this instant drive each other on
                without end: bounces that pile up never end.
        """
        start = state = due[0].state
        side = {hit.index: hit.before for hit in due}
        queue = list(side)
        mapped: list[int] = []
        while queue:
            index = queue.pop(0)
            event = self.events[index]
            if event.map is None:
                happen(index, start)
            elif state is start or event.terminal or event.crossed(side[index], self._later(index, state)):
                state = happen(index, state)
                mapped.append(index)
                if len(mapped) > MOST_AT_ONCE:
                    raise _piled_up(event)
                side[index] = self._later(index, state)
                queue += [k for k in side if k not in queue and self._driven(k, side[k], state)]
        self.begin(state, {*side, *self._passed})
        for index in set(mapped):
            if state.t - self._fired[index] < SHORTEST_RETURN:
                raise _piled_up(self.events[index])
            self._fired[index] = state.t
        return state

    def _later(self, index: int, state: State) -> float:
        """Return g a moment after a state."""
        q = integrate(self.model, state.q, state.v, INSTANT)
        return self.events[index].value(state.t + INSTANT, q, state.v + INSTANT * state.a)

    def _driven(self, index: int, side: float, state: State) -> bool:
        event = self.events[index]
        return event.map is not None and event.crossed(side, self._later(index, state))

    def _divide(self, look: _Look, hits: list[Hit]) -> tuple[list[Hit], list[Hit]]:
        """Return the hits before the one that cuts the step, and those at its instant."""
        moved: set[int] = set()
        while True:
            hits.sort(key=lambda hit: hit.s)
            first = next((i for i, hit in enumerate(hits) if self.events[hit.index].cuts), None)
            if first is None:
                return hits, []
            cut, passed = hits[first], hits[:first]
            due = [cut]
            for hit in hits[first + 1 :]:
                near = hit.s - cut.s <= COINCIDENT
                if near and hit.index not in {other.index for other in due}:
                    due.append(hit)
            known = moved | {hit.index for hit in due + passed}
            crossed = [
                found
                for k in range(len(self.events))
                if k not in known and (found := self._before(look, k, cut))
            ]
            if not crossed:
                self._passed = {hit.index for hit in passed if cut.s - hit.s <= COINCIDENT}
                return passed, [hit for hit in due if hit is cut or hit.index not in self._passed]
            moved |= {hit.index for hit in crossed}
            hits = [hit for hit in hits if hit.index not in moved] + crossed

    def _before(self, look: _Look, index: int, cut: Hit) -> Hit | None:
        """Return the crossing of an event before a cut that was located behind it, or missed."""
        i = max(i for i, s in enumerate(look.sizes) if s <= cut.s)
        value = self.events[index].value(cut.state.t, cut.state.q, cut.state.v)
        crossed = self.events[index].crossed(look.values[index][i], value)
        return self._locate(look, index, i, cut.s) if crossed else None

    def _locate(self, look: _Look, index: int, i: int, right: float) -> Hit:
        """Return the crossing between the i-th known point of a step and `right`, a size [s].

        Where dense output and step disagree by rounding, the crossing is looked for in the neighbourhood.
        """
        before = look.values[index][i]

        def g(s: float) -> float:
            state = look.state(s)
            return before if s == 0.0 else self.events[index].value(state.t, state.q, state.v)

        left, rights = i, [right, *(s for s in look.sizes if s > right)]
        while left > 0 and g(look.sizes[left]) * before <= 0.0:
            left, rights = left - 1, [look.sizes[left]]
        if left == 0 and look.values[index][0] * before <= 0.0:
            root = look.sizes[i]
        else:
            ends = [s for s in rights if g(s) * before <= 0.0]
            root = _brent(g, look.sizes[left], ends[0]) if ends else right
        return Hit(index, root, look.state(root), before)


def _brent(g: Callable[[float], float], left: float, right: float) -> float:
    return float(brentq(g, left, right, xtol=TIME_TOLERANCE, rtol=4.0 * np.finfo(float).eps))


def _piled_up(event: Event) -> SimulationError:
    return SimulationError(
        f"event {event.name!r} returns within {SHORTEST_RETURN:g} s: its bounces pile up. Make it terminal, "
        "or let its map end them (plastic_impact)."
    )
