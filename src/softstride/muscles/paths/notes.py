"""What is worth saying about paths: missing ends, points inside surfaces, longer ways, ways that did not settle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kernels import path_tables as p
from softstride.engine.path_plan import PathPlan
from softstride.kinematics.frames import in_words

_REMARKS = (
    (p.INSIDE, "an end of the path is inside {surface}, which it does not wrap around there"),
    (p.LONGER, "the path keeps its side of {surface}, although the other way round is shorter"),
    (p.OFFSIDE, "the path touches the wrong half of {surface}, since there is no way over the other"),
    (
        p.THROUGH,
        "the path runs straight through {surface}, since no way over it was found: too short, arms to match",
    ),
    (p.UNSETTLED, "the way over {surface} did not settle, its length is uncertain"),
)


def path_notes(
    plan: PathPlan, status: NDArray[np.int64], q: NDArray[np.float64] | None = None
) -> tuple[str, ...]:
    """Return one sentence for each path, surface and remark, with the frames.

    Args:
        plan: The paths.
        status: What became of each wrap, shape (n_frames, n_wraps).
        q: Configurations, shape (n_frames, nq), to say where a path lacks an end; None: nothing is said of ends.
    """
    notes = [] if q is None else list(_missing_ends(plan, q))
    for w, (name, surface) in enumerate(plan.wraps):
        for bit, text in _REMARKS:
            frames = np.flatnonzero(status[:, w] & bit)
            if len(frames):
                notes.append(f"{name}: {text.format(surface=repr(surface))} ({in_words(frames)}).")
    return tuple(notes)


def _missing_ends(plan: PathPlan, q: NDArray[np.float64]) -> Iterator[str]:
    """Say which paths end at a point whose condition is not met."""
    tables = plan.tables
    for name, (first, count) in zip(plan.names, tables.paths[:, [p.POINT, p.POINTS]].tolist(), strict=True):
        for point, end in ((first, "first"), (first + count - 1, "last")):
            column = int(tables.points[point, p.CONDITION])
            if column >= 0:
                low, high = tables.ranges[point]
                frames = np.flatnonzero(~((low <= q[:, column]) & (q[:, column] <= high)))
                if len(frames):
                    yield (
                        f"{name}: its {end} point is out of use, since the coordinate of its condition is out of "
                        f"range; the path ends at the next point in use, and has no length if there is none "
                        f"({in_words(frames)})."
                    )
