"""How far to trust an estimate from a movement: leave out a stretch of it at a time and see what changes.

Neighbouring frames err together (filtered markers, skin that slides with the movement), so that formulas for
independent frames promise too much. A movement is therefore cut into g stretches; with theta_i the estimate without
stretch i,

    covariance = (g - 1) / g * sum (theta_i - mean) (theta_i - mean)^T

the jackknife with blocks [Kunsch1989]. What all stretches have in common, such as the bias of a sphere fit to a small
arc, it cannot see.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError

Array = NDArray[np.float64]
Index = NDArray[np.intp]

BLOCKS = 10


def jackknife(estimate: Callable[[Index], Array], frames: Index, blocks: int = BLOCKS) -> Array:
    """Return the covariance of an estimate, shape (k, k).

    Args:
        estimate: From some frames, shape (k,).
        frames: All frames, in order.
        blocks: Number of stretches, at least 2; no more than there are frames.

    Raises:
        InputError: Fewer than two blocks.
    """
    if isinstance(blocks, bool) or blocks < 2:
        raise InputError(f"blocks must be a whole number of at least 2, however it is {blocks!r}")
    stretches = np.array_split(frames, min(blocks, len(frames)))
    g = len(stretches)
    without = np.stack([estimate(np.setdiff1d(frames, stretch)) for stretch in stretches])
    off = without - without.mean(axis=0)
    return np.asarray((g - 1) / g * off.T @ off)
