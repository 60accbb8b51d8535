"""Fit a spline surface to measured centres of pressure, convex by construction.

The radius is ρ = rho_min + Σ c_j B_j(a) with cubic B-splines and c_j ≥ 0, so ρ ≥ rho_min at every tilt, not only at
those of the data. The place of the contact is linear in c,

    s(a) = s_0 + rho_min a + Σ c_j ∫_0^a B_j,

so the fit is one bounded linear least-squares problem with one solution: the sum of (s(a_k) − s_k)² plus λ times that
of the second differences of c [Eilers1996]. λ is given, or the one with the least generalised cross-validation. Knots
lie at quantiles of the tilts: where the foot is flat and most samples are, the shape may change fast.

Measured tilts are uncertain too: skin, shoe and foot yield. While a foot is flat its contact runs forward and its tilt
stays, or even turns back, and no surface follows that exactly. With `tilt_noise` σ_a each sample may move to a tilt α_k
of its own, and the sum of ((s(α_k) − s_k)/σ_s)² + ((α_k − a_k)/σ_a)² is made least in turns: α_k the nearest point of
the curve, then the curve through the (α_k, s_k).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline
from scipy.optimize import nnls

from softstride.contact.fit_errors import fit_data, variance
from softstride.contact.inputs import FloatArray, as_floats, number
from softstride.contact.spline import SplineSurface
from softstride.contact.surface import Surface
from softstride.errors import InputError

DEGREE = 3
TURNS, SETTLED = 60, 1e-5  # of the fit with uncertain tilts: most turns, and the move that ends them [rad]
LAMBDAS = tuple(10.0 ** np.arange(-8.0, 0.5, 0.5))


@dataclass(frozen=True, eq=False)
class SplineFit:
    """A fitted spline surface and how well it fits.

    Attributes:
        surface: The surface, with s(0) = 0.
        offset: s_0, where the contact at zero tilt is in the data [m]; the data are offset + surface.s(tilts).
        rms: Root mean square of what is missed at `tilts` [m].
        largest: Largest miss there [m].
        least_rho: Least ρ between the least and the greatest tilt [m]; never below rho_min.
        smoothing: λ.
        freedom: Effective number of parameters.
        covariance: Of s_0 and c, shape (1 + m, 1 + m), [m²]; zero for c held at zero.
        knots: Of the B-splines, clamped, shape (m + 4,), [rad].
        radii: Their coefficients rho_min + c, shape (m,), [m]: surface is SplineSurface.from_bsplines(knots, radii).
        tilts: α_k, the data's own tilts unless they were given a noise, shape (n,), [rad].
        tilt_rms: Root mean square of α_k − a_k [rad].
    """

    surface: SplineSurface
    offset: float
    rms: float
    largest: float
    least_rho: float
    smoothing: float
    freedom: float
    covariance: FloatArray
    knots: FloatArray
    radii: FloatArray
    tilts: FloatArray
    tilt_rms: float

    def place_error(self, a: ArrayLike) -> FloatArray:
        """Return the standard error of offset + s(a), shape of a, [m]; see `fit_errors`."""
        tilt = as_floats(a, "tilt")
        return self._error(np.concatenate([np.ones((*tilt.shape, 1)), integrals(self.knots, tilt)], axis=-1))

    def radius_error(self, a: ArrayLike) -> FloatArray:
        """Return the standard error of ρ(a), shape of a, [m]."""
        tilt = np.clip(as_floats(a, "tilt"), self.knots[0], self.knots[-1])
        basis = np.stack([each(tilt) for each in _basis(self.knots)], axis=-1)
        return self._error(np.concatenate([np.zeros((*tilt.shape, 1)), basis], axis=-1))

    def _error(self, rows: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(np.maximum(np.sum(rows @ self.covariance * rows, axis=-1), 0.0)))


def fit_spline_surface(
    a: ArrayLike,
    s: ArrayLike,
    *,
    rho_min: float = 0.005,
    pieces: int = 16,
    smoothing: float | None = None,
    tilt_noise: float = 0.0,
    place_noise: float = 0.002,
) -> SplineFit:
    """Fit a convex surface of any shape to places of the contact.

    Args:
        a: Tilts, shape (n,), on both sides of zero, in the order of their samples, [rad].
        s: Places of the contact along the ground, from any origin, shape (n,), [m].
        rho_min: Least radius of curvature [m], kept at every tilt.
        pieces: Most pieces of the spline; fewer where the tilts are few.
        smoothing: λ; None: by generalised cross-validation.
        tilt_noise: σ_a [rad]; zero: the tilts are exact.
        place_noise: σ_s [m], of use beside a tilt_noise only.

    Raises:
        InputError: Too few data, NaN among them, all tilts on one side of zero, or options out of range.
    """
    a, s = fit_data(a, s)
    rho_min = number(rho_min, "rho_min", 0.0, " m")
    tilt_noise = number(tilt_noise, "tilt_noise", 0.0, " rad")
    place_noise = number(place_noise, "place_noise", 0.0, " m", open_end=True)
    if isinstance(pieces, bool) or not isinstance(pieces, int) or pieces < 1:
        raise InputError(f"pieces must be a whole number of at least 1, however it is {pieces!r}")
    if not a.min() < 0.0 < a.max():
        raise InputError(
            f"the tilts of a fit must lie on both sides of zero, however they go from {a.min():g} to {a.max():g} rad; "
            "measure tilt from the flat foot"
        )
    given = LAMBDAS if smoothing is None else (number(smoothing, "smoothing", 0.0),)
    fit = _fit(a, s, rho_min, pieces, given)
    if tilt_noise > 0.0:
        share = place_noise / tilt_noise  # metres of place that weigh as much as a radian of tilt
        for turn in range(TURNS):
            moved = nearest_tilts(fit.surface, fit.offset, a, s, share)
            done = np.abs(moved - fit.tilts).max() < SETTLED
            fit = _fit(moved, s, rho_min, pieces, given if turn < 3 else (fit.smoothing,))
            if done:
                break
    return replace(fit, tilt_rms=float(np.sqrt(np.mean((fit.tilts - a) ** 2))))


def nearest_tilts(surface: Surface, offset: float, a: FloatArray, s: FloatArray, share: float) -> FloatArray:
    """Return for each sample the tilt α with the least (offset + s(α) − s)² + share² (α − a)²."""
    grid = np.linspace(a.min(), a.max(), 2001)
    places = offset + surface.s(grid)
    alpha = grid[((places - s[:, None]) ** 2 + (share * (grid - a[:, None])) ** 2).argmin(axis=1)]
    for _ in range(4):  # Gauss and Newton
        roll = surface.roll(alpha)
        slope = (offset + roll.s - s) * roll.rho + share**2 * (alpha - a)
        alpha = np.clip(alpha - slope / (roll.rho**2 + share**2), a.min(), a.max())
    return alpha


def _fit(a: FloatArray, s: FloatArray, rho_min: float, pieces: int, given: tuple[float, ...]) -> SplineFit:
    """Fit with tilts as they are, with the best of the given λ."""
    knots = place_knots(a, pieces)
    columns = integrals(knots, a)  # (n, m)
    target = s - rho_min * a
    solved = [_solve(columns, target, value) for value in given]
    best = min(range(len(given)), key=lambda i: solved[i][2])
    c, inverse, _, freedom = solved[best]
    offset = float(np.mean(target - columns @ c))
    misses = offset + columns @ c - target
    radii = c + rho_min  # the B-splines add up to one
    surface = SplineSurface.from_bsplines(knots, radii)
    return SplineFit(
        surface,
        offset,
        float(np.sqrt(np.mean(misses**2))),
        float(np.abs(misses).max()),
        float(surface.rho(np.linspace(a.min(), a.max(), 2001)).min()),
        given[best],
        freedom,
        variance(misses, freedom) * inverse,
        knots,
        radii,
        a,
        0.0,
    )


def place_knots(a: FloatArray, pieces: int) -> FloatArray:
    """Return clamped knots at quantiles of the tilts, at most `pieces` pieces and one for two different tilts."""
    different = np.unique(a)
    inner = np.unique(np.quantile(a, np.linspace(0.0, 1.0, min(pieces, len(different) // 2) + 1)))
    return np.concatenate([[inner[0]] * DEGREE, inner, [inner[-1]] * DEGREE])


def integrals(knots: FloatArray, a: FloatArray) -> FloatArray:
    """Return ∫_0^a B_j for every B-spline, constant beyond the ends, shape (..., m), [rad]."""
    inside = np.clip(a, knots[0], knots[-1])
    columns = []
    for each in _basis(knots):
        total = each.antiderivative()
        beyond = each(knots[0]) * np.minimum(a - knots[0], 0.0) + each(knots[-1]) * np.maximum(
            a - knots[-1], 0.0
        )
        columns.append(total(inside) - total(0.0) + beyond)
    return np.stack(columns, axis=-1)


def _basis(knots: FloatArray) -> list[BSpline]:
    count = len(knots) - DEGREE - 1
    return [BSpline(knots, row, DEGREE) for row in np.eye(count)]


def _solve(
    columns: FloatArray, target: FloatArray, smoothing: float
) -> tuple[FloatArray, FloatArray, float, float]:
    """Return c, the inverse normal matrix of (s_0, c), the cross-validation score and the effective parameters."""
    n, m = columns.shape
    centred = columns - columns.mean(axis=0)  # the best s_0 for any c is thereby taken out
    rough = np.sqrt(smoothing) * np.diff(np.eye(m), 2, axis=0)
    c, _ = nnls(
        np.concatenate([centred, rough]), np.concatenate([target - target.mean(), np.zeros(len(rough))])
    )
    free = np.concatenate([[True], c > 0.0])
    full = np.concatenate([np.ones((n, 1)), columns], axis=1)[:, free]
    penalty = np.concatenate([np.zeros((len(rough), 1)), rough], axis=1)[:, free]
    normal = full.T @ full + penalty.T @ penalty
    small = np.linalg.pinv(normal, hermitian=True)
    freedom = float(np.trace(small @ full.T @ full))
    misses = target - target.mean() - centred @ c
    inverse = np.zeros((m + 1, m + 1))
    inverse[np.ix_(free, free)] = small
    return c, inverse, float(n * (misses @ misses) / max(n - freedom, 1e-9) ** 2), freedom
