"""A trial in pieces of frames: lengths, speeds and moment arms, so that memory does not grow with its length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine import paths
from softstride.engine.lanes import LANES
from softstride.engine.path_plan import PathPlan
from softstride.model.model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PathPiece:
    """Paths of muscles in some frames, see `softstride.muscles.MusclePaths`.

    Attributes:
        frames: Which.
        length: Shape (n, m), [m].
        speed: Shape (n, m), [m/s].
        arms: -dL/dq about chosen coordinates, shape (n, m, k), [m] or [1].
        status: Remarks of wraps, shape (n, n_wraps), see `path_notes`.
    """

    frames: slice
    length: Array
    speed: Array
    arms: Array
    status: NDArray[np.int64]


def path_pieces(
    model: Model, plan: PathPlan, q: Array, v: Array, rows: NDArray[np.intp], threads: int | None
) -> Iterator[PathPiece]:
    """Yield the paths piece by piece, in order; each path goes on from piece to piece as if there were none.

    Args:
        model: The model.
        plan: The paths.
        q: Configurations, shape (n, nq).
        v: Velocities, shape (n, nv).
        rows: Coordinates whose moment arms are wanted, shape (k,).
        threads: How many threads may be used.
    """
    whole = paths.padded(q)
    for piece in paths.walk(model, plan, q, threads):
        first, last = piece.frames.start, piece.frames.stop
        end = min(-(-last // LANES) * LANES, len(whole))
        arms = np.empty((end - first, len(plan.names), model.nv))
        paths.arms(plan, whole[first:end], piece, arms, threads)
        arms = arms[: last - first]
        speed = -np.matmul(arms, v[first:last, :, None])[..., 0]
        yield PathPiece(piece.frames, piece.length, speed, arms[:, :, rows], piece.status)
