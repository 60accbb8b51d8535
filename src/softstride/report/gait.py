"""How somebody moves along: speed, cadence, lengths and times of steps, each with its spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.dynamics.validation.feet import foot_loads, pressure_centre
from softstride.naming import SIDES, Side
from softstride.report.numbers import Number, mean_of
from softstride.report.strides import Strides
from softstride.study.study import Study

Array = NDArray[np.float64]

LOADED = 50.0
"""Vertical force above which a centre of pressure counts [N]."""

GROUND = (0, 2)
"""Horizontal axes of the world: forward and to the right."""


@dataclass(frozen=True)
class Measure:
    """One number about gait.

    Attributes:
        name: In words.
        key: For programs, with the unit at its end.
        unit: Of the numbers.
        both: Of both sides together; None: there is none.
        right: Of the right side; None: there is none.
        left: Of the left side; None: there is none.
    """

    name: str
    key: str
    unit: str
    both: Number | None = None
    right: Number | None = None
    left: Number | None = None


def measures_of(study: Study, strides: Strides) -> tuple[Measure, ...]:
    """Return what the events of a study allow to say about gait."""
    travel = _travel(study)
    strides = _without_guesses(strides)
    found = [Measure("speed", "speed_m_per_s", "m/s", _speed(study, strides, travel))]
    if strides.any:
        duration = {side: strides.ends[side] - strides.starts[side] for side in SIDES}
        every = np.concatenate([duration[side] for side in SIDES])
        found.append(Measure("cadence", "cadence_steps_per_min", "steps/min", mean_of(120.0 / every)))
        found.append(_sided("stride time", "stride_time_s", "s", duration))
        lengths = {
            side: _distances(study, travel, strides.starts[side], strides.ends[side]) for side in SIDES
        }
        found.append(_sided("stride length", "stride_length_m", "m", lengths))
    steps = _step_lengths(study, strides, travel)
    if any(len(steps[side]) for side in SIDES):
        found.append(_sided("step length", "step_length_m", "m", steps))
    stances = {side: np.diff(strides.contacts[side].stances, axis=1)[:, 0] for side in SIDES}
    if any(len(stances[side]) for side in SIDES):
        found.append(_sided("contact time", "contact_time_s", "s", stances))
    shares = {side: 100.0 * strides.duty(side) for side in SIDES}
    if any(len(shares[side]) for side in SIDES):
        found.append(_sided("share of the cycle on the ground", "duty_percent", "%", shares))
    return tuple(each for each in found if _said(each))


def _without_guesses(strides: Strides) -> Strides:
    starts, ends = dict(strides.starts), dict(strides.ends)
    for side in strides.guessed:
        starts[side] = ends[side] = np.zeros(0)
    return replace(strides, starts=starts, ends=ends)


def belt_of(study: Study) -> Array:
    """Return the velocity of the ground [m/s], shape (3,); zero where nothing is known of it."""
    ground = None if study.estimated is None else study.estimated.ground
    return np.zeros(3) if ground is None else np.asarray(ground.belt)


def _travel(study: Study) -> Array:
    """Return where the centre of mass is on the ground that it moves over, shape (n, 2), [m]."""
    moved = (study.motion.time - study.motion.time[0])[:, None] * belt_of(study)
    return np.asarray((study.centre_of_mass - moved)[:, GROUND])


def _distances(study: Study, travel: Array, starts: Array, ends: Array) -> Array:
    time = study.motion.time
    at = [
        np.stack([np.interp(each, time, travel[:, k]) for k in range(2)], axis=1) for each in (starts, ends)
    ]
    return np.linalg.norm(at[1] - at[0], axis=1)


def _speed(study: Study, strides: Strides, travel: Array) -> Number:
    """Return the speed over whole cycles, or else over the whole trial [m/s]."""
    starts = np.concatenate([strides.starts[side] for side in SIDES])
    ends = np.concatenate([strides.ends[side] for side in SIDES])
    if len(starts):
        return mean_of(_distances(study, travel, starts, ends) / (ends - starts))
    if study.motion.duration <= 0.0:
        return Number(float("nan"))
    return Number(float(np.linalg.norm(travel[-1] - travel[0])) / study.motion.duration)


def _step_lengths(study: Study, strides: Strides, travel: Array) -> dict[Side, Array]:
    """Return lengths of steps by the side of the foot that lands [m]."""
    found: dict[Side, list[float]] = {side: [] for side in SIDES}
    loads = study.loads
    if loads is None:
        return {side: np.array(found[side]) for side in SIDES}
    places = sorted(
        (start, side, place)
        for side in SIDES
        for start, stop in strides.contacts[side].stances.tolist()
        for place in [_place(loads, side, start, stop)]
        if place is not None
    )
    belt = belt_of(study)[list(GROUND)]
    step, along = _longest_step(strides), _along(travel)
    for (t0, side0, p0), (t1, side1, p1) in pairwise(places):
        if side0 != side1 and t1 - t0 <= step:
            away = np.array(p1) - np.array(p0) - belt * (t1 - t0)
            found[side1].append(float(abs(away @ along)))
    return {side: np.array(found[side]) for side in SIDES}


def _longest_step(strides: Strides) -> float:
    """Return the time between strikes of the two feet above which one between them is missing [s]."""
    every = np.concatenate([strides.ends[side] - strides.starts[side] for side in SIDES])
    return 0.8 * float(every.max()) if len(every) else 1.2


def _along(travel: Array) -> Array:
    """Return the horizontal unit vector of travel; forward where nobody moves along."""
    away = travel[-1] - travel[0]
    length = float(np.linalg.norm(away))
    return away / length if length > 0.1 else np.array([1.0, 0.0])


def _place(loads: Loads, side: str, start: float, stop: float) -> tuple[float, float] | None:
    """Return the mean centre of pressure of a contact, weighted by its force; None where it is not known."""
    foot = foot_loads(loads.wrenches).get(side)
    frames = np.flatnonzero((loads.time >= start) & (loads.time <= stop))
    if foot is None or len(frames) < 3:
        return None
    part = slice(int(frames[0]), int(frames[-1]) + 1)
    centre, _ = pressure_centre(foot.wrench[part], foot.level(part), LOADED)
    weight = foot.vertical[part]
    seen = np.isfinite(centre).all(axis=1)
    if seen.sum() < 3:
        return None
    x, z = np.average(centre[seen], axis=0, weights=weight[seen]).tolist()
    return x, z


def _sided(name: str, key: str, unit: str, values: Mapping[Side, Array]) -> Measure:
    right, left = (mean_of(values[side]) if len(values[side]) else None for side in SIDES)
    return Measure(name, key, unit, right=right, left=left)


def _said(measure: Measure) -> bool:
    return any(
        each is not None and np.isfinite(each.value) for each in (measure.both, measure.right, measure.left)
    )
