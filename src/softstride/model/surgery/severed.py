"""What is left of the path of a muscle that a cut goes through."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.cut import Cut
from softstride.model.muscle import Muscle
from softstride.model.path import (
    AnyPathPoint,
    Path,
    PathPoint,
    PathWrap,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapSurface,
)
from softstride.model.surgery.bone_end import BoneEnd
from softstride.model.surgery.table import Treatment

CLEARANCE = 0.001
"""Distance of a turning point from the surfaces that its path wraps around [m]."""

FURTHEST = 0.15
"""A turning point is not moved further out than this to leave a surface [m]."""


class Gone(Enum):
    """Why nothing is left of a muscle, and the words for it."""

    BELOW = "was below the cut"
    NO_ORIGIN = "has its origin below the cut"


@dataclass(frozen=True, eq=False)
class Severed:
    """A cut muscle: its path above the cut, from its origin to where it reaches the level of the cut.

    Attributes:
        muscle: As it was.
        treatment: What is done to it.
        points: Points that are left, the origin first.
        turn: Where it reaches the level of the cut, in axes of the stump, shape (3,), [m].
        wraps: Surfaces that are left, over points up to the turn, which has number len(points).
        told: What had to be decided, for the note.
    """

    muscle: Muscle
    treatment: Treatment
    points: tuple[AnyPathPoint, ...]
    turn: FloatArray
    wraps: tuple[PathWrap, ...]
    told: tuple[str, ...] = ()


def severed(cut: Cut, end: BoneEnd, muscle: Muscle, treatment: Treatment) -> Severed | Gone:
    """Return what is left of a muscle, or why nothing is.

    The turn is where the path of the whole muscle crossed the level of the cut in the default pose. The line of pull
    over the joints above, and with it the moment arms about them, is then in this pose what it was. A turn inside the
    bone, or inside a surface that the path wraps around, is moved out.
    """
    path = muscle.path
    lost = [cut.point_lost(point) for point in path.points]
    if lost[0] and not lost[-1]:
        path, lost = _reversed(path), lost[::-1]
    if lost[0]:
        return _with_new_origin(cut, end, muscle, treatment)
    count, told = lost.index(True), []
    turn = end.outside(_crossing(cut, end, path, count))
    left: list[PathWrap] = []
    for wrap in path.wraps:
        surface = cut.model.wraps[wrap.surface]
        first, last = wrap.first or 0, min(count if wrap.last is None else wrap.last, count)
        moved = _clear(turn, surface, end) if surface.link == cut.bone.link and surface.active else turn
        turn = turn if moved is None else moved
        if first >= last or moved is None or cut.lost(surface.link, surface.pose[:3, 3]):
            told.append(f"no longer wrapped on {wrap.surface!r}")
        else:
            left.append(replace(wrap, last=last))
    above = path.points[count - 1]
    if above.link == cut.bone.link and np.allclose(
        end.in_stump(cut.places.on_link(above)), turn, rtol=0.0, atol=CLEARANCE
    ):  # a point on the cut itself: two points of a path must not be one
        turn = turn - np.array([0.0, CLEARANCE, 0.0])
    return Severed(muscle, treatment, path.points[:count], turn, tuple(left), tuple(told))


def _with_new_origin(cut: Cut, end: BoneEnd, muscle: Muscle, treatment: Treatment) -> Severed | Gone:
    """Return a muscle whose origin was a point below the cut, with an origin on the stump."""
    ends = (muscle.path.points[0], muscle.path.points[-1])
    on_bone = [point for point in ends if point.link == cut.bone.link]
    if not on_bone:
        return Gone.BELOW
    if treatment.origin is None:
        return Gone.NO_ORIGIN
    place = end.in_stump(cut.places.on_link(on_bone[0])) * (1.0, 0.0, 1.0)
    height = treatment.origin * end.stump
    origin = PathPoint(cut.bone.link, end.on_link(place + np.array([0.0, height, 0.0])), on_bone[0].name)
    told = f"origin moved up to {height:.3f} m above the cut"
    return Severed(muscle, treatment, (origin,), end.outside(place), (), (told,))


def _crossing(cut: Cut, end: BoneEnd, path: Path, count: int) -> FloatArray:
    """Return where a path crosses the level of the cut below its first `count` points, in axes of the stump.

    In the default pose, wrapped around its surfaces. A path that does not cross the level there has its last place
    above it.
    """
    T = cut.places.poses[cut.bone.link]
    above = sum(number < count for number in cut.places.used(path))
    line = np.concatenate(cut.places.lines(path)[max(above - 1, 0) :])
    places = (line - T[:3, 3]) @ T[:3, :3]  # (m, 3) on the link
    places = (places - end.frame.position) @ end.frame.rotation
    for a, b in pairwise(places):
        if a[1] >= 0.0 > b[1]:
            return np.asarray(a + (b - a) * (a[1] / (a[1] - b[1])))
    return np.asarray(places[0])


def _clear(turn: FloatArray, surface: WrapSurface, end: BoneEnd) -> FloatArray | None:
    """Return the turn, moved at the level of the cut out of a surface on the bone; None if it does not get out.

    It moves to the side of the surface that paths may touch or, if they may touch it all around, away from its middle.
    """
    local = surface.pose[:3, :3].T @ (end.on_link(turn) - surface.pose[:3, 3])
    if surface.quadrant != "all":
        axis = "xyz".index(surface.quadrant[-1])
        away = (-1.0 if surface.quadrant[0] == "-" else 1.0) * np.eye(3)[axis]
    else:
        away = local * (1.0, 1.0, 0.0 if isinstance(surface, WrapCylinder) else 1.0)
    step = end.frame.rotation.T @ surface.pose[:3, :3] @ away * (1.0, 0.0, 1.0)
    size = float(np.linalg.norm(step))
    if size < 1e-9:
        step, size = turn, float(np.linalg.norm(turn))
    for i in range(math.ceil(FURTHEST / CLEARANCE)):
        place = turn + (i * CLEARANCE / size) * step
        if not _inside(end.on_link(place), surface):
            return np.asarray(place)
    return None


def _inside(place: FloatArray, surface: WrapSurface) -> bool:
    """Whether a place on the link is inside a surface, or nearer to it than the clearance."""
    x, y, z = surface.pose[:3, :3].T @ (place - surface.pose[:3, 3])
    if isinstance(surface, WrapCylinder):
        return math.hypot(x, y) < surface.radius + CLEARANCE and abs(z) < 0.5 * surface.length
    if isinstance(surface, WrapSphere):
        return math.hypot(x, y, z) < surface.radius + CLEARANCE
    if isinstance(surface, WrapEllipsoid):
        axes = (surface.a, surface.b, surface.c)
        return math.hypot(*(p / (a + CLEARANCE) for p, a in zip((x, y, z), axes, strict=True))) < 1.0
    return False  # paths run through the hole of a torus


def _reversed(path: Path) -> Path:
    """Return a path that is run through from its other end."""
    last = len(path.points) - 1
    wraps = tuple(
        replace(
            wrap,
            first=None if wrap.last is None else last - wrap.last,
            last=None if wrap.first is None else last - wrap.first,
        )
        for wrap in path.wraps
    )
    return Path(path.points[::-1], wraps)


def reversed_path(part: Severed, before: int) -> tuple[tuple[AnyPathPoint, ...], tuple[PathWrap, ...]]:
    """Return the points from below the turn to the origin, and the wraps, with `before` points before the turn."""
    last = before + len(part.points)
    wraps = tuple(
        replace(
            wrap,
            first=last - (len(part.points) if wrap.last is None else wrap.last),
            last=last - (wrap.first or 0),
        )
        for wrap in part.wraps
    )
    return part.points[::-1], wraps
