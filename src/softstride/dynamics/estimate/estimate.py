"""Loads and ground reaction of a motion without force plates."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.applied import AppliedForces
from softstride.dynamics.balance import balanced
from softstride.dynamics.estimate.cutoff import choose_cutoff
from softstride.dynamics.estimate.demand import demand_of, strain_error
from softstride.dynamics.estimate.footholds import footholds
from softstride.dynamics.estimate.observe import Contacts, observe, pressed
from softstride.dynamics.estimate.options import EstimateChanges, EstimateOptions
from softstride.dynamics.estimate.solve import Solved, solve_forces
from softstride.dynamics.ground import Ground
from softstride.dynamics.loads import AppliedWrench, Loads
from softstride.dynamics.prepare import State, check_coordinates, frames_of, prepare
from softstride.dynamics.residual import floating_base
from softstride.dynamics.rod_loads import load_table
from softstride.errors import InputError, ModelError, Option
from softstride.frozen import Table
from softstride.kinematics.frames import spans
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note

Array = NDArray[np.float64]


def estimate_loads(
    model: Model,
    motion: Motion,
    options: EstimateOptions | None = None,
    *,
    threads: int | None = None,
    **changes: Unpack[EstimateChanges],
) -> Loads:
    """Estimate the ground reaction and the generalized forces of a motion, from the motion alone.

    The whole body's equations of motion say what wrench the ground has to give. Which foot gives how much of it, and
    where under the sole, follows from where the feet are, from friction, from what the joints would have to bear, from
    the bend of a blade and from smoothness in time: a convex program over the forces at the places of contact, see
    `softstride.dynamics.estimate.rows` and docs/dynamics.md.

    Args:
        model: The model, with a floating base and two feet.
        motion: Its motion.
        options: See `EstimateOptions`.
        threads: How many threads may be used; None: as set by `set_threads`; 0: all cores.
        **changes: Options by name: ``estimate_loads(model, motion, friction=0.6)``.

    Returns:
        The loads; `loads.wrenches` has "ground_right" and "ground_left", each at its centre of pressure on the floor,
        `loads.ground` the forces place by place, `loads.residual` what no admissible ground reaction explains.

    Raises:
        InputError: Motion and model do not fit, the model has no floating base or no feet, or an option is wrong.
        ModelError: The model has no mass or no weight.
    """
    if not isinstance(model, Model) or not isinstance(motion, Motion):
        raise InputError(
            f"estimate_loads takes a Model and a Motion, however it was given {type(model).__name__} and "
            f"{type(motion).__name__}"
        )
    chosen = (options or EstimateOptions()).changed(**changes)
    weight = model.mass * float(np.linalg.norm(model.gravity))
    if not weight > 0.0:
        raise ModelError(
            f"model {model.name!r} has no weight: give its links their masses, and the model gravity"
        )
    base = floating_base(model)
    if base is None:
        option = Option("solve_id")
        raise InputError(
            f"model {model.name!r} has no floating base: nothing says what the ground has to give. Use {option}.",
            parameter="model",
            options=[option],
        )
    check_coordinates(model, motion)
    feet = footholds(model, chosen.links, chosen.soles)
    cutoff: float | None
    filtered: tuple[Note, ...]
    if chosen.lowpass == "auto":
        cutoff, why = choose_cutoff(model, motion)
        filtered = (why,)
    else:
        cutoff, filtered = chosen.lowpass, _filtered(chosen.lowpass)
    frames = frames_of(motion.time, chosen.time_range)
    whole = prepare(model, motion, cutoff)
    state = whole.take(frames)
    up = -np.asarray(model.gravity) / float(np.linalg.norm(model.gravity))
    contacts = observe(model, feet, whole, up, chosen, threads).take(frames)
    strain = strain_error(model, motion, chosen)
    demand = demand_of(model, base.name, state, up, weight, strain, threads)
    solved = solve_forces(model, state, contacts, demand, chosen, threads)
    notes = (*filtered, *contacts.notes, *solved.notes, *_unsettled(solved, state.time))
    applied = _applied(model, state, contacts, solved.force, up, notes, threads)
    doubt = "no force of the feet explains the motion there"
    ground = _ground(contacts, solved, up, chosen, cutoff)
    return balanced(model, state, applied, chosen, doubt, ground=ground, contacts=contacts, threads=threads)


def _filtered(cutoff: float | None) -> tuple[Note, ...]:
    if cutoff is None:
        return ()
    told = f"coordinates were low-passed at {cutoff:g} Hz"
    return (Note("loads.low-passed", told, topic="low pass", values={"cutoff_hz": cutoff}),)


def _unsettled(solved: Solved, time: Array) -> tuple[Note, ...]:
    at = np.flatnonzero(~solved.converged)
    if not len(at):
        return ()
    told = (
        f"{len(at)} of {len(solved.converged)} frames, {spans(at, time)}, did not meet the "
        f"tolerance in {solved.iterations} iterations"
    )
    note = Note(
        "ground.not-converged",
        told,
        severity="warning",
        topic="ground",
        span=(time[at[0]], time[at[-1]]),
        values={"frames": len(at), "iterations": solved.iterations},
    )
    return (note,)


def _ground(
    contacts: Contacts, solved: Solved, up: Array, options: EstimateOptions, cutoff: float | None
) -> Ground:
    return Ground(
        contacts.names,
        tuple(contacts.feet[k].foothold.side for k in contacts.foot),
        contacts.place,
        solved.force,
        contacts.activation,
        contacts.floor,
        contacts.belt,
        up,
        options.friction,
        solved.converged,
        solved.iterations,
        cutoff,
        options.facets,
    )


def _applied(
    model: Model,
    state: State,
    contacts: Contacts,
    force: Array,
    up: Array,
    notes: tuple[Note, ...],
    threads: int | None,
) -> AppliedForces:
    """Return the load of each foot at its centre of pressure, on the link or the sections that carry it."""
    wrenches: dict[str, AppliedWrench] = {}
    for number, foot in enumerate(contacts.feet):
        own = contacts.foot == number
        total, point, moment, loaded = pressed(contacts.place[:, own], force[:, own], up)
        moment = np.outer(moment @ up, up)  # the places lie in the floor: no other is left about this point
        wrenches[f"ground_{foot.foothold.side}"] = AppliedWrench(
            foot.foothold.link, total, np.where(loaded, point, np.nan), moment
        )
    places, table = load_table(model, state.q, wrenches.values(), threads)
    return AppliedForces(Table(wrenches), places, table, np.ones(len(force), dtype=bool), notes)
