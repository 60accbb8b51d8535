"""Activation that is there without need: muscles that stiffen a leg before it lands and while it is loaded.

A floor under the activation of every muscle, smooth in time: a tone always; a burst around each strike of the leg,
which begins before the foot lands; and a bow over stance. Sizes differ by group. Criteria that share moments among
muscles do not see why antagonists should pull, hence an estimator without EMG must miss it.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TONE = 0.01
"""Least activation of every muscle at any time."""

BEFORE, AFTER = 0.09, 0.12
"""How long before the strike the burst begins, and how long after it it ends [s]."""

GROUPS = (
    (r"(bflh|semimem|semiten)_", 0.14, 0.06),
    (r"(bfsh|grac)_", 0.06, 0.04),
    (r"vas(lat|med|int)_", 0.03, 0.03),
    (r"recfem_", 0.05, 0.03),
    (r"gl(max|med)\d_", 0.03, 0.03),
    (r"tibant_l", 0.08, 0.06),
    (r"(soleus|gasmed|gaslat)_l", 0.01, 0.02),
    (r"(tibpost|perlong|perbrev)_l", 0.03, 0.04),
    (r"(soleus|gasmed|gaslat)_r", 0.10, 0.12),  # tensed in the socket, as if there were an ankle
)
"""Names of muscles, height of the burst, height of the bow."""

LEVEL = {"running": 1.0, "walking": 0.4}
"""How much of it there is in a gait: who walks tenses less than who runs."""


def floor(
    names: tuple[str, ...], time: Array, stances: dict[str, list[tuple[float, float]]], level: float
) -> Array:
    """Return the least activation, shape (n, m).

    Args:
        names: Of the muscles; they end in _l or _r.
        time: Shape (n,), [s].
        stances: For "l" and "r" the instants of strike and toe-off [s], beyond the trial too.
        level: What bursts and bows are multiplied with.
    """
    out = np.full((len(time), len(names)), TONE)
    shapes = {side: _shapes(time, spans) for side, spans in stances.items()}
    for i, name in enumerate(names):
        burst, bow = shapes[name[-1]]
        for pattern, high, low in GROUPS:
            if re.match(pattern, name):
                out[:, i] += level * (high * burst + low * bow)
    return out


def _shapes(time: Array, spans: list[tuple[float, float]]) -> tuple[Array, Array]:
    """Return burst and bow of one leg, 0 to 1, shape (n,) each."""
    burst, bow = np.zeros_like(time), np.zeros_like(time)
    for strike, off in spans:
        since = time - strike
        phase = np.where(since < 0.0, since / BEFORE, since / AFTER)
        burst = np.maximum(burst, np.where(np.abs(phase) < 1.0, np.cos(0.5 * np.pi * phase) ** 2, 0.0))
        share = (time - strike) / (off - strike)
        bow = np.maximum(bow, np.where((share > 0.0) & (share < 1.0), np.sin(np.pi * share) ** 2, 0.0))
    return burst, bow


__all__ = ["LEVEL", "floor"]
