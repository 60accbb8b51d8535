"""From the states of a walk to a `Walk`: forces, energies, steps and the motion of the model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Event
from softstride.gait.kernels import frames as kernels
from softstride.gait.kernels import march as kernel
from softstride.gait.kernels.step import STATE
from softstride.gait.kernels.walker import FLAT
from softstride.gait.ledger import Segment, balance, steps_of
from softstride.gait.person_model import model_coordinates, walker_model
from softstride.gait.records import Certificate, PhaseRecord, Transition
from softstride.gait.states import Evaluation, evaluate_states
from softstride.gait.walk import Walk
from softstride.notes import Note

if TYPE_CHECKING:
    from softstride.gait.simulate import Course

Floats = NDArray[np.float64]

SCUFF = 2e-3
"""How far the swinging toe may be below the floor without a note [m]; toe-off moves it by the gap of the hips."""


def gather(course: Course) -> Walk:
    """Return the walk of a course that has come to its end."""
    table = _Table(course)
    found = table.evaluate()
    mirrored = table.mirrored
    theta, omega, alpha = table.y[:, :7], table.y[:, 7:14], found.alpha
    q, v, a = model_coordinates(
        course.model.walker, table.phase, theta, omega, alpha, table.separation, table.heel, mirrored
    )
    left_toe = table.heel - table.separation
    double = (table.phase == 1) | (table.phase == FLAT)
    stand = np.where(found.right_force[:, 1] != 0.0, table.heel + found.pressure, math.nan)
    other = np.where(double, left_toe, math.nan)
    force = np.stack([found.right_force, found.left_force], axis=1)
    point = np.stack([stand, other], axis=1)
    swap = mirrored[:, None]
    phases, transitions = balance(course)
    steps = steps_of(course, transitions)
    certificate = _certificate(course, table, found, phases)
    return Walk(
        model=walker_model(course.model.body),
        time=table.time,
        q=q,
        rates=(v, a),
        events=tuple(_event(each) for each in transitions),
        notes=(*course.notes, *_doubts(certificate)),
        body=course.model.body,
        theta=np.where(swap, theta[:, ::-1], theta),
        omega=np.where(swap, omega[:, ::-1], omega),
        alpha=np.where(swap, alpha[:, ::-1], alpha),
        phase=np.where(table.phase == FLAT, 1, table.phase),
        left_stance=mirrored,
        moments=np.where(swap, table.net[:, ::-1], table.net),
        passive=np.where(swap, table.passive[:, ::-1], table.passive),
        ground_force=np.where(swap[:, None], force[:, ::-1], force),
        ground_point=np.where(swap, point[:, ::-1], point),
        points=np.where(swap[:, None], _exchanged(found.points), found.points),
        kinetic=found.kinetic,
        gravity=found.gravity,
        elastic=found.elastic,
        work=np.where(swap, table.y[:, 14:20][:, ::-1], table.y[:, 14:20]),
        hip_gap=found.gap,
        steps=steps,
        phases=phases,
        transitions=transitions,
        completed=not course.reason,
        reason=course.reason,
        certificate=certificate,
    )


class _Table:
    """The frames of all phases, and the last instant."""

    def __init__(self, course: Course) -> None:
        self.walker = course.model.walker
        n = int(course.report[kernel.FRAME])
        last = course.segments[-1]
        instant = last.origin + last.end
        extra = course.plan.times is None and (n == 0 or instant > course.frames[n - 1] + 1e-9)
        rows = n + int(extra)
        if not rows:  # the first instant wanted was never reached
            extra, rows = True, 1
        self.time = np.append(course.frames[:n], [instant] * int(extra))
        self.y = np.empty((rows, STATE))
        self.y[:n] = course.states[:n]
        if extra:
            self.y[n] = last.after
        self.phase = np.zeros(rows, dtype=np.int64)
        self.mirrored = np.zeros(rows, dtype=bool)
        self.separation, self.heel, self.toe = np.zeros(rows), np.zeros(rows), np.zeros(rows)
        self.active, self.passive = np.zeros((rows, 6)), np.zeros((rows, 6))
        for segment in course.segments:
            part = slice(segment.frames.start, rows) if segment is last else segment.frames
            self._fill(segment, part)
        self.net = self.active + self.passive

    def _fill(self, segment: Segment, part: slice) -> None:
        self.phase[part], self.mirrored[part] = segment.phase, segment.mirrored
        self.separation[part] = segment.separation if segment.phase in (1, FLAT) else 0.0
        self.heel[part] = segment.heel
        y = self.y[part]
        kernels.walker_drives(
            segment.drive,
            segment.phase,
            self.time[part] - segment.origin,
            np.ascontiguousarray(y[:, :7]),
            np.ascontiguousarray(y[:, 7:14]),
            self.active[part],
            self.passive[part],
            self.toe[part],
        )

    def evaluate(self) -> Evaluation:
        """Return forces, energies and places of all frames."""
        return evaluate_states(
            self.walker,
            self.phase,
            self.y[:, :7],
            self.y[:, 7:14],
            self.net,
            self.separation,
            self.heel,
            self.toe,
        )


def _event(each: Transition) -> Event:
    """Return a transition in the words of recordings."""
    side, _, label = each.name.partition("_")
    word = {"toe_off": "off", "heel_strike": "strike"}.get(label, label.replace("_", " "))
    return Event(word, each.time, "left" if side == "left" else "right", "simulation")


def _certificate(
    course: Course, table: _Table, found: Evaluation, phases: tuple[PhaseRecord, ...]
) -> Certificate:
    single = (table.phase > 1) & (table.phase < FLAT)
    return Certificate(
        energy_error=float(max(abs(each.error) for each in phases)),
        energy_scale=float(found.kinetic.max()),
        hip_gap=float(np.hypot(*found.gap.T).max()),
        steps=int(course.report[kernel.STEPS]),
        rejected=int(course.report[kernel.REJECTED]),
        evaluations=int(course.report[kernel.EVALUATIONS]),
        toe_clearance=float(found.points[single, 9, 1].min(initial=math.inf)),
        pulled=float(max(-found.right_force[:, 1].min(), 0.0)),
    )


def _doubts(certificate: Certificate) -> list[Note]:
    """Say what a floor and a body would not allow."""
    doubts = []
    deep, pulled = -1e3 * certificate.toe_clearance, certificate.pulled
    if certificate.toe_clearance < -SCUFF:
        words = f"the swinging toe goes {deep:.3g} mm through the floor"
        doubts.append(Note("toe.through-the-floor", words, "warning", topic="toe", values={"depth_mm": deep}))
    if pulled > 0.0:
        words = f"the floor pulls the standing foot down with {pulled:.3g} N at most: it would have left the floor"
        doubts.append(Note("feet.pulled-down", words, "warning", topic="feet", values={"force_N": pulled}))
    return doubts


def _exchanged(points: Floats) -> Floats:
    """Return points with left and right exchanged."""
    return points[:, ::-1]
