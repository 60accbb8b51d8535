"""A study by gait cycle: curves from 0 to 100 % of the cycle of each foot, with mean and band."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.capture.gait_events import find_events
from softstride.capture.recording import Event, Recording
from softstride.dynamics.validation.curves import GaitCurves, gait_cycles
from softstride.errors import InputError
from softstride.naming import Side
from softstride.segments.body_size import UNITS, Normalisation, normalise
from softstride.segments.study import SegmentStudy

Array = NDArray[np.float64]


def study_cycles(
    study: SegmentStudy, side: Side, *, by: Normalisation = "mass", points: int = 101
) -> GaitCurves:
    """Cut the joints of one side, and those in the middle, into gait cycles of that side.

    Angles are in degrees; moments and powers are normalised.

    Args:
        study: The study.
        side: Whose strikes begin the cycles.
        by: How loads are normalised.
        points: On the axis from 0 to 100 %.

    Raises:
        InputError: No whole cycle of that foot, or a size that the normalisation needs is missing.
    """
    curves = side_curves(study, side, by)
    if not any(joint.side == side for joint in study.joints.values()):
        raise InputError(f"study {study.name!r} has no joint of the {side} side")
    return gait_cycles(
        curves,
        foot_events(study.recording, side, study.options.subject)[0],
        side=side,
        time=study.time,
        points=points,
    )


def side_curves(study: SegmentStudy, side: Side, by: Normalisation = "mass") -> dict[str, Array]:
    """Return angles [degrees], moments (projections) and powers of a side, normalised, by name, shape (n,) each."""
    found: dict[str, Array] = {}
    for joint in study.joints.values():
        if joint.side not in (None, side):
            continue
        plain = joint.name.removeprefix(f"{side} ")
        for k, word in enumerate(joint.words):
            found[f"{plain} {word} angle"] = np.degrees(joint.angles[:, k])
        if np.isfinite(joint.projection).any():
            moments = normalise(joint.projection, "moment", by, study.person)
            for k, word in enumerate(joint.words):
                found[f"{plain} {word} moment"] = moments[:, k]
            found[f"{plain} power"] = normalise(joint.power.rotation, "power", by, study.person)
    return found


def curve_unit(label: str, by: Normalisation) -> str:
    """Return the unit of a curve of `side_curves`."""
    if label.endswith("angle"):
        return "degrees"
    return UNITS[by]["power" if label.endswith("power") else "moment"]


def foot_events(recording: Recording, side: Side, subject: str | None = None) -> tuple[list[Event], str]:
    """Return the events of a foot, and "file" or "markers": those of the file where it has two strikes or more."""
    own = [event for event in recording.events if event.side == side]
    if sum(event.label == "strike" for event in own) >= 2:
        return own, "file"
    try:
        found = find_events(recording, "markers", subject=subject)
    except InputError:
        return own, "file"
    return [event for event in found.events if event.side == side and event.source == "markers"], "markers"
