"""The course of a walk: phase after phase, step after step, until done or fallen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError, Option
from softstride.gait.falls import tell_end
from softstride.gait.gather import gather
from softstride.gait.kernels import march as kernel
from softstride.gait.kernels.step import STATE, Room
from softstride.gait.kernels.step import Course as Settings
from softstride.gait.kernels.walker import FLAT, SCRATCH, Drive
from softstride.gait.ledger import FOOT_FLAT, HEEL_OFF, HEEL_STRIKE, TOE_OFF, Boundary, Segment
from softstride.gait.maps import foot_flat, heel_strike
from softstride.gait.moments import MomentHistory
from softstride.gait.options import Integration
from softstride.gait.perturbation import Perturbation, effect
from softstride.gait.recipe import Recipe
from softstride.gait.stability import check_step
from softstride.gait.start import Start, check_start
from softstride.gait.states import evaluate_states
from softstride.gait.tableaus import tableau
from softstride.notes import Notes

if TYPE_CHECKING:
    from softstride.gait.seven_segment import SevenSegment
    from softstride.gait.walk import Walk

Floats = NDArray[np.float64]

FIRST_STEP = 1e-4  # [s], to begin with; the control finds its own


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be simulated; see `SevenSegment.simulate`."""

    start: Recipe | Start
    moments: MomentHistory
    steps: int
    perturbations: tuple[Perturbation, ...]
    rff: str
    integration: Integration
    rate: float
    times: ArrayLike | None


@dataclass(eq=False)
class Course:
    """A walk on its way; states are those of a walker whose right leg stands."""

    model: SevenSegment
    plan: Plan
    frames: Floats
    states: Floats
    report: Floats
    y: Floats
    separation: float
    heel: float = 0.0
    clock: float = 0.0
    segments: list[Segment] = field(default_factory=list)
    boundaries: list[Boundary] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)
    reason: str = ""


def walk(model: SevenSegment, plan: Plan) -> Walk:
    """Walk as planned."""
    walker = model.walker
    limits = model.limits.row(model.body)
    theta, omega, separation = check_start(walker, plan.start, float(limits[0]))
    if plan.integration.step is not None:
        check_step(walker, theta, plan.integration.method, plan.integration.step)
    frames = _frames(plan, model.limits.phase_time)
    y = np.zeros(STATE)
    y[:7], y[7:14] = theta, omega
    report = np.zeros(kernel.REPORT)
    report[kernel.STEP] = FIRST_STEP
    course = Course(model, plan, frames, np.empty((len(frames), STATE)), report, y, separation)
    march = _Marcher(course, limits)
    for number in range(1, plan.steps + 1):
        if not _one_step(course, march, number):
            break
    return gather(course)


def _one_step(course: Course, march: _Marcher, number: int) -> bool:
    """Go from heel strike to heel strike; return whether the walker got there."""
    mirrored = number % 2 == 0
    factor, added = effect(course.plan.perturbations, number, mirrored)
    time, phase = 0.0, course.boundaries[-1].following if course.boundaries else 1
    while True:
        row = 0 if phase == FLAT else phase - 1
        drive = march.drive(factor[row], added[row])
        begun, y = int(course.report[kernel.FRAME]), course.y.copy()
        status, end = march.go(drive, phase, time)
        course.segments.append(
            Segment(
                number=number,
                phase=phase,
                mirrored=mirrored,
                origin=course.clock,
                start=time,
                end=end,
                frames=slice(begun, int(course.report[kernel.FRAME])),
                before=y,
                after=course.y.copy(),
                separation=course.separation,
                heel=course.heel,
                drive=drive,
                finished=status == kernel.EVENT,
            )
        )
        if status != kernel.EVENT:
            course.reason = tell_end(course, status, number, phase, end)
            return False
        boundary = _pass_event(course, number, phase, end)
        course.boundaries.append(boundary)
        if boundary.event == HEEL_STRIKE:
            return True
        time, phase = end, boundary.following


def _pass_event(course: Course, number: int, phase: int, time: float) -> Boundary:
    """Apply the state map of the event that ends a phase."""
    walker, y = course.model.walker, course.y
    before = y.copy()
    if phase == 4:
        return _strike(course, number, time)
    if phase == 3:
        return Boundary(HEEL_OFF, 4, before, before)
    if phase == FLAT or (phase == 1 and y[0] > 0.0):
        return Boundary(TOE_OFF, 3 if phase == FLAT else 2, before, before)
    y[:7], y[7:14] = foot_flat(walker, y[:7], y[7:14], course.plan.rff, phase)
    return Boundary(FOOT_FLAT, FLAT if phase == 1 else 3, before, y.copy())


def _strike(course: Course, number: int, time: float) -> Boundary:
    """Let the heel strike: impact, legs exchanged, a new heel to stand on."""
    walker, y = course.model.walker, course.y
    before, theta, omega = y.copy(), y[:7].copy(), y[7:14].copy()
    points = evaluate_states(walker, 4, theta, omega, heel=course.heel).points[0]
    landed, old = float(points[10, 0]), float(points[1, 0])
    found = heel_strike(walker, theta, omega, course.model.old_toe)
    held = course.model.old_toe == "pinned"
    instant = course.clock + time
    if not held and found.toe_velocity[1] < 0.0:
        down = -float(found.toe_velocity[1])
        course.notes.add(
            "toe.held",
            f"at the heel strike of step {number}, {instant:.4f} s, the old toe would have moved into the floor at "
            f"{down:.3g} m/s: it was held",
            topic="toe",
            span=(instant, instant),
            values={"step": number, "speed_m_s": down},
        )
        found, held = heel_strike(walker, theta, omega, "pinned"), True
    if held and found.toe_impulse[1] < 0.0 and number < course.plan.steps:
        pull, free = -float(found.toe_impulse[1]), Option("old_toe", "free")
        course.notes.add(
            "toe.pulled",
            f"at the heel strike of step {number}, {instant:.4f} s, the floor pulled the old toe with {pull:.3g} N s: "
            "it would have left the floor",
            severity="warning",
            topic="toe",
            span=(instant, instant),
            values={"step": number, "impulse_N_s": pull},
            fix=f"see {free}",
            options=(free,),
        )
    y[:7], y[7:14] = found.theta, found.omega
    y[14:20] = before[14:20][::-1]
    length = landed - course.heel
    course.clock, course.heel, course.separation = instant, landed, landed - old
    return Boundary(
        HEEL_STRIKE, 1 if held else 2, before, y.copy(), length, found.heel_impulse, found.toe_impulse
    )


class _Marcher:
    """The march through a phase with all that does not change."""

    def __init__(self, course: Course, limits: Floats) -> None:
        plan, model = course.plan.integration, course.model
        self.course = course
        self.tableau = tableau(plan.method)
        self.settings = (
            np.array([plan.step or 0.0]),
            np.array([plan.rtol, plan.atol]),
            np.array([plan.max_step]),
            limits,
            np.array([1.0 if plan.located else 0.0]),
        )
        stages = len(self.tableau.c)
        self.room = Room(
            np.zeros((stages, STATE)),
            np.zeros(STATE),
            np.zeros((SCRATCH, 7)),
            np.zeros(6),
            np.zeros(6),
            np.zeros(6),
        )
        toe, feedback = model.toe_spring, model.feedback
        self.passive = (
            np.zeros((6, 7)) if model.ligaments is None else model.ligaments.table(),
            np.zeros(2) if toe is None else np.array([toe.stiffness, toe.damping]),
        )
        self.feedback = (
            (np.zeros((0, 12)), np.ones(1), np.zeros((2, 6)))
            if feedback is None
            else (feedback.table(), np.array([feedback.step]), feedback.gains())
        )

    def drive(self, factor: Floats, added: Floats) -> Drive:
        """Return what acts in a phase."""
        moments = self.course.plan.moments
        change = np.stack([factor, added])
        return Drive(np.array(moments.time), np.array(moments.values), change, *self.passive, *self.feedback)

    def go(self, drive: Drive, phase: int, start: float) -> tuple[int, float]:
        """March from an instant of the step; return how it ended and when."""
        course = self.course
        report, stop = course.report, start + course.model.limits.phase_time
        settings = Settings(*self.settings, course.frames - course.clock)
        kernel.march_phase(
            course.model.walker, drive, self.tableau, settings, phase, course.separation, start, stop, course.y,
            self.room, course.states, report,
        )  # fmt: skip
        return int(report[kernel.STATUS]), float(report[kernel.TIME])


def _frames(plan: Plan, phase_time: float) -> Floats:
    """Return the instants of the frames [s]."""
    if plan.times is not None:
        times = np.array(plan.times, dtype=np.float64).reshape(-1)
        if not len(times) or not np.isfinite(times).all() or times[0] < 0.0 or np.any(np.diff(times) <= 0.0):
            raise InputError("times must be increasing instants from zero on [s]")
        return times
    if not (math.isfinite(plan.rate) and 1.0 <= plan.rate <= 1e6):
        option = Option("rate")
        raise InputError(
            f"{option} must be from 1 to 1e6 frames a second, however it is {plan.rate!r}",
            parameter="rate",
            value=plan.rate,
            options=[option],
        )
    return np.arange(int(plan.steps * 4 * phase_time * plan.rate) + 1) / plan.rate
