r"""Constraints on the motion of a model: points held or joined, surfaces that roll.

A constraint gives, for all frames at once, its position residual phi(q), its Jacobian J with d phi/dt = J v,
and Jdot v. Rows may be holonomic (phi is kept at zero) or only act on velocities (J v = 0, phi reported as
zero), as in rolling. Anything with these four members will do: `Constraint` is a protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride import engine
from softstride.errors import InputError
from softstride.model.frame import Frame, Point
from softstride.model.model import Model
from softstride.spatial import cross, so3

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@runtime_checkable
class Constraint(Protocol):
    """Rows J(q) v = 0, some of which are rates of phi(q) = 0."""

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """For each row whether phi(q) = 0 must hold too."""

    def residual(self, model: Model, q: FloatArray) -> FloatArray:
        """Return phi for q (F, nq): shape (F, rows), zero in rows that act on velocities only."""

    def jacobian(self, model: Model, q: FloatArray) -> FloatArray:
        """Return J, shape (F, rows, nv)."""

    def bias(self, model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return Jdot v, shape (F, rows)."""


@dataclass(frozen=True, eq=False)
class PointConstraint:
    """Hold a point of the model at a place of the world, or join two points of the model (a closed loop).

    phi = D (x_point - x_target), one row for each direction in D. The multipliers are the components along D
    of the force on `point` (the opposite force acts on the target).

    Attributes:
        point: A `Point`, or the name of a marker, frame or link (its origin).
        target: A place in the world, shape (3,) [m], or another point of the model.
        directions: World directions that are held, shape (rows, 3); all three unless given.
    """

    point: Point | str
    target: ArrayLike | Point | str
    directions: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    _known: WeakKeyDictionary[Model, list[Point]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the directions and the target."""
        D = np.array(self.directions, dtype=np.float64)
        if (
            D.ndim != 2
            or D.shape[1] != 3
            or not np.isfinite(D).all()
            or np.any(np.linalg.norm(D, axis=1) == 0.0)
        ):
            raise InputError(
                f"directions must be non-zero vectors, shape (rows, 3), however they are {D.tolist()}."
            )
        object.__setattr__(self, "directions", D / np.linalg.norm(D, axis=1, keepdims=True))
        if not isinstance(self.target, (Point, str)):
            place = np.array(self.target, dtype=np.float64)
            if place.shape != (3,) or not np.isfinite(place).all():
                raise InputError(f"target must be a place (3,) or a point, however it is {self.target!r}.")
            object.__setattr__(self, "target", place)
        object.__setattr__(self, "_known", WeakKeyDictionary())

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """All rows."""
        return (True,) * len(np.asarray(self.directions))

    def _points(self, model: Model) -> list[Point]:
        """Return one or two points, the same objects every time: the engine plans for objects it knows."""
        if model not in self._known:
            ends = [self.point] if isinstance(self.target, np.ndarray) else [self.point, self.target]
            self._known[model] = [as_point(model, end) for end in ends]  # type: ignore[arg-type]
        return self._known[model]

    def residual(self, model: Model, q: FloatArray) -> FloatArray:
        """Return D (x_point - x_target), shape (F, rows), [m]."""
        x = engine.positions(model, q, self._points(model))
        fixed = self.target if isinstance(self.target, np.ndarray) else x[:, 1]
        return np.asarray((x[:, 0] - fixed) @ np.asarray(self.directions).T)

    def jacobian(self, model: Model, q: FloatArray) -> FloatArray:
        """Return D (J_point - J_target), shape (F, rows, nv)."""
        first, *second = (engine.jacobian(model, q, point) for point in self._points(model))
        return np.asarray(self.directions) @ (first - second[0] if second else first)

    def bias(self, model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return the acceleration of phi at a = 0, shape (F, rows), [m/s²]."""
        first, *second = (engine.jacobian_dot_v(model, q, v, point) for point in self._points(model))
        return np.asarray((first - second[0] if second else first) @ np.asarray(self.directions).T)


@dataclass(frozen=True, eq=False)
class RollingConstraint:
    """Roll a sphere or a thin disk without slip on a plane.

    With centre c, contact direction d (unit, from the centre to the lowest point) and radius r, the material
    point of contact is at rest, v_c + omega x r d = 0: three rows along (normal, two tangents). The first is
    holonomic, n . (c + r d - origin) = 0; the tangential two are not integrable. For a sphere d = -n; for a
    disk about the axis A, d is -n made orthogonal to A. The multipliers are the ground force (normal,
    tangent, tangent) in [N].

    Attributes:
        link: Name of the rolling link.
        radius: Radius r [m].
        centre: Centre in link axes, shape (3,), [m].
        axis: Axis of the disk in link axes, shape (3,); None: a sphere.
        normal: Normal of the plane out of the ground, world axes, shape (3,).
        origin: A point of the plane, world, shape (3,), [m].
    """

    link: str
    radius: float
    centre: ArrayLike = (0.0, 0.0, 0.0)
    axis: ArrayLike | None = None
    normal: ArrayLike = (0.0, 1.0, 0.0)
    origin: ArrayLike = (0.0, 0.0, 0.0)
    _frame: Frame = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check and normalise."""
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(f"radius must be above zero, however it is {self.radius}.")
        for name, is_unit in (("centre", False), ("origin", False), ("normal", True), ("axis", True)):
            value = getattr(self, name)
            if value is None:
                continue
            vector = np.array(value, dtype=np.float64)
            if vector.shape != (3,) or not np.isfinite(vector).all() or (is_unit and not vector.any()):
                raise InputError(
                    f"{name} of a RollingConstraint must be a vector (3,), however it is {value!r}."
                )
            object.__setattr__(self, name, vector / np.linalg.norm(vector) if is_unit else vector)
        object.__setattr__(self, "_frame", Frame(self.link, np.asarray(self.centre)))

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """The normal row only."""
        return (True, False, False)

    @property
    def basis(self) -> FloatArray:
        """Normal and two tangents as rows, right-handed, shape (3, 3)."""
        n = np.asarray(self.normal)
        helper = np.eye(3)[int(np.argmin(np.abs(n)))]
        first = cross(helper, n)
        first /= np.linalg.norm(first)
        return np.stack([n, first, cross(n, first)])

    def _arm(self, R: FloatArray, omega: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return r d and its rate, shape (F, 3), from the link's rotation and world angular velocity."""
        n = np.asarray(self.normal)
        if self.axis is None:
            return np.broadcast_to(-self.radius * n, (len(R), 3)), np.zeros((len(R), 3))
        A = R @ np.asarray(self.axis)  # (F, 3)
        u = (A @ n)[:, None] * A - n
        length = np.linalg.norm(u, axis=-1, keepdims=True)
        if np.any(length < 1e-6):
            raise InputError(
                f"the disk {self.link!r} lies flat on its plane: its point of contact is not defined."
            )
        d = u / length
        if omega is None:
            return self.radius * d, np.zeros_like(d)
        dA = cross(omega, A)
        du = (dA @ n)[:, None] * A + (A @ n)[:, None] * dA
        return self.radius * d, self.radius * (du - d * np.sum(d * du, axis=-1, keepdims=True)) / length

    def residual(self, model: Model, q: FloatArray) -> FloatArray:
        """Return (height of the lowest point, 0, 0), shape (F, 3), [m]."""
        T = engine.poses(model, q, self._frame)
        lowest = T[:, :3, 3] + self._arm(T[:, :3, :3])[0] - np.asarray(self.origin)
        out = np.zeros((len(q), 3))
        out[:, 0] = lowest @ np.asarray(self.normal)
        return out

    def jacobian(self, model: Model, q: FloatArray) -> FloatArray:
        """Return the Jacobian of the material point of contact along `basis`, shape (F, 3, nv)."""
        R = engine.poses(model, q, self._frame)[:, :3, :3]
        J = engine.jacobian(model, q, self._frame)  # (F, 6, nv) body-fixed
        world = R @ J[:, 3:] - so3.hat(self._arm(R)[0]) @ R @ J[:, :3]
        return np.asarray(self.basis @ world)

    def bias(self, model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return Jdot v along `basis`: a_c + alpha x r d + omega x d(r d)/dt at a = 0, shape (F, 3)."""
        R = engine.poses(model, q, self._frame)[:, :3, :3]
        twist = engine.velocities(model, q, v, self._frame)
        rate = engine.jacobian_dot_v(model, q, v, self._frame)
        omega, alpha = _turn(R, twist[:, :3]), _turn(R, rate[:, :3])
        centre = _turn(R, rate[:, 3:] + cross(twist[:, :3], twist[:, 3:]))
        arm, arm_rate = self._arm(R, omega)
        return np.asarray((centre + cross(alpha, arm) + cross(omega, arm_rate)) @ self.basis.T)


class ConstraintSet:
    """Several constraints stacked, bound to a model; rows in their order."""

    def __init__(self, model: Model, constraints: Sequence[Constraint]) -> None:
        """Check and hold the constraints."""
        for item in constraints:
            if not isinstance(item, Constraint):
                raise InputError(
                    f"a constraint needs holonomic, residual, jacobian and bias, however {item!r} has not."
                )
        self.model = model
        self.items = tuple(constraints)
        self.holonomic: BoolArray = np.array(
            [flag for item in self.items for flag in item.holonomic], dtype=bool
        )

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.holonomic)

    def residual(self, q: FloatArray) -> FloatArray:
        """Return phi, shape (F, rows)."""
        parts = [item.residual(self.model, q) for item in self.items]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(q), 0))

    def jacobian(self, q: FloatArray) -> FloatArray:
        """Return J, shape (F, rows, nv)."""
        parts = [item.jacobian(self.model, q) for item in self.items]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(q), 0, self.model.nv))

    def bias(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return Jdot v, shape (F, rows)."""
        parts = [item.bias(self.model, q, v) for item in self.items]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(q), 0))


def as_point(model: Model, place: Point | str) -> Point:
    """Return a Point for a Point or the name of a link, frame or marker (its origin)."""
    found = model.place(place) if isinstance(place, str) else place
    return found if isinstance(found, Point) else Point(found.link, found.position, found.at)


def _turn(R: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return R u for each frame, (F, 3, 3) and (F, 3)."""
    return np.asarray(np.einsum("fij,fj->fi", R, vectors))
