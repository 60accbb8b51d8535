r"""A body on a base that can be moved: its wrench, how that answers to a change of the base, and the way back.

The body is taken off its joint: base pose H = (R, p), body twist and the derivative of that twist are what they were,
and the base is free. A change moves it by d and turns it by the rotation vector r,

    R' = exp(r) R,    p' = p + d,

both functions of time, and everything on it goes along. With phi = T_R(r) r' the angular velocity of exp(r) in its own
axes,

    omega' = omega + R^T phi,               domega' = domega + R^T dphi - omega x R^T phi,
    v'     = R'^T (dp + d'),                dv'     = R'^T (ddp + d'') - omega' x v'.

The wrench that the base lacks is that of inverse dynamics minus the forces from outside, which stay where they were in
the world unless they are given in the axes of a link. It is linear in d'' and r'', quadratic in r', and d only moves
the point that moments are about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.branch import branch_of
from softstride.dynamics.prepare import State
from softstride.dynamics.reduction.outside import Outside
from softstride.engine.dynamics import inverse_dynamics
from softstride.engine.kinematics import accelerations, jacobian, jacobian_dot_v, poses, velocities
from softstride.engine.manifold import integrate
from softstride.errors import InputError
from softstride.model.joints import Free
from softstride.model.link import WORLD, Link
from softstride.model.model import Model
from softstride.spatial import se3, so3
from softstride.spatial.quaternion import matrix_to_quat
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

TURN_STEP = 1e-4
"""Of the central differences by r [rad]: their error is its square."""

RATE_STEP = 1e-1
"""Of those by r' [rad/s], in which the wrench is quadratic: they are exact up to rounding."""

REACHED = 1e-12
"""Distance of a pose from the one that is wanted [m], [rad]."""

NEWTON = 20
"""Most steps to a pose; four are usual."""

SMALL_REACH = 0.1
"""Distance of a body that is its base alone [m]."""

OFF = 1e-6
"""Part of a direction that the joint of the base may lack and still be said to move along it."""


@dataclass(frozen=True, eq=False)
class FloatingBody:
    """A base link and all that hangs on it, free in the world.

    Attributes:
        model: That part of the model, its root a free joint at the world's origin.
        link: The base link of the whole model.
        axes: Axes of the change in the world, shape (3, 3): those that the base hangs in.
        movable: Which of three shifts and three turns along `axes` the joint of the base has, locked coordinates left
            out, shape (6,).
        q: Configurations of the part, shape (n, nq).
        v: Velocities of the part, shape (n, nv): body twist of the base first.
        a: Their derivatives, shape (n, nv).
        pose: Of the base, shape (n, 4, 4).
    """

    model: Model
    link: Link
    axes: Array
    movable: Mask
    q: Array
    v: Array
    a: Array
    pose: Array

    def with_links(self, links: Mapping[str, Link]) -> FloatingBody:
        """Return the same motion with other masses: the inertia of some links, by name."""
        new = tuple(
            replace(own, inertia=links[own.name].inertia) if own.name in links else own
            for own in self.model.links
        )
        return replace(self, model=Model(self.model.name, new, self.model.gravity))

    def moved(self, shift: Array) -> FloatingBody:
        """Return the body after a change of the base.

        Args:
            shift: [d; r] and the first and second derivatives, along `axes`, shape (3, n, 6), [m] and [rad].
        """
        d, r = (shift[..., part] @ self.axes.T for part in (slice(0, 3), slice(3, 6)))
        R, omega, u = self.pose[:, :3, :3], self.v[:, :3], self.v[:, 3:6]
        alpha, du = self.a[:, :3], self.a[:, 3:6]
        tangent = so3.tangent_right(r[0])
        phi = _times(tangent, r[1])
        dphi = _times(tangent, r[2]) + _times(so3.tangent_right_derivative(r[0], r[1]), r[1])
        back = np.swapaxes(R, 1, 2)
        turn = _times(back, phi)
        new_omega = omega + turn
        new_alpha = alpha + _times(back, dphi) - cross(omega, turn)
        new_R = so3.exp(r[0]) @ R
        new_back = np.swapaxes(new_R, 1, 2)
        new_u = _times(new_back, _times(R, u) + d[1])
        felt = _times(R, du + cross(omega, u)) + d[2]
        new_du = _times(new_back, felt) - cross(new_omega, new_u)
        pose = se3.pose(new_R, self.pose[:, :3, 3] + d[0])
        q, v, a = self.q.copy(), self.v.copy(), self.a.copy()
        q[:, :3], q[:, 3:7] = pose[:, :3, 3], matrix_to_quat(new_R)
        v[:, :6], a[:, :6] = np.hstack([new_omega, new_u]), np.hstack([new_alpha, new_du])
        return replace(self, q=q, v=v, a=a, pose=pose)

    @property
    def reach(self) -> float:
        """Root mean square distance of all links from the base [m]: how far a turn by one radian moves them."""
        others = self.model.link_names[1:]
        if not others:
            return SMALL_REACH
        arms = poses(self.model, self.q, others)[..., :3, 3] - self.pose[:, None, :3, 3]
        return max(float(np.sqrt(np.mean(np.sum(arms * arms, axis=2)))), SMALL_REACH)

    def wrench(self, outside: Outside, threads: int | None = None) -> Array:
        """Return what the base lacks, [moment; force] along `axes` about its origin, shape (n, 6), [N·m] and [N].

        Args:
            outside: The forces from outside.
            threads: How many threads may be used.
        """
        tau = inverse_dynamics(self.model, self.q, self.v, self.a, threads=threads)[:, :6]
        world = tau.reshape(-1, 2, 3) @ np.swapaxes(self.pose[:, :3, :3], 1, 2)  # (n, 2, 3)
        world -= outside.about(self.pose).reshape(-1, 2, 3)
        return np.asarray((world @ self.axes).reshape(-1, 6))

    def response(self, shift: Array, outside: Outside, threads: int | None = None) -> Array:
        """Return the derivatives of `wrench` by a change of the base and its rates, at a change.

        Args:
            shift: The change, as in `moved`.
            outside: The forces from outside.
            threads: How many threads may be used.

        Returns:
            d/d[d; r], d/d[d'; r'] and d/d[d''; r''], shape (3, n, 6, 6).
        """
        n = len(self.q)
        found = np.zeros((3, n, 6, 6))
        moved = self.moved(shift)
        found[0, :, :3, :3] = -so3.hat(outside.standing(moved.pose) @ self.axes)  # d x f

        def at(order: int, column: int, step: float) -> Array:
            other = shift.copy()
            other[order, :, column] += step
            return self.moved(other).wrench(outside, threads)

        for column in range(3, 6):
            for order, step in ((0, TURN_STEP), (1, RATE_STEP)):
                found[order, :, :, column] = (at(order, column, step) - at(order, column, -step)) / (
                    2.0 * step
                )
        here = moved.wrench(outside, threads)
        for column in range(6):
            found[2, :, :, column] = at(2, column, 1.0) - here
        return found


def take_off(model: Model, base: Link, state: State, threads: int | None = None) -> FloatingBody:
    """Return the body of a floating base, off its joint."""
    part, old = _free_part(model, base)
    own = branch_of(model, (base.name,))
    at, v, a = (
        own.take(state.q),
        np.ascontiguousarray(state.v[:, own.v]),
        np.ascontiguousarray(state.a[:, own.v]),
    )
    pose = poses(own.model, at, base.name, threads=threads)
    twist = velocities(own.model, at, v, base.name, threads=threads)
    rate = accelerations(own.model, at, v, a, base.name, threads=threads)
    q = np.hstack([pose[:, :3, 3], matrix_to_quat(pose[:, :3, :3]), state.q[:, old.q]])
    axes = np.array(base.placement[:3, :3])
    S = jacobian(own.model, at, base.name, threads=threads).reshape(len(at), 2, 3, -1)
    S = np.einsum("ka,nkl,nplv->npav", axes, pose[:, :3, :3], S).reshape(
        len(at), 6, -1
    )  # [turn; shift] along axes
    S = S[..., [not model.coordinates[name].locked for name in own.model.coordinate_names]]
    lacking = np.eye(6) - S @ np.linalg.pinv(S, rcond=OFF)
    movable = np.roll(np.abs(lacking).max(axis=(0, 1)) < OFF, 3)
    return FloatingBody(
        part,
        base,
        axes,
        movable,
        q,
        np.hstack([twist, state.v[:, old.v]]),
        np.hstack([rate, state.a[:, old.v]]),
        pose,
    )


@dataclass(frozen=True, eq=False)
class _Rest:
    """Where the coordinates below the base are in those of the whole."""

    q: NDArray[np.intp]
    v: NDArray[np.intp]


def _free_part(model: Model, base: Link) -> tuple[Model, _Rest]:
    kept = {base.name}
    for link in model.links:
        if link.parent in kept:
            kept.add(link.name)
    free = replace(base, parent=WORLD, joint=Free(), placement=np.eye(4), offset=np.eye(4))
    others = [link for link in model.links if link.name in kept and link.name != base.name]
    part = Model(model.name, (free, *others), model.gravity)
    q, v = np.empty(part.nq, dtype=np.intp), np.empty(part.nv, dtype=np.intp)
    for link in others:
        q[list(part.q_indices(link.name))] = model.q_indices(link.name)
        v[list(part.v_indices(link.name))] = model.v_indices(link.name)
    return part, _Rest(q[7:], v[6:])


def put_back(model: Model, body: FloatingBody, state: State) -> State:
    """Return the motion of a model whose base moves as that of the body: other coordinates of the base, no others.

    The coordinates are found by Newton steps from those of `state`, q <- q [+] S^+ log(H(q)^-1 H'), their rates from
    the twist and its derivative.

    Raises:
        InputError: The joint of the base cannot follow.
    """
    name = body.link.name
    own = branch_of(model, (name,))
    at = own.take(state.q)
    for _ in range(NEWTON):
        S: Array = np.asarray(np.linalg.pinv(jacobian(own.model, at, name), rcond=OFF), dtype=np.float64)
        away = se3.log(se3.inverse(poses(own.model, at, name)) @ body.pose)
        if float(np.abs(away).max()) < REACHED:
            break
        before = float(np.abs(away).max())
        at = integrate(own.model, at, _times(S, away))
    else:
        if before > 1e-9:
            raise InputError(
                f"the joint of the base {name!r} cannot follow the changed motion to less than {before:.1e} m or rad; "
                "reduce base_shift and base_turn, or set them to 0"
            )
    v = _times(S, body.v[:, :6])
    a = _times(S, body.a[:, :6] - jacobian_dot_v(own.model, at, v, name))
    q_all, v_all, a_all = state.q.copy(), state.v.copy(), state.a.copy()
    q_all[:, own.q], v_all[:, own.v], a_all[:, own.v] = at, v, a
    return State(state.time, q_all, v_all, a_all)


def _times(A: Array, x: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", A, x))
