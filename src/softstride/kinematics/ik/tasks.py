"""From a recording and options to what the solver needs, or an error that says what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.labels import is_virtual
from softstride.capture.recording import Recording
from softstride.engine.pose_fit import Measured, PoseFit, pose_fit
from softstride.errors import InputError, Option
from softstride.kinematics.coordinates import Bounds, plain_coordinates
from softstride.kinematics.frames import frame_range
from softstride.kinematics.ik.options import IkOptions
from softstride.model import Frame, Free, Model, Point, Spherical
from softstride.notes import Note, Notes
from softstride.spatial.quaternion import quat_to_matrix

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

NOISE = 1e-3
"""Noise of markers [m] against which artefacts are weighed where none is given."""


@dataclass(frozen=True, eq=False)
class Task:
    """An inverse kinematics, ready to be solved.

    Attributes:
        model: The model.
        options: As given.
        time: Instants [s], shape (n,).
        names: Markers used, m of them.
        measured: Their positions and weights, and measured orientations.
        turned: Names of the frames with measured orientation.
        lower: Least values of coordinates, shape (nq,).
        upper: Largest values.
        locked: Coordinates that do not move, shape (nv,).
        goals: Weight [1/rad²], [1/m²] and value [rad], [m] of coordinates, a number or one for each frame.
        clearest: A frame that shows much and nothing out of proportion, where the first pose is sought.
        home: The posture that priors draw to; locked coordinates stay as they are in it, shape (nq,).
        notes: What was left out, and why.
    """

    model: Model
    options: IkOptions
    time: Array
    names: tuple[str, ...]
    measured: Measured
    turned: tuple[str, ...]
    lower: Array
    upper: Array
    locked: Mask
    goals: Mapping[str, tuple[float, float | Array]]
    home: Array
    notes: tuple[Note, ...]
    clearest: int = 0

    @cached_property
    def fit(self) -> PoseFit:
        """The model with its markers, as the engine fits it."""
        frames = [self.model.place(name) for name in self.turned]
        return pose_fit(self.model, self.points, frames)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The markers used, on the model."""
        return tuple(self.model.markers[name] for name in self.names)

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.time)

    def seen(self, frames: slice | NDArray[np.intp] = slice(None)) -> Mask:
        """Return which markers were seen, shape (n, m)."""
        values = self.measured.seen[frames][:, self.measured.columns]
        return np.asarray(np.isfinite(values).all(axis=2))

    @cached_property
    def weight_seen(self) -> Array:
        """Weight of all that was measured in each frame, shape (n,), block by block to save memory."""
        total = np.zeros(self.n_frames)
        for block in blocks(self.n_frames):
            total[block] = (self.seen(block) * self.measured.weights).sum(axis=1)
            if self.turned:
                there = np.isfinite(self.measured.turned[block]).all(axis=(2, 3))
                total[block] += (there * self.measured.turn_weights).sum(axis=1)
        return total


def blocks(n: int, size: int = 4096) -> list[slice]:
    """Cut n frames into blocks."""
    return [slice(a, min(a + size, n)) for a in range(0, n, size)]


def make_task(model: Model, recording: Recording, options: IkOptions) -> Task:
    """Match model, recording and options.

    Raises:
        InputError: Nothing in common, unknown names, arrays of the wrong shape.
    """
    points = recording.markers
    notes = Notes()
    span = frame_range(points.time, options.time_range)
    if span.stop <= span.start:
        raise InputError(f"the recording {recording.name!r} has no frames of markers")
    weights = _weights(model, recording, options, notes)
    seen = np.ascontiguousarray(points.values[span], dtype=np.float64)
    weights = _ever_seen(weights, points.labels, seen, notes)
    names = tuple(weights)
    turned = _turned(model, options, len(points.time), span)
    if not names and not turned:
        raise InputError(_nothing_in_common(model, recording, options))
    artefact = options.artefact if isinstance(options.artefact, Mapping) else {}
    strange = [name for name in artefact if name not in names]
    if strange:
        raise InputError(f"artefact of {strange[0]!r}: no marker that is used; those are: {', '.join(names)}")
    columns = np.array([points.index(name) for name in names], dtype=np.int64)
    measured = Measured(
        seen,
        columns,
        _less_by_artefact(np.array(list(weights.values())), names, options),
        np.stack(list(turned.values()), axis=1) if turned else np.zeros((1, 0, 3, 3)),
        np.full(len(turned), options.orientation_weight),
    )
    bounds = Bounds(model)
    unlimited = np.full(model.nq, np.inf)
    locked, home = _locked(model, options, bounds)
    goals = _goals(model, options, len(points.time), span)
    idle = [name for name in goals if locked[plain_coordinates(model).v[name]]]
    if idle:
        _left_out(notes, "ik.goals-of-locked-coordinates", "goals of locked coordinates do nothing", idle)
    return Task(
        model,
        options,
        np.array(points.time[span]),
        names,
        measured,
        tuple(turned),
        bounds.lower if options.limits else -unlimited,
        bounds.upper if options.limits else unlimited,
        locked,
        {name: goal for name, goal in goals.items() if name not in idle},
        home,
        tuple(notes),
    )


def _weights(model: Model, recording: Recording, options: IkOptions, notes: Notes) -> dict[str, float]:
    """Return the markers to use and their weights, and note those that are left out."""
    labels = recording.markers.labels
    if options.weights is None:
        names = [name for name in model.markers if name in labels and not is_virtual(name)]
        weights = dict.fromkeys(names, 1.0)
        absent = [name for name in model.markers if name not in labels]
        if absent and weights:
            what = "markers of the model that the recording does not have"
            _left_out(notes, "ik.markers-not-recorded", what, absent)
    else:
        known = {name: w for name, w in options.weights.items() if name in model.markers}
        strange = [name for name in options.weights if name not in model.markers]
        absent = [name for name in known if name not in labels]
        weights = {name: w for name, w in known.items() if name in labels and w > 0.0}
        if strange:
            what = "weights of markers that the model does not have"
            _left_out(notes, "ik.weights-without-marker", what, strange)
        if absent:
            what = "weighted markers that the recording does not have"
            _left_out(notes, "ik.weighted-markers-not-recorded", what, absent)
    unused = [label for label in labels if label not in weights]
    if unused and weights:
        _left_out(notes, "ik.labels-not-used", "labels of the recording that were not used", unused)
    return weights


def _left_out(notes: Notes, code: str, what: str, names: list[str]) -> None:
    notes.add(code, f"{what}: {', '.join(names)}", topic="markers", names=names)


def _ever_seen(
    weights: dict[str, float], labels: tuple[str, ...], seen: Array, notes: Notes
) -> dict[str, float]:
    """Return the markers that are seen in some frame, and note the others."""
    columns = [labels.index(name) for name in weights]
    ever = np.zeros(len(columns), dtype=bool)
    for block in blocks(len(seen)):
        ever |= np.isfinite(seen[block][:, columns]).all(axis=2).any(axis=0)
    never = [name for name, yes in zip(weights, ever, strict=True) if not yes]
    if never and ever.any():
        _left_out(notes, "ik.markers-never-seen", "markers that are never seen", never)
    return {name: w for name, w in weights.items() if name not in never} if ever.any() else weights


def _less_by_artefact(weights: Array, names: tuple[str, ...], options: IkOptions) -> Array:
    """Return weights by inverse variance, w / (1 + w artefact² / noise²), their mean unchanged."""
    if not isinstance(options.artefact, Mapping):
        return weights
    artefact = np.array([options.artefact.get(name, 0.0) for name in names])
    noise = NOISE if not options.noise else options.noise
    less = weights / (1.0 + weights * (artefact / noise) ** 2)
    return np.asarray(less * np.mean(weights) / np.mean(less))


def _nothing_in_common(model: Model, recording: Recording, options: IkOptions) -> str:
    labels, markers = recording.markers.labels, tuple(model.markers)
    alike = {marker.casefold(): marker for marker in markers}
    bare = {label: label.split(":")[-1].casefold() for label in labels}
    hint = "Rename the markers of the recording or of the model."
    if found := [
        (label, alike[name]) for label, name in bare.items() if name in alike and label != alike[name]
    ]:
        hint = f"Labels are compared letter by letter: {found[0][0]!r} is not {found[0][1]!r}; rename them."
    if options.weights is not None and any(name in labels for name in markers):
        hint = f"The weights given are of {', '.join(options.weights) or 'nothing'}: none that both have."
    return (
        f"the recording {recording.name!r} shows none of the markers of {model.name!r}. It has: "
        f"{', '.join(labels) or 'none'}; the model has: {', '.join(markers) or 'none'}. {hint}"
    )


def _turned(model: Model, options: IkOptions, n: int, span: slice) -> dict[str, Array]:
    """Return the measured orientations as matrices."""
    return {name: _rotations(name, values, n, model)[span] for name, values in options.orientations.items()}


def _rotations(name: str, values: ArrayLike, n: int, model: Model) -> Array:
    place = model.place(name)
    if not isinstance(place, Frame):
        raise InputError(f"orientations are measured on links and frames, however {name!r} is a marker")
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"orientations of {name!r} must be numbers") from None
    if array.shape == (n, 4):
        with np.errstate(invalid="ignore", divide="ignore"):
            array = array / np.linalg.norm(array, axis=1, keepdims=True)
        there = np.isfinite(array).all(axis=1)
        if np.any(np.isfinite(np.array(values, dtype=np.float64)).all(axis=1) & ~there):
            raise InputError(
                f"orientations of {name!r} have a quaternion of length zero; use NaN where not measured"
            )
        R = np.full((n, 3, 3), np.nan)
        R[there] = quat_to_matrix(array[there])
        return R
    if array.shape != (n, 3, 3):
        raise InputError(
            f"orientations of {name!r} must be quaternions of shape ({n}, 4) or matrices of shape ({n}, 3, 3), one "
            f"for each frame of the markers, however their shape is {array.shape}"
        )
    off = np.abs(np.einsum("fki,fkj->fij", array, array) - np.eye(3)).max(axis=(1, 2))
    mirrored = np.linalg.det(np.where(np.isfinite(array), array, 0.0)) < 0.0
    if np.any(off > 1e-6) or mirrored.any():
        frame = int(np.argmax(np.where(np.isfinite(off), off + mirrored, -1.0)))
        raise InputError(f"orientation of {name!r} in frame {frame} is no rotation matrix")
    return array


def _locked(model: Model, options: IkOptions, bounds: Bounds) -> tuple[Mask, Array]:
    """Return which coordinates do not move, and the posture that they have."""
    unknown = [name for name in options.locked if name not in model.coordinates]
    if unknown:
        option = Option("locked")
        raise InputError(
            f"{option}: {unknown[0]!r} is no coordinate; known: {', '.join(model.coordinates)}",
            parameter="locked",
            names=unknown,
            known=model.coordinates,
            options=[option],
        )
    names = list(model.coordinates)
    locked: Mask = bounds.locked.copy()
    locked[[names.index(name) for name in options.locked]] = True
    for link in model.links:  # the three angles of a ball joint have no meaning one by one
        own = list(model.v_indices(link.name))
        if isinstance(link.joint, Spherical | Free):
            angles = own[:3]
            locked[angles] = locked[angles].any()
    home = model.neutral()
    if options.start is not None:
        start = np.array(options.start, dtype=np.float64)
        if start.shape != (model.nq,) or not np.isfinite(start).all():
            raise InputError(f"start must be {model.nq} finite numbers, however its shape is {start.shape}")
        plain = plain_coordinates(model)
        for name in options.locked:
            if name in plain.q:
                home[plain.q[name]] = start[plain.q[name]]
    return locked, home


def _goals(model: Model, options: IkOptions, n: int, span: slice) -> dict[str, tuple[float, float | Array]]:
    """Return weight and value of each goal within the frames that are solved."""
    plain = plain_coordinates(model)
    out: dict[str, tuple[float, float | Array]] = {}
    for name, goal in options.goals.items():
        if name not in plain.q:
            raise InputError(
                f"goal of {name!r}: no coordinate that can be given a value; known: {', '.join(plain.q)}"
            )
        value: float | Array = model.coordinates[name].default if goal.value is None else goal.value
        if isinstance(value, np.ndarray):
            if len(value) != n:
                raise InputError(
                    f"goal of {name!r} must have one value for each of {n} frames, not {len(value)}"
                )
            value = value[span]
            if not np.isfinite(value).all():
                raise InputError(
                    f"goal of {name!r} must be finite in the frames that are solved, however it is not in frame "
                    f"{span.start + int(np.flatnonzero(~np.isfinite(value))[0])}"
                )
        out[name] = (goal.weight, value)
    return out
