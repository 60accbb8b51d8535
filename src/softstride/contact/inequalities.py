"""Least squares under linear equations and inequalities, by the method of Lawson and Hanson [LawsonHanson1974].

    min |J x − d|²  with  E x = 0,  G x ≥ h.

The equations leave x = N y; with the singular values of J N, z = Σ Vᵀ y − Uᵀ d makes it the shortest z with G' z ≥ h',
whose dual is a problem of non-negative least squares (their chapter 23).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from softstride.contact.inputs import FloatArray

SINGULAR = (
    1e-10  # share of the largest singular value below which a direction is held by the inequalities alone
)
IMPOSSIBLE = 1e-9  # residual of the dual at which nothing satisfies the inequalities


def solve_inequalities(
    J: FloatArray, d: FloatArray, E: FloatArray, G: FloatArray, h: FloatArray
) -> FloatArray | None:
    """Return x, shape (n,), or None where nothing satisfies the inequalities.

    Args:
        J: Shape (k, n).
        d: Shape (k,).
        E: Equations, shape (e, n), their rows of like size; e < n.
        G: Inequalities, shape (g, n).
        h: Shape (g,).
    """
    _, values, rows = np.linalg.svd(E)
    N = rows[int(np.sum(values > 1e-12 * values[0])) :].T  # (n, free)
    U, sizes, V = np.linalg.svd(J @ N, full_matrices=False)
    K = V.T / np.maximum(sizes, SINGULAR * sizes[0])  # y = K (z + Uᵀ d)
    best = U.T @ d
    rows = G @ N @ K
    least = h - rows @ best
    length = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    dual = np.vstack([(rows / length[:, None]).T, least / length])
    target = np.zeros(len(dual))
    target[-1] = 1.0
    try:
        u, missed = nnls(dual, target)
    except RuntimeError:  # its limit of iterations
        return None
    if missed < IMPOSSIBLE:
        return None
    z = dual @ u - target
    if not z[-1] < 0.0:  # in exact numbers -missed²: so near to impossible that rounding took it
        return None
    return np.asarray(N @ (K @ (best - z[:-1] / z[-1])))
