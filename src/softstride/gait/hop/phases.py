"""The phases of a hop, one after the other: falling, landing, going down, pushing off, flying to the top."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.errors import Option, SimulationError
from softstride.gait.hop.control import LegControl
from softstride.gait.hop.footing import Footing, RollingBlade, SphereBlade
from softstride.gait.hop.leg import BladeLeg
from softstride.notes import Note
from softstride.simulation import Event, SimulationStopped, Trajectory, plastic_impact, simulate
from softstride.simulation.constraints import Constraint, ConstraintSet
from softstride.simulation.fields import ForceField
from softstride.simulation.system import StepFailure, System

Floats = NDArray[np.float64]

LONGEST = {"flight": 1.5, "stance": 1.0}
"""How long a phase may last [s]."""

GRACE = 5e-3
"""For so long after a landing no take-off is looked for [s]: the blow makes the blade ring, faster than steps of a
millisecond can follow, and while it rings the sign of the force at a single instant says nothing."""

GRADED = GRACE * 0.5 ** np.arange(17, 0, -1)
"""Instants after a landing at which steps end [s]: the blow dies out in the blade within microseconds to a millisecond,
and the energy lost then would not be seen by longer steps, stable as they are."""

GRAZE = 5e-7
"""A blade that took off lands again when it is this deep in the ground [m]: at take-off it touches by rounding."""

MOST_CONTACTS = 20
"""How often the blade may touch the ground again before it counts as rattling."""

ENDED = "hop.ended"
"""Code of the note on why a hop ended before its top."""


@dataclass(frozen=True, eq=False)
class Phase:
    """A phase that was simulated.

    Attributes:
        name: "fall", "down", "push" or "rise".
        run: Its trajectory.
        control: Moments of hip and knee.
        fields: All forces.
        stands: Whether the blade is on the ground.
        impact_loss: Energy that the landing before it took [J].
    """

    name: str
    run: Trajectory
    control: LegControl
    fields: tuple[ForceField, ...]
    stands: bool
    impact_loss: float


@dataclass(eq=False)
class Hopper:
    """A leg on its way through a hop."""

    leg: BladeLeg
    footing: Footing
    control: LegControl
    pushing: LegControl
    method: str
    dt: float | None
    fallen: float
    max_steps: int
    phases: list[Phase] = field(default_factory=list)
    events: list[tuple[str, float]] = field(default_factory=list)
    ended: Note | None = None

    def go(self, q: Floats, v: Floats) -> None:
        """Fall, land, push off and rise to the top."""
        t, q, v = self._phase("fall", 0.0, q, v, self.control, ("landing",))
        contacts, pushes, loss = 0, False, 0.0
        while not self.ended and self._last() != "apex":
            contacts += 1
            if contacts > MOST_CONTACTS:
                self._end(
                    f"the blade rattles: it touched the ground {MOST_CONTACTS} times until {t:.4g} s", t
                )
                return
            v, loss = self._land(q, v)
            while not self.ended and self._last() in ("landing", "lowest"):
                pushes = pushes or self._last() == "lowest"
                name, control = ("push", self.pushing) if pushes else ("down", self.control)
                ends = ("take-off",) if pushes else ("take-off", "lowest")
                t, q, v = self._phase(name, t, q, v, control, ends, stands=True, loss=loss)
                loss = 0.0
            if not self.ended:
                t, q, v = self._phase(
                    "rise", t, q, v, self.pushing if pushes else self.control, ("apex", "landing")
                )

    def _end(self, words: str, time: float, **facts: Any) -> None:
        """Keep why and when [s] the hop ended before its top."""
        self.ended = Note(ENDED, words, "warning", topic="hop", span=(time, time), **facts)

    def _last(self) -> str:
        return self.events[-1][0] if self.events else ""

    def _land(self, q: Floats, v: Floats) -> tuple[Floats, float]:
        """Return the velocity after landing and the energy lost; springs land by themselves."""
        if not isinstance(self.footing, RollingBlade):
            return v, 0.0
        hit = plastic_impact(self.leg.model, q, v, [self.footing.constraint])
        return hit.v, hit.energy_lost

    def _phase(
        self,
        name: str,
        t: float,
        q: Floats,
        v: Floats,
        control: LegControl,
        ends: tuple[str, ...],
        stands: bool = False,
        loss: float = 0.0,
    ) -> tuple[float, Floats, Floats]:
        """Simulate until one of the events; record both; return where it ended."""
        held: tuple[Constraint, ...] = ()
        fields: tuple[ForceField, ...] = (control,)
        if stands and isinstance(self.footing, RollingBlade):
            held = (self.footing.constraint,)
        elif stands and isinstance(self.footing, SphereBlade):
            fields = (control, self.footing.spheres)
        events = [self._event(each, held, fields, self._held_until()) for each in ends]
        events.append(Event(lambda t, q, v: q[1] - self.fallen, "collapsed", direction=-1, terminal=True))
        last = t + LONGEST["stance" if stands else "flight"]
        landed = stands and self._last() == "landing"
        try:
            run = simulate(
                self.leg.model,
                q,
                v,
                (t, last),
                fields=fields,
                constraints=held,
                events=events,
                method=self.method,
                dt=self.dt,
                rtol=1e-5,
                atol=np.repeat([1e-7, 1e-5], self.leg.model.nv),
                max_steps=self.max_steps,
                breakpoints=t + GRADED if landed else (),
            )
        except SimulationStopped as stop:
            run, at = stop.partial, stop.time
            if self.dt is not None and isinstance(stop.__cause__, StepFailure):
                free = Option("dt", None)
                words = str(stop).removesuffix(".")
                self._end(words, at, fix=f"take {free}", options=(*stop.options, free))
            else:
                self._end(str(stop), at, options=stop.options)
            if len(run.time) < 2 and not self.phases:
                raise SimulationError(f"a hop could not begin: {stop}") from stop
        self.phases.append(Phase(name, run, control, fields, stands, loss))
        if run.events:
            found = run.events[-1]
            self.events.append((found.name, found.time))
            if found.name == "collapsed":
                low = f"its hip is below {self.fallen:.3g} m"
                self._end(f"the leg collapsed at {found.time:.4g} s: {low}", found.time)
            return found.time, found.q, found.v
        if not self.ended:
            self._end(f"the phase {name!r} lasted longer than {last - t:g} s, until {last:.4g} s", last)
        return float(run.time[-1]), run.q[-1], run.v[-1]

    def _held_until(self) -> float:
        """Return until when the blade is held down [s]."""
        landings = [t for name, t in self.events if name == "landing"]
        return landings[-1] + GRACE if landings else -np.inf

    def _event(
        self, name: str, held: tuple[Constraint, ...], fields: tuple[ForceField, ...], until: float
    ) -> Event:
        model, footing = self.leg.model, self.footing
        if name == "landing":
            slack = GRAZE if self.events else 0.0
            return Event(
                lambda t, q, v: footing.height(q[None])[0] + slack, name, direction=-1, terminal=True
            )
        if name == "lowest":
            return Event(lambda t, q, v: v[1], name, direction=1, terminal=True)
        if name == "apex":
            return Event(
                lambda t, q, v: engine.com_velocity(model, q[None], v[None])[0, 1],
                name,
                direction=-1,
                terminal=True,
            )
        if held:
            system = System(model, constraints=ConstraintSet(model, held), fields=fields)

            def pressed(t: float, q: Floats, v: Floats) -> float:
                if t < until:
                    return 1.0
                return float(system.acceleration(np.array([t]), q[None], v[None])[1][0, 0])

            return Event(pressed, name, direction=-1, terminal=True)

        def above(t: float, q: Floats, v: Floats) -> float:
            return -1.0 if t < until else float(footing.height(q[None])[0])

        return Event(above, name, direction=1, terminal=True)
