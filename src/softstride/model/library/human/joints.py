"""The joints of the packaged people, right or left, from the rows of the data files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.coordinate import Coordinate
from softstride.model.functions import Constant, SimmSpline
from softstride.model.joints import Axes, Axis, Custom, Free, Joint, Revolute
from softstride.model.library.human import mirror
from softstride.model.library.human.shape import Shape
from softstride.model.library.human.tables import table

X, Y, Z = np.eye(3)


def make_joint(row: Mapping[str, Any], shape: Shape, side: str) -> Joint:
    """Return the joint of one row of the `links` of a data file, on this side."""
    kind = row.get("joint", "rotations")
    if kind == "free":
        return Free()
    if kind == "base":
        return base_joint()
    if kind == "knee":
        return knee_joint(shape, side)
    if kind == "patella":
        return patella_joint(shape, side)
    axes = [
        (mirror.on_side(name, side), mirror.axis(_direction(axis), side))
        for name, axis, *_ in row["rotations"]
    ]
    if len(axes) == 1:
        ((name, direction),) = axes
        return Revolute(direction, name)
    return Custom(rotations=_three([Axis.along(direction, name) for name, direction in axes]))


def make_coordinates(row: Mapping[str, Any], side: str) -> list[Coordinate]:
    """Return the coordinates that a row describes, ranges in radians."""
    return [
        Coordinate(
            mirror.on_side(name, side), lower=math.radians(low), upper=math.radians(high), clamped=True
        )
        for name, _, low, high in row.get("rotations", ())
    ]


def _direction(axis: str | Sequence[float]) -> FloatArray:
    """Return an axis given by its numbers or by its name in `leg.toml`."""
    return np.array(table("leg")[axis] if isinstance(axis, str) else axis, dtype=np.float64)


def _three(axes: list[Axis]) -> Axes:
    """Fill two or three rotations up to three with one that does not move, about what is left."""
    while len(axes) < 3:
        axes.append(Axis(np.cross(axes[0].direction, axes[1].direction)))
    return axes[0], axes[1], axes[2]


def base_joint() -> Custom:
    """Return the joint between ground and pelvis as gait models have it: tilt, list, rotation and position."""
    turns = (("pelvis_tilt", Z), ("pelvis_list", X), ("pelvis_rotation", Y))
    shifts = (("pelvis_tx", X), ("pelvis_ty", Y), ("pelvis_tz", Z))
    return Custom(
        rotations=_three([Axis.along(axis, name) for name, axis in turns]),
        translations=_three([Axis.along(axis, name) for name, axis in shifts]),
    )


def knee_axes() -> FloatArray:
    """Return the pose (4, 4) of the right knee's joint frame against the thigh, its origin in the joint."""
    T = np.eye(4)
    T[:3, :3] = successive(table("leg")["knee"]["angles"])
    return T


def successive(angles: Sequence[float]) -> FloatArray:
    """Return the rotation Rx(a) Ry(b) Rz(c), shape (3, 3)."""
    R = np.eye(3)
    for k, angle in enumerate(angles):
        i, j = (k + 1) % 3, (k + 2) % 3
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = math.cos(angle)
        turn[i, j], turn[j, i] = -math.sin(angle), math.sin(angle)
        R = R @ turn
    return R


def knee_joint(shape: Shape, side: str) -> Custom:
    """Return the knee: flexion, and adduction, rotation and shift that follow it [Rajagopal2016]."""
    knee, name, size = table("leg")["knee"], f"knee_angle_{side}", float(shape.units["thigh"][0])

    def follow(values: Sequence[float], direction: FloatArray, factor: float = 1.0) -> Axis:
        spline = SimmSpline(np.radians(knee["knots"]), factor * np.array(values))
        return Axis(direction, ((name, spline),))

    return Custom(
        rotations=(
            Axis.along(mirror.axis(X, side), name),
            follow(knee["adduction"], mirror.axis(Z, side)),
            follow(knee["rotation"], mirror.axis(Y, side)),
        ),
        translations=(
            follow(knee["shift_y"], mirror.point(Y, side), size),
            follow(knee["shift_z"], mirror.point(Z, side), size),
            Axis(X),
        ),
    )


def patella_joint(shape: Shape, side: str) -> Custom:
    """Return the joint of the patella on the femur, driven by the knee's coordinate [Rajagopal2016]."""
    leg, name, size = table("leg"), f"knee_angle_{side}", float(shape.units["thigh"][0])
    patella, knots = leg["patella"], np.radians(leg["knee"]["knots"])
    turn = ((name, SimmSpline(knots, np.array(patella["turn"]))),)
    return Custom(
        rotations=(Axis(Z, turn), Axis(Y), Axis(X)),
        translations=(
            Axis(X, ((name, SimmSpline(knots, size * np.array(patella["x"]))),)),
            Axis(Y, ((name, SimmSpline(knots, size * np.array(patella["y"]))),)),
            Axis(mirror.point(Z, side), (("", Constant(size * patella["z"])),)),
        ),
    )
