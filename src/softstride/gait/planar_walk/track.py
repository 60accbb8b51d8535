"""A motion of any model seen from the side: joint centres and directions of segments in the plane of x and y."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.kinematics.motion import Motion
from softstride.model.checks import names_hint
from softstride.naming import LETTERS

Floats = NDArray[np.float64]

MIDDLE = ("pelvis", "torso")
LEG = ("femur", "tibia", "talus", "calcn", "toes")


@dataclass(frozen=True, eq=False)
class SagittalTrack:
    """What is seen of a walker from the side.

    Attributes:
        time: [s], shape (n,).
        points: "hip_r", "knee_r", "ankle_r", "heel_r", "ball_r" and those of the left side: (x, y), shape (n, 2), [m].
        angles: "pelvis", "trunk", "thigh_r", "shank_r", "foot_r" and those of the left side, counter-clockwise from the
            upright pose, feet from level, shape (n,), [rad].
    """

    time: Floats
    points: Mapping[str, Floats] = field(default_factory=Table)
    angles: Mapping[str, Floats] = field(default_factory=Table)

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)


def sagittal_track(motion: Motion, links: Mapping[str, str] | None = None) -> SagittalTrack:
    """Return a motion seen from the side.

    Hips, knees and ankles are the origins of femur, tibia and talus, the heel that of the calcaneus and the ball that
    of the toes. Thighs and shanks point from joint to joint, pelvis, trunk and feet along the forward axes of their
    links.

    Args:
        motion: The motion, x forward and y up.
        links: Names of links in place of "pelvis", "torso", "femur_r", "tibia_r", "talus_r", "calcn_r", "toes_r", ...

    Raises:
        InputError: The model has no such link.
    """
    names = [*MIDDLE, *(f"{part}_{side}" for side in LETTERS for part in LEG)]
    chosen = [(links or {}).get(name, name) for name in names]
    known = motion.model.link_names
    for name in chosen:
        if name not in known:
            raise InputError(
                f"a walker seen from the side needs a link {name!r}, which {motion.model.name!r} has not; known: "
                f"{names_hint(known)}; give its name with links=..."
            )
    T = dict(zip(names, np.moveaxis(engine.poses(motion.model, motion.q, chosen), 1, 0), strict=True))
    points: dict[str, Floats] = {}
    angles = {"pelvis": _forward(T["pelvis"]), "trunk": _forward(T["torso"])}
    for side in LETTERS:
        for name, part in zip(("hip", "knee", "ankle", "heel", "ball"), LEG, strict=True):
            points[f"{name}_{side}"] = T[f"{part}_{side}"][:, :2, 3]
        for name, top, bottom in (("thigh", "hip", "knee"), ("shank", "knee", "ankle")):
            down = points[f"{bottom}_{side}"] - points[f"{top}_{side}"]
            angles[f"{name}_{side}"] = np.unwrap(np.arctan2(down[:, 0], -down[:, 1]))
        angles[f"foot_{side}"] = _forward(T[f"calcn_{side}"])
    return SagittalTrack(motion.time, Table(points), Table(angles))


def _forward(T: Floats) -> Floats:
    return np.unwrap(np.arctan2(T[:, 1, 0], T[:, 0, 0]))
