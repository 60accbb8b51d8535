"""Inverse dynamics with measured forces, all frames at once."""

from __future__ import annotations

from functools import partial
from typing import Unpack

import numpy as np

from softstride.capture.recording import Recording
from softstride.dynamics.applied import AppliedForces, apply_forces
from softstride.dynamics.balance import balanced
from softstride.dynamics.feet import far_loads
from softstride.dynamics.loads import Loads
from softstride.dynamics.options import IdChanges, IdOptions
from softstride.dynamics.prepare import State, prepare
from softstride.errors import InputError, ModelError
from softstride.frozen import Table
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note


def solve_id(
    model: Model,
    motion: Motion,
    recording: Recording | None = None,
    options: IdOptions | None = None,
    *,
    state: State | None = None,
    threads: int | None = None,
    **changes: Unpack[IdChanges],
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
        state: Coordinates and their rates, where other loads of this motion know them (`Loads.state`); with another low
            pass or at other instants than these they are found anew.
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
    state = prepare(model, motion, chosen.lowpass, chosen.time_range, state)
    n = len(state.time)
    if recording is None:
        applied = AppliedForces(Table(), (), np.zeros((n, 0)), np.ones(n, dtype=bool), _filtered(chosen))
    else:
        applied = apply_forces(model, state, recording, chosen.bodies, _filtered(chosen), threads=threads)
    doubt = "is a force missing, or in other axes, units or time?"
    far = partial(far_loads, model, state.q, state.time, applied, bodies=chosen.bodies)
    return balanced(model, state, applied, chosen, doubt, far, threads=threads)


def _filtered(options: IdOptions) -> tuple[Note, ...]:
    if options.lowpass is None:
        return ()
    told = f"coordinates were low-passed at {options.lowpass:g} Hz, as OpenSim's InverseDynamicsTool does"
    return (Note("loads.low-passed", told, topic="low pass", values={"cutoff_hz": options.lowpass}),)
