"""Which links of a model are the leg of one side: shank and thigh, where their joints are, what hangs below.

Links are found by the words in their names, as models name them: tibia_r, shank_r, right_shank, r_shank, shank.right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import FloatArray
from softstride.model.contact_shape import ContactSphere
from softstride.model.link import WORLD, Link
from softstride.model.model import Model
from softstride.model.posture import default_poses, joint_pose
from softstride.model.roles import FOOT, NO_SHANK, SHANK
from softstride.naming import LETTERS, SIDE_WORDS, other_side, side_of, words_of

SHORTEST_BONE = 0.02
"""A shank or thigh that is shorter is none [m]."""

ANKLE_HEIGHT = 0.039 / 0.246
"""Height of the ankle over the ground as a share of the length of the shank [Winter2009, figure 4.1]."""

Level = Literal["transtibial", "transfemoral"]
JOINTS: dict[Level, tuple[str, str]] = {"transtibial": ("knee", "ankle"), "transfemoral": ("hip", "knee")}
"""The joints above and below the bone that is cut, by the level of the amputation."""


@dataclass(frozen=True, eq=False)
class Bone:
    """A shank or a thigh that may be cut through, in the axes of its link.

    Attributes:
        link: Name of the link.
        level: "transtibial" for a shank, "transfemoral" for a thigh.
        top: Centre of the joint above, the knee or the hip, shape (3,), [m].
        bottom: Centre of the joint below in the default pose, the ankle or the knee, shape (3,), [m].
        sole: How far below the joint above, along the bone, the ground is when the leg stands on it [m].
        by_contact: Whether `sole` is from shapes that touch the ground, and not from the height of the person's ankle.
    """

    link: str
    level: Level
    top: FloatArray
    bottom: FloatArray
    sole: float
    by_contact: bool

    @property
    def length(self) -> float:
        """Distance between the two joints [m]."""
        return float(np.linalg.norm(self.bottom - self.top))

    @property
    def axis(self) -> FloatArray:
        """Direction from the joint above to the joint below, shape (3,)."""
        return (self.bottom - self.top) / self.length


def side_letter(side: str) -> str:
    """Return "r" or "l".

    Raises:
        ModelError: No such side.
    """
    if side in SIDE_WORDS:
        return SIDE_WORDS[side][0]
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
    own = LETTERS[letter]
    found = [name for name in model.link_names if words_of(name) & SHANK and side_of(name) == own]
    if len(found) == 1:
        return found[0]
    problem = (
        f"{len(found)} links could be it ({', '.join(map(repr, found))})" if found else "no link is called so"
    )
    raise ModelError(
        f"the shank of the {own} leg of {model.name!r} was not found: {problem}; name it with shank=...; known: "
        f"{checks.names_hint(model.link_names)}."
    )


def _checked_shank(link: Link, letter: str) -> str:
    """Return the name of a link that the caller calls a shank, if it can be one."""
    own, words = LETTERS[letter], words_of(link.name)
    other = other_side(own)
    if side_of(link.name) == other:
        raise ModelError(f"shank={link.name!r} is a link of the {other} leg, however side is {own!r}.")
    if words & NO_SHANK and not words & SHANK:
        raise ModelError(
            f"shank={link.name!r} is no shank: {', '.join(map(repr, sorted(words & NO_SHANK)))} is in its name."
        )
    if link.parent == WORLD or not link.coordinate_names:
        raise ModelError(
            f"shank={link.name!r} has no knee above it: it hangs on {link.parent!r} by a joint "
            f"{'that is no knee' if link.coordinate_names else 'that does not move'}."
        )
    return link.name


def joint_centre(link: Link) -> FloatArray:
    """Return the centre of the joint that carries a link, in link axes, shape (3,), [m]."""
    offset = np.asarray(link.offset)
    return -offset[:3, :3].T @ offset[:3, 3]


def hanging_places(model: Model, name: str) -> dict[str, FloatArray]:
    """Return where the links that hang on a link have their joints in the default pose.

    Returns:
        Centre of the joint, shape (3,), [m], in the axes of the link `name`, by name of the link that hangs there.
        Translations of the joint count: in many models the knee glides along curves that start at the hip.
    """
    places: dict[str, FloatArray] = {}
    for child in model.children(name):
        glide = np.zeros(3)
        if not child.soft:
            q = np.array([model.coordinates[each].default for each in child.coordinate_names])
            glide = joint_pose(child.joint, q, child.coordinate_names)[:3, 3]
        places[child.name] = _placed(child.placement, glide)
    return places


def find_shank_bone(model: Model, side: str, shank: str | None = None) -> Bone:
    """Return the shank of a side.

    The ankle is where the foot hangs on the shank: the child with the word talus, foot, calcn, ... in its name, or else
    the one that hangs furthest from the knee. The ground is at the lowest contact shape of the foot in the default
    pose, or else below the ankle by `ANKLE_HEIGHT` times the length of the shank.

    Raises:
        ModelError: No shank, or nothing hangs on it.
    """
    name = find_shank(model, side, shank)
    knee = joint_centre(model.link(name))
    places = hanging_places(model, name)
    feet = [place for child, place in places.items() if words_of(child) & FOOT] or list(places.values())
    if not feet:
        raise ModelError(
            f"nothing hangs on {name!r}, so the ankle is unknown: the {side} leg of {model.name!r} ends there already."
        )
    ankle = max(feet, key=lambda place: float(np.linalg.norm(place - knee)))
    length = float(np.linalg.norm(ankle - knee))
    if length < SHORTEST_BONE:
        raise ModelError(
            f"{name!r} is {length * 1e3:.1f} mm long from knee to ankle: name the shank with shank=...."
        )
    axis = (ankle - knee) / length
    deepest = max(_contact_depths(model, name, knee, axis), default=0.0)
    by_contact = deepest > length
    sole = deepest if by_contact else length * (1.0 + ANKLE_HEIGHT)
    return Bone(name, "transtibial", knee, ankle, sole, by_contact)


def find_thigh_bone(model: Model, side: str, shank: str | None = None) -> Bone:
    """Return the thigh of a side: the link with mass that carries the shank.

    The ground is where it is under the shank, see `find_shank_bone`, seen along the thigh in the default pose.

    Raises:
        ModelError: No shank, or no thigh with a hip above it.
    """
    below = find_shank_bone(model, side, shank)
    name = model.link(below.link).parent
    while name != WORLD and model.link(name).mass == 0.0:  # links inside a joint
        name = model.link(name).parent
    if name == WORLD or not model.link(name).coordinate_names:
        raise ModelError(
            f"the {side} leg of {model.name!r} has no thigh between {below.link!r} and a hip: it hangs on {name!r}."
        )
    hip = joint_centre(model.link(name))
    world = default_poses(model)
    T = np.asarray(np.linalg.solve(world[name], world[below.link]), dtype=np.float64)
    knee = _placed(T, below.top)
    length = float(np.linalg.norm(knee - hip))
    if length < SHORTEST_BONE:
        raise ModelError(f"{name!r} is {length * 1e3:.1f} mm long from hip to knee: it is no thigh.")
    ground = _placed(T, below.top + below.sole * below.axis)
    sole = float((knee - hip) @ (ground - hip)) / length
    if sole <= length:
        raise ModelError(
            f"the shank {below.link!r} is folded up in the default pose of {model.name!r}, so that the ground under "
            "the thigh is not known: let the coordinates have defaults at which the leg hangs down."
        )
    return Bone(name, "transfemoral", hip, knee, sole, below.by_contact)


def descendants(model: Model, name: str) -> list[str]:
    """Return the names of all links that hang below a link, in order."""
    below = {name}
    for link in model.links:
        if link.parent in below:
            below.add(link.name)
    return [link.name for link in model.links if link.name in below and link.name != name]


def _placed(T: FloatArray, place: FloatArray) -> FloatArray:
    return np.asarray(T[:3, :3] @ place + T[:3, 3])


def _contact_depths(model: Model, shank: str, knee: FloatArray, axis: FloatArray) -> list[float]:
    """Return how far below the knee, along the shank, the spheres of the foot reach in the default pose."""
    world = default_poses(model)
    poses = {
        name: np.asarray(np.linalg.solve(world[shank], world[name]), dtype=np.float64)
        for name in (shank, *descendants(model, shank))
    }
    depths = []
    for shape in model.contacts.values():
        if isinstance(shape, ContactSphere) and shape.link in poses and shape.at is None:
            centre = _placed(poses[shape.link], shape.position)
            depths.append(float(axis @ (centre - knee)) + shape.radius)
    return depths
