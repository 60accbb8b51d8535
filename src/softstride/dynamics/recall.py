"""The state and the outside forces of an inverse dynamics once more, from its motion and its result.

`Loads` keep what acted and what came out; q, v and a stay with the motion. What is asked of the same instants
afterwards, who carries the loads, starts from here, and is refused where motion and loads are not of one trial.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import AppliedWrench, Loads
from softstride.dynamics.prepare import State, check_coordinates, prepare
from softstride.dynamics.rod_loads import table_along
from softstride.engine.dynamics import balance_of_forces
from softstride.engine.places import PlaceLike
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.model import Model

Array = NDArray[np.float64]

SAME, ROUNDED = 1e-9, 1e-4
"""Instants that differ by less are the same one: over the largest time (at least 1 s), and over a step of time. Clocks
in OpenSim's files of loads run apart from those of its motions by that much."""

ASKED = 32
"""Frames in which the generalized forces are computed again, evenly spread over those that are known."""

AGREE = 1e-6
"""Largest difference of generalized forces to the largest of the trial: rounding of files leaves less, another motion
or a low pass more."""


def state_of(model: Model, motion: Motion, loads: Loads, lowpass: float | None = None) -> State:
    """Return q, v and a at the frames of loads, low-passed as those were.

    Args:
        model: The model.
        motion: The motion that the loads are of, or a longer one that has their frames.
        loads: The loads.
        lowpass: Cut-off frequency [Hz] for loads that do not remember one, such as those of a file; None: none.

    Raises:
        InputError: The model has other coordinates than motion or loads, an instant of the loads is none of the
            motion's, or the loads remember another low pass.
    """
    check_coordinates(model, motion)
    if loads.model is not model and loads.model.coordinate_names != model.coordinate_names:
        raise InputError(
            f"the loads are of model {loads.model.name!r}, whose coordinates differ from those of {model.name!r}: give "
            "the model that they were found with"
        )
    if lowpass is not None and loads.lowpass not in (None, lowpass):
        raise InputError(
            f"the loads were found with a low pass of {loads.lowpass:g} Hz, however lowpass is {lowpass:g} Hz: leave "
            "it out, they remember their own"
        )
    known, wanted = loads.state, lowpass if loads.lowpass is None else loads.lowpass
    if known is not None and known.motion is motion and known.lowpass == wanted:
        return known
    state = prepare(model, motion, wanted)
    if np.array_equal(state.time, loads.time):
        return state
    step = float(np.median(np.diff(state.time))) if len(state.time) > 1 else 0.0
    slack = SAME * max(1.0, float(np.abs(state.time).max())) + ROUNDED * step
    at = np.clip(np.searchsorted(state.time, loads.time - slack), 0, len(state.time) - 1)
    missing = np.flatnonzero(np.abs(state.time[at] - loads.time) > slack)
    if len(missing):
        raise InputError(
            f"motion and loads do not fit in time: the loads have a frame at {loads.time[missing[0]]:.9g} s, the "
            f"motion, {len(state.time)} frames from {state.time[0]:.6g} to {state.time[-1]:.6g} s, has none; give the "
            "motion that they were found from"
        )
    first, last = int(at[0]), int(at[-1]) + 1
    if last - first == len(at):
        return state.take(slice(first, last))
    return State(state.time[at], state.q[at], state.v[at], state.a[at], state.lowpass)


def outside_forces(
    model: Model, state: State, loads: Loads, threads: int | None = None
) -> tuple[tuple[PlaceLike, ...], Array]:
    """Return where the outside forces of loads act, and nine columns for each, as `balance_of_forces` takes them.

    Forces that are not known count as none.
    """
    places: list[PlaceLike] = []
    parts: list[Array] = [np.empty((len(state.time), 0))]
    for wrench in loads.wrenches.values():
        f, p, m = (np.nan_to_num(x) for x in (wrench.force, wrench.point, wrench.moment))
        if model.link(wrench.link).soft:
            sections, table = table_along(model, state.q, wrench.link, p, f, m, threads)
            places += sections
            parts.append(table)
        else:
            places.append(wrench.link)
            parts += [m, f, p]
    return tuple(places), np.concatenate(parts, axis=1)


def check_same(model: Model, state: State, loads: Loads) -> None:
    """Refuse loads that are not those of a state, by their generalized forces in some frames.

    Raises:
        InputError: They differ.
    """
    known = np.flatnonzero(np.isfinite(loads.tau).all(axis=1))
    if not len(known):
        raise InputError("the loads are known in no frame: nothing can be found from them")
    rows = known[np.linspace(0, len(known) - 1, min(ASKED, len(known))).round().astype(int)]
    part = State(*(x[rows] for x in (state.time, state.q, state.v, state.a)))
    few = {name: _rows(wrench, rows) for name, wrench in loads.wrenches.items()}
    short = Loads(loads.model, part.time, loads.tau[rows], wrenches=few)
    places, table = outside_forces(model, part, short)
    tau, _, _ = balance_of_forces(model, part.q, part.v, part.a, table, places)
    scale = max(float(np.abs(loads.tau[known]).max()), 1e-300)
    gap = np.abs(tau - short.tau) / scale
    if gap.max() <= AGREE:
        return
    frame, column = np.unravel_index(int(gap.argmax()), gap.shape)
    name = model.coordinate_names[column]
    low = "no low pass" if loads.lowpass is None else f"a low pass of {loads.lowpass:g} Hz"
    raise InputError(
        f"the loads are not those of this motion with {low} and {len(loads.wrenches)} outside forces: at "
        f"{part.time[frame]:.4g} s {name!r} needs {tau[frame, column]:.4g}, the loads have "
        f"{short.tau[frame, column]:.4g}. Give the motion and the model that the loads were found from, and loads of "
        f"solve_id or estimate_loads, which keep the outside forces; a file of loads does not"
    )


def _rows(wrench: AppliedWrench, rows: NDArray[np.intp]) -> AppliedWrench:
    return AppliedWrench(wrench.link, wrench.force[rows], wrench.point[rows], wrench.moment[rows])
