"""Ground forces in a table: which columns are the components of one force, by names that leave no doubt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from softstride.naming import Side, side_of

Triple = tuple[str, str, str]

# (prefix of the force, of the point, of the torque) for what {} stands for in the name of the force column
_STYLES = (
    (
        re.compile(r"(?P<id>.*?)ground_force_v"),
        ("{}ground_force_p",),
        ("{}ground_torque_", "{}ground_moment_"),
    ),
    (
        re.compile(r"ground_force_(?P<id>.+?)_v"),
        ("ground_force_{}_p",),
        ("ground_torque_{}_", "ground_force_{}_m", "ground_moment_{}_", "ground_moment_{}_m"),
    ),
)


@dataclass(frozen=True)
class ForceColumns:
    """The columns of one force.

    Attributes:
        name: What their names have in common, such as "ground_force_r".
        force: Names of the columns of its x, y and z.
        point: Those of the point of application; None if the table has none.
        torque: Those of the torque about that point; None if the table has none.
        side: The foot, where the name says it.
    """

    name: str
    force: Triple
    point: Triple | None
    torque: Triple | None
    side: Side | None


def find_force_columns(columns: Sequence[str]) -> tuple[ForceColumns, ...]:
    """Return the forces among columns, in their order.

    Five styles are known: `ground_force_vx` and `1_ground_force_vx` with `ground_torque_x`; `R_ground_force_vx`;
    `ground_force_r_vx` with `ground_torque_r_x`; `ground_force_1_vx` with `ground_force_1_mx`;
    `ground_force_calcn_r_vx` with `ground_force_calcn_r_mx`. A force counts only with all three components; a point
    and a torque likewise. The `f1_1`, `p1_1`, `m1_1` of OpenSim's C3D reader do not count: they may be in mm and N·mm.

    Args:
        columns: Names of the columns of a table.
    """
    present = set(columns)
    found: list[ForceColumns] = []
    for column in columns:
        match = re.fullmatch(r"(?P<prefix>.*v)x", column)
        force = _with_style(match["prefix"], present) if match else None
        if force:
            found.append(force)
    return tuple(found)


def _with_style(prefix: str, present: set[str]) -> ForceColumns | None:
    force = _triple(prefix, present)
    if force is None:
        return None
    for style, points, torques in _STYLES:
        match = style.fullmatch(prefix)
        if match:
            point = next((t for p in points if (t := _triple(p.format(match["id"]), present))), None)
            torque = next((t for p in torques if (t := _triple(p.format(match["id"]), present))), None)
            name = prefix.removesuffix("v").rstrip("_")
            return ForceColumns(name, force, point, torque, side_of(name))
    return None


def _triple(prefix: str, present: set[str]) -> Triple | None:
    x, y, z = (prefix + axis for axis in "xyz")
    return (x, y, z) if present.issuperset((x, y, z)) else None
