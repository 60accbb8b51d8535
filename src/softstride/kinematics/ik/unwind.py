"""Angles that went on turning: whole turns taken out, and of two ways to write a rotation always the same."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.kinematics.coordinates import angles, plain_coordinates
from softstride.model import Custom, Link, Model, Revolute

Array = NDArray[np.float64]


ROWS = 4096  # frames looked at together


def unwind(model: Model, q: Array, lower: Array, upper: Array) -> None:
    """Make plain angles without limits continuous in time and start them within half a turn of their default."""
    for link in model.children("world"):
        _same_branch(model, link, q, lower, upper)
    columns = _turning(model)
    free = columns[~np.isfinite(lower[columns]) & ~np.isfinite(upper[columns])]
    if not len(free):
        return
    home = model.neutral()
    turns = np.abs(q[0, free] - home[free]) > math.pi
    for first in range(0, len(q) - 1, ROWS):
        turns |= np.any(np.abs(np.diff(q[first : first + ROWS + 1, free], axis=0)) > math.pi, axis=0)
    for i in free[turns]:
        q[:, i] = np.unwrap(np.append(home[i], q[:, i]))[1:]


_columns: WeakKeyDictionary[Model, NDArray[np.intp]] = WeakKeyDictionary()


def _turning(model: Model) -> NDArray[np.intp]:
    """Return the columns of q that are angles and nothing else, found once for a model."""
    found = _columns.get(model)
    if found is None:
        place = plain_coordinates(model).q
        names = [
            name
            for link in model.links
            for name in (link.coordinate_names if isinstance(link.joint, Revolute) else angles(link.joint))
            if _turns_alone(model, name)
        ]
        found = _columns[model] = np.array(sorted({place[name] for name in names}), dtype=np.intp)
    return found


def _same_branch(model: Model, link: Link, q: Array, lower: Array, upper: Array) -> None:
    """Write the rotation of a root by three angles always the same way, in place.

    About three axes at right angles, (a, b, c) and (a + pi, pi - b, c + pi) are one rotation. The first frame takes the
    one nearer to the default, and each other frame the one nearer to the frame before.
    """
    place = plain_coordinates(model).q
    names = angles(link.joint)
    own = [place[name] for name in names]
    if len(own) != 3 or np.isfinite(lower[own]).any() or np.isfinite(upper[own]).any() or not _square(link):
        return
    default = np.array([model.coordinates[name].default for name in names])
    x = np.concatenate([default[None], q[:, own]])
    stay, change = _distance(x[1:], x[:-1]), _distance(_other(x[1:]), x[:-1])
    turned = np.cumsum(change < stay) % 2 == 1
    q[:, own] = np.where(turned[:, None], _other(q[:, own]), q[:, own])


@lru_cache(maxsize=64)
def _square(link: Link) -> bool:
    """Return whether three angles turn about axes at right angles, one each, in their own sense."""
    axes = link.joint.rotations if isinstance(link.joint, Custom) else ()
    if [name for axis in axes for name, _ in axis.terms] != angles(link.joint):
        return False
    A = np.array([axis.direction for axis in axes])
    return bool(np.allclose(A @ A.T, np.eye(3), atol=1e-12))


def _other(x: Array) -> Array:
    """Return the other triple of angles of the same rotation, shape (n, 3)."""
    return np.asarray(np.array([math.pi, math.pi, math.pi]) + x * np.array([1.0, -1.0, 1.0]))


def _distance(x: Array, y: Array) -> Array:
    """Return how far triples are apart but for whole turns, shape (n,)."""
    return np.abs(np.remainder(x - y + math.pi, 2.0 * math.pi) - math.pi).sum(axis=1)


def _turns_alone(model: Model, name: str) -> bool:
    """Return whether a coordinate is an angle in every joint that it drives, and nothing else there."""
    for link in model.links:
        if name not in link.coordinate_names or isinstance(link.joint, Revolute):
            continue
        joint: Any = link.joint
        axes = (*joint.rotations, *joint.translations)
        if sum(name in (term[0] for term in axis.terms) for axis in axes) != 1 or name not in angles(
            link.joint
        ):
            return False
    return True
