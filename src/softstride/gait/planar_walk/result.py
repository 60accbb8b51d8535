"""What a simulated stance returns: motion and loads in the types of the rest, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.capture.recording import Event
from softstride.contact import outside
from softstride.dynamics.loads import AppliedWrench, Loads
from softstride.engine.passive import passive_forces
from softstride.frozen import Table
from softstride.gait.planar_walk.actuation import GivenForce
from softstride.gait.planar_walk.footing import Footing, RollingFooting
from softstride.gait.planar_walk.reference import StanceReference
from softstride.kinematics.motion import Motion
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.naming import LETTERS
from softstride.notes import Note
from softstride.simulation import Statistics, Trajectory, energy_balance
from softstride.simulation.constraints import AnyConstraint
from softstride.simulation.fields import ForceField

Floats = NDArray[np.float64]

TOUCH, TOUCHING = 1e-6, 20.0
"""Vertical forces below which nothing acts, and below which a measured foot is off the ground [N]."""

OPEN = 0.01
"""Share of the largest energy in play that may be left open without a word."""

FLAT, RISEN = np.radians(1.0), np.radians(3.0)
"""Tilts: a foot is flat from one degree toe up on, and its heel is off from three degrees heel up on."""


@dataclass(frozen=True)
class Certificate:
    """How far a stance can be trusted.

    Attributes:
        least_force: Least vertical force of the ground on the foot [N]; below 0 it would pull at a rolling foot.
        friction_margin: Least of mu Fy - |Fx| [N]; a rolling foot would slip where it is below 0.
        constraint_drift: Largest residual of the constraints [m] or [rad].
        energy_gap: What the energy balance leaves open, over the largest energy in play.
        pelvis_force: Root mean square of what computed torque pulls at the pelvis [N].
        tilt_outside: What is wrong with the tilts of a rolling foot; empty if nothing is.
    """

    least_force: float
    friction_margin: float
    constraint_drift: float
    energy_gap: float
    pelvis_force: float
    tilt_outside: str = ""

    @property
    def doubts(self) -> tuple[Note, ...]:
        """What is doubtful; nothing for a stance that can be trusted."""
        found = []
        if self.tilt_outside:
            found.append(Note("feet.tilt-outside", self.tilt_outside, "warning", topic="feet"))
        if self.energy_gap > OPEN:
            words = (
                f"the energy balance is open by {100 * self.energy_gap:.2g} % of the largest energy in play: more "
                "happens than the steps of the integrator follow, such as springs that ring under the foot"
            )
            found.append(
                Note(
                    "energy.balance-open",
                    words,
                    "warning",
                    topic="energy",
                    values={"gap_percent": 100 * self.energy_gap},
                    fix="do not trust peaks of its force",
                )
            )
        return tuple(found)


@dataclass(frozen=True, eq=False)
class StanceResult:
    """A simulated stance.

    Attributes:
        contact: "rolling" or "spheres".
        motion: Of the planar walker, every step, with its events.
        loads: Joint moments (those of driven joints and of computed torque), and as wrenches "ground_right" and
            "ground_left" what the ground did to the whole of each foot.
        reference: What was given.
        tilt: Of the foot that stands, heel up positive, shape (n,), [rad].
        certificate: How far it can be trusted.
        statistics: Steps, right-hand sides and Jacobians.
        completed: Whether the end of the window was reached.
        ended: Why not; empty if it was.
    """

    contact: str
    motion: Motion
    loads: Loads
    reference: StanceReference
    tilt: Floats
    certificate: Certificate
    statistics: Statistics
    completed: bool
    ended: str

    @property
    def ankle(self) -> Floats:
        """Angle of the ankle that stands, dorsiflexion positive, shape (n,), [rad]."""
        return self.motion.coordinate(f"ankle_{self.reference.side}")

    @property
    def ankle_error(self) -> Floats:
        """Simulated less measured angle of that ankle at the measured frames in between, [rad]."""
        frames, measured = self.measured(f"ankle_{self.reference.side}")
        return np.asarray(np.interp(frames, self.motion.time, self.ankle) - measured)

    @property
    def ankle_rms_deg(self) -> float:
        """Root mean square of `ankle_error` [degrees]; NaN without a measured frame in between."""
        error = self.ankle_error
        return float(np.degrees(np.sqrt(np.mean(error**2)))) if len(error) else float("nan")

    @property
    def ground(self) -> AppliedWrench:
        """What the ground does to the foot that stands: force and centre of pressure."""
        return self.loads.wrenches[f"ground_{LETTERS[self.reference.side]}"]

    def measured(self, name: str) -> tuple[Floats, Floats]:
        """Return the measured frames inside the stance [s], and a coordinate there."""
        time = self.reference.time
        inside = (time >= self.motion.time[0]) & (time <= self.motion.time[-1])
        return time[inside], np.asarray(self.reference.measured[name])[inside]

    def measured_force(self) -> tuple[Floats, Floats]:
        """Return the measured frames inside the stance [s], and the measured (Fx, Fy), shape (m, 2), [N]."""
        time = self.reference.time
        inside = (time >= self.motion.time[0]) & (time <= self.motion.time[-1])
        return time[inside], np.asarray(self.reference.wrenches[self.reference.side])[inside, :2]

    def sticks(self) -> dict[str, Floats]:
        """Return lines of a stick figure, each (n, k, 2), [m]: "trunk", "leg_r", "foot_r", "leg_l", "foot_l"."""
        model, q = self.motion.model, self.motion.q
        lines: dict[str, list[str]] = {"trunk": ["pelvis", "trunk", "shoulders"]}
        for side in LETTERS:
            lines[f"leg_{side}"] = ["pelvis", f"shank_{side}", f"foot_{side}"]
            lines[f"foot_{side}"] = [
                f"foot_{side}",
                f"heel_{side}",
                f"ball_{side}",
                f"tip_{side}",
                f"foot_{side}",
            ]
        return {name: engine.positions(model, q, places)[..., :2] for name, places in lines.items()}


def build_result(
    model: Model,
    reference: StanceReference,
    footing: Footing,
    run: Trajectory,
    fields: Sequence[ForceField],
    constraints: Sequence[AnyConstraint],
    floor: float,
    friction: float,
    ended: str,
) -> StanceResult:
    """Evaluate a trajectory: ground forces, joint moments, events, certificates."""
    rolls = isinstance(footing, RollingFooting)
    ground = footing.ground_wrench(model, run.q, run.v, run.multipliers)
    pulled = np.flatnonzero(ground[:, 1] <= 0.0) if rolls else np.zeros(0, dtype=np.intp)
    if len(pulled) and not ended:
        ended = (
            f"the ground would have to pull at the rolling foot from {run.time[pulled[0]]:.4g} s on: the foot leaves "
            "it, or the reference does not suit the surface"
        )
    keep = slice(0, max(2, int(pulled[0]) if len(pulled) else len(run.time)))
    time, q, v, a, ground = (part[keep] for part in (run.time, run.q, run.v, run.a, ground))
    T = engine.poses(model, q, f"sole_{reference.side}")
    tilt = np.asarray(-np.arctan2(T[:, 1, 0], T[:, 0, 0]))
    foot = footing.ground_forces(model, q, v, run.multipliers[keep])
    loads = _loads(model, reference, (time, q, v, a), ground, foot, floor)
    certificate = Certificate(
        least_force=float(ground[:, 1].min()),
        friction_margin=float(np.min(friction * ground[:, 1] - np.abs(ground[:, 0]))),
        constraint_drift=run.constraint_drift,
        energy_gap=energy_balance(model, run, fields=fields, constraints=constraints).relative_gap,
        pelvis_force=float(np.sqrt(np.mean(np.sum(loads.tau[:, :2] ** 2, axis=1)))),
        tilt_outside=outside(footing.surface, tilt) if isinstance(footing, RollingFooting) else "",
    )
    end = float(time[-1])
    early = [Note("stance.ended", ended, "warning", topic="stance", span=(end, end))] if ended else []
    return StanceResult(
        "rolling" if rolls else "spheres",
        Motion(
            model,
            time,
            q,
            rates=(v, a),
            events=_events(reference, time, tilt),
            notes=(*early, *certificate.doubts),
        ),
        loads,
        reference,
        tilt,
        certificate,
        run.statistics,
        run.completed and not ended,
        ended,
    )


def _loads(
    model: Model,
    reference: StanceReference,
    state: tuple[Floats, Floats, Floats, Floats],
    ground: Floats,
    foot: Floats,
    floor: float,
) -> Loads:
    """Return joint moments by inverse dynamics under the forces of the ground, and these forces."""
    time, q, v, a = state
    side = reference.side
    other = "l" if side == "r" else "r"
    planar = {side: ground, other: reference.forces[other](time)}
    wrenches = {f"ground_{LETTERS[each]}": _on_floor(f"foot_{each}", w, floor) for each, w in planar.items()}
    given = GivenForce(Frame(f"foot_{other}"), reference.forces[other])
    tau = np.asarray(engine.inverse_dynamics(model, q, v, a)) - foot - given.forces(model, time, q, v)
    return Loads(model, time, tau, wrenches=Table(wrenches), elastic=passive_forces(model, q, v))


def _on_floor(link: str, wrench: Floats, floor: float) -> AppliedWrench:
    """Return (Fx, Fy, Mz) as a force at its centre of pressure on the floor; nothing where it does not press."""
    on = wrench[:, 1] > TOUCH
    force, point = np.zeros((len(on), 3)), np.full((len(on), 3), np.nan)
    force[on, :2] = wrench[on, :2]
    point[on, 0] = (wrench[on, 2] + floor * wrench[on, 0]) / wrench[on, 1]
    point[on, 1:] = floor, 0.0
    return AppliedWrench(link, force, point, np.zeros((len(on), 3)))


def _events(reference: StanceReference, time: Floats, tilt: Floats) -> tuple[Event, ...]:
    """Return when the foot gets flat, when its heel rises, and when the other foot is off, as far as they are there."""
    side = reference.side
    other = "l" if side == "r" else "r"
    found = [("foot flat", tilt + FLAT, side), ("heel off", tilt - RISEN, side)]
    found.append(("off", TOUCHING - reference.forces[other](time)[:, 1], other))
    events = []
    for label, course, foot in found:
        rises = np.flatnonzero((course[:-1] < 0.0) & (course[1:] >= 0.0))
        if len(rises):
            i = int(rises[0])
            share = course[i] / (course[i] - course[i + 1])
            instant = float(time[i] + share * (time[i + 1] - time[i]))
            events.append(Event(label, instant, LETTERS[foot], source="simulation"))
    return tuple(events)
