"""What an inverse kinematics is told to do."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError, Option
from softstride.frozen import Table

Array = NDArray[np.float64]

POSTURE = 1e-3
"""Default posture prior on coordinates that the markers do not determine [m²/rad²]."""

ELASTIC = 5e-8
"""Default weight of twice the elastic energy of rods [m²/J]: 10 J count like a millimetre of one marker."""


@dataclass(frozen=True, eq=False)
class Goal:
    """A value that a coordinate should have.

    Attributes:
        weight: Of its squared error [1/rad²], [1/m²], against the weighted mean of squared marker errors [1/m²].
        value: Its value [rad], [m], a number or one for each frame; None: the coordinate's default.
    """

    weight: float = 1.0
    value: float | Array | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        weight = _number(self.weight, "weight of a goal")
        if self.value is not None:
            kind = "a number or one for each frame"
            value = _array(self.value, "value of a goal", kind)
            if value.ndim > 1:
                raise InputError(f"value of a goal must be {kind}, however its shape is {value.shape}")
            if value.ndim == 0 and not np.isfinite(value):
                raise InputError(f"value of a goal must be finite, however it is {float(value):g}")
            value.setflags(write=False)
            object.__setattr__(self, "value", float(value) if value.ndim == 0 else value)
        object.__setattr__(self, "weight", weight)


@dataclass(frozen=True, eq=False)
class IkOptions:
    """How to find a motion from markers.

    Attributes:
        weights: Weight of each marker; only those named here are used. None: all that model and recording share.
        goals: Values that coordinates should have, as OpenSim's coordinate tasks.
        locked: Coordinates held at their default (or at their value in `start`), beside those the model locks.
        orientations: Measured orientations of links or frames by name (inertial sensors), the axes of the frame in
            the world: matrices (n_frames, 3, 3) or quaternions, scalar last, (n_frames, 4); NaN where not measured.
        orientation_weight: Weight of their squared angles [m²/rad²] against a marker of weight 1.
        prior: Weight of the squared distance from the default posture [m²/rad²], [m²/m²]. None: `POSTURE` on
            coordinates that the markers do not determine and none on the others. One below `POSTURE` is reached in
            steps, each starting from the last.
        elastic: Weight of twice the elastic energy of rods [m²/J]. None: `ELASTIC`, and less in proportion where
            `prior` is below `POSTURE`: none at 0.
        limits: Whether clamped coordinates stay within their range.
        time_range: First and last instant to solve [s]; None: the whole recording.
        cutoff: Couples the frames in time: the motion is a smoothing spline that halves a sine of this frequency [Hz].
        huber: Distance from which a marker counts linearly instead of squared [m]; None: always squared.
        noise: Standard deviation of each coordinate of a marker of weight 1 [m]; None: estimated from the residuals.
        artefact: Standard deviation of soft-tissue artefact [m], for all markers or by name; widens `Motion.std`, and
            a marker that has more of it than others counts less.
        mend_swaps: Whether labels found to be exchanged change places; they are reported in any case.
        start: First pose, shape (nq,); None: found from many.
        tolerance: Share of the objective that may be left to gain when a frame ends.
        max_iterations: Most steps in one frame.
    """

    weights: Mapping[str, float] | None = None
    goals: Mapping[str, Goal] = field(default_factory=Table)
    locked: tuple[str, ...] = ()
    orientations: Mapping[str, ArrayLike] = field(default_factory=Table)
    orientation_weight: float = 0.01
    prior: float | None = None
    elastic: float | None = None
    limits: bool = True
    time_range: tuple[float, float] | None = None
    cutoff: float | None = None
    huber: float | None = None
    noise: float | None = None
    artefact: float | Mapping[str, float] = 0.0
    mend_swaps: bool = False
    start: ArrayLike | None = None
    tolerance: float = 1e-10
    max_iterations: int = 500

    def __post_init__(self) -> None:
        """Check what can be checked without a model."""
        put: dict[str, Any] = {"locked": _names(self.locked)}
        if self.weights is not None:
            weights = _mapping(self.weights, "weights", "marker names to weights")
            put["weights"] = Table({k: _number(w, f"weight of marker {k!r}") for k, w in weights.items()})
        goals = _mapping(self.goals, "goals", "coordinate names to Goals")
        for name, goal in goals.items():
            if not isinstance(goal, Goal):
                raise InputError(f"goal of {name!r} must be a Goal, however it is {goal!r}")
        put["goals"] = Table(goals)
        put["orientations"] = Table(
            _mapping(self.orientations, "orientations", "names of links or frames to their orientations")
        )
        put["orientation_weight"] = _number(self.orientation_weight, "orientation_weight")
        for name in ("prior", "noise", "elastic"):
            put[name] = None if getattr(self, name) is None else _number(getattr(self, name), name)
        for name in ("cutoff", "huber", "tolerance"):
            value = getattr(self, name)
            put[name] = None if value is None and name != "tolerance" else _number(value, name, positive=True)
        if isinstance(self.artefact, Mapping):
            artefact = _mapping(self.artefact, "artefact", "marker names to numbers")
            put["artefact"] = Table({k: _number(x, f"artefact of marker {k!r}") for k, x in artefact.items()})
        else:
            put["artefact"] = _number(self.artefact, "artefact (of all markers, or a mapping)")
        if self.time_range is not None:
            put["time_range"] = _range(self.time_range)
        if self.start is not None:
            put["start"] = _start(self.start)
        for name in ("limits", "mend_swaps"):
            put[name] = _switch(getattr(self, name), name)
        put["max_iterations"] = _count(self.max_iterations, "max_iterations", 100_000)
        for name, value in put.items():
            object.__setattr__(self, name, value)

    def changed(self, **changes: Any) -> IkOptions:
        """Return options with some fields changed; an unknown field is an error that lists the known ones."""
        known = [each.name for each in fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise InputError(f"{unknown[0]!r} is no option of inverse kinematics; known: {', '.join(known)}")
        return replace(self, **changes)


def _number(value: object, what: str, *, positive: bool = False, signed: bool = False) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a number, however it is {value!r}") from None
    if not math.isfinite(number) or (not signed and number < 0.0) or (positive and number == 0.0):
        kind = "finite" if signed else "a number above 0" if positive else "a number of 0 or above"
        raise InputError(f"{what} must be {kind}, however it is {number:g}")
    return number


def _array(values: object, what: str, kind: str) -> Array:
    """Return a copy as float64."""
    try:
        given = np.asarray(values)
        if not np.iscomplexobj(given):
            return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise InputError(f"{what} must be {kind}, however it is {_short(values)}")


def _mapping(given: object, what: str, kind: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(f"{what} must be a mapping from {kind}, however it is {_short(given)}")
    for name in given:
        if not isinstance(name, str):
            raise InputError(f"{what} must be a mapping from {kind}, however one of its names is {name!r}")
    return given


def _names(names: object) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InputError(f"locked must be a list of names, however it is the one text {names!r}")
    if not isinstance(names, Iterable):
        raise InputError(f"locked must be a list of names of coordinates, however it is {_short(names)}")
    found = tuple(names)
    for name in found:
        if not isinstance(name, str):
            raise InputError(
                f"locked must be a list of names of coordinates, however one of them is {name!r}"
            )
    return found


def _range(given: object) -> tuple[float, float]:
    option = Option("time_range")
    wanted = f"{option} must be a start and an end [s]"
    facts: dict[str, Any] = {"parameter": "time_range", "value": given, "options": [option]}
    ends = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if len(ends) != 2:
        raise InputError(f"{wanted}, however it is {_short(given)}", **facts)
    first, last = (
        _number(x, f"{each} of time_range [s]", signed=True)
        for x, each in zip(ends, ("start", "end"), strict=True)
    )
    if first > last:
        raise InputError(f"{wanted}, however it is {first:g} to {last:g}", **facts)
    return first, last


def _start(given: object) -> Array:
    kind = "a pose, finite numbers of shape (nq,)"
    start = _array(given, "start", kind)
    if start.ndim != 1:
        raise InputError(f"start must be {kind}, however its shape is {start.shape}")
    if not np.isfinite(start).all():
        place = int(np.argmin(np.isfinite(start)))
        raise InputError(f"start must be {kind}, however number {place} is {start[place]:g}")
    start.setflags(write=False)
    return start


def _switch(given: object, what: str) -> bool:
    if not isinstance(given, bool | np.bool_):
        raise InputError(f"{what} must be True or False, however it is {_short(given)}")
    return bool(given)


def _count(given: Any, what: str, most: int) -> int:
    try:
        count = 0 if isinstance(given, bool) else operator.index(given)
    except TypeError:
        count = 0
    if not 1 <= count <= most:
        raise InputError(f"{what} must be a whole number from 1 to {most}, however it is {_short(given)}")
    return count


def _short(value: object, most: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]} ..."
