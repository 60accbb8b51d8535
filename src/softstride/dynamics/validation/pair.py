"""Measured and estimated loads side by side: what of it is complete, and how the masses compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.dynamics.residual import transmitted
from softstride.dynamics.validation.feet import UP, FootLoad, contacts, low_passed

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

BRIDGE = 0.02
"""Breaks of contact up to this long are noise [s]: no foot leaves a plate and comes back sooner."""

STEP = 0.1
"""Share of body weight that an estimated step without any measured force must reach to be believed."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Both sides of the comparison.

    Attributes:
        time: Instants [s].
        ours: What is judged, by foot.
        raw: What was measured.
        given: The same after the low pass of the forces.
        complete: Frames in which all that acts was measured, shape (n,).
        total: Measured force on all feet, shape (n, 3), [N].
        asked: Force that the motion asks for, shape (n, 3), [N]; NaN along axes that the base does not transmit; None
            without floor.
        scale: Ratio of masses for `ours`.
        floor_scale: The same for `asked`.
        threshold: Vertical force of a contact [N].
        least: Vertical force above which centres of pressure are compared [N].
    """

    time: Array
    ours: Mapping[str, FootLoad]
    raw: Mapping[str, FootLoad]
    given: Mapping[str, FootLoad]
    complete: Mask
    total: Array
    asked: Array | None
    scale: float
    floor_scale: float
    threshold: float
    least: float


def pair_loads(
    loads: Loads,
    ours: Mapping[str, FootLoad],
    raw: Mapping[str, FootLoad],
    floor: Loads | None,
    cutoff: float | None,
    mass: float | None,
    threshold: float,
    least: float,
) -> Pair:
    """Put measured and estimated loads side by side.

    Args:
        loads: What is judged.
        ours: Its loads by foot.
        raw: What was measured, by foot, at the same frames.
        floor: Loads with the measured forces at the same frames; None: there is no floor.
        cutoff: Of a low pass of what was measured [Hz]; None: none.
        mass: Of the person [kg]; None: from the vertical forces.
        threshold: Vertical force of a contact [N].
        least: Vertical force above which centres of pressure are compared [N].
    """
    weight = loads.model.mass * float(np.linalg.norm(loads.model.gravity))
    given = raw if cutoff is None else {foot: low_passed(x, loads.time, cutoff) for foot, x in raw.items()}
    known = np.logical_and.reduce([np.isfinite(x.vertical) for x in raw.values()])
    complete = known & ~_unmeasured(ours, raw, loads.time, threshold, STEP * weight)
    total = np.sum([x.force for x in given.values()], axis=0)
    asked = None
    if floor is not None and floor.base is not None:
        asked = np.sum([x.force for x in raw.values()], axis=0) + floor.residual[:, 3:]
        asked[:, ~transmitted(floor.model, floor.base)] = np.nan
    if mass is not None:
        scale = floor_scale = mass / loads.model.mass
    else:
        scale = _ratio(total, np.sum([x.force for x in ours.values()], axis=0), complete)
        floor_scale = scale if asked is None else _ratio(total, asked, complete)
    return Pair(loads.time, ours, raw, given, complete, total, asked, scale, floor_scale, threshold, least)


def _unmeasured(
    ours: Mapping[str, FootLoad], raw: Mapping[str, FootLoad], time: Array, threshold: float, step: float
) -> Mask:
    """Return the frames of steps that reach a force [N] and of which nothing was measured, shape (n,)."""
    found = np.zeros(len(time), dtype=bool)
    for foot, load in ours.items():
        on = np.nan_to_num(raw[foot].vertical) > threshold if foot in raw else np.zeros(len(time), dtype=bool)
        for start, stop in contacts(load, time, threshold, BRIDGE):
            if not on[start:stop].any() and np.nanmax(load.vertical[start:stop]) > step:
                found[start:stop] = True
    return found


def _ratio(measured: Array, found: Array, frames: Mask) -> float:
    """Return the ratio of mean vertical forces; 1 where nothing was found to scale."""
    use = frames & np.isfinite(found[:, UP]) & np.isfinite(measured[:, UP])
    below = float(found[use, UP].sum())
    return float(measured[use, UP].sum()) / below if below > 0.0 else 1.0
