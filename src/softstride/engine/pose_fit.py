"""Fitting poses to what is seen of a model: markers, orientations, goals; all frames at once (see the kernel)."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kept import Kept
from softstride.engine.kernels import tables as t
from softstride.engine.kernels.pose_fit import Scene, fit_poses, new_work
from softstride.engine.kernels.pose_limits import Rules
from softstride.engine.kernels.pose_masses import Rooms, Sights, lay_rooms
from softstride.engine.kernels.pose_variance import SPREAD_ROWS, pose_variances
from softstride.engine.places import PlaceLike, resolve
from softstride.engine.plan import Plan, make_plan
from softstride.engine.run import in_threads, run, scratch, sealed, worker_count
from softstride.errors import InputError
from softstride.model import Model, Rod

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
NEVER = 1e30  # a distance that no marker reaches
LEAST_DAMPING = 1e-10
QUARTER, ROOM = 1.5, 1e3  # longest steps [rad], [m]


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured, time first; NaN where not.

    Attributes:
        seen: Positions of markers in world axes, shape (n_frames, n_columns, 3), [m].
        columns: Which of them belong to the markers of the fit, shape (n_markers,).
        weights: Of the markers' squared distances, shape (n_markers,).
        turned: Axes of frames in the world, shape (n_frames, n_turned, 3, 3).
        turn_weights: Of their squared angles, shape (n_turned,).
    """

    seen: Array
    columns: IntArray
    weights: Array
    turned: Array
    turn_weights: Array


@dataclass(frozen=True, eq=False)
class Aims:
    """Where coordinates are drawn to, with the cost strength (goal - q)²; one row, or one for each frame.

    The three angles of a ball or free joint share the strength of the first, its three lengths that of theirs.

    Attributes:
        goals: Shape (n_frames or 1, nq).
        strengths: Shape (n_frames or 1, nv).
    """

    goals: Array
    strengths: Array


@dataclass(frozen=True, eq=False)
class Reins:
    """What keeps steps in check.

    Attributes:
        scales: Damping of one for each coordinate, above zero, shape (nv,); the diagonal of J^T W J will do.
        locked: Coordinates that do not move, shape (nv,).
        lower: Least value of plain coordinates, shape (nq,), -inf where there is none.
        upper: Largest value.
        tolerance: Share of the cost that may be left to gain when a frame ends.
        limit: Most steps in a frame.
        huber: Distance from which a marker counts linearly [m]; None: never.
    """

    scales: Array
    locked: NDArray[np.bool_]
    lower: Array
    upper: Array
    tolerance: float = 1e-10
    limit: int = 500
    huber: float | None = None


_fits: Kept[PoseFit] = Kept(16)


def pose_fit(model: Model, markers: Sequence[PlaceLike], frames: Sequence[PlaceLike] = ()) -> PoseFit:
    """Return the fit of a model and what is seen of it, made once."""
    key = (*markers, "", *frames)
    return _fits.get(model, key) or _fits.put(model, key, PoseFit(model, markers, frames))


class PoseFit:
    """A model and what is seen of it, ready to be fitted."""

    def __init__(self, model: Model, markers: Sequence[PlaceLike], frames: Sequence[PlaceLike] = ()) -> None:
        """Write the tables down: `markers` are points of the model, `frames` are measured in orientation."""
        self._model = weakref.ref(model)
        places = [resolve(model, place) for place in (*markers, *frames)]
        self.plan: Plan = make_plan(model, places, weighed=False)
        n = len(markers)
        seats, offsets = self.plan.places.stations, self.plan.places.offsets.reshape(-1, 12)
        self._stations, self._frames = seats[:n].copy(), seats[n:].copy()
        self._offsets = np.ascontiguousarray(offsets[:n, 9:]).ravel()
        self._turns = np.ascontiguousarray(offsets[n:, :9]).ravel()

    @property
    def model(self) -> Model:
        """The model, which lives at least as long as anybody asks for its fit."""
        model = self._model()
        if model is None:
            raise InputError("the model of this fit is gone: keep it as long as you fit poses to it")
        return model

    @cached_property
    def rooms(self) -> Rooms:
        """Rows of the scratch."""
        tree = self.plan.tree
        return lay_rooms(self.plan.sweep_rows, tree, self.model.nq, len(self._stations), len(self._frames))

    def sights(self, huber: float | None) -> Sights:
        """Return the table of what is seen."""
        limit = np.array([NEVER if huber is None else huber])
        return Sights(self._stations, self._offsets, self._frames, self._turns, limit)

    def scene(self, measured: Measured, aims: Aims) -> Scene:
        """Return the measured arrays as kernels read them; nothing long is copied."""
        seen = measured.seen
        if seen.dtype != np.float64 or not seen.flags.c_contiguous:
            raise InputError("marker positions must be one contiguous array of double precision")
        turned = np.ascontiguousarray(measured.turned, dtype=np.float64)
        parts = (
            seen.reshape(len(seen), -1),
            np.ascontiguousarray(measured.columns, dtype=np.int64),
            np.ascontiguousarray(measured.weights, dtype=np.float64),
            turned.reshape(len(turned), 9 * turned.shape[1]),
            np.ascontiguousarray(measured.turn_weights, dtype=np.float64),
            self.plan.q_in(np.ascontiguousarray(aims.goals)),
            self.plan.v_in(np.ascontiguousarray(aims.strengths)),
        )
        return Scene(*(sealed(part) for part in parts))

    def solve(
        self,
        measured: Measured,
        aims: Aims,
        reins: Reins,
        q: Array,
        runs: IntArray,
        *,
        threads: int | None = None,
    ) -> tuple[IntArray, NDArray[np.bool_]]:
        """Fit runs of frames in place.

        Args:
            measured: What was measured, in all frames.
            aims: Goals of coordinates.
            reins: Damping, limits, tolerance.
            q: Poses, shape (n_frames, nq), C-contiguous; a run starts from the pose of its first frame.
            runs: First frame, number of frames, and +1 or -1, shape (n_runs, 3).
            threads: How many threads may share the runs; None: as set by `set_threads`.

        Returns:
            Steps taken, shape (n_frames,), and whether the end was reached; 0 and False in other frames.
        """
        scene, sights = self.scene(measured, aims), self.sights(reins.huber)
        rules = self._rules(reins)
        report = np.zeros((len(q), 2))
        runs = np.ascontiguousarray(runs, dtype=np.int64)
        order, inner = self.plan.q_order, q
        if order is not None:  # the engine's order differs from the model's
            inner = np.empty_like(q)  # only what is touched takes memory
            inner[runs[:, 0]] = q[runs[:, 0]][:, order]
        if len(runs) and len(q):
            tree, rows = self.plan.weightless, self.rooms.end

            def work(first: int, last: int) -> None:
                own = new_work(self.model.nq, self.model.nv)
                fit_poses(
                    tree, sights, self.rooms, scene, rules, runs[first:last], own, report, inner, scratch(rows)
                )  # fmt: skip

            workers = min(worker_count(threads), len(runs))
            if workers > 1:
                work(0, 0)  # compiles if need be, once
            in_threads(work, np.linspace(0, len(runs), workers + 1).astype(int).tolist(), workers)
        if order is not None:
            back = np.argsort(order)
            for first, count, way in runs:
                frames = slice(first, first + count) if way > 0 else slice(first - count + 1, first + 1)
                q[frames] = inner[frames][:, back]
        return report[:, 0].astype(np.int64), report[:, 1] > 0.0

    def variances(self, q: Array, weights: Array, strengths: Array, *, threads: int | None = None) -> Array:
        """Return the diagonal of (J^T W J + strengths)^-1, shape (n_frames, nv).

        Args:
            q: Poses, shape (n_frames, nq).
            weights: Of markers, then of frames, shape (n_frames, n_markers + n_turned); zero where not measured.
            strengths: Of goals, shape (nv,), above zero where nothing else determines a coordinate.
            threads: How many threads may be used.
        """
        out = np.empty((len(q), self.model.nv))
        tree = self.plan.weightless
        needed = np.zeros(len(tree.stations), dtype=np.int64)
        needed[tree.nodes[:, t.PARENT]] = 1
        rows = self.rooms.end + SPREAD_ROWS * len(tree.stations)
        given = np.broadcast_to(self.plan.v_in(strengths[None]), (len(q), self.model.nv))
        parts = (
            self.plan.q_in(np.ascontiguousarray(q)),
            np.ascontiguousarray(weights),
            np.ascontiguousarray(given),
        )
        inputs = tuple(sealed(part) for part in parts)
        run(pose_variances, (tree, self.sights(None), self.rooms, needed), inputs, (out,), rows, threads)
        return self.plan.v_out(out)

    def _rules(self, reins: Reins) -> Rules:
        plan = self.plan
        order_q = np.arange(self.model.nq) if plan.q_order is None else plan.q_order
        order_v = np.arange(self.model.nv) if plan.v_order is None else plan.v_order
        lower, upper = reins.lower[order_q], reins.upper[order_q]
        locked = reins.locked[order_v]
        iv = self._v_of_q
        bounded = np.flatnonzero((np.isfinite(lower) | np.isfinite(upper)) & (iv >= 0))
        bounded = bounded[~locked[iv[bounded]]]
        return Rules(
            np.ascontiguousarray(reins.scales[order_v], dtype=np.float64),
            self._reaches,
            np.flatnonzero(locked).astype(np.int64),
            np.column_stack([bounded, iv[bounded]]).astype(np.int64).reshape(-1, 2),
            np.column_stack([lower[bounded], upper[bounded]]).reshape(-1, 2),
            np.array([reins.tolerance, LEAST_DAMPING, float(reins.limit)]),
            int(reins.huber is not None),
        )

    @cached_property
    def _reaches(self) -> Array:
        """Return the longest steps in the engine's order: about a quarter turn, of a rod from end to end."""
        reaches = np.full(self.model.nv, QUARTER)
        for link in self.model.links:
            own = list(self.model.v_indices(link.name))
            if isinstance(link.joint, Rod):
                reaches[own] = QUARTER / link.joint.length
            elif link.parent == "world":
                reaches[own[3:]] = ROOM
        return self.plan.v_in(reaches[None])[0]

    @cached_property
    def _v_of_q(self) -> IntArray:
        """Return the place in v of each plain coordinate of q, in the engine's order; -1 for quaternions."""
        out = np.full(self.model.nq, -1, dtype=np.int64)
        for node in self.plan.tree.nodes:
            if node[t.KIND] not in (t.SPHERICAL, t.FREE):
                n = node[t.N]
                out[node[t.IQ] : node[t.IQ] + n] = np.arange(node[t.IV], node[t.IV] + n)
        return out
