r"""Constraints on the motion of a model: what one is, points held or joined, several stacked.

A constraint gives, for all frames at once, its position residual phi(q), its Jacobian J with d phi/dt = J v,
and Jdot v. Rows may be holonomic (phi is kept at zero) or only act on velocities (J v = 0, phi reported as
zero), as in rolling. Anything with these four members will do: `Constraint` is a protocol. A constraint that moves on
its own, phi(q, t) = 0, also says how fast it leaves: see `Rheonomic`.
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
from softstride.model.frame import Point
from softstride.model.model import Model

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


@runtime_checkable
class Rheonomic(Protocol):
    """Rows of phi(q, t) = 0, which move on their own: J v + dphi/dt = 0. Its multipliers do work.

    With d phi/dt = J v + `drift` and d2 phi/dt2 = J a + `bias`, `bias` holds Jdot v and all that time adds. Every
    method takes the instants of the frames, t of shape (F,), [s].
    """

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """For each row whether phi(q, t) = 0 must hold too."""

    def residual(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        """Return phi, shape (F, rows), zero in rows that act on velocities only."""

    def jacobian(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        """Return J, shape (F, rows, nv)."""

    def drift(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        """Return dphi/dt at rest, shape (F, rows)."""

    def bias(self, model: Model, q: FloatArray, v: FloatArray, t: FloatArray) -> FloatArray:
        """Return d2 phi/dt2 at a = 0, shape (F, rows)."""


AnyConstraint = Constraint | Rheonomic


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
class _Still:
    """A constraint that does not move, seen as one that could."""

    item: Constraint

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return self.item.holonomic

    def residual(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        return self.item.residual(model, q)

    def jacobian(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        return self.item.jacobian(model, q)

    def drift(self, model: Model, q: FloatArray, t: FloatArray) -> FloatArray:
        return np.zeros((len(q), len(self.item.holonomic)))

    def bias(self, model: Model, q: FloatArray, v: FloatArray, t: FloatArray) -> FloatArray:
        return self.item.bias(model, q, v)


class ConstraintSet:
    """Several constraints stacked, bound to a model; rows in their order. Each gets copies of the state.

    Instants t [s] are one for all frames or one a frame; only rheonomic rows look at them.
    """

    def __init__(self, model: Model, constraints: Sequence[AnyConstraint]) -> None:
        """Check and hold the constraints."""
        for item in constraints:
            if not isinstance(item, Constraint):
                raise InputError(
                    f"a constraint needs holonomic, residual, jacobian and bias, however {item!r} has not."
                )
        self.model = model
        self.items = tuple(constraints)
        self.timed = any(isinstance(item, Rheonomic) for item in self.items)
        self._all: tuple[Rheonomic, ...] = tuple(
            item if isinstance(item, Rheonomic) else _Still(item) for item in self.items
        )
        self.holonomic: BoolArray = np.array(
            [flag for item in self.items for flag in item.holonomic], dtype=bool
        )

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.holonomic)

    def residual(self, q: FloatArray, t: ArrayLike = 0.0) -> FloatArray:
        """Return phi, shape (F, rows)."""
        return self._beside([item.residual(self.model, q.copy(), _instants(t, q)) for item in self._all], q)

    def jacobian(self, q: FloatArray, t: ArrayLike = 0.0) -> FloatArray:
        """Return J, shape (F, rows, nv)."""
        parts = [item.jacobian(self.model, q.copy(), _instants(t, q)) for item in self._all]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(q), 0, self.model.nv))

    def drift(self, q: FloatArray, t: ArrayLike = 0.0) -> FloatArray:
        """Return dphi/dt at rest, shape (F, rows): zero in rows that do not move on their own."""
        return self._beside([item.drift(self.model, q.copy(), _instants(t, q)) for item in self._all], q)

    def bias(self, q: FloatArray, v: FloatArray, t: ArrayLike = 0.0) -> FloatArray:
        """Return Jdot v and what time adds, shape (F, rows)."""
        parts = [item.bias(self.model, q.copy(), v.copy(), _instants(t, q)) for item in self._all]
        return self._beside(parts, q)

    @staticmethod
    def _beside(parts: list[FloatArray], q: FloatArray) -> FloatArray:
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(q), 0))


def _instants(t: ArrayLike, q: FloatArray) -> FloatArray:
    return np.array(np.broadcast_to(np.asarray(t, dtype=np.float64), (len(q),)))


def as_point(model: Model, place: Point | str) -> Point:
    """Return a Point for a Point or the name of a link, frame or marker (its origin)."""
    found = model.place(place) if isinstance(place, str) else place
    return found if isinstance(found, Point) else Point(found.link, found.position, found.at)
