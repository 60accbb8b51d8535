"""How much a place takes part in contact: smooth in its height above the ground and in its speed over it.

    activation = 1 / (1 + exp(height / HEIGHT)) * 1 / (1 + exp((speed - SPEED) / SPREAD))

A place that rests on the ground has one half; a centimetre above it, a third of that. What moves
faster over the ground than people slide is not in contact, however low it is. Nothing is switched: a place that comes
down takes its share of the load as it comes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]

HEIGHT = 0.006
"""Scale of heights [m]: how far soles and floors give way, and how well a height is known."""

SPEED = 1.2
"""Speed over the ground at which a place counts half [m/s]: a rolling foot's places come and go with that."""

SPREAD = 0.3
"""Scale of speeds [m/s]."""

LEAST = 1e-6
"""What is left of the activation of a place far from the ground."""


def activation(height: Array, speed: Array) -> Array:
    """Return activations in (0, 1) of places.

    Args:
        height: Above the level at which they rest [m], any shape.
        speed: Over the ground [m/s], the same shape.
    """
    return np.maximum(expit(-height / HEIGHT) * expit((SPEED - speed) / SPREAD), LEAST)


def foot_activation(places: Array) -> Array:
    """Return the activation of a foot, 1 - prod(1 - a_i), from those of its places, shape (n, c) -> (n,)."""
    return np.asarray(np.maximum(1.0 - np.prod(1.0 - places, axis=1), LEAST))
