"""What is worth saying about paths: missing ends, points inside surfaces, longer ways, ways that did not settle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kernels import path_tables as p
from softstride.engine.path_plan import PathPlan
from softstride.kinematics.frames import in_words
from softstride.notes import Note, Severity

_REMARKS: tuple[tuple[int, str, Severity, str], ...] = (
    (
        p.INSIDE,
        "paths.end-inside",
        "warning",
        "an end of the path is inside {surface}, which it does not wrap around there",
    ),
    (
        p.LONGER,
        "paths.longer-way",
        "info",
        "the path keeps its side of {surface}, although the other way round is shorter",
    ),
    (
        p.OFFSIDE,
        "paths.wrong-half",
        "warning",
        "the path touches the wrong half of {surface}, since there is no way over the other",
    ),
    (
        p.THROUGH,
        "paths.through-surface",
        "warning",
        "the path runs straight through {surface}, since no way over it was found: too short, arms to match",
    ),
    (
        p.UNSETTLED,
        "paths.not-settled",
        "warning",
        "the way over {surface} did not settle, its length is uncertain",
    ),
)
"""What a wrap may have become: its bit, code and severity of the note, and its words."""


def path_notes(
    plan: PathPlan, status: NDArray[np.int64], q: NDArray[np.float64] | None = None
) -> tuple[Note, ...]:
    """Return one note for each path, surface and remark, with the frames.

    Args:
        plan: The paths.
        status: What became of each wrap, shape (n_frames, n_wraps).
        q: Configurations, shape (n_frames, nq), to say where a path lacks an end; None: nothing is said of ends.
    """
    notes = [] if q is None else list(_missing_ends(plan, q))
    for w, (name, surface) in enumerate(plan.wraps):
        for bit, code, severity, text in _REMARKS:
            frames = np.flatnonzero(status[:, w] & bit)
            if len(frames):
                notes.append(
                    Note(
                        code,
                        f"{name}: {text.format(surface=repr(surface))} ({in_words(frames)}).",
                        severity=severity,
                        topic="paths",
                        names=(name, surface),
                        values=counted(frames),
                    )
                )
    return tuple(notes)


def counted(frames: NDArray[np.intp]) -> dict[str, float]:
    """Return how many frames there are, at least one, the first and the last."""
    return {"frames": len(frames), "first_frame": int(frames[0]), "last_frame": int(frames[-1])}


def _missing_ends(plan: PathPlan, q: NDArray[np.float64]) -> Iterator[Note]:
    """Say which paths end at a point whose condition is not met."""
    tables = plan.tables
    for name, (first, count) in zip(plan.names, tables.paths[:, [p.POINT, p.POINTS]].tolist(), strict=True):
        for point, end in ((first, "first"), (first + count - 1, "last")):
            column = int(tables.points[point, p.CONDITION])
            if column >= 0:
                low, high = tables.ranges[point]
                frames = np.flatnonzero(~((low <= q[:, column]) & (q[:, column] <= high)))
                if len(frames):
                    yield Note(
                        "paths.end-out-of-use",
                        f"{name}: its {end} point is out of use, since the coordinate of its condition is out of "
                        f"range; the path ends at the next point in use, and has no length if there is none "
                        f"({in_words(frames)}).",
                        severity="warning",
                        topic="paths",
                        names=(name,),
                        values=counted(frames),
                    )
