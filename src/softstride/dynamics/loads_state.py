"""Loads and the motion that they are of: `f(loads, ...)` beside `f(model, motion, loads, ...)`.

Loads of `solve_id` and `estimate_loads` know their model, their motion, and q, v and a as these were low-passed: what
is asked of the same instants takes them from there. Loads of a file know nothing of it, and model and motion that are
given beside loads may be others: then q, v and a are found again, and what does not fit is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar

import numpy as np

from softstride.dynamics.loads import Loads
from softstride.dynamics.prepare import State, check_coordinates, prepare
from softstride.dynamics.residual import base_cuts
from softstride.dynamics.rod_loads import load_table
from softstride.engine.dynamics import balance_of_forces
from softstride.engine.manifold import difference
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.model import Model

R = TypeVar("R")

KINDS = {"model": Model, "motion": Motion, "loads": Loads}

SAME, ROUNDED = 1e-9, 1e-4
"""Instants that differ by less are the same one: over the largest time (at least 1 s), and over a step of time. Clocks
in OpenSim's files of loads run apart from those of its motions by that much."""

ASKED = 32
"""Frames in which the generalized forces are computed again, evenly spread over those that are known."""

AGREE = 1e-6
"""Largest difference of generalized forces to the largest of the trial: rounding of files leaves less, another motion
or a low pass more."""

STILL = 1e-3
"""Generalized forces [N m], [N] below which a difference is rounding: of a body that nothing moves."""

MOVED = 1e-5
"""Largest difference of coordinates [rad], [m] of the same motion: rounding of files leaves less."""


def takes_loads(function: Callable[..., R]) -> Callable[..., R]:
    """Let a function of model, motion and loads take the loads alone, which know the other two.

    Raises:
        InputError: It is given neither a Model, a Motion and Loads nor Loads alone, or these do not know their motion.
    """
    name = function.__name__

    @wraps(function)
    def either(*given: Any, **named: Any) -> R:
        three = dict(zip(KINDS, given, strict=False)) | {key: named[key] for key in KINDS if key in named}
        if all(isinstance(three.get(key), kind) for key, kind in KINDS.items()):
            return function(*given, **named)
        loads, *more = given or (named.pop("loads", None),)
        beside = [each for each in (*more, *named.values()) if isinstance(each, tuple(KINDS.values()))]
        if not isinstance(loads, Loads) or beside:
            kinds = ", ".join(type(each).__name__ for each in three.values()) or "nothing"
            raise InputError(
                f"{name} takes a Model, a Motion and Loads, or Loads alone that know the other two, however it was "
                f"given {kinds}",
                parameter="loads",
            )
        return function(loads.model, motion_of(loads, name), loads, *more, **named)

    return either


def motion_of(loads: Loads, name: str) -> Motion:
    """Return the motion that loads know.

    Args:
        loads: The loads.
        name: Of the function that is asked of them.

    Raises:
        InputError: They know none.
    """
    if loads.state is None or loads.state.motion is None:
        raise InputError(
            f"these loads do not know their motion, as loads of a file and loads whose frames were changed do not: "
            f"give {name} the model and the motion that they were found from as well, before the loads",
            parameter="loads",
        )
    return loads.state.motion


def state_of(model: Model, motion: Motion, loads: Loads, lowpass: float | None = None) -> State:
    """Return q, v and a at the frames of loads, low-passed as those were: the loads' own, if they are of this motion.

    Args:
        model: The model.
        motion: The motion that the loads are of, or a longer one that has their frames.
        loads: The loads.
        lowpass: Cut-off frequency [Hz] for loads that do not remember one, such as those of a file; None: none.

    Raises:
        InputError: The model has other coordinates than motion or loads, an instant of the loads is none of the
            motion's, the loads remember another low pass, or they are of another motion.
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
    state = _at_frames(prepare(model, motion, wanted), loads)
    if known is not None and known.lowpass == wanted:
        gap = np.abs(difference(model, known.q, state.q))
        if gap.max(initial=0.0) > MOVED:
            frame, column = np.unravel_index(int(gap.argmax()), gap.shape)
            _refuse(model, loads, int(frame), int(column), f"is off by {gap[frame, column]:.4g}")
    return state


def _at_frames(state: State, loads: Loads) -> State:
    """Return a state of a whole motion at the frames of loads."""
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
    return state.take(slice(first, last) if last - first == len(at) else at)


def check_same(model: Model, state: State, loads: Loads) -> None:
    """Refuse loads that are not those of a state, by their generalized forces in some frames.

    Loads of this model that a solver found from this state need no look.

    Raises:
        InputError: They differ, or are known in no frame.
    """
    known = np.flatnonzero(np.isfinite(loads.tau).all(axis=1))
    if not len(known):
        empty = np.flatnonzero(~np.isfinite(loads.tau).any(axis=0))
        names = [loads.model.coordinate_names[i] for i in empty]
        what = (
            f": they have no numbers of {', '.join(map(repr, names))}"
            if len(empty) < loads.tau.shape[1]
            else ""
        )
        raise InputError(
            f"the loads are known in no frame{what}: nothing can be found from them", names=names
        )
    if loads.solved and loads.state is state and loads.model is model:
        return
    rows = known[np.linspace(0, len(known) - 1, min(ASKED, len(known))).round().astype(int)]
    part = state.take(rows)
    few = [wrench.take(rows) for wrench in loads.wrenches.values()]
    places, table = load_table(model, part.q, few)
    tau, _, _ = balance_of_forces(model, part.q, part.v, part.a, table, places, base_cuts(model))
    scale = max(float(np.abs(loads.tau[known]).max()), STILL)
    gap = np.abs(tau - loads.tau[rows]) / scale
    if gap.max() > AGREE:
        frame, column = np.unravel_index(int(gap.argmax()), gap.shape)
        told = f"needs {tau[frame, column]:.4g}, the loads have {loads.tau[rows[frame], column]:.4g}"
        _refuse(model, loads, int(rows[frame]), int(column), told)


def _refuse(model: Model, loads: Loads, frame: int, column: int, told: str) -> NoReturn:
    name = model.coordinate_names[column]
    low = "no low pass" if loads.lowpass is None else f"a low pass of {loads.lowpass:g} Hz"
    raise InputError(
        f"the loads are not those of this motion with {low} and {len(loads.wrenches)} outside forces: at "
        f"{loads.time[frame]:.4g} s {name!r} {told}. Give the motion and the model that the loads were found from, and "
        "loads of solve_id or estimate_loads, which keep the outside forces and their low pass; a file of loads does "
        "not: say lowpass=... if they had one",
        parameter="loads",
        names=[name],
        frames=[frame],
    )
