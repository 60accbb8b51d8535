"""What a pose costs: the sum that the solver makes smallest, for choosing between solutions and for the record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.engine import poses, positions
from softstride.engine.manifold import layout
from softstride.engine.pose_fit import Aims, Measured
from softstride.kinematics.ik.tasks import Task
from softstride.model import Model

Array = NDArray[np.float64]


def pose_costs(task: Task, measured: Measured, aims: Aims, q: Array) -> Array:
    """Return the cost of poses, shape (n,) [m²]: markers (squared or by Huber), orientations, aims."""
    total = np.zeros(len(q))
    if task.names:
        e = positions(task.model, q, task.points) - measured.seen[:, measured.columns]
        square = np.einsum("fmk,fmk->fm", e, e)
        total += np.nansum(measured.weights * huber_cost(square, task.options.huber), axis=1)
    if task.turned:
        total += orientation_costs(task, measured, q)
    return total + aim_costs(task.model, aims, q)


def aim_costs(model: Model, aims: Aims, q: Array) -> Array:
    """Return Σ κ (goal - q)², and for rotations 4 κ |vec(goal⁻¹ o quat)|² = 4 κ (1 - (goal . quat)²), shape (n,)."""
    at, strengths = layout(model), aims.strengths
    short = aims.goals[:, at.plain_q] - q[:, at.plain_q]
    total = np.sum(strengths[:, at.plain_v] * short**2, axis=1)
    for q_at, v_at in zip(at.quaternions, at.rotations, strict=True):
        cosine = np.sum(aims.goals[:, q_at] * q[:, q_at], axis=1)
        total = total + 4.0 * strengths[:, v_at[0]] * np.maximum(1.0 - cosine**2, 0.0)
    for q_at, v_at in zip(at.free_q, at.free_v, strict=True):
        off = aims.goals[:, q_at[:3]] - q[:, q_at[:3]]
        total = total + strengths[:, v_at[3]] * np.sum(off**2, axis=1)
    return np.asarray(total)


def huber_cost(square: Array, limit: float | None) -> Array:
    """Return the cost of squared distances: r², or limit (2 r - limit) beyond the limit."""
    if limit is None:
        return square
    r = np.sqrt(square)
    return np.where(r > limit, limit * (2.0 * r - limit), square)


def orientation_costs(task: Task, measured: Measured, q: Array) -> Array:
    """Return Σ w (3 - tr R_rel) of the measured orientations, shape (n,)."""
    R = poses(task.model, q, list(task.turned))[..., :3, :3]
    trace = np.einsum("fkij,fkij->fk", R, measured.turned)
    return np.asarray(np.nansum(measured.turn_weights * (3.0 - trace), axis=1))
