"""How far two numbers may be apart that are the same but for rounding."""

import numpy as np

EXACT = 1e-9  # of the largest number in the comparison


def agree(found, expected, tolerance=EXACT):
    scale = np.max(np.abs(expected))
    assert found.shape == expected.shape
    assert np.max(np.abs(found - expected)) < tolerance * scale
