"""Fit a rolling surface of several exponentials a branch, convex, with errors in tilts and places.

The source's two terms a branch cannot have a narrow peak of radius, where the foot is flat, and a long heel and toe at
once: a term C turns concave beyond tan|a| = 2/C, and what is left of two after ρ'(0) = 0 is one. A third term is
enough. For given exponents and a given switch both s and ρ are linear in the amplitudes and in the origin of the
places,

    s(a) = s_0 + Σ A_i s_1(C_i, a),      ρ(a) = Σ A_i ρ_1(C_i, a),

so they follow from one problem with one solution: least squares of the places with ρ'(0) = 0, equal s and ρ at the
switch, and ρ ≥ rho_min on a grid (`inequalities`). Exponents, switch and the zero of the tilt are sought around it,
from several starts. The zero is sought since the peak of an exponential surface is there, and "flat" in a measurement
is a convention. Errors of the tilts as in `spline_fit`: α_k is the nearest point of the curve, in turns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.stats import qmc

from softstride.contact.fit_errors import fit_data
from softstride.contact.inequalities import solve_inequalities
from softstride.contact.inputs import FloatArray, number
from softstride.contact.rolling import RollingSurface
from softstride.contact.spline_fit import fit_spline_surface, nearest_tilts
from softstride.errors import InputError, SimulationError

LEAST, RATIO = (0.5, 20.0), (1.3, 20.0)  # least exponent of a branch [1/rad], and each over the one before
SWITCH, ZERO = (0.003, 0.1), 0.03  # bounds of the switch, and of the zero on both sides [rad]
DRAWN = 200  # starts that are tried once; the best are followed
TURNS, SETTLED = 20, 1e-4  # most turns, and the change of the sum of squares that ends them, as a share
GRID = np.exp(np.linspace(-5.5, 0.0, 50))  # shares of the range at which ρ is held up, each side of zero
IMPOSSIBLE = 1.0  # residual of exponents that no convex surface has [m]


@dataclass(frozen=True, eq=False)
class ExponentialFit:
    """A fitted surface of exponentials and how well it fits.

    Attributes:
        surface: The surface.
        offset: Where its contact at zero tilt is in the data [m].
        zero: The tilt of the data at which the surface has its zero [rad]; the data are offset + s(tilts).
        rms: Root mean square of the places it misses at `tilts` [m].
        largest: The largest of them [m].
        least_rho: Least ρ between the least and the greatest tilt [m].
        tilts: α_k, from `zero`, shape (n,), [rad].
        tilt_rms: Root mean square of zero + α_k − a_k [rad].
        cost: Sum of squares of both errors over their sizes; without a tilt_noise of the places alone.
    """

    surface: RollingSurface
    offset: float
    zero: float
    rms: float
    largest: float
    least_rho: float
    tilts: FloatArray
    tilt_rms: float
    cost: float


def fit_exponential_surface(
    a: ArrayLike,
    s: ArrayLike,
    *,
    terms: int = 3,
    rho_min: float = 0.005,
    tilt_noise: float = 0.0,
    place_noise: float = 0.002,
    starts: int = 4,
    seed: int = 0,
) -> ExponentialFit:
    """Fit a convex surface of exponentials to places of the contact.

    Args:
        a: Tilts, shape (n,), on both sides of zero, [rad].
        s: Places of the contact along the ground, from any origin, shape (n,), [m].
        terms: Of each branch, from 2 to 6.
        rho_min: Least radius of curvature [m].
        tilt_noise: σ_a [rad]; zero: the tilts are exact.
        place_noise: σ_s [m].
        starts: How many of the best starts are followed.
        seed: Of the starts.

    Raises:
        InputError: Too few data, NaN among them, all tilts on one side of zero, or options out of range.
        SimulationError: No start led to a convex surface.
    """
    a, s = fit_data(a, s)
    rho_min = number(rho_min, "rho_min", 0.0, " m")
    for name, value, least, most in (("terms", terms, 2, 6), ("starts", starts, 1, DRAWN)):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise InputError(f"{name} must be a whole number from {least} to {most}, however it is {value!r}")
    # the spline checks the rest, and has the first tilts of the turns
    first = fit_spline_surface(a, s, rho_min=rho_min, tilt_noise=tilt_noise, place_noise=place_noise)
    problem = _Problem(a, s, terms, rho_min, tilt_noise, place_noise)
    lower, upper = problem.bounds
    drawn = qmc.LatinHypercube(len(lower), rng=np.random.default_rng(seed)).random(DRAWN)
    tried = [problem.residual(p, first.tilts) for p in qmc.scale(drawn, lower, upper)]
    order = np.argsort([float(each @ each) for each in tried], kind="stable")[:starts]
    ends = [problem.follow(p, first.tilts) for p in qmc.scale(drawn[order], lower, upper)]
    found = [end for end in ends if end is not None]
    if not found:
        raise SimulationError(
            f"no start of the fit led to a convex surface of {terms} terms a branch with radii of at least "
            f"{rho_min:g} m: lower rho_min, or give more terms or starts"
        )
    return min(found, key=lambda end: end.cost)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The data, and what is solved for given exponents."""

    a: FloatArray
    s: FloatArray
    terms: int
    rho_min: float
    tilt_noise: float
    place_noise: float

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Bounds of log C1, log C2/C1, …, the same of branch II, log switch, and the zero in units of its bound."""
        branch = [LEAST, *[RATIO] * (self.terms - 1)]
        low, high = np.log([*branch, *branch, SWITCH]).T
        return np.append(low, -1.0), np.append(high, 1.0)

    def made(self, p: FloatArray, tilts: FloatArray) -> tuple[RollingSurface, float] | None:
        """Return surface and offset of parameters, for tilts of the data, or None where there is none."""
        m = self.terms
        C = np.exp(np.concatenate([np.cumsum(p[:m]), np.cumsum(p[m : 2 * m])]))
        switch, zero = float(np.exp(p[-2])), ZERO * p[-1]
        a = tilts - zero
        ends = float(self.a.min() - zero), float(self.a.max() - zero)
        if not ends[0] < 0.0 < switch < ends[1]:
            return None
        grid = np.concatenate([ends[0] * GRID[::-1], [0.0], ends[1] * GRID])
        places, radii = _columns(C, np.concatenate([a, grid]), switch)
        meet_s, meet_rho = (rows[0] for rows in _units(C, np.array([switch])))
        second = np.repeat([1.0, -1.0], m)
        bend = np.concatenate([C[:m] ** 2, np.zeros(m)])  # ρ'(0+) = −3 Σ A C²
        E = np.stack([bend, second * meet_s, second * meet_rho])
        E = np.append(E / np.linalg.norm(E, axis=1)[:, None], np.zeros((3, 1)), axis=1)
        J = np.append(places[: len(a)], np.ones((len(a), 1)), axis=1)
        G = np.append(radii[len(a) :], np.zeros((len(grid), 1)), axis=1)
        x = solve_inequalities(J, self.s, E, G, np.full(len(grid), self.rho_min))
        if x is None or not np.isfinite(x).all():
            return None
        try:
            return RollingSurface(x[:-1], C, switch), float(x[-1])
        except InputError:  # so ill-conditioned that the branches do not meet
            return None

    def residual(self, p: FloatArray, tilts: FloatArray) -> FloatArray:
        """Return the misses of the places, shape (n,), [m]."""
        found = self.made(p, tilts)
        if found is None:
            return np.full(len(self.a), IMPOSSIBLE)
        surface, offset = found
        return offset + surface.s(tilts - ZERO * p[-1]) - self.s

    def follow(self, p: FloatArray, tilts: FloatArray) -> ExponentialFit | None:
        """Follow a start downhill, in turns with the tilts."""
        best: ExponentialFit | None = None
        for _ in range(TURNS if self.tilt_noise > 0.0 else 1):
            p = least_squares(
                self.residual,
                p,
                bounds=self.bounds,
                x_scale="jac",
                args=(tilts,),
                max_nfev=60,
                diff_step=1e-5,
            ).x
            found = self.made(p, tilts)
            if found is None:
                break
            surface, offset = found
            a = self.a - ZERO * p[-1]
            if self.tilt_noise > 0.0:
                alpha = nearest_tilts(surface, offset, a, self.s, self.place_noise / self.tilt_noise)
            else:
                alpha = a
            fit = self._told(surface, offset, ZERO * float(p[-1]), alpha)
            done = best is not None and fit.cost > (1.0 - SETTLED) * best.cost
            if best is None or fit.cost < best.cost:
                best = fit
            if done:
                break
            tilts = alpha + ZERO * p[-1]
        return best

    def _told(self, surface: RollingSurface, offset: float, zero: float, alpha: FloatArray) -> ExponentialFit:
        misses, moved = offset + surface.s(alpha) - self.s, zero + alpha - self.a
        cost = float(misses @ misses) / self.place_noise**2
        if self.tilt_noise > 0.0:
            cost += float(moved @ moved) / self.tilt_noise**2
        low, high = float(self.a.min() - zero), float(self.a.max() - zero)
        fine = np.exp(np.linspace(-9.0, 0.0, 2001))
        return ExponentialFit(
            surface,
            offset,
            zero,
            float(np.sqrt(np.mean(misses**2))),
            float(np.abs(misses).max()),
            float(surface.rho(np.concatenate([low * fine, high * fine])).min()),
            alpha,
            float(np.sqrt(np.mean(moved**2))),
            cost,
        )


def _columns(C: FloatArray, a: FloatArray, switch: float) -> tuple[FloatArray, FloatArray]:
    """Return s and ρ at tilts (n,) for an amplitude 1 of each term, zero where another branch serves, (n, 2m) each."""
    serves = (a > switch)[:, None] == (np.arange(len(C)) >= len(C) // 2)
    s, rho = _units(C, a)
    return np.where(serves, s, 0.0), np.where(serves, rho, 0.0)


def _units(C: FloatArray, a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return s and ρ of one term of amplitude 1 for tilts (n,) and exponents (k,), each of shape (n, k)."""
    size = np.abs(a)[:, None]
    decay, sine, cosine = np.exp(-C * size), np.sin(size), np.cos(size)
    rise = -np.expm1(-C * size) + decay * 2.0 * np.sin(0.5 * size) ** 2
    s = C / (1.0 + C**2) * (sine * decay + C * rise) + C * decay * sine
    return np.sign(a)[:, None] * s, C * decay * (2.0 * cosine - C * sine)
