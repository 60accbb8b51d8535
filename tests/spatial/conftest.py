"""Samples shared by the tests of the spatial package."""

import numpy as np
import pytest

DECADES = 10.0 ** np.arange(-12.0, 1.0)  # angles from 1e-12 to 1 rad
NEAR_PI = np.pi - np.array([1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 4.5e-16, 0.0])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240611)


@pytest.fixture
def axes(rng: np.random.Generator) -> np.ndarray:
    """Unit vectors: the coordinate axes, a few diagonals, and random ones; (40, 3)."""
    special = [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [-1, 0, 0],
        [0, -1, 0],
        [0, 0, -1],
        [1, 1, 0],
        [0, -1, 1],
        [1, 1, 1],
    ]
    vectors = np.vstack([special, rng.normal(size=(31, 3))])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def rotation_vectors(axes: np.ndarray) -> np.ndarray:
    """Every axis at every angle from 1e-12 to pi, and zero; (23, 40, 3)."""
    angles = np.concatenate([[0.0], DECADES, NEAR_PI])
    return angles[:, None, None] * axes


@pytest.fixture
def coordinates(rotation_vectors: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Exponential coordinates with the rotations above and translations of a metre; (23, 40, 6)."""
    return np.concatenate([rotation_vectors, rng.normal(size=rotation_vectors.shape)], axis=-1)
