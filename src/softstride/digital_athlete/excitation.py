"""Activation dynamics over frames, and their inverse: which excitation made an activation.

Activation follows excitation u as da/dt = (u - a) / τ, τ that of the rise where u >= a and that of the fall elsewhere
[Hybrid2026, eqs 41 and 42]. With u constant over a frame of length h

    a_k+1 = u_k + (a_k - u_k) e,     u_k = (a_k+1 - e a_k) / (1 - e),     e = exp(-h / τ),

exactly, and u between 0 and 1 bounds how fast a can change.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def kept_share(step: float, constant: ArrayLike) -> Array:
    """Return e = exp(-h / τ), the share of a distance from u that is left after a frame."""
    return np.exp(-step / np.asarray(constant, dtype=np.float64))


def excitation(activation: Array, step: float, rise: Array, fall: Array) -> Array:
    """Return the excitation from each frame to the next; in the last frame that which keeps its activation.

    Args:
        activation: Shape (n, m).
        step: h [s].
        rise: Time constants, shape (m,), [s].
        fall: The same.

    Returns:
        u, shape (n, m).
    """
    now, then = activation[:-1], activation[1:]
    e = np.where(then >= now, kept_share(step, rise), kept_share(step, fall))
    return np.concatenate([(then - e * now) / (1.0 - e), activation[-1:]])


def activation_of(excited: Array, first: Array, step: float, rise: Array, fall: Array) -> Array:
    """Return the activation that follows an excitation, constant over each frame, shape (n, m).

    Args:
        excited: u, shape (n, m).
        first: Activation in the first frame, shape (m,).
        step: h [s].
        rise: Time constants, shape (m,), [s].
        fall: The same.
    """
    up, down = kept_share(step, rise), kept_share(step, fall)
    out = np.empty_like(excited)
    out[0] = first
    for k, u in enumerate(excited[:-1]):
        out[k + 1] = u + (out[k] - u) * np.where(u >= out[k], up, down)
    return out


__all__ = ["activation_of", "excitation", "kept_share"]
