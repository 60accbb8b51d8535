"""Spatial inertia: closed forms, change of frame, energy; twists and wrenches keep their power."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from softstride.spatial import (
    hat,
    kinetic_energy,
    se3,
    spatial_inertia,
    split_inertia,
    transform_inertia,
    transform_twist,
    transform_wrench,
)

ROUNDING = 1e-13  # sums of a few products up to 3^3
sixes = arrays(np.float64, (6,), elements=st.floats(-3.0, 3.0, allow_subnormal=False))
MASS, COM, I_COM = 3.0, np.array([0.02, -0.01, 0.03]), np.diag([0.03, 0.04, 0.05])


def test_against_point_masses(rng):
    """The inertia of points is the sum of J^T m J with J = [-hat(r), 1]."""
    masses, points = rng.uniform(0.1, 1.0, size=5), rng.normal(size=(5, 3))
    J = np.concatenate([-hat(points), np.broadcast_to(np.eye(3), (5, 3, 3))], axis=-1)
    expected = np.einsum("i,iab,iac->bc", masses, J, J)
    mass = masses.sum()
    com = masses @ points / mass
    offset = hat(points - com)
    inertia = np.einsum("i,iab,icb->ac", masses, offset, offset)
    np.testing.assert_allclose(spatial_inertia(mass, com, inertia), expected, atol=ROUNDING)


def test_blocks_by_hand():
    """Mass 2 at (0, 0, 1): I = diag(2, 2, 0) about the origin, moment m hat(c)."""
    M = spatial_inertia(2.0, [0.0, 0.0, 1.0], np.zeros((3, 3)))
    np.testing.assert_array_equal(np.diag(M), [2.0, 2.0, 0.0, 2.0, 2.0, 2.0])
    assert M[0, 4] == -2.0 and M[1, 3] == 2.0 and M[3, 1] == 2.0 and M[4, 0] == -2.0
    np.testing.assert_array_equal(M, M.T)


def test_split_is_the_inverse(rng):
    mass, com = rng.uniform(0.5, 2.0, size=(4, 1)), rng.normal(size=(4, 2, 3))
    mass_, com_, inertia = split_inertia(spatial_inertia(mass, com, I_COM))
    np.testing.assert_allclose(mass_, np.broadcast_to(mass, (4, 2)))
    np.testing.assert_allclose(com_, com, atol=1e-15)
    np.testing.assert_allclose(inertia, np.broadcast_to(I_COM, (4, 2, 3, 3)), atol=ROUNDING)


def test_split_of_a_massless_body():
    mass, com, inertia = split_inertia(spatial_inertia(0.0, np.zeros(3), I_COM))
    assert mass == 0.0
    np.testing.assert_array_equal(com, np.zeros(3))
    np.testing.assert_array_equal(inertia, I_COM)


@given(sixes, sixes, sixes)
def test_power_and_energy_do_not_depend_on_the_frame(xi, twist, wrench):
    T = se3.exp(xi)
    moved = transform_twist(T, twist)
    np.testing.assert_allclose(moved, se3.Ad(T) @ twist, atol=ROUNDING)
    np.testing.assert_allclose(transform_wrench(T, wrench), se3.Ad_inv(T).T @ wrench, atol=ROUNDING)
    np.testing.assert_allclose(transform_wrench(T, wrench) @ moved, wrench @ twist, atol=10.0 * ROUNDING)
    M = spatial_inertia(MASS, COM, I_COM)
    moved_inertia = transform_inertia(T, M)
    energy = kinetic_energy(M, twist)
    np.testing.assert_allclose(kinetic_energy(moved_inertia, moved), energy, atol=10.0 * ROUNDING)
    np.testing.assert_allclose(moved_inertia @ moved, transform_wrench(T, M @ twist), atol=10.0 * ROUNDING)


@given(sixes)
def test_shifted_inertia_is_that_of_the_moved_body(xi):
    """Ad(T)^-T M Ad(T)^-1 equals the inertia assembled from the moved centre of mass and turned I_com."""
    T = se3.exp(xi)
    R, p = T[:3, :3], T[:3, 3]
    expected = spatial_inertia(MASS, R @ COM + p, R @ I_COM @ R.T)
    np.testing.assert_allclose(
        transform_inertia(T, spatial_inertia(MASS, COM, I_COM)), expected, atol=10.0 * ROUNDING
    )


def test_kinetic_energy_is_koenigs(rng):
    """m |v_com|^2/2 + omega^T I_com omega/2."""
    twist = rng.normal(size=(7, 6))
    omega, v = twist[:, :3], twist[:, 3:]
    v_com = v + np.cross(omega, COM)
    expected = 0.5 * MASS * (v_com**2).sum(axis=1) + 0.5 * np.einsum("fi,ij,fj->f", omega, I_COM, omega)
    np.testing.assert_allclose(
        kinetic_energy(spatial_inertia(MASS, COM, I_COM), twist), expected, atol=ROUNDING
    )


def test_free_motion_conserves_energy_and_momentum(rng):
    """M etadot = -ad_dual(eta) M eta does no work, and keeps the momentum in fixed axes."""
    M, eta = spatial_inertia(MASS, COM, I_COM), rng.normal(size=6)
    rate = np.linalg.solve(M, -se3.ad_dual(eta) @ M @ eta)
    assert eta @ M @ rate == pytest.approx(0.0, abs=ROUNDING)
    h = 1e-5
    ahead, behind = (
        transform_wrench(se3.exp(t * eta + 0.5 * t * t * rate), M @ (eta + t * rate)) for t in (h, -h)
    )
    np.testing.assert_allclose(
        (ahead - behind) / (2.0 * h), np.zeros(6), atol=1e-8
    )  # differences of order h^2


def test_nan_mass_stays_in_its_frame():
    M = spatial_inertia([1.0, np.nan], np.zeros(3), I_COM)
    assert np.isnan(M[1]).any() and not np.isnan(M[0]).any()
