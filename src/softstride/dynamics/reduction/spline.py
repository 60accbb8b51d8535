"""A slow change of the base over a trial: six quintic splines on even knots.

x(t) = sum_j B_j(t) c_j. The B_j are not negative and add up to one, so that |x| nowhere exceeds the largest |c|: bounds
on the coefficients are bounds on the change [deBoor1978].

References:
    [deBoor1978] de Boor, A Practical Guide to Splines, ch. IX to XI.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline
from scipy.sparse import csr_matrix, diags

from softstride.errors import InputError, Option

Array = NDArray[np.float64]

DEGREE = 5
"""Third derivatives are continuous and more: an acceleration without corners."""

WIDTH = DEGREE + 1
"""Splines that are not zero at an instant."""

MOST = 100_000
"""Most coefficients of each of the six."""


@dataclass(frozen=True, eq=False)
class Splines:
    """Basis splines at the instants of a trial.

    Attributes:
        count: Number of basis splines, k.
        first: First of the six that are not zero at each instant, shape (n,).
        values: They, their first and their second derivatives, shape (3, n, 6), [1], [1/s], [1/s²].
    """

    count: int
    first: NDArray[np.intp]
    values: Array

    def __call__(self, coefficients: Array) -> Array:
        """Return value, first and second derivative of curves, shape (3, n, m), of coefficients (k, m)."""
        near = coefficients[self.first[:, None] + np.arange(WIDTH)]  # (n, 6, m)
        return np.einsum("dnj,njm->dnm", self.values, near)

    def rows(self, response: Array) -> csr_matrix:
        """Return the derivatives of n x r numbers by all coefficients, given those by the curves and their rates.

        Args:
            response: d/dx, d/dx' and d/dx'' of the numbers, shape (3, n, r, m).

        Returns:
            Shape (n r, k m); the m coefficients of a spline stand side by side.
        """
        _, n, r, m = response.shape
        local = np.einsum("dnj,dnrm->nrjm", self.values, response).reshape(n * r, WIDTH * m)
        columns = (m * self.first[:, None] + np.arange(WIDTH * m)).repeat(r, axis=0)
        starts = np.arange(n * r + 1) * (WIDTH * m)
        return csr_matrix((local.ravel(), columns.ravel(), starts), shape=(n * r, self.count * m))


def even_splines(time: Array, cutoff: float) -> Splines:
    """Return the basis over a trial, knots at most 1 / (2 cutoff) apart.

    Args:
        time: Instants [s], shape (n,).
        cutoff: Frequency [Hz].

    Raises:
        InputError: A single frame, or a cut-off above half the rate of the frames.
    """
    if len(time) < 2:
        raise InputError("the base moves in time, however the motion has a single frame")
    span = float(time[-1] - time[0])
    rate = (len(time) - 1) / span
    if cutoff > 0.5 * rate:
        raise InputError(
            f"cutoff of the base must be at most half the rate of the motion, {0.5 * rate:g} Hz, however it is "
            f"{cutoff:g} Hz"
        )
    pieces = max(1, math.ceil(span * 2.0 * cutoff - 1e-9))
    if pieces > MOST:
        option = Option("time_range")
        raise InputError(
            f"a base with {pieces} knots is too much for one reduction: give a part with {option}",
            parameter="time_range",
            options=[option],
        )
    place = np.clip((time - time[0]) * (pieces / span), 0.0, pieces)
    count = pieces + DEGREE
    by_order = []
    for order in range(3):
        degree = DEGREE - order
        knots = np.concatenate([np.zeros(degree), np.arange(pieces + 1.0), np.full(degree, pieces)])
        lower = csr_matrix(BSpline.design_matrix(place, knots, degree))
        for d in range(degree + 1, DEGREE + 1):
            lower = lower @ _differences(pieces, d)
        by_order.append(lower)
    first = np.minimum(place.astype(np.intp), pieces - 1)
    near = (np.arange(len(time))[:, None], first[:, None] + np.arange(WIDTH))
    scale = (pieces / span) ** np.arange(3)
    values = np.stack([s * np.asarray(B[near].todense()) for s, B in zip(scale, by_order, strict=True)])
    return Splines(count, first, values)


def _differences(pieces: int, degree: int) -> csr_matrix:
    """Return the matrix from coefficients of a clamped spline to those of its derivative, one degree less.

    c'_j = d (c_{j+1} - c_j) / (t_{j+d+1} - t_{j+1}).
    """
    knots = np.concatenate([np.zeros(degree), np.arange(pieces + 1.0), np.full(degree, pieces)])
    m = pieces + degree - 1
    gain = degree / (knots[degree + 1 : degree + 1 + m] - knots[1 : 1 + m])
    return csr_matrix(diags([-gain, gain], [0, 1], shape=(m, m + 1)))
