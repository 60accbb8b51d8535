"""Where the floor is: as it was estimated, as plates have it, or below everything that was seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.loads import Loads
from softstride.scene.parts import Drawn, Ribbon
from softstride.scene.shapes import Shape
from softstride.spatial.quaternion import quat_to_matrix

Floats = NDArray[np.float64]

NEAR = 0.15
"""Feet that come so near to height 0 stand on it [m]."""


def floor_height(
    estimated: Loads | None,
    recording: Recording | None,
    links: tuple[str, ...],
    poses: Drawn | Floats,
    shapes: tuple[Shape, ...],
    ribbons: tuple[Ribbon, ...],
) -> float:
    """Return the height of the floor [m].

    Without an estimate and without plates it is at 0 if something comes near to that, else below the lowest place of
    the motion: a motion may have a pelvis that stays at the origin.

    Args:
        estimated: Loads whose ground reaction was estimated.
        recording: For its plates.
        links: Names.
        poses: Of the links, shape (n, links, 7).
        shapes: Solids on the links.
        ribbons: Rods.
    """
    if estimated is not None and estimated.ground is not None:
        return float(estimated.ground.floor)
    if recording is not None and recording.plates:
        return float(np.mean([plate.corners[:, 1].mean() for plate in recording.plates]))
    lows = [float(ribbon.centre[..., 1].min()) for ribbon in ribbons]
    for shape in shapes:
        pose = np.asarray(poses[:, links.index(shape.link)], dtype=np.float64)
        up = quat_to_matrix(pose[:, 3:])[:, 1]  # (n, 3)
        lows.append(float((up @ shape.points.T + pose[:, 1:2] - shape.radii.min()).min()))
    lowest = min(lows, default=0.0)
    return 0.0 if abs(lowest) < NEAR else lowest
