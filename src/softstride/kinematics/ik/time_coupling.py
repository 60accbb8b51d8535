"""Frames coupled in time: a motion that is smooth and still meets the markers.

The motion is a smoothing spline s, and each frame has a pose q near it, so that

    Σ_f cost(q_f) + Σ_f Σ_j κ_j (q_fj - s_j(t_f))² + roughness of s

is smallest; κ_j is what a usual frame knows about coordinate j. Poses and spline are improved in turns: a frame that
sees little follows the spline, and a frame that knows nothing about a coordinate does not count for its spline.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.engine.manifold import layout
from softstride.errors import InputError, Option
from softstride.kinematics.curve import continuous
from softstride.kinematics.ik.aims import make_aims
from softstride.kinematics.ik.tasks import Task, blocks
from softstride.kinematics.ik.track import Track, refine
from softstride.kinematics.ik.uncertainty import frame_weights
from softstride.notes import Note, Notes
from softstride.signals import fit_spline

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SHIFT = 2.0 ** (1.0 / 6.0)
"""Cutoff of the spline over that of the motion. Where a frame and the spline pull alike, a sine of which the spline
leaves h is left with h / (2 - h) in the end; a quintic spline leaves 1 / (1 + (f / cutoff)^6)."""

TURNS = 40
"""Most turns between poses and spline."""

STILL = 1e-2
"""Largest change of the spline in one turn that ends the turns, in standard deviations of a usual frame whose markers
are a millimetre off."""

FEWEST, MOST = 3, 0.98
"""Frames that are too few for a spline; its largest cutoff, as a share of half the sampling rate."""

BEYOND = 1e-3
"""Distance beyond a limit [rad], [m] that is said."""

LITTLE = 4.0
"""A frame knows little about a coordinate if its standard deviation is this many times the usual one."""

FAINT = 1e-6
"""Weight of such a frame in the spline."""


def couple(
    task: Task, track: Track, posture: Array, scales: Array, *, threads: int | None = None
) -> tuple[Track, tuple[Note, ...]]:
    """Return the smooth motion and notes on it.

    Args:
        task: What is solved, with `options.cutoff` [Hz]; its frames `can_be_coupled`.
        track: Poses of all frames, each on its own.
        posture: Strengths of posture prior and elastic energy, shape (nv,).
        scales: Damping of one, shape (nv,).
        threads: How many threads may be used.
    """
    variances = _variances(task, track.q, posture + 1e-9 * scales, threads)
    usual = np.median(variances[task.weight_seen > 0.0], axis=0)
    known = variances <= LITTLE**2 * usual
    known[task.weight_seen == 0.0] = False
    patterns = _column_patterns(task, known)
    smooth = _smooth(task, track.q, patterns)
    pull = np.where(task.locked, 0.0, 1.0 / usual)
    width = np.sqrt(usual) * np.sqrt(np.mean(task.measured.weights)) if task.names else np.sqrt(usual)
    change, turn = np.inf, 0
    while change > STILL and turn < TURNS:
        turn += 1
        aims = make_aims(task, posture, (smooth, _isotropic(task, pull)))
        refine(task, aims, scales, track, threads=threads)
        before, smooth = smooth, _smooth(task, track.q, patterns)
        change = _change(task, before, smooth, width)
    track.q[:] = smooth
    beyond = np.maximum(task.lower - smooth, smooth - task.upper).max()
    gap = (~known).any(axis=1)
    settled = "" if change <= STILL else " and had not settled"
    notes = Notes()
    notes.add(
        "ik.frames-coupled",
        f"frames are coupled in time by a smoothing spline of cutoff {task.options.cutoff:g} Hz; poses and spline took "
        f"{turn} turns{settled}, the last of which changed it by {change:.1e} standard deviations of a usual frame",
        severity="warning" if settled else "info",
        topic="smoothing",
        values={"cutoff_hz": task.options.cutoff, "turns": turn, "change": change},
    )
    if beyond > BEYOND:
        text = f"the smooth motion goes up to {beyond:.2g} [rad], [m] beyond limits that every frame keeps"
        notes.add(
            "ik.limits-passed", text, severity="warning", topic="smoothing", values={"beyond": float(beyond)}
        )
    if gap.any():
        text = f"{int(gap.sum())} frames know little about some coordinates, which follow the spline there"
        notes.add("ik.frames-follow-spline", text, topic="smoothing", values={"frames": int(gap.sum())})
    return track, tuple(notes)


def _variances(task: Task, q: Array, strengths: Array, threads: int | None) -> Array:
    """Return the variances of coordinates for unit noise in each frame, shape (n, nv), as far as markers were seen."""
    out = np.empty((task.n_frames, task.model.nv))
    for block in blocks(task.n_frames):
        out[block] = task.fit.variances(q[block], frame_weights(task, block), strengths, threads=threads)
    return out


def _column_patterns(task: Task, known: Mask) -> list[tuple[NDArray[np.intp], Mask]]:
    """Return groups of columns of q that are known in the same frames."""
    at = layout(task.model)
    columns = np.empty((task.n_frames, task.model.nq), dtype=bool)
    columns[:, at.plain_q] = known[:, at.plain_v]
    for q_at, v_at in zip(at.quaternions, at.rotations, strict=True):
        columns[:, q_at] = np.all(known[:, v_at], axis=1, keepdims=True)
    for q_at, v_at in zip(at.free_q, at.free_v, strict=True):
        columns[:, q_at[:3]] = np.all(known[:, v_at[3:]], axis=1, keepdims=True)
    groups: dict[bytes, list[int]] = {}
    for i in range(task.model.nq):
        groups.setdefault(np.packbits(columns[:, i]).tobytes(), []).append(i)
    return [(np.array(group, dtype=np.intp), columns[:, group[0]]) for group in groups.values()]


def _smooth(task: Task, q: Array, patterns: list[tuple[NDArray[np.intp], Mask]]) -> Array:
    """Return the splines of all columns at the frames, quaternions of length one."""
    at, cutoff = layout(task.model), _spline_cutoff(task)
    rows = np.array(q)
    for places in at.quaternions:
        rows[:, places] = continuous(rows[:, places])
    out = np.empty_like(rows)
    for columns, known in patterns:
        weights = None if known.all() else np.where(known, 1.0, FAINT)
        spline = fit_spline(task.time, rows[:, columns], cutoff=cutoff, weights=weights)
        out[:, columns] = spline(task.time)
    for places in at.quaternions:
        out[:, places] /= np.linalg.norm(out[:, places], axis=1, keepdims=True)
    return out


def _spline_cutoff(task: Task) -> float:
    """Return the cutoff of the spline [Hz], below half the sampling rate."""
    half = 0.5 * (task.n_frames - 1) / (task.time[-1] - task.time[0])
    return min(SHIFT * (task.options.cutoff or 0.0), MOST * half)


def can_be_coupled(task: Task) -> bool:
    """Return whether there are frames enough for a spline."""
    return task.n_frames > FEWEST


def check_cutoff(task: Task) -> None:
    """Refuse a cutoff that the frames cannot show.

    Raises:
        InputError: It is half the sampling rate or more.
    """
    half = 0.5 * (task.n_frames - 1) / (task.time[-1] - task.time[0]) if task.n_frames > 1 else 0.0
    if task.options.cutoff is not None and can_be_coupled(task) and task.options.cutoff >= half:
        option = Option("cutoff")
        raise InputError(
            f"{option} must be below half the sampling rate, {half:g} Hz, however it is {task.options.cutoff:g} Hz",
            parameter="cutoff",
            value=task.options.cutoff,
            options=[option],
        )


def _isotropic(task: Task, pull: Array) -> Array:
    """Return pulls with one value for the angles and one for the lengths of ball and free joints."""
    at, out = layout(task.model), pull.copy()
    for own in (*at.rotations, *at.free_v[:, 3:]):
        out[own] = np.min(pull[own])
    return out


def _change(task: Task, before: Array, after: Array, width: Array) -> float:
    """Return the largest change in units of a usual standard deviation (of a marker error of a millimetre)."""
    at = layout(task.model)
    unit = 1e-3 * width
    moved = np.abs(after - before)
    worst = float(np.max(moved[:, at.plain_q] / np.maximum(unit[at.plain_v], 1e-12), initial=0.0))
    for q_at, v_at in zip(at.quaternions, at.rotations, strict=True):
        worst = max(worst, float(np.max(2.0 * moved[:, q_at]) / np.min(unit[v_at])))
    return worst
