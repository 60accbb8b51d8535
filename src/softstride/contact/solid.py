"""The rolling foot in space: a sagittal rollover, a frontal one, and a rounding.

A convex body is known by its support function H(d), the distance of its tangent plane towards a unit vector d from the
body's origin; it touches that plane at ∇H. Here, with d = (d_x, d_y, d_z) in foot axes (x forward, y up, z right),

    H = |(d_x, d_y)| h_s(a) + |(d_z, d_y)| h_f(b) + r,    a = atan2(d_x, −d_y),   b = atan2(d_z, −d_y),
    p = (ξ_s, ζ_s + ζ_f, ξ_f) + r d,

the sum of a sagittal outline (ξ_s, ζ_s)(a), a frontal one (ξ_f, ζ_f)(b) across it, and a ball. Upright (d_z = 0) the
contact runs along the sagittal outline alone, so rolling straight ahead is the planar joint; tilted about x it moves
sideways along the frontal one. A sum of convex bodies is convex. On the ground with normal n, d = −Rᵀn; the contact is
at rest as foot particle, v + ω × Rp = 0, which is rolling without slip, not integrable in two of three directions.
Disk and ball make a torus, the disk alone a thin disk, the ball alone a sphere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray, as_floats, number
from softstride.contact.surface import Surface
from softstride.errors import InputError

FLAT = 1e-9  # share of the downward direction in a plane below which that plane's outline has no contact


@dataclass(frozen=True, eq=False)
class RollingBody:
    """A convex foot, blade or wheel that rolls on the ground in space.

    Attributes:
        sagittal: Outline in the plane of x (forward) and y (up); any rolling surface.
        frontal: Outline in the plane of z (right) and y, its ξ along z; its tilt is positive with the right side down.
            None: a thin sole.
        rounding: r, radius of a ball that is added all round [m].

    Raises:
        InputError: A part that is no rolling surface, or a rounding below zero.
    """

    sagittal: Surface
    frontal: Surface | None = None
    rounding: float = 0.0

    def __post_init__(self) -> None:
        """Check the parts."""
        for name, part in (("sagittal", self.sagittal), ("frontal", self.frontal)):
            if not isinstance(part, Surface) and not (name == "frontal" and part is None):
                raise InputError(
                    f"the {name} outline of a rolling body must be a RollingSurface, a SplineSurface or an "
                    f"OutlineSurface, however it is {part!r}"
                )
        object.__setattr__(self, "rounding", number(self.rounding, "rounding of a rolling body", 0.0, " m"))

    def tilts(self, down: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the sagittal and the frontal tilt (a, b), each of shape (...), [rad].

        Args:
            down: d, unit vectors towards the ground in foot axes, shape (..., 3).
        """
        d = _directions(down)
        return np.arctan2(d[..., 0], -d[..., 1]), np.arctan2(d[..., 2], -d[..., 1])

    def support(self, down: ArrayLike) -> FloatArray:
        """Return H, the height of the origin above the ground that the body stands on, shape (...), [m]."""
        return np.asarray(np.sum(self.contact(down) * as_floats(down, "down"), axis=-1))

    def contact(self, down: ArrayLike) -> FloatArray:
        """Return the point of contact in foot axes, shape (..., 3), [m].

        Args:
            down: d, shape (..., 3).

        Raises:
            InputError: A side on which the body lies flat, where it has no single contact.
        """
        d = _directions(down)
        a, b = self.tilts(d)
        p = self.rounding * d
        for part, tilt, plane in self._parts(a, b):
            _across(d, plane)
            p[..., plane] += part.outline(tilt)
        return p

    def contact_rate(self, down: ArrayLike, rate: ArrayLike) -> FloatArray:
        """Return how fast the point of contact moves in foot axes, (∂²H/∂d²) ḋ, shape (..., 3), [m/s].

        Args:
            down: d, shape (..., 3).
            rate: ḋ, shape (..., 3), [1/s].
        """
        d, d_dot = np.broadcast_arrays(_directions(down), as_floats(rate, "rate"))
        a, b = self.tilts(d)
        p_dot = self.rounding * d_dot
        for part, tilt, plane in self._parts(a, b):
            tangent = np.stack([np.cos(tilt), np.sin(tilt)], axis=-1)
            turn = np.sum(tangent * d_dot[..., plane], axis=-1) / _across(d, plane)  # rate of the tilt
            p_dot[..., plane] += (part.rho(tilt) * turn)[..., None] * tangent
        return p_dot

    def _parts(self, a: FloatArray, b: FloatArray) -> list[tuple[Surface, FloatArray, list[int]]]:
        parts = [(self.sagittal, a, [0, 1])]
        return parts if self.frontal is None else [*parts, (self.frontal, b, [2, 1])]


def _across(d: FloatArray, plane: list[int]) -> FloatArray:
    """Return the share of d in the plane of an outline, shape (...)."""
    share = np.hypot(d[..., plane[0]], d[..., plane[1]])
    if np.any(share < FLAT):
        raise InputError(
            "a rolling body lies on its side, square to one of its outlines, where its point of contact is not defined"
        )
    return np.asarray(share)


def _directions(down: ArrayLike) -> FloatArray:
    d = as_floats(down, "down")
    if d.shape[-1:] != (3,):
        raise InputError(f"down must have shape (..., 3), unit vectors, however it has {d.shape}")
    return d
