"""The true contact: an elastic foundation under shoe and blade, many small elements that press and rub.

Each element is a point of the sole with the law of Hunt and Crossley for its normal force and a regularised law of
Coulomb for its friction. With the height y of the point over the floor, its depth d = max(-y, 0), its velocity
(vx, vy, vz) and u = -c vy,

    f_n = k d² (1 + u / sqrt(1 + u²)),      f_t = -mu f_n v_t / sqrt(|v_t|² + s²).

The damping grows like 1 + u (Hunt, Crossley 1975, here with the power 2 of a soft pad, whose stiffness grows with
depth) for small u but stays between 0 and 2, so that no element ever pulls; friction is always inside its cone,
|f_t| < mu f_n. Elements above the floor carry exactly nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from softstride.digital_athlete.person import true_blade, true_model
from softstride.engine.dynamics import generalized_forces
from softstride.engine.kinematics import jacobian, poses, velocities
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Frame
from softstride.naming import Side
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

FRICTION = 0.75
SLIP = 0.1
"""Speed s at which friction has reached 71 % of its bound [m/s]."""

SHOE, RUBBER = 2.0e6, 2.5e6
"""Stiffness k of an element of the shoe and of the sole of the blade [N/m²]."""

DISSIPATION = 1.0
"""Coefficient c [s/m]."""

REACH = 4.0
"""Widths of a rounded contact above the floor beyond which it is not felt."""

FEET: tuple[Side, Side] = ("left", "right")
"""Order of the two soles: the shoe of the left foot, the blade of the right leg."""

LINK = {"left": "calcn_l", "right": "blade_r"}
"""Link that carries the ground reaction of a side."""


@dataclass(frozen=True, eq=False)
class Elements:
    """Elements of both soles.

    Attributes:
        places: Frames at the elements, with the axes of their link or section.
        stiffness: k of each, shape (k,), [N/m²].
        foot: 0 for the left, 1 for the right, shape (k,).
    """

    places: tuple[Frame, ...]
    stiffness: Array
    foot: NDArray[np.intp]


@cache
def elements() -> Elements:
    """Return the elements: 5 by 3 on the hindfoot, 3 by 3 on the toes, 26 by 2 along the blade."""
    model = true_model()
    at = {name: shape.position for name, shape in model.contacts.items() if isinstance(shape, ContactSphere)}
    heel = 0.5 * (at["heel_medial_l"] + at["heel_lateral_l"])
    ball = 0.5 * (at["metatarsal_1_l"] + at["metatarsal_5_l"])
    tip = model.frames["toe_tip_l"].position
    behind = np.array([-0.025, 0.0, 0.0])
    shoe = [
        Frame("calcn_l", heel + behind + share * (ball - heel - behind) + (0.0, 0.0, side))
        for share in np.linspace(0.0, 1.0, 5)
        for side in (-0.03, 0.0, 0.03)
    ]
    shoe += [
        Frame("toes_l", np.array([share * tip[0], tip[1], tip[2] + side]))
        for share in (0.3, 0.65, 1.0)
        for side in (-0.03, 0.0, 0.03)
    ]
    blade = true_blade()
    first = min(shape.at or 0.0 for shape in blade.contacts.values())
    strip = [
        Frame("blade_r", blade.sole_offset(float(s)) + np.array([0.0, side, 0.0]), at=float(s))
        for s in np.linspace(first, blade.length, 26)
        for side in (-0.025, 0.025)
    ]
    counts = len(shoe), len(strip)
    return Elements(
        (*shoe, *strip), np.repeat((SHOE, RUBBER), counts), np.repeat(np.arange(2, dtype=np.intp), counts)
    )


@dataclass(frozen=True, eq=False)
class Pressing:
    """What the elements do.

    Attributes:
        position: Of each element, shape (n, k, 3), [m].
        force: On each element, shape (n, k, 3), [N].
    """

    position: Array
    force: Array


def law(height: Array, velocity: Array, stiffness: Array, blur: float = 0.0) -> tuple[Array, Array, Array]:
    """Return the force of elements and its derivatives by their height and velocity.

    Args:
        height: Over the floor, shape (...,), [m].
        velocity: Shape (..., 3), [m/s].
        stiffness: k, shape (...,).
        blur: Width ε of a rounded contact, d = (sqrt(y² + ε²) - y) / 2, [m]; the truth has none.

    Returns:
        f (..., 3), df/dy (..., 3) and df/dv (..., 3, 3), in [N], [N/m] and [N s/m].
    """
    root = np.sqrt(height**2 + blur**2)
    d = 0.5 * (root - height)
    d_y = np.where(root > 0.0, 0.5 * (height / np.where(root > 0.0, root, 1.0) - 1.0), 0.0)
    u = -DISSIPATION * velocity[..., 1]
    long = np.sqrt(1.0 + u * u)
    damping = 1.0 + u / long
    normal = stiffness * d * d * damping
    normal_y = 2.0 * stiffness * d * d_y * damping
    normal_v = -DISSIPATION * stiffness * d * d / long**3
    speed = np.sqrt(velocity[..., 0] ** 2 + velocity[..., 2] ** 2 + SLIP**2)
    direction = np.stack(
        [-FRICTION * velocity[..., 0] / speed, np.ones_like(speed), -FRICTION * velocity[..., 2] / speed], -1
    )
    by_velocity = normal_v[..., None, None] * direction[..., :, None] * np.array([0.0, 1.0, 0.0])
    for i in (0, 2):
        for j in (0, 2):
            turn = float(i == j) - velocity[..., i] * velocity[..., j] / speed**2
            by_velocity[..., i, j] -= FRICTION * normal / speed * turn
    return normal[..., None] * direction, normal_y[..., None] * direction, by_velocity


def press(q: Array, v: Array, blur: float = 0.0) -> Pressing:
    """Return position and force of all elements at a motion of the true model."""
    model, sole = true_model(), elements()
    T = poses(model, q, sole.places)
    twist = velocities(model, q, v, sole.places)
    velocity = np.einsum("nkij,nkj->nki", T[..., :3, :3], twist[..., 3:])
    force, _, _ = law(T[..., 1, 3], velocity, sole.stiffness, blur)
    force[T[..., 1, 3] >= REACH * blur] = 0.0
    return Pressing(T[..., :3, 3], force)


def respond(q: Array, v: Array, blur: float = 0.0) -> tuple[Array, Array]:
    """Return the generalized contact forces, shape (n, nv), and the sums on the left and right foot, shape (n, 6)."""
    sole, force = elements(), press(q, v, blur).force
    wrenches = np.concatenate([np.zeros_like(force), force], axis=2)
    load = generalized_forces(true_model(), q, {place: wrenches[:, k] for k, place in enumerate(sole.places)})
    return load, np.concatenate([force[:, sole.foot == foot].sum(axis=1) for foot in (0, 1)], axis=1)


@dataclass(frozen=True, eq=False)
class Linearised:
    """Generalized contact forces and their derivatives.

    Attributes:
        load: sum Jᵀ f, shape (n, nv).
        load_q: Its derivative by q, shape (n, nv, nv).
        load_v: By v.
        force: Sum of the forces of each foot, left and right, shape (n, 6), [N].
        force_q: Its derivative by q, shape (n, 6, nv).
        force_v: By v.
    """

    load: Array
    load_q: Array
    load_v: Array
    force: Array
    force_q: Array
    force_v: Array


def linearise(q: Array, v: Array, blur: float = 0.0) -> Linearised:
    """Return the contact forces at a motion of the true model, and how they change with it.

    Second derivatives of the position x of an element are those of a chain of turns, d²x / dq_i dq_j = w_i x J_j for
    i nearer to the base than j, with w_i the axis that coordinate i turns about: exact but for coordinates that share a
    joint with shifting axes (knee, segments of a rod), where Newton's method does not need them.
    """
    model, sole = true_model(), elements()
    n, nv = v.shape
    T = poses(model, q, sole.places)
    J = jacobian(model, q, sole.places).reshape(n, len(sole.places), 2, 3, nv)
    shifts = np.array([name.startswith("pelvis_t") and name[-1] in "xyz" for name in model.coordinate_names])
    out = Linearised(
        *(np.zeros((n, *shape)) for shape in ((nv,), (nv, nv), (nv, nv), (6,), (6, nv), (6, nv)))
    )
    for k, foot in enumerate(sole.foot):
        rows = np.flatnonzero(T[:, k, 1, 3] < REACH * blur)
        if not len(rows):
            continue
        chain = np.flatnonzero(np.abs(J[rows[0], k]).max(axis=(0, 1)) > 0.0)
        R = T[rows, k, :3, :3]
        W, L = R @ J[rows, k, 0][:, :, chain], R @ J[rows, k, 1][:, :, chain]
        parts = _element(
            W, L, shifts[chain], T[rows, k, 1, 3], v[np.ix_(rows, chain)], sole.stiffness[k], blur
        )
        part = np.arange(3 * foot, 3 * foot + 3)
        out.load[np.ix_(rows, chain)] += parts[0]
        out.load_q[np.ix_(rows, chain, chain)] += parts[1]
        out.load_v[np.ix_(rows, chain, chain)] += parts[2]
        out.force[np.ix_(rows, part)] += parts[3]
        out.force_q[np.ix_(rows, part, chain)] += parts[4]
        out.force_v[np.ix_(rows, part, chain)] += parts[5]
    return out


def _element(
    W: Array, L: Array, shifts: NDArray[np.bool_], height: Array, rate: Array, stiffness: float, blur: float
) -> tuple[Array, ...]:
    """Return the parts of `Linearised` of one element, for the coordinates that move it.

    Args:
        W: Angular velocity of the element by coordinate, world axes, shape (m, 3, c).
        L: Its velocity by coordinate, likewise.
        shifts: Coordinates that shift along axes of the world, shape (c,).
        height: Shape (m,), [m].
        rate: Velocities of the coordinates, shape (m, c).
        stiffness: Of the element.
        blur: As in `law`.
    """
    f, by_y, by_v = law(height, (L @ rate[..., None])[..., 0], np.full(len(height), stiffness), blur)
    Wt, Lt = W.swapaxes(1, 2), L.swapaxes(1, 2)  # (m, c, 3)
    turning = np.where(shifts[:, None], 0.0, Lt)  # nothing turns the axes of the world
    ahead = (turning * rate[..., None])[:, ::-1].cumsum(axis=1)[:, ::-1]
    behind = np.cumsum(Wt * rate[..., None], axis=1) - Wt * rate[..., None]
    drift = (cross(behind, turning) + cross(Wt, ahead)).swapaxes(1, 2)
    force_q = by_y[:, :, None] * L[:, 1:2] + by_v @ drift
    force_v = by_v @ L
    bend = np.triu(Wt @ cross(turning, f[:, None]).swapaxes(1, 2))
    bend += np.triu(bend, 1).swapaxes(1, 2)
    return (Lt @ f[..., None])[..., 0], Lt @ force_q + bend, Lt @ force_v, f, force_q, force_v


__all__ = [
    "FEET",
    "FRICTION",
    "LINK",
    "Elements",
    "Linearised",
    "Pressing",
    "elements",
    "law",
    "linearise",
    "press",
    "respond",
]
