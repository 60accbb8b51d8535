"""By what a model may stand: a foot with its sole, or the rolling edge of a blade, on each side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from softstride.contact.sole import Sole
from softstride.dynamics.feet import foot_link
from softstride.engine.kinematics import poses
from softstride.errors import Blank, InputError, Option
from softstride.model.checks import names_hint
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Frame, Point
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.model.roles import TOES
from softstride.naming import SIDES, Side, other_side, side_of, words_of

Array = NDArray[np.float64]

SKIN = 0.005
"""How far in front of the rearmost marker of a foot its heel ends [m]."""

SHORT = 0.015
"""How far behind the origin of a foot without markers its heel ends [m]."""

LOWEST_PART = 0.6
"""Share of a blade's length from which on it may touch the ground, where the model does not say so."""

STATIONS = 9
"""Places along that part."""

WIDTH = 0.06
"""Width of a blade whose model has no marker on its edges [m]."""


@dataclass(frozen=True, eq=False)
class FootSole:
    """A foot that is a rigid link, perhaps with toes.

    Attributes:
        side: "right" or "left".
        link: The link that carries its load.
        sole: Its sole, in the axes of the foot.
        axes: Rotation from the axes of the foot to those of the link, shape (3, 3).
        places: The places of the sole on the links that carry them.
        known: Whether the height of the sole is the model's; else it is found from how the foot rests.
    """

    side: Side
    link: str
    sole: Sole
    axes: Array
    places: tuple[Point, ...]
    known: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the places by which it touches."""
        return self.sole.names

    @cached_property
    def spots(self) -> tuple[Point, ...]:
        """The places, and the ball behind them."""
        return (*self.places, Point(self.link, self.axes @ self.sole.ball))

    @property
    def sections(self) -> tuple[str, ...]:
        """Places of the model that carry the load: the link."""
        return (self.link,)


@dataclass(frozen=True, eq=False)
class BladeEdge:
    """A leaf spring that rolls on its lower edge.

    Attributes:
        side: "right" or "left".
        link: The rod.
        sections: Sections along the part that may touch, from the upper to the tip.
        sole: Where the sole is in the axes of each section, shape (c, 3), [m].
        width: Of the blade there [m].
    """

    side: Side
    link: str
    sections: tuple[Frame, ...]
    sole: Array
    width: float

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the places by which it touches: corners of a patch that moves along the edge."""
        return ("patch_1", "patch_2", "patch_3", "patch_4")


Foothold = FootSole | BladeEdge


def footholds(
    model: Model, links: Mapping[str, str] | None = None, soles: Mapping[str, Sole] | None = None
) -> tuple[Foothold, ...]:
    """Return what a model stands on, right before left.

    Args:
        model: The model.
        links: Link that carries the load, by side.
        soles: Soles, by side.

    Raises:
        InputError: A side has no link that is called like a foot, or one whose size nothing tells.
    """
    found: list[Foothold] = []
    for side in SIDES:
        link = (links or {}).get(side) or _named(model, side)
        if link not in model.link_names:
            option = Option("links")
            raise InputError(
                f"{option} gives {link!r} for the {side} foot, however {model.name!r} has no such link; links are "
                f"{names_hint(model.link_names)}",
                parameter="links",
                value=link,
                names=[side],
                known=model.link_names,
                options=[option],
            )
        if found and found[0].link == link:
            option = Option("links", {"right": ..., "left": ...})
            raise InputError(
                f"{link!r} of {model.name!r} would carry the load of both feet: name the link of each with {option}; "
                f"links are {names_hint(model.link_names)}",
                parameter="links",
                link=link,
                known=model.link_names,
                options=[option],
            )
        sole = (soles or {}).get(side)
        found.append(
            blade_foothold(model, side, link) if model.link(link).soft else _foot(model, side, link, sole)
        )
    return tuple(found)


def _named(model: Model, side: Side) -> str:
    """Return the link that carries the load of a foot: by its name, or the only rod, unless it is the other side's."""
    try:
        return foot_link(model, side, f"ground_{side}")
    except InputError:
        rods = [link.name for link in model.links if link.soft and side_of(link.name) != other_side(side)]
        if len(rods) == 1:
            return rods[0]
        option = Option("links", {side: ...})
        raise InputError(
            f"no link of {model.name!r}, or more than one, is called like a {side} foot: name it with {option}; links "
            f"are {names_hint(model.link_names)}",
            parameter="links",
            names=[side],
            known=model.link_names,
            options=[option],
        ) from None


def blade_foothold(model: Model, side: Side, link: str) -> BladeEdge:
    """Return the rolling edge of a rod: the places of contact that the model has there, else the lower part."""
    joint = cast("Rod", model.link(link).joint)
    spheres = [
        each
        for each in model.contacts.values()
        if isinstance(each, ContactSphere) and each.link == link and each.at is not None
    ]
    if spheres:
        spheres.sort(key=lambda each: each.at or 0.0)
        sections = tuple(Frame(link, at=each.at) for each in spheres)
        sole = np.stack([each.position for each in spheres])
    else:
        stations = np.linspace(LOWEST_PART * joint.length, joint.length, STATIONS)
        sections = tuple(Frame(link, at=float(s)) for s in stations)
        sole = np.zeros((STATIONS, 3))
    across = [abs(float(point.position[1])) for point in model.markers.values() if point.link == link]
    return BladeEdge(side, link, sections, sole, 2.0 * max(across, default=0.0) or WIDTH)


def _foot(model: Model, side: Side, link: str, given: Sole | None) -> FootSole:
    at = _standing(model, link)
    axes = at[link][:3, :3].T  # a model stands upright, facing x, in its neutral pose
    if given is None:
        own = _touching(model, at, link, axes)
        if own is not None:
            return FootSole(side, link, own[0], axes, own[1], True)
    sole = given or _average(model, at, side, link, axes)
    return FootSole(side, link, sole, axes, places_of(model, link, sole, axes), given is not None)


def _standing(model: Model, link: str) -> dict[str, Array]:
    """Return the poses of a foot and of all that hangs on it, in the neutral pose of the model."""
    names = [link]
    for each in model.links:
        if each.parent in names:
            names.append(each.name)
    T = poses(model, model.neutral())
    return {name: T[model.index(name)] for name in names}


def _is_front(name: str) -> bool:
    return bool(words_of(name) & TOES)


def places_of(model: Model, link: str, sole: Sole, axes: Array) -> tuple[Point, ...]:
    """Return the places of a sole on the links that carry them: toes on the link of the toes, if there is one."""
    at = _standing(model, link)
    front = next((name for name in at if _is_front(name)), None)
    places = []
    for point, toe in zip(sole.points @ axes.T, sole.toes, strict=True):
        if toe and front is not None:
            there = np.linalg.solve(at[front], at[link] @ np.append(point, 1.0))[:3]
            places.append(Point(front, there))
        else:
            places.append(Point(link, point))
    return tuple(places)


def _touching(
    model: Model, at: Mapping[str, Array], link: str, axes: Array
) -> tuple[Sole, tuple[Point, ...]] | None:
    """Return the sole that a model's own places of contact make, and these, or None if they are too few."""
    names, points, places = [], [], []
    for name, shape in model.contacts.items():
        if not isinstance(shape, ContactSphere) or shape.link not in at:
            continue
        lowest = shape.position - shape.radius * at[shape.link][:3, :3].T @ [0.0, 1.0, 0.0]
        names.append(name)
        places.append(Point(shape.link, lowest))
        points.append(axes.T @ np.linalg.solve(at[link], at[shape.link] @ np.append(lowest, 1.0))[:3])
    front = np.array([_is_front(place.link) for place in places], dtype=bool)
    if len(points) - front.sum() < 3:
        return None
    where = np.array(points)
    foremost = where[~front]
    ball = foremost[foremost[:, 0] > foremost[:, 0].max() - 0.05].mean(axis=0)
    return Sole(tuple(names), where, front, ball), tuple(places)


def _average(model: Model, at: Mapping[str, Array], side: Side, link: str, axes: Array) -> Sole:
    """Return the sole of an average foot between the heel and the joint of the toes."""
    own = [axes.T @ point.position for point in model.markers.values() if point.link == link]
    heel = min([0.0, *(float(p[0]) + SKIN for p in own)]) if own else -SHORT
    beyond = [name for name in at if _is_front(name) and not _is_front(model.link(name).parent)]
    if beyond:
        joints = [axes.T @ np.linalg.solve(at[link], at[toe])[:3, 3] for toe in beyond]
        ball = np.mean(joints, axis=0)
    elif own and max(float(p[0]) for p in own) - heel > 0.1:
        front = max(own, key=lambda p: float(p[0]))
        ball = np.array([front[0] - 0.02, 0.0, 0.0])
    else:
        option = Option("soles", {side: Blank(f"contact.Sole.foot(heel, ball, {side!r})")})
        raise InputError(
            f"the sole of {link!r} is not known: the model has neither places of contact, nor toes, nor markers there. "
            f"Give it with {option}",
            parameter="soles",
            names=[side],
            link=link,
            options=[option],
        )
    return Sole.foot(heel, float(ball[0]), side, middle=float(ball[2]))
