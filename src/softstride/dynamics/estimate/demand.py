"""What a motion asks for: the wrench that the ground has to give, and what the joints bear without it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import branch_of
from softstride.dynamics.estimate.observe import level_axes
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.estimate.rows import Demand
from softstride.dynamics.prepare import State
from softstride.dynamics.residual import base_wrench
from softstride.engine.dynamics import inverse_dynamics
from softstride.engine.kinematics import jacobian, poses
from softstride.engine.passive import elements, passive_forces
from softstride.kinematics.motion import Motion
from softstride.model.model import Model

Array = NDArray[np.float64]

STRAIN = 0.04
"""Standard deviation of the strains of a blade that no markers tell of, or perfect ones: its profile, and segments of
constant strain [1/m]."""

DEVIATIONS = 3.0
"""How many standard deviations of the markers' noise the error of a strain is: what lasts, soft tissue and a marker in
the wrong place, does not average out, and errors of neighbouring segments are alike."""


def demand_of(
    model: Model,
    base: str,
    state: State,
    up: Array,
    weight: float,
    strain: Array,
    threads: int | None,
) -> Demand:
    """Return what a motion asks of the ground and of the joints.

    Args:
        model: The model.
        base: Its floating base.
        state: Its motion.
        up: The upward direction, shape (3,).
        weight: Of the body [N].
        strain: Standard deviation of each coordinate, shape (nv,).
        threads: How many threads may be used.
    """
    tau = inverse_dynamics(model, state.q, state.v, state.a, threads=threads)
    needed, origin = base_wrench(model, base, state.q, tau, threads)
    elastic = passive_forces(model, state.q, state.v) if elements(model) else np.zeros_like(tau)
    own = branch_of(model, (base,))
    at = own.take(state.q[:1])
    R = poses(own.model, at, base)[0, :3, :3]
    S = jacobian(own.model, at, base)[0]
    transmits = np.concatenate([np.abs(R @ S[:3]).max(axis=1), np.abs(R @ S[3:]).max(axis=1)]) > 1e-9
    axes = np.concatenate([up[None], level_axes(up)])
    return Demand(weight, origin, needed, transmits, tau, elastic, axes, strain)


def strain_error(model: Model, motion: Motion, options: EstimateOptions) -> Array:
    """Return the standard deviation of each coordinate, shape (nv,), of which the strains of blades are asked for.

    Args:
        model: The model.
        motion: Its motion: one from markers knows its errors.
        options: A deviation that was given is taken.
    """
    rods = any(link.soft for link in model.links)
    if options.strain_error is not None or motion.fit is None or not (rods and options.load_cell):
        return np.full(model.nv, STRAIN if options.strain_error is None else options.strain_error)
    error = np.hypot(STRAIN, DEVIATIONS * np.nanmedian(motion.std, axis=0))
    return np.asarray(np.where(np.isfinite(error), error, STRAIN))
