"""Which links of a model are the leg of one side: the shank, where the knee and the ankle are, what hangs below.

Links are found by the words in their names, as models name them: tibia_r, shank_r, right_shank, r_shank, shank.right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import FloatArray
from softstride.model.contact_shape import ContactSphere
from softstride.model.link import WORLD, Link
from softstride.model.model import Model
from softstride.model.posture import default_poses

Side = Literal["right", "left"]
SIDES = {"right": ("r", "right"), "left": ("l", "left")}
SHANK = {"tibia", "shank", "shin", "lowerleg", "tibfib"}
FOOT = {"talus", "foot", "calcn", "calcaneus", "ankle", "hindfoot", "rearfoot"}

OTHER = FOOT | {"femur", "thigh", "upperleg", "pelvis", "torso", "trunk", "patella", "toes", "hallux"}
"""Words in the names of links that are no shank."""

ANKLE_HEIGHT = 0.039 / 0.246
"""Height of the ankle over the ground as a share of the length of the shank [Winter2009, figure 4.1]."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg below the knee, in the axes of its shank link.

    Attributes:
        shank: Name of the shank link.
        knee: Centre of the knee, shape (3,), [m].
        ankle: Centre of the ankle, shape (3,), [m].
        sole: How far below the knee along the shank the ground is when the leg stands on it [m].
        by_contact: Whether `sole` is from shapes that touch the ground, and not from the height of the person's ankle.
    """

    shank: str
    knee: FloatArray
    ankle: FloatArray
    sole: float
    by_contact: bool

    @property
    def length(self) -> float:
        """Distance from knee to ankle [m]."""
        return float(np.linalg.norm(self.ankle - self.knee))

    @property
    def axis(self) -> FloatArray:
        """Direction from knee to ankle, shape (3,)."""
        return (self.ankle - self.knee) / self.length


def side_letter(side: str) -> str:
    """Return "r" or "l".

    Raises:
        ModelError: No such side.
    """
    for name, words in SIDES.items():
        if side in words:
            return name[0]
    raise ModelError(f"side must be 'right' or 'left', however it is {side!r}.")


def find_shank(model: Model, side: str, shank: str | None = None) -> str:
    """Return the name of the shank link of a side.

    Args:
        model: The model.
        side: "right" or "left".
        shank: Its name, if the caller knows it.

    Raises:
        ModelError: None or several links could be it, or the one that was named is on the other side, another part of
            the body, or has no joint that moves above it.
    """
    letter = side_letter(side)
    if shank is not None:
        return _checked_shank(model.link(shank), letter)
    own = SIDES["right" if letter == "r" else "left"]
    found = [name for name in model.link_names if words_of(name) & SHANK and words_of(name) & set(own)]
    if len(found) == 1:
        return found[0]
    problem = (
        f"{len(found)} links could be it ({', '.join(map(repr, found))})" if found else "no link is called so"
    )
    raise ModelError(
        f"the shank of the {'right' if letter == 'r' else 'left'} leg of {model.name!r} was not found: {problem}; name "
        f"it with shank=...; known: {checks.names_hint(model.link_names)}."
    )


def _checked_shank(link: Link, letter: str) -> str:
    """Return the name of a link that the caller calls a shank, if it can be one."""
    own, other = ("right", "left") if letter == "r" else ("left", "right")
    words = words_of(link.name)
    if words & set(SIDES[other]) and not words & set(SIDES[own]):
        raise ModelError(f"shank={link.name!r} is a link of the {other} leg, however side is {own!r}.")
    if words & OTHER and not words & SHANK:
        raise ModelError(
            f"shank={link.name!r} is no shank: {', '.join(map(repr, sorted(words & OTHER)))} is in its name."
        )
    if link.parent == WORLD or not link.coordinate_names:
        raise ModelError(
            f"shank={link.name!r} has no knee above it: it hangs on {link.parent!r} by a joint "
            f"{'that is no knee' if link.coordinate_names else 'that does not move'}."
        )
    return link.name


def words_of(name: str) -> set[str]:
    """Return the words in the name of a link, in lower case."""
    return set(re.split(r"[^a-z]+", name.lower()))


def knee_centre(link: Link) -> FloatArray:
    """Return the centre of the joint that carries a link, in link axes, shape (3,), [m]."""
    offset = np.asarray(link.offset)
    return -offset[:3, :3].T @ offset[:3, 3]


def find_leg(model: Model, side: str, shank: str | None = None) -> Leg:
    """Return the leg of a side below its knee.

    The ankle is where the foot hangs on the shank: the child with the word talus, foot, calcn, ... in its name, or else
    the one that hangs furthest from the knee. The ground is at the lowest contact shape of the foot in the default
    pose, or else below the ankle by `ANKLE_HEIGHT` times the length of the shank.

    Raises:
        ModelError: No shank, or nothing hangs on it.
    """
    name = find_shank(model, side, shank)
    knee = knee_centre(model.link(name))
    children = model.children(name)
    feet = [child for child in children if words_of(child.name) & FOOT] or list(children)
    if not feet:
        raise ModelError(
            f"nothing hangs on {name!r}, so the ankle is unknown: the {side} leg of {model.name!r} ends there already."
        )
    places = [np.asarray(child.placement)[:3, 3] for child in feet]
    ankle = max(places, key=lambda place: float(np.linalg.norm(place - knee)))
    length = float(np.linalg.norm(ankle - knee))
    if length < 0.02:
        raise ModelError(
            f"{name!r} is {length * 1e3:.1f} mm long from knee to ankle: name the shank with shank=...."
        )
    axis = (ankle - knee) / length
    depths = _contact_depths(model, name, knee, axis)
    deepest = max(depths, default=0.0)
    by_contact = deepest > length
    return Leg(name, knee, ankle, deepest if by_contact else length * (1.0 + ANKLE_HEIGHT), by_contact)


def descendants(model: Model, name: str) -> list[str]:
    """Return the names of all links that hang below a link, in order."""
    below = {name}
    for link in model.links:
        if link.parent in below:
            below.add(link.name)
    return [link.name for link in model.links if link.name in below and link.name != name]


def _contact_depths(model: Model, shank: str, knee: FloatArray, axis: FloatArray) -> list[float]:
    """Return how far below the knee, along the shank, the spheres of the foot reach in the default pose."""
    world = default_poses(model)
    poses = {name: np.linalg.solve(world[shank], world[name]) for name in (shank, *descendants(model, shank))}
    depths = []
    for shape in model.contacts.values():
        if isinstance(shape, ContactSphere) and shape.link in poses and shape.at is None:
            T = poses[shape.link]
            centre = T[:3, :3] @ shape.position + T[:3, 3]
            depths.append(float(axis @ (centre - knee)) + shape.radius)
    return depths
