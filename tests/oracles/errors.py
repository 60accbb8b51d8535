"""How far two results are apart, norm-wise: the largest difference over the largest entry."""

import numpy as np


def relative(got, want, axes=None):
    """Return max |got - want| / max |want| over the given axes (default: all), the worst of the rest.

    A reference that is zero throughout counts as one: the difference is then absolute.
    """
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    assert got.shape == want.shape, f"shape {got.shape} instead of {want.shape}"
    if got.size == 0:
        return 0.0
    scale = np.max(np.abs(want), axis=axes, keepdims=True)
    return float(np.max(np.abs(got - want) / np.where(scale == 0, 1.0, scale)))
