"""Where paths run in the default pose, and how long they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import FloatArray
from softstride.model.link import WORLD
from softstride.model.model import Model
from softstride.model.path import AnyPathPoint, ConditionalPathPoint, MovingPathPoint, Path
from softstride.model.posture import default_poses
from softstride.model.taut import Obstacle, line_length, taut_line


def posed(model: Model, pose: Mapping[str, float] | None) -> Model:
    """Return the model with other defaults.

    Args:
        model: The model.
        pose: Values by name of the coordinate [rad] or [m]; the others keep their defaults. None: all do.

    Raises:
        ModelError: A coordinate that the model does not have.
    """
    if not pose:
        return model
    coordinates = dict(model.coordinates)
    for name, value in pose.items():
        if name not in coordinates:
            raise ModelError(
                f"pose: {name!r} is no coordinate of {model.name!r}; known: {checks.names_hint(coordinates)}."
            )
        coordinates[name] = replace(coordinates[name], default=checks.number(value, f"pose: {name!r}"))
    return model.replace(coordinates=coordinates)


class PathPlaces:
    """Places of paths in the default pose of one model."""

    def __init__(self, model: Model) -> None:
        """Pose the links once."""
        self.poses = default_poses(model) | {WORLD: np.eye(4)}
        self.wraps = model.wraps
        self.values = {name: coordinate.default for name, coordinate in model.coordinates.items()}

    def on_link(self, point: AnyPathPoint) -> FloatArray:
        """Return the place of a point in the axes of its link, shape (3,), [m]."""
        if isinstance(point, MovingPathPoint):
            return np.array([float(f(self.values.get(name, 0.0))) for name, f in (point.x, point.y, point.z)])
        return point.position

    def in_world(self, point: AnyPathPoint) -> FloatArray:
        """Return the place of a point in world axes, shape (3,), [m]."""
        T = self.poses[point.link]
        return np.asarray(T[:3, :3] @ self.on_link(point) + T[:3, 3])

    def used(self, path: Path) -> list[int]:
        """Return the numbers of the points that a path runs through; conditional ones count only in their range."""
        return [
            number
            for number, point in enumerate(path.points)
            if not isinstance(point, ConditionalPathPoint)
            or point.lower <= self.values[point.coordinate] <= point.upper
        ]

    def lines(self, path: Path) -> list[FloatArray]:
        """Return the lines, shape (m, 3), [m], in world axes, from each point that it runs through to the next."""
        used = self.used(path)
        places = [self.in_world(path.points[number]) for number in used]
        return [
            taut_line(places[i], places[i + 1], self._obstacles(path, used[i], used[i + 1]))
            for i in range(len(used) - 1)
        ]

    def length(self, path: Path) -> float:
        """Return the length of a path [m], wrapped around its surfaces."""
        return sum(line_length(line) for line in self.lines(path))

    def _obstacles(self, path: Path, start: int, end: int) -> list[Obstacle]:
        """Return the surfaces that the path may touch between two of its points."""
        found = []
        for wrap in path.wraps:
            surface = self.wraps[wrap.surface]
            last = len(path.points) - 1 if wrap.last is None else wrap.last
            if surface.active and (wrap.first or 0) <= start and end <= last:
                found.append(Obstacle(surface, self.poses[surface.link] @ surface.pose))
        return found
