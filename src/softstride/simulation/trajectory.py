"""What a forward simulation returns: the motion, what happened on the way, and how well it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.engine import Energy
from softstride.errors import SimulationError
from softstride.notes import Note
from softstride.results import Frames, Result, owned, values
from softstride.simulation.system import System

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EventFound:
    """An event that was located.

    Attributes:
        name: Name of the event.
        index: Its place among the events given.
        time: When [s].
        q: Configuration there, shape (nq,).
        v: Velocity just before, shape (nv,).
        value: What is left of the event function there.
        q_after: Configuration after the event's map; the same as q where there is none.
        v_after: Velocity after the event's map.
    """

    name: str
    index: int
    time: float
    q: FloatArray
    v: FloatArray
    value: float
    q_after: FloatArray
    v_after: FloatArray


@dataclass(frozen=True)
class Statistics:
    """How much work it was: accepted and rejected steps, evaluated accelerations, Jacobians."""

    steps: int
    rejected: int
    evaluations: int
    jacobians: int


class Trajectory(Result, of="a trajectory"):
    """A simulated motion.

    Attributes:
        time: Instants [s], shape (n_frames,), never decreasing; an event with a map appears twice, before
            and after; events at one instant once more after each further map.
        q: Configurations, shape (n_frames, nq).
        v: Velocities, shape (n_frames, nv).
        a: Accelerations, shape (n_frames, nv).
        multipliers: Forces of the constraints, shape (n_frames, rows): [N] on points, along the rows'
            directions; [N·m] or [N] on driven coordinates.
        residual: Position residuals of the constraints phi(q), shape (n_frames, rows), [m].
        residual_rate: Velocity residuals J v + dphi/dt, shape (n_frames, rows), [m/s].
        energy: Kinetic, gravity, elastic and total energy, each (n_frames,), [J].
        events: The events found, in time order.
        completed: Whether the end of the time span was reached; False after a terminal event or a failure.
        statistics: Work done.
        notes: What the caller should know.
    """

    time: FloatArray = values("time", "s")
    q: FloatArray = values("time configuration")
    v: FloatArray = values("time coordinate")
    a: FloatArray = values("time coordinate")
    multipliers: FloatArray = values("time constraint")
    residual: FloatArray = values("time constraint", "m")
    residual_rate: FloatArray = values("time constraint", "m/s")
    energy: Energy
    events: tuple[EventFound, ...]
    completed: bool
    statistics: Statistics
    notes: tuple[Note, ...] = ()

    def _at(self, frames: Frames) -> dict[str, Any]:
        found = super()._at(frames)
        return found | {"energy": Energy(*(owned(part[frames]) for part in vars(self.energy).values()))}

    @property
    def energy_drift(self) -> float:
        """Largest departure of the total energy from its first value [J]."""
        total = self.energy.total
        return float(np.max(np.abs(total - total[0]))) if len(total) else 0.0

    @property
    def constraint_drift(self) -> float:
        """Largest position residual of the constraints [m]."""
        return float(np.max(np.abs(self.residual), initial=0.0))


class SimulationStopped(SimulationError):
    """A simulation that could not go on.

    Attributes:
        time: When it stopped [s].
        partial: The trajectory up to there.
    """

    def __init__(self, message: str, time: float, partial: Trajectory) -> None:
        """Keep what was computed."""
        super().__init__(message)
        self.time = time
        self.partial = partial


def build_trajectory(
    system: System,
    rows: list[tuple[float, FloatArray, FloatArray]],
    events: tuple[EventFound, ...],
    completed: bool,
    statistics: Statistics,
    notes: tuple[Note, ...],
) -> Trajectory:
    """Evaluate accelerations, multipliers, residuals and energy of all stored states at once."""
    model = system.model
    t = np.array([row[0] for row in rows])
    q = np.array([row[1] for row in rows]).reshape(-1, model.nq)
    v = np.array([row[2] for row in rows]).reshape(-1, model.nv)
    a, multipliers = system.acceleration(t, q, v)
    rate = system.constraint_rate(t, q, v, system.constraints.jacobian(q, t))
    residual = system.constraints.residual(q, t)
    energy = engine.energy(model, q, v)
    return Trajectory(t, q, v, a, multipliers, residual, rate, energy, events, completed, statistics, notes)
