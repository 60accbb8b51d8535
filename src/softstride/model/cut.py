"""A cut through one bone of a leg: what is below it, and the frames at the stump."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from softstride.errors import ModelError
from softstride.model.actuator import CoordinateActuator, PointActuator, TorqueActuator
from softstride.model.checks import FloatArray
from softstride.model.frame import Frame
from softstride.model.leg import Bone, descendants, hanging_places
from softstride.model.model import Model
from softstride.model.path import AnyPathPoint, ConditionalPathPoint, MovingPathPoint, Path
from softstride.model.path_places import PathPlaces

LEAST_FORWARD = 0.2
"""Part of the world's x across the bone, in the default pose, below which forward is not known."""


@dataclass(frozen=True, eq=False)
class Cut:
    """One cut through one bone.

    Attributes:
        model: The whole model.
        bone: The bone.
        distance: Of the cut from the joint above, along the bone [m].
        letter: "r" or "l".
    """

    model: Model
    bone: Bone
    distance: float
    letter: str

    @cached_property
    def gone(self) -> frozenset[str]:
        """Names of the links that hung below the cut."""
        hung = [
            name for name, place in hanging_places(self.model, self.bone.link).items() if self.below(place)
        ]
        return frozenset(name for child in hung for name in (child, *descendants(self.model, child)))

    @cached_property
    def coordinates(self) -> frozenset[str]:
        """Names of the coordinates that are left."""
        links = (link for link in self.model.links if link.name not in self.gone)
        return frozenset(name for link in links for name in link.coordinate_names)

    @cached_property
    def places(self) -> PathPlaces:
        """Places of path points in the default pose of the whole model."""
        return PathPlaces(self.model)

    def below(self, place: FloatArray) -> bool:
        """Whether a place on the bone, shape (3,), is below the cut."""
        return float(self.bone.axis @ (np.asarray(place) - self.bone.top)) > self.distance

    def lost(self, link: str, place: FloatArray | None) -> bool:
        """Whether a place on a link is cut off."""
        return link in self.gone or (link == self.bone.link and place is not None and self.below(place))

    def point_lost(self, point: AnyPathPoint) -> bool:
        """Whether a point of a path, or a coordinate that it depends on, is cut off."""
        if isinstance(point, MovingPathPoint):
            needed = [name for name, _ in (point.x, point.y, point.z) if name]
        else:
            needed = [point.coordinate] if isinstance(point, ConditionalPathPoint) else []
        if any(name not in self.coordinates for name in needed):
            return True
        return self.lost(point.link, self.places.on_link(point))

    def path_lost(self, path: Path) -> bool:
        """Whether a path lost a point, or a coordinate that it depends on."""
        return any(self.point_lost(point) for point in path.points)

    def idle(self, actuator: Any) -> bool:
        """Whether an actuator lost its coordinate, its link or the point where it acts."""
        if isinstance(actuator, CoordinateActuator):
            return actuator.coordinate not in self.coordinates
        if isinstance(actuator, TorqueActuator) and actuator.reaction in self.gone:
            return True
        held = isinstance(actuator, PointActuator) and not actuator.point_in_world
        return self.lost(actuator.link, actuator.point if held else None)

    @cached_property
    def stump(self) -> Frame:
        """The frame at the cut: y along the bone towards the joint above, x forward, z to the right."""
        bone = self.bone
        up = -bone.axis
        x = self.places.poses[bone.link][0, :3]  # the world's x in link axes
        forward = x - (x @ up) * up
        size = float(np.linalg.norm(forward))
        if size < LEAST_FORWARD:
            raise ModelError(
                f"{bone.link!r} lies along the world's x in the default pose of {self.model.name!r}, so that forward "
                "is not known: let the coordinates have defaults at which the leg hangs down."
            )
        forward /= size
        rotation = np.column_stack([forward, up, np.cross(forward, up)])
        return Frame(bone.link, bone.top - self.distance * up, rotation)

    def frames(self) -> dict[str, Frame]:
        """Return the frames at the stump and at the ground and, if the knee is gone, where it was."""
        depths = {"stump": self.distance, "ground": self.bone.sole}
        if self.bone.level == "transfemoral":
            depths["stump_knee"] = self.bone.length
        return {
            f"{name}_{self.letter}": Frame(
                self.bone.link, self.bone.top + depth * self.bone.axis, self.stump.rotation
            )
            for name, depth in depths.items()
        }
