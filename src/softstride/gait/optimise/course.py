"""Courses to follow: a measured curve over a step, as a polynomial that can be differentiated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline

from softstride.errors import InputError

Floats = NDArray[np.float64]

DEGREE = 14
"""Of the polynomials: joint angles of half a stride come out to a tenth of a degree."""

_SAMPLES = 101


@dataclass(frozen=True, eq=False)
class Course:
    """A curve over the fraction s of a step, 0 at its first heel strike, 1 at the next: Σ_k a_k T_k(2 s − 1).

    Attributes:
        coefficients: a, of the Chebyshev polynomials T_k, shape (k,).
        misfit: Root mean square of what the polynomial leaves of the samples.
    """

    coefficients: Floats
    misfit: float = 0.0

    @classmethod
    def through(cls, fraction: ArrayLike, values: ArrayLike, degree: int = DEGREE) -> Course:
        """Return the course of samples: a cubic spline through them, then the nearest polynomial.

        Args:
            fraction: Of the step, increasing, shape (n,), n ≥ 4; they must reach from 0 to 1 (a course that is not
                needed to the end may go on as it likes).
            values: Samples, shape (n,).
            degree: Of the polynomial.

        Raises:
            InputError: Samples that do not fit.
        """
        s, y = np.asarray(fraction, dtype=np.float64), np.asarray(values, dtype=np.float64)
        if s.ndim != 1 or s.shape != y.shape or len(s) < 4:
            raise InputError(
                "a course needs 4 or more samples and as many fractions, however they have shapes "
                f"{y.shape} and {s.shape}"
            )
        if not (np.isfinite(s).all() and np.isfinite(y).all()) or np.any(np.diff(s) <= 0.0):
            raise InputError("a course needs finite samples at increasing fractions of the step")
        if s[0] > 0.0 or s[-1] < 1.0:
            raise InputError(
                f"a course must reach from 0 to 1 of the step, however it has {s[0]:g} to {s[-1]:g}; extend the samples"
            )
        nodes = 0.5 * (
            1.0 - np.cos(np.pi * (np.arange(_SAMPLES) + 0.5) / _SAMPLES)
        )  # zeros of T: best conditioned
        spline = CubicSpline(s, y)
        a = chebyshev.chebfit(2.0 * nodes - 1.0, spline(nodes), degree)
        inside = (s >= 0.0) & (s <= 1.0)
        left = y[inside] - chebyshev.chebval(2.0 * s[inside] - 1.0, a)
        return cls(a, float(np.sqrt(np.mean(left**2))))

    @classmethod
    def constant(cls, value: float) -> Course:
        """Return a course that never changes."""
        return cls(np.array([float(value)]))

    def at(self, fraction: ArrayLike) -> Floats:
        """Return the values at fractions (...,) of the step."""
        u = 2.0 * np.asarray(fraction, dtype=np.float64) - 1.0
        return np.asarray(chebyshev.chebval(u, self.coefficients), dtype=np.float64)

    def rate(self, fraction: ArrayLike) -> Floats:
        """Return derivatives by the fraction."""
        u = 2.0 * np.asarray(fraction, dtype=np.float64) - 1.0
        return np.asarray(2.0 * chebyshev.chebval(u, chebyshev.chebder(self.coefficients)), dtype=np.float64)

    def expression(self, fraction: Any) -> Any:
        """Return the course at a CasADi expression, by Clenshaw's recursion."""
        u = 2.0 * (2.0 * fraction - 1.0)
        later, after = 0.0, 0.0
        for a in self.coefficients[:0:-1]:
            later, after = float(a) + u * later - after, later
        return float(self.coefficients[0]) + 0.5 * u * later - after
