"""The pose of a standing person: weighted least squares on markers and coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softstride.engine import integrate, jacobian, positions
from softstride.errors import InputError
from softstride.kinematics.coordinates import Bounds, plain_coordinates, root_velocities, unwound
from softstride.kinematics.scaling.least_squares import Minimum, minimise
from softstride.model import Model

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

HEADINGS = (0.0, 0.5 * math.pi, -0.5 * math.pi, math.pi)
"""Turns of the root from which the search starts [rad]: a trial may face any way."""


class _PoseProblem:
    """Σ w_m |x_m - p_m(q)|² + Σ w_c (q_c - goal_c)² over one frame."""

    def __init__(
        self,
        model: Model,
        names: Sequence[str],
        target: Array,
        weights: Array,
        goals: Mapping[str, tuple[float, float]],
        moving: Mask,
    ) -> None:
        self.model, self.names, self.target, self.moving = model, list(names), target, moving
        self.root = np.sqrt(weights)[:, None]
        self.bounds = Bounds(model)
        plain = plain_coordinates(model)
        unknown = [name for name in goals if name not in plain.q]
        if unknown:
            raise InputError(
                f"{unknown[0]!r} is no coordinate that can be given a value; known: {', '.join(plain.q)}"
            )
        self.goal_q = np.array([plain.q[name] for name in goals], dtype=np.intp)
        self.goal = np.array([value for value, _ in goals.values()])
        self.goal_root = np.sqrt([weight for _, weight in goals.values()])
        self.goal_rows = np.zeros((len(goals), model.nv))
        self.goal_rows[np.arange(len(goals)), [plain.v[name] for name in goals]] = self.goal_root

    def residual(self, q: Array) -> Array:
        markers = self.root * (positions(self.model, q, self.names) - self.target)
        return np.concatenate([markers.ravel(), self.goal_root * (q[self.goal_q] - self.goal)])

    def jacobian(self, q: Array) -> Array:
        J = self.root[..., None] * jacobian(self.model, q, self.names)
        return np.concatenate([J.reshape(-1, self.model.nv), self.goal_rows])

    def move(self, q: Array, step: Array) -> Array:
        return self.bounds.clip(integrate(self.model, q, step))

    def held(self, q: Array, downhill: Array) -> Mask:
        return self.bounds.held(q[None], downhill[None])[0] | ~self.moving


def static_pose(
    model: Model,
    names: Sequence[str],
    target: Array,
    weights: Array | None = None,
    goals: Mapping[str, tuple[float, float]] | None = None,
    start: Array | None = None,
    *,
    tolerance: float = 1e-10,
) -> Minimum[Array]:
    """Return the pose q, shape (nq,), that minimises Σ w_m |x_m - p_m(q)|² / Σ w_m + Σ w_c (q_c - goal_c)².

    Marker weights count relative to their sum, coordinate weights as they are, as in OpenSim's assembler. Locked
    coordinates keep their default, clamped ones (but for a floating root's) stay in their range. Without a start the
    root is turned to four headings about each of its axes, the rest in the default pose, and the best is taken.

    Args:
        model: The model.
        names: Its markers.
        target: Where they were seen, shape (m, 3), [m]; NaN where not.
        weights: Of the markers, shape (m,); None: equal.
        goals: Value [rad] or [m] and weight of coordinates.
        start: Pose to begin with.
        tolerance: See `minimise`.
    """
    seen: Mask = np.atleast_1d(np.isfinite(target).all(axis=1))
    w = (np.ones(len(names)) if weights is None else np.asarray(weights, dtype=np.float64))[seen]
    if not seen.any() or float(w.sum()) <= 0.0:
        raise InputError("a pose needs at least one marker that was seen and has a weight above zero")
    used = [name for name, yes in zip(names, seen, strict=True) if yes]
    everything = np.ones(model.nv, dtype=bool)
    problem = _PoseProblem(model, used, target[seen], w / w.sum(), goals or {}, everything)
    if start is None:
        start = _aligned_root(model, used, target[seen], w / w.sum())
    return minimise(problem, problem.bounds.clip(start), limit=200, tolerance=tolerance)


def _aligned_root(model: Model, names: Sequence[str], target: Array, weights: Array) -> Array:
    """Return the default pose with its root moved onto the markers."""
    root = root_velocities(model)
    moving = np.zeros(model.nv, dtype=bool)
    moving[root] = True
    problem = _PoseProblem(model, names, target, weights, {}, moving)
    best: Minimum[Array] | None = None
    for index in root or [0]:
        for angle in HEADINGS:
            if best is not None and angle == 0.0:
                continue  # the same start for every axis
            turn = np.zeros(model.nv)
            if root:
                turn[index] = angle
            found = minimise(problem, problem.move(model.neutral(), turn), limit=30, tolerance=1e-4)
            if best is None or found.cost < 0.9 * best.cost:
                best = found
    return model.neutral() if best is None else unwound(model, best.state)
