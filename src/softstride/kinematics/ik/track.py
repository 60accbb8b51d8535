"""Following a person through a trial: pieces of frames, each cut into runs that lanes and threads share.

A run starts from the pose of the trial's best frame, moved rigidly onto what its own first frame shows. Where two runs
meet, and wherever the pose jumps, the frames on both sides are solved once more from across the seam; if that is
better, the better pose is carried on until it no longer is. How a trial is cut depends on its length alone, so that the
result does not depend on lanes and threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine.manifold import difference, integrate
from softstride.engine.pose_fit import Aims, Measured, Reins
from softstride.kinematics.coordinates import root_velocities
from softstride.kinematics.ik.costs import pose_costs
from softstride.kinematics.ik.start import ROUGH, make_reins, single_runs
from softstride.kinematics.ik.tasks import Task
from softstride.model import Free, Model

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]
Progress = Callable[[float], None]

PIECE = 8192
"""Frames between two reports of progress."""

SHORTEST_RUN, LONGEST_RUN, FEWEST_RUNS = 6, 64, 8
"""Frames of a run, where there are enough: a short one spends most of its steps on its first frame; runs of a trial."""

BETTER = 1e-6
"""Relative gain of the cost that makes another pose the better one."""

JUMP, FACTOR = 0.3, 8.0
"""A pose jumps where an angle changes by more than this [rad], and by this many times its usual change."""

SAME = 1e-3
"""Two poses are one minimum if no coordinate differs by more [rad], [m]."""

FIRST_REACH, SEAM_PASSES = 16, 14
"""Frames over which a better pose is carried on at first; twice as many in each pass."""


@dataclass(eq=False)
class Track:
    """Poses found so far.

    Attributes:
        q: Shape (n, nq).
        iterations: Steps taken in each frame.
        converged: Whether the end was reached in each frame.
    """

    q: Array
    iterations: Counts
    converged: Mask

    def take(self, q: Array, iterations: Counts, converged: Mask, frames: NDArray[np.intp]) -> None:
        """Replace some frames by those of another solution of all of them."""
        self.q[frames] = q[frames]
        self.iterations[frames] += iterations[frames]
        self.converged[frames] = converged[frames]


def cut(first: int, last: int) -> Counts:
    """Cut frames first .. last - 1 into forward runs."""
    frames = last - first
    n = max(1, min(frames // SHORTEST_RUN, max(FEWEST_RUNS, frames // LONGEST_RUN)))
    edges = np.linspace(first, last, n + 1).astype(np.int64)
    return np.column_stack([edges[:-1], np.diff(edges), np.ones(n, dtype=np.int64)])


def follow(
    task: Task,
    aims: Aims,
    scales: Array,
    pose: Array,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Track:
    """Solve all frames.

    Args:
        task: What is to be solved.
        aims: Where coordinates are drawn to.
        scales: Damping of one, shape (nv,).
        pose: A pose of the person in some frame, shape (nq,).
        threads: How many threads may be used.
        progress: Told the share of frames done.
    """
    n, options = task.n_frames, task.options
    track = Track(np.tile(pose, (n, 1)), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool))
    reins = make_reins(task, scales, options.tolerance, options.max_iterations, task.locked)
    seams: list[int] = []
    for first in range(0, n, PIECE):
        last = min(first + PIECE, n)
        runs = cut(first, last)
        starts = runs[:, 0]
        if first:
            track.q[starts] = track.q[first - 1]
        _align(task, scales, track.q, starts, threads)
        steps, done = task.fit.solve(task.measured, aims, reins, track.q, runs, threads=threads)
        track.iterations[first:last], track.converged[first:last] = steps[first:last], done[first:last]
        seams += [int(f) for f in starts if f]
        if progress is not None:
            progress(last / n)
    mend_seams(
        task,
        aims,
        reins,
        track,
        np.union1d(seams, jumps(track.q, angular_columns(task.model))).astype(np.intp),
        threads,
    )
    retry(task, aims, reins, track, threads)
    return track


def refine(task: Task, aims: Aims, scales: Array, track: Track, *, threads: int | None = None) -> None:
    """Solve every frame once more from its own pose, with other aims."""
    options = task.options
    reins = make_reins(task, scales, options.tolerance, options.max_iterations, task.locked)
    runs = single_runs(np.flatnonzero(task.weight_seen > 0.0))
    steps, done = task.fit.solve(task.measured, aims, reins, track.q, runs, threads=threads)
    track.iterations += steps
    track.converged[:] = done


def _align(
    task: Task, scales: Array, q: Array, frames: Counts | NDArray[np.intp], threads: int | None
) -> None:
    """Move the root rigidly onto what is seen in some frames, in place."""
    still = np.ones(task.model.nv, dtype=bool)
    still[root_velocities(task.model)] = False
    reins = make_reins(task, scales, ROUGH, 30, still | task.locked)
    none = Aims(task.home[None], np.zeros((1, task.model.nv)))
    task.fit.solve(task.measured, none, reins, q, single_runs(frames), threads=threads)


def part(task: Task, aims: Aims, frames: NDArray[np.intp]) -> tuple[Measured, Aims]:
    """Return measurements and aims of some frames."""
    m = task.measured
    turned = m.turned[frames] if task.turned else m.turned
    goals = aims.goals if len(aims.goals) == 1 else aims.goals[frames]
    strengths = aims.strengths if len(aims.strengths) == 1 else aims.strengths[frames]
    return Measured(m.seen[frames], m.columns, m.weights, turned, m.turn_weights), Aims(goals, strengths)


def costs(task: Task, aims: Aims, q: Array, frames: NDArray[np.intp]) -> Array:
    """Return the costs of the poses of some frames."""
    measured, own = part(task, aims, frames)
    return pose_costs(task, measured, own, q[frames])


def jumps(q: Array, angular: Mask) -> NDArray[np.intp]:
    """Return the frames before which the pose jumps; `angular`, shape (nq,), says which columns are angles."""
    found = [np.zeros(0, dtype=np.intp)]
    for first in range(0, len(q) - 1, PIECE):
        step = np.abs(np.diff(q[first : first + PIECE + 1], axis=0))
        large = np.any(step > np.where(angular, np.maximum(JUMP, FACTOR * step.mean(axis=0)), np.inf), axis=1)
        found.append(first + 1 + np.flatnonzero(large))
    return np.concatenate(found)


def angular_columns(model: Model) -> Mask:
    """Return which columns of q are angles or parts of quaternions: all but strains and a root's position."""
    angular = np.ones(model.nq, dtype=bool)
    for link in model.links:
        own = list(model.q_indices(link.name))
        if link.soft:
            angular[own] = False
        elif isinstance(link.joint, Free):
            angular[own[:3]] = False
        elif link.parent == "world":
            angular[own[3:]] = False
    return angular


def mend_seams(
    task: Task, aims: Aims, reins: Reins, track: Track, seams: NDArray[np.intp], threads: int | None
) -> None:
    """Solve the frames beside seams from across; carry on what is better.

    A seam is the first frame of its right side. Forward, frame s starts from the pose of s - 1; backward, s - 1 from s.
    """
    ahead, back = seams, np.zeros(0, dtype=np.intp)
    for i in range(SEAM_PASSES):
        ahead, other = _carry(task, aims, reins, track, ahead, 1, FIRST_REACH << i, threads)
        back, _ = _carry(
            task, aims, reins, track, np.union1d(back, other).astype(np.intp), -1, FIRST_REACH << i, threads
        )
        if not len(ahead) and not len(back):
            return


def _carry(
    task: Task,
    aims: Aims,
    reins: Reins,
    track: Track,
    seams: NDArray[np.intp],
    way: int,
    reach: int,
    threads: int | None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Solve across seams in one direction.

    Returns:
        How far better poses were carried and were still better; and the seams with another pose that is not better.
    """
    n = task.n_frames
    starts = seams if way > 0 else seams - 1
    sources = starts - way
    there = (task.weight_seen[starts] > 0.0) & (sources >= 0) & (sources < n)
    starts, sources = starts[there], sources[there]
    if not len(starts):
        return starts, starts
    q = np.empty_like(track.q)  # only some frames are ever touched
    q[starts] = track.q[sources]
    steps, done = task.fit.solve(task.measured, aims, reins, q, single_runs(starts), threads=threads)
    before, after = costs(task, aims, track.q, starts), costs(task, aims, q, starts)
    better = (after < (1.0 - BETTER) * before - 1e-12) & done[starts]
    another = ~better & (np.abs(q[starts] - track.q[starts]).max(axis=1) > SAME)
    others = starts[another] if way > 0 else starts[another] + 1
    if not better.any():
        return starts[:0], others
    track.take(q, steps, done, starts[better])
    return _carry_on(task, aims, reins, track, starts[better], way, reach, threads), others


def _carry_on(
    task: Task,
    aims: Aims,
    reins: Reins,
    track: Track,
    starts: NDArray[np.intp],
    way: int,
    reach: int,
    threads: int | None,
) -> NDArray[np.intp]:
    """Follow the better poses for some frames, up to the next of them; keep what stays better; return what is left."""
    n = task.n_frames
    edges = np.sort(starts)
    if way > 0:
        lengths = np.append(edges[1:], n) - edges
    else:
        lengths = edges - np.concatenate([[-1], edges[:-1]])
    lengths = np.minimum(lengths, reach)
    runs = np.column_stack([edges, lengths, np.full(len(edges), way)]).astype(np.int64)
    q = np.empty_like(track.q)
    q[edges] = track.q[edges]
    steps, done = task.fit.solve(task.measured, aims, reins, q, runs, threads=threads)
    ends = []
    for first, length, _ in runs:
        frames = np.arange(first, first + way * length, way)
        gained = costs(task, aims, q, frames) < (1.0 - BETTER) * costs(task, aims, track.q, frames) - 1e-12
        gained[0] = True
        count = int(np.argmin(gained)) if not gained.all() else len(gained)
        track.take(q, steps, done, frames[:count])
        end = int(first + way * count)
        if count == length and 0 <= end < n:
            ends.append(end if way > 0 else end + 1)
    return np.array(ends, dtype=np.intp)


def retry(task: Task, aims: Aims, reins: Reins, track: Track, threads: int | None) -> None:
    """Solve frames that did not converge from their neighbours on both sides; keep what is better."""
    for way in (1, -1):
        failed = np.flatnonzero(~track.converged & (task.weight_seen > 0.0))
        sources = failed - way
        inside = (sources >= 0) & (sources < task.n_frames)
        failed, sources = failed[inside], sources[inside]
        if not len(failed):
            return
        q = np.empty_like(track.q)
        q[failed] = track.q[sources]
        steps, done = task.fit.solve(task.measured, aims, reins, q, single_runs(failed), threads=threads)
        better = costs(task, aims, q, failed) <= costs(task, aims, track.q, failed)
        track.take(q, steps, done, failed[better])


def reconsider(
    task: Task,
    aims: Aims,
    scales: Array,
    track: Track,
    pose: Array,
    frames: NDArray[np.intp],
    threads: int | None,
) -> bool:
    """Solve frames that fit badly from other poses, and keep what is better; return whether anything was.

    Each stretch of such frames is entered from the left and from the right, and each of its frames from `pose`, moved
    rigidly onto what it shows: a trial that has slipped into a wrong minimum stays there until somebody looks.
    """
    reins = make_reins(task, scales, task.options.tolerance, task.options.max_iterations, task.locked)
    edges = np.flatnonzero(np.diff(frames) > 1)
    firsts, lasts = frames[np.append(0, edges + 1)], frames[np.append(edges, len(frames) - 1)]
    left = [(a, b - a + 1, 1) for a, b in zip(firsts, lasts, strict=True) if a > 0]
    right = [(b, b - a + 1, -1) for a, b in zip(firsts, lasts, strict=True) if b < task.n_frames - 1]
    before, changed = costs(task, aims, track.q, frames), False
    for runs in (left, right, single_runs(frames).tolist()):
        if not len(runs):
            continue
        table = np.array(runs, dtype=np.int64)
        q = np.empty_like(track.q)
        if runs is left or runs is right:
            q[table[:, 0]] = track.q[table[:, 0] - table[:, 2]]
        else:
            q[frames] = pose
            _align(task, scales, q, frames, threads)
        steps, done = task.fit.solve(task.measured, aims, reins, q, table, threads=threads)
        tried = frames[done[frames]]
        gained = tried[costs(task, aims, q, tried) < (1.0 - BETTER) * before[done[frames]] - 1e-12]
        track.take(q, steps, done, gained)
        changed = changed or len(gained) > 0
        before = costs(task, aims, track.q, frames)
    return changed


def fill_blind(task: Task, track: Track) -> NDArray[np.intp]:
    """Put poses between their neighbours where nothing was seen, in place; return those frames."""
    blind = np.flatnonzero(task.weight_seen == 0.0)
    seen = np.flatnonzero(task.weight_seen > 0.0)
    if not len(blind):
        return blind
    right = np.searchsorted(seen, blind)
    before, after = seen[np.maximum(right - 1, 0)], seen[np.minimum(right, len(seen) - 1)]
    outside = (right == 0) | (right == len(seen))
    before = np.where(right == 0, after, before)
    gap = np.where(outside, 1.0, task.time[after] - task.time[before])
    share = np.where(outside, 0.0, (task.time[blind] - task.time[before]) / gap)
    step = difference(task.model, track.q[before], track.q[after])
    track.q[blind] = integrate(task.model, track.q[before], step, share)
    return blind
