"""What a rolling surface answers: the outline of a sole or a blade in one plane, by its tilt.

Plane and signs: x forward, z up (out of the ground), tilt a > 0 heel up and a < 0 toe up, so that a positive turn is
clockwise with x to the right. A foot-fixed point (ξ, ζ) stands in the plane at

    x = x0 + X(a) + ξ cos a + ζ sin a,      z = h(a) − ξ sin a + ζ cos a,

with the ground at z = 0. For a convex outline that rolls without slip, four functions say everything:

    h(a)            height of the foot's origin above the ground (support function),     h' its derivative,
    s(a)            place of the contact on the ground, which is the centre of pressure,
    X(a) = s − h'   place of the foot's origin,                                           X' = h,
    ρ(a) = s' = h + h''  radius of curvature at the contact; convex where ρ > 0.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray, as_floats
from softstride.errors import InputError


class Roll(NamedTuple):
    """All functions of a surface at the same tilts, each of their shape, [m]."""

    s: FloatArray
    h: FloatArray
    dh: FloatArray
    rho: FloatArray

    @property
    def X(self) -> FloatArray:
        """Place of the foot's origin along the ground, s − h'."""
        return self.s - self.dh


@runtime_checkable
class Surface(Protocol):
    """An outline that rolls on the ground; every function takes tilts of any shape, [rad]."""

    @property
    def valid(self) -> tuple[float, float]:
        """Least and greatest tilt around zero between which the outline is convex [rad]."""

    def s(self, a: ArrayLike) -> FloatArray:
        """Return the place of the contact on the ground, shape of a, [m]."""

    def h(self, a: ArrayLike) -> FloatArray:
        """Return the height of the foot's origin, shape of a, [m]."""

    def dh(self, a: ArrayLike) -> FloatArray:
        """Return h', shape of a, [m/rad]."""

    def X(self, a: ArrayLike) -> FloatArray:
        """Return the place of the foot's origin along the ground, shape of a, [m]."""

    def rho(self, a: ArrayLike) -> FloatArray:
        """Return the radius of curvature at the contact, shape of a, [m]."""

    def outline(self, a: ArrayLike) -> FloatArray:
        """Return the point of contact in foot axes (ξ, ζ), shape (..., 2), [m]."""

    def roll(self, a: ArrayLike) -> Roll:
        """Return all of them at once, which is cheaper than one by one."""


def outside(surface: Surface, a: ArrayLike) -> str:
    """Say which tilts leave the range where a surface can roll; an empty text when none does.

    Args:
        surface: The surface.
        a: Tilts, of any shape, [rad]; NaN (not measured) is let pass.

    Returns:
        A sentence with the first such tilt, how many there are, the range and the way out.
    """
    tilt = np.atleast_1d(as_floats(a, "tilt"))
    low, high = surface.valid
    wrong = (tilt < low) | (tilt > high)
    if not wrong.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    frame = "" if tilt.size == 1 else f" of frame {place[0] if len(place) == 1 else place}"
    return (
        f"tilt {tilt[place]:.4g} rad{frame} ({int(wrong.sum())} of {tilt.size}) is outside {low:.4g} to {high:.4g} "
        "rad, where the rolling surface is convex; beyond it the contact would run back: leave these frames out, or "
        "fit the surface with rho_min over the tilts that occur"
    )


def check_range(surface: Surface, a: ArrayLike) -> None:
    """Refuse tilts at which a surface cannot roll.

    Args:
        surface: The surface.
        a: Tilts, of any shape, [rad].

    Raises:
        InputError: A tilt is outside `surface.valid`.
    """
    problem = outside(surface, a)
    if problem:
        raise InputError(problem)
