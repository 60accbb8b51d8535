"""The leg muscles of the packaged people: paths, wrapping surfaces, Hill parameters, for a person of any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.library.human import mirror
from softstride.model.library.human.joints import successive
from softstride.model.library.human.shape import Shape
from softstride.model.library.human.tables import table
from softstride.model.muscle import Muscle
from softstride.model.path import Path, PathPoint, PathWrap, WrapCylinder
from softstride.naming import LETTERS

ANCHORS = {  # where the coordinates of the muscle table are counted from
    "pelvis": "pelvis",
    "femur": "hip",
    "tibia": "knee",
    "patella": "patella",
    "calcn": "ankle",
    "toes": "ankle",
}

Places = list[tuple[str, FloatArray]]


def build_muscles(
    shape: Shape, origins: Mapping[str, FloatArray], links: Mapping[str, str], volume: float
) -> tuple[dict[str, Muscle], dict[str, WrapCylinder]]:
    """Return muscles and wrapping surfaces by name, right side first.

    Fibre and tendon lengths keep their share of the straight path in the neutral pose. The maximal force follows
    volume over fibre length: F = F_ref · (V / V_ref) · (l_ref / l) [Rajagopal2016, Handsfield2014].

    Args:
        shape: The neutral pose.
        origins: Positions of the link frames in it, both sides.
        links: Which link carries which part of the table, see `muscle_links` of the data files.
        volume: Muscle volume over that of the person whose strengths the table holds.
    """
    data = table("muscles")
    muscles: dict[str, Muscle] = {}
    wraps: dict[str, WrapCylinder] = {}
    for side in LETTERS:
        for name, row in data["wraps"].items():
            wraps[f"{name}_{side}"] = _surface(row, shape, origins, links, side)
        for name, row in data["muscles"].items():
            muscles[f"{name}_{side}"] = _muscle(name, row, shape, origins, links, side, volume)
    return muscles, wraps


def _muscle(
    name: str,
    row: Mapping[str, Any],
    shape: Shape,
    origins: Mapping[str, FloatArray],
    links: Mapping[str, str],
    side: str,
    volume: float,
) -> Muscle:
    data = table("muscles")
    places = [place(part, where, shape, links) for part, *where in row["points"]]
    length = straight_length(places)
    fibre = row["fibre"] * length
    path = Path(
        tuple(
            PathPoint(
                mirror.on_side(link, side),
                mirror.point(world, side) - origins[mirror.on_side(link, side)],
                f"{name}_{side}_{k}",
            )
            for k, (link, world) in enumerate(places, 1)
        ),
        tuple(PathWrap(f"{wrap[0]}_{side}", "hybrid", *wrap[1:]) for wrap in row.get("wraps", ())),
    )
    return Muscle(
        name=f"{name}_{side}",
        path=path,
        max_force=row["force"] * volume * row["reference_fibre"] / fibre,
        fibre_length=fibre,
        tendon_length=row["tendon"] * length,
        pennation=row["pennation"],
        max_velocity=data["max_velocity"],
        curves=data["curves"],
    )


def place(
    part: str, where: Sequence[float], shape: Shape, links: Mapping[str, str]
) -> tuple[str, FloatArray]:
    """Return link (with its "-") and position in the world, neutral pose, right side, of one point of the table."""
    world = shape.points[ANCHORS[part]] + shape.units[part] * where
    beyond = part == "calcn" and world[0] > shape.points["chopart"][0]
    return links["beyond_chopart" if beyond and "beyond_chopart" in links else part], world


def straight_length(places: Places) -> float:
    """Return the length of the straight path through points in the neutral pose [m]."""
    return float(sum(np.linalg.norm(b - a) for (_, a), (_, b) in pairwise(places)))


def _surface(
    row: Mapping[str, Any],
    shape: Shape,
    origins: Mapping[str, FloatArray],
    links: Mapping[str, str],
    side: str,
) -> WrapCylinder:
    link, world = place(row["part"], row["centre"], shape, links)
    T = np.eye(4)
    T[:3, :3] = successive(row["angles"])
    T[:3, 3] = world - origins[mirror.on_side(link, "r")]
    x, y, z = (T[:3, :3] ** 2).T @ shape.units[row["part"]]  # units of length along the axes of the surface
    return WrapCylinder(
        link=mirror.on_side(link, side),
        pose=mirror.pose(T, side),
        quadrant=row.get("quadrant", "all"),
        radius=row["radius"] * 0.5 * (x + y),
        length=row["length"] * z,
    )
