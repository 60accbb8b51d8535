"""`solve_muscles`: joint loads shared among the muscles that make them, all frames at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack, overload

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.dynamics.loads_state import takes_loads
from softstride.engine.path_plan import path_plan
from softstride.errors import ModelError
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.muscles.hill import hill_muscles
from softstride.muscles.paths.names import named_paths
from softstride.muscles.paths.notes import path_notes
from softstride.muscles.sharing.demand import bring_together
from softstride.muscles.sharing.emg import Emg, emg_reference
from softstride.muscles.sharing.forces import MuscleForces
from softstride.muscles.sharing.notes import sharing_notes
from softstride.muscles.sharing.options import MuscleChanges, MuscleOptions
from softstride.muscles.sharing.pieces import path_pieces
from softstride.muscles.sharing.program import Program
from softstride.muscles.sharing.rows import find_rows
from softstride.muscles.sharing.strength import Muscles

Array = NDArray[np.float64]


@overload
def solve_muscles(
    loads: Loads,
    emg: Emg | None = None,
    options: MuscleOptions | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
    **changes: Unpack[MuscleChanges],
) -> MuscleForces: ...


@overload
def solve_muscles(
    model: Model,
    motion: Motion,
    loads: Loads,
    emg: Emg | None = None,
    options: MuscleOptions | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
    **changes: Unpack[MuscleChanges],
) -> MuscleForces: ...


@takes_loads
def solve_muscles(
    model: Model,
    motion: Motion,
    loads: Loads,
    emg: Emg | None = None,
    options: MuscleOptions | None = None,
    *,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
    **changes: Unpack[MuscleChanges],
) -> MuscleForces:
    """Share the loads of joints among muscles, at the least effort, in every frame: ``solve_muscles(loads)``.

        minimise    sum_i  w_i |x_i|^p / p  +  1/2 r_i (x_i - ref_i)²   +   1/2 sum_j (s_j / S_j)²
        subject to  sum_i R_ij(q) F_i(x_i) + s_j = tau_j      for each coordinate j
                    x_min <= x_i <= x_max

    x are activations, or tensions over maximal isometric forces; F_i(x) the force of a Hill muscle at its length and
    speed, R_ij its moment arm, tau the loads without what springs and rods give, s reserves of optimal force S, ref
    what EMG says. This is eqs 36 and 37 of [Hybrid2026], with W1 = 1 / S² and W2 = r, and a criterion of its own for
    muscles without EMG; the defaults are OpenSim's StaticOptimization.

    Args:
        loads: Of `solve_id` or `estimate_loads`: what the motion needs, and the motion, low-passed as it was. Loads of
            a file know no motion: ``solve_muscles(model, motion, loads)``.
        model: Before the loads: a model of the same coordinates, with muscles, in place of that of the loads.
        motion: Before the loads: their motion, which has all of their frames.
        emg: Activations from EMG: the result of `emg_activation`; or envelopes such as `recording.emg`, with `mvc` and
            `emg_muscles` among the options; or activations by muscle at the frames of the loads, NaN where not known.
        options: Criterion, bounds, reserves, tendons; see `MuscleOptions`.
        threads: How many threads may be used; None: as set by `set_threads`; 0: all cores. Results do not depend on it.
        progress: Called with the share that is done, 0 to 1.
        **changes: Options by name, instead of or on top of `options`: ``solve_muscles(..., power=3)``.

    Returns:
        The forces, with their certificate. Where muscles cannot make a moment its reserve does, and a note says so.

    Raises:
        InputError: Motion, loads and model do not fit each other, loads alone do not know their motion, names that do
            not exist, EMG without MVC, or an unknown option.
        ModelError: The model has no muscles that are enabled.
    """
    chosen = (options or MuscleOptions()).changed(**changes)
    hill = hill_muscles(model, chosen.muscles)
    if not len(hill):
        raise ModelError(
            f"model {model.name!r} has no muscle that is switched on: there is nobody to share among"
        )
    demand = bring_together(model, motion, loads, chosen)
    plan = path_plan(model, named_paths(model, hill.names))
    rows = find_rows(model, plan, np.asarray(np.isfinite(demand.active).any(axis=0)), chosen)
    reference, told = emg_reference(emg, hill, demand.time, chosen)
    program = Program(model, Muscles(hill, chosen), rows, demand, reference, threads)
    status = np.zeros((len(demand.time), len(plan.wraps)), dtype=np.int64)
    for piece in path_pieces(model, plan, demand.q, demand.v, rows.columns, threads):
        program.add(piece)
        status[piece.frames] = piece.status
        if progress is not None:
            progress(piece.frames.stop / len(demand.time))
    found = program.finish()
    notes = (*demand.notes, *rows.notes, *hill.notes, *told, *path_notes(plan, status, demand.q))
    return MuscleForces(
        model,
        demand.time,
        hill.names,
        coordinates=rows.names,
        reserve_size=rows.reserve,
        actuators=tuple(motor.name for motor in rows.actuators),
        actuator_coordinates=tuple(motor.coordinate for motor in rows.actuators),
        notes=(*notes, *sharing_notes(program, found)),
        **found,
    )
