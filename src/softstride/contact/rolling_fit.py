"""Fit a rolling surface to measured centres of pressure.

Nine numbers describe a `RollingSurface`; ρ(0) = rho0, ρ'(0) = 0 and equal ρ and s at the switch are four conditions,
linear in A. So A is solved for (variable projection) and only C1 … C4, and the switch if it is left free, are sought:
least squares of s(a_k) − s_k in metres over log C1, log C2/C1, log C3, log C4/C3 and a*, from several starts, since the
problem has more than one valley. All lengths are proportional to rho0, and the data may count from another place than
the footprint's centre: where asked for, both are found with A, by linear least squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.stats import qmc

from softstride.contact.fit_errors import fit_data, variance
from softstride.contact.inputs import FloatArray, as_floats, number
from softstride.contact.rolling import RollingSurface, amplitudes
from softstride.errors import InputError, SimulationError

FIRST = (0.5, 40.0)  # C1 [1/rad]
THIRD = (0.05, 40.0)  # C3 [1/rad]
RATIO = (1.1, 30.0)  # C2/C1 and C4/C3
SWITCH = (0.01, 0.1)  # a* where it is sought [rad]
BAD = 1e3  # residual of exponents without amplitudes [m]
STEP = 1e-6  # of differences in the logarithms of the parameters


@dataclass(frozen=True, eq=False)
class RollingFit:
    """A fitted surface and how well it fits.

    Attributes:
        surface: The surface.
        rms: Root mean square of offset + s(a_k) − s_k [m].
        largest: Largest |offset + s(a_k) − s_k| [m].
        least_rho: Least ρ at the tilts of the data [m]; below zero the sole is concave there.
        at_bounds: Parameters that ended on a bound, so that the data do not determine them: "C1", "C2/C1", "C3",
            "C4/C3", "switch".
        starts: Final sums of squares of all starts, least first, shape (n,), [m²].
        offset: Where the footprint's centre is in the data [m]; zero unless it was sought.
        tilts: Those of the data, shape (n,), [rad].
        residual: offset + s(a_k) − s_k, shape (n,), [m].
        sought: Which of log C1, log C2/C1, log C3, log C4/C3, log a*, log rho0 and offset were found, shape (7,).
        rho_min: Least ρ that was asked for [m]; minus infinity: none.
        rho_weight: Weight of what falls short of it.
    """

    surface: RollingSurface
    rms: float
    largest: float
    least_rho: float
    at_bounds: tuple[str, ...]
    starts: FloatArray
    offset: float
    tilts: FloatArray
    residual: FloatArray
    sought: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    rho_min: float
    rho_weight: float

    def place_error(self, a: ArrayLike) -> FloatArray:
        """Return the standard error of offset + s(a), shape of a, [m].

        To first order in the parameters that were sought and did not end on a bound; the penalty on ρ counts as data
        where it acts. See `fit_errors`.
        """
        tilt = as_floats(a, "tilt")
        columns, _ = self._slopes(self.tilts)  # (n, p)
        _, held = self._slopes(self.tilts[self.surface.rho(self.tilts) < self.rho_min])
        known = columns.T @ columns + self.rho_weight**2 * held.T @ held
        spread = variance(self.residual, columns.shape[1]) * np.linalg.pinv(known, hermitian=True)
        rows, _ = self._slopes(np.ravel(tilt))
        return np.asarray(np.sqrt(np.sum(rows @ spread * rows, axis=1)).reshape(tilt.shape))

    def _slopes(self, a: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the derivatives of offset + s(a) and of ρ(a) in the parameters that were sought, each (n, p)."""
        C, surface = np.asarray(self.surface.C), self.surface
        p = np.log([C[0], C[1] / C[0], C[2], C[3] / C[2], surface.switch])
        rho0 = float(surface.rho(0.0))
        pairs = []
        for i in np.flatnonzero(self.sought[:5]):
            up, down = (made_surface(p + sign * STEP * np.eye(5)[i], rho0, None) for sign in (1.0, -1.0))
            if up is not None and down is not None:
                one, other = up.roll(a), down.roll(a)
                pairs.append(((one.s - other.s) / (2.0 * STEP), (one.rho - other.rho) / (2.0 * STEP)))
        if self.sought[5]:
            pairs.append((surface.s(a), surface.rho(a)))
        if self.sought[6]:
            pairs.append((np.ones_like(a), np.zeros_like(a)))
        both = np.reshape(pairs, (len(pairs), 2, len(a)))
        return both[:, 0].T, both[:, 1].T


def fit_rolling_surface(
    a: ArrayLike,
    s: ArrayLike,
    *,
    rho0: float | None,
    switch: float | None = 0.026,
    rho_min: float | None = None,
    rho_weight: float = 10.0,
    starts: int = 16,
    seed: int = 0,
    shift: bool = False,
) -> RollingFit:
    """Fit a surface to places of the contact.

    Args:
        a: Tilts, shape (n,), both sides of zero, [rad].
        s: Places of the contact from the footprint's centre, shape (n,), [m].
        rho0: Radius of curvature at zero tilt [m]; None: it is sought too.
        switch: Tilt at which the branches meet [rad]; None: it is sought too.
        rho_min: Least ρ at the tilts of the data [m], asked for by a penalty; None: not asked for.
        rho_weight: Residual for each metre by which ρ(a_k) falls short of rho_min: 1 bends the fit a little, 10 nearly
            enforces it.
        starts: Number of starts, spread over the bounds.
        seed: Of the starts.
        shift: Whether s counts from an unknown place, which is sought too.

    Raises:
        InputError: Too few data, NaN among them, or none beyond the switch.
        SimulationError: No start led to a surface.
    """
    a, s = fit_data(a, s)
    if rho0 is not None:
        rho0 = number(rho0, "rho0", 0.0, " m", open_end=True)
    if switch is not None:
        switch = number(switch, "switch of a rolling surface", 0.0, " rad", open_end=True)
    if a.max() <= (SWITCH[0] if switch is None else switch):
        raise InputError(
            f"no tilt is beyond the switch: the largest is {a.max():g} rad; give tilts with the heel up"
        )
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 1:
        raise InputError(f"starts must be a whole number of at least 1, however it is {starts!r}")
    names = ("C1", "C2/C1", "C3", "C4/C3", "switch")[: 5 if switch is None else 4]
    lower, upper = np.log(np.array([FIRST, RATIO, THIRD, RATIO, SWITCH][: len(names)])).T

    def found(p: FloatArray) -> tuple[RollingSurface | None, float]:
        unit = made_surface(p, 1.0 if rho0 is None else rho0, switch)
        return (None, 0.0) if unit is None else _linear(unit, a, s, rho0 is None, shift)

    def residual(p: FloatArray) -> FloatArray:
        made, offset = found(p)
        if made is None:
            return np.full(len(a) * (1 if rho_min is None else 2), BAD)
        misses = offset + made.s(a) - s
        if rho_min is None:
            return misses
        return np.concatenate([misses, rho_weight * np.maximum(rho_min - made.rho(a), 0.0)])

    begin = qmc.scale(
        qmc.LatinHypercube(len(names), rng=np.random.default_rng(seed)).random(starts), lower, upper
    )
    ends = [
        least_squares(
            residual,
            p,
            bounds=(lower, upper),
            x_scale="jac",
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
            max_nfev=400,
        )
        for p in begin
    ]
    best = min(ends, key=lambda end: end.cost)
    surface, offset = found(best.x)
    if surface is None:
        raise SimulationError(
            "no start of the fit led to a rolling surface; give more starts or another rho0"
        )
    misses = offset + surface.s(a) - s
    near = (best.x - lower < 1e-4) | (upper - best.x < 1e-4)
    sought = np.zeros(7, dtype=bool)
    sought[: len(names)], sought[5], sought[6] = ~near, rho0 is None, shift
    return RollingFit(
        surface,
        float(np.sqrt(np.mean(misses**2))),
        float(np.abs(misses).max()),
        float(surface.rho(a).min()),
        tuple(name for name, held in zip(names, near, strict=True) if held),
        np.sort([2.0 * end.cost for end in ends]),
        offset,
        a,
        misses,
        sought,
        -np.inf if rho_min is None else rho_min,
        rho_weight,
    )


def made_surface(p: FloatArray, rho0: float, switch: float | None) -> RollingSurface | None:
    """Return the surface of parameters in logarithms, or None where the conditions have no solution."""
    C = np.exp([p[0], p[0] + p[1], p[2], p[2] + p[3]])
    at = float(np.exp(p[4])) if switch is None else switch
    A = amplitudes(C, rho0, at)
    if not np.isfinite(A).all():
        return None
    try:
        return RollingSurface(A, C, at)
    except InputError:  # so ill-conditioned that the branches do not meet
        return None


def _linear(
    unit: RollingSurface, a: FloatArray, s: FloatArray, size: bool, shift: bool
) -> tuple[RollingSurface | None, float]:
    """Return the surface in its best size, and the best offset; no surface if its size would be negative."""
    if not (size or shift):
        return unit, 0.0
    places = unit.s(a)
    if not size:
        return unit, float(np.mean(s - places))
    columns = np.stack([places, np.ones_like(a)] if shift else [places], axis=1)
    factor, *offset = np.linalg.lstsq(columns, s, rcond=None)[0]
    return (unit.scaled(float(factor)), float(offset[0]) if offset else 0.0) if factor > 0.0 else (None, 0.0)
