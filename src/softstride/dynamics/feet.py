"""Which link a force acts on: by the body that is named, by the side, or by where the feet are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce
from softstride.dynamics.branch import branch_of
from softstride.dynamics.resample import Sampled
from softstride.engine.kinematics import positions
from softstride.errors import InputError, Option
from softstride.model.checks import names_hint
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Point
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.model.roles import BEARING
from softstride.naming import SIDES, Side, side_of, words_of
from softstride.notes import Note

if TYPE_CHECKING:
    from softstride.dynamics.applied import AppliedForces
    from softstride.dynamics.loads import AppliedWrench

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

NEAR = 0.25
"""How far from the nearest point of a foot its centre of pressure may be [m]: about the length of a foot."""

CLEARLY = 0.05
"""How much nearer than the other foot the right one must be [m]."""

FAINT = 0.05
"""Loads on nobody's foot below this share of body weight are no step: they are left out, or kept where a link was named
for them, with a note."""

STATIONS = 9
"""Places along a blade that stand for it."""

FAR = 0.5
"""A load farther than this from the foot of its side [m] is on nobody's foot; beyond NEAR it gets a note."""

FARTHEST = 1.0
"""The same for a body that a file names and that is no foot [m]; whom the caller names is believed, with a note."""

ENOUGH = 32
"""Frames by which the distance of a contact from its link is judged."""

_points: WeakKeyDictionary[Model, dict[str, tuple[Point, ...]]] = WeakKeyDictionary()


def named_link(model: Model, force: ExternalForce, bodies: Mapping[str, str]) -> str | None:
    """Return the link that options or file name for a force, or that is the foot of its side; None: neither.

    Raises:
        InputError: The model has no such link.
    """
    given = bodies.get(force.name, force.body)
    if given is not None:
        if given in model.link_names:
            return given
        where, option = Option("bodies"), Option("bodies", {force.name: ...})
        said = force.name in bodies
        raise InputError(
            f"force {force.name!r} acts on {given!r} as {where if said else 'its file'} says, however {model.name!r} "
            f"has no such link: name one with {option}; links are {names_hint(model.link_names)}",
            parameter="bodies",
            value=given,
            names=[force.name],
            known=model.link_names,
            options=[where, option] if said else [option],
        )
    return None if force.side is None else foot_link(model, force.side, force.name)


def foot_link(model: Model, side: Side, force: str) -> str:
    """Return the link that carries the load of a foot: a blade, the heel bone, the foot.

    Raises:
        InputError: No link, or more than one, is called so.
    """
    own = [name for name in model.link_names if side_of(name) == side]
    option = Option("bodies", {force: ...})
    for word in BEARING:
        found = [name for name in own if word in words_of(name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(
                f"force {force!r} acts on the {side} foot, which may be {' or '.join(map(repr, found))}: name the link "
                f"with {option}",
                parameter="bodies",
                names=[force],
                known=found,
                options=[option],
            )
    raise InputError(
        f"force {force!r} acts on the {side} foot, however no link of {model.name!r} is called so: name it with "
        f"{option}; links are {names_hint(model.link_names)}",
        parameter="bodies",
        names=[force],
        known=model.link_names,
        options=[option],
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
) -> tuple[dict[str, Mask], list[Note]]:
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
    links = {side: foot_link(model, side, force.name) for side in SIDES}
    option = Option("bodies", {force.name: ...})
    size = np.linalg.norm(sampled.force, axis=1)
    frames: dict[str, Mask] = {link: np.zeros(len(time), dtype=bool) for link in links.values()}
    notes: list[Note] = []
    for start, stop in _contacts(sampled.acts):
        rows = slice(start, stop)
        share = size[rows] / max(float(size[rows].sum()), 1e-300)
        far = {
            side: float(share @ distance_from(model, q[rows], links[side], sampled.point[rows]))
            for side in SIDES
        }
        near, other = sorted(SIDES, key=far.__getitem__)
        when = f"from {time[start]:.3f} to {time[stop - 1]:.3f} s"
        if far[near] > NEAR:
            told = f"force {force.name!r} is on nobody's foot {when}: {far[near]:.2f} m from the {near} one"
            if size[rows].max() < FAINT * weight:
                note = Note(
                    "feet.contact-of-nobody",
                    f"{told}, {size[rows].max():.0f} N at most: left out",
                    topic="feet",
                    names=(force.name,),
                    span=(time[start], time[stop - 1]),
                    values={"distance_m": far[near], "force_n": float(size[rows].max())},
                )
                notes.append(note)
                continue
            raise InputError(
                f"{told}, with {size[rows].max():.0f} N; leave it out of the recording, check the axes, or name the "
                f"link with {option}",
                parameter="bodies",
                names=[force.name],
                options=[option],
            )
        if far[other] < far[near] + CLEARLY:
            raise InputError(
                f"force {force.name!r} may be on either foot {when}: {far['right']:.2f} m from the right, "
                f"{far['left']:.2f} m from the left; name the link with {option}",
                parameter="bodies",
                names=[force.name],
                options=[option],
            )
        frames[links[near]][rows] = True
    return {link: mask for link, mask in frames.items() if mask.any()}, notes


def _contacts(acts: Mask) -> Iterator[tuple[int, int]]:
    edges: Sequence[int] = np.flatnonzero(
        np.diff(np.concatenate([[False], acts, [False]]).astype(np.int8))
    ).tolist()
    return zip(edges[::2], edges[1::2], strict=True)


def far_loads(
    model: Model, q: Array, time: Array, applied: AppliedForces, origins: Array, bodies: Mapping[str, str]
) -> list[Note]:
    """Return notes on loads that are far from the link that was named for them, contact by contact.

    A load on a foot that lies nearer to the other foot is told, too: no residual shows that feet were exchanged, since
    the body as a whole does not care which of its links a force acts on.

    Args:
        model: The model.
        q: Configurations, shape (n, nq).
        time: Their instants [s].
        applied: The loads.
        origins: Where their places are, shape (n, k, 3), [m].
        bodies: Links that the caller named, by the name of the force.

    Raises:
        InputError: A contact is so far away that it is on nobody's foot, and the caller did not name the link.
    """
    notes = []
    faint = FAINT * model.mass * float(np.linalg.norm(model.gravity))
    for name, wrench in applied.wrenches.items():
        acts = np.isfinite(wrench.point[:, 0])
        if not acts.any():
            continue
        force = applied.sources[name]
        named, other = force.name in bodies, _other_foot(model, wrench.link)
        doubted, refused = (FAR, np.inf) if named else (NEAR, FAR) if other is not None else (FAR, FARTHEST)
        at = {place: origins[:, k] for k, place in enumerate(applied.places) if isinstance(place, str)}
        for start, stop in _contacts(acts):
            if _near(wrench, at, other, start, stop):
                continue
            away = _distance(model, q, wrench, wrench.link, start, stop)
            largest = float(np.linalg.norm(wrench.force[start:stop], axis=1).max())
            told = (
                f"force {name!r} acts {away:.2f} m away from {wrench.link!r} from {time[start]:.3f} to "
                f"{time[stop - 1]:.3f} s, with up to {largest:.0f} N"
            )
            span, values = (time[start], time[stop - 1]), {"distance_m": away, "force_n": largest}
            if other is not None and away <= refused and largest >= faint:
                nearer = _distance(model, q, wrench, other, start, stop)
                if nearer < away - CLEARLY:
                    asked = f"{told}, and {nearer:.2f} m from {other!r}: are the feet exchanged?"
                    values["distance_of_other_m"] = nearer
                    notes.append(_doubt("feet.exchanged", asked, (name, wrench.link, other), span, values))
                    continue
            if away <= doubted:
                continue
            if away > refused and largest >= faint:
                option = Option("bodies", {force.name: ...})
                raise InputError(
                    f"{told}, so that it is on nobody's foot: check the axes and clocks of motion and recording, leave "
                    f"the force out, or name the link with {option}",
                    parameter="bodies",
                    names=[force.name],
                    link=wrench.link,
                    options=[option],
                )
            asked = f"{told}: is it that link's, and are the axes those of the motion?"
            notes.append(_doubt("feet.load-far-away", asked, (name, wrench.link), span, values))
    return notes


def _doubt(
    code: str, text: str, names: tuple[str, ...], span: tuple[float, float], values: Mapping[str, float]
) -> Note:
    return Note(code, text, severity="warning", topic="feet", names=names, span=span, values=values)


def _near(wrench: AppliedWrench, at: Mapping[str, Array], other: str | None, start: int, stop: int) -> bool:
    """Return whether the origin of its link alone says that a contact is where it belongs: most of them need no more.

    Args:
        wrench: The load.
        at: Origins of links that carry loads, each (n, 3), [m].
        other: The foot of the other side, if the link is a foot.
        start: First frame of the contact.
        stop: The frame behind its last one.
    """
    size = np.sqrt((wrench.force[start:stop] ** 2).sum(axis=1))
    total = float(size.sum())
    if not total > 0.0:
        return True
    far = {
        link: float(size @ np.sqrt(((at[link][start:stop] - wrench.point[start:stop]) ** 2).sum(axis=1)))
        / total
        for link in (wrench.link, other or "")
        if link in at
    }
    own = far.get(wrench.link, np.inf)
    return own <= NEAR and own <= far.get(other or "", np.inf)


def _distance(model: Model, q: Array, wrench: AppliedWrench, link: str, start: int, stop: int) -> float:
    """Return how far a contact is from a link on average, weighted with the force [m]; by at most ENOUGH frames."""
    rows = np.arange(start, stop, max(1, -(-(stop - start) // ENOUGH)))
    size = np.linalg.norm(wrench.force[rows], axis=1)
    share = size / max(float(size.sum()), 1e-300)
    return float(share @ distance_from(model, q[rows], link, wrench.point[rows]))


def _other_foot(model: Model, link: str) -> str | None:
    """Return the foot of the other side if a link is the foot of one, or part of it; None: it is not, or has none."""
    for side, opposite in (SIDES, SIDES[::-1]):
        if side_of(link) == side and words_of(link) & set(BEARING):
            try:
                return foot_link(model, opposite, link)
            except InputError:
                return None
    return None
