"""The tree as one draws it: links that have mass, and where the next ones begin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kinematics import poses
from softstride.model.frame import Frame
from softstride.model.joints import Fixed
from softstride.model.link import WORLD, Link
from softstride.model.model import Model

Floats = NDArray[np.float64]

FEET = ("foot", "calcn", "toes", "hindfoot", "forefoot")
"""How the names of feet begin, in lower case."""

TRIFLE = 0.003
"""A link without children and contacts that has less than this share of the mass is small: a patella."""


@dataclass(frozen=True, eq=False)
class Limb:
    """A rigid link with mass and what hangs on it, through links without mass.

    Attributes:
        link: The link.
        root: Whether nothing with mass carries it.
        above: Origin of the link that carries it, in its own axes, shape (3,), [m]; NaN for a root.
        ends: Where links that hang on it begin, in its own axes, shape (k, 3), [m], in the default pose.
        small: Whether it is a trifle.
        artificial: Whether it is a rigid part of a prosthesis: it is fixed, and a rod hangs on it.
    """

    link: Link
    root: bool
    above: Floats
    ends: Floats
    small: bool
    artificial: bool


def limbs(model: Model) -> tuple[Limb, ...]:
    """Return the rigid links that have mass, in order."""
    T = dict(zip(model.link_names, poses(model, model.neutral()[None])[0], strict=True))
    rods = [link.name for link in model.links if link.soft]
    starts = {name: T[name][:3, 3] for name in model.link_names}
    if rods:
        bases = poses(model, model.neutral()[None], [Frame(name, at=0.0) for name in rods])[0]
        starts |= {name: base[:3, 3] for name, base in zip(rods, bases, strict=True)}
    carrier = {link.name: _carrier(model, link) for link in model.links}
    heavy = [link for link in model.links if link.mass > 0.0]
    with_rods = {name for rod in rods for name in _ancestors(model, rod)}
    found = []
    for link in heavy:
        if link.soft:
            continue
        kids = [each for each in heavy if carrier[each.name] == link.name]
        own = np.linalg.inv(T[link.name])
        above = carrier[link.name]
        found.append(
            Limb(
                link,
                root=above == WORLD,
                above=np.full(3, np.nan) if above == WORLD else _moved(own, starts[above]),
                ends=np.array(
                    [_moved(own, starts[each.name]) for each in kids if not _small(model, each)]
                ).reshape(-1, 3),
                small=_small(model, link),
                artificial=isinstance(link.joint, Fixed) and link.name in with_rods,
            )
        )
    return tuple(found)


def _small(model: Model, link: Link) -> bool:
    stands = any(shape.link == link.name for shape in model.contacts.values())
    light = link.mass < TRIFLE * model.mass and not model.children(link.name)
    return light and not link.soft and not stands and not link.name.lower().startswith(FEET)


def _carrier(model: Model, link: Link) -> str:
    """Return the next link up that has mass, or "world"."""
    for name in _ancestors(model, link.name):
        if model.link(name).mass > 0.0:
            return name
    return WORLD


def _ancestors(model: Model, name: str) -> list[str]:
    found = []
    parent = model.link(name).parent
    while parent != WORLD:
        found.append(parent)
        parent = model.link(parent).parent
    return found


def _moved(T: Floats, point: Floats) -> Floats:
    return np.asarray(T[:3, :3] @ point + T[:3, 3])
