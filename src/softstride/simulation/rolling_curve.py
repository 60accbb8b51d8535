r"""A curve of material points that rolls on level ground while the body bends: the sole of a blade.

The curve runs as a cubic spline through points x_i of the model, x(u, q) = sum w_i(u) x_i(q), the weights w_i being the
same for all q. It touches the ground where it is lowest, at u*(q) with dy/du = 0 (or at an end of the curve). There the
material point is at rest,

    phi = y(u*, q) - floor = 0,      J v = sum w_i(u*) J_i v = 0,

since dy/dq at fixed u* is dphi/dq. As the place of contact moves through the material with

    du*/dt = -(sum w_i' dy_i/dt) / (sum w_i'' y_i)      (zero at an end),

Jdot v = sum w_i (Jdot_i v) + du*/dt sum w_i' (J_i v). The first row is holonomic, the tangential two act on velocities.
The multipliers are the force of the ground along up, x and z [N]; it acts where the curve touches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from softstride import engine
from softstride.errors import InputError
from softstride.model.frame import Point
from softstride.model.model import Model

FloatArray = NDArray[np.float64]

FEWEST = 6
NEWTON = 6
"""Steps towards the lowest point; it is bracketed by neighbours, so few are needed."""

FINER = 4
"""Samples between two points where the lowest one is looked for."""


class _Lowest(NamedTuple):
    """Weights at the lowest point and their derivatives, each (F, n); dy2 (F,), whether it is inside (F,)."""

    w: FloatArray
    dw: FloatArray
    bend: FloatArray
    inside: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RollingCurve:
    """Roll a curve through points of a model on level ground without slip.

    Attributes:
        points: Points along the curve, in order, six or more.
        floor: Height of the ground [m].
    """

    points: Sequence[Point]
    floor: float = 0.0
    _pieces: FloatArray = field(
        init=False, repr=False
    )  # weights by powers of u - i, highest first, (4, n - 1, n)
    _samples: FloatArray = field(
        init=False, repr=False
    )  # weights where the lowest point is looked for, (m, n)
    _last: dict[tuple[int, bytes], tuple[FloatArray, _Lowest]] = field(
        init=False, repr=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        """Check the points and make the weights."""
        points = tuple(self.points)
        if len(points) < FEWEST or not all(isinstance(point, Point) for point in points):
            raise InputError(f"a rolling curve needs {FEWEST} Points or more, however it has {points!r}.")
        if not np.isfinite(self.floor):
            raise InputError(f"floor of a rolling curve must be finite, however it is {self.floor!r}.")
        n = len(points)
        spline = make_interp_spline(np.arange(n, dtype=np.float64), np.eye(n), k=3)
        left = np.arange(n - 1.0)
        pieces = np.stack([spline(left + 0.5, 3) / 6.0, spline(left, 2) / 2.0, spline(left, 1), spline(left)])
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "_pieces", pieces)
        object.__setattr__(self, "_samples", spline(np.linspace(0.0, n - 1.0, FINER * (n - 1) + 1)))

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """The normal row only."""
        return (True, False, False)

    def contact(self, model: Model, q: FloatArray) -> FloatArray:
        """Return the lowest point of the curve, shape (F, 3), [m]."""
        x, low = self._lowest(model, q)
        return np.asarray(np.einsum("fn,fni->fi", low.w, x))

    def place(self, model: Model, q: FloatArray) -> FloatArray:
        """Return where along the curve it touches, in points from its start, shape (F,)."""
        return np.asarray(self._lowest(model, q)[1].w @ np.arange(len(self.points)))

    def residual(self, model: Model, q: FloatArray) -> FloatArray:
        """Return (height of the lowest point, 0, 0), shape (F, 3), [m]."""
        out = np.zeros((len(q), 3))
        out[:, 0] = self.contact(model, q)[:, 1] - self.floor
        return out

    def jacobian(self, model: Model, q: FloatArray) -> FloatArray:
        """Return the Jacobian of the material point of contact along up, x and z, shape (F, 3, nv)."""
        _, low = self._lowest(model, q)
        J = engine.jacobian(model, q, self.points)  # (F, n, 3, nv)
        return np.asarray(np.einsum("fn,fnij->fij", low.w, J)[:, [1, 0, 2]])

    def bias(self, model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return Jdot v, shape (F, 3), [m/s²]."""
        _, low = self._lowest(model, q)
        speed = np.einsum("fnij,fj->fni", engine.jacobian(model, q, self.points), v)
        still = engine.jacobian_dot_v(model, q, v, self.points)
        along = np.einsum("fn,fni->fi", low.dw, speed)
        running = np.where(low.inside, -along[:, 1] / low.bend, 0.0)
        return np.asarray((np.einsum("fn,fni->fi", low.w, still) + running[:, None] * along)[:, [1, 0, 2]])

    def _lowest(self, model: Model, q: FloatArray) -> tuple[FloatArray, _Lowest]:
        """Return the points (F, n, 3) and the lowest place; the last answer is kept, all rows ask at the same q."""
        key = id(model), q.tobytes()
        if key not in self._last:
            x = engine.positions(model, q, self.points)
            self._last.clear()
            self._last[key] = x, self._search(x[..., 1])
        return self._last[key]

    def _search(self, y: FloatArray) -> _Lowest:
        """Return the lowest place of curves whose points have heights y, shape (F, n)."""
        n = len(self.points)
        start = np.argmin(y @ self._samples.T, axis=1) / FINER
        lower, upper = np.maximum(start - 1.0 / FINER, 0.0), np.minimum(start + 1.0 / FINER, n - 1.0)
        u = start
        for _ in range(NEWTON):
            piece = np.minimum(u.astype(np.intp), n - 2)
            a, b, c, _ = np.einsum("kfn,fn->kf", self._pieces[:, piece], y)
            d = u - piece
            slope, bend = (3.0 * a * d + 2.0 * b) * d + c, 6.0 * a * d + 2.0 * b
            u = np.clip(np.where(bend > 0.0, u - slope / np.where(bend > 0.0, bend, 1.0), u), lower, upper)
        piece = np.minimum(u.astype(np.intp), n - 2)
        d = (u - piece)[:, None]
        a, b, c, w = self._pieces[:, piece]
        bend = np.einsum("fn,fn->f", 6.0 * a * d + 2.0 * b, y)
        inside = (u > 0.0) & (u < n - 1.0) & (bend > 0.0)
        return _Lowest(
            ((a * d + b) * d + c) * d + w,
            (3.0 * a * d + 2.0 * b) * d + c,
            np.where(inside, bend, 1.0),
            inside,
        )
