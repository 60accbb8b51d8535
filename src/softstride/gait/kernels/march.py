"""March through one phase: Runge–Kutta steps by any explicit tableau, until an event, a fall or the end of time.

Steps end at the kinks of the moments and at the instants asked for, so that no interpolation is needed. An event is
located by taking the step again with another length, so it is as exact as a step.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inner, kernel
from softstride.gait.kernels.drive import joint_angle
from softstride.gait.kernels.equations import turn
from softstride.gait.kernels.places import hip_height, swinging_heel
from softstride.gait.kernels.step import STATE, Course, Room, Tableau, error_of, rate_of, take_step
from softstride.gait.kernels.walker import Array, Drive, Walker

EVENT, TIME_UP, HIP_LOW, TRUNK_OVER, KNEE_FOLDED, KNEE_BACK, HEEL_EARLY, STEP_SHRUNK, NOT_FINITE, TOO_MANY = (
    range(10)
)
"""How a phase ended."""

UNDER = 1e-3
"""How far the left heel may be under the floor while the right one stands [m]: the four phases have no such strike."""

# rows of the report
STATUS, TIME, STEPS, REJECTED, EVALUATIONS, FRAME, STEP, VALUE, ROUNDS = range(9)
REPORT = 9

LOCATED = 1e-13  # [s], width of the bracket around an event
MOST_ROUNDS = 200


@inner
def fallen(walker: Walker, phase: int, y: Array, course: Course, m: Array) -> int:
    """Return how the walker has fallen, or EVENT if it has not."""
    for n in range(14):
        if not math.isfinite(y[n]):
            return NOT_FINITE
    turn(walker, phase, y[0:7], m)
    limits = course.limits
    hip = hip_height(walker, phase, m)
    if hip < limits[0]:
        return HIP_LOW
    if (phase == 2 or phase == 3) and swinging_heel(walker, hip, m) < -UNDER:
        return HEEL_EARLY
    if abs(y[3] - 0.5 * math.pi) > limits[1]:
        return TRUNK_OVER
    for j in range(1, 5, 3):
        straight = joint_angle(y[0:7], j)
        if straight < -limits[2]:
            return KNEE_FOLDED
        if straight > limits[3]:
            return KNEE_BACK
    return EVENT


@inner
def next_stop(drive: Drive, course: Course, t: float, frame: int, stop: float) -> float:
    """Return the next kink of the moments or of the nominal, instant wanted or end, after t."""
    end = stop
    # Next node of the nominal, by its number: the one that t has just reached, but for rounding, is not it.
    knot = int(t / drive.span[0] * (1.0 + 1e-12) + 1e-9) + 1
    if knot < drive.nominal.shape[0]:
        end = min(end, knot * drive.span[0])
    for k in range(drive.nodes.shape[0]):
        if t < drive.nodes[k] < end:
            end = drive.nodes[k]
    if frame < course.frames.shape[0]:
        end = min(end, course.frames[frame])
    return end


@inner
def locate_event(
    walker: Walker,
    drive: Drive,
    tableau: Tableau,
    phase: int,
    separation: float,
    t: float,
    h: float,
    y: Array,
    room: Room,
    before: float,
    after: float,
    report: Array,
) -> float:
    """Return the length of the step that ends at the event, room.new there; before > 0 >= after.

    Secants that keep a bracket (Illinois), halved where they are slow.
    """
    left, right, low, high = 0.0, h, before, after
    side, rounds = 0, 0
    # The root of the event function over the length of the step: each value is a whole step from the same
    # start, so the event is as exact as a step.
    while right - left > LOCATED and rounds < MOST_ROUNDS:
        width = right - left
        middle = left + 0.5 * width
        if rounds % 3 < 2 and low - high > 0.0:
            middle = min(max(left + width * low / (low - high), left + 0.1 * LOCATED), right - 0.1 * LOCATED)
        value = take_step(walker, drive, tableau, phase, separation, t, middle, y, room)
        rounds += 1
        if value > 0.0:
            left, low = middle, value
            # Illinois: the value at an end that stays twice is halved, or secants would creep from one side.
            if side == 1:
                high *= 0.5
            side = 1
        else:
            right, high = middle, value
            if side == -1:
                low *= 0.5
            side = -1
        if value == 0.0:
            break
    report[ROUNDS] += rounds
    report[EVALUATIONS] += (rounds + 1) * tableau.error.shape[1]
    report[VALUE] = take_step(walker, drive, tableau, phase, separation, t, right, y, room)
    return right


@kernel
def march_phase(
    walker: Walker,
    drive: Drive,
    tableau: Tableau,
    course: Course,
    phase: int,
    separation: float,
    start: float,
    stop: float,
    y: Array,
    room: Room,
    out: Array,
    report: Array,
) -> None:
    """March from `start` until the event of the phase, a fall, or `stop` [s].

    y (STATE,) is the state, changed to that at the end; out (n_frames, STATE) gets the states at the instants wanted,
    from report[FRAME] on. report (REPORT,) says how it ended; report[STEP] is the length of step to begin with.
    """
    t, frame, h = start, int(report[FRAME]), report[STEP]
    fixed, longest, stages = course.fixed[0], course.longest[0], tableau.error.shape[1]
    value = rate_of(walker, drive, phase, separation, t, y, room, room.k[0])
    report[STATUS], report[VALUE], report[EVALUATIONS] = TIME_UP, value, report[EVALUATIONS] + 1
    # Over before it began. The swinging heel of phase 4 may start below the floor; it has to rise first.
    if value <= 0.0 and phase != 4:
        report[STATUS], report[TIME] = EVENT, t
        return
    while True:
        while frame < course.frames.shape[0] and course.frames[frame] <= t:
            for n in range(STATE):
                out[frame, n] = y[n]
            frame += 1
        report[FRAME], report[TIME] = frame, t
        if t >= stop:
            return
        if report[STEPS] + report[REJECTED] >= course.limits[4]:
            report[STATUS] = TOO_MANY
            return
        end = next_stop(drive, course, t, frame, stop)
        size = fixed if fixed > 0.0 else min(h, longest)
        # A step that ends there but for rounding ends there exactly, and leaves no sliver of a step.
        cut = size >= (end - t) * (1.0 - 1e-9)
        if cut:
            size = end - t
        after = take_step(walker, drive, tableau, phase, separation, t, size, y, room)
        report[EVALUATIONS] += stages
        if fixed <= 0.0:
            error = error_of(tableau, course, size, y, room)
            # h_new = 0.9 h err^(−power), by a factor of 5 at most; a step with err > 1 is taken again.
            factor = 5.0 if error == 0.0 else min(max(0.9 * error ** -tableau.power[0], 0.2), 5.0)
            if not error <= 1.0:
                report[REJECTED] += 1
                h = size * (min(factor, 1.0) if math.isfinite(error) else 0.2)
                if h < 1e-12:
                    report[STATUS] = STEP_SHRUNK
                    return
                continue
            # A step that was cut says little about how long the next one may be.
            h = max(h, size * factor) if cut else size * factor
        report[STEPS] += 1
        crossed = value > 0.0 and after <= 0.0
        if crossed and course.locate[0] > 0.0:
            size = locate_event(
                walker, drive, tableau, phase, separation, t, size, y, room, value, after, report
            )
            cut = False
        else:
            report[VALUE] = after
        t = end if cut else t + size
        value = after
        # The rate at the new state is the first stage of the next step.
        for n in range(STATE):
            y[n] = room.new[n]
            room.k[0, n] = room.k[stages, n]
        status = fallen(walker, phase, y, course, room.m)
        if status != EVENT or crossed:
            report[STATUS], report[TIME], report[FRAME], report[STEP] = status, t, frame, h
            return
        report[STEP] = h
