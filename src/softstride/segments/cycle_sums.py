"""Work of joints over gait cycles: how much a joint generates and absorbs from one strike of a foot to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.naming import SIDES, Side
from softstride.segments.cycles import foot_events
from softstride.segments.power import Work, work
from softstride.segments.study import SegmentStudy
from softstride.signals.cycles import pair_cycles

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CycleWork:
    """Work of a joint's moment over one cycle.

    Attributes:
        side: The foot whose strikes begin and end the cycle.
        joint: Name of the joint, such as "right knee".
        start: Of the cycle [s].
        end: Of the cycle [s].
        work: Generated and absorbed [J]; None where the power is not known in the whole cycle.
    """

    side: Side
    joint: str
    start: float
    end: float
    work: Work | None


def cycle_work(study: SegmentStudy) -> tuple[CycleWork, ...]:
    """Return the work of every joint over the gait cycles of its side; of joints in the middle, over those of both.

    It is that of the power by rotation, the power which curves over cycles show, M . omega_rel. A cycle of which a part
    is not known has no work: what is left out might be most of it.

    Returns:
        Cycles in the order of time for each joint; nothing where there are no loads or no whole cycles.
    """
    if study.loads is None:
        return ()
    found: list[CycleWork] = []
    for side in SIDES:
        strikes = [
            event.time
            for event in foot_events(study.recording, side, study.options.subject)[0]
            if event.label == "strike"
        ]
        cycles = [
            (float(start), float(end))
            for start, end in zip(*pair_cycles(np.unique(strikes)), strict=True)
            if start >= study.time[0] and end <= study.time[-1]
        ]
        for joint in study.joints.values():
            if joint.side in (None, side) and np.isfinite(joint.power.rotation).any():
                found += [
                    CycleWork(side, joint.name, *cycle, _over(study.time, joint.power.rotation, *cycle))
                    for cycle in cycles
                ]
    return tuple(found)


def _over(time: Array, power: Array, start: float, end: float) -> Work | None:
    """Return the work from start to end, which need not be frames.

    A strike often is where the next stance, beside the plates, begins to be unknown: the power at the ends is then that
    of the nearest frame inside, less than a frame away.
    """
    inside = (time > start) & (time < end)
    if not inside.any() or not np.isfinite(power[inside]).all():
        return None
    known = np.isfinite(power)
    near = known & (time > start - _step(time)) & (time < end + _step(time))
    instants = np.concatenate([[start], time[inside], [end]])
    return work(instants, np.interp(instants, time[near], power[near]))


def _step(time: Array) -> float:
    return float(np.diff(time).max())
