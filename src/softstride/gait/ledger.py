"""The books of a walk: what each phase and each event did to its energy, and one record a step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.gait.kernels.walker import FLAT, Drive
from softstride.gait.records import PhaseRecord, Step, Transition, transition_names
from softstride.gait.states import evaluate_states

if TYPE_CHECKING:
    from softstride.gait.simulate import Course

Floats = NDArray[np.float64]

TOE_OFF, FOOT_FLAT, HEEL_OFF, HEEL_STRIKE = range(4)
"""Events, in the order of `TRANSITIONS`."""

NOTHING = np.full(2, math.nan)


@dataclass(frozen=True, eq=False)
class Segment:
    """One phase as it was marched through; the right leg stands."""

    number: int
    phase: int
    mirrored: bool
    origin: float  # clock at the heel strike [s]
    start: float  # since then [s]
    end: float
    frames: slice
    before: Floats  # state at the start
    after: Floats  # at the end
    separation: float
    heel: float
    drive: Drive
    finished: bool


@dataclass(frozen=True, eq=False)
class Boundary:
    """What an event did to the state; at heel strike the state after has its legs exchanged."""

    event: int
    following: int  # phase
    before: Floats
    after: Floats
    length: float = math.nan
    heel_impulse: Floats = field(default_factory=lambda: NOTHING)
    toe_impulse: Floats = field(default_factory=lambda: NOTHING)


def balance(course: Course) -> tuple[tuple[PhaseRecord, ...], tuple[Transition, ...]]:
    """Return the records of phases and transitions, with energies at their ends."""
    segments = course.segments
    energy = energies_of(course)
    records, transitions = [], []
    for k, each in enumerate(segments):
        gained = each.after - each.before
        work = gained[14:20][::-1] if each.mirrored else gained[14:20]
        records.append(
            PhaseRecord(
                each.number,
                1 if each.phase == FLAT else each.phase,
                each.origin + each.start,
                each.origin + each.end,
                energy[k, 0],
                energy[k, 1],
                work.copy(),
                float(gained[20]),
                float(gained[21]),
            )
        )
        if not each.finished:
            continue
        boundary = course.boundaries[k]
        after = boundary.after[7:14][::-1] if boundary.event == HEEL_STRIKE else boundary.after[7:14]
        order = slice(None, None, -1 if each.mirrored else 1)
        name = transition_names("left" if each.mirrored else "right")[boundary.event]
        transitions.append(
            Transition(
                name,
                each.origin + each.end,
                boundary.before[:7][order].copy(),
                boundary.before[7:14][order].copy(),
                after[order].copy(),
                energy[k, 1],
                energy[k, 2],
            )
        )
    return tuple(records), tuple(transitions)


def energies_of(course: Course) -> Floats:
    """Return the energy at the start and at the end of each phase and after its event, shape (k, 3), [J]."""
    rows: list[tuple[int, Floats, float]] = []
    for k, each in enumerate(course.segments):
        rows += [(each.phase, each.before, each.separation), (each.phase, each.after, each.separation)]
        if not each.finished:
            rows.append(rows[-1])
            continue
        boundary = course.boundaries[k]
        separation = course.separation if k + 1 == len(course.segments) else course.segments[k + 1].separation
        rows.append((boundary.following, boundary.after, separation))
    y = np.array([row[1] for row in rows])
    found = evaluate_states(
        course.model.walker,
        np.array([row[0] for row in rows]),
        y[:, :7],
        y[:, 7:14],
        separation=np.array([row[2] for row in rows]),
    )
    return (found.kinetic + found.gravity + found.elastic).reshape(-1, 3)


def steps_of(course: Course, transitions: tuple[Transition, ...]) -> tuple[Step, ...]:
    """Return one record a step."""
    steps = []
    for number in sorted({each.number for each in course.segments}):
        own = [k for k, each in enumerate(course.segments) if each.number == number]
        first = course.segments[own[0]]
        done = [k for k in own if course.segments[k].finished]
        found = {course.boundaries[k].event: k for k in done}
        strike = course.boundaries[found[HEEL_STRIKE]] if HEEL_STRIKE in found else None
        steps.append(
            Step(
                number=number,
                stance="left" if first.mirrored else "right",
                start=first.origin,
                events={transitions[k].name: transitions[k].time for k in done},
                length=strike.length if strike else math.nan,
                heel_strike_loss=transitions[found[HEEL_STRIKE]].energy_lost if strike else math.nan,
                foot_flat_loss=transitions[found[FOOT_FLAT]].energy_lost if FOOT_FLAT in found else math.nan,
                heel_impulse=strike.heel_impulse if strike else NOTHING,
                toe_impulse=strike.toe_impulse if strike else NOTHING,
            )
        )
    return tuple(steps)
