"""The pose of a standing person: weighted least squares on markers and coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softstride.engine.pose_fit import Measured
from softstride.errors import InputError
from softstride.kinematics.coordinates import Bounds, plain_coordinates
from softstride.kinematics.ik.aims import make_aims
from softstride.kinematics.ik.costs import pose_costs
from softstride.kinematics.ik.options import IkOptions
from softstride.kinematics.ik.start import coordinate_scales, first_pose
from softstride.kinematics.ik.tasks import Task
from softstride.kinematics.ik.track import follow
from softstride.kinematics.ik.unwind import unwind
from softstride.kinematics.scaling.least_squares import Minimum
from softstride.model import Model

Array = NDArray[np.float64]


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
    coordinates keep their default, clamped ones (but for a floating root's) stay in their range.

    Args:
        model: The model.
        names: Its markers.
        target: Where they were seen, shape (m, 3), [m]; NaN where not.
        weights: Of the markers, shape (m,); None: equal.
        goals: Value [rad] or [m] and weight of coordinates.
        start: Pose to begin with; None: found from many (`first_pose`).
        tolerance: Share of the cost that may be left to gain.
    """
    w = np.ones(len(names)) if weights is None else np.asarray(weights, dtype=np.float64)
    drawn = goals or {}
    plain = plain_coordinates(model)
    unknown = [name for name in drawn if name not in plain.q]
    if unknown:
        raise InputError(
            f"{unknown[0]!r} is no coordinate that can be given a value; known: {', '.join(plain.q)}"
        )
    bounds = Bounds(model)
    task = Task(
        model=model,
        options=IkOptions(tolerance=tolerance),
        time=np.zeros(1),
        names=tuple(names),
        measured=Measured(
            np.ascontiguousarray(target[None], dtype=np.float64),
            np.arange(len(names)),
            w,
            np.zeros((1, 0, 3, 3)),
            np.zeros(0),
        ),
        turned=(),
        lower=bounds.lower,
        upper=bounds.upper,
        locked=bounds.locked,
        goals={name: (weight, value) for name, (value, weight) in drawn.items()},
        home=bounds.clip(model.neutral()),
        notes=(),
    )
    total = float(task.weight_seen[0])
    if total <= 0.0:
        raise InputError("a pose needs at least one marker that was seen and has a weight above zero")
    pose = first_pose(task)[1] if start is None else bounds.clip(start)
    aims = make_aims(task, np.zeros(model.nv))
    track = follow(task, aims, coordinate_scales(task), pose)
    unwind(model, track.q, task.lower, task.upper)
    cost = float(pose_costs(task, task.measured, aims, track.q)[0]) / total
    return Minimum(track.q[0], 0.5 * cost, int(track.iterations[0]), bool(track.converged[0]))
