"""Where coordinates are drawn to, as κ (goal - q)²: posture, elastic energy of rods, goals, a smooth curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.engine.manifold import layout
from softstride.engine.pose_fit import Aims
from softstride.kinematics.coordinates import plain_coordinates
from softstride.kinematics.ik.tasks import Task
from softstride.model import Model, Rod
from softstride.model.rod import STRAINS

Array = NDArray[np.float64]


def posture_units(model: Model) -> Array:
    """Return what a posture prior of one means for each coordinate, shape (nv,): 1 for angles and lengths.

    A strain counts by the angle or length that it makes over its segment: the square of the segment's length.
    """
    units = np.ones(model.nv)
    for link in model.links:
        if isinstance(link.joint, Rod):
            lengths = [segment.length for segment in link.joint.segments for _ in segment.free]
            units[list(model.v_indices(link.name))] = np.square(lengths)
    return units


def elastic_strengths(model: Model, weight: float) -> Array:
    """Return the strengths, shape (nv,), of `weight` times twice the elastic energy of rods, Σ L K (B q)².

    Of a section's stiffness the diagonal counts.
    """
    out = np.zeros(model.nv)
    for link in model.links:
        if not isinstance(link.joint, Rod):
            continue
        own = list(model.v_indices(link.name))
        values: list[float] = []
        for segment in link.joint.segments:
            stiffness = np.diag(segment.stiffness)
            values += [
                weight * segment.length * float(stiffness[STRAINS.index(name)]) for name in segment.free
            ]
        out[own] = values
    return out


def one_for_all(model: Model, strengths: Array) -> Array:
    """Return strengths with one value for the angles of a ball or free joint, and one for its lengths: the largest."""
    at, out = layout(model), strengths.copy()
    for own in (*at.rotations, *at.free_v[:, 3:]):
        out[own] = strengths[own].max()
    return out


def goal_strengths(task: Task, weight: float) -> Array:
    """Return the strengths of goals, shape (nv,), where what is seen weighs `weight`."""
    out = np.zeros(task.model.nv)
    place = plain_coordinates(task.model).v
    for name, (w, _) in task.goals.items():
        out[place[name]] = w * weight
    return out


def make_aims(task: Task, posture: Array, curve: tuple[Array, Array] | None = None) -> Aims:
    """Return the aims of all frames: one row where they are the same in every frame.

    Args:
        task: What is to be solved, with its goals.
        posture: Strengths of the pull to `task.home`, shape (nv,): prior and elastic energy.
        curve: Poses of a curve, shape (n, nq), and strengths of the pull to it, shape (nv,).
    """
    goals, strengths = task.home[None], posture[None]
    weight = task.weight_seen
    varying = any(isinstance(value, np.ndarray) for _, value in task.goals.values())
    alike = not varying and bool(np.all((weight == weight.max()) | (weight == 0.0)))
    rows = 1 if alike or not task.goals else task.n_frames
    if task.goals:
        goals, strengths = np.repeat(goals, rows, axis=0), np.repeat(strengths, rows, axis=0)
        place = plain_coordinates(task.model)
        seen = np.full(1, weight.max()) if rows == 1 else weight
        for name, (w, value) in task.goals.items():
            i, j = place.q[name], place.v[name]
            total = strengths[:, j] + w * seen
            pulled = strengths[:, j] * goals[:, i] + w * seen * value
            goals[:, i] = np.divide(pulled, total, out=goals[:, i].copy(), where=total > 0.0)
            strengths[:, j] = total
    if curve is not None:
        goals, strengths = _drawn(task.model, goals, strengths, *curve)
    return Aims(np.ascontiguousarray(goals), np.ascontiguousarray(strengths))


def _drawn(model: Model, goals: Array, strengths: Array, curve: Array, pull: Array) -> tuple[Array, Array]:
    """Return aims that are also drawn to a curve: weighted means, of quaternions normalised."""
    out = np.array(curve)
    places = layout(model)
    total = strengths + pull
    share = np.divide(pull, total, out=np.ones_like(total), where=total > 0.0)
    i, j = places.plain_q, places.plain_v
    out[:, i] = goals[:, i] + share[:, j] * (curve[:, i] - goals[:, i])
    for q_at, v_at in zip(places.quaternions, places.rotations, strict=True):
        part = share[:, v_at[:1]]
        target, own = curve[:, q_at], goals[:, q_at]
        sign = np.where(np.sum(own * target, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        mixed = (1.0 - part) * sign * own + part * target
        out[:, q_at] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    for q_at, v_at in zip(places.free_q, places.free_v, strict=True):
        part = share[:, v_at[3:4]]
        out[:, q_at[:3]] = goals[:, q_at[:3]] + part * (curve[:, q_at[:3]] - goals[:, q_at[:3]])
    return out, total
