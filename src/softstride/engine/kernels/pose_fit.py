"""Poses that fit what is seen: damped Gauss-Newton steps, every lane with a frame, a damping and a fate of its own.

A lane walks through a run of frames in time and starts each from where the last ones point to. A step that raises the
cost is taken back with ten times the damping; one that lowers it is kept, with less damping if it kept its promise and
with more if it did not. When the gains show that little will be left behind the next step, the lane takes it, writes
the pose and goes on to its next frame at once, and at the end of its run to the next run that is left: no lane waits
for another.

A coordinate that a step would take beyond a limit is led there and held by armature beyond all measure; its step is
then too small to matter, but its sign still tells which way it wants to go, and lets it loose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.pose_limits import (
    HOLD,
    Rules,
    Work,
    arrive,
    confine,
    let_loose,
    shorten,
    snap,
    stay,
    there,
)
from softstride.engine.kernels.pose_masses import (
    TARGET_ROWS,
    TURN_ROWS,
    Rooms,
    Sights,
    eliminate,
    step_poses,
    weigh_poses,
)
from softstride.engine.kernels.pose_steps import extrapolate, retract
from softstride.engine.kernels.sweep import sweep_still
from softstride.engine.kernels.tables import Array, IntArray, Table, Tree
from softstride.engine.lanes import LANES


class Scene(NamedTuple):
    """What was measured in all frames, and what is aimed at."""

    seen: Table  # (n_frames, 3 n_columns) marker positions, NaN where not seen
    columns: Table  # (n_markers,) integers: which of them
    weights: Table  # (n_markers,)
    turned: Table  # (n_frames, 9 n_turned) measured axes, NaN where not measured
    turn_weights: Table  # (n_turned,)
    goals: Table  # (n_frames or 1, nq)
    strengths: Table  # (n_frames or 1, nv)


FRAME, LEFT, WAY, COUNT, FRESH, KNOWN, ENDS, STALLED = range(8)
FATES = 8  # frame, frames left (0: idle), +1 or -1, steps, 1: cost unknown, 1: `last` is known, 1: last step, stalled
PATIENCE = 6  # steps in a row that gain little, however much they are damped
FIRST_DAMPING, MOST_DAMPING = 1e-6, 1e10
GOOD, POOR = 0.75, 0.25  # share of the promised gain above which damping falls, below which it grows
LESS, MORE, TAKEN_BACK = 0.1, 4.0, 10.0
SURELY, PERHAPS = 1e-2, 1e4  # shares of what is little: gains that end a frame at once, that may end it
SETTLED = 1e-3  # damping up to which a small promise means the end
ROUNDING = 1e-13  # relative, of a cost
EXACT = 1e-22  # m²: gain a unit of weight below which nothing is left to gain
EXACT_TURN = 1e-16  # rad²: likewise of orientations, whose cost 3 - tr R is rounded like 3
UNKNOWN = 1e300  # a promise that was not made


def new_work(nq: int, nv: int) -> Work:
    """Return arrays for one thread."""
    trial, best, last = (np.zeros((LANES, nq)) for _ in range(3))
    fate = np.zeros((LANES, FATES), dtype=np.int64)
    return Work(trial, best, last, np.zeros((LANES, max(nv, 1))), fate, np.zeros((LANES, 6)))


@inner
def look(scene: Scene, rooms: Rooms, f: int, m: Array, lane: int) -> float:
    """Load what frame f shows into a lane and return its weight."""
    total = 0.0
    # m is [row, lane]: outside of the recursions each lane is a frame of its own. Not seen: weight zero.
    for i in range(scene.columns.shape[0]):
        c = 3 * scene.columns[i]
        row = rooms.targets + TARGET_ROWS * i
        weight = scene.weights[i]
        for k in range(3):
            x = scene.seen[f, c + k]
            if not abs(x) < np.inf:
                weight = 0.0
                x = 0.0
            m[row + k, lane] = x
        m[row + 3, lane] = weight
        total += weight
    for i in range(scene.turn_weights.shape[0]):
        row = rooms.turns + TURN_ROWS * i
        weight = scene.turn_weights[i]
        for k in range(9):
            x = scene.turned[f, 9 * i + k]
            if not abs(x) < np.inf:
                weight = 0.0
                x = 0.0
            m[row + k, lane] = x
        m[row + 9, lane] = weight
        total += weight
    return total


@inner
def aim(scene: Scene, rooms: Rooms, f: int, m: Array, lane: int) -> None:
    """Load the goals of frame f into a lane."""
    g = f if scene.goals.shape[0] > 1 else 0
    for j in range(scene.goals.shape[1]):
        m[rooms.goals + j, lane] = scene.goals[g, j]
    g = f if scene.strengths.shape[0] > 1 else 0
    for j in range(scene.strengths.shape[1]):
        m[rooms.strengths + j, lane] = scene.strengths[g, j]


@inner
def copy(source: Array, i: int, target: Array, j: int) -> None:
    """Copy a pose."""
    for k in range(source.shape[1]):
        target[j, k] = source[i, k]


@inner
def begin(
    scene: Scene, rules: Rules, rooms: Rooms, work: Work, report: Array, q: Array, m: Array, lane: int
) -> None:
    """Load the lane's frame; frames in which nothing is seen keep the pose and are passed over."""
    while work.fate[lane, LEFT] > 0:
        f = work.fate[lane, FRAME]
        total = look(scene, rooms, f, m, lane)
        if total > 0.0:
            if work.fate[lane, KNOWN] and total < work.worth[lane, 4]:
                copy(work.last, lane, work.trial, lane)  # what is not seen must not go on moving
            aim(scene, rooms, f, m, lane)
            confine(rules, rooms, work, m, lane)
            work.fate[lane, COUNT] = 0
            work.fate[lane, FRESH] = 1
            work.fate[lane, STALLED] = 0
            work.worth[lane, 5] = 0.0
            work.worth[lane, 2] = EXACT * total
            for i in range(scene.turn_weights.shape[0]):
                work.worth[lane, 2] += EXACT_TURN * scene.turn_weights[i]
            return
        copy(work.trial, lane, q, f)
        report[f, 0] = 0.0
        report[f, 1] = 0.0
        work.fate[lane, FRAME] += work.fate[lane, WAY]
        work.fate[lane, LEFT] -= 1


@inner
def finish(
    tree: Tree, scene: Scene, rules: Rules, rooms: Rooms, work: Work, report: Array, q: Array, m: Array, lane: int,
    found: bool,
) -> None:  # fmt: skip
    """Write the lane's pose and go on to its next frame."""
    f = work.fate[lane, FRAME]
    if not found:
        copy(work.best, lane, work.trial, lane)
    copy(work.trial, lane, q, f)
    report[f, 0] = work.fate[lane, COUNT]
    report[f, 1] = 1.0 if found else 0.0
    copy(work.trial, lane, work.best, lane)
    if work.fate[lane, KNOWN]:
        extrapolate(tree, work.last, work.best, work.trial, lane)
    copy(work.best, lane, work.last, lane)
    work.fate[lane, KNOWN] = 1
    work.fate[lane, FRAME] = f + work.fate[lane, WAY]
    work.fate[lane, LEFT] -= 1
    begin(scene, rules, rooms, work, report, q, m, lane)


@inner
def judge(rules: Rules, rooms: Rooms, work: Work, m: Array, lane: int) -> bool:
    """Keep the lane's trial or take it back; return whether it is kept."""
    cost = m[rooms.cost, lane]
    work.fate[lane, COUNT] += 1
    kept = True
    # A fresh lane only learns the cost of its pose (a new frame, or its best pose again).
    if work.fate[lane, FRESH]:
        work.fate[lane, FRESH] = 0
    elif cost <= work.worth[lane, 0] * (1.0 + ROUNDING) + work.worth[lane, 2]:
        there(rules, rooms, m, lane)
        # Actual over promised decrease; no promise where a limit changed the step.
        share = (work.worth[lane, 0] - cost) / work.worth[lane, 3]
        if work.worth[lane, 3] == UNKNOWN:
            pass
        elif share > GOOD:
            work.worth[lane, 1] = max(LESS * work.worth[lane, 1], rules.numbers[1])
        elif share < POOR:
            work.worth[lane, 1] = min(MORE * work.worth[lane, 1], MOST_DAMPING)
    else:
        # The bodies of this round belong to the rejected pose: no step, but a look at the best one again.
        work.worth[lane, 1] = min(TAKEN_BACK * work.worth[lane, 1], MOST_DAMPING)
        work.fate[lane, FRESH] = 1
        let_loose(rules, rooms, work, m, lane)
        kept = False
    m[rooms.damping, lane] = work.worth[lane, 1]
    if kept:
        work.worth[lane, 0] = cost
        copy(work.trial, lane, work.best, lane)
    return kept


@inner
def nearly_there(rules: Rules, work: Work, gain: float, lane: int) -> bool:
    """Return whether this step is the last: what it leaves is a small share of the cost.

    Gains of successive steps fall like a geometric series, so that gain r / (1 - r) is left behind a step, with r the
    gain over the one before. A damped step promises little without being near; several in a row are the end as well.
    """
    # Little: the share of the cost that may be left, and what rounding hides. The last test is
    # gain r / (1 - r) <= little, multiplied out.
    little = rules.numbers[0] * work.worth[lane, 0] + work.worth[lane, 2]
    work.fate[lane, STALLED] = work.fate[lane, STALLED] + 1 if gain <= little else 0
    if work.fate[lane, STALLED] >= PATIENCE:
        return True
    if work.worth[lane, 1] > SETTLED:
        return False
    if gain <= SURELY * little:
        return True
    before = work.worth[lane, 5]
    return gain < before and gain <= PERHAPS * little and gain * gain <= little * (before - gain)


@kernel
def fit_poses(
    tree: Tree,
    sights: Sights,
    rooms: Rooms,
    scene: Scene,
    rules: Rules,
    runs: IntArray,
    work: Work,
    report: Array,
    q: Array,
    m: Array,
) -> None:
    """Fit all runs (first frame, number of frames, +1 or -1); q of a run's first frame is where it starts from.

    Writes q (n_frames, nq) and report (n_frames, 2): steps taken, and 1 where the end was reached.
    """
    nv = rules.scales.shape[0]
    if runs.shape[0] == 0:
        return
    for j in range(nv):
        for lane in range(LANES):
            m[rooms.scales + j, lane] = rules.scales[j]
            m[rooms.held + j, lane] = 0.0
            m[rooms.pushes + j, lane] = 0.0
    for i in range(rules.locked.shape[0]):
        j = rules.locked[i]
        for lane in range(LANES):
            m[rooms.held + j, lane] = HOLD * rules.scales[j]
    # `following` is the next run that no lane has taken; `full` the weight of a frame in which all is seen.
    following = 0
    full = 0.0
    for i in range(scene.weights.shape[0]):
        full += scene.weights[i]
    for i in range(scene.turn_weights.shape[0]):
        full += scene.turn_weights[i]
    for lane in range(LANES):
        work.worth[lane, 4] = full * (1.0 - 1e-12)
        look(scene, rooms, runs[0, 0], m, lane)  # something to chew on for lanes without a run
        aim(scene, rooms, runs[0, 0], m, lane)
        copy(q, runs[0, 0], work.trial, lane)
        copy(q, runs[0, 0], work.best, lane)
        work.fate[lane, LEFT] = 0
        m[rooms.damping, lane] = FIRST_DAMPING
    while True:
        # Idle lanes take runs; then one sweep and one elimination serve all lanes, each with its own pose.
        busy = 0
        for lane in range(LANES):
            while work.fate[lane, LEFT] == 0 and following < runs.shape[0]:
                work.fate[lane, FRAME] = runs[following, 0]
                work.fate[lane, LEFT] = runs[following, 1]
                work.fate[lane, WAY] = runs[following, 2]
                work.fate[lane, KNOWN] = 0
                work.worth[lane, 1] = FIRST_DAMPING
                copy(q, runs[following, 0], work.trial, lane)
                for i in range(rules.limited.shape[0]):
                    m[rooms.held + rules.limited[i, 1], lane] = 0.0
                following += 1
                begin(scene, rules, rooms, work, report, q, m, lane)
            busy += work.fate[lane, LEFT] > 0
        if busy == 0:
            break
        sweep_still(tree, work.trial, 0, m)
        weigh_poses(tree, sights, rooms, rules.robust, work.trial, 0, m)
        for lane in range(LANES):
            if work.fate[lane, LEFT]:
                judge(rules, rooms, work, m, lane)
        eliminate(tree, rooms, m)
        step_poses(tree, rooms, m, work.step)
        for lane in range(LANES):
            # changed < 0: no step in this round; 0: the step of the equations; > 0: limits had a say in it.
            changed = 0
            if work.fate[lane, LEFT] == 0 or work.fate[lane, FRESH]:
                changed = -1
            else:
                shorten(rules, work, lane)
                if arrive(rules, rooms, work, m, lane):
                    work.fate[lane, FRESH] = 1
                    changed = -1
                else:
                    changed = stay(rules, rooms, work, m, lane)
            # The quadratic model loses d^T g + λ d^T S d, with S the scales of damping.
            damped = 0.0
            for j in range(nv):
                if changed < 0:
                    work.step[lane, j] = 0.0
                damped += rules.scales[j] * work.step[lane, j] * work.step[lane, j]
            promise = m[rooms.gain, lane] + work.worth[lane, 1] * damped
            work.worth[lane, 3] = promise if changed == 0 and promise > 0.0 else UNKNOWN
            ends = changed == 0 and nearly_there(rules, work, m[rooms.gain, lane], lane)
            work.fate[lane, ENDS] = 1 if ends else 0
            work.worth[lane, 5] = m[rooms.gain, lane] if changed == 0 else 0.0
        # The step is from the best pose; a step of zero looks at that again.
        retract(tree, work.best, work.step, work.trial)
        for lane in range(LANES):
            if work.fate[lane, LEFT]:
                if work.fate[lane, FRESH] == 0:
                    snap(rules, rooms, work, m, lane)
                found = work.fate[lane, ENDS] > 0
                spent = work.fate[lane, COUNT] >= rules.numbers[2] or work.worth[lane, 1] >= MOST_DAMPING
                if found or spent:
                    finish(tree, scene, rules, rooms, work, report, q, m, lane, found)
