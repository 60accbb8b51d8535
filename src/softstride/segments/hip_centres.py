"""Hip centres from the pelvis: published regressions, for when no movement showed where the hips are.

All are in pelvis axes with the origin in the middle of the front iliac spines (ASIS): z from the left to the right
ASIS, x forward in the plane of the ASIS and the middle of the back spines (PSIS, or the sacrum), y = z x x. PW is the
distance of the ASIS, PD that of the middles of ASIS and PSIS, LL the length of the leg (ASIS to medial malleolus); in
mm.

| name | x | y | z (right) | error told | from |
|---|---|---|---|---|---|
| harrington | -0.24 PD - 9.9 | -0.30 PW - 10.9 | 0.33 PW + 7.3 | 7 mm | [Harrington2007] |
| hara | 11 - 0.063 LL | -9 - 0.078 LL | 8 + 0.086 LL | 8 mm | [Hara2016] |
| bell | -0.19 PW | -0.30 PW | 0.36 PW | 19 mm | [Bell1990] |
| davis | from LL, PW and the radius of a marker | | | 15 mm | [Davis1991] |
| reed | -0.208 PW (female -0.197) | -0.278 PW (-0.270) | 0.361 PW (0.372) | - | [Reed1999] |

Coefficients agree in several public transcriptions; they were not compared with the printed pages. Errors are those
that transcriptions tell, all directions together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.naming import Side
from softstride.segments.inertia_table import Sex
from softstride.segments.landmarks import Landmarks
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]
HipRegression = Literal["harrington", "hara", "bell", "davis", "reed"]

ERRORS = {"harrington": 7.0, "hara": 8.0, "bell": 19.0, "davis": 15.0, "reed": np.nan}
"""In mm."""

DAVIS_THETA, DAVIS_BETA = np.radians(28.4), np.radians(18.0)


@dataclass(frozen=True, eq=False)
class PelvisFrame:
    """Axes and sizes of a pelvis.

    Attributes:
        origin: Middle of the ASIS, shape (n, 3), [m].
        rotation: x, y, z as columns, shape (n, 3, 3).
        width: Mean distance of the ASIS, PW [m].
        depth: Mean distance of the middles of ASIS and PSIS, PD [m].
    """

    origin: Array
    rotation: Array
    width: float
    depth: float

    def place(self, offset: Array) -> Array:
        """Return a point of the pelvis in the world, shape (n, 3), [m]."""
        return np.asarray(self.origin + self.rotation @ offset)


def pelvis_frame(landmarks: Landmarks) -> PelvisFrame:
    """Return the axes of a pelvis.

    Raises:
        InputError: ASIS, or both PSIS and sacrum, are missing.
    """
    missing = [name for name in ("right ASIS", "left ASIS") if name not in landmarks]
    back = "right PSIS" in landmarks and "left PSIS" in landmarks
    if missing or not (back or "SACRUM" in landmarks):
        what = ", ".join(missing) or "PSIS of both sides, or SACRUM"
        raise InputError(f"the axes of the pelvis need ASIS, and PSIS or SACRUM; missing: {what}")
    right, left = landmarks["right ASIS"], landmarks["left ASIS"]
    rear = 0.5 * (landmarks["right PSIS"] + landmarks["left PSIS"]) if back else landmarks["SACRUM"]
    front = 0.5 * (right + left)
    z = _unit(right - left)
    y = _unit(cross(z, front - rear))
    rotation = np.stack([cross(y, z), y, z], axis=-1)
    width = float(np.nanmean(np.linalg.norm(right - left, axis=1)))
    depth = float(np.nanmean(np.linalg.norm(front - rear, axis=1)))
    return PelvisFrame(front, rotation, width, depth)


def hip_offset(
    method: HipRegression,
    *,
    width: float,
    depth: float | None = None,
    leg_length: float | None = None,
    marker_radius: float = 0.0,
    sex: Sex | None = None,
) -> Array:
    """Return the right hip centre in pelvis axes, shape (3,), [m].

    Args:
        method: Of the table above.
        width: PW [m].
        depth: PD [m], for harrington.
        leg_length: LL [m], for hara and davis.
        marker_radius: Of the markers on the ASIS [m], for davis.
        sex: For reed.

    Raises:
        InputError: Unknown method, or a size that it needs is missing.
    """
    if method not in get_args(HipRegression):
        raise InputError(f"hip must be one of {', '.join(get_args(HipRegression))}, however it is {method!r}")
    if method in ("hara", "davis") and leg_length is None:
        raise InputError(
            f"hip centres by {method!r} need the length of the leg: give leg_length, or take 'harrington'"
        )
    if method == "harrington" and depth is None:
        raise InputError(
            "hip centres by 'harrington' need the depth of the pelvis: PSIS or SACRUM; or take 'bell'"
        )
    if method == "reed" and sex is None:
        raise InputError(
            "hip centres by 'reed' need the sex: sex='female' or sex='male' (--sex female or --sex male)"
        )
    leg, deep = leg_length or 0.0, depth or 0.0
    if method == "harrington":
        return np.array([-0.24 * deep - 0.0099, -0.30 * width - 0.0109, 0.33 * width + 0.0073])
    if method == "hara":
        return np.array([0.011 - 0.063 * leg, -0.009 - 0.078 * leg, 0.008 + 0.086 * leg])
    if method == "bell":
        return np.array([-0.19, -0.30, 0.36]) * width
    if method == "reed":
        return np.array([-0.197, -0.270, 0.372] if sex == "female" else [-0.208, -0.278, 0.361]) * width
    reach = 0.115 * leg - 0.0153
    behind = 0.1288 * leg - 0.04856 + marker_radius
    ct, st, cb, sb = np.cos(DAVIS_THETA), np.sin(DAVIS_THETA), np.cos(DAVIS_BETA), np.sin(DAVIS_BETA)
    return np.array(
        [-behind * cb + reach * ct * sb, -behind * sb - reach * ct * cb, 0.5 * width - reach * st]
    )


def hip_centre(frame: PelvisFrame, offset: Array, side: Side) -> Array:
    """Return a hip centre over time, shape (n, 3), [m], from its offset on the right."""
    return frame.place(offset * (1.0, 1.0, 1.0 if side == "right" else -1.0))


def _unit(x: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))
