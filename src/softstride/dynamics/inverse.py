"""Inverse dynamics with measured forces, all frames at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.applied import Applied, apply_forces
from softstride.dynamics.branch import branch_of
from softstride.dynamics.loads import Loads
from softstride.dynamics.options import IdOptions
from softstride.dynamics.prepare import State, prepare
from softstride.dynamics.residual import base_wrench, floating_base, judge
from softstride.dynamics.socket import socket_wrenches
from softstride.engine.dynamics import generalized_forces, inverse_dynamics
from softstride.engine.passive import elements, passive_forces
from softstride.errors import InputError, ModelError
from softstride.frozen import Table
from softstride.kinematics.motion import Motion
from softstride.model.model import Model

Array = NDArray[np.float64]


def solve_id(
    model: Model,
    motion: Motion,
    recording: Recording | None = None,
    options: IdOptions | None = None,
    *,
    threads: int | None = None,
    **changes: Any,
) -> Loads:
    """Find the generalized forces of a motion under the external forces of a recording.

        tau = M(q) a + b(q, v) - sum_i J_i(q)^T w_i

    with q, v and a of the motion (low-passed if asked) and the wrenches w_i of the recording at the instants of the
    frames. Each acts on the link that options, file, side or the place of the feet give it; on a rod, on the section
    that it is at. Springs and rods are not part of tau: `Loads.elastic` has what they give.

    Frames in which a force was not measured are NaN, and a note says which. What is left over for the joint of the
    floating base is `Loads.residual`; frames where that is too large to believe are marked.

    Args:
        model: The model.
        motion: Its motion.
        recording: The forces: plates, or an external-loads file of OpenSim. None: nothing acts from outside.
        options: Low pass, links, times; see `IdOptions`.
        threads: How many threads may be used; None: as set by `set_threads`; 0: all cores.
        **changes: Options by name, instead of or on top of `options`: ``solve_id(model, motion, trial, lowpass=6.0)``.

    Returns:
        The loads.

    Raises:
        InputError: Motion, recording and model do not fit each other: other coordinates, times that do not overlap, a
            force on a body that does not exist, on nobody's foot or without a point; or an unknown option.
        ModelError: The model has no mass.
    """
    if not isinstance(model, Model) or not isinstance(motion, Motion):
        raise InputError(
            f"solve_id takes a Model and a Motion, however it was given {type(model).__name__} and "
            f"{type(motion).__name__}"
        )
    if recording is not None and not isinstance(recording, Recording):
        raise InputError(f"the forces of solve_id come from a Recording, however it was given {recording!r}")
    if not model.mass > 0.0:
        raise ModelError(f"model {model.name!r} has no mass: no force moves it. Give its links their masses.")
    chosen = (options or IdOptions()).changed(**changes)
    state = prepare(model, motion, chosen.lowpass, chosen.time_range)
    if recording is None:
        applied = Applied(Table(), {}, np.ones(len(state.time), dtype=bool))
    else:
        applied = apply_forces(model, state, recording, chosen.bodies, threads=threads)
    tau = inverse_dynamics(model, state.q, state.v, state.a, threads=threads)
    if applied.places:
        part = branch_of(model, {wrench.link for wrench in applied.wrenches.values()})
        loads = generalized_forces(part.model, part.take(state.q), applied.places, threads=threads)
        tau[:, part.v] -= loads
    tau[~applied.known] = np.nan
    elastic = passive_forces(model, state.q, state.v) if elements(model) else np.zeros_like(tau)
    base = _residual(model, state, tau, applied, threads)
    return Loads(
        model,
        state.time,
        tau,
        wrenches=applied.wrenches,
        residual=base.residual,
        elastic=elastic,
        socket=socket_wrenches(model, state, applied.wrenches.values(), chosen.sockets),
        doubtful=base.doubtful,
        base=base.name,
        notes=(*_filtered(chosen), *applied.notes, *base.notes),
    )


@dataclass(frozen=True, eq=False)
class _Base:
    """What is left for the floating base, and what to think of it."""

    residual: Array
    doubtful: NDArray[np.bool_]
    name: str | None = None
    notes: list[str] = field(default_factory=list)


def _residual(model: Model, state: State, tau: Array, applied: Applied, threads: int | None) -> _Base:
    link, n = floating_base(model), len(tau)
    if link is None:
        return _Base(np.zeros((n, 6)), np.zeros(n, dtype=bool))
    residual, origin = base_wrench(model, link.name, state.q, tau, threads)
    doubtful, (force, moment) = judge(model, residual, origin, applied.wrenches)
    notes = []
    if doubtful.any():
        at = np.flatnonzero(doubtful)
        notes.append(
            f"{len(at)} of {n} frames, {at[0]} to {at[-1]}, leave a residual on {link.name!r} that is too large to "
            f"believe (above {force:.0f} N or {moment:.0f} N m): is a force missing, or on the other foot?"
        )
    return _Base(residual, doubtful, link.name, notes)


def _filtered(options: IdOptions) -> list[str]:
    if options.lowpass is None:
        return []
    return [f"coordinates were low-passed at {options.lowpass:g} Hz, as OpenSim's InverseDynamicsTool does"]
