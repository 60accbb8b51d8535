"""The forces at all places of contact in all frames, in windows of time that bound the memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.estimate.observe import Contacts
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.estimate.rows import Demand, assemble
from softstride.dynamics.prepare import State
from softstride.engine.cone_qp import solve_cone_qp
from softstride.engine.run import in_threads, worker_count
from softstride.model.model import Model
from softstride.notes import Note

Array = NDArray[np.float64]

WINDOW = 4096
"""Frames that are solved together."""

OVERLAP = 0.5
"""Seconds by which windows overlap: what happens there changes nothing beyond."""

GAP = 1.5
"""Steps of time from which on frames are no neighbours."""

BLOCK = 256
"""Frames whose program is assembled at once: they stay in the cache."""


@dataclass(frozen=True, eq=False)
class Solved:
    """Forces at the places of contact.

    Attributes:
        force: Shape (n, c, 3), [N], world axes.
        converged: Shape (n,).
        iterations: The most that any frame took.
        notes: What was decided.
    """

    force: Array
    converged: NDArray[np.bool_]
    iterations: int
    notes: tuple[Note, ...] = ()


def solve_forces(
    model: Model,
    state: State,
    contacts: Contacts,
    demand: Demand,
    options: EstimateOptions,
    threads: int | None = None,
) -> Solved:
    """Return the forces that explain the motion best, all inside their friction cones."""
    n, c = contacts.activation.shape
    step, smoothness = time_weight(state.time, options)
    overlap = int(np.ceil(OVERLAP / step)) if options.smoothness is not None else 0
    force = np.empty((n, c, 3))
    converged = np.empty(n, dtype=bool)
    most = 0
    pieces, notes = _pieces(state.time, step, smoothness > 0.0)
    windows = [
        tuple(piece + at for at in window)
        for piece, end in pairwise(pieces)
        for window in _windows(end - piece, max(WINDOW, 4 * overlap), overlap)
    ]
    for start, stop, first, last in windows:
        H, g = _assembled(model, state, contacts, demand, options, start, stop, threads)
        found = solve_cone_qp(
            H,
            g,
            options.friction,
            groups=contacts.foot,
            smoothness=smoothness,
            facets=options.facets,
            tolerance=options.tolerance,
            max_iterations=options.max_iterations,
            threads=threads,
        )
        kept = slice(first - start, last - start)
        force[first:last] = found.x[kept].reshape(-1, c, 3)
        converged[first:last] = found.converged[kept]
        most = max(most, int(np.max(found.iterations)))
    return Solved(demand.weight * (force @ demand.axes), converged, most, notes)


def time_weight(time: Array, options: EstimateOptions) -> tuple[float, float]:
    """Return the step of time [s], and the weight of squared second differences of forces from frame to frame."""
    step = float(np.median(np.diff(time))) if len(time) > 1 else 1.0
    return step, 0.0 if options.smoothness is None else (2.0 * np.pi * options.smoothness * step) ** -4


def _pieces(time: Array, step: float, coupled: bool) -> tuple[list[int], tuple[Note, ...]]:
    """Return where stretches without a gap in time begin and end, and a note on gaps."""
    gaps = np.flatnonzero(np.diff(time) > GAP * step) + 1
    if not coupled or not len(gaps):
        return [0, len(time)], ()
    told = f"frames are not coupled across {len(gaps)} gaps in time, the first at {time[gaps[0]]:.3f} s"
    note = Note(
        "ground.gaps-in-time",
        told,
        topic="ground",
        values={"gaps": len(gaps), "first_s": float(time[gaps[0]])},
    )
    return [0, *gaps.tolist(), len(time)], (note,)


def _windows(n: int, length: int, overlap: int) -> list[tuple[int, int, int, int]]:
    """Return (start, stop) of windows, and (first, last) of the frames that each settles."""
    if n <= length:
        return [(0, n, 0, n)]
    edges: list[int] = np.linspace(0, n, -(-n // length) + 1).astype(int).tolist()
    return [(max(0, a - overlap), min(n, b + overlap), a, b) for a, b in pairwise(edges)]


def _assembled(
    model: Model,
    state: State,
    contacts: Contacts,
    demand: Demand,
    options: EstimateOptions,
    start: int,
    stop: int,
    threads: int | None,
) -> tuple[Array, Array]:
    size = 3 * contacts.activation.shape[1]
    H, g = np.empty((stop - start, size, size)), np.empty((stop - start, size))

    def work(first: int, last: int) -> None:
        for block in range(first, last, BLOCK):
            end = min(block + BLOCK, last)
            frames = slice(start + block, start + end)
            H[block:end], g[block:end] = assemble(model, state, contacts, demand, options, frames)

    workers = worker_count(threads)
    edges = np.linspace(0, stop - start, workers + 1).astype(int).tolist()
    in_threads(work, edges, workers)
    return H, g
