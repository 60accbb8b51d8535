"""Polynomials of several variables in [-1, 1]: Chebyshev products up to a total degree, and their derivatives."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


def exponents(n_variables: int, degree: int) -> IntArray:
    """Return the degree of each variable in each term, shape (n_terms, n_variables), lower total degrees first."""
    rows = [row for row in product(range(degree + 1), repeat=n_variables) if sum(row) <= degree]
    return np.array(sorted(rows, key=lambda row: (sum(row), row)), dtype=np.int64).reshape(
        len(rows), n_variables
    )


def chebyshev(x: Array, degree: int) -> tuple[Array, Array]:
    """Return T_k(x) and dT_k/dx for k up to the degree, each with a last axis of degree + 1.

    T_{k+1} = 2 x T_k - T_{k-1}, and the derivative of that.
    """
    T, D = np.zeros((*x.shape, degree + 1)), np.zeros((*x.shape, degree + 1))
    T[..., 0] = 1.0
    if degree:
        T[..., 1], D[..., 1] = x, 1.0
    for k in range(1, degree):
        T[..., k + 1] = 2.0 * x * T[..., k] - T[..., k - 1]
        D[..., k + 1] = 2.0 * T[..., k] + 2.0 * x * D[..., k] - D[..., k - 1]
    return T, D


def basis(x: Array, terms: IntArray) -> tuple[Array, Array]:
    """Return all terms at points and their derivatives.

    Args:
        x: Points, shape (n, n_variables).
        terms: As `exponents` gives them.

    Returns:
        Values (n, n_terms) and derivatives by each variable (n_variables, n, n_terms).
    """
    T, D = chebyshev(x, int(terms.max(initial=0)))
    n_variables = terms.shape[1]
    factors = [T[:, j, terms[:, j]] for j in range(n_variables)]  # each (n, n_terms)
    values = np.ones((len(x), len(terms)))
    for factor in factors:
        values *= factor
    slopes = np.empty((n_variables, len(x), len(terms)))
    for j in range(n_variables):
        slopes[j] = D[:, j, terms[:, j]]
        for i, factor in enumerate(factors):
            if i != j:
                slopes[j] *= factor
    return values, slopes
