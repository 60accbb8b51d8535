"""Curves of a walk beside those of the walk as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from softstride.gait.body import JOINTS
from softstride.gait.walk import Walk
from softstride.naming import SIDES
from softstride.viewer.curves import LEFT, RIGHT, Curve, Plot, Plots
from softstride.viewer.walk_words import joint_words

Floats = NDArray[np.float64]

SENSES = {"ankle": "dorsiflexion", "knee": "extension", "hip": "flexion"}
"""What is positive at each joint."""


def walk_curves(walk: Walk, baseline: Walk) -> tuple[Floats, Plots]:
    """Return the instants of the longer walk [s], and plots over them: angles, moments, ground reaction.

    The walk as it is is drawn with broken lines; a walk that has ended has no values.
    """
    time = walk.time if walk.time[-1] >= baseline.time[-1] else baseline.time
    found: dict[str, dict[str, Plot]] = {"Angle": {}, "Moment": {}, "Ground": {}}
    for j, joint in enumerate(JOINTS):
        name, sense = joint_words(joint), SENSES[joint.partition("_")[2]]
        colour = RIGHT if joint.startswith("right") else LEFT

        def angle(each: Walk, j: int = j) -> Floats:
            return np.degrees(each.joint_angles[:, j])

        def moment(each: Walk, j: int = j) -> Floats:
            return each.moments[:, j]

        found["Angle"][name] = _plot(f"{name}, {sense}", "°", angle, walk, baseline, time, colour)
        found["Moment"][name] = _plot(f"{name}, {sense}", "N·m", moment, walk, baseline, time, colour)
    for word, axis in (("up", 1), ("forward", 0)):
        for k, side in enumerate(SIDES):

            def force(each: Walk, k: int = k, axis: int = axis) -> Floats:
                return each.ground_force[:, k, axis]

            title = f"{side.capitalize()} foot, {word}"
            colour = RIGHT if side == "right" else LEFT
            found["Ground"][title] = _plot(title, "N", force, walk, baseline, time, colour)
    return time, found


def _plot(
    title: str,
    unit: str,
    values: Callable[[Walk], Floats],
    walk: Walk,
    baseline: Walk,
    time: Floats,
    colour: str,
) -> Plot:
    def at(each: Walk) -> Floats:
        return np.asarray(np.interp(time, each.time, values(each), left=np.nan, right=np.nan))

    before = Curve("as it is", at(baseline), "", dashed=True)
    return Plot(title, unit, (before, Curve("changed", at(walk), colour)))
