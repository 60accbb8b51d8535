"""The columns of a motion in a table: one for each coordinate, as OpenSim's files have them.

q holds quaternions, tables hold angles: the rotation of a spherical or free joint is R = Rx(a) Ry(b) Rz(c), successive
angles about body-fixed axes, as in the documents that `save_model` writes. Angles run on continuously in time: of the
two triples of a rotation, (a, b, c) and (a + pi, pi - b, c + pi), and their whole turns, each frame has the one next to
the frame before.

In degrees are the coordinates that OpenSim calls rotational and no others: pins, the angles above, and a coordinate of
a custom joint that is, up to sign and a constant, the angle about one of its axes. A coordinate that turns its link by
any other function, and the strains of rods, are never converted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.kinematics.curve import continuous
from softstride.model.functions import Function
from softstride.model.joints import Custom, Free, Prismatic, Revolute, Spherical
from softstride.model.link import Link
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.spatial.quaternion import quat_multiply, quat_to_matrix

Array = NDArray[np.float64]

QUATERNION = ("qx", "qy", "qz", "qw")

LOCKED = 1e-13
"""Cosine of b below which a and c cannot be told apart, and a is that of the frame before."""


@dataclass(frozen=True)
class Column:
    """One coordinate in a table.

    Attributes:
        name: Name of the coordinate.
        unit: "rad", "m", "1/m" (bending and twist of a rod), "1" (its stretch and shear), or "" for a coordinate of a
            custom joint that is neither an angle nor a length.
        strain: Whether it is a strain of a rod.
        euler: Whether it is one of three successive angles.
    """

    name: str
    unit: str
    strain: bool = False
    euler: bool = False

    @property
    def rotational(self) -> bool:
        """Whether files may hold it in degrees."""
        return self.unit == "rad"


def describe_columns(model: Model) -> tuple[Column, ...]:
    """Return the columns of a model's motions, in the order of v."""
    found: dict[str, Column] = {}
    for link in model.links:
        for name, column in zip(link.coordinate_names, _columns(link), strict=True):
            before = found.get(name)
            if before is None or not before.unit:  # shared: the first joint that says what it is
                found[name] = column
    return tuple(found[name] for name in model.coordinate_names)


def describe_places(model: Model) -> list[tuple[str, str]]:
    """Return name and unit of every place in q: "hip.qx" to "hip.qw" for quaternions, coordinates for the rest."""
    units = {column.name: column.unit for column in describe_columns(model)}
    found: dict[int, tuple[str, str]] = {}
    for link in model.links:
        names = link.coordinate_names
        own = [(name, units[name]) for name in names]
        if isinstance(link.joint, Spherical | Free):
            own = [*own[3:], *((f"{link.name}.{part}", "1") for part in QUATERNION)]
        for place, name in zip(model.q_indices(link.name), own, strict=True):
            found.setdefault(place, name)
    return [found[place] for place in range(model.nq)]


def table_of(model: Model, q: Array, *, degrees: bool = False) -> Array:
    """Return the columns of a motion, shape (n, nv), from q, shape (n, nq)."""
    table = np.empty((len(q), model.nv))
    for link, at_q, at_v in _places(model):
        if isinstance(link.joint, Spherical | Free):
            table[:, at_v[:3]] = angles_of(q[:, at_q[-4:]])
            table[:, at_v[3:]] = q[:, at_q[:-4]]
        else:
            table[:, at_v] = q[:, at_q]
    if degrees:
        table[:, _rotational(model)] *= 180.0 / np.pi
    return table


def q_of(model: Model, table: Array, *, degrees: bool = False) -> Array:
    """Return q, shape (n, nq), from the columns of a motion, shape (n, nv)."""
    q = np.empty((len(table), model.nq))
    scale = np.ones(model.nv)
    if degrees:
        scale[_rotational(model)] = np.pi / 180.0
    for link, at_q, at_v in _places(model):
        own = table[:, at_v] * scale[at_v]
        if isinstance(link.joint, Spherical | Free):
            q[:, at_q[-4:]] = continuous(quaternions_of(own[:, :3]))
            q[:, at_q[:-4]] = own[:, 3:]
        else:
            q[:, at_q] = own
    return q


def angles_of(quaternions: Array) -> Array:
    """Return the successive x-y-z angles [rad], shape (n, 3), of quaternions (n, 4), continuous in time.

    The first angle is taken out before the others are found, so that the three give the rotation back to rounding even
    where a and c cannot be told apart.
    """
    if not len(quaternions):
        return np.empty((0, 3))
    R = quat_to_matrix(quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True))
    a = np.arctan2(-R[:, 1, 2], R[:, 2, 2])
    told = np.hypot(R[:, 1, 2], R[:, 2, 2]) > LOCKED
    last = np.maximum.accumulate(np.where(told, np.arange(len(a)), -1))
    a = a[np.where(last < 0, np.argmax(told), last)]  # before the first, that of the first
    s, c = np.sin(a), np.cos(a)
    b = np.arctan2(R[:, 0, 2], c * R[:, 2, 2] - s * R[:, 1, 2])
    third = np.arctan2(c * R[:, 1, 0] + s * R[:, 2, 0], c * R[:, 1, 1] + s * R[:, 2, 1])
    return _continued(np.stack([a, b, third], axis=-1))


def quaternions_of(angles: Array) -> Array:
    """Return the quaternions (n, 4) of successive x-y-z angles [rad], shape (n, 3)."""
    turns = np.zeros((3, len(angles), 4))
    for axis, turn in enumerate(turns):
        turn[:, axis], turn[:, 3] = np.sin(angles[:, axis] / 2.0), np.cos(angles[:, axis] / 2.0)
    return quat_multiply(quat_multiply(turns[0], turns[1]), turns[2])


def _continued(angles: Array) -> Array:
    """Return the triples of the same rotations that follow each other most closely.

    Whether two frames are nearer with the same or with different kinds of triple does not depend on which kind the
    first one is, so the kinds are a running count of the changes.
    """
    other = np.stack([angles[:, 0] + np.pi, np.pi - angles[:, 1], angles[:, 2] + np.pi], axis=-1)
    same = np.abs(_wrapped(np.diff(angles, axis=0))).sum(axis=-1)
    changed = np.abs(_wrapped(other[1:] - angles[:-1])).sum(axis=-1) < same
    kind = np.concatenate([[0], np.cumsum(changed) % 2])
    return np.unwrap(np.where(kind[:, None] == 1, other, angles), axis=0)


def _wrapped(angle: Array) -> Array:
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)


def _places(model: Model) -> Iterator[tuple[Link, list[int], list[int]]]:
    for link in model.links:
        yield link, list(model.q_indices(link.name)), list(model.v_indices(link.name))


def _rotational(model: Model) -> list[int]:
    return [i for i, column in enumerate(describe_columns(model)) if column.rotational]


def _columns(link: Link) -> list[Column]:
    joint, names = link.joint, link.coordinate_names
    if isinstance(joint, Spherical | Free):
        return [Column(name, "rad" if i < 3 else "m", euler=i < 3) for i, name in enumerate(names)]
    if isinstance(joint, Rod):
        kinds = (name.rpartition(".")[2] for name in names)
        return [
            Column(name, "1/m" if kind.startswith("k") else "1", strain=True)
            for name, kind in zip(names, kinds, strict=True)
        ]
    if isinstance(joint, Custom):
        return [Column(name, _custom_unit(joint, name)) for name in names]
    unit = "rad" if isinstance(joint, Revolute) else "m" if isinstance(joint, Prismatic) else ""
    return [Column(name, unit) for name in names]


def _custom_unit(joint: Custom, coordinate: str) -> str:
    """Return what OpenSim takes a coordinate for: the last axis decides that it moves one to one."""
    unit = ""
    for i, axis in enumerate((*joint.rotations, *joint.translations)):
        if any(name == coordinate and _one_to_one(function) for name, function in axis.terms):
            unit = "rad" if i < 3 else "m"
    return unit


def _one_to_one(function: Function) -> bool:
    coefficients = function.pieces().coefficients
    return len(coefficients) == 1 and coefficients.shape[1] == 2 and abs(coefficients[0, 1]) == 1.0
