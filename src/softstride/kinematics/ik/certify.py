"""What a solution says about itself: marker errors, noise, convergence, exchanged labels, what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.engine import positions
from softstride.errors import Option
from softstride.kinematics.coordinates import plain_coordinates
from softstride.kinematics.frames import spans
from softstride.kinematics.ik.aims import goal_strengths
from softstride.kinematics.ik.costs import orientation_costs
from softstride.kinematics.ik.swaps import Swap, find_swaps
from softstride.kinematics.ik.tasks import Task, blocks
from softstride.kinematics.ik.track import Track
from softstride.kinematics.ik.uncertainty import lost_coordinates
from softstride.kinematics.marker_fit import MarkerFit
from softstride.kinematics.motion import Motion
from softstride.notes import Note, Notes
from softstride.results import owned

if TYPE_CHECKING:
    from softstride.kinematics.ik.solve import Solution

Array = NDArray[np.float64]
Frames = NDArray[np.intp]

WORSE, WORTH_A_LOOK = 4.0, 0.002
"""A frame fits badly if its mean squared error is this many times that of a good frame, and its error so large [m]."""

STRANGE = 0.06
"""Root mean square error [m] above which a model and a trial do not belong together."""

SAMPLED = 1000
"""Frames that are enough for a median."""

OUTLYING, FAR = 4.0, 0.03
"""A marker is suspected of a wrong label if its error exceeds this many times the median, and this [m]."""


def certify(
    task: Task,
    track: Track,
    solution: Solution,
    error: Array,
    swaps: tuple[Swap, ...],
    blind: Frames,
    cutoff: float | None,
) -> Motion:
    """Return the motion with its errors and its notes; `cutoff` [Hz] is that of frames coupled in time."""
    objective = _objective(task, track, error)
    names = np.array(list(task.model.coordinates))
    track.converged[blind] = False
    noise = _noise(task, track.q, error, solution)
    fit = MarkerFit(
        names=task.names,
        weights=task.measured.weights,
        error=owned(error),
        objective=objective,
        converged=track.converged,
        iterations=track.iterations,
        prior=solution.prior,
        aims=solution.elastic + goal_strengths(task, float(np.max(task.weight_seen))),
        turned=np.all(np.isfinite(task.measured.turned), axis=(2, 3))
        if task.turned
        else np.zeros((0, 0), dtype=bool),
        orientations=dict(zip(task.turned, task.measured.turn_weights.tolist(), strict=True)),
        noise=noise,
        artefact=_artefact(task),
        spread=_spread(task, noise),
        huber=task.options.huber,
        undetermined=tuple(names[solution.undetermined].tolist()),
        locked=tuple(names[task.locked].tolist()),
        swaps=swaps,
        cutoff=cutoff,
    )
    notes = Notes(task.notes, _notes(task, track, solution, swaps, blind))
    if not np.isfinite(noise):
        notes.add(
            "ik.noise-unknown",
            "no equation is left to estimate the noise from, so `std` is not known",
            topic="noise",
            fix="give `noise` to have it",
        )
    notes.extend(_bad_fit(task, error))
    return Motion(model=task.model, time=task.time, q=owned(track.q), fit=fit, notes=tuple(notes))


def marker_errors(task: Task, q: Array) -> Array:
    """Return the distances of the markers from where they were seen, shape (n, m), block by block."""
    error = np.empty((task.n_frames, len(task.names)))
    for block in blocks(task.n_frames):
        off = positions(task.model, q[block], task.points)
        off -= task.measured.seen[block][:, task.measured.columns]
        error[block] = np.sqrt(np.einsum("fmk,fmk->fm", off, off))
    return error


def bad_frames(task: Task, error: Array) -> Frames:
    """Return the frames that fit worse than a good part of the others by far."""
    mean = np.zeros(task.n_frames)
    for block in blocks(task.n_frames):
        mean[block] = np.nansum(task.measured.weights * error[block] ** 2, axis=1)
    seen = task.weight_seen > 0.0
    mean[seen] /= task.weight_seen[seen]
    if not seen.any():
        return np.zeros(0, dtype=np.intp)
    fourth = int(seen.sum()) // 4
    good = float(np.partition(mean[seen], fourth)[fourth])
    limit = max(WORSE * good, WORTH_A_LOOK**2)
    return np.flatnonzero(seen & (mean > limit))


def _objective(task: Task, track: Track, error: Array) -> Array:
    """Return the weighted mean of squared errors of what was seen, plus goals, as OpenSim's, shape (n,)."""
    objective = np.zeros(task.n_frames)
    for block in blocks(task.n_frames):
        objective[block] = np.nansum(task.measured.weights * error[block] ** 2, axis=1)
        if task.turned:
            measured = replace(task.measured, turned=task.measured.turned[block])
            objective[block] += orientation_costs(task, measured, track.q[block])
    with np.errstate(invalid="ignore", divide="ignore"):
        objective /= task.weight_seen
    place = plain_coordinates(task.model).q
    for name, (weight, value) in task.goals.items():
        objective += weight * (track.q[:, place[name]] - value) ** 2
    return objective


def _noise(task: Task, q: Array, error: Array, solution: Solution) -> float:
    """Return the standard deviation of one coordinate of a marker of weight one [m]: given, or from the residuals.

    Σ w |e|² over the number of equations less their rank, those of orientations included; NaN if none is left.
    """
    if task.options.noise is not None:
        return task.options.noise
    total, freedom = 0.0, 0.0
    for block in blocks(task.n_frames):
        seen = np.isfinite(error[block])
        total += float(np.sum(np.where(seen, error[block], 0.0) ** 2 * task.measured.weights))
        freedom += 3.0 * float(seen.sum()) - solution.rank * float(np.sum(task.weight_seen[block] > 0.0))
        if task.turned:
            measured = replace(task.measured, turned=task.measured.turned[block])
            total += float(np.sum(orientation_costs(task, measured, q[block])))
            freedom += 3.0 * float(np.isfinite(measured.turned).all(axis=(2, 3)).sum())
    return float(np.sqrt(max(total, 0.0) / freedom)) if freedom > 0.0 else float("nan")


def _artefact(task: Task) -> Array:
    given = task.options.artefact
    if isinstance(given, float):
        return np.full(len(task.names), given)
    return np.array([given.get(name, 0.0) for name in task.names])


def _spread(task: Task, noise: float) -> Array:
    """Return the standard deviation of a coordinate of each marker [m], shape (m,).

    sqrt(noise² / w + artefact²) where the noise is given. An estimate from residuals holds artefacts by name already,
    through the weights; one that all markers share is added, since a pose can follow it without a residual.
    """
    options, artefact = task.options, _artefact(task)
    if options.noise is not None:
        given = (
            np.ones(len(task.names)) if options.weights is None else [options.weights[n] for n in task.names]
        )
        return np.asarray(np.sqrt(noise**2 / np.asarray(given) + artefact**2))
    shared = artefact if isinstance(options.artefact, float) else 0.0
    return np.asarray(np.sqrt(noise**2 / task.measured.weights + shared**2))


def look_for_swaps(task: Task, track: Track, error: Array) -> tuple[Swap, ...]:
    """Look for exchanged labels among markers with large errors."""
    usual = error[:: 1 + task.n_frames // SAMPLED]
    usual = usual[np.isfinite(usual)]
    if not usual.size:
        return ()
    limit = max(OUTLYING * float(np.median(usual)), FAR)
    far = error > limit
    if not np.any(far.sum(axis=1) > 1):  # a swap shows in two markers at a time
        return ()
    suspect = np.flatnonzero(far.any(axis=0))
    predicted = positions(task.model, track.q, [task.points[i] for i in suspect])
    given = task.measured.seen[:, task.measured.columns[suspect]]
    step = float(np.median(np.diff(task.time))) if task.n_frames > 1 else 0.0
    names = [task.names[i] for i in suspect]
    rate = 1.0 / step if step > 0.0 else None
    return find_swaps(names, given, predicted, rate=rate, start=float(task.time[0]))


def _bad_fit(task: Task, error: Array) -> Iterator[Note]:
    """Yield notes on frames that fit far worse than others, and on a trial that does not fit at all."""
    frames = bad_frames(task, error)
    if len(frames):
        worst = 1e3 * float(np.nanmax(error[frames]))
        text = f"markers are met far worse than in other frames, by up to {worst:.0f} mm, in"
        yield _in_frames("ik.frames-met-badly", text, frames, task.time, values={"worst_mm": worst})
    usual = error[:: 1 + task.n_frames // SAMPLED]
    usual = usual[np.isfinite(usual)]
    rms = float(np.sqrt(np.mean(usual**2))) if usual.size else 0.0
    if rms > STRANGE:
        text = (
            f"markers are met to {1e3 * rms:.0f} mm only: are left and right exchanged, the axes mirrored, or is this "
            "the model of somebody else?"
        )
        values = {"rms_mm": 1e3 * rms}
        yield Note("ik.markers-met-badly", text, severity="warning", topic="markers", values=values)


def _notes(
    task: Task, track: Track, solution: Solution, swaps: tuple[Swap, ...], blind: Frames
) -> Iterator[Note]:
    """Yield what the user should know."""
    names = np.array(list(task.model.coordinates))
    if len(blind):
        rest = ": the pose there lies between its neighbours and is marked as not converged"
        yield _in_frames("ik.nothing-seen", "nothing was seen in", blind, task.time, rest)
    failed = np.setdiff1d(np.flatnonzero(~track.converged), blind)
    if len(failed):
        text = f"no minimum was reached (at most {task.options.max_iterations} steps) in"
        yield _in_frames("ik.not-converged", text, failed, task.time)
    if solution.undetermined.any():
        free = names[solution.undetermined].tolist()
        text = (
            f"the markers do not determine {len(free)} of {len(names)} coordinates, which "
            f"follow the posture prior or elastic energy: {shortened(free)}"
        )
        yield Note("ik.coordinates-undetermined", text, topic="markers", names=tuple(free))
    frames, lost = lost_coordinates(task, track.q, solution.scales, solution.undetermined)
    if len(frames):
        missed = names[lost].tolist()
        text = f"markers are missing that would determine {shortened(missed)} in"
        yield _in_frames("ik.markers-missing", text, frames, task.time, names=missed)
    if not task.options.mend_swaps:
        mend = Option("mend_swaps", True)
        for swap in swaps:
            text = f"{swap} ({mend} would do so)"
            yield swap.note("ik.labels-exchanged", text, severity="warning", options=(mend,))


def shortened(names: Sequence[str], most: int = 12) -> str:
    """Return a list in words, cut after some names; all of them are in `MarkerFit.undetermined`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _in_frames(
    code: str,
    text: str,
    frames: Frames,
    time: Array,
    rest: str = "",
    *,
    names: Sequence[str] = (),
    values: Mapping[str, float] | None = None,
) -> Note:
    """Return a note on some frames: what is so in them, how many they are, and which."""
    which = f"{len(frames)} frame{'s' if len(frames) > 1 else ''}: {spans(frames, time)}"
    return Note(
        code,
        f"{text} {which}{rest}",
        severity="warning",
        topic="markers",
        names=tuple(names),
        span=(time[frames[0]], time[frames[-1]]),
        values={"frames": len(frames), **(values or {})},
    )
