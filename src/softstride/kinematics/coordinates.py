"""Coordinates by name: where they stand in q and v, which of them are angles, what holds them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.model import Custom, Free, Joint, Linear, Link, Model, Spherical

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Plain:
    """Where coordinates with a name of their own stand: all but those of ball and free joints.

    Attributes:
        q: Index in q by name.
        v: Index in v by name.
    """

    q: Mapping[str, int]
    v: Mapping[str, int]


_plain: WeakKeyDictionary[Model, Plain] = WeakKeyDictionary()


def plain_coordinates(model: Model) -> Plain:
    """Return the indices of coordinates that are numbers in q, found once for a model."""
    found = _plain.get(model)
    if found is None:
        found = _plain[model] = _find_plain(model)
    return found


def _find_plain(model: Model) -> Plain:
    q: dict[str, int] = {}
    v: dict[str, int] = {}
    for link in model.links:
        if isinstance(link.joint, Free | Spherical):
            continue
        q |= dict(zip(link.coordinate_names, model.q_indices(link.name), strict=True))
        v |= dict(zip(link.coordinate_names, model.v_indices(link.name), strict=True))
    return Plain(q, v)


def floats(link: Link) -> bool:
    """Return whether a link on the world has all six degrees of freedom."""
    return len(link.coordinate_names) == 6 and not link.soft


def floating(model: Model) -> Mask:
    """Return which velocities belong to floating roots, shape (nv,): where somebody is, not the posture."""
    mask = np.zeros(model.nv, dtype=bool)
    for link in model.children("world"):
        if floats(link):
            mask[list(model.v_indices(link.name))] = True
    return mask


class Bounds:
    """Coordinates that may not move: locked ones, and clamped ones at their limit.

    Limits of a floating root are not kept: where somebody stands in the laboratory is no matter of anatomy.
    """

    def __init__(self, model: Model) -> None:
        plain = plain_coordinates(model)
        self.lower, self.upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
        root = {name for link in model.children("world") if floats(link) for name in link.coordinate_names}
        for name, i in plain.q.items():
            coordinate = model.coordinates[name]
            if coordinate.clamped and name not in root:
                self.lower[i], self.upper[i] = coordinate.lower, coordinate.upper
        self.locked = np.array(
            [model.coordinates[name].locked for name in model.coordinate_names], dtype=bool
        )
        self._q = np.array([plain.q[name] for name in plain.v], dtype=np.intp)
        self._v = np.array([plain.v[name] for name in plain.v], dtype=np.intp)

    def clip(self, q: Array) -> Array:
        """Return q inside the limits."""
        return np.clip(q, self.lower, self.upper)

    def held(self, q: Array, downhill: Array) -> Mask:
        """Return which velocities may not follow `downhill`, both shape (n, nv)."""
        held: Mask = np.broadcast_to(self.locked, downhill.shape).copy()
        at, way = q[:, self._q], downhill[:, self._v]
        stop = ((at <= self.lower[self._q]) & (way < 0.0)) | ((at >= self.upper[self._q]) & (way > 0.0))
        held[:, self._v] |= stop
        return held


def root_velocities(model: Model) -> list[int]:
    """Return the places in v of the links that hang on the world."""
    return [i for link in model.children("world") for i in model.v_indices(link.name)]


def unwound(model: Model, q: Array) -> Array:
    """Return q with plain angles of the root less than half a turn from their default."""
    out, place = q.copy(), plain_coordinates(model).q
    for link in model.children("world"):
        for name in angles(link.joint):
            default = model.coordinates[name].default
            turns = round((float(q[place[name]]) - default) / (2.0 * math.pi))
            out[place[name]] -= 2.0 * math.pi * turns
    return out


def angles(joint: Joint) -> list[str]:
    """Return the coordinates that are themselves angles about an axis."""
    if not isinstance(joint, Custom):
        return []
    single = [axis.terms[0] for axis in joint.rotations if len(axis.terms) == 1]
    return [
        name for name, f in single if isinstance(f, Linear) and abs(f.slope) == 1.0 and f.intercept == 0.0
    ]
