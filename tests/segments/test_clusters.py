"""Rigid fits and solidification: never a reflection, constant distances, rigid data untouched."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softstride.errors import InputError
from softstride.segments.clusters import rigid_fit, solidify

Array = NDArray[np.float64]
SHAPE = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.15, 0.0], [0.05, 0.05, 0.08]])


def moving(shape: Array, n: int = 60, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    R = Rotation.random(n, random_state=seed).as_matrix()
    t = rng.normal(0.0, 1.0, (n, 3))
    return np.einsum("nij,pj->npi", R, shape) + t[:, None], R, t


def test_poses_are_found() -> None:
    markers, R, t = moving(SHAPE)
    found = rigid_fit(markers, SHAPE)
    assert np.allclose(found.rotation, R, atol=1e-13) and np.allclose(found.position, t, atol=1e-13)
    assert found.residual.max() < 1e-13
    assert np.allclose(found.apply(SHAPE), markers) and np.allclose(found.inverse(markers), SHAPE)
    assert np.allclose(found.apply(SHAPE[1]), markers[:, 1])


def test_a_flat_cluster_never_turns_into_its_mirror_image() -> None:
    """Noise across the plane makes the reflection fit better in half of the frames; the pose stays a rotation."""
    flat = SHAPE[:3]
    markers, R, _ = moving(flat, 500)
    rng = np.random.default_rng(1)
    found = rigid_fit(markers + rng.normal(0.0, 0.002, markers.shape), flat)
    assert np.allclose(np.linalg.det(found.rotation), 1.0)
    turn = Rotation.from_matrix(np.swapaxes(R, -1, -2) @ found.rotation).magnitude()
    assert turn.max() < np.radians(10.0)


def test_missing_markers() -> None:
    markers, R, _ = moving(SHAPE)
    markers[5, 0] = np.nan
    markers[6, :2] = np.nan
    found = rigid_fit(markers, SHAPE)
    assert np.allclose(found.rotation[5], R[5], atol=1e-13)
    assert np.isnan(found.rotation[6]).all() and np.isnan(found.position[6]).all()
    assert np.isfinite(found.rotation[7]).all()


def test_three_seen_markers_on_a_line_fix_nothing() -> None:
    shape = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.1, 0.0]])
    markers, _, _ = moving(shape, 4)
    markers[2, 3] = np.nan
    found = rigid_fit(markers, shape)
    assert np.isnan(found.rotation[2]).all() and np.isfinite(found.rotation[[0, 1, 3]]).all()


def test_solid_markers_keep_their_distances() -> None:
    rng = np.random.default_rng(2)
    markers, _, _ = moving(SHAPE)
    noisy = markers + rng.normal(0.0, 0.003, markers.shape)
    noisy[3, 1] = np.nan
    solid = solidify(noisy)
    for i in range(4):
        for j in range(i):
            distance = np.linalg.norm(solid.markers[:, i] - solid.markers[:, j], axis=1)
            assert np.ptp(distance) < 1e-13
    assert np.isfinite(solid.markers).all()  # the lost marker is where the others put it
    assert np.linalg.norm(solid.markers[3, 1] - markers[3, 1]) < 0.015
    assert np.abs(solid.markers - markers).max() < 0.02  # three deviations of a fit of four markers, and some
    assert solid.deformation.min() > 0.001 and solid.deformation.max() < 0.005
    off = np.linalg.norm(solid.shape[:, None] - solid.shape[None], axis=2)
    true = np.linalg.norm(SHAPE[:, None] - SHAPE[None], axis=2)
    assert np.abs(off - true).max() < 0.003


def test_rigid_markers_stay_where_they_are() -> None:
    markers, _, _ = moving(SHAPE)
    assert np.abs(solidify(markers).markers - markers).max() < 1e-13


def test_clusters_that_say_nothing() -> None:
    markers, _, _ = moving(SHAPE)
    with pytest.raises(InputError, match="3 markers that are not on a line"):
        rigid_fit(markers[:, :3], np.outer([0.0, 1.0, 2.0], [1.0, 1.0, 0.0]))
    with pytest.raises(InputError, match="3 markers that are not on a line"):
        rigid_fit(markers[:, :2], SHAPE[:2])
    with pytest.raises(InputError, match=r"markers must be \(n, p, 3\)"):
        rigid_fit(markers, SHAPE[:3])
    broken = markers.copy()
    broken[::2, 0] = broken[1::2, 1] = np.nan
    with pytest.raises(InputError, match="no frame shows all markers"):
        solidify(broken)
    with pytest.raises(InputError, match="a cluster needs"):
        solidify(markers[:, :2])
