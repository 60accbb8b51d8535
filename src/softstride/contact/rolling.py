"""The kinematic rolling foot: a virtual disk whose radius depends on the tilt, in two branches of exponentials.

A disk of radius r(a) lies in the plane of the sole, its centre M the point that touches the ground at a = 0. With

    r(a)  = Σ A_i sgn(a) (1 − e^{−C_i|a|})
    r*(a) = Σ A_i C_i/(1 + C_i²) [sin a e^{−C_i|a|} + C_i sgn(a) (1 − cos a e^{−C_i|a|})]

rolling without slip holds in both directions exactly when the material point at rest, the centre of pressure, is at

    s = r* + r' sin a,     h = r sin a,     ρ = s' = 2 r' cos a + r'' sin a.

The first half of the terms serves a ≤ a* (so all of a < 0), the second half a > a*; the source has two of each. Where
the branches meet with equal s and ρ, small jumps of h and h' remain; moving the centre of the second disk inside the
foot by (k2, −k1) takes them away and changes neither s nor ρ. Signs as in `surface`. Source: Caspers et al., "Using
kinematic rolling surfaces for fast foot-ground modeling in the forward dynamics of human gait", eqs. 1 and 2 with signs
for both sides of zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from softstride.contact.inputs import FloatArray, as_floats, bounded, constants, number
from softstride.contact.surface import Roll
from softstride.errors import InputError

JUMP = 1e-6  # largest jump of s and rho at the switch, as a share of rho(0)
STEEPEST = np.pi / 2  # [rad], where the search for the valid range ends
GRID = 4001


class _Terms(NamedTuple):
    """Exponentials and their factors at each tilt, the first axis over the m terms of the branch that serves it."""

    tilt: FloatArray  # (...)
    sign: FloatArray  # (...)
    rise: FloatArray  # 1 − e^{−C|a|}, (m, ...)
    decay: FloatArray  # A C e^{−C|a|}, (m, ...)
    A: FloatArray  # (m, ...)
    C: FloatArray  # (m, ...)
    second: FloatArray  # 1 where branch II serves, (...)

    def radius(self) -> FloatArray:
        """Return r."""
        return self.sign * _total(self.A * self.rise)

    def derivative(self, order: int) -> FloatArray:
        """Return the derivative of r of order 1, 2 or 3."""
        total = _total(self.decay if order == 1 else self.C ** (order - 1) * self.decay)
        return total if order % 2 else -self.sign * total

    def immaterial(self) -> FloatArray:
        """Return r*, free of cancellation near zero."""
        versine = 2.0 * np.sin(0.5 * self.tilt) ** 2  # 1 − cos a
        side = self.sign * (self.A * self.C * self.rise + self.decay * versine)
        return _total((np.sin(self.tilt) * self.decay + self.C * side) / (1.0 + self.C**2))


def _total(terms: FloatArray) -> FloatArray:
    return np.asarray(np.add.reduce(terms, axis=0))


@dataclass(frozen=True, eq=False)
class RollingSurface:
    """A rolling foot (or blade) in two branches of m exponentials each.

    Attributes:
        A: Amplitudes, shape (2m,), [m]; the first m for a ≤ switch, the others beyond. The source has m = 2.
        C: Exponents, shape (2m,), [1/rad].
        switch: Tilt a* at which the branches meet, above zero [rad]; infinity: the first branch alone.
        mirrored: Whether heel and toe are exchanged (x and tilt change sign).
        correction: (k1, k2) of branch II, derived: h += k1 cos a + k2 sin a, [m].

    Raises:
        InputError: Wrong shapes, exponents not above zero, or branches that do not meet (use `from_exponents`).
    """

    A: ArrayLike
    C: ArrayLike
    switch: float = np.inf
    mirrored: bool = False
    correction: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        """Copy, check, and close the gap between the branches."""
        object.__setattr__(self, "A", constants(self.A, None, "A of a rolling surface"))
        object.__setattr__(self, "C", bounded(self.C, "C of a rolling surface", 0.0, " 1/rad", open_end=True))
        shape = np.shape(self.A)
        if len(shape) != 1 or shape[0] % 2 or not shape[0] or np.shape(self.C) != shape:
            raise InputError(
                "A and C of a rolling surface must have shape (4,), or (2m,) for m terms a branch, however they have "
                f"{shape} and {np.shape(self.C)}"
            )
        if not np.isposinf(self.switch):
            number(self.switch, "switch of a rolling surface", 0.0, " rad", open_end=True)
        object.__setattr__(self, "switch", float(self.switch))
        object.__setattr__(self, "correction", self._meet())

    @classmethod
    def from_exponents(cls, C: ArrayLike, rho0: float, switch: float) -> RollingSurface:
        """Return the surface of these exponents whose amplitudes satisfy the four linear conditions.

        ρ(0) = rho0 and ρ'(0) = 0 give A1 and A2; equal ρ and s at the switch give A3 and A4. The second pair is
        ill-conditioned for a small switch, so never round C without solving for A again.

        Args:
            C: Exponents, shape (4,), [1/rad], the two of a branch different.
            rho0: Radius of curvature at zero tilt [m].
            switch: Tilt a* [rad].

        Raises:
            InputError: Exponents or switch that leave the conditions without a solution.
        """
        C = bounded(C, "C of a rolling surface", 0.0, " 1/rad", open_end=True)
        if C.shape != (4,):
            raise InputError(f"C of a rolling surface must have shape (4,), however it has {C.shape}")
        rho0 = number(rho0, "rho0", 0.0, " m", open_end=True)
        switch = number(switch, "switch of a rolling surface", 0.0, " rad", open_end=True)
        A = amplitudes(C, rho0, switch)
        if not np.isfinite(A).all():
            raise InputError(
                f"the exponents {C.tolist()} with switch {switch:g} rad have no amplitudes: the two of a branch must "
                "differ, and the two unit terms of the second branch must be independent at the switch"
            )
        return cls(A, C, switch)

    def r(self, a: ArrayLike) -> FloatArray:
        """Return the radius of the virtual disk, odd in a, shape of a, [m]."""
        return self._turn * self._terms(a).radius()

    def r_star(self, a: ArrayLike) -> FloatArray:
        """Return the place on the ground where the rim touches, the immaterial point P, shape of a, [m]."""
        return self._turn * self._terms(a).immaterial()

    def roll(self, a: ArrayLike) -> Roll:
        """Return s, h, h' and ρ, each of the shape of a, [m]."""
        terms, (k1, k2) = self._terms(a), self.correction
        sine, cosine = np.sin(terms.tilt), np.cos(terms.tilt)
        r, first = terms.radius(), terms.derivative(1)
        return Roll(
            s=self._turn * (terms.immaterial() + first * sine),
            h=np.asarray(r * sine + terms.second * (k1 * cosine + k2 * sine)),
            dh=self._turn * (first * sine + r * cosine + terms.second * (k2 * cosine - k1 * sine)),
            rho=np.asarray(2.0 * first * cosine + terms.derivative(2) * sine),
        )

    def s(self, a: ArrayLike) -> FloatArray:
        """Return the place of the material contact, which is the centre of pressure, shape of a, [m]."""
        return self.roll(a).s

    def h(self, a: ArrayLike) -> FloatArray:
        """Return the height of M, shape of a, [m]."""
        return self.roll(a).h

    def dh(self, a: ArrayLike) -> FloatArray:
        """Return h', shape of a, [m/rad]."""
        return self.roll(a).dh

    def X(self, a: ArrayLike) -> FloatArray:
        """Return the place of M along the ground, s − h', shape of a, [m]."""
        return self.roll(a).X

    def rho(self, a: ArrayLike) -> FloatArray:
        """Return the radius of curvature, shape of a, [m]."""
        return self.roll(a).rho

    def drho(self, a: ArrayLike) -> FloatArray:
        """Return ρ' = 3 r'' cos a + (r''' − 2 r') sin a, shape of a, [m/rad]; the mean of both sides at a = 0."""
        terms = self._terms(a)
        slope = terms.derivative(3) - 2.0 * terms.derivative(1)
        return self._turn * (3.0 * terms.derivative(2) * np.cos(terms.tilt) + slope * np.sin(terms.tilt))

    def outline(self, a: ArrayLike) -> FloatArray:
        """Return the sole in foot axes, ξ = h' cos a + h sin a and ζ = h' sin a − h cos a, shape (..., 2), [m]."""
        tilt = as_floats(a, "tilt")
        _, h, dh, _ = self.roll(tilt)
        sine, cosine = np.sin(tilt), np.cos(tilt)
        return np.stack([dh * cosine + h * sine, dh * sine - h * cosine], axis=-1)

    @cached_property
    def valid(self) -> tuple[float, float]:
        """Least and greatest tilt around zero between which ρ > 0, at most a right angle, [rad]."""
        return -self._reach(-1.0), self._reach(1.0)

    def scaled(self, factor: float) -> RollingSurface:
        """Return the same shape for another foot: all lengths times `factor`, the tilts as they are."""
        factor = number(factor, "factor of a rolling surface", 0.0, open_end=True)
        return replace(self, A=factor * np.asarray(self.A))

    def mirror(self) -> RollingSurface:
        """Return the surface with heel and toe exchanged: s(a) becomes −s(−a)."""
        return replace(self, mirrored=not self.mirrored)

    @property
    def _turn(self) -> float:
        return -1.0 if self.mirrored else 1.0

    def _terms(self, a: ArrayLike) -> _Terms:
        tilt = np.asarray(self._turn * as_floats(a, "tilt"))
        second = tilt > self.switch
        A, C = (np.reshape(each, (-1, *[1] * tilt.ndim)) for each in (self.A, self.C))
        m = len(A) // 2
        A, C = np.where(second, A[m:], A[:m]), np.where(second, C[m:], C[:m])
        rise = -np.expm1(-C * np.abs(tilt))
        decay = A * C * np.exp(-C * np.abs(tilt))
        return _Terms(tilt, np.sign(tilt), rise, decay, A, C, second.astype(np.float64))

    def _meet(self) -> FloatArray:
        """Return (k1, k2) from the jumps of h and h' at the switch, once s and ρ are found to meet there."""
        k = np.zeros(2)
        object.__setattr__(self, "correction", k)
        if np.isfinite(self.switch):
            at = self._turn * np.array([self.switch, np.nextafter(self.switch, np.inf)])
            s, h, dh, rho = self.roll(at)
            size = abs(float(self.rho(0.0)))
            if not (abs(s[1] - s[0]) <= JUMP * size and abs(rho[1] - rho[0]) <= JUMP * size):
                raise InputError(
                    f"the two branches of the rolling surface do not meet at the switch, {self.switch:g} rad: s jumps "
                    f"by {s[1] - s[0]:.3g} m and rho by {rho[1] - rho[0]:.3g} m; let from_exponents find A"
                )
            sine, cosine = np.sin(self.switch), np.cos(self.switch)
            step, slope = h[0] - h[1], self._turn * (dh[0] - dh[1])
            k = np.array([cosine * step - sine * slope, sine * step + cosine * slope])
        k.setflags(write=False)
        return k

    def _reach(self, side: float) -> float:
        grid = np.linspace(0.0, STEEPEST, GRID)
        below = self.rho(side * grid) <= 0.0
        if not below.any():
            return STEEPEST
        first = int(np.argmax(below))
        if first == 0:
            return 0.0
        return float(brentq(lambda a: float(self.rho(side * a)), grid[first - 1], grid[first], xtol=1e-14))


def amplitudes(C: FloatArray, rho0: float, switch: float) -> FloatArray:
    """Return A of the four linear conditions, shape (4,), [m]; not finite where they have no solution.

    Args:
        C: Exponents, shape (4,), [1/rad].
        rho0: ρ(0) [m]; ρ'(0) = 0.
        switch: Tilt at which ρ and s of both branches are equal [rad].
    """
    C1, C2 = C[:2]
    with np.errstate(all="ignore"):
        A1 = rho0 * C2 / (2.0 * C1 * (C2 - C1))
        A2 = -rho0 * C1 / (2.0 * C2 * (C2 - C1))
        unit_s, unit_rho = unit_terms(C, switch)
        s, rho = A1 * unit_s[0] + A2 * unit_s[1], A1 * unit_rho[0] + A2 * unit_rho[1]
        determinant = unit_rho[2] * unit_s[3] - unit_rho[3] * unit_s[2]
        A3 = (rho * unit_s[3] - s * unit_rho[3]) / determinant
        A4 = (unit_rho[2] * s - unit_s[2] * rho) / determinant
        return np.array([A1, A2, A3, A4])


def unit_terms(C: FloatArray, a: float) -> tuple[FloatArray, FloatArray]:
    """Return s and ρ of one term of amplitude 1 for each exponent, at one tilt a > 0, each of the shape of C."""
    decay, sine, cosine = np.exp(-C * a), np.sin(a), np.cos(a)
    rise = -np.expm1(-C * a) + decay * 2.0 * np.sin(0.5 * a) ** 2
    s = C / (1.0 + C**2) * (sine * decay + C * rise) + C * decay * sine
    return s, 2.0 * C * decay * cosine - C**2 * decay * sine
