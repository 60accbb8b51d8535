"""Angles that went on turning: whole turns taken out, and of two ways to write a rotation always the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.kinematics.coordinates import angles, plain_coordinates
from softstride.model import Custom, Link, Model, Revolute

Array = NDArray[np.float64]


def unwind(model: Model, q: Array, lower: Array, upper: Array) -> None:
    """Make plain angles without limits continuous in time and start them within half a turn of their default."""
    place = plain_coordinates(model).q
    for link in model.children("world"):
        _same_branch(model, link, q, lower, upper)
    for link in model.links:
        names = list(link.coordinate_names) if isinstance(link.joint, Revolute) else angles(link.joint)
        for name in names:
            i = place[name]
            if np.isfinite(lower[i]) or np.isfinite(upper[i]) or not _turns_alone(model, name):
                continue
            column = np.unwrap(q[:, i])
            turns = round((float(column[0]) - model.coordinates[name].default) / (2.0 * math.pi))
            q[:, i] = column - 2.0 * math.pi * turns


def _same_branch(model: Model, link: Link, q: Array, lower: Array, upper: Array) -> None:
    """Write the rotation of a root by three angles always the same way, in place.

    About three axes at right angles, (a, b, c) and (a + pi, pi - b, c + pi) are one rotation. The first frame takes the
    one nearer to the default, and each other frame the one nearer to the frame before.
    """
    place = plain_coordinates(model).q
    names = angles(link.joint)
    own = [place[name] for name in names]
    if (
        len(own) != 3
        or np.isfinite(lower[own]).any()
        or np.isfinite(upper[own]).any()
        or not _square(link, names)
    ):
        return
    default = np.array([model.coordinates[name].default for name in names])
    x = np.concatenate([default[None], q[:, own]])
    stay, change = _distance(x[1:], x[:-1]), _distance(_other(x[1:]), x[:-1])
    turned = np.cumsum(change < stay) % 2 == 1
    q[:, own] = np.where(turned[:, None], _other(q[:, own]), q[:, own])


def _square(link: Link, names: list[str]) -> bool:
    """Return whether three angles turn about axes at right angles, one each, in their own sense."""
    axes = link.joint.rotations if isinstance(link.joint, Custom) else ()
    if [name for axis in axes for name, _ in axis.terms] != names:
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
