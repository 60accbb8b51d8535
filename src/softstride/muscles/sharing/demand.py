"""Motion and loads brought together: at which instants, where the body is, and what muscles have to give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.dynamics.loads_state import state_of
from softstride.dynamics.prepare import frames_of
from softstride.engine.passive import elements, passive_forces
from softstride.errors import InputError, Option
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.muscles.sharing.options import MuscleOptions
from softstride.notes import Note

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Demand:
    """Where a body is and what its muscles have to give.

    Attributes:
        time: Instants [s], shape (n,).
        q: Configurations, shape (n, nq).
        v: Velocities, shape (n, nv).
        active: Loads without springs and rods, shape (n, nv); NaN where they are not known.
        notes: What was decided.
    """

    time: Array
    q: Array
    v: Array
    active: Array
    notes: tuple[Note, ...]


def bring_together(model: Model, motion: Motion, loads: Loads, options: MuscleOptions) -> Demand:
    """Return motion and loads at the frames of the loads.

    Raises:
        InputError: Other coordinates, loads at instants at which the motion has no frame, or another low pass than
            the loads remember.
    """
    if not len(loads):
        raise InputError("there is nothing to share: the loads have no frame")
    mine = frames_of(loads.time, options.time_range)
    state = state_of(model, motion, loads, options.lowpass).take(mine)
    q, v = np.ascontiguousarray(state.q), np.ascontiguousarray(state.v)
    of_file = not np.isfinite(loads.elastic).any()
    notes = [*_low_pass_notes(loads, state.lowpass, of_file)]
    elastic = loads.elastic[mine]
    if of_file:
        elastic = passive_forces(model, q, v) if elements(model) else np.zeros_like(loads.tau[mine])
        notes.append(
            Note(
                "sharing.springs-anew",
                "forces of springs and rods were found anew from the motion: the loads do not hold them",
                topic="muscles",
            )
        )
    return Demand(loads.time[mine], q, v, np.asarray(loads.tau[mine] - elastic), tuple(notes))


def _low_pass_notes(loads: Loads, used: float | None, of_file: bool) -> Iterator[Note]:
    """Say which low pass lengths and speeds of muscles went through, where that was not the one of the loads."""
    if used is None and of_file:
        option = Option("lowpass")
        yield Note(
            "sharing.lowpass-unknown",
            "lengths and speeds of muscles are those of the motion as it is: if the loads, which come from a file, "
            f"were found with a low pass, give {option} here too",
            severity="warning",
            topic="muscles",
            options=(option,),
        )
    elif used is not None:
        yield Note(
            "sharing.low-passed",
            f"lengths and speeds of muscles are those of coordinates that were low-passed at {used:g} Hz",
            topic="muscles",
            values={"lowpass_hz": used},
        )
        if loads.lowpass is None and not of_file:
            yield Note(
                "sharing.lowpass-differs",
                "the loads were found from the motion as it is, lengths and speeds of muscles from a low-passed one",
                severity="warning",
                topic="muscles",
            )
