"""What a walk leaves behind besides its frames: phases, transitions and steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.naming import Side, other_side
from softstride.results import Labels, Result, values

Floats = NDArray[np.float64]

PLANE = ("forward", "up")

TRANSITIONS = ("toe_off", "foot_flat", "heel_off", "heel_strike")
"""What ends phases 1 to 4: of the leg that swings, of the standing one twice, of the one that swung."""


def transition_names(stance: Side) -> tuple[str, str, str, str]:
    """Return the names of the transitions of a step, "left_toe_off" and so on where the right leg stands."""
    swing = other_side(stance)
    return f"{swing}_toe_off", f"{stance}_foot_flat", f"{stance}_heel_off", f"{swing}_heel_strike"


@dataclass(frozen=True, eq=False)
class Transition:
    """An event that ends a phase, and what it did.

    Attributes:
        name: As in `transition_names`.
        time: When [s].
        theta: Angles of the segments of the person, shape (7,), [rad].
        omega: Rates before, shape (7,), [rad/s].
        omega_after: Rates after, shape (7,), [rad/s].
        energy_before: Kinetic, potential and spring energy before [J].
        energy_after: After [J].
    """

    name: str
    time: float
    theta: Floats
    omega: Floats
    omega_after: Floats
    energy_before: float
    energy_after: float

    @property
    def energy_lost(self) -> float:
        """What the event takes [J]; below zero where it gives."""
        return self.energy_before - self.energy_after


@dataclass(frozen=True, eq=False)
class PhaseRecord:
    """The balance of energy of one phase: change = work of muscles + of ligaments and toe spring + of the hip damper.

    Attributes:
        step: Number of the step, from 1.
        phase: 1 to 4.
        start: When it began [s].
        end: When it ended [s].
        energy_start: Kinetic, potential and spring energy [J].
        energy_end: [J].
        work: Of each joint of the person, shape (6,), [J].
        passive: Work of ligaments and toe spring [J].
        damper: Work of the hip damper, never above zero [J].
    """

    step: int
    phase: int
    start: float
    end: float
    energy_start: float
    energy_end: float
    work: Floats
    passive: float
    damper: float

    @property
    def error(self) -> float:
        """What the balance misses [J]."""
        given = float(np.sum(self.work)) + self.passive + self.damper
        return self.energy_end - self.energy_start - given


class Step(Result, of="a step"):
    """One step, from heel strike to heel strike.

    Attributes:
        number: From 1.
        stance: "right" or "left", the leg that stands.
        start: When the step began [s].
        events: Instants by name, "left_toe_off", "right_foot_flat", "right_heel_off" and "left_heel_strike" where the
            right leg stands [s]; those that were reached.
        length: From the heel that stands to the heel that strikes [m]; NaN if it did not.
        heel_strike_loss: Energy lost in that impact [J]; NaN if there was none or the walk ends there.
        foot_flat_loss: Energy lost as the sole met the floor [J]; NaN if it did not.
        heel_impulse: Of the floor on the striking heel, forward and up, shape (2,), [N s]; NaN as above.
        toe_impulse: On the toe that had stood, shape (2,), [N s]; pulling if below zero upwards.
    """

    number: int
    stance: Side
    start: float
    events: Mapping[str, float]
    length: float
    heel_strike_loss: float
    foot_flat_loss: float
    heel_impulse: Floats = values("plane", "N s")
    toe_impulse: Floats = values("plane", "N s")

    LABELS: ClassVar[Mapping[str, Labels]] = {"plane": lambda _: PLANE}

    def _event(self, place: int) -> float:
        return self.events.get(transition_names(self.stance)[place], float("nan"))

    @property
    def toe_off(self) -> float:
        """When the toe of the leg that swings left the floor [s]; NaN if it did not, as the others."""
        return self._event(0)

    @property
    def foot_flat(self) -> float:
        """When the standing sole met the floor [s]."""
        return self._event(1)

    @property
    def heel_off(self) -> float:
        """When the standing heel rose [s]."""
        return self._event(2)

    @property
    def heel_strike(self) -> float:
        """When the other heel struck [s]."""
        return self._event(3)

    @property
    def duration(self) -> float:
        """From heel strike to heel strike [s]."""
        return self.heel_strike - self.start

    @property
    def speed(self) -> float:
        """Length over duration [m/s]."""
        return self.length / self.duration

    @property
    def completed(self) -> bool:
        """Whether the heel struck."""
        return bool(np.isfinite(self.heel_strike))


@dataclass(frozen=True)
class Certificate:
    """How far a walk is to be trusted.

    Attributes:
        energy_error: Largest miss of the balance of energy in a phase [J].
        energy_scale: Largest kinetic energy of the walk [J].
        hip_gap: Largest distance between the hips in double support [m].
        steps: Steps of the integrator that were accepted.
        rejected: Steps that were taken again, shorter.
        evaluations: Evaluations of the accelerations.
        toe_clearance: Lowest place of the swinging toe between toe-off and heel strike [m]; below zero it scuffs.
        pulled: Largest downward ground force on the standing foot [N]; above zero the floor would have to pull.
    """

    energy_error: float
    energy_scale: float
    hip_gap: float
    steps: int
    rejected: int
    evaluations: int
    toe_clearance: float
    pulled: float

    @property
    def relative_energy_error(self) -> float:
        """Energy error over the largest kinetic energy."""
        return self.energy_error / self.energy_scale
