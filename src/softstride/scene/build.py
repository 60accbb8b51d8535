"""From a motion and what was found from it to a `Scene`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.loads import Loads
from softstride.engine.balance import centre_of_mass
from softstride.engine.kinematics import poses, positions
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.muscles.paths.line import path_lines
from softstride.muscles.sharing.forces import MuscleForces
from softstride.naming import side_of
from softstride.scene.floor import floor_height
from softstride.scene.parts import Arrow, Markers, Muscles, Patch
from softstride.scene.ribbons import ribbons
from softstride.scene.scene import Scene, frames_at_rate
from softstride.scene.skeleton import shapes
from softstride.spatial.quaternion import matrix_to_quat

if TYPE_CHECKING:
    from softstride.study.study import Study

Floats = NDArray[np.float64]

ARC_POINTS = 3
"""Points of a muscle on each surface that it wraps."""


def build_scene(
    model: Model,
    motion: Motion,
    *,
    recording: Recording | None = None,
    loads: Loads | None = None,
    measured: Loads | None = None,
    forces: MuscleForces | None = None,
    name: str = "",
    rate: float | None = None,
    muscles: bool = True,
    threads: int | None = None,
) -> Scene:
    """Return what there is to see of a motion.

    Args:
        model: The model.
        motion: Its motion.
        recording: For markers that were seen, plates and events; where `measured` is not given, also for forces.
        loads: Loads that were estimated, or the only ones there are; their ground reaction is drawn.
        measured: Loads under measured forces.
        forces: For the activity of muscles.
        name: Of the trial; that of the recording or of the model unless given.
        rate: Frames a second, at most [Hz]; all frames unless given.
        muscles: Whether muscles are wanted at all; their lines take most of the time.
        threads: How many threads may be used.

    Raises:
        InputError: A motion of another model, or loads at other times.
    """
    if motion.model.coordinate_names != model.coordinate_names:
        raise InputError(f"the motion is of {motion.model.name!r}, however the model is {model.name!r}")
    chosen = np.arange(motion.n_frames) if rate is None else frames_at_rate(motion.time, rate)
    time, q = motion.time[chosen], motion.q[chosen]
    solids = shapes(model)
    links = tuple(dict.fromkeys(shape.link for shape in solids))
    estimated = loads if loads is not None and loads.ground is not None else None
    plates = measured if measured is not None or estimated is not None else loads
    arrows = [] if estimated is None else _arrows(estimated, time, "estimated")
    if plates is not None and plates is not estimated:
        arrows += _arrows(plates, time, "measured")
    elif recording is not None:
        arrows += _from_plates(recording, time)
    doubts = next((each for each in (estimated, plates) if each is not None), None)
    moved, rods = _poses(model, q, links, threads), ribbons(model, q, threads)
    return Scene(
        name=name or (recording.name if recording is not None else model.name),
        time=time,
        links=links,
        poses=moved,
        shapes=solids,
        base=centre_of_mass(model, q),
        ribbons=rods,
        markers=_markers(model, q, recording, time, threads),
        arrows=tuple(arrows),
        muscles=_muscles(model, q, forces, time, threads) if muscles and model.muscles else None,
        plates=() if recording is None else tuple(Patch(p.name, p.corners) for p in recording.plates),
        floor=floor_height(estimated, recording, links, moved, solids, rods),
        weight=model.mass * float(np.linalg.norm(model.gravity)),
        events=motion.events or (() if recording is None else recording.events),
        doubtful=None if doubts is None else _sampled(doubts.doubtful.astype(float), doubts.time, time) > 0.5,
    )


def study_scene(study: Study, **options: Any) -> Scene:
    """Return what there is to see of a study; options as those of `build_scene`."""
    return build_scene(
        study.model,
        study.motion,
        recording=study.recording,
        loads=study.estimated,
        measured=study.measured,
        forces=study.forces,
        name=study.name,
        **options,
    )


def _poses(model: Model, q: Floats, links: tuple[str, ...], threads: int | None) -> Floats:
    if not links:
        return np.zeros((len(q), 0, 7))
    T = poses(model, q, list(links), threads=threads)
    quaternion = matrix_to_quat(T[..., :3, :3])
    turns = np.einsum("fli,fli->fl", quaternion[1:], quaternion[:-1]) < 0.0
    sign = np.where(np.cumsum(turns, axis=0) % 2, -1.0, 1.0)
    quaternion[1:] *= sign[..., None]
    return np.concatenate([T[..., :3, 3], quaternion], axis=2)


def _markers(
    model: Model, q: Floats, recording: Recording | None, time: Floats, threads: int | None
) -> Markers | None:
    if not model.markers:
        return None
    seen = recording.markers if recording is not None and recording.markers else None
    names = tuple(name for name in model.markers if seen is None or name in seen)
    if not names:
        return None
    at = positions(model, q, [model.markers[name] for name in names], threads=threads)
    if seen is None:
        return Markers(names, at, np.full_like(at, np.nan))
    return Markers(names, at, _sampled(seen.select(names).values, seen.time, time))


def _arrows(loads: Loads, time: Floats, source: str) -> list[Arrow]:
    return [
        Arrow(
            name,
            source,
            side_of(wrench.link) or "",
            _sampled(wrench.point, loads.time, time),
            _sampled(wrench.force, loads.time, time),
        )
        for name, wrench in loads.wrenches.items()
    ]


def _from_plates(recording: Recording, time: Floats) -> list[Arrow]:
    return [
        Arrow(
            force.name,
            "measured",
            force.side or "",
            _sampled(force.point, force.time, time),
            _sampled(force.force, force.time, time),
        )
        for force in recording.forces
        if force.force_in == force.point_in == "ground"
    ]


def _muscles(
    model: Model, q: Floats, forces: MuscleForces | None, time: Floats, threads: int | None
) -> Muscles:
    names = tuple(model.muscles)
    pieces = [
        [points.astype(np.float32) for points, _ in piece]
        for piece in path_lines(model, q, names, ARC_POINTS, threads)
    ]
    longest = [max(own.shape[1] for own in muscle) for muscle in zip(*pieces, strict=True)]
    first = np.cumsum([0, *longest])
    points = np.empty((len(q), first[-1], 3), dtype=np.float32)
    at = 0
    for piece in pieces:
        for own, begin, n in zip(piece, first.tolist(), longest, strict=False):
            frames = slice(at, at + len(own))
            points[frames, begin : begin + own.shape[1]] = own
            points[frames, begin + own.shape[1] : begin + n] = own[:, -1:]
        at += len(piece[0])
    activity = np.full((len(q), len(names)), np.nan)
    if forces is not None:
        known = [(i, forces.names.index(name)) for i, name in enumerate(names) if name in forces.names]
        if known:
            into, of = (list(each) for each in zip(*known, strict=True))
            activity[:, into] = _sampled(forces.activation, forces.time, time)[:, of]
    return Muscles(names, points, first, activity)


def _sampled(values: Floats, own: Floats, time: Floats) -> Floats:
    """Return the sample nearest to each instant; NaN where none lies within half a step of either clock."""
    out = np.full((len(time), *values.shape[1:]), np.nan)
    if not len(own):
        return out
    after = np.clip(np.searchsorted(own, time), 1, max(len(own) - 1, 1))
    before = np.maximum(after - 1, 0)
    after = np.minimum(after, len(own) - 1)
    nearest = np.where(np.abs(time - own[before]) <= np.abs(own[after] - time), before, after)
    steps = [float(np.median(np.diff(each))) for each in (own, time) if len(each) > 1]
    near = np.abs(own[nearest] - time) <= 0.5 * max(steps, default=0.0) + 1e-9
    out[near] = values[nearest[near]]
    return out
