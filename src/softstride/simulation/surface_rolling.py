"""Rolling of a body of any convex shape on a plane: a foot, a blade, a wheel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.model.frame import Frame
from softstride.simulation.rolling import Rolling
from softstride.spatial import cross

FloatArray = NDArray[np.float64]


@runtime_checkable
class RollingShape(Protocol):
    """A convex body by its contact with a plane, as `softstride.contact.RollingBody` is."""

    def contact(self, down: ArrayLike) -> FloatArray:
        """Return the point of contact for directions d towards the plane, both in body axes, (..., 3), [m]."""

    def contact_rate(self, down: ArrayLike, rate: ArrayLike) -> FloatArray:
        """Return how fast it moves in the body when d turns at a rate, in body axes, (..., 3), [m/s]."""


@dataclass(frozen=True, eq=False)
class SurfaceConstraint(Rolling):
    """Roll a convex body without slip on a plane.

    With the body's rotation R, its contact p(d) in body axes and d = -R^T n, the arm is R p; its rate is
    omega x R p + R (dp/dd) d', d' = -(R^T omega) x d. In a sagittal plane this is the rolling joint.

    Attributes:
        place: Frame of the body in which the shape is given (a foot: x forward, y up, z right), or the name of a link.
        shape: The shape.
        normal: Normal of the plane out of the ground, world axes, shape (3,).
        origin: A point of the plane, world, shape (3,), [m].

    Raises:
        InputError: A shape without contact, a normal of length zero, or vectors that are none.
    """

    place: Frame | str
    shape: RollingShape
    normal: ArrayLike = (0.0, 1.0, 0.0)
    origin: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check and normalise."""
        if not isinstance(self.shape, RollingShape):
            raise InputError(
                f"shape of a SurfaceConstraint must have contact and contact_rate, however it is {self.shape!r}."
            )
        for name, is_unit in (("origin", False), ("normal", True)):
            vector = np.array(getattr(self, name), dtype=np.float64)
            if vector.shape != (3,) or not np.isfinite(vector).all() or (is_unit and not vector.any()):
                raise InputError(
                    f"{name} of a SurfaceConstraint must be a vector (3,), however it is {getattr(self, name)!r}."
                )
            object.__setattr__(self, name, vector / np.linalg.norm(vector) if is_unit else vector)
        object.__setattr__(self, "_frame", self.place if isinstance(self.place, Frame) else Frame(self.place))

    def _arm(self, R: FloatArray, omega: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        down = -np.einsum("fij,i->fj", R, np.asarray(self.normal))
        arm = np.einsum("fij,fj->fi", R, self.shape.contact(down))
        if omega is None:
            return arm, np.zeros_like(arm)
        turning = cross(down, np.einsum("fij,fi->fj", R, omega))  # d' = -(R^T omega) x d
        within = np.einsum("fij,fj->fi", R, self.shape.contact_rate(down, turning))
        return arm, cross(omega, arm) + within
