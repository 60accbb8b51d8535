"""What nothing explains: the wrench on the floating base, and whether it can be believed.

The joint of the base transmits tau = S^T [R^T n; R^T f], where S are the columns of the base link's Jacobian for the
coordinates of that joint and R its axes in the world. A joint with six coordinates of its own transmits all of the
wrench [n; f] that the recursion of inverse dynamics has for the base (`base_cuts`), whatever the coordinates are. From
generalized forces alone the wrench is found by solving for it; where the joint has fewer coordinates (a planar model),
or two of its axes are one, it is the smallest wrench that does.

A residual is judged against the largest net external force of the trial, F, but not less than body weight. Hicks et
al. [Hicks2015] ask of a simulation for at most 5 % of F in force, and 1 % of F times the height of the centre of mass
in moment. An inverse dynamics of raw markers, whose accelerations nobody adjusted, has several times that; what is
marked here is beyond noise: a plate that was missed, or one whose axes, units or clock are wrong. Which link a force
acts on does not change the residual: feet that were exchanged are told by `feet.far_loads`.

References:
    [Hicks2015] Hicks, Uchida, Seth, Rajagopal, Delp, J Biomech Eng 137:020905.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import branch_of
from softstride.dynamics.loads import AppliedWrench
from softstride.engine.cuts import Cut
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

TRANSMITTED = 1e-6
"""Part of a direction that a joint may lack and still be said to transmit a force along it."""

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


def base_cuts(model: Model) -> tuple[Cut, ...]:
    """Return the cut through the joint of the base, where it has six coordinates that move no other link's joint."""
    link = floating_base(model)
    if link is None or link.joint.nv != 6 or any(link.name in group for group in model.groups):
        return ()
    return (Cut(link.name, link.name),)


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


def transmitted(model: Model, base: str) -> Mask:
    """Return along which world axes the joint of the base transmits a force of its own, shape (3,).

    Those of a free base are all; a planar model's are the two of its plane. Along others the residual force is zero,
    whatever acts: nothing is known there. The neutral pose is asked.
    """
    own = branch_of(model, (base,))
    at = own.take(model.neutral()[None])
    S = jacobian(own.model, at, base)[0]
    R = poses(own.model, at, base)[0, :3, :3]
    world = np.concatenate([R @ S[:3], R @ S[3:]])
    lacking = (np.eye(6) - world @ np.linalg.pinv(world, rcond=LOCKED))[3:]
    return np.asarray(np.abs(lacking).max(axis=1) < TRANSMITTED)


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
    pull = float(np.linalg.norm(model.gravity))
    weight = model.mass * pull
    net = np.zeros((len(residual), 3))
    heights = []
    up = -np.asarray(model.gravity) / max(pull, 1e-300)
    axes = np.flatnonzero(up).tolist() or [0]
    for wrench in wrenches.values():
        net += wrench.force if math.isfinite(wrench.force.sum()) else np.nan_to_num(wrench.force)
        above = sum(up[i] * (origin[:, i] - wrench.point[:, i]) for i in axes)
        above = above[above == above]  # where it acts
        if len(above):
            heights.append(float(above.sum()) / len(above))
    largest = max(weight, math.sqrt(_squared(net).max(initial=0.0)))
    height = max(heights, default=0.0)
    force, moment = FORCE_LIMIT * largest, MOMENT_LIMIT * largest * (height if height > 0.0 else 1.0)
    too_large = (_squared(residual[:, 3:]) > force**2) | (_squared(residual[:, :3]) > moment**2)
    return np.asarray(too_large), (force, moment)


def _squared(x: Array) -> Array:
    """Return the squared length of vectors, shape (n,) from (n, 3); NaN where one is not known."""
    a, b, c = x[:, 0], x[:, 1], x[:, 2]
    return np.asarray(a * a + b * b + c * c)
