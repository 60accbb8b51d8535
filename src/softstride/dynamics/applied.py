"""From the forces of a recording to wrenches on links, at the frames of a motion, in world axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce
from softstride.capture.recording import Recording
from softstride.dynamics.branch import branch_of
from softstride.dynamics.feet import distance_from, feet_under, named_link
from softstride.dynamics.loads import AppliedWrench
from softstride.dynamics.prepare import State
from softstride.dynamics.resample import Sampled, at_frames
from softstride.dynamics.rod_loads import share_along
from softstride.engine.kinematics import poses
from softstride.engine.places import PlaceLike
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Loaded = tuple[str, ExternalForce, Sampled, str, Mask]
"""Name of the wrench, the force, the same at the frames, the link that it acts on, and in which frames."""

GROUND = ("ground", "world")

FAR = 0.5
"""A load farther than this from the foot of its side [m] is on nobody's foot; from a body that was named, a note."""

ENOUGH = 32
"""Frames by which the distance of a load from its link is judged."""


@dataclass(frozen=True, eq=False)
class Applied:
    """External loads of a motion.

    Attributes:
        wrenches: By the name of the force; one that both feet carry in turn is there twice, as "plate 1 calcn_r".
        places: [moment; force] in world axes about links or sections of rods, shape (n, 6) each, as the engine takes
            them; zero where not known.
        known: Frames in which all forces are known, shape (n,).
        notes: What was decided.
    """

    wrenches: Mapping[str, AppliedWrench]
    places: Mapping[PlaceLike, Array]
    known: Mask
    notes: tuple[str, ...] = ()


def apply_forces(
    model: Model,
    state: State,
    recording: Recording,
    bodies: Mapping[str, str] | None = None,
    *,
    threads: int | None = None,
) -> Applied:
    """Put the forces of a recording on the links of a model.

    Args:
        model: The model.
        state: Its motion.
        recording: Whose `forces` act: of plates or of an external-loads file, in the axes that these name.
        bodies: Links by the name of the force, in place of what the recording says.
        threads: How many threads may be used.

    Raises:
        InputError: The recording has no forces, none at the time of the motion, or one on a link that the model does
            not have, on nobody's foot, or without a point.
    """
    chosen = dict(bodies or {})
    _check_names(recording, chosen)
    sampled = [at_frames(force, state.time) for force in recording.forces]
    known = np.asarray(np.logical_and.reduce([each.known for each in sampled]))
    notes = _coverage(recording, sampled, known, state.time)
    on: list[Loaded] = []
    for force, each in zip(recording.forces, sampled, strict=True):
        targets, told = _targets(model, state, force, each, chosen)
        notes += told
        for link, mask in targets.items():
            name = f"{force.name} {link}" if len(targets) > 1 else force.name
            on.append((name, force, each, link, mask))
    T = _poses(model, state.q, on, threads)
    wrenches: dict[str, AppliedWrench] = {}
    places: dict[PlaceLike, Array] = {}
    for given, force, each, link, mask in on:
        f, p, m = _in_world(force, each, mask, T)
        name = _new(given, wrenches)
        unknown, acts = ~each.known[:, None], (each.acts & mask)[:, None]
        wrenches[name] = AppliedWrench(
            link, np.where(unknown, np.nan, f), np.where(acts, p, np.nan), np.where(unknown, np.nan, m)
        )
        parts: Mapping[Any, Array]
        if model.link(link).soft:
            parts = share_along(model, state.q, link, p, f, m, threads)
        else:
            parts = {link: np.concatenate([m + cross(p - T[link][:, :3, 3], f), f], axis=1)}
        for place, w in parts.items():
            places[place] = places[place] + w if place in places else w
        notes += _judged(model, state, force, name, wrenches[name], chosen)
    return Applied(wrenches, places, known, tuple(notes))


def _check_names(recording: Recording, bodies: Mapping[str, str]) -> None:
    if not recording.forces:
        raise InputError(
            f"{_source(recording)} holds no forces: read the plates or an external-loads file with it, or solve "
            "without a recording"
        )
    names = [force.name for force in recording.forces]
    unknown = [name for name in bodies if name not in names]
    if unknown:
        raise InputError(
            f"bodies names the force {unknown[0]!r}, however {_source(recording)} has {names_hint(names)}"
        )


def _source(recording: Recording) -> str:
    return ", ".join(recording.files) or f"recording {recording.name!r}"


def _coverage(recording: Recording, sampled: list[Sampled], known: Mask, time: Array) -> list[str]:
    """Return notes on frames in which a force is not known.

    Raises:
        InputError: No frame has all of them.
    """
    for force, each in zip(recording.forces, sampled, strict=True):
        if not each.covered.any():
            raise InputError(
                f"force {force.name!r} of {_source(recording)} runs from {force.time[0]:g} to {force.time[-1]:g} s and "
                f"does not overlap the motion, {time[0]:g} to {time[-1]:g} s: are they of the same trial and clock?"
            )
        if not each.known.any():
            raise InputError(
                f"force {force.name!r} of {_source(recording)} holds no numbers from {time[0]:g} to {time[-1]:g} s"
            )
    if not known.any():
        raise InputError(
            f"in no frame of the motion, {time[0]:g} to {time[-1]:g} s, are all forces of {_source(recording)} known"
        )
    notes = []
    for force, each in zip(recording.forces, sampled, strict=True):
        outside, gaps = np.flatnonzero(~each.covered), np.flatnonzero(each.covered & ~each.known)
        if len(outside):
            notes.append(
                f"force {force.name!r} runs from {force.time[0]:g} to {force.time[-1]:g} s only: {len(outside)} of "
                f"{len(time)} frames ({_frames(outside)}) are outside and have no loads (NaN)"
            )
        if len(gaps):
            notes.append(
                f"force {force.name!r} was not measured in {len(gaps)} of {len(time)} frames ({_frames(gaps)}), which "
                "have no loads (NaN)"
            )
    return notes


def _frames(at: NDArray[np.intp]) -> str:
    runs = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1)
    told = [f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs[:3]]
    return ", ".join(told) + (", ..." if len(runs) > 3 else "")


def _targets(
    model: Model, state: State, force: ExternalForce, each: Sampled, bodies: Mapping[str, str]
) -> tuple[dict[str, Mask], list[str]]:
    """Return the links that carry a force, and in which frames; notes on loads that nobody carries."""
    link = named_link(model, force, bodies)
    everywhere = np.ones(len(state.time), dtype=bool)
    if link is not None:
        return {link: everywhere}, []
    if not each.acts.any():
        return {}, [
            f"force {force.name!r} names neither body nor side and never acts in this motion: left out"
        ]
    if force.force_in not in GROUND or force.point_in not in GROUND:
        raise InputError(
            f"force {force.name!r} is given in the axes of a body, but does not say on which it acts: name it with "
            f"bodies={{{force.name!r}: ...}}"
        )
    weight = model.mass * float(np.linalg.norm(model.gravity))
    found, notes = feet_under(model, state.q, state.time, force, each, weight)
    if found:
        notes.append(f"force {force.name!r} acts on {' and '.join(found)}, by where the feet are")
    return found, notes


def _poses(model: Model, q: Array, on: Iterable[Loaded], threads: int | None) -> dict[str, Array]:
    """Return the poses of all links that a force is on or is given in, shape (n, 4, 4) each."""
    names: dict[str, None] = {}
    for _, force, _, link, _ in on:
        for body in (force.force_in, force.point_in):
            if body not in GROUND and body not in model.link_names:
                raise InputError(
                    f"force {force.name!r} is given in the frame of {body!r}, however {model.name!r} has no such link; "
                    f"links are {names_hint(model.link_names)}"
                )
        names |= dict.fromkeys(name for name in (link, force.force_in, force.point_in) if name not in GROUND)
    if not names:
        return {}
    part = branch_of(model, names)
    T = poses(part.model, part.take(q), list(names), threads=threads)
    return dict(zip(names, np.moveaxis(T, 1, 0), strict=True))


def _in_world(
    force: ExternalForce, each: Sampled, mask: Mask, T: Mapping[str, Array]
) -> tuple[Array, Array, Array]:
    """Return force, point and moment about the point in world axes, no load outside the mask."""
    f, m, p = each.force * mask[:, None], each.moment * mask[:, None], each.point
    if force.force_in not in GROUND:
        R = T[force.force_in][:, :3, :3]
        f, m = np.einsum("nij,nj->ni", R, f), np.einsum("nij,nj->ni", R, m)
    if force.point_in not in GROUND:
        body = T[force.point_in]
        p = np.einsum("nij,nj->ni", body[:, :3, :3], p) + body[:, :3, 3]
    return f, p, m


def _new(name: str, taken: Mapping[str, object]) -> str:
    """Return a name that no other force has."""
    count, found = 1, name
    while found in taken:
        count += 1
        found = f"{name} ({count})"
    return found


def _judged(
    model: Model,
    state: State,
    force: ExternalForce,
    name: str,
    wrench: AppliedWrench,
    bodies: Mapping[str, str],
) -> list[str]:
    """Return a note if a load is far from the link that was named for it.

    Raises:
        InputError: It is far from the foot of its side, and nothing but the side was known.
    """
    rows = np.flatnonzero(
        np.isfinite(wrench.point).all(axis=1) & (np.nan_to_num(wrench.force) != 0.0).any(axis=1)
    )
    rows = rows[:: max(1, -(-len(rows) // ENOUGH))]
    size = np.linalg.norm(wrench.force[rows], axis=1)
    if not len(rows) or not size.sum() > 0.0:
        return []
    away = float(size @ distance_from(model, state.q[rows], wrench.link, wrench.point[rows]) / size.sum())
    if away <= FAR:
        return []
    told = f"force {name!r} acts {away:.2f} m away from {wrench.link!r} on average"
    if force.body is None and force.name not in bodies:
        raise InputError(
            f"{told}, so that it is on nobody's foot: check the axes and clocks of motion and recording, or name the "
            f"link with bodies={{{force.name!r}: ...}}"
        )
    return [f"{told}: is it that link's, and are the axes those of the motion?"]
