"""Where the places of contact are in each frame, how they move, and how much they take part."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softstride.contact.activation import activation, foot_activation
from softstride.contact.floor import ground_velocity, rest_level
from softstride.contact.sole import touching_places
from softstride.dynamics.branch import branch_of
from softstride.dynamics.estimate.footholds import Blade, Foot, Foothold, places_of
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.prepare import State
from softstride.engine.kinematics import poses, positions, velocities
from softstride.errors import InputError
from softstride.model.frame import Frame, Point
from softstride.model.model import Model
from softstride.notes import Note
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


@dataclass(frozen=True, eq=False)
class Observed:
    """The places of contact of one foot, or of a blade that rolls, over a trial.

    Attributes:
        foothold: The foot.
        names: Of the places, c of them.
        place: Where they touch the floor, shape (n, c, 3), [m], world axes.
        height: Above the floor, or above the level at which the foot rests, shape (n, c), [m].
        velocity: Of the material there, shape (n, c, 3), [m/s], world axes.
        sections: Places of the model that carry the load, s of them.
        share: Of the load that each carries, shape (n, s).
    """

    foothold: Foothold
    names: tuple[str, ...]
    place: Array
    height: Array
    velocity: Array
    sections: tuple[Frame, ...]
    share: Array

    def take(self, frames: slice) -> Observed:
        """Return some frames."""
        parts = {name: getattr(self, name)[frames] for name in ("place", "height", "velocity", "share")}
        return replace(self, **parts)


@dataclass(frozen=True, eq=False)
class Contacts:
    """All places of contact of a trial.

    Attributes:
        feet: By foot, right before left.
        names: Of all places, c of them.
        foot: Which foot each belongs to, shape (c,).
        place: Where they touch the floor, shape (n, c, 3), [m].
        activation: Shape (n, c).
        foot_activation: Shape (n, feet).
        floor: Height of the floor [m].
        belt: Velocity of the ground, shape (3,), [m/s].
        notes: What was found.
    """

    feet: tuple[Observed, ...]
    names: tuple[str, ...]
    foot: NDArray[np.intp]
    place: Array
    activation: Array
    foot_activation: Array
    floor: float
    belt: Array
    notes: tuple[Note, ...]

    def take(self, frames: slice) -> Contacts:
        """Return some frames; floor and belt stay those of the whole."""
        parts = {name: getattr(self, name)[frames] for name in ("place", "activation", "foot_activation")}
        return replace(self, feet=tuple(foot.take(frames) for foot in self.feet), **parts)


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
    floor, known, lowered = _floor(model, feet, state, up, options)
    seen = []
    for foot, level in zip(lowered, known, strict=True):
        if isinstance(foot, Foot):
            seen.append(foot_over(model, foot, state, up, level, threads))
        else:
            seen.append(blade_over(model, foot, state, up, level, threads))
    place = np.concatenate([each.place for each in seen], axis=1)
    place = place + (floor - place @ up)[..., None] * up
    height = np.concatenate([each.height for each in seen], axis=1)
    velocity = np.concatenate([each.velocity for each in seen], axis=1)
    basis = level_axes(up)
    if options.belt is None:
        belt = ground_velocity(height, velocity @ basis.T) @ basis
    else:
        belt = np.asarray(options.belt, dtype=np.float64)
    over = velocity - belt
    act = activation(height, np.linalg.norm(over, axis=2))
    foot_of = np.repeat(np.arange(len(seen)), [len(each.names) for each in seen])
    taking = np.stack([foot_activation(act[:, foot_of == k]) for k in range(len(seen))], axis=1)
    names = tuple(f"{each.foothold.side}_{name}" for each in seen for name in each.names)
    above = float(height.min())
    notes = _found(floor, above, belt, options)
    return Contacts(tuple(seen), names, foot_of, place, act, taking, floor, belt, tuple(notes))


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
        if isinstance(foot, Foot) and not foot.known:
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
    return SHOE if isinstance(foot, Foot) and not foot.known else 0.0


def _may_be(foot: Foothold, level: float) -> bool:
    """Return whether a foot that rests at a level may rest on a floor at zero."""
    least, most = THICKNESS if _thickness(foot) else (-OFF_FLOOR, OFF_FLOOR)
    return least <= level <= most


def _rests(model: Model, foot: Foothold, q: Array, up: Array) -> tuple[float, float]:
    """Return the heights at which heel and ball rest [m]: of the plane of a foot, or of a sole that is known."""
    if isinstance(foot, Foot) and not foot.known:
        back = foot.sole.points[foot.sole.points[:, 0].argsort()[:3]].mean(axis=0)
        spots = [Point(foot.link, foot.axes @ point) for point in (back, foot.sole.ball)]
        heel, ball = rest_level(_positions(model, spots, q) @ up)
        return float(heel), float(ball)
    if isinstance(foot, Foot):
        level = float(rest_level((_positions(model, foot.places, q) @ up).min(axis=1)))
    else:
        level = float(rest_level(_soft_lowest(_sole_heights(model, foot, q, up)[0])[0]))
    return level, level


def _positions(model: Model, points: list[Point] | tuple[Point, ...], q: Array) -> Array:
    part = branch_of(model, {point.link for point in points})
    return positions(part.model, part.take(q), list(points))


def foot_over(
    model: Model, foot: Foot, state: State, up: Array, level: float, threads: int | None
) -> Observed:
    """Return the places of contact of a foot, with heights above a level [m]."""
    spots = (*foot.places, Point(foot.link, foot.axes @ foot.sole.ball))
    part = branch_of(model, {point.link for point in spots})
    q, v = part.take(state.q), np.ascontiguousarray(state.v[:, part.v])
    T = poses(part.model, q, list(spots), threads=threads)
    twist = velocities(part.model, q, v, list(spots), threads=threads)
    x, speed = T[..., :3, 3], np.einsum("ncij,ncj->nci", T[..., :3, :3], twist[..., 3:])
    forward = T[:, -1, :3, :3] @ foot.axes[:, 0]
    place = touching_places(foot.sole, x[:, :-1], x[:, -1], forward, up)
    return Observed(
        foot,
        foot.sole.names,
        place,
        x[:, :-1] @ up - level,
        speed[:, :-1],
        (Frame(foot.link),),
        np.ones((len(q), 1)),
    )


def _sole_heights(model: Model, blade: Blade, q: Array, up: Array) -> tuple[Array, Array]:
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


def blade_over(
    model: Model, blade: Blade, state: State, up: Array, level: float, threads: int | None
) -> Observed:
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
    return Observed(
        blade,
        ("patch_1", "patch_2", "patch_3", "patch_4"),
        np.stack(corners, axis=1),
        (lowest - level)[:, None] * four,
        np.repeat(speed[:, None], 4, axis=1),
        blade.sections,
        share,
    )
