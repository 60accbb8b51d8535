"""The rolling joint: what a rolling surface means in the equations of motion.

The foot's origin M and tilt a obey two holonomic constraints, x_M − x0 − X(a) = 0 and z_M − h(a) = 0; x0 is the place
of the ground's origin, where M stood at a = 0. Their multipliers are the ground's force (Fx, Fz) on the foot, which
acts at (x0 + s, 0) without a moment. In minimal coordinates any point P of the foot moves with

    dP/da = (P_z, −(P_x − x0 − s)),      d²P/da² = (−(P_x − x0 − s), ρ − P_z).

There is no impact: start in contact, with velocities that obey the rows. Whether the ground would have to pull, or the
foot would slip, is told afterwards by `check`. Signs as in `surface`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.friction import check_friction
from softstride.contact.inputs import FloatArray, as_floats, constants
from softstride.contact.surface import Surface, outside
from softstride.errors import InputError


@dataclass(frozen=True, eq=False)
class RollingCheck:
    """Whether a foot that was made to roll would have rolled.

    Attributes:
        pulls: Where the ground would have to pull, Fz ≤ 0, shape (...).
        slips: Where |Fx| > μ Fz although it presses, shape (...).
        margin: μ Fz − |Fx|, shape (...), [N].
        outside: What is wrong with the tilts, see `surface.outside`; empty when nothing is.
    """

    pulls: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    slips: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    margin: FloatArray
    outside: str

    @property
    def ok(self) -> bool:
        """Whether nothing pulls, nothing slips and the surface is convex everywhere."""
        return not (self.pulls.any() or self.slips.any() or self.outside)


@dataclass(frozen=True, eq=False)
class RollingJoint:
    """A foot that rolls on level ground in its plane.

    Attributes:
        surface: Its sole.
        origin: x0, the ground's origin along x [m].
    """

    surface: Surface
    origin: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields."""
        if not isinstance(self.surface, Surface):
            raise InputError(
                "surface of a rolling joint must be a RollingSurface, a SplineSurface or an OutlineSurface, "
                f"however it is {self.surface!r}"
            )
        object.__setattr__(self, "origin", float(constants(self.origin, (), "origin of a rolling joint")))

    def residual(self, position: ArrayLike, a: ArrayLike) -> FloatArray:
        """Return (x_M − x0 − X, z_M − h), shape (..., 2), [m].

        Args:
            position: (x_M, z_M), shape (..., 2), [m].
            a: Tilts, shape (...), [rad].
        """
        return _planar(position, "position") - self.position(a)

    def position(self, a: ArrayLike) -> FloatArray:
        """Return where M is at a tilt, (x0 + X, h), shape (..., 2), [m]."""
        roll = self.surface.roll(a)
        return _pair(self.origin + roll.X, roll.h)

    def jacobian(self, a: ArrayLike) -> FloatArray:
        """Return the rows (1, 0, −h) and (0, 1, −h') in (x_M, z_M, a), shape (..., 2, 3)."""
        _, h, dh, _ = self.surface.roll(a)
        rows = np.zeros((*h.shape, 2, 3))
        rows[..., 0, 0] = rows[..., 1, 1] = 1.0
        rows[..., 0, 2], rows[..., 1, 2] = -h, -dh
        return rows

    def acceleration(self, a: ArrayLike, rate: ArrayLike) -> FloatArray:
        """Return the right-hand sides (h' ȧ², (ρ − h) ȧ²) of J q̈ = γ, shape (..., 2), [m/s²].

        Args:
            a: Tilts, shape (...), [rad].
            rate: ȧ, shape (...), [rad/s].
        """
        square = as_floats(rate, "rate") ** 2
        _, h, dh, rho = self.surface.roll(a)
        return _pair(dh * square, (rho - h) * square)

    def point(self, a: ArrayLike, place: ArrayLike) -> FloatArray:
        """Return a foot-fixed point in the plane, shape (..., 2), [m].

        Args:
            a: Tilts, shape (...), [rad].
            place: (ξ, ζ) in foot axes, shape (..., 2), [m].
        """
        return self.motion(a, place)[0]

    def motion(self, a: ArrayLike, place: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return a foot-fixed point P with dP/da and d²P/da², each of shape (..., 2), [m], [m/rad], [m/rad²].

        Args:
            a: Tilts, shape (...), [rad].
            place: (ξ, ζ) in foot axes, shape (..., 2), [m].
        """
        tilt, place = as_floats(a, "tilt"), _planar(place, "place")
        s, h, dh, rho = self.surface.roll(tilt)
        xi, zeta, sine, cosine = place[..., 0], place[..., 1], np.sin(tilt), np.cos(tilt)
        ahead = xi * cosine + zeta * sine - dh  # of the contact
        height = zeta * cosine - xi * sine + h
        return _pair(self.origin + s + ahead, height), _pair(height, -ahead), _pair(-ahead, rho - height)

    def force_point(self, a: ArrayLike) -> FloatArray:
        """Return where the ground's force acts, (x0 + s, 0), shape (..., 2), [m]."""
        s = self.surface.s(a)
        return _pair(self.origin + s, np.zeros_like(s))

    def check(self, a: ArrayLike, force: ArrayLike, friction: ArrayLike) -> RollingCheck:
        """Tell whether the ground would pull, the foot would slip, or the sole would be concave.

        Args:
            a: Tilts, shape (...), [rad].
            force: (Fx, Fz) on the foot, shape (..., 2), [N].
            friction: μ ≥ 0.

        Raises:
            InputError: Friction below zero.
        """
        force, mu = _planar(force, "force"), check_friction(friction)
        margin = mu * force[..., 1] - np.abs(force[..., 0])
        pulls = np.asarray(force[..., 1] <= 0.0)
        return RollingCheck(pulls, np.asarray((margin < 0.0) & ~pulls), margin, outside(self.surface, a))


def _pair(x: FloatArray, z: FloatArray) -> FloatArray:
    both = np.empty((*np.shape(x), 2))
    both[..., 0], both[..., 1] = x, z
    return both


def _planar(value: ArrayLike, name: str) -> FloatArray:
    array = as_floats(value, name)
    if array.shape[-1:] != (2,):
        raise InputError(f"{name} must have shape (..., 2), along x and z, however it has {array.shape}")
    return array
