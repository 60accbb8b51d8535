"""The tree of links of the packaged people.

Every link frame sits in its joint and is parallel to the world in the neutral pose (the patella's is turned by a
milliradian).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.coordinate import Coordinate
from softstride.model.inertia import Inertia
from softstride.model.library.human import mirror
from softstride.model.library.human.joints import knee_axes, make_coordinates, make_joint
from softstride.model.library.human.shape import Shape
from softstride.model.link import WORLD, Link
from softstride.naming import LETTERS


@dataclass(frozen=True)
class Skeleton:
    """Links with their coordinates, and where the link frames are in the neutral pose.

    Attributes:
        links: Parents before children.
        coordinates: Ranges and defaults by name.
        origins: By link of either side, position in the world, shape (3,), [m].
    """

    links: tuple[Link, ...]
    coordinates: Mapping[str, Coordinate]
    origins: Mapping[str, FloatArray]


def build_skeleton(layout: Mapping[str, Any], shape: Shape, bodies: Mapping[str, Inertia]) -> Skeleton:
    """Hang the links of a layout on each other.

    Args:
        layout: Content of `human.toml` or `gait.toml`.
        shape: The neutral pose.
        bodies: Inertia of each link of the middle and the right side, world axes, neutral pose.
    """
    links: list[Link] = []
    coordinates: dict[str, Coordinate] = {}
    origins: dict[str, FloatArray] = {WORLD: np.zeros(3)}
    for row, side in _sided_rows(link_rows(layout)):
        name, parent = mirror.on_side(row["name"], side), mirror.on_side(row["parent"], side)
        origins[name] = mirror.point(shape.points[row["at"]], side)
        links.append(_make_link(row, shape, side, origins[parent], bodies[mirror.on_side(row["name"], "r")]))
        coordinates |= {c.name: c for c in make_coordinates(row, side)}
    height = float(shape.points["pelvis"][1])
    up = "pelvis_ty" if layout["links"][0]["joint"] == "base" else "pelvis.ty"
    coordinates[up] = Coordinate(up, default=height)
    return Skeleton(tuple(links), coordinates, origins)


def link_rows(layout: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows of all links, those of the spine written out and put behind the pelvis."""
    first, *others = layout["links"]
    parent, spine = first["name"], []
    for name, sagittal, bending, rotation in layout.get("spine", ()):
        half = 0.5 * sagittal
        turns = [
            [f"{name}_extension", [0, 0, 1], -half, half],
            [f"{name}_bending", [1, 0, 0], -bending, bending],
            [f"{name}_rotation", [0, 1, 0], -rotation, rotation],
        ]
        spine.append({"name": name, "parent": parent, "at": name, "rotations": turns})
        parent = name
    return [first, *spine, *others]


def _sided_rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Go through the rows in order; runs of rows of a limb come once for the right side, then for the left."""
    for both, run in groupby(rows, key=lambda row: mirror.sided(row["name"])):
        limb = list(run)
        for side in LETTERS if both else ("r",):
            yield from ((row, side) for row in limb)


def _make_link(
    row: Mapping[str, Any], shape: Shape, side: str, parent_origin: FloatArray, body: Inertia
) -> Link:
    """Return one link; the placement is that of the right side, mirrored where needed."""
    origin = shape.points[row["at"]]
    kind = row.get("joint")
    joint_at = shape.points["knee"] if kind == "patella" else origin
    placement, offset = np.eye(4), np.eye(4)
    if kind == "knee":
        placement = knee_axes()
        offset[:3, :3] = placement[:3, :3].T
    if row["parent"] != WORLD:
        placement[:3, 3] = joint_at - mirror.point(parent_origin, side)
    local = Inertia(body.mass, body.com - origin, body.matrix)
    return Link(
        name=mirror.on_side(row["name"], side),
        parent=mirror.on_side(row["parent"], side),
        joint=make_joint(row, shape, side),
        placement=mirror.pose(placement, side),
        offset=mirror.pose(offset, side),
        inertia=mirror.inertia(local, side),
    )
