"""What each kind of joint does: pose of its moving frame, and its twist and acceleration relative to the fixed one.

All on vectors of any scalar, in the moving frame: j = S v and b = S a + dS/dt v, so that

    twist = Ad(g)^-1 twist_base + j,      acceleration = Ad(g)^-1 acceleration_base + b + ad(twist) j.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softstride.engine import lanes
from softstride.spatial.dual import Dual
from softstride.spatial.small import Mat, Vec


def sincos(angle: Any) -> tuple[Any, Any]:
    """Return sine and cosine, with their derivatives for a dual angle."""
    if isinstance(angle, Dual):
        s, c = lanes.sincos(angle.value)
        return Dual(s, c * angle.slope), Dual(c, -(s * angle.slope))
    return lanes.sincos(angle)


def rotation_z(angle: Any) -> Mat:
    """Return the rotation by an angle about z."""
    s, c = sincos(angle)
    return Mat(Vec(c, -s, 0.0), Vec(s, c, 0.0), Vec.unit(2))


def rotation_axis(axis: Vec, angle: Any) -> Mat:
    """Return the rotation by an angle about a unit axis, E + sin hat(a) + (1 - cos) hat(a)^2."""
    # hat(a)^2 = a a^T - E, so R = cos E + sin hat(a) + (1 - cos) a a^T.
    s, c = sincos(angle)
    return Mat.outer(axis, axis * (1.0 - c)) + Mat.hat(axis * s) + Mat.diagonal(c, c, c)


def rotation_quaternion(x: Any, y: Any, z: Any, w: Any) -> Mat:
    """Return the rotation of a quaternion of any norm but zero, scalar last."""
    # The entries are quadratic in (x, y, z, w): a factor 2 / |q|^2 normalises without a root.
    twice = 2.0 / (x * x + y * y + z * z + w * w)
    x2, y2, z2 = x * twice, y * twice, z * twice
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return Mat(
        Vec(1.0 - (yy + zz), xy - wz, xz + wy),
        Vec(xy + wz, 1.0 - (xx + zz), yz - wx),
        Vec(xz - wy, yz + wx, 1.0 - (xx + yy)),
    )


class CustomMotion(NamedTuple):
    """A custom joint's pose, elementary columns, relative twist and acceleration."""

    R: Mat
    p: Vec
    angular: tuple[Vec, Vec, Vec]  # twist columns of the three angles (moving frame)
    linear: tuple[Vec, Vec, Vec]  # twist columns of the three translations
    j: tuple[Vec, Vec]
    b: tuple[Vec, Vec]


def custom(axes: list[Vec], x: list[Any], dx: list[Any], ddx: list[Any]) -> CustomMotion:
    """Return the motion of a custom joint from its six axis values and their rates.

    R = R1(x1) R2(x2) R3(x3), p = sum t_i x_{3+i}: rotations about successive body-fixed axes, translations along
    axes of the fixed frame (OpenSim's SpatialTransform).
    """
    R1, R2, R3 = (rotation_axis(axes[i], x[i]) for i in range(3))
    # Relative angular velocity from axis to axis, in the axes behind each rotation R by x about a:
    #     w <- R^T w + a x',    dw <- R^T dw + a x'' + w x a x'    (w the new one, from d/dt R^T)
    w, dw = axes[0] * dx[0], axes[0] * ddx[0]
    for R, axis, rate, second in ((R2, axes[1], dx[1], ddx[1]), (R3, axes[2], dx[2], ddx[2])):
        step = axis * rate
        w = R.T @ w + step
        dw = R.T @ dw + axis * second + w.cross(step)
    # Elementary twist columns in the moving axes: a rotation axis is turned by the rotations that follow it.
    R23 = R2 @ R3
    R123 = R1 @ R23
    angular = (R23.T @ axes[0], R3.T @ axes[1], axes[2])
    # Translation axes stay in the fixed frame; v = R^T p' has the component-wise rate R^T p'' - w x v.
    p, dp, ddp = (axes[3] * y[3] + axes[4] * y[4] + axes[5] * y[5] for y in (x, dx, ddx))
    linear = tuple(R123.T @ axes[i] for i in (3, 4, 5))
    v = R123.T @ dp
    return CustomMotion(R123, p, angular, linear, (w, v), (dw, R123.T @ ddp - w.cross(v)))  # type: ignore[arg-type]
