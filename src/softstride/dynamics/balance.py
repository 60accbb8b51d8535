"""From a motion and the forces on it to `Loads`: the balance that measured and estimated forces share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.applied import AppliedForces
from softstride.dynamics.ground import Ground
from softstride.dynamics.loads import Loads
from softstride.dynamics.prepare import State
from softstride.dynamics.residual import base_cuts, base_wrench, floating_base, judge
from softstride.dynamics.socket import socket_wrenches
from softstride.engine.dynamics import balance_of_forces
from softstride.engine.passive import elements, passive_forces
from softstride.kinematics.frames import spans
from softstride.model.model import Model
from softstride.notes import Note
from softstride.results import owned

if TYPE_CHECKING:
    from softstride.dynamics.estimate.observe import Contacts
    from softstride.dynamics.estimate.options import EstimateOptions
    from softstride.dynamics.options import IdOptions

Array = NDArray[np.float64]


def balanced(
    model: Model,
    state: State,
    applied: AppliedForces,
    options: IdOptions | EstimateOptions,
    doubt: str,
    judged: Callable[[Array], Iterable[Note]] = lambda _: (),
    ground: Ground | None = None,
    contacts: Contacts | None = None,
    threads: int | None = None,
) -> Loads:
    """Return tau = M a + b - sum J^T w, what is left for the base, and whether that can be believed.

    Args:
        model: The model.
        state: Its motion.
        applied: The forces; where they are not known, loads are NaN.
        options: What was asked for; the loads remember it.
        doubt: What a residual that is too large to believe may come from.
        judged: What is to be noted of the places that forces act on, given where they are, shape (n, k, 3), [m].
        ground: The ground reaction place by place, of an estimate.
        contacts: Where the feet could touch, of an estimate.
        threads: How many threads may be used.
    """
    n = len(state.time)
    link = floating_base(model)
    cuts = base_cuts(model)
    tau, shown, origins = balance_of_forces(
        model, state.q, state.v, state.a, applied.loads, applied.places, cuts, threads=threads
    )
    if not applied.known.all():
        tau[~applied.known] = shown[~applied.known, :, :6] = np.nan
    residual, doubtful = np.zeros((n, 6)), np.zeros(n, dtype=bool)
    notes = (*applied.notes, *judged(origins))
    if link is not None:
        residual, origin = (
            (shown[:, 0, :6], shown[:, 0, 6:])
            if cuts
            else base_wrench(model, link.name, state.q, tau, threads)
        )
        doubtful, (force, moment) = judge(model, residual, origin, applied.wrenches)
        if doubtful.any():
            at = np.flatnonzero(doubtful)
            told = (
                f"{len(at)} of {n} frames, {spans(at, state.time)}, leave a residual on {link.name!r} that is too "
                f"large to believe (above {force:.0f} N or {moment:.0f} N m): {doubt}"
            )
            note = Note(
                "loads.residual-too-large",
                told,
                severity="warning",
                topic="residual",
                names=(link.name,),
                span=(state.time[at[0]], state.time[at[-1]]),
                values={"frames": len(at), "force_limit_n": force, "moment_limit_nm": moment},
            )
            notes = (*notes, note)
    elastic = passive_forces(model, state.q, state.v) if elements(model) else np.zeros((n, model.nv))
    return Loads(
        model,
        state.time,
        owned(tau),
        wrenches=applied.wrenches,
        residual=owned(residual),
        elastic=owned(elastic),
        socket=socket_wrenches(model, state, applied.wrenches.values(), options.sockets),
        doubtful=doubtful,
        base=None if link is None else link.name,
        notes=notes,
        ground=ground,
        lowpass=state.lowpass,
        options=options,
        state=state,
        contacts=contacts,
    ).as_solved()
