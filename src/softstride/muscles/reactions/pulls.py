"""Given forces at the frames of a motion, as wrenches on links: muscles along their paths, actuators on links.

A generalized force on a coordinate is no wrench on a link: it acts inside the joint, like all that a joint transmits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.prepare import State
from softstride.engine.kinematics import poses
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.kinematics.frames import spans
from softstride.model.actuator import Actuator, CoordinateActuator, PointActuator
from softstride.model.checks import names_hint
from softstride.model.link import WORLD
from softstride.model.model import Model
from softstride.muscles.paths.wrenches import muscle_pulls
from softstride.notes import Note, Notes
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SAME = 1e-9
"""Instants that differ by less [s], and relative to the largest time, are the same one."""

PUSH = 1e-3
"""Share of its greatest isometric force that a muscle may push with: what an optimiser leaves of a bound at zero."""

NAMED = 8
"""Names that a note lists before it only counts."""


class ForcesOverTime(Protocol):
    """What `solve_muscles` returns and force files hold."""

    @property
    def names(self) -> Sequence[str]:
        """Names of muscles and actuators."""

    @property
    def time(self) -> Array:
        """Instants [s], shape (n,)."""

    @property
    def force(self) -> Array:
        """Tension of each [N]; of actuators a force [N] or a moment [N·m]; shape (n, m)."""


@dataclass(frozen=True, eq=False)
class Pulls:
    """Given forces on links.

    Attributes:
        muscles: Names of the muscles that pull.
        wrenches: [moment about the link's origin; force] by link, world axes, shape (n, 6), [N·m] and [N].
        guided: Generalized forces that muscles give besides, by points that coordinates move, shape (n, nv).
        known: Frames in which all forces are known, shape (n,).
        notes: What was decided.
    """

    muscles: tuple[str, ...]
    wrenches: Table[Array]
    guided: Array
    known: Mask
    notes: tuple[Note, ...] = ()


def pulls_on_links(
    model: Model, state: State, forces: ForcesOverTime | None, threads: int | None = None
) -> Pulls:
    """Return the wrenches that given forces put on links.

    Args:
        model: The model.
        state: Its motion.
        forces: Tensions of muscles, and forces of actuators; None: nothing pulls.
        threads: How many threads may be used.

    Raises:
        InputError: Times or shapes do not fit, nothing of it belongs to the model, or a muscle pushes.
    """
    n = len(state.time)
    if forces is None:
        return Pulls((), Table(), np.zeros((n, model.nv)), np.ones(n, dtype=bool))
    names, values, known, notes = _at_frames(state.time, forces)
    muscles = tuple(name for name in names if name in model.muscles)
    motors = tuple(name for name in names if name in model.actuators and name not in model.muscles)
    if not muscles and not motors:
        raise InputError(
            f"none of the forces belongs to {model.name!r}: they are {names_hint(names)}, its muscles are "
            f"{names_hint(model.muscles) if model.muscles else 'none'}"
        )
    column = {name: i for i, name in enumerate(names)}
    tension = np.ascontiguousarray(values[:, [column[name] for name in muscles]])
    _refuse_pushes(model, muscles, tension, state.time)
    wrenches: dict[str, Array] = {}
    guided = np.zeros((n, model.nv))
    if muscles:
        pulled, guided = muscle_pulls(model, state.q, tension, muscles, threads=threads)
        wrenches |= pulled
    for name in motors:
        _add_actuator(model, state.q, model.actuators[name], values[:, column[name]], wrenches)
    others = [name for name in names if name not in muscles and name not in motors]
    notes.extend(_about(model, muscles, others))
    return Pulls(muscles, Table(wrenches), guided, known, tuple(notes))


def _at_frames(time: Array, forces: ForcesOverTime) -> tuple[tuple[str, ...], Array, Mask, Notes]:
    """Return names, forces at the frames by straight lines between samples, zero where not known, where known."""
    names = tuple(forces.names)
    given, values = (np.asarray(x, dtype=np.float64) for x in (forces.time, forces.force))
    if values.shape != (len(given), len(names)) or not len(given):
        raise InputError(
            f"forces must be (n, {len(names)}) at n instants, however they are {values.shape} at {len(given)}"
        )
    if len(given) > 1 and not (np.diff(given) > 0.0).all():
        raise InputError("the times of the forces must increase from sample to sample")
    slack = SAME * max(1.0, float(np.abs(time).max()))
    notes = Notes()
    if len(given) == len(time) and np.abs(given - time).max() <= slack:
        at_frames = values
        covered = np.ones(len(time), dtype=bool)
    else:
        covered = (time >= given[0] - slack) & (time <= given[-1] + slack)
        if not covered.any():
            raise InputError(
                f"the forces run from {given[0]:g} to {given[-1]:g} s and do not overlap the loads, {time[0]:g} to "
                f"{time[-1]:g} s: are they of the same trial?"
            )
        at_frames = np.stack([np.interp(time, given, x) for x in values.T], axis=1)
        if not np.isin(np.round(time / slack), np.round(given / slack)).all():
            notes.add(
                "reactions.forces-interpolated",
                "forces were brought to the frames by straight lines between their samples",
                topic="reactions",
            )
        if not covered.all():
            beyond = np.flatnonzero(~covered)
            notes.add(
                "reactions.forces-end",
                f"forces run from {given[0]:g} to {given[-1]:g} s only: {len(beyond)} of {len(time)} frames, "
                f"{spans(beyond, time)}, have no reactions (NaN)",
                severity="warning",
                topic="reactions",
                values={
                    "from_s": float(given[0]),
                    "to_s": float(given[-1]),
                    "frames": len(beyond),
                    "of_frames": len(time),
                },
            )
    known = covered & np.isfinite(at_frames).all(axis=1)
    return names, np.where(known[:, None], at_frames, 0.0), known, notes


def _refuse_pushes(model: Model, muscles: tuple[str, ...], tension: Array, time: Array) -> None:
    for name, own in zip(muscles, tension.T, strict=True):
        at = int(own.argmin())
        if own[at] < -PUSH * model.muscles[name].max_force:
            raise InputError(
                f"muscle {name!r} would push with {-own[at]:.4g} N at {time[at]:.4g} s; muscles pull: give tensions, "
                "positive and in newtons"
            )


def _add_actuator(
    model: Model, q: Array, actuator: Actuator, value: Array, wrenches: dict[str, Array]
) -> None:
    """Add the wrenches of an actuator that acts on links; one on a coordinate has none."""
    if isinstance(actuator, CoordinateActuator):
        return
    link = actuator.link
    T = poses(model, q, link) if link != WORLD else np.broadcast_to(np.eye(4), (len(q), 4, 4))
    R, origin = T[:, :3, :3], T[:, :3, 3]
    if isinstance(actuator, PointActuator):
        force = value[:, None] * _turned(R, actuator.direction, actuator.direction_in_world)
        arm = (
            np.asarray(actuator.point) - origin if actuator.point_in_world else R @ np.asarray(actuator.point)
        )
        parts = {link: np.concatenate([cross(arm, force), force], axis=1)}
    else:
        moment = value[:, None] * _turned(R, actuator.axis, actuator.axis_in_world)
        whole = np.concatenate([moment, np.zeros_like(moment)], axis=1)
        parts = {link: whole, actuator.reaction: -whole}
    for name, wrench in parts.items():
        if name != WORLD:
            wrenches[name] = wrenches[name] + wrench if name in wrenches else wrench


def _turned(R: Array, direction: Array, in_world: bool) -> Array:
    return np.broadcast_to(direction, (len(R), 3)) if in_world else R @ np.asarray(direction)


def _about(model: Model, muscles: tuple[str, ...], others: list[str]) -> Notes:
    notes = Notes()
    idle = [name for name, muscle in model.muscles.items() if muscle.enabled and name not in muscles]
    if muscles and idle:
        notes.add(
            "reactions.muscles-without-force",
            f"no force is given for these muscles, which pull nothing: {_listed(idle)}",
            severity="warning",
            topic="reactions",
            names=idle,
        )
    if others:
        notes.add(
            "reactions.taken-as-reserves",
            "taken as reserves, which act on coordinates and so inside the joints, since the model has no muscle or "
            f"actuator of these names: {_listed(others)}",
            topic="reactions",
            names=others,
        )
    return notes


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
