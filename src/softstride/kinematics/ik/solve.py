"""Inverse kinematics: the motion of a model that meets what was measured, the whole trial at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.errors import InputError
from softstride.kinematics.coordinates import floating
from softstride.kinematics.ik.aims import elastic_strengths, make_aims, one_for_all, posture_units
from softstride.kinematics.ik.certify import FAR, bad_frames, certify, look_for_swaps, marker_errors
from softstride.kinematics.ik.check import check_task
from softstride.kinematics.ik.options import ELASTIC, POSTURE, IkOptions
from softstride.kinematics.ik.start import coordinate_scales, first_pose
from softstride.kinematics.ik.swaps import Swap, exchanged
from softstride.kinematics.ik.tasks import Task, make_task
from softstride.kinematics.ik.time_coupling import can_be_coupled, check_cutoff, couple
from softstride.kinematics.ik.track import Track, fill_blind, follow, reconsider, refine
from softstride.kinematics.ik.uncertainty import SHARE, null_shares
from softstride.kinematics.ik.unwind import unwind
from softstride.kinematics.motion import Motion
from softstride.model import Model
from softstride.notes import Note

Array = NDArray[np.float64]
Progress = Callable[[float], None]

STEP_DOWN = 0.1
"""Factor by which a small prior is reached."""

MOST = 0.9
"""Share of the progress that is the first solution; labels and the coupling of frames have the rest."""

FAILING = 0.05
"""Share of frames without a minimum from which labels are suspected."""

SWAP_ROUNDS = 6
"""How often labels are put right, the trial solved again and looked at once more."""


def solve_ik(
    model: Model,
    recording: Recording,
    options: IkOptions | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Motion:
    """Find the motion of a model from markers, and from orientations if there are any.

    In every frame it minimises the weighted squared distances of the markers, plus goals and priors,

        Σ w |x - p(q)|² + Σ w_o 4 sin²(angle / 2) + Σ κ (q - goal)²,

    by damped Gauss-Newton steps, each an articulated-body solve [Hybrid2026, eq. 32]; frames run in the lanes of
    the processor and on `threads` threads, each started from the one before. Limits of clamped coordinates hold (a
    floating root has none), locked coordinates stay.

    Args:
        model: The model, with markers.
        recording: The trial.
        options: Weights, goals, priors, smoothing; see `IkOptions`.
        threads: How many threads may be used; None: as set by `set_threads`; 0: all cores.
        progress: Called with the share that is done, 0 to 1.
        **changes: Options by name, instead of or on top of `options`: ``solve_ik(model, trial, cutoff=6.0)``.

    Returns:
        The motion, with its errors in `fit` and its doubts in `notes`.

    Raises:
        InputError: Model and recording have no markers in common, too few for a pose, or units that do not fit; or
            an option names something unknown.
    """
    if not isinstance(model, Model) or not isinstance(recording, Recording):
        raise InputError(
            f"solve_ik takes a Model and a Recording, however it was given {type(model).__name__} and "
            f"{type(recording).__name__}"
        )
    chosen = options or IkOptions()
    if changes:
        chosen = chosen.changed(**changes)
    task = check_task(make_task(model, recording, chosen), recording)
    check_cutoff(task)
    told = None if progress is None else (lambda share: progress(MOST * share))
    track, solution, error = _solve(task, threads, told)
    swaps: list[Swap] = []
    for _ in range(SWAP_ROUNDS):
        found = _swaps(task, track, error, threads)
        if not found or not chosen.mend_swaps:
            swaps.extend(found)
            break
        clear = apart(found)
        mended = _mended(task, clear)
        new_track, new_solution, new_error = _solve(mended, threads, None)
        if np.nansum(new_error**2) >= np.nansum(error**2):
            swaps.extend(clear)
            task = replace(task, notes=(*task.notes, *map(_not_mended, clear)))
            break
        swaps.extend(clear)
        task, track, solution, error = mended, new_track, new_solution, new_error
    blind = fill_blind(task, track)
    cutoff, notes = chosen.cutoff, tuple[Note, ...]()
    if cutoff is not None and not can_be_coupled(task):
        cutoff, notes = None, (_too_few(task.n_frames),)
    elif cutoff is not None:
        track, notes = couple(task, track, solution.posture, solution.scales, threads=threads)
    task = replace(task, notes=(*task.notes, *notes))
    if cutoff is not None or len(blind):
        error = marker_errors(task, track.q)
    unwind(model, track.q, task.lower, task.upper)
    if progress is not None:
        progress(1.0)
    return certify(task, track, solution, error, tuple(swaps), blind, cutoff)


class Solution:
    """What was decided on the way: posture prior, elastic energy, damping, what the markers do not determine."""

    def __init__(self, task: Task, pose: Array) -> None:
        """Look at what the markers determine near a pose and choose the prior by it."""
        model, options = task.model, task.options
        self.scales = coordinate_scales(task)
        share = null_shares(task, pose, self.scales)
        self.undetermined = (share > SHARE) & ~task.locked
        self.rank = float(np.sum(1.0 - share[~task.locked]))
        soft = elastic_strengths(model, ELASTIC if options.elastic is None else options.elastic)
        open_ = self.undetermined & (soft == 0.0)
        if soft.any():  # a joint that only shares a direction with a rod is held by the rod's energy
            open_ &= null_shares(task, pose, self.scales, soft) > SHARE
        everywhere = ~floating(model) | open_
        units = posture_units(model)
        if options.prior is None:
            self.levels = [Level(one_for_all(model, POSTURE * units * open_), soft)]
        else:
            priors = [options.prior]
            while 0.0 < priors[-1] < POSTURE:
                priors.append(min(priors[-1] / STEP_DOWN, POSTURE))
            self.levels = [
                Level(
                    one_for_all(model, prior * units * everywhere),
                    soft * (min(1.0, prior / POSTURE) if options.elastic is None else 1.0),
                )
                for prior in reversed(priors)
            ]
        self.prior, self.elastic = self.levels[-1]

    @property
    def posture(self) -> Array:
        """Strengths of the pull to the default posture, shape (nv,): prior and elastic energy."""
        return self.prior + self.elastic


class Level(NamedTuple):
    """Strengths of one level of a prior, shape (nv,)."""

    prior: Array
    elastic: Array


def _solve(task: Task, threads: int | None, progress: Progress | None) -> tuple[Track, Solution, Array]:
    """Solve all frames; a small prior is reached in steps. Returns marker errors, shape (n, m), as well."""
    _, pose = first_pose(task, threads=threads)
    solution = Solution(task, pose)
    steps = len(solution.levels)
    part: Progress | None = None if progress is None else (lambda share: progress(share / steps))
    aims = make_aims(task, solution.levels[0].prior + solution.levels[0].elastic)
    track = follow(task, aims, solution.scales, pose, threads=threads, progress=part)
    for i, level in enumerate(solution.levels[1:], start=1):
        refine(task, make_aims(task, level.prior + level.elastic), solution.scales, track, threads=threads)
        if progress is not None:
            progress((i + 1) / steps)
    error = marker_errors(task, track.q)
    frames = bad_frames(task, error)
    if len(frames):
        aims = make_aims(task, solution.posture)
        if reconsider(task, aims, solution.scales, track, pose, frames, threads):
            error = marker_errors(task, track.q)
    return track, solution, error


def _swaps(task: Task, track: Track, error: Array, threads: int | None) -> tuple[Swap, ...]:
    """Look for exchanged labels; where some are found or frames fail, in a fit that does not give way to them."""
    found = look_for_swaps(task, track, error)
    failing = np.mean(~track.converged[task.weight_seen > 0.0]) > FAILING
    if task.options.huber is not None or not (found or (failing and np.nanmax(error, initial=0.0) > FAR)):
        return found
    robust = replace(task, options=task.options.changed(huber=FAR))
    track, _, error = _solve(robust, threads, None)
    return look_for_swaps(robust, track, error) or found


def apart(swaps: tuple[Swap, ...]) -> tuple[Swap, ...]:
    """Return the first swap and those of the others that share no frame with it: one may only be another's shadow."""
    kept = [swaps[0]]
    for swap in swaps[1:]:
        if not any(np.intersect1d(swap.frames, other.frames).size for other in kept):
            kept.append(swap)
    return tuple(kept)


def _mended(task: Task, swaps: tuple[Swap, ...]) -> Task:
    """Return the task with labels put right."""
    columns = task.measured.columns
    seen = np.array(task.measured.seen)
    seen[:, columns] = exchanged(seen[:, columns], task.names, swaps)
    notes = tuple(swap.note("ik.labels-mended", f"mended: {swap}") for swap in swaps)
    return replace(task, measured=replace(task.measured, seen=seen), notes=(*task.notes, *notes))


def _not_mended(swap: Swap) -> Note:
    text = f"not mended, since the fit did not become better: {swap}"
    return swap.note("ik.labels-not-mended", text, severity="warning")


def _too_few(frames: int) -> Note:
    text = f"{frames} frames are too few to be coupled in time"
    return Note("ik.frames-too-few", text, topic="smoothing", values={"frames": frames})
