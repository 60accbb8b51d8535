"""Which link a force acts on: by the body that is named, by the side, or by where the feet are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce, Side
from softstride.dynamics.branch import branch_of
from softstride.dynamics.resample import Sampled
from softstride.engine.kinematics import positions
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Point
from softstride.model.leg import SIDES, words_of
from softstride.model.model import Model
from softstride.model.rod import Rod

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

WORDS = ("blade", "calcn", "calcaneus", "foot", "hindfoot", "rearfoot", "talus", "ankle", "toes")
"""What the link that carries a foot's load is called, the best first."""

NEAR = 0.25
"""How far from the nearest point of a foot its centre of pressure may be [m]: about the length of a foot."""

CLEARLY = 0.05
"""How much nearer than the other foot the right one must be [m]."""

FAINT = 0.05
"""Loads on nobody's foot below this share of body weight are no step: they are left out, with a note."""

STATIONS = 9
"""Places along a blade that stand for it."""

_points: WeakKeyDictionary[Model, dict[str, tuple[Point, ...]]] = WeakKeyDictionary()

BOTH: tuple[Side, Side] = ("right", "left")


def named_link(model: Model, force: ExternalForce, bodies: Mapping[str, str]) -> str | None:
    """Return the link that options or file name for a force, or that is the foot of its side; None: neither.

    Raises:
        InputError: The model has no such link.
    """
    given = bodies.get(force.name, force.body)
    if given is not None:
        if given in model.link_names:
            return given
        where = "bodies" if force.name in bodies else "its file"
        raise InputError(
            f"force {force.name!r} acts on {given!r} as {where} says, however {model.name!r} has no such link: name "
            f"one with bodies={{{force.name!r}: ...}}; links are {names_hint(model.link_names)}"
        )
    return None if force.side is None else foot_link(model, force.side, force.name)


def foot_link(model: Model, side: Side, force: str) -> str:
    """Return the link that carries the load of a foot: a blade, the heel bone, the foot.

    Raises:
        InputError: No link, or more than one, is called so.
    """
    own = [name for name in model.link_names if words_of(name) & set(SIDES[side])]
    for word in WORDS:
        found = [name for name in own if word in words_of(name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(
                f"force {force!r} acts on the {side} foot, which may be {' or '.join(map(repr, found))}: name the link "
                f"with bodies={{{force!r}: ...}}"
            )
    raise InputError(
        f"force {force!r} acts on the {side} foot, however no link of {model.name!r} is called so: name it with "
        f"bodies={{{force!r}: ...}}; links are {names_hint(model.link_names)}"
    )


def foot_points(model: Model, link: str) -> tuple[Point, ...]:
    """Return points on a link and on what hangs on it: origins, markers, places of contact, sections of a rod."""
    found = _points.setdefault(model, {})
    if link not in found:
        found[link] = tuple(_find_points(model, link))
    return found[link]


def _find_points(model: Model, link: str) -> list[Point]:
    links = {link}
    for other in model.links:
        if other.parent in links:
            links.add(other.name)
    found = [Point(name) for name in links]
    found += [point for point in model.markers.values() if point.link in links]
    for shape in model.contacts.values():
        if isinstance(shape, ContactSphere) and shape.link in links:
            found.append(Point(shape.link, shape.position, shape.at))
    for name in links:
        joint = model.link(name).joint
        if isinstance(joint, Rod):
            found += [Point(name, at=float(s)) for s in np.linspace(0.0, joint.length, STATIONS)]
    return found


def distance_from(model: Model, q: Array, link: str, point: Array) -> Array:
    """Return how far points (n, 3) are from the nearest point of a link or of what hangs on it, shape (n,), [m]."""
    points = foot_points(model, link)
    part = branch_of(model, {place.link for place in points})
    at = positions(part.model, part.take(q), points)
    return np.asarray(np.sqrt(((at - point[:, None]) ** 2).sum(axis=2).min(axis=1)))


def feet_under(
    model: Model, q: Array, time: Array, force: ExternalForce, sampled: Sampled, weight: float
) -> tuple[dict[str, Mask], list[str]]:
    """Return the frames in which each link carries a force that says neither body nor side, and notes.

    The frames are cut into contacts, and each belongs to the foot that is nearer on average, weighted with the force.

    Args:
        model: The model.
        q: Configurations of the frames, shape (n, nq).
        time: Their instants [s].
        force: The force, in world axes.
        sampled: The same at the frames.
        weight: Of the body [N].

    Raises:
        InputError: A contact is on nobody's foot, or could be either's.
    """
    links = {side: foot_link(model, side, force.name) for side in BOTH}
    size = np.linalg.norm(sampled.force, axis=1)
    frames: dict[str, Mask] = {link: np.zeros(len(time), dtype=bool) for link in links.values()}
    notes: list[str] = []
    for start, stop in _contacts(sampled.acts):
        rows = slice(start, stop)
        share = size[rows] / max(float(size[rows].sum()), 1e-300)
        far = {
            side: float(share @ distance_from(model, q[rows], links[side], sampled.point[rows]))
            for side in BOTH
        }
        near, other = sorted(BOTH, key=far.__getitem__)
        when = f"from {time[start]:.3f} to {time[stop - 1]:.3f} s"
        if far[near] > NEAR:
            told = f"force {force.name!r} is on nobody's foot {when}: {far[near]:.2f} m from the {near} one"
            if size[rows].max() < FAINT * weight:
                notes.append(f"{told}, {size[rows].max():.0f} N at most: left out")
                continue
            raise InputError(
                f"{told}, with {size[rows].max():.0f} N; leave it out of the recording, check the axes, or name the "
                f"link with bodies={{{force.name!r}: ...}}"
            )
        if far[other] < far[near] + CLEARLY:
            raise InputError(
                f"force {force.name!r} may be on either foot {when}: {far['right']:.2f} m from the right, "
                f"{far['left']:.2f} m from the left; name the link with bodies={{{force.name!r}: ...}}"
            )
        frames[links[near]][rows] = True
    return {link: mask for link, mask in frames.items() if mask.any()}, notes


def _contacts(acts: Mask) -> Iterator[tuple[int, int]]:
    edges: Sequence[int] = np.flatnonzero(
        np.diff(np.concatenate([[False], acts, [False]]).astype(np.int8))
    ).tolist()
    return zip(edges[::2], edges[1::2], strict=True)
