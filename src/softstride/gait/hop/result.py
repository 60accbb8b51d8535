"""What a hop returns: motion and loads, events, and where the energy went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.capture.recording import Event
from softstride.dynamics.loads import AppliedWrench, Loads
from softstride.engine.passive import passive_forces
from softstride.errors import Option
from softstride.frozen import Table
from softstride.gait.hop.footing import Footing
from softstride.gait.hop.leg import BladeLeg
from softstride.gait.hop.phases import Hopper, Phase
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note
from softstride.simulation import Statistics, work_along
from softstride.simulation.fields import ForceField
from softstride.simulation.system import System
from softstride.simulation.work import Power, damping_power

Floats = NDArray[np.float64]

OPEN = 0.01
"""Share of the energy in play that may be left open without a word."""


@dataclass(frozen=True)
class HopEnergy:
    """Where the energy of a hop went [J].

    Attributes:
        start: Kinetic, gravity and elastic energy at the start.
        end: At the end.
        impact_loss: Lost in plastic landings.
        absorbed: Taken up by the blade until it was bent most: stored, and lost on the way.
        stored: Largest elastic energy of the blade.
        returned: Given back by the blade until take-off.
        blade_loss: Lost in the blade all the time.
        joint_work: Of hip and knee.
        contact_work: Of springs under the blade; below zero, what they lost.
        gap: What is left open.
    """

    start: float
    end: float
    impact_loss: float
    absorbed: float
    stored: float
    returned: float
    blade_loss: float
    joint_work: float
    contact_work: float
    gap: float

    @property
    def return_ratio(self) -> float:
        """Returned over absorbed; NaN for a blade that took up nothing."""
        return self.returned / self.absorbed if self.absorbed > 0.0 else float("nan")

    @property
    def relative_gap(self) -> float:
        """Gap over the largest of the energies that changed hands."""
        sizes = (self.absorbed, abs(self.joint_work), abs(self.end - self.start), abs(self.contact_work))
        return abs(self.gap) / max(sizes) if max(sizes) > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class HopResult:
    """A hop.

    Attributes:
        leg: The leg.
        contact: "rolling", "outline" or "spheres".
        motion: Every step; at a landing the state after it.
        loads: Moments of hip and knee with what the blade does (`elastic`), and the wrench "ground".
        phases: The phases in order: name, first and last instant [s].
        events: When it first landed, was lowest, finally took off and was at the top [s], by name.
        energy: Where the energy went.
        energies: "kinetic", "gravity" and "elastic" energy, each of shape (n,), [J].
        statistics: Steps, right-hand sides and Jacobians, all phases together.
        completed: Whether the top was reached.
        ended: Why not; empty if it was.
    """

    leg: BladeLeg
    contact: str
    motion: Motion
    loads: Loads
    phases: tuple[tuple[str, float, float], ...]
    events: Mapping[str, float]
    energy: HopEnergy
    energies: Mapping[str, Floats]
    statistics: Statistics
    completed: bool
    ended: str

    @property
    def ground(self) -> AppliedWrench:
        """What the ground does to the blade."""
        return self.loads.wrenches["ground"]

    @property
    def peak_force(self) -> float:
        """Largest vertical force of the ground [N]."""
        return float(self.ground.force[:, 1].max())

    @property
    def contact_time(self) -> float:
        """From landing to take-off [s]; NaN if one of them is missing."""
        return self.events.get("take-off", float("nan")) - self.events.get("landing", float("nan"))

    @property
    def rise(self) -> float:
        """How much higher the hip is at the end than at the landing [m]; NaN without a landing."""
        height = self.motion.coordinate("hip_y")
        if "landing" not in self.events:
            return float("nan")
        return float(height[-1] - np.interp(self.events["landing"], self.motion.time, height))

    def sticks(self) -> dict[str, Floats]:
        """Return lines of a stick figure, each (n, k, 2), [m]: "leg" from hip to clamp, "blade" along its middle."""
        model, q = self.leg.model, self.motion.q
        joints = engine.positions(model, q, ["thigh", "shank"])
        blade = self.leg.centreline(q, np.linspace(0.0, 1.0, 25))
        return {"leg": np.concatenate([joints, blade[:, :1]], axis=1)[..., :2], "blade": blade[..., :2]}


def build_result(hopper: Hopper, leg: BladeLeg, footing: Footing, contact: str) -> HopResult:
    """Put the phases together."""
    phases = [phase for phase in hopper.phases if len(phase.run.time) > 1]
    energy = _energy(leg, phases)
    parts = [_samples(leg, footing, phase, last=phase is phases[-1]) for phase in phases]
    time, q, v, a, tau, force, point, kinetic, gravity, elastic = (
        np.concatenate([part[i] for part in parts]) for i in range(10)
    )
    wrench = AppliedWrench(leg.blade, force, point, np.zeros_like(force))
    events = tuple(Event(name, t, None, source="simulation") for name, t in hopper.events)
    notes = [hopper.ended] if hopper.ended else []
    if energy.relative_gap > OPEN:
        free = Option("dt", None)
        notes.append(
            Note(
                "energy.balance-open",
                f"the energy balance is open by {100 * energy.relative_gap:.2g} %: the steps are too long for what "
                "this blade does",
                "warning",
                topic="energy",
                values={"gap_percent": 100 * energy.relative_gap},
                fix=f"take {free}",
                options=(free,),
            )
        )
    counts = [phase.run.statistics for phase in hopper.phases]
    return HopResult(
        leg=leg,
        contact=contact,
        motion=Motion(leg.model, time, q, rates=(v, a), events=events, notes=tuple(notes)),
        loads=Loads(
            leg.model,
            time,
            tau,
            wrenches=Table({"ground": wrench}),
            elastic=passive_forces(leg.model, q, v),
        ),
        phases=tuple((phase.name, float(phase.run.time[0]), float(phase.run.time[-1])) for phase in phases),
        events=Table(_named(hopper.events)),
        energy=energy,
        energies=Table({"kinetic": kinetic, "gravity": gravity, "elastic": elastic}),
        statistics=Statistics(
            *(
                sum(getattr(each, name) for each in counts)
                for name in ("steps", "rejected", "evaluations", "jacobians")
            )
        ),
        completed=not hopper.ended,
        ended=str(hopper.ended or ""),
    )


def _named(events: list[tuple[str, float]]) -> dict[str, float]:
    """Return instants by name in order of time: the first of each, of take-offs the last."""
    found = dict(reversed(events)) | {name: t for name, t in events if name == "take-off"}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _samples(leg: BladeLeg, footing: Footing, phase: Phase, *, last: bool) -> tuple[Floats, ...]:
    """Return time, q, v, a, tau, force, point and energies of a phase; its end is the start of the next one."""
    run = phase.run
    keep = slice(0, None if last else -1)
    time, q, v = run.time[keep], run.q[keep], run.v[keep]
    if phase.stands:
        force, point = footing.ground(q, v, run.multipliers[keep])
    else:
        force, point = np.zeros((len(time), 3)), np.full((len(time), 3), np.nan)
    tau = phase.control.forces(leg.model, time, q, v) + passive_forces(leg.model, q, v)
    parts = (run.energy.kinetic, run.energy.gravity, run.energy.elastic)
    return time, q, v, run.a[keep], tau, force, point, *(np.asarray(each)[keep] for each in parts)


def _energy(leg: BladeLeg, phases: list[Phase]) -> HopEnergy:
    """Add up what every phase did."""
    model = leg.model
    joints, springs, losses, elastic = [], [], [], []
    for phase in phases:
        works = [work_along(model, phase.run, _power(model, field)) for field in phase.fields]
        joints.append(works[0])
        springs.append(works[1] if len(works) > 1 else np.zeros_like(works[0]))
        losses.append(work_along(model, phase.run, lambda t, q, v: damping_power(model, q, v)))
        elastic.append(np.asarray(phase.run.energy.elastic))
    stored, when = max((float(each.max()), (i, int(each.argmax()))) for i, each in enumerate(elastic))
    standing = [i for i, phase in enumerate(phases) if phase.stands]
    lost = np.cumsum([0.0, *(each[-1] for each in losses)])
    before = -(lost[when[0]] + losses[when[0]][when[1]])
    end = standing[-1] if standing else len(phases) - 1
    after = -(lost[end + 1]) - before
    joint, spring = (float(sum(each[-1] for each in parts)) for parts in (joints, springs))
    blade, impact = -float(lost[-1]), float(sum(phase.impact_loss for phase in phases))
    first, last = float(phases[0].run.energy.total[0]), float(phases[-1].run.energy.total[-1])
    return HopEnergy(
        start=first,
        end=last,
        impact_loss=impact,
        absorbed=stored + before,
        stored=stored,
        returned=stored - float(elastic[end][-1]) - after,
        blade_loss=blade,
        joint_work=joint,
        contact_work=spring,
        gap=last - first - joint - spring + blade + impact,
    )


def _power(model: Model, field: ForceField) -> Power:
    system = System(model, fields=(field,))
    return lambda t, q, v: np.einsum("fi,fi->f", system.loads(t, q, v), v)
