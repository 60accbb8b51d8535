"""Whether a task can be solved at all: enough markers, something seen, sizes that fit; and where to look first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.engine import positions
from softstride.errors import InputError
from softstride.kinematics.ik.tasks import Task
from softstride.notes import Note

Array = NDArray[np.float64]

FEWEST_POINTS = 3
"""A pose in space needs three points."""

SAMPLED = 16
"""Frames in which the proportions of the markers are looked at."""

SPREAD = 5.0
"""Markers lie less than this many times as far apart, or as close together, as on the model."""


def check_task(task: Task, recording: Recording) -> Task:
    """Refuse what cannot be solved: too few markers, nothing seen, wrong units; find the clearest frame."""
    if not task.turned and len(task.names) < FEWEST_POINTS and task.model.nv > 3 * len(task.names):
        raise InputError(
            f"a pose needs {FEWEST_POINTS} markers or more, however {recording.name!r} and {task.model.name!r} have "
            f"{len(task.names)} in common that are seen ({', '.join(task.names)}); the recording has: "
            f"{', '.join(recording.markers.labels)}; the model has: {', '.join(task.model.markers)}"
        )
    if task.weight_seen.max() == 0.0:
        raise InputError(
            f"none of {', '.join((*task.names, *task.turned))} is seen in any of the {task.n_frames} frames "
            f"({task.time[0]:g} to {task.time[-1]:g} s) of {recording.name!r}, or all weigh nothing"
        )
    frames = np.arange(0, task.n_frames, 1 + (task.n_frames - 1) // SAMPLED)
    frames = np.append(frames, np.argmax(task.weight_seen))
    ratio = _spreads(task, frames)
    known = np.isfinite(ratio)
    usual = float(np.median(ratio[known])) if known.any() else 1.0
    if not 1.0 / SPREAD < usual < SPREAD:
        raise InputError(
            f"the markers of {recording.name!r} lie {usual:.3g} times as far apart as on {task.model.name!r} (median "
            f"of {int(known.sum())} frames): check the units and the labels.{_unit_hint(usual)}"
        )
    odd = known & ~((ratio > 1.0 / SPREAD) & (ratio < SPREAD))
    notes = task.notes
    if odd.any():
        listed = ", ".join(str(f) for f in frames[odd][:5])
        text = f"markers lie out of proportion in some frames, such as {listed}: look at the recording"
        found = tuple(np.unique(frames[odd]))
        notes += (
            Note("ik.markers-out-of-proportion", text, severity="warning", topic="markers", frames=found),
        )
    clear = frames[~odd]
    best = int(clear[np.argmax(task.weight_seen[clear])]) if len(clear) else int(np.argmax(task.weight_seen))
    object.__setattr__(task, "clearest", best)  # the task is new: nobody has seen it without
    object.__setattr__(task, "notes", notes)
    return task


def _spreads(task: Task, frames: NDArray[np.intp]) -> Array:
    """Return how far apart the markers lie over those of the model at home, shape (n,); NaN where fewer than two."""
    if len(task.names) < 2:
        return np.full(len(frames), np.nan)
    at = np.broadcast_to(positions(task.model, task.home, task.points), (len(frames), len(task.names), 3))
    seen = task.measured.seen[frames][:, task.measured.columns]
    there = np.isfinite(seen).all(axis=2, keepdims=True)
    count = there.sum(axis=1)
    sizes = []
    for x in (seen, at):
        x = np.where(there, x, 0.0)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            middle = x.sum(axis=1, keepdims=True) / count[:, None]
            sizes.append(np.sqrt((np.where(there, x - middle, 0.0) ** 2).sum(axis=(1, 2)) / count[:, 0]))
    enough = (count[:, 0] > 1) & (sizes[1] > 0.0)
    return np.divide(sizes[0], sizes[1], out=np.full(len(frames), np.nan), where=enough)


def _unit_hint(ratio: float) -> str:
    """Return what a ratio of sizes suggests."""
    if 500.0 < ratio < 2000.0:
        return " They look like millimetres that are said to be metres."
    if 5e-4 < ratio < 2e-3:
        return " They look like metres that are said to be millimetres."
    return ""
