"""Rotations: round trips over 12 decades and up to pi, tangent maps against matrix exponentials."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm, expm_frechet

from softstride.spatial import hat, so3, vee

ROUNDING = 5e-15  # entries of order 1, angles up to pi
LARGE = 4e-14  # series near a full turn, the bound found at 6 rad
RELATIVE = 1e-15

vectors = arrays(np.float64, (3,), elements=st.floats(-3.5, 3.5, allow_subnormal=False))


def test_hat_is_the_cross_product_and_vee_its_inverse(rng):
    v, u = rng.normal(size=(2, 6, 3))
    np.testing.assert_allclose((hat(v) @ u[..., None])[..., 0], np.cross(v, u), atol=RELATIVE)
    np.testing.assert_array_equal(vee(hat(v)), v)
    M = rng.normal(size=(6, 3, 3))
    np.testing.assert_allclose(hat(vee(M)), (M - M.swapaxes(-1, -2)) / 2.0, atol=RELATIVE)


@given(vectors)
def test_exp_is_a_rotation(phi):
    R = so3.exp(phi)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=LARGE)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=LARGE)
    np.testing.assert_allclose(so3.exp(-phi), R.T, atol=RELATIVE)
    np.testing.assert_allclose(R @ phi, phi, atol=LARGE)
    np.testing.assert_allclose(R, expm(hat(phi)), atol=LARGE)


def test_log_of_exp_over_all_angles(rotation_vectors):
    back = so3.log(so3.exp(rotation_vectors))
    scale = np.abs(rotation_vectors).max(axis=-1, keepdims=True)
    half_turn = np.linalg.norm(rotation_vectors, axis=-1, keepdims=True) > np.pi - 1e-14
    flipped = np.where(half_turn, np.abs(back + rotation_vectors), np.inf)
    assert np.all(np.minimum(np.abs(back - rotation_vectors), flipped) <= RELATIVE * scale)


@given(vectors)
def test_exp_of_log_is_the_same_rotation(phi):
    """Also for more than half a turn, where the logarithm takes the shorter way."""
    R = so3.exp(phi)
    short = so3.log(R)
    assert np.linalg.norm(short) <= np.pi + RELATIVE * 4.0
    np.testing.assert_allclose(so3.exp(short), R, atol=LARGE)


def test_rotations_about_one_axis_add(axes):
    np.testing.assert_allclose(so3.exp(0.7 * axes) @ so3.exp(1.9 * axes), so3.exp(2.6 * axes), atol=ROUNDING)


def test_exp_continuous_across_the_series_switch(axes):
    """Angles just below and above sqrt(40), where the Stumpff series hands over to sines and cosines."""
    below, above = (so3.exp(np.sqrt(40.0) * factor * axes) for factor in (1.0 - 1e-15, 1.0 + 1e-15))
    np.testing.assert_allclose(below, above, atol=LARGE)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 3.0, np.pi, 5.0, 6.2, 9.0, 30.0])
def test_tangent_maps_against_block_exponentials(angle, axes, rng):
    """T_R is a block of exp([[-hat(phi), 1], [0, 0]]), its derivative one of the Frechet derivative."""
    tolerance = LARGE * max(1.0, angle / 6.0)  # the error of expm grows with its squarings
    for axis in axes[::6]:
        phi, dphi = angle * axis, rng.normal(size=3)
        A, dA = np.zeros((2, 6, 6))
        A[:3, :3], A[:3, 3:], dA[:3, :3] = -hat(phi), np.eye(3), -hat(dphi)
        integral, derivative = expm_frechet(A, dA)
        np.testing.assert_allclose(so3.tangent_right(phi), integral[:3, 3:], atol=tolerance)
        np.testing.assert_allclose(
            so3.tangent_right_derivative(phi, dphi), derivative[:3, 3:], atol=tolerance
        )
        A[:3, :3], dA[:3, :3] = hat(phi), hat(dphi)
        integral, derivative = expm_frechet(A, dA)
        np.testing.assert_allclose(so3.tangent_left(phi), integral[:3, 3:], atol=tolerance)
        np.testing.assert_allclose(so3.tangent_left_derivative(phi, dphi), derivative[:3, 3:], atol=tolerance)


def test_left_and_right_tangent_maps(rotation_vectors):
    right, left = so3.tangent_right(rotation_vectors), so3.tangent_left(rotation_vectors)
    np.testing.assert_allclose(left, right.swapaxes(-1, -2), atol=RELATIVE)
    np.testing.assert_allclose(left, so3.exp(rotation_vectors) @ right, atol=ROUNDING)


def test_inverse_tangent_maps(rotation_vectors):
    for factor in (1.0, 1.5):  # up to pi, and three quarters of a turn
        phi = factor * rotation_vectors
        identity = np.broadcast_to(np.eye(3), (*phi.shape, 3))
        for map_, inverse in (
            (so3.tangent_right, so3.tangent_right_inverse),
            (so3.tangent_left, so3.tangent_left_inverse),
        ):
            np.testing.assert_allclose(map_(phi) @ inverse(phi), identity, atol=LARGE)


def test_inverse_tangent_map_at_a_full_turn_does_not_warn():
    entries = so3.tangent_right_inverse([2.0 * np.pi, 0.0, 0.0])
    assert not np.abs(entries).max() < 1e6


def test_angular_velocity_by_differences(rng):
    """omega = T_R phidot in body axes, by central differences of R (error h^2)."""
    phi, rate = rng.normal(size=(2, 8, 3))
    h = 1e-5
    change = so3.exp(phi - h * rate).swapaxes(-1, -2) @ so3.exp(phi + h * rate)
    omega = so3.log(change) / (2.0 * h)
    np.testing.assert_allclose(omega, (so3.tangent_right(phi) @ rate[..., None])[..., 0], atol=1e-8)


def test_nan_stays_in_its_frame():
    phi = np.array([[0.1, 0.2, 0.3], [np.nan, 0.0, 0.0], [0.0, 0.0, 7.0]])
    for function in (so3.exp, so3.tangent_right, so3.tangent_right_inverse):
        bad = np.isnan(function(phi)).reshape(3, -1)
        assert bad[1].any() and not bad[[0, 2]].any()
    assert np.isnan(so3.log(so3.exp(phi)))[1].all()


def test_any_leading_axes(rng):
    phi = rng.normal(size=(2, 5, 3))
    assert so3.exp(phi).shape == (2, 5, 3, 3)
    np.testing.assert_allclose(so3.exp(phi)[1, 3], so3.exp(phi[1, 3]), atol=RELATIVE)
    assert so3.exp(np.empty((0, 3))).shape == (0, 3, 3)
    assert so3.log(np.empty((0, 3, 3))).shape == (0, 3)
