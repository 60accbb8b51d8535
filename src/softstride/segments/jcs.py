"""Joint coordinate systems: three axes of a joint, the first a functional axis, and the angles about them.

The first axis e1 is w of the proximal segment, the third is fixed in the distal segment, the second is perpendicular to
both [GroodSuntay1983]. Whatever the axes, omega_rel = t1' e1 + t2' e2 + t3' e3.

| sequence | e3 | used for |
|---|---|---|
| "zxy" | v of the distal segment | all joints but the ankle |
| "zyx" | u of the distal segment | the ankle: v of the foot is nearly -u, so it is no third axis there |
| "isb" | unit(w x u) of the distal segment | the ankle after [Wu2002] |

Signs are those of a right limb: flexion, adduction and internal rotation turn the distal segment by positive angles
about axes to the right, forward and up. On the left the second and third axis are reversed, so that the words stay
true.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.naming import Side
from softstride.notes import Note
from softstride.results import Labels, Result, values
from softstride.segments.motion import SegmentMotion
from softstride.spatial.vectors import cross

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Sequence = Literal["zxy", "zyx", "isb"]

GIMBAL = np.radians(85.0)
"""Second angle beyond which the first and the third can hardly be told apart."""


NAMES = ("e1", "e2", "e3")


class JointAngles(Result, of="angles of a joint"):
    """Axes and angles of a joint.

    Attributes:
        axes: Unit vectors e1, e2, e3, shape (n, 3, 3): axes[:, k] is e_(k+1), world axes. e1 and e3 need not be
            perpendicular.
        angles: t1, t2, t3 about them, shape (n, 3), [rad].
        time: Instants [s], shape (n,).
    """

    axes: Array = values("time joint_axis axis")
    angles: Array = values("time joint_axis", "rad")
    time: Array = values("time", "s")

    LABELS: ClassVar[Mapping[str, Labels]] = {"joint_axis": lambda _: NAMES}

    @property
    def gimbal(self) -> NDArray[np.bool_]:
        """Where the second angle is near 90 degrees, shape (n,)."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(self.angles[:, 1]) > GIMBAL)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the angles [rad] as a `pandas.DataFrame` indexed by time."""
        return self._table("angles")

    def save(self, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
        """Write the angles [rad] as a table (.csv, .sto or .mot); see `softstride.segments.tables.save_table`."""
        from softstride.segments.tables import save_table

        return save_table(path, "time", self.time, NAMES, self.angles, overwrite=overwrite, name="angles")


def joint_angles(
    proximal: SegmentMotion,
    distal: SegmentMotion,
    *,
    sequence: Sequence = "zxy",
    side: Side | None = None,
    rises: tuple[bool, bool] = (True, True),
) -> JointAngles:
    """Return axes and angles of the joint between two segments.

    Args:
        proximal: Segment that carries e1 = w.
        distal: Segment that carries e3.
        sequence: "zxy", "zyx" or "isb".
        side: "left" reverses e2 and e3.
        rises: Whether v of the proximal and of the distal segment points up the body; that of trunk and head, which
            hang on the pelvis by their lower ends, does not.

    Raises:
        InputError: Unknown sequence, or different clocks.
    """
    if sequence not in get_args(Sequence):
        raise InputError(
            f"sequence must be one of {', '.join(get_args(Sequence))}, however it is {sequence!r}"
        )
    if not np.array_equal(proximal.time, distal.time):
        raise InputError("the two segments of a joint must have the same instants")
    R_p = proximal_frame(proximal)
    if sequence == "zxy":
        R_d = _long_frame(distal, rises[1])
    else:
        R_d = _flat_frame(distal)
    R = np.swapaxes(R_p, -1, -2) @ R_d
    e1, e3 = R_p[..., 2], R_d[..., 0 if sequence == "zyx" else 1]
    if sequence == "zyx":
        e2 = _unit(cross(e1, e3))
        angles = (
            np.arctan2(R[:, 1, 0], R[:, 0, 0]),
            -np.arcsin(np.clip(R[:, 2, 0], -1.0, 1.0)),
            np.arctan2(R[:, 2, 1], R[:, 2, 2]),
        )
    else:
        e2 = _unit(cross(e3, e1))
        angles = (
            np.arctan2(-R[:, 0, 1], R[:, 1, 1]),
            np.arcsin(np.clip(R[:, 2, 1], -1.0, 1.0)),
            np.arctan2(-R[:, 2, 0], R[:, 2, 2]),
        )
    mirror = np.array([1.0, -1.0, -1.0]) if side == "left" else np.ones(3)
    axes = np.stack([e1, e2, e3], axis=1) * mirror[:, None]
    return JointAngles(axes, _steady(np.stack(angles, axis=-1)) * mirror, proximal.time)


def proximal_frame(motion: SegmentMotion) -> Array:
    """Return the frame of a joint in its proximal segment: Z = w, Y = unit(w x u), X = Y x Z; columns, (n, 3, 3)."""
    z = _unit(motion.across)
    y = _unit(cross(motion.across, motion.forward))
    return np.stack([cross(y, z), y, z], axis=-1)


def _long_frame(motion: SegmentMotion, rises: bool) -> Array:
    """Return Y along the segment and up the body, Z = unit(u x Y), X = Y x Z."""
    y = _unit(motion.long) * (1.0 if rises else -1.0)
    z = _unit(cross(motion.forward, y))
    return np.stack([cross(y, z), y, z], axis=-1)


def _flat_frame(motion: SegmentMotion) -> Array:
    """Return X = u, Y = unit(w x u), Z = X x Y."""
    x = _unit(motion.forward)
    y = _unit(cross(motion.across, motion.forward))
    return np.stack([x, y, cross(x, y)], axis=-1)


def _steady(angles: Array) -> Array:
    """Return angles without jumps of a whole turn; gaps stay gaps."""
    result = angles.copy()
    known = np.isfinite(angles).all(axis=1)
    result[known] = np.unwrap(angles[known], axis=0)
    return result


def _unit(x: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))
