"""Scale factors from distances between markers, and markers moved onto the measured ones (OpenSim's ScaleTool)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.engine import poses, positions
from softstride.errors import InputError, ModelError
from softstride.kinematics.frames import Range, frame_range
from softstride.kinematics.scaling.pose import static_pose
from softstride.kinematics.scaling.setup import CoordinateGoal, Measurement, ScaleSetup
from softstride.kinematics.scaling.static import Targets
from softstride.model import Model, Point
from softstride.notes import Note, Notes

Array = NDArray[np.float64]


def measured_factors(
    model: Model, static: Recording, setup: ScaleSetup, time_range: Range | None = None
) -> tuple[dict[str, Array], Notes]:
    """Return the factors of links, shape (3,), and notes.

    A measurement is f = mean over its pairs of (mean over frames of |x_a - x_b|) / |p_a - p_b|, the model in its
    default pose; it sets the named axes of its links. Later measurements, and later kinds in `setup.order`, win.
    """
    factors: dict[str, Array] = {name: np.ones(3) for name in model.link_names}
    at = dict(zip(model.markers, positions(model, model.neutral(), list(model.markers)), strict=True))
    notes = Notes()
    for kind in setup.order:
        if kind == "manualScale":
            for link, value in setup.manual.items():
                if _known(model, link, "manual factors", notes):
                    factors[link] = np.array(value, dtype=np.float64)
            continue
        for measurement in setup.measurements:
            factor = _factor(at, static, measurement, time_range or setup.time_range, notes)
            for link, axes in measurement.links.items() if factor is not None else ():
                if _known(model, link, f"measurement {measurement.name!r}", notes):
                    factors[link][["xyz".index(axis) for axis in axes]] = factor
    return factors, notes


def _known(model: Model, link: str, what: str, notes: Notes) -> bool:
    known = link in model.link_names
    if not known:
        text = f"{what}: the model has no link {link!r}; ignored"
        notes.add("scaling.link-unknown", text, topic="scaling", names=[link])
    return known


def _factor(
    at: Mapping[str, Array],
    static: Recording,
    measurement: Measurement,
    time_range: Range | None,
    notes: Notes,
) -> float | None:
    """Return measured distance over that of the model's markers, which are `at` (3,) [m]; None if one is missing."""
    points, what = static.markers, f"measurement {measurement.name!r}"
    ratios = []
    for pair in measurement.pairs:
        for name in pair:
            where = "the model" if name not in at else "the recording" if name not in points else ""
            if where:
                text = f"{what}: {name!r} is not in {where}; not used"
                notes.add("scaling.measurement-without-marker", text, topic="scaling", names=[name])
                return None
        span = frame_range(points.time, time_range)
        distance = np.linalg.norm(points[pair[0]][span] - points[pair[1]][span], axis=1)
        seen = distance[np.isfinite(distance)]
        length = float(np.linalg.norm(at[pair[0]] - at[pair[1]]))
        if not len(seen):
            text = f"{what}: {pair[0]!r} and {pair[1]!r} are never seen together"
            notes.add("scaling.markers-never-together", text, topic="scaling", names=pair)
            return None
        if length == 0.0:
            raise ModelError(
                f"{what}: {pair[0]!r} and {pair[1]!r} are at one place in the model.", names=pair
            )
        ratios.append(float(np.mean(seen)) / length)
    return float(np.mean(ratios)) if ratios else None


def mean_targets(model: Model, static: Recording, time_range: Range | None) -> Targets:
    """Return the mean positions of the markers over a part of the trial: one frame.

    Raises:
        InputError: The trial shows none of them.
    """
    points = static.markers
    span = frame_range(points.time, time_range)
    names, means = [], []
    for name in model.markers:
        values = points[name][span] if name in points else np.empty((0, 3))
        values = values[np.isfinite(values).all(axis=1)]
        if len(values):
            names.append(name)
            means.append(values.mean(axis=0))
    if not names:
        raise InputError(f"the recording {static.name!r} shows none of the markers of {model.name!r}")
    missing = [name for name in model.markers if name not in names]
    text = f"markers of the model that the trial does not show: {', '.join(missing)}"
    note = Note("scaling.markers-not-shown", text, topic="scaling", names=tuple(missing))
    values, middle = np.array(means).reshape(1, -1, 3), np.array([points.time[span].mean()])
    return Targets(tuple(names), values, middle, (note,) if missing else ())


@dataclass(frozen=True, eq=False)
class Placement:
    """Markers moved on their links, and the pose in which that was done."""

    model: Model
    q: Array  # (nq,)
    iterations: int
    converged: bool
    moved: Mapping[str, Array]


def place_markers(
    model: Model,
    seen: Targets,
    weights: Mapping[str, float] | None,
    goals: Mapping[str, CoordinateGoal],
    fixed: Iterable[str] = (),
) -> Placement:
    """Find the static pose, then put every marker that is not fixed where it was seen.

    Args:
        model: The scaled model.
        seen: One frame of measured markers.
        weights: Of the markers that decide on the pose; None or empty: all equal.
        goals: Coordinates that are drawn to a value.
        fixed: Markers that stay where they are.
    """
    w = np.array([(weights.get(name, 0.0) if weights else 1.0) for name in seen.names])
    drawn = {
        name: (model.coordinates[name].default if goal.value is None else goal.value, goal.weight)
        for name, goal in goals.items()
        if name in model.coordinates and not model.coordinates[name].locked
    }
    found = static_pose(model, seen.names, seen.values[0], w, drawn)
    stay = set(fixed)
    free = [name for name in seen.names if name not in stay and model.markers[name].at is None]
    T = poses(model, found.state, free) if free else np.zeros((0, 4, 4))
    markers, moved = dict(model.markers), {}
    for name, pose in zip(free, T, strict=True):
        old = markers[name]
        step = pose[:3, :3].T @ (seen.values[0, seen.names.index(name)] - pose[:3, 3])
        markers[name] = Point(old.link, old.position + step)
        moved[name] = step
    return Placement(model.replace(markers=markers), found.state, found.iterations, found.converged, moved)
