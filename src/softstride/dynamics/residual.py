"""What nothing explains: the wrench on the floating base, and whether it can be believed.

The joint of the base transmits tau = S^T [R^T n; R^T f], where S are the columns of the base link's Jacobian for the
coordinates of that joint and R its axes in the world. So the wrench is found from the generalized forces, whatever the
coordinates are. Where the joint has fewer than six (a planar model), or two of its axes are one, it is the smallest
wrench that does.

A residual is judged against the largest net external force of the trial, F, but not less than body weight. Hicks et
al. [Hicks2015] ask of a simulation for at most 5 % of F in force, and 1 % of F times the height of the centre of mass
in moment. An inverse dynamics of raw markers, whose accelerations nobody adjusted, has several times that; what is
marked here is beyond noise: a plate that was missed, or one that is on the other foot.

References:
    [Hicks2015] Hicks, Uchida, Seth, Rajagopal, Delp, J Biomech Eng 137:020905.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import branch_of
from softstride.dynamics.loads import AppliedWrench
from softstride.engine.kinematics import jacobian, poses
from softstride.kinematics.motion_table import describe_columns
from softstride.model.link import Link
from softstride.model.model import Model

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

FORCE_LIMIT = 0.25
"""Of a residual force to the largest net external force: five times what a good simulation has [Hicks2015]. A foot
without its plate leaves more through most of its stance."""

MOMENT_LIMIT = 0.1
"""Of a residual moment to the largest net external force times the height of the base over where it acts: ten times
what a good simulation has [Hicks2015]; the centre of pressure would be off by a tenth of that height."""

LOCKED = 1e-6
"""Share of a moment below which the generalized forces it makes are rounding: two axes of the joint are one, a gimbal
lock. Lengths are in metres."""

_bases: WeakKeyDictionary[Model, str | None] = WeakKeyDictionary()


def floating_base(model: Model) -> Link | None:
    """Return the link that carries all others through the world: its joint both turns and travels."""
    if model not in _bases:
        _bases[model] = _find_base(model)
    name = _bases[model]
    return None if name is None else model.link(name)


def _find_base(model: Model) -> str | None:
    units = {column.name: column.unit for column in describe_columns(model)}
    for link in model.children("world"):
        own = [units[name] for name in link.coordinate_names]
        if "rad" in own and "m" in own:
            return link.name
    return None


def base_wrench(
    model: Model, base: str, q: Array, tau: Array, threads: int | None = None
) -> tuple[Array, Array]:
    """Return the wrench that the joint of the base gives it, and where the base is.

    Args:
        model: The model.
        base: Name of the base link.
        q: Configurations, shape (n, nq).
        tau: Generalized forces, shape (n, nv).
        threads: How many threads may be used.

    Returns:
        [moment; force] in world axes about the origin of the link, shape (n, 6), [N·m] and [N]; and that origin,
        shape (n, 3), [m].
    """
    own = branch_of(model, (base,))  # a root, alone
    at = own.take(q)
    S = jacobian(own.model, at, base, threads=threads)  # (n, 6, k)
    T = poses(own.model, at, base, threads=threads)
    right = tau[:, own.v, None]
    across = np.swapaxes(S, 1, 2)
    body = _solved(across, right) if len(own.v) == 6 else _smallest(across, right)
    R = T[:, :3, :3]
    both = body.reshape(-1, 2, 3) @ np.swapaxes(R, 1, 2)
    return both.reshape(-1, 6), T[:, :3, 3]


def _solved(across: Array, right: Array) -> Array:
    try:
        body: Array = np.asarray(np.linalg.solve(across, right)[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:  # a gimbal lock to the last digit, in some frame
        return _smallest(across, right)
    locked = np.abs(body).max(axis=1) * LOCKED > np.abs(right[..., 0]).max(axis=1)
    if locked.any():
        body[locked] = _smallest(across[locked], right[locked])
    return body


def _smallest(across: Array, right: Array) -> Array:
    return np.asarray((np.linalg.pinv(across, rcond=LOCKED) @ right)[..., 0])


def judge(
    model: Model, residual: Array, origin: Array, wrenches: Mapping[str, AppliedWrench]
) -> tuple[Mask, tuple[float, float]]:
    """Return the frames whose residual is too large to believe, and the limits of force [N] and moment [N·m].

    Args:
        model: The model.
        residual: [moment; force], shape (n, 6).
        origin: Of the base link, shape (n, 3), [m].
        wrenches: What was applied.
    """
    weight = model.mass * float(np.linalg.norm(model.gravity))
    net = np.zeros((len(residual), 3))
    heights = []
    up = -np.asarray(model.gravity) / max(float(np.linalg.norm(model.gravity)), 1e-300)
    for wrench in wrenches.values():
        net += np.nan_to_num(wrench.force)
        placed = np.isfinite(wrench.point).all(axis=1)
        if placed.any():
            heights.append(float(np.mean((origin[placed] - wrench.point[placed]) @ up)))
    largest = max(weight, float(np.linalg.norm(net, axis=1).max(initial=0.0)))
    height = max(heights, default=0.0)
    force, moment = FORCE_LIMIT * largest, MOMENT_LIMIT * largest * (height if height > 0.0 else 1.0)
    too_large = (np.linalg.norm(residual[:, 3:], axis=1) > force) | (
        np.linalg.norm(residual[:, :3], axis=1) > moment
    )
    return np.asarray(too_large), (force, moment)
