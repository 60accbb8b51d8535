r"""A sole that rolls on level ground without slip in the plane of x and y: any convex outline on a frame of a model.

The frame of the sole has x forward along the sole and y up. The tilt a is positive heel up, a turn about -z. A surface
answers, at each tilt, s (place of the contact on the ground), h (height of the frame's origin M), h' and rho = ds/da.
`SurfaceConstraint` does the same in space, where the tangential rows act on velocities only; here both rows are
holonomic, so that the foot cannot creep.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.errors import InputError
from softstride.fields import Anything, Frozen, declared
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.spatial import cross

FloatArray = NDArray[np.float64]


@runtime_checkable
class Outline(Protocol):
    """What rolls: `contact.RollingSurface`, `contact.OutlineSurface`, or your own."""

    def roll(self, a: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return s, h, h' and rho at tilts a, each of their shape, [m]."""


class _Touch(NamedTuple):
    """Where a sole is: its pose (F, 4, 4), tilt (F,), and s, h, h', rho (F,)."""

    T: FloatArray
    a: FloatArray
    s: FloatArray
    h: FloatArray
    dh: FloatArray
    rho: FloatArray


@dataclass(frozen=True, eq=False)
class PlanarSole(Frozen, of="a sole"):
    """Roll an outline on the ground in the plane of x and y.

    phi = (x_M - origin - X(a), y_M - floor - h(a)), X = s - h'. With the spin w of the foot about z, da/dt = -w, the
    rows are v_M + (h, h') w and their bias has -(h', rho - h) w^2. The multipliers are the force of the ground on the
    foot (Fx, Fy) [N]; it acts at (origin + s, floor) without a moment.

    Attributes:
        frame: The frame of the sole, its x and y axes in the plane of the motion.
        surface: The outline.
        origin: Where along the ground the contact is counted from, X(0) = 0 [m].
        floor: Height of the ground [m].
    """

    frame: Frame = declared()
    surface: Outline = declared(rule=Anything("an outline"))
    origin: float = declared(0.0)
    floor: float = declared(0.0)
    _last: dict[tuple[int, bytes], _Touch] = field(init=False, repr=False, default_factory=dict)

    def check(self) -> None:
        """Check the outline."""
        if not isinstance(self.surface, Outline):
            raise InputError(
                "surface of a sole must answer roll(a), as contact.RollingSurface and contact.OutlineSurface do, "
                f"however it is {self.surface!r}."
            )

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Both rows."""
        return (True, True)

    def tilt(self, model: Model, q: FloatArray) -> FloatArray:
        """Return the tilt a for q (F, nq), shape (F,), [rad]."""
        return self._touch(model, q).a

    def contact(self, model: Model, q: FloatArray) -> FloatArray:
        """Return where the force acts along the ground, origin + s, shape (F,), [m]."""
        return np.asarray(self.origin + self._touch(model, q).s)

    def height(self, model: Model, q: FloatArray) -> FloatArray:
        """Return how far the lowest point of the sole is above the ground, shape (F,), [m]."""
        return self.residual(model, q)[:, 1]

    def residual(self, model: Model, q: FloatArray) -> FloatArray:
        """Return phi, shape (F, 2), [m]."""
        T, _, s, h, dh, _ = self._touch(model, q)
        return np.stack([T[:, 0, 3] - self.origin - (s - dh), T[:, 1, 3] - self.floor - h], axis=1)

    def jacobian(self, model: Model, q: FloatArray) -> FloatArray:
        """Return J, shape (F, 2, nv)."""
        T, _, _, h, dh, _ = self._touch(model, q)
        J = engine.jacobian(model, q, self.frame)
        linear = T[:, :2, :3] @ J[:, 3:]
        return np.asarray(linear + np.stack([h, dh], axis=1)[:, :, None] * J[:, None, 2])

    def bias(self, model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return Jdot v, shape (F, 2), [m/s²]."""
        T, _, _, h, dh, rho = self._touch(model, q)
        twist = engine.velocities(model, q, v, self.frame)
        rate = engine.jacobian_dot_v(model, q, v, self.frame)
        origin = _turn(T[:, :3, :3], rate[:, 3:] + cross(twist[:, :3], twist[:, 3:]))[:, :2]
        spin, turning = twist[:, 2:3], rate[:, 2:3]
        arm, bend = np.stack([h, dh], axis=1), np.stack([dh, rho - h], axis=1)
        return np.asarray(origin + arm * turning - bend * spin**2)

    def _touch(self, model: Model, q: FloatArray) -> _Touch:
        """Return where the sole is; the last answer is kept, since residual, rows and bias ask at the same q."""
        key = id(model), q.tobytes()
        if key not in self._last:
            T = engine.poses(model, q, self.frame)
            a = np.asarray(-np.arctan2(T[:, 1, 0], T[:, 0, 0]))
            self._last.clear()
            self._last[key] = _Touch(T, a, *self.surface.roll(a))
        return self._last[key]


def _turn(R: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return R u for each frame, (F, 3, 3) and (F, 3)."""
    return np.asarray(np.einsum("fij,fj->fi", R, vectors))
