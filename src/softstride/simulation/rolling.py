r"""Rolling without slip on a plane: what all rolling bodies share, and a sphere or a thin disk.

The material point of contact is at rest, v_o + omega x arm = 0, with the arm from the body's origin o to the contact:
three rows along (normal, two tangents). The first is holonomic, n . (o + arm - origin) = 0; the tangential two are not
integrable. The multipliers are the ground force (normal, tangent, tangent) in [N].
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride import engine
from softstride.errors import InputError
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.spatial import cross, so3

FloatArray = NDArray[np.float64]


class Rolling(ABC):
    """The rows of a body that rolls on a plane, from where it touches."""

    normal: ArrayLike
    origin: ArrayLike
    _frame: Frame

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

    @abstractmethod
    def _arm(self, R: FloatArray, omega: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the arm and its rate, shape (F, 3), from the frame's rotation and world angular velocity."""

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
        """Return Jdot v along `basis`: a_o + alpha x arm + omega x d(arm)/dt at a = 0, shape (F, 3)."""
        R = engine.poses(model, q, self._frame)[:, :3, :3]
        twist = engine.velocities(model, q, v, self._frame)
        rate = engine.jacobian_dot_v(model, q, v, self._frame)
        omega, alpha = _turn(R, twist[:, :3]), _turn(R, rate[:, :3])
        centre = _turn(R, rate[:, 3:] + cross(twist[:, :3], twist[:, 3:]))
        arm, arm_rate = self._arm(R, omega)
        return np.asarray((centre + cross(alpha, arm) + cross(omega, arm_rate)) @ self.basis.T)


@dataclass(frozen=True, eq=False)
class RollingConstraint(Rolling):
    """Roll a sphere or a thin disk without slip on a plane.

    With the radius r the arm is r d from the centre. For a sphere d = -n; for a disk about the axis A, d is -n made
    orthogonal to A.

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


def _turn(R: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return R u for each frame, (F, 3, 3) and (F, 3)."""
    return np.asarray(np.einsum("fij,fj->fi", R, vectors))
