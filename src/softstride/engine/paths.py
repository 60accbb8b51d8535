"""Running the kernels of paths: all frames in pieces, each path from frame to frame in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kernels import path_tables as p
from softstride.engine.kernels.observe import observe_points, observe_poses
from softstride.engine.kernels.path_arms import arm_rows, path_arms
from softstride.engine.kernels.path_pulls import path_pulls
from softstride.engine.kernels.path_shoot import SIZE
from softstride.engine.kernels.path_walk import walk_paths
from softstride.engine.kernels.path_wraps import SCRATCH_ROWS
from softstride.engine.lanes import LANES
from softstride.engine.manifold import difference
from softstride.engine.path_plan import PathPlan
from softstride.engine.run import in_threads, run, scratch, sealed, worker_count
from softstride.model import Model

Array = NDArray[np.float64]

FOLLOWS = 0.5
"""Largest change of a coordinate [rad] or [m] with which a frame continues the one before it."""

_PIECE = 16 * LANES  # frames at once on one thread
_WRAP_COST = 8  # of a wrap, where a point costs 1


@dataclass(frozen=True, eq=False)
class Piece:
    """What the walk along all paths gave for some frames."""

    frames: slice
    length: Array  # (n, n_paths)
    wrenches: Array  # in blocks of lanes, see `path_arms`
    extra: Array  # (n, n_terms)
    status: NDArray[np.int64]  # (n, n_wraps)
    poses: Array  # (n, 16 n_poses) of surfaces
    record: p.Record  # vertices, if they were asked for

    @property
    def whole(self) -> slice:
        """Its frames up to a whole number of blocks, among those of `padded`."""
        first = self.frames.start
        return slice(first, first + -(-len(self.length) // LANES) * LANES)


def padded(q: Array) -> Array:
    """Return frames up to a whole number of blocks, the last one repeated."""
    rest = -len(q) % LANES
    return np.ascontiguousarray(np.concatenate([q, np.repeat(q[-1:], rest, axis=0)])) if rest else q


def walk(
    model: Model, plan: PathPlan, q: Array, threads: int | None = None, recorded: bool = False
) -> Iterator[Piece]:
    """Walk along all paths, piece by piece in order; paths are shared among threads, so nothing depends on them.

    Args:
        model: The model.
        plan: Its paths.
        q: Configurations, shape (n_frames, nq).
        threads: How many threads may be used.
        recorded: Whether to write down the vertices.
    """
    workers = max(1, min(worker_count(threads), len(plan.names)))  # one where there is no path
    follows = _follows(model, q)
    walker = _Walker(plan, workers, q)
    size = _PIECE * (1 if workers == 1 else 4)
    for first in range(0, len(q), size):
        frames = slice(first, min(first + size, len(q)))
        yield walker.walk(q[frames], follows[frames], frames, recorded)


def _follows(model: Model, q: Array) -> Array:
    """Return 1 for each frame that continues the one before it, else 0."""
    result = np.zeros(len(q))
    if len(q) > 1 and model.nv:
        result[1:] = np.abs(difference(model, q[:-1], q[1:])).max(axis=1) <= FOLLOWS
    return result


def arms(plan: PathPlan, q: Array, piece: Piece, out: Array, threads: int | None = None) -> None:
    """Fill the moment arms -dL/dq of a piece.

    Args:
        plan: The paths.
        q: Configurations of whole blocks (see `padded`), shape (n, nq).
        piece: The walk along the paths.
        out: Result, shape (n, n_paths, nv).
        threads: How many threads may be used.
    """
    tree = plan.plan.tree
    rows = plan.plan.sweep_rows + arm_rows(tree, plan.most_loads)
    flat = out.reshape(len(q), len(plan.names) * tree.nv)
    arguments = (
        tree,
        plan.places[2],
        plan.climbs,
        plan.most_loads,
        sealed(plan.plan.q_in(q)),
        sealed(piece.wrenches),
        flat,
    )
    blocks = len(q) // LANES
    workers = min(worker_count(threads), blocks)
    edges = np.linspace(0, blocks, workers + 1).astype(int).tolist()
    if workers > 1:
        path_arms(*arguments, scratch(rows), 0, 0)  # compiles if need be, once
    in_threads(lambda a, b: path_arms(*arguments, scratch(rows), a, b), edges, workers)
    for k, term in enumerate(plan.terms):
        out[: len(piece.length), term.path, term.v] += piece.extra[:, k]


def pull(
    owners: NDArray[np.int64], links: NDArray[np.int64], piece: Piece, tension: Array, out: Array
) -> None:
    """Fill the wrenches on links of a piece under tensions.

    Args:
        owners: Path of each slot.
        links: Link of each slot; -1: one that is not asked for.
        piece: The walk along the paths.
        tension: Of all frames, whole blocks, shape (n, n_paths), [N].
        out: Result, whole blocks, shape (n, 6 n_links).
    """
    given = (sealed(x) for x in (owners, links, piece.wrenches, tension[piece.whole]))
    result = out[piece.whole]
    path_pulls(*given, result, scratch(max(out.shape[1], 1)), 0, len(result) // LANES)


class _Walker:
    """Buffers of a walk, and what is remembered from piece to piece."""

    def __init__(self, plan: PathPlan, workers: int, q: Array) -> None:
        self.plan = plan
        moving = [(term.function, q[:, term.q]) for term in plan.terms]
        self.at = [function(x) for function, x in moving]
        self.slopes = [function(x, derivative=1) for function, x in moving]
        self.workers = workers
        n_wraps = len(plan.wraps)
        self.memory = np.zeros((n_wraps, p.MEMORY_COLUMNS), dtype=np.int64)
        self.trace = np.zeros((n_wraps, p.TRACE_COLUMNS))
        self.edges = _shares(plan, workers)

    def walk(self, q: Array, follows: Array, frames: slice, recorded: bool) -> Piece:
        plan, n = self.plan, len(q)
        positions, poses, rates = self._observe(q, frames)
        wrenches = _aligned(-(-n // LANES) * 6 * len(plan.links))
        length = np.empty((n, len(plan.names)))
        extra = np.zeros((n, len(plan.terms)))
        status = np.zeros((n, len(plan.wraps)), dtype=np.int64)
        record = self._record(n if recorded else 0)

        def work(first: int, last: int) -> None:
            vertices = plan.most_vertices
            walk_paths(
                plan.tables,
                sealed(q),
                sealed(positions),
                sealed(poses),
                sealed(rates),
                sealed(follows),
                self.memory,
                self.trace,
                np.zeros(len(plan.wraps)),
                np.zeros((vertices, 3)),
                np.zeros((vertices, 3), dtype=np.int64),
                np.zeros((SCRATCH_ROWS, SIZE)),
                length,
                wrenches,
                extra,
                status,
                record,
                first,
                last,
            )

        if self.workers > 1:
            work(0, 0)  # compiles if need be, once
        in_threads(work, self.edges, self.workers)
        return Piece(frames, length, wrenches, extra, status, poses, record)

    def _record(self, n: int) -> p.Record:
        """Return empty arrays for the vertices of n frames."""
        shape = n, len(self.plan.names), self.plan.most_vertices, 3
        wraps = n, len(self.plan.wraps)
        return p.Record(
            counts=np.zeros(shape[:2], dtype=np.int64),
            vertices=np.zeros(shape),
            marks=np.zeros(shape, dtype=np.int64),
            senses=np.zeros(wraps, dtype=np.int64),
            traces=np.zeros((*wraps, p.TRACE_COLUMNS)),
        )

    def _observe(self, q: Array, frames: slice) -> tuple[Array, Array, Array]:
        """Return positions of points and origins, poses of surfaces, and rates of moving points."""
        plan, n = self.plan, len(q)
        tree, (points, surfaces, _) = plan.plan.tree, plan.places
        given = (plan.plan.q_in(q),)
        positions, poses = np.empty((n, 3 * plan.n_positions)), np.empty((n, 16 * plan.n_poses))
        rows = plan.plan.sweep_rows
        run(observe_points, (tree, points), given, (positions,), rows, self.workers)
        if plan.n_poses:
            run(observe_poses, (tree, surfaces), given, (poses,), rows, self.workers)
        rates = np.zeros((n, 3 * len(plan.terms)))
        if plan.constants:
            self._move(frames, positions, poses.reshape(n, -1, 4, 4), rates)
        return positions, poses, rates

    def _move(self, frames: slice, positions: Array, poses: Array, rates: Array) -> None:
        """Place the moving points."""
        at = {point: constant + np.zeros((len(positions), 1)) for point, _, constant in self.plan.constants}
        for k, term in enumerate(self.plan.terms):
            at[term.point][:, term.axis] = self.at[k][frames]
            slope = self.slopes[k][frames]
            rates[:, 3 * k : 3 * k + 3] = poses[:, term.frame, :3, term.axis] * slope[:, None]
        for point, frame, _ in self.plan.constants:
            T = poses[:, frame]
            positions[:, 3 * point : 3 * point + 3] = (
                np.einsum("fij,fj->fi", T[:, :3, :3], at[point]) + T[:, :3, 3]
            )


def _shares(plan: PathPlan, workers: int) -> list[int]:
    """Return edges between the paths of the workers, with about the same work for each."""
    paths = plan.tables.paths
    cost = np.cumsum(paths[:, p.POINTS] + _WRAP_COST * paths[:, p.WRAPS])
    wanted = np.linspace(0.0, float(cost[-1]) if len(cost) else 0.0, workers + 1)[1:-1]
    return [0, *np.searchsorted(cost, wanted, side="right").tolist(), len(paths)]


def _aligned(rows: int) -> Array:
    """Return zero rows of lanes that begin at a multiple of 64 bytes."""
    flat = np.zeros(rows * LANES + 8)
    first = (-flat.ctypes.data // 8) % 8
    return flat[first : first + rows * LANES].reshape(rows, LANES)
