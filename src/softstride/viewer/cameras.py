"""Where a camera stands: from the side, the front, above, or across."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.scene.scene import Scene

Floats = NDArray[np.float64]

FIELD = 0.7
"""Vertical field of view [rad]."""

DIRECTIONS = {
    "side": (0.0, 0.05, 1.0),
    "front": (1.0, 0.05, 0.0),
    "back": (-1.0, 0.05, 0.0),
    "top": (0.0, 1.0, 0.001),
    "across": (0.62, 0.3, 0.8),
}
"""Where to stand, seen from the person: x forward, y up, z right."""


ASPECT = 1.3
"""Width over height of a picture whose size is not known."""


def look(
    scene: Scene, preset: str, following: bool, aspect: float = ASPECT, beside: float = 0.0
) -> tuple[Floats, Floats]:
    """Return where the camera stands and what it looks at [m], with the stage moved so that the person is at x = z = 0.

    Args:
        scene: What is to be seen.
        preset: One of `DIRECTIONS`.
        following: Whether the stage goes with the person, so that only the person has to fit in.
        aspect: Width over height of the picture.
        beside: How far to the right somebody else is that has to fit in as well [m].

    Raises:
        InputError: No such preset.
    """
    if preset not in DIRECTIONS:
        raise InputError(f"{preset!r} is no camera; there are: {', '.join(DIRECTIONS)}")
    centre = float(scene.base[:, 1].mean()) - scene.floor  # about 0.56 of the height of a person
    tall = max(1.85 * centre, 0.3)
    span = np.ptp(scene.base, axis=0)
    along = tall if following else float(span[0]) + tall
    across = (0.0 if following else float(span[2])) + abs(beside) + 0.5 * tall
    direction = np.array(DIRECTIONS[preset]) / np.linalg.norm(DIRECTIONS[preset])
    level = np.hypot(direction[0], direction[2])
    part = (1.0, 0.0) if level < 0.1 else (abs(direction[2]) / level, abs(direction[0]) / level)
    wide = part[0] * along + part[1] * across
    high = max(tall, across) if level < 0.1 else tall
    near = 0.5 * (part[1] * along + part[0] * across)  # what stands nearer looks larger
    distance = max(0.57 * high, 0.55 * wide / max(aspect, 0.2)) / np.tan(FIELD / 2) + 0.25 * near
    target = np.array([0.0, scene.floor + 0.5 * tall, 0.5 * beside])
    return target + distance * direction, target


def shift(scene: Scene, frame: int, *, following: bool) -> Floats:
    """Return how the stage is moved in a frame: the person, or the middle of the way, to x = z = 0, [m]."""
    base = scene.base
    at = base[frame] if following else 0.5 * (base.min(axis=0) + base.max(axis=0))
    return np.array([-float(at[0]), 0.0, -float(at[2])])
