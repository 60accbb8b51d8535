"""The first pose: from many orientations of the root, so that no mirror image or half turn is taken for the person."""

from __future__ import annotations

import itertools
import math
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.engine import jacobian, positions
from softstride.engine.manifold import layout
from softstride.engine.pose_fit import Aims, Measured, Reins
from softstride.kinematics.coordinates import angles, plain_coordinates, root_velocities, unwound
from softstride.kinematics.ik.aims import posture_units
from softstride.kinematics.ik.costs import pose_costs
from softstride.kinematics.ik.options import POSTURE
from softstride.kinematics.ik.tasks import Task
from softstride.model import Free, Model
from softstride.spatial.quaternion import matrix_to_quat, quat_multiply

Array = NDArray[np.float64]

QUARTERS = (0.0, 0.5 * math.pi, -0.5 * math.pi, math.pi)
FINALISTS, HOPELESS = 6, 20.0
"""How many of the rigidly aligned starts are followed to the end, unless they cost so many times more than the best."""

ROUGH, FAIR = 1e-2, 1e-4
"""Share of the cost up to which the rigid alignment goes, and the choice between what it leads to."""

APART = 0.01
"""Starts are different if some marker is this far apart [m]."""

SMALLEST = 1e-6
"""Least scale of a coordinate, as a share of the largest: what no marker feels is damped all the same."""


_scales: WeakKeyDictionary[Task, Array] = WeakKeyDictionary()


def coordinate_scales(task: Task) -> Array:
    """Return the diagonal of J^T W J in the home posture, bounded below, shape (nv,); found once for a task."""
    found = _scales.get(task)
    if found is not None:
        return found
    H = np.zeros(task.model.nv)
    if task.names:
        J = jacobian(task.model, task.home, task.points)
        H += np.einsum("mkj,m,mkj->j", J, task.measured.weights, J)
    if task.turned:
        J = jacobian(task.model, task.home, list(task.turned))[:, :3]
        H += np.einsum("mkj,m,mkj->j", J, task.measured.turn_weights, J)
    found = _scales[task] = np.maximum(H, SMALLEST * max(float(H.max(initial=0.0)), 1e-12))
    return found


def make_reins(task: Task, scales: Array, tolerance: float, limit: int, locked: NDArray[np.bool_]) -> Reins:
    """Return what keeps the steps of a task in check."""
    return Reins(scales, locked, task.lower, task.upper, tolerance, limit, task.options.huber)


def copies(task: Task, frame: int, n: int) -> Measured:
    """Return what one frame shows, n times."""
    measured = task.measured
    turned = measured.turned[frame : frame + 1] if task.turned else measured.turned
    return Measured(
        np.repeat(measured.seen[frame : frame + 1], n, axis=0),
        measured.columns,
        measured.weights,
        np.repeat(turned, n, axis=0) if task.turned else turned,
        measured.turn_weights,
    )


def single_runs(frames: Array | NDArray[np.intp]) -> NDArray[np.int64]:
    """Return runs of one frame each."""
    frames = np.asarray(frames, dtype=np.int64)
    return np.column_stack([frames, np.ones_like(frames), np.ones_like(frames)])


def first_pose(task: Task, *, threads: int | None = None) -> tuple[int, Array]:
    """Return the frame that shows most, and the pose there, shape (nq,).

    The root is put into every orientation by quarter turns, moved rigidly onto the markers, and the best are then
    fitted with all coordinates under a posture prior; the best of those is the person.
    """
    frame = task.clearest
    if task.options.start is not None:
        starts = _clipped(task, np.array(task.options.start, dtype=np.float64)[None])
        starts = np.concatenate([starts, turned_roots(task.model, starts[0])])
    else:
        starts = turned_roots(task.model, task.home)
    measured = copies(task, frame, len(starts))
    starts = _centred(task, measured, starts)
    scales = coordinate_scales(task)
    root = np.ones(task.model.nv, dtype=bool)
    root[root_velocities(task.model)] = False
    none = Aims(task.home[None], np.zeros((1, task.model.nv)))
    q = starts.copy()
    runs = single_runs(np.arange(len(q)))
    reins = make_reins(task, scales, ROUGH, 30, root | task.locked)
    task.fit.solve(measured, none, reins, q, runs, threads=threads)
    cost = pose_costs(task, measured, none, q)
    best = _distinct(task, q, cost)
    aims = Aims(task.home[None], POSTURE * posture_units(task.model)[None])
    q, measured = q[best], copies(task, frame, len(best))
    reins = make_reins(task, scales, FAIR, 60, task.locked)
    task.fit.solve(measured, aims, reins, q, runs[: len(best)], threads=threads)
    winner = int(np.argmin(pose_costs(task, measured, aims, q)))
    return frame, unwound(task.model, q[winner])


def turned_roots(model: Model, q: Array) -> Array:
    """Return a pose with its root turned to all orientations by quarter turns, shape (n, nq); itself first."""
    out = [q]
    place = plain_coordinates(model).q
    for link in model.children("world"):
        if isinstance(link.joint, Free):
            at = list(model.q_indices(link.name))[3:]
            for turn in _cube():
                turned = q.copy()
                turned[at] = quat_multiply(turn, q[at])
                out.append(turned)
            continue
        own = [place[name] for name in angles(link.joint)]
        for change in _quarter_turns(len(own)):
            turned = q.copy()
            turned[own] += change
            out.append(turned)
    return np.array(out)


def _quarter_turns(n: int) -> list[tuple[float, ...]]:
    """Return changes of n successive angles that make all different rotations by quarter turns, but for none at all."""
    turns: list[tuple[float, ...]]
    if n == 3:  # where the middle one is a quarter turn, the outer two do the same
        turns = [
            *itertools.product(QUARTERS, (0.0,), QUARTERS),
            *itertools.product(QUARTERS, QUARTERS[1:3], (0.0,)),
        ]
    else:
        turns = [tuple(turn) for turn in itertools.product(QUARTERS, repeat=n)]
    return [turn for turn in turns if any(turn)]


def _cube() -> Array:
    """Return the quaternions of the 23 rotations that map a cube onto itself, identity left out."""
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            R = np.zeros((3, 3))
            R[range(3), order] = signs
            if np.linalg.det(R) > 0.0 and not np.array_equal(R, np.eye(3)):
                found.append(matrix_to_quat(R))
    return np.array(found)


def _clipped(task: Task, q: Array) -> Array:
    """Return poses inside the limits, locked coordinates as they are at home."""
    plain = plain_coordinates(task.model)
    for name, i in plain.q.items():
        if task.locked[plain.v[name]]:
            q[:, i] = task.home[i]
    return np.clip(q, task.lower, task.upper)


def _centred(task: Task, measured: Measured, q: Array) -> Array:
    """Move free roots so that the middle of the markers is where it was seen."""
    free = layout(task.model).free_q
    if not len(free) or not task.names:
        return q
    at = positions(task.model, q, task.points)
    shift = np.nanmean(measured.seen[:, measured.columns] - at, axis=1)
    for places in free:
        q[:, places[:3]] += shift
    return q


def _distinct(task: Task, q: Array, cost: Array) -> list[int]:
    """Return a few of the cheapest poses that put the markers to different places; fewer if one is far the cheapest."""
    order = np.argsort(cost, kind="stable")
    if not task.names:
        return [int(i) for i in order[:FINALISTS]]
    at = positions(task.model, q, task.points)
    kept: list[int] = []
    for i in order:
        if kept and (len(kept) == FINALISTS or cost[i] > HOPELESS * cost[kept[0]]):
            break
        if not kept or np.abs(at[i] - at[kept]).max(axis=(1, 2)).min() > APART:
            kept.append(int(i))
    return kept
