"""How much to smooth: the smoothing parameter from the data, from the noise, or from a cutoff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from softstride.signals.inputs import FloatArray
from softstride.signals.spline_system import SplineSystem

# Angular cutoff per sample where the search begins and ends: beyond pi the spline goes through every sample.
_HIGHEST = 8.0
_STEPS = 20


@dataclass(frozen=True, eq=False)
class Piece:
    """The samples of one run, with its equations; None where the run is too short to be smoothed.

    Attributes:
        samples: Shape (n_run, n_columns).
        weights: Shape (n_run,).
        columns: The channels, shape (n_columns,).
        start: First frame.
        system: The equations, or None for a run that a polynomial of degree below m goes through.
    """

    samples: FloatArray
    weights: FloatArray
    columns: NDArray[np.intp]
    start: int
    system: SplineSystem | None

    def residual(self, p: float) -> FloatArray:
        """Return samples minus spline, shape (n_run, n_columns)."""
        return np.zeros_like(self.samples) if self.system is None else self.system.residual(self.samples, p)

    def dof(self, p: float) -> float:
        """Return the trace of the hat matrix of each column."""
        return float(len(self.samples)) if self.system is None else self.system.dof(p)


@dataclass(frozen=True)
class Misfit:
    """What a smoothing parameter leaves: weighted sum of squared residuals, samples, trace of the hat matrix."""

    squares: float
    samples: int
    dof: float

    @property
    def gcv(self) -> float:
        """V = (S/N) / (1 - dof/N)^2, generalised cross-validation [CravenWahba1979]."""
        free = self.samples - self.dof
        return self.samples * self.squares / free**2 if free > 0 else np.nan

    def predicted_error(self, noise: float) -> float:
        """T = S/N + 2 noise^2 dof/N - noise^2, an unbiased estimate of the true mean squared error."""
        return self.squares / self.samples + noise**2 * (2.0 * self.dof / self.samples - 1.0)


def summarise(pieces: Sequence[Piece], residuals: Sequence[FloatArray], dofs: Sequence[float]) -> Misfit:
    """Add up what the pieces leave, over all runs and channels."""
    squares = sum(
        float(np.sum(piece.weights[:, None] * residual**2))
        for piece, residual in zip(pieces, residuals, strict=True)
    )
    dof = sum(each * len(piece.columns) for piece, each in zip(pieces, dofs, strict=True))
    return Misfit(squares, sum(piece.samples.size for piece in pieces), dof)


def choose(pieces: Sequence[Piece], half_order: int, criterion: Callable[[Misfit], float]) -> float:
    """Return the p, per unit spacing, that makes a criterion smallest.

    A grid over the cutoff, from one radian in the longest run to one beyond half the rate, finds the valleys (short
    records often have two) and bounded minimisation their bottoms, to 1e-4 of the cutoff; the deepest counts.

    Args:
        pieces: The runs, at least one of which can be smoothed.
        half_order: m.
        criterion: What to make smallest.

    Returns:
        p, in units in which samples are about one apart.
    """
    longest = max(len(piece.samples) for piece in pieces)
    unit = float(np.mean(np.concatenate([piece.weights for piece in pieces])))

    def parameter(log_cutoff: float) -> float:
        return unit * float(np.exp(-2.0 * half_order * log_cutoff))

    def score(log_cutoff: float) -> float:
        p = parameter(log_cutoff)
        found = criterion(
            summarise(pieces, [piece.residual(p) for piece in pieces], [piece.dof(p) for piece in pieces])
        )
        return np.inf if np.isnan(found) else found

    grid = np.linspace(-np.log(longest), np.log(_HIGHEST), _STEPS)
    scores = np.array([score(place) for place in grid])
    before, after = np.append(np.inf, scores[:-1]), np.append(scores[1:], np.inf)
    bottoms = [(np.inf, float(grid[0]))]
    for valley in map(int, np.flatnonzero((scores < before) & (scores <= after))):
        bounds = (grid[max(valley - 1, 0)], grid[min(valley + 1, _STEPS - 1)])
        from scipy.optimize import minimize_scalar

        bottom = minimize_scalar(score, bounds=bounds, method="bounded", options={"xatol": 1e-4})
        bottoms += [(float(scores[valley]), float(grid[valley])), (float(bottom.fun), float(bottom.x))]
    return parameter(min(bottoms)[1])


def smoothing_at_cutoff(angle: float, half_order: int) -> float:
    """Return the p, per unit spacing, whose spline halves a sine of `angle` radians a sample.

    On even samples the spline has the gain 1 / (1 + p (2 sin(a/2))^(2m) / b(a)), where b(a) = sum_k B(k) cos(k a) is
    the B-spline B of degree 2m - 1 on the whole numbers. For slow sines this is 1 / (1 + p a^(2m)), the gain of a
    Butterworth filter of order m forward and backward; here p is exact up to half the rate.

    Args:
        angle: 2 pi cutoff / rate, in (0, pi).
        half_order: m.

    Returns:
        p, in units in which samples are one apart.
    """
    m = half_order
    shifts = np.arange(1 - m, m)
    heights = np.array([_central_b_spline(m, int(k)) for k in shifts])
    return float(np.sum(heights * np.cos(shifts * angle)) / (2.0 * np.sin(angle / 2.0)) ** (2 * m))


def _central_b_spline(m: int, k: int) -> float:
    """Return the centred B-spline of degree 2m - 1 at the whole number k."""
    terms = ((-1) ** j * comb(2 * m, j) * (k + m - j) ** (2 * m - 1) for j in range(k + m + 1))
    return sum(terms) / factorial(2 * m - 1)
