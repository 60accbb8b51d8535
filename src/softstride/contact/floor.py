"""Where the ground is and how it moves, from the feet that rest on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESTS = 5.0
"""Percentile of the heights of a place at which it rests on the ground: a foot stands for a third of a stride or more,
and its lowest few samples are noise."""

LOW = 15.0
"""Percentile of the heights of a place below which it may be standing."""

STANDS = 0.25
"""Speeds within this of each other are one [m/s]; a ground slower than this stands still."""

BIN = 0.1
"""Width of the classes of speed [m/s]."""


def rest_level(height: Array) -> Array:
    """Return the height at which places rest, shape (n, ...) -> (...), [m]."""
    return np.asarray(np.percentile(height, RESTS, axis=0))


def ground_velocity(height: Array, velocity: Array) -> Array:
    """Return the velocity of the ground, a treadmill's belt, from what the low places do most.

    The commonest horizontal velocity of places while they are low, refined as the median of all that are near it. What
    is slower than `STANDS` is a floor at rest.

    Args:
        height: Of places, shape (n, c), [m].
        velocity: Horizontal, of the same, shape (n, c, 2), [m/s].

    Returns:
        Shape (2,), [m/s].
    """
    low = height <= np.percentile(height, LOW, axis=0)
    moving = velocity[low]
    if not len(moving):
        return np.zeros(2)
    classes = np.round(moving / BIN).astype(np.int64)
    which, count = np.unique(classes, axis=0, return_counts=True)
    found: Array = which[count.argmax()] * BIN
    for _ in range(5):
        near = np.linalg.norm(moving - found, axis=1) < STANDS
        if not near.any():
            break
        found = np.median(moving[near], axis=0)
    return found if np.linalg.norm(found) >= STANDS else np.zeros(2)
