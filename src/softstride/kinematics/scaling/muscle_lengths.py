"""Muscles of a scaled person: fibres and tendons grow with the path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import poses
from softstride.errors import ModelError
from softstride.kinematics.coordinates import plain_coordinates
from softstride.model import ConditionalPathPoint, Model, MovingPathPoint, Path, PathPoint
from softstride.model.link import WORLD
from softstride.model.scaling import LENGTHS_KEPT
from softstride.notes import Note, recognised

Array = NDArray[np.float64]


def path_lengths(model: Model, q: ArrayLike | None = None) -> dict[str, float]:
    """Return the length of every muscle and ligament from point to point, in [m].

    Conditional points count while their coordinate is in range. Wrapping is not considered: straight lines.

    Args:
        model: The model.
        q: One configuration, shape (nq,); None: the default pose.
    """
    at = model.neutral() if q is None else np.asarray(q, dtype=np.float64)
    values = {name: float(at[i]) for name, i in plain_coordinates(model).q.items()}
    points = {name: _points(path, values) for name, path in _paths(model).items()}
    T = dict(zip(model.link_names, poses(model, at), strict=True)) | {WORLD: np.eye(4)}
    lines = {
        name: np.array([T[link][:3, :3] @ x + T[link][:3, 3] for link, x in each])
        for name, each in points.items()
    }
    return {
        name: float(np.sum(np.linalg.norm(np.diff(each, axis=0), axis=1))) for name, each in lines.items()
    }


def _paths(model: Model) -> dict[str, Path]:
    """Return the paths of muscles and ligaments by name."""
    muscles = {name: muscle.path for name, muscle in model.muscles.items()}
    return muscles | {name: ligament.path for name, ligament in model.ligaments.items()}


def _points(path: Path, values: Mapping[str, float]) -> list[tuple[str, Array]]:
    """Return link and place of the points that the path runs through at these values of the coordinates."""
    found = []
    for point in path.points:
        if isinstance(point, MovingPathPoint):
            where = [
                float(f(values[_known(name, values)] if name else 0.0))
                for name, f in (point.x, point.y, point.z)
            ]
            found.append((point.link, np.array(where)))
        elif _active(point, values):
            found.append((point.link, point.position))
    return found


def _active(point: PathPoint, values: Mapping[str, float]) -> bool:
    """Return whether the path runs through this point."""
    if not isinstance(point, ConditionalPathPoint):
        return True
    return point.lower <= values[_known(point.coordinate, values)] <= point.upper


def _known(name: str, values: Mapping[str, float]) -> str:
    if name not in values:
        raise ModelError(f"a path depends on {name!r}, which is no coordinate with a value of its own.")
    return name


def scale_lengths(before: Model, after: Model) -> Model:
    """Return `after` with fibre, tendon and resting lengths multiplied by the ratio of path lengths.

    l' = l · path(after) / path(before), both in the default pose, as OpenSim's ScaleTool does; forces and angles stay.

    Args:
        before: The model before scaling.
        after: What `scaled` made of it.
    """
    old, new = path_lengths(before), path_lengths(after)
    ratio = {name: new[name] / old[name] if old[name] > 0.0 else 1.0 for name in new}
    muscles = {
        name: replace(
            muscle,
            fibre_length=muscle.fibre_length * ratio[name],
            tendon_length=muscle.tendon_length * ratio[name],
        )
        for name, muscle in after.muscles.items()
    }
    ligaments = {
        name: replace(ligament, resting_length=ligament.resting_length * ratio[name])
        for name, ligament in after.ligaments.items()
    }
    notes = [note for note in recognised(after.notes) if note != LENGTHS_KEPT]
    wrapped = [name for name, path in _paths(after).items() if path.wraps]
    if wrapped:
        text = (
            f"lengths of {len(wrapped)} muscles that wrap around surfaces were scaled by the ratio of their straight "
            f"paths from point to point"
        )
        code = "scaling.lengths-by-straight-paths"
        notes.append(Note(code, text, topic="scaling", names=tuple(wrapped)))
    return after.replace(muscles=muscles, ligaments=ligaments, notes=tuple(notes))
