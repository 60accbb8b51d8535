"""Where the places of contact are in each frame, how they move, and how much they take part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softstride.contact.activation import activation, foot_activation
from softstride.contact.floor import ground_velocity, rest_level
from softstride.contact.sole import touching_places
from softstride.dynamics.branch import branch_of
from softstride.dynamics.estimate.footholds import BladeEdge, Foothold, FootSole, places_of
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.prepare import State
from softstride.engine.kinematics import poses, positions, velocities
from softstride.engine.places import PlaceLike
from softstride.errors import InputError
from softstride.model.frame import Point
from softstride.model.model import Model
from softstride.notes import Note
from softstride.results import Labels, Result, owned, values
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

THICKNESS = (-0.03, 0.09)
"""How far the sole of a foot is below its link's origin or its ball joint [m], where the model does not say so."""

DEPTH = (-0.05, 0.15)
"""How far below that a floor may be found or given for a foot to reach it [m]."""

SHOE = 0.03
"""The same, of a foot that does not tell where the floor is."""

OFF_FLOOR = 0.05
"""How far from zero a sole that the model knows may rest on a floor at zero [m]."""

NEVER = 0.04
"""A foot that comes no lower than this above the other one [m] does not touch."""

PATCH = 0.005
"""Half the length of the patch by which a blade touches [m]."""

LOWEST = 5e-4
"""Scale of heights by which the lowest place of a blade is found [m]: neighbouring sections near it differ by that."""

HEEL_RAISED = 0.015
"""The heel's sole is at most so much thicker than the ball's [m]; a heel that stays higher does not touch."""


class FootContact(Result, of="a foot"):
    """What carries the load of one foot, or of a blade that rolls, over a trial.

    Attributes:
        foothold: The foot.
        level: Height from which heights of its places are counted [m]: of the floor, or that at which it rests.
        share: Of the load that each of the sections of the foothold carries, shape (n, s).
    """

    foothold: Foothold
    level: float
    share: Array = values("time section", "1")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its places of contact."""
        return self.foothold.names

    @property
    def sections(self) -> tuple[PlaceLike, ...]:
        """Places of the model that carry the load."""
        return self.foothold.sections


class Contacts(Result, of="places of contact"):
    """All places of contact of a trial, c of them.

    Attributes:
        feet: By foot, right before left.
        place: Where they touch the floor, shape (n, c, 3), [m].
        activation: How much each takes part by its height and speed, shape (n, c), from 0 to 1.
        foot_activation: The same of each foot, shape (n, feet).
        floor: Height of the floor [m].
        belt: Velocity of the ground, shape (3,), [m/s].
        up: The upward direction, shape (3,).
        notes: What was found.
    """

    feet: tuple[FootContact, ...]
    place: Array = values("time contact axis", "m")
    activation: Array = values("time contact", "1")
    foot_activation: Array = values("time foot", "1")
    floor: float
    belt: Array = values("axis", "m/s")
    up: Array = values("axis", "1")
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "contact": lambda own: own.names,
        "foot": lambda own: [each.foothold.side for each in own.feet],
    }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all places."""
        return tuple(f"{foot.foothold.side}_{name}" for foot in self.feet for name in foot.names)

    @cached_property
    def foot(self) -> NDArray[np.intp]:
        """Which foot each place belongs to, shape (c,)."""
        return np.repeat(np.arange(len(self.feet)), [len(each.names) for each in self.feet])

    def at(self, model: Model, state: State, threads: int | None = None) -> Contacts:
        """Return the places of contact of other poses and velocities; floor, belt and levels stay as they are."""
        feet, levels = [foot.foothold for foot in self.feet], [foot.level for foot in self.feet]
        seen = [over(model, foot, state, self.up, threads) for foot in feet]
        return _together(feet, levels, seen, self.floor, self.belt, self.up, self.notes)


def pressed(place: Array, force: Array, up: Array) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Return forces at the places of one foot on the floor, (n, c, 3), as one at their centre of pressure.

    Returns:
        Their sum (n, 3); the centre of pressure (n, 3), the middle of the places where they do not press; their moment
        about it (n, 3); and whether they press (n, 1).
    """
    normal = force @ up
    load = normal.sum(axis=1, keepdims=True)
    loaded = load > 0.0
    share = np.where(loaded, normal / np.where(loaded, load, 1.0), 1.0 / place.shape[1])
    point = np.einsum("nc,nci->ni", share, place)
    return force.sum(axis=1), point, np.cross(place - point[:, None], force).sum(axis=1), loaded


class Seen(NamedTuple):
    """Places of contact of one foot, or of a blade that rolls, over a trial.

    Attributes:
        place: Where they touch, but for the height of the floor, shape (n, c, 3), [m], world axes.
        height: Shape (n, c), [m].
        velocity: Of the material there, shape (n, c, 3), [m/s], world axes.
        share: Of the load that each section of the foothold carries, shape (n, s).
    """

    place: Array
    height: Array
    velocity: Array
    share: Array


def observe(
    model: Model,
    feet: tuple[Foothold, ...],
    state: State,
    up: Array,
    options: EstimateOptions,
    threads: int | None = None,
) -> Contacts:
    """Return the places of contact of all frames.

    Args:
        model: The model.
        feet: What it stands on.
        state: Its whole motion: floor, belt and soles are what all of it says.
        up: The upward direction, shape (3,).
        options: Floor and belt, where they are known.
        threads: How many threads may be used.

    Raises:
        InputError: The floor that was given is above the feet.
    """
    floor, levels, lowered = _floor(model, feet, state, up, options)
    seen = [over(model, foot, state, up, threads) for foot in lowered]
    height = _heights(seen, levels)
    if options.belt is None:
        basis = level_axes(up)
        velocity = np.concatenate([each.velocity for each in seen], axis=1)
        belt = ground_velocity(height, velocity @ basis.T) @ basis
    else:
        belt = np.asarray(options.belt, dtype=np.float64)
    notes = _found(floor, float(height.min()), belt, options)
    return _together(lowered, levels, seen, floor, belt, up, tuple(notes))


def _heights(seen: Sequence[Seen], levels: Sequence[float]) -> Array:
    """Return the heights of all places, each above the level of its foot, shape (n, c), [m]."""
    return np.concatenate([each.height - level for each, level in zip(seen, levels, strict=True)], axis=1)


def _together(
    feet: Sequence[Foothold],
    levels: Sequence[float],
    seen: Sequence[Seen],
    floor: float,
    belt: Array,
    up: Array,
    notes: tuple[Note, ...],
) -> Contacts:
    """Return the places of all feet as those on the floor, and how much they take part."""
    place = np.concatenate([each.place for each in seen], axis=1)
    place = place + (floor - place @ up)[..., None] * up
    over_ground = np.concatenate([each.velocity for each in seen], axis=1) - belt
    act = activation(_heights(seen, levels), np.linalg.norm(over_ground, axis=2))
    carrying = tuple(
        FootContact(foot, level, owned(each.share))
        for foot, level, each in zip(feet, levels, seen, strict=True)
    )
    ends = np.cumsum([len(foot.names) for foot in feet])[:-1]
    taking = np.stack([foot_activation(own) for own in np.split(act, ends, axis=1)], axis=1)
    return Contacts(carrying, owned(place), owned(act), owned(taking), floor, belt, up, notes)


def _found(floor: float, above: float, belt: Array, options: EstimateOptions) -> list[Note]:
    """Return notes on the floor [m], the least distance of a foot from it [m] and the velocity of the ground."""
    told = f"floor at {1000 * floor:.0f} mm" + (", as given" if options.floor is not None else "")
    notes = [Note("ground.floor", told, topic="ground", values={"floor_m": floor})]
    if above > NEVER:
        told = f"no foot comes nearer to the floor than {1000 * above:.0f} mm"
        values = {"distance_m": above}
        notes.append(Note("ground.feet-above-floor", told, severity="warning", topic="ground", values=values))
    if np.any(belt):
        speed = float(np.linalg.norm(belt))
        told = f"the ground moves with {speed:.2f} m/s: a treadmill"
        notes.append(Note("ground.treadmill", told, topic="ground", values={"speed_m_s": speed}))
    return notes


def level_axes(up: Array) -> Array:
    """Return two horizontal axes, forward and right, as rows, shape (2, 3)."""
    forward = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    forward = forward - (forward @ up) * up
    forward /= np.linalg.norm(forward)
    return np.stack([forward, cross(forward, up)])


def _floor(
    model: Model, feet: tuple[Foothold, ...], state: State, up: Array, options: EstimateOptions
) -> tuple[float, list[float], list[Foothold]]:
    """Return the height of the floor, the level that heights of each foot are from, and the feet with their soles."""
    rests = [_rests(model, foot, state.q, up) for foot in feet]
    lowest = min(min(pair) for pair in rests)
    rests = [(heel, ball) if min(heel, ball) <= lowest + NEVER else (lowest, lowest) for heel, ball in rests]
    levels = [min(pair) for pair in rests]
    if options.floor is not None:
        floor = options.floor
        if floor > lowest - DEPTH[0]:
            raise InputError(
                f"the floor is said to be at {floor:g} m, however a foot rests at {lowest:.3f} m, below it: check "
                "units and axes, or let the floor be estimated"
            )
    elif all(_may_be(foot, level) for foot, level in zip(feet, levels, strict=True)):
        floor = 0.0
    else:
        floor = float(np.mean([level - _thickness(foot) for foot, level in zip(feet, levels, strict=True)]))
    lowered: list[Foothold] = []
    for foot, (heel, ball) in zip(feet, rests, strict=True):
        if isinstance(foot, FootSole) and not foot.known:
            depth = (min(heel, ball + HEEL_RAISED) - floor, ball - floor)
            sole = foot.sole.lowered(*np.clip(depth, *DEPTH))
            foot = replace(foot, sole=sole, places=places_of(model, foot.link, sole, foot.axes))
        lowered.append(foot)
    known = [
        floor if _thickness(foot) or abs(level - floor) > OFF_FLOOR else level
        for foot, level in zip(feet, levels, strict=True)
    ]
    return floor, known, lowered


def _thickness(foot: Foothold) -> float:
    """Return how thick a sole is that nothing tells of [m]; 0 for one that the model knows."""
    return SHOE if isinstance(foot, FootSole) and not foot.known else 0.0


def _may_be(foot: Foothold, level: float) -> bool:
    """Return whether a foot that rests at a level may rest on a floor at zero."""
    least, most = THICKNESS if _thickness(foot) else (-OFF_FLOOR, OFF_FLOOR)
    return least <= level <= most


def _rests(model: Model, foot: Foothold, q: Array, up: Array) -> tuple[float, float]:
    """Return the heights at which heel and ball rest [m]: of the plane of a foot, or of a sole that is known."""
    if isinstance(foot, FootSole) and not foot.known:
        back = foot.sole.points[foot.sole.points[:, 0].argsort()[:3]].mean(axis=0)
        spots = [Point(foot.link, foot.axes @ point) for point in (back, foot.sole.ball)]
        heel, ball = rest_level(_positions(model, spots, q) @ up)
        return float(heel), float(ball)
    if isinstance(foot, FootSole):
        level = float(rest_level((_positions(model, foot.places, q) @ up).min(axis=1)))
    else:
        level = float(rest_level(_soft_lowest(_sole_heights(model, foot, q, up)[0])[0]))
    return level, level


def _positions(model: Model, points: list[Point] | tuple[Point, ...], q: Array) -> Array:
    part = branch_of(model, {point.link for point in points})
    return positions(part.model, part.take(q), list(points))


def over(model: Model, foot: Foothold, state: State, up: Array, threads: int | None = None) -> Seen:
    """Return the places of contact of a foot or of a blade, with their heights."""
    if isinstance(foot, FootSole):
        return _foot_over(model, foot, state, up, threads)
    return _blade_over(model, foot, state, up, threads)


def _foot_over(model: Model, foot: FootSole, state: State, up: Array, threads: int | None) -> Seen:
    """Return the places of contact of a foot."""
    part = branch_of(model, {point.link for point in foot.spots})
    q, v = part.take(state.q), np.ascontiguousarray(state.v[:, part.v])
    T = poses(part.model, q, list(foot.spots), threads=threads)
    twist = velocities(part.model, q, v, list(foot.spots), threads=threads)
    x, speed = T[..., :3, 3], np.einsum("ncij,ncj->nci", T[..., :3, :3], twist[..., 3:])
    forward = T[:, -1, :3, :3] @ foot.axes[:, 0]
    place = touching_places(foot.sole, x[:, :-1], x[:, -1], forward, up)
    return Seen(place, x[:, :-1] @ up, speed[:, :-1], np.ones((len(q), 1)))


def _sole_heights(model: Model, blade: BladeEdge, q: Array, up: Array) -> tuple[Array, Array]:
    """Return heights (n, s) and positions (n, s, 3) of the sole at the sections of a blade."""
    part = branch_of(model, {blade.link})
    T = poses(part.model, part.take(q), list(blade.sections))
    x = T[..., :3, 3] + np.einsum("nsij,sj->nsi", T[..., :3, :3], blade.sole)
    return x @ up, x


def _soft_lowest(height: Array) -> tuple[Array, Array]:
    """Return the height of the lowest place and the shares (n, s) of the places near it, smooth in time."""
    share = np.exp(-(height - height.min(axis=1, keepdims=True)) / LOWEST)
    share /= share.sum(axis=1, keepdims=True)
    return (share * height).sum(axis=1), share


def _blade_over(model: Model, blade: BladeEdge, state: State, up: Array, threads: int | None) -> Seen:
    """Return the patch by which a blade touches: it moves along the sole as the blade rolls."""
    heights, x = _sole_heights(model, blade, state.q, up)
    lowest, share = _soft_lowest(heights)
    part = branch_of(model, {blade.link})
    q, v = part.take(state.q), np.ascontiguousarray(state.v[:, part.v])
    sections = list(blade.sections)
    R = poses(part.model, q, sections, threads=threads)[..., :3, :3]
    twist = velocities(part.model, q, v, sections, threads=threads)
    body = twist[..., 3:] + cross(twist[..., :3], np.broadcast_to(blade.sole, twist[..., 3:].shape))
    speed = np.einsum("ns,nsij,nsj->ni", share, R, body)
    centre = np.einsum("ns,nsi->ni", share, x)
    across = np.einsum("ns,nsi->ni", share, R[..., :, 1])
    across = across - np.outer(across @ up, up)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    if (length < 1e-6).any():
        raise InputError(f"blade {blade.link!r} stands on its edge: its sole cannot touch the floor")
    across /= length
    along = cross(up, across)
    corners = [
        centre + a * PATCH * along + b * 0.5 * blade.width * across for a in (1.0, -1.0) for b in (1.0, -1.0)
    ]
    four = np.ones((1, 4))
    return Seen(
        np.stack(corners, axis=1), lowest[:, None] * four, np.repeat(speed[:, None], 4, axis=1), share
    )
