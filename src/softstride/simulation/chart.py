r"""The chart of one state: q [+] x and dx/dt = T_R(x)^-1 v, for one state at a time.

The same maps as `engine.manifold`, which serves whole trials. A step of an integrator needs them for one state, where
the cost of calling NumPy is ten times that of the arithmetic; with few quaternions they are therefore written out on
plain numbers here (free body: 500 us by arrays, 30 us so), and left to `engine.manifold` where there are many.

With b(x) of the inverse tangent map D^-1 u = u + phi x u / 2 + b phi x (phi x u), x = |phi|^2, and b' = db/dx, the
inverse on SE(3) has D^-1 on its diagonal and below it the derivative of D^-1 along rho,

    F u = rho x u / 2 + b (phi x (rho x u) + rho x (phi x u)) + 2 b' (phi . rho) phi x (phi x u)

(the dual part of D^-1; hybrid-link specification, section 2).
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from softstride.engine.manifold import chart_rate, integrate, layout
from softstride.model.model import Model

FloatArray = NDArray[np.float64]
Triple: TypeAlias = tuple[float, float, float]

MOST_BLOCKS = 12
"""With more quaternions than this, arrays are faster."""

# b(x) = sum_k |B_2k| / (2k)! x^(k-1), B the Bernoulli numbers; the next term is below 1e-17 at x = 1
B_SERIES = (
    1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600,
    3617 / 10670622842880000, 43867 / 5109094217170944000, 174611 / 802857662698291200000,
)  # fmt: skip


class Chart:
    """Moves and rates around configurations of one model."""

    def __init__(self, model: Model) -> None:
        """Look up where the quaternions are."""
        self.model = model
        places = layout(model)
        self.flat = places.flat
        self.by_arrays = len(places.quaternions) > MOST_BLOCKS
        self._plain = places.plain_q, places.plain_v
        self._rotations = [tuple(map(int, row)) for row in places.rotations]
        self._spherical = list(zip(places.spherical_q.tolist(), places.spherical_v.tolist(), strict=True))
        self._free = list(zip(places.free_q.tolist(), places.free_v.tolist(), strict=True))

    def largest_turn(self, x: FloatArray) -> float:
        """Return the largest rotation angle [rad] in x, shape (nv,)."""
        return max((math.hypot(x[i], x[j], x[k]) for i, j, k in self._rotations), default=0.0)

    def move(self, q: FloatArray, x: FloatArray) -> FloatArray:
        """Return q [+] x, shapes (nq,) and (nv,); quaternions of q have length one."""
        if self.by_arrays:
            return integrate(self.model, q, x)
        out = np.empty_like(q)
        out[self._plain[0]] = q[self._plain[0]] + x[self._plain[1]]
        for at, own in self._spherical:
            out[at] = _turned(q[at].tolist(), x[own].tolist())
        for at, own in self._free:
            place, twist = q[at].tolist(), x[own].tolist()
            step = _rotated(place[3:], _left_tangent(twist[:3], twist[3:]))
            out[at] = (
                place[0] + step[0],
                place[1] + step[1],
                place[2] + step[2],
                *_turned(place[3:], twist[:3]),
            )
        return out

    def rate(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return T_R(x)^-1 v, shape (nv,)."""
        if self.flat:
            return v
        if self.by_arrays:
            return chart_rate(self.model, x, v)
        out = v.copy()
        for _, own in self._spherical:
            phi, omega = tuple(x[own].tolist()), tuple(v[own].tolist())
            b, _ = inverse_tangent(_dot(phi, phi))
            out[own] = _inverse_right(phi, omega, b)
        for _, own in self._free:
            twist, speed = x[own].tolist(), v[own].tolist()
            phi, rho, omega = tuple(twist[:3]), tuple(twist[3:]), tuple(speed[:3])
            b, db = inverse_tangent(_dot(phi, phi))
            once, along = _cross(phi, omega), _cross(rho, omega)
            twice, mixed, other = _cross(phi, once), _cross(phi, along), _cross(rho, once)
            slope = 2.0 * db * _dot(phi, rho)
            linear = _inverse_right(phi, tuple(speed[3:]), b)
            out[own[:3]] = _inverse_right(phi, omega, b)
            out[own[3:]] = [
                linear[i] + 0.5 * along[i] + b * (mixed[i] + other[i]) + slope * twice[i] for i in range(3)
            ]
        return out


def inverse_tangent(x: float) -> tuple[float, float]:
    """Return b = (1 - u cot u) / (4 u^2) with u = sqrt(x) / 2, and db/dx; by series below x = 1."""
    if x < 1.0:
        b = db = 0.0
        for coefficient in reversed(B_SERIES):
            db = b + x * db
            b = coefficient + x * b
        return b, db
    u = 0.5 * math.sqrt(x)
    cot = 1.0 / math.tan(u)
    rest = 1.0 - u * cot
    slope = (-cot + u * (1.0 + cot * cot)) / x - rest / (2.0 * u * u * u)
    return rest / x, slope / (8.0 * u)


def _turned(quat: list[float], phi: list[float]) -> tuple[float, ...]:
    """Return quat o exp(phi / 2), of length one."""
    angle = math.hypot(*phi)
    s = math.sin(0.5 * angle) / angle if angle > 1e-8 else 0.5
    x, y, z, w = quat
    a, b, c, d = s * phi[0], s * phi[1], s * phi[2], math.cos(0.5 * angle)
    product = (
        w * a + x * d + y * c - z * b,
        w * b - x * c + y * d + z * a,
        w * c + x * b - y * a + z * d,
        w * d - x * a - y * b - z * c,
    )
    length = math.hypot(*product)
    return tuple(part / length for part in product)


def _left_tangent(phi: list[float], rho: list[float]) -> Triple:
    """Return T_L(phi) rho, the translation of exp([phi; rho])."""
    x = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]
    if x < 0.25:
        c2 = 0.5 - x * (1 / 24 - x * (1 / 720 - x * (1 / 40320 - x * (1 / 3628800 - x / 479001600))))
        c3 = 1 / 6 - x * (1 / 120 - x * (1 / 5040 - x * (1 / 362880 - x * (1 / 39916800 - x / 6227020800))))
    else:
        angle = math.sqrt(x)
        c2, c3 = (1.0 - math.cos(angle)) / x, (angle - math.sin(angle)) / (angle * x)
    axis, arm = (phi[0], phi[1], phi[2]), (rho[0], rho[1], rho[2])
    once = _cross(axis, arm)
    twice = _cross(axis, once)
    return (
        arm[0] + c2 * once[0] + c3 * twice[0],
        arm[1] + c2 * once[1] + c3 * twice[1],
        arm[2] + c2 * once[2] + c3 * twice[2],
    )


def _rotated(quat: list[float], u: Triple) -> Triple:
    """Return R(quat) u = u + 2 w (r x u) + 2 r x (r x u), r the vector part."""
    r, w = (quat[0], quat[1], quat[2]), quat[3]
    once = _cross(r, u)
    twice = _cross(r, once)
    return (
        u[0] + 2.0 * (w * once[0] + twice[0]),
        u[1] + 2.0 * (w * once[1] + twice[1]),
        u[2] + 2.0 * (w * once[2] + twice[2]),
    )


def _inverse_right(phi: tuple[float, ...], u: tuple[float, ...], b: float) -> Triple:
    """Return u + phi x u / 2 + b phi x (phi x u)."""
    once = _cross(phi, u)
    twice = _cross(phi, once)
    return (
        u[0] + 0.5 * once[0] + b * twice[0],
        u[1] + 0.5 * once[1] + b * twice[1],
        u[2] + 0.5 * once[2] + b * twice[2],
    )


def _cross(a: tuple[float, ...], b: tuple[float, ...]) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
