"""From the forces of a recording to wrenches on links, at the frames of a motion, in world axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce
from softstride.capture.recording import Recording
from softstride.dynamics.branch import branch_of
from softstride.dynamics.feet import feet_under, named_link
from softstride.dynamics.loads import AppliedWrench
from softstride.dynamics.prepare import State
from softstride.dynamics.resample import Clock, Sampled, at_frames
from softstride.dynamics.rod_loads import load_table
from softstride.engine.kinematics import poses
from softstride.engine.places import PlaceLike
from softstride.errors import InputError, Option
from softstride.fields import refuse_unknown
from softstride.model.checks import names_hint
from softstride.model.model import Model
from softstride.notes import Note
from softstride.results import owned

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Loaded = tuple[str, ExternalForce, Sampled, str, Mask | None]
"""Name of the wrench, the force, the same at the frames, the link that it acts on, and in which frames (None: all)."""

GROUND = ("ground", "world")


@dataclass(frozen=True, eq=False)
class AppliedForces:
    """Forces of a recording on the links of a model.

    Attributes:
        wrenches: By the name of the force; one that both feet carry in turn is there twice, as "plate 1 calcn_r".
        places: Links or sections of rods that are loaded, one of them perhaps more than once.
        loads: Of each place nine columns in world axes, as the engine takes them: moment about a point, force, and that
            point; shape (n, 9 k); zero where not known.
        known: Frames in which all forces are known, shape (n,).
        notes: What was decided.
        sources: The force that each wrench is of, by the name of the wrench.
    """

    wrenches: Mapping[str, AppliedWrench]
    places: tuple[PlaceLike, ...]
    loads: Array
    known: Mask
    notes: tuple[Note, ...] = ()
    sources: Mapping[str, ExternalForce] = field(default_factory=dict)


def apply_forces(
    model: Model,
    state: State,
    recording: Recording,
    bodies: Mapping[str, str] | None = None,
    told: Iterable[Note] = (),
    *,
    threads: int | None = None,
) -> AppliedForces:
    """Put the forces of a recording on the links of a model.

    Args:
        model: The model.
        state: Its motion.
        recording: Whose `forces` act: of plates or of an external-loads file, in the axes that these name.
        bodies: Links by the name of the force, in place of what the recording says.
        told: Notes on what was decided before.
        threads: How many threads may be used.

    Raises:
        InputError: The recording has no forces, none at the time of the motion, or one on a link that the model does
            not have, on nobody's foot, or without a point.
    """
    chosen = dict(bodies or {})
    _check_names(recording, chosen)
    n, forces = len(state.time), recording.forces
    clocks: list[Clock] = []
    table = np.empty((n, 9 * len(forces)))
    sampled = [at_frames(force, state.time, clocks, table, 9 * i) for i, force in enumerate(forces)]
    known = np.asarray(np.logical_and.reduce([each.known for each in sampled]))
    notes = [*told, *_coverage(recording, sampled, known, state.time)]
    on: list[Loaded] = []
    for force, each in zip(recording.forces, sampled, strict=True):
        targets, said = _targets(model, state, force, each, chosen)
        notes += said
        for link, mask in targets.items():
            name = f"{force.name} {link}" if len(targets) > 1 else force.name
            on.append((name, force, each, link, mask))
    T = _poses(model, state.q, on, threads)
    wrenches: dict[str, AppliedWrench] = {}
    sources: dict[str, ExternalForce] = {}
    moved = len(on) != len(forces)  # or else the table of the samples is that of the loads
    for given, force, each, link, mask in on:
        f, p, m = _in_world(force, each, mask, T)
        name = _new(given, wrenches)
        there = each.acting_point if p is each.point and mask is None else _acting(p, each, mask)
        unknown = None if each.complete else ~each.known[:, None]
        wrenches[name] = AppliedWrench(
            link, *(owned(x) for x in (_or_nan(f, unknown), there, _or_nan(m, unknown)))
        )
        moved = moved or model.link(link).soft or f is not each.force or p is not each.point
        sources[name] = force
    places: tuple[PlaceLike, ...] = tuple(link for _, _, _, link, _ in on)
    if moved:
        places, table = load_table(model, state.q, wrenches.values(), threads)
    return AppliedForces(wrenches, places, table, known, tuple(notes), sources)


def _acting(p: Array, each: Sampled, mask: Mask | None) -> Array:
    """Return points, NaN where nothing acts on this link."""
    acts = each.acts if mask is None else each.acts & mask
    return np.asarray(np.where(acts[:, None], p, np.nan))


def _or_nan(x: Array, unknown: Mask | None) -> Array:
    return x if unknown is None else np.asarray(np.where(unknown, np.nan, x))


def _check_names(recording: Recording, bodies: Mapping[str, str]) -> None:
    if not recording.forces:
        raise InputError(
            f"{_source(recording)} holds no forces: read the plates or an external-loads file with it, or solve "
            "without a recording"
        )
    names = [force.name for force in recording.forces]
    refuse_unknown("bodies", "the force", bodies, names, there=f"{_source(recording)} has")


def _source(recording: Recording) -> str:
    return ", ".join(recording.files) or f"recording {recording.name!r}"


def _coverage(recording: Recording, sampled: list[Sampled], known: Mask, time: Array) -> list[Note]:
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
        if each.complete:
            continue
        outside, gaps = np.flatnonzero(~each.covered), np.flatnonzero(each.covered & ~each.known)
        if len(outside):
            told = (
                f"force {force.name!r} runs from {force.time[0]:g} to {force.time[-1]:g} s only: {len(outside)} of "
                f"{len(time)} frames ({_frames(outside)}) are outside and have no loads (NaN)"
            )
            notes.append(_unknown("forces.frames-outside", told, force, outside, time))
        if len(gaps):
            told = (
                f"force {force.name!r} was not measured in {len(gaps)} of {len(time)} frames ({_frames(gaps)}), which "
                "have no loads (NaN)"
            )
            notes.append(_unknown("forces.not-measured", told, force, gaps, time))
    return notes


def _unknown(code: str, text: str, force: ExternalForce, at: NDArray[np.intp], time: Array) -> Note:
    return Note(
        code,
        text,
        severity="warning",
        topic="forces",
        names=(force.name,),
        span=(time[at[0]], time[at[-1]]),
        values={"frames": len(at)},
    )


def _frames(at: NDArray[np.intp]) -> str:
    runs = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1)
    told = [f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs[:3]]
    return ", ".join(told) + (", ..." if len(runs) > 3 else "")


def _targets(
    model: Model, state: State, force: ExternalForce, each: Sampled, bodies: Mapping[str, str]
) -> tuple[Mapping[str, Mask | None], list[Note]]:
    """Return the links that carry a force, and in which frames (None: all); notes on loads that nobody carries."""
    link = named_link(model, force, bodies)
    if link is not None:
        return {link: None}, []
    if not each.acts.any():
        told = f"force {force.name!r} names neither body nor side and never acts in this motion: left out"
        return {}, [Note("forces.never-acts", told, topic="forces", names=(force.name,))]
    if force.force_in not in GROUND or force.point_in not in GROUND:
        option = Option("bodies", {force.name: ...})
        raise InputError(
            f"force {force.name!r} is given in the axes of a body, but does not say on which it acts: name it with "
            f"{option}",
            parameter="bodies",
            names=[force.name],
            options=[option],
        )
    weight = model.mass * float(np.linalg.norm(model.gravity))
    found, notes = feet_under(model, state.q, state.time, force, each, weight)
    if found:
        told = f"force {force.name!r} acts on {' and '.join(found)}, by where the feet are"
        notes.append(Note("forces.on-foot-above", told, topic="forces", names=(force.name, *found)))
    return found, notes


def _poses(model: Model, q: Array, on: Iterable[Loaded], threads: int | None) -> dict[str, Array]:
    """Return the poses of all links that a force is given in, shape (n, 4, 4) each."""
    names: dict[str, None] = {}
    for _, force, _, _, _ in on:
        for body in (force.force_in, force.point_in):
            if body not in GROUND and body not in model.link_names:
                raise InputError(
                    f"force {force.name!r} is given in the frame of {body!r}, however {model.name!r} has no such link; "
                    f"links are {names_hint(model.link_names)}"
                )
        names |= dict.fromkeys(name for name in (force.force_in, force.point_in) if name not in GROUND)
    if not names:
        return {}
    part = branch_of(model, names)
    T = poses(part.model, part.take(q), list(names), threads=threads)
    return dict(zip(names, np.moveaxis(T, 1, 0), strict=True))


def _in_world(
    force: ExternalForce, each: Sampled, mask: Mask | None, T: Mapping[str, Array]
) -> tuple[Array, Array, Array]:
    """Return force, point and moment about the point in world axes, no load outside the mask."""
    f, m, p = each.force, each.moment, each.point
    if mask is not None:
        f, m = f * mask[:, None], m * mask[:, None]
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
