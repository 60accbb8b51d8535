r"""A slope through the origin when both sides have errors, and its standard error in a series of time.

Rows y = theta x, of which y + error (variance s_y^2) and e = x + error (s_e^2) are known. The most likely theta makes

    S(theta) = sum w (y - theta e)^2,     w = 1 / (s_y^2 + theta^2 s_e^2)

smallest: sum w xhat (y - theta e) = 0 with xhat = e + w theta s_e^2 (y - theta e) (D. York et al., Am. J. Phys. 72,
367, 2004, eq. 13). Plain least squares of y on e would come out too small by the share of the noise in e.

Residuals of neighbouring frames are alike, so that n frames are worth fewer. With the scores g_t = sum w xhat (y -
theta e) of each frame, var(theta) = V / H^2, H = sum w xhat e, and V the larger of two estimates of the variance of
the sum of scores:

- G_0 + 2 sum_l (1 - l/(m+1)) G_l, G_l the sum of g_t g_{t-l} over all trials (W. Newey and K. West, Econometrica 55,
  703, 1987), with as many lags m as D. Andrews' rule asks for, m = 1.1447 (a n)^(1/3), a = 4 r^2 / ((1-r)^2 (1+r)^2),
  r = G_1 / G_0 (Econometrica 59, 817, 1991);
- G_0 (1+c)/(1-c), as for a series that decays with c = (n r + 1)/(n - 3), r freed of its bias in short series
  (F. Marriott and J. Pope, Biometrika 41, 390, 1954): for few frames, of which the first sees too little.

Both grow by k/(k-1), k = n (1-c)/(1+c) the frames that n are worth, for the number that was fitted.

Rows may disagree for good: if the model is wrong, each has a factor of its own, theta + G_j / H_j with G_j = sum_t g_tj
and H_j = sum_t w xhat e, and which of them counts is an accident of the weights. No number of frames mends that. The
variance of the sum with rows as clusters is sum_j G_j^2 / H^2 (K.-Y. Liang and S. Zeger, Biometrika 73, 13, 1986), and
grows by r/(r-1), r = H^2 / sum_j H_j^2 the rows that they are worth. It holds the noise of each row, too, which is
found as above from the scores of the row about its own factor and taken off, since the series over frames has it
already (A. Cameron, J. Gelbach and D. Miller, J. Bus. Econ. Stat. 29, 238, 2011). The rest is added to var(theta).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Prior = tuple[float, float]
"""A value that is expected, and its standard deviation."""

ROUNDS = 100
SETTLED = 1e-14
MOST_ALIKE = 0.97
"""Correlation of neighbours above which no number of lags would do."""

TELLING = 0.01
"""Share of the curvature from which on a row has a factor of its own to speak of."""


@dataclass(frozen=True, eq=False)
class Slope:
    """A slope.

    Attributes:
        value: theta.
        expected_std: What the given errors let expect, independent from frame to frame.
        curvature: H, with that of the prior.
        weight: w of each entry, as the rows.
        score: w xhat (y - theta e) of each entry, as the rows.
        share: w xhat e of each entry, as the rows: what it adds to the curvature.
    """

    value: float
    expected_std: float
    curvature: float
    weight: Array
    score: Array
    share: Array


def fit_slope(y: Array, e: Array, var_y: Array, var_e: Array, prior: Prior | None = None) -> Slope:
    """Return theta of y = theta e.

    Args:
        y: Rows, any shape.
        e: The other side, same shape.
        var_y: Variance of y, same shape.
        var_e: Variance of e, same shape; one of both is above zero.
        prior: What to draw the slope to.
    """
    centre, stiffness = (0.0, 0.0) if prior is None else (prior[0], prior[1] ** -2)
    theta = 1.0 if prior is None else prior[0]
    for _ in range(ROUNDS):
        w, x = _weighted(y, e, var_y, var_e, theta)
        below = float((w * x * e).sum()) + stiffness
        if not below > 0.0:
            break
        last, theta = theta, (float((w * x * y).sum()) + stiffness * centre) / below
        if abs(theta - last) <= SETTLED * abs(theta):
            break
    w, x = _weighted(y, e, var_y, var_e, theta)
    H = float((w * x * e).sum()) + stiffness
    std = H**-0.5 if H > 0.0 else np.inf
    return Slope(theta, float(std), H, w, w * x * (y - theta * e), w * x * e)


def _weighted(y: Array, e: Array, var_y: Array, var_e: Array, theta: float) -> tuple[Array, Array]:
    total = var_y + theta**2 * var_e
    w = np.where(total > 0.0, 1.0 / np.where(total > 0.0, total, 1.0), 0.0)
    return w, e + w * theta * var_e * (y - theta * e)


def series_error(scores: Sequence[Array], curvature: float, frames: int) -> tuple[float, int, float]:
    """Return the standard error of a slope, the number of lags and the correlation of neighbours.

    Args:
        scores: Of each trial, shape (n,), zero in frames that were not used.
        curvature: H.
        frames: That were used.
    """
    power = sum(float(g @ g) for g in scores)
    if not power > 0.0 or not curvature > 0.0:
        return 0.0, 0, 0.0
    r = sum(float(g[1:] @ g[:-1]) for g in scores) / power
    c = (frames * r + 1.0) / max(frames - 3.0, 1.0)
    r, c = (float(np.clip(x, -MOST_ALIKE, MOST_ALIKE)) for x in (r, c))
    a = 4.0 * r**2 / ((1.0 - r) ** 2 * (1.0 + r) ** 2)
    lags = min(int(np.ceil(1.1447 * (a * frames) ** (1.0 / 3.0))), frames // 2)
    total = power
    for lag in range(1, lags + 1):
        alike = sum(float(g[lag:] @ g[:-lag]) for g in scores if len(g) > lag)
        total += 2.0 * (1.0 - lag / (lags + 1.0)) * alike
    worth = max(frames * min((1.0 - c) / (1.0 + c), 1.0), 1.5)
    total = max(total, power * max((1.0 + c) / (1.0 - c), 1.0)) * worth / (worth - 1.0)
    return float(np.sqrt(total)) / curvature, lags, r


def rows_error(
    scores: Sequence[Array], shares: Sequence[Array], curvature: float, frames: int
) -> tuple[float, Array]:
    """Return the standard error that rows which disagree add to a slope, and how far each is from it, shape (k,).

    Args:
        scores: Of each trial, shape (n, k), zero in frames that were not used.
        shares: Parts of the curvature, likewise.
        curvature: H.
        frames: That were used.
    """
    G, H = (np.sum([part.sum(axis=0) for part in parts], axis=0) for parts in (scores, shares))
    told = np.greater(H, TELLING * max(curvature, 0.0))
    away = np.where(told, G / np.where(told, H, 1.0), 0.0)
    if told.sum() < 2:
        return 0.0, away
    noise = 0.0
    for j in np.flatnonzero(told):
        own = [g[:, j] - away[j] * h[:, j] for g, h in zip(scores, shares, strict=True)]
        noise += series_error(own, curvature, frames)[0] ** 2
    worth = max(float(H[told].sum()) ** 2 / float((H[told] ** 2).sum()), 1.5)
    found = float((G[told] ** 2).sum()) / curvature**2 * worth / (worth - 1.0)
    return float(np.sqrt(max(found - noise, 0.0))), away
