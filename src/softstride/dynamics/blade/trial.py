"""Both sides of the rows of a blade over one trial with force plates, and their variances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.blade.rows import load_changes, row_matrices, strain_deviations, unit_loads
from softstride.dynamics.inverse import solve_id
from softstride.dynamics.prepare import prepare
from softstride.errors import InputError, Option
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.model.rod import Rod

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TrialRows:
    """The rows (M a + b)_rod - (J^T w)_rod = -theta L B^T (K B q + D B v) of one trial, k of them in n frames.

    Attributes:
        y: Left side, shape (n, k), [N·m²] for bends; zero where not used.
        e: Right side with theta = 1, likewise.
        var_y: Variance of y by the errors of plates, and of strains that move sections under the load, shape (n, k).
        var_e: Variance of e by the errors of strains, shape (n, k).
        used: Frames in which the load is known and large enough, shape (n,).
        force: Size of the force on the blade, shape (n,), [N].
    """

    y: Array
    e: Array
    var_y: Array
    var_e: Array
    used: Mask
    force: Array


def trial_rows(
    model: Model,
    rod: Rod,
    link: str,
    motion: Motion,
    recording: Recording,
    bodies: Mapping[str, str],
    lowpass: float | None,
    strain_error: float | None,
    errors: tuple[float, float],
    least: float,
    threads: int | None,
) -> TrialRows:
    """Return both sides of the rows of a blade.

    Args:
        model: The model.
        rod: The rod.
        link: Its name.
        motion: The motion.
        recording: The forces.
        bodies: Links by the name of the force.
        lowpass: Of the coordinates [Hz].
        strain_error: As in `rows.strain_deviations`.
        errors: Standard deviations of forces [N] and of their points [m].
        least: Smallest force of a frame that is used [N].
        threads: How many threads may be used.

    Raises:
        InputError: No force acts on the rod.
    """
    named = {force.name for force in recording.forces}
    own_bodies = {name: body for name, body in bodies.items() if name in named}
    loads = solve_id(model, motion, recording, lowpass=lowpass, bodies=own_bodies, threads=threads)
    wrenches = [wrench for wrench in loads.wrenches.values() if wrench.link == link]
    if not wrenches:
        on = ", ".join(f"{name!r} on {w.link!r}" for name, w in loads.wrenches.items()) or "none"
        option = Option("bodies", {...: link})
        raise InputError(
            f"no force of recording {recording.name!r} acts on the blade {link!r} (forces: {on}): name it with "
            f"{option}",
            parameter="bodies",
            link=link,
            known=named,
            options=[option],
        )
    state = prepare(model, motion, lowpass, known=loads.state)
    own = list(model.v_indices(link))
    K, D = row_matrices(rod)
    e = -(state.q[:, list(model.q_indices(link))] @ K.T + state.v[:, own] @ D.T)
    other = loads.elastic[:, own] - e  # springs of single strains, if there are any, are not scaled
    y = loads.tau[:, own] - other
    sigma, _ = strain_deviations(model, motion, link, strain_error)
    var_y = np.zeros_like(y)
    total = np.zeros(len(y))
    for wrench in wrenches:
        force = np.nan_to_num(wrench.force)
        acts = np.asarray(np.isfinite(wrench.point).all(axis=1))
        point = np.where(acts[:, None], wrench.point, 0.0)
        G = unit_loads(model, state.q, link, point, threads)
        # moments of the force moved by a metre along each axis
        turned = np.cross(np.eye(3), force[:, None, :])
        moved = np.einsum("nki,nji->nkj", G[:, :, :3], turned)
        part = errors[0] ** 2 * (G[:, :, 3:] ** 2).sum(axis=2) + errors[1] ** 2 * (moved**2).sum(axis=2)
        wrenched = np.concatenate([np.nan_to_num(wrench.moment), force], axis=1)
        change = load_changes(model, state.q, link, point, wrenched, threads)
        part += ((change**2) @ (sigma**2)[..., None])[..., 0]
        var_y += np.where(acts[:, None], part, 0.0)
        total += np.linalg.norm(force, axis=1)
    used = np.isfinite(y).all(axis=1) & (total > least)
    zero = ~used[:, None]
    return TrialRows(
        np.where(zero, 0.0, y), np.where(zero, 0.0, e), var_y, (sigma**2) @ (K.T**2), used, total
    )
