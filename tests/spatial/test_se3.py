"""Rigid motions: group axioms, adjoints, round trips, tangent maps against matrix exponentials."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm, expm_frechet

from softstride.spatial import hat, se3

ROUNDING = 1e-14  # rotations up to pi, translations of a few metres
LARGE = 1e-13  # near a full turn (series error 2e-14) times metres
twists = arrays(np.float64, (6,), elements=st.floats(-3.0, 3.0, allow_subnormal=False))

REFERENCE = np.array([0.3, 2.0, -0.4, 1.01, 0.02, -0.03])
RATE = np.array([2.0, -1.0, 0.5, 0.1, -0.2, 0.05])
S = 0.25  # arc length of the reference numbers; a segment of strain xi is exp(s xi)
PRINTED = 2e-15


def hat6(xi: np.ndarray) -> np.ndarray:
    result = np.zeros((4, 4))
    result[:3, :3], result[:3, 3] = hat(xi[:3]), xi[3:]
    return result


def test_reference_numbers():
    position = [2.401534785924159e-01, -5.466800010929153e-03, -6.909389111033384e-02]
    twist = [4.585845954631270e-01, -2.182655663135087e-01, 2.526106150298019e-01]
    twist += [1.745492795475892e-02, -1.903962951665335e-02, 4.908507748428746e-02]
    bias = [1.173286763983233e-02, 2.338429393171026e-02, -1.178717724915533e-03]
    bias += [6.928866332399022e-03, 7.789770130209614e-03, -4.636070961073269e-03]
    xi, rate = S * REFERENCE, S * RATE
    np.testing.assert_allclose(se3.exp(xi)[:3, 3], position, atol=PRINTED)
    np.testing.assert_allclose(se3.tangent_right(xi) @ rate, twist, atol=PRINTED)
    np.testing.assert_allclose(se3.tangent_right_rate(xi, rate), bias, atol=PRINTED)
    np.testing.assert_allclose(se3.tangent_right_derivative(xi, rate) @ rate, bias, atol=PRINTED)


@given(twists, twists, twists)
def test_group_axioms(a, b, c):
    A, B, C = se3.exp(a), se3.exp(b), se3.exp(c)
    np.testing.assert_allclose(se3.inverse(A) @ A, np.eye(4), atol=LARGE)
    np.testing.assert_allclose(se3.inverse(A @ B), se3.inverse(B) @ se3.inverse(A), atol=LARGE)
    np.testing.assert_allclose((A @ B) @ C, A @ (B @ C), atol=LARGE)
    np.testing.assert_allclose(se3.exp(-a), se3.inverse(A), atol=LARGE)
    np.testing.assert_array_equal((A @ B)[3], [0.0, 0.0, 0.0, 1.0])


@given(twists)
def test_exp_against_the_matrix_exponential(xi):
    np.testing.assert_allclose(se3.exp(xi), expm(hat6(xi)), atol=LARGE)


def test_log_of_exp_over_all_angles(coordinates):
    """Zero, 12 decades of angle, and up to a half turn within 1e-14 rad."""
    inside = np.linalg.norm(coordinates[..., :3], axis=-1) < np.pi - 5e-15
    xi = coordinates[inside]
    back = se3.log(se3.exp(xi))
    scale = np.abs(xi[:, :3]).max(axis=-1, keepdims=True)
    assert np.all(np.abs(back - xi)[:, :3] <= 1e-15 * scale)
    np.testing.assert_allclose(back, xi, atol=ROUNDING)


def test_exp_of_log_at_a_half_turn(coordinates):
    """At pi the axis may come back reversed; the pose is the same."""
    T = se3.exp(coordinates)
    np.testing.assert_allclose(se3.exp(se3.log(T)), T, atol=ROUNDING)


@pytest.mark.parametrize("axis", range(3))
def test_log_of_an_exact_half_turn(axis):
    """By hand: a half turn with p along the axis is a screw; with p across it, a rotation about p/2."""
    R = np.diag(np.where(np.arange(3) == axis, 1.0, -1.0))
    along = np.eye(3)[axis]
    xi = se3.log(se3.pose(R, 0.3 * along))
    np.testing.assert_allclose(xi, np.concatenate([np.pi * along, 0.3 * along]), atol=ROUNDING)
    across = np.roll(along, 1)
    xi = se3.log(se3.pose(R, 2.0 * across))
    np.testing.assert_allclose(
        xi[3:], np.pi * np.cross(across, along), atol=ROUNDING
    )  # eps = c x kappa, c = p/2


@given(twists, twists, twists)
def test_adjoints(a, b, c):
    """Ad is a homomorphism, Ad_inv its inverse, ad its derivative and the Lie bracket."""
    A, B = se3.exp(a), se3.exp(b)
    np.testing.assert_allclose(se3.Ad(A @ B), se3.Ad(A) @ se3.Ad(B), atol=LARGE)
    np.testing.assert_allclose(se3.Ad_inv(A) @ se3.Ad(A), np.eye(6), atol=LARGE)
    np.testing.assert_allclose(se3.Ad_inv(A), se3.Ad(se3.inverse(A)), atol=LARGE)
    np.testing.assert_allclose(se3.ad(a) @ b, -se3.ad(b) @ a, atol=ROUNDING)
    np.testing.assert_allclose(se3.ad(a) @ a, np.zeros(6), atol=ROUNDING)
    bracket = hat6(a) @ hat6(b) - hat6(b) @ hat6(a)
    np.testing.assert_allclose(hat6(se3.ad(a) @ b), bracket, atol=LARGE)
    np.testing.assert_allclose(hat6(se3.Ad(A) @ b), A @ hat6(b) @ se3.inverse(A), atol=LARGE)
    np.testing.assert_array_equal(se3.ad_dual(a), -se3.ad(a).T)
    jacobi = se3.ad(se3.ad(a) @ b) @ c - (se3.ad(a) @ se3.ad(b) - se3.ad(b) @ se3.ad(a)) @ c
    np.testing.assert_allclose(jacobi, np.zeros(6), atol=10.0 * LARGE)  # products of three twists, up to 3^3


@given(twists)
def test_adjoint_of_exp_is_exp_of_ad(a):
    np.testing.assert_allclose(se3.Ad(se3.exp(a)), expm(se3.ad(a)), atol=LARGE)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 3.0, np.pi, 5.0, 6.2, 9.0, 30.0])
def test_tangent_maps_against_block_exponentials(angle, axes, rng):
    """T_R is a block of exp([[-ad(xi), 1], [0, 0]]), its derivative one of the Frechet derivative."""
    tolerance = LARGE * max(1.0, angle / 6.0)  # the error of expm grows with its squarings
    for axis in axes[::8]:
        xi, dxi = np.concatenate([angle * axis, rng.normal(size=3)]), rng.normal(size=6)
        for sign, tangent, tangent_derivative in (
            (-1.0, se3.tangent_right, se3.tangent_right_derivative),
            (1.0, se3.tangent_left, se3.tangent_left_derivative),
        ):
            A, dA = np.zeros((2, 12, 12))
            A[:6, :6], A[:6, 6:], dA[:6, :6] = sign * se3.ad(xi), np.eye(6), sign * se3.ad(dxi)
            integral, derivative = expm_frechet(A, dA)
            np.testing.assert_allclose(tangent(xi), integral[:6, 6:], atol=tolerance)
            np.testing.assert_allclose(tangent_derivative(xi, dxi), derivative[:6, 6:], atol=tolerance)


def test_left_and_right_tangent_maps(coordinates):
    left = se3.tangent_left(coordinates)
    np.testing.assert_allclose(
        left, se3.Ad(se3.exp(coordinates)) @ se3.tangent_right(coordinates), atol=LARGE
    )


def test_inverse_tangent_maps(coordinates):
    for factor in (1.0, 1.5):  # up to pi, and three quarters of a turn
        xi = factor * coordinates
        identity = np.broadcast_to(np.eye(6), (*xi.shape, 6))
        for map_, inverse in (
            (se3.tangent_right, se3.tangent_right_inverse),
            (se3.tangent_left, se3.tangent_left_inverse),
        ):
            np.testing.assert_allclose(map_(xi) @ inverse(xi), identity, atol=LARGE)


def test_continuous_across_the_series_switch(axes, rng):
    """Everything built on Stumpff functions agrees just below and above x = 40."""
    eps, dxi = rng.normal(size=(40, 3)), rng.normal(size=(40, 6))
    below, above = (
        np.concatenate([np.sqrt(40.0) * factor * axes, eps], axis=-1) for factor in (1.0 - 1e-15, 1.0 + 1e-15)
    )
    for function in (se3.exp, se3.tangent_right, lambda xi: se3.tangent_right_derivative(xi, dxi)):
        np.testing.assert_allclose(function(below), function(above), atol=LARGE)


def test_body_twist_and_acceleration_by_differences(rng):
    """The twist is T_R xidot and its derivative `tangent_right_rate` (central differences, error h^2)."""
    xi, dxi, ddxi = rng.normal(size=(3, 8, 6))
    h = 1e-4

    def path(t):
        return xi + t * dxi + 0.5 * t * t * ddxi

    def twist(t):
        return (se3.tangent_right(path(t)) @ (dxi + t * ddxi)[..., None])[..., 0]

    step = se3.log(se3.inverse(se3.exp(path(-h))) @ se3.exp(path(h))) / (2.0 * h)
    np.testing.assert_allclose(step, twist(0.0), atol=1e-6)
    np.testing.assert_allclose(
        (twist(h) - twist(-h)) / (2.0 * h), se3.tangent_right_rate(xi, dxi, ddxi), atol=1e-6
    )


def test_rate_is_linear_in_the_second_rate(rng):
    xi, dxi, ddxi = rng.normal(size=(3, 8, 6))
    expected = se3.tangent_right_rate(xi, dxi) + (se3.tangent_right(xi) @ ddxi[..., None])[..., 0]
    np.testing.assert_allclose(se3.tangent_right_rate(xi, dxi, ddxi), expected, atol=ROUNDING)
    by_matrix = (se3.tangent_right_derivative(xi, dxi) @ dxi[..., None])[..., 0]
    np.testing.assert_allclose(se3.tangent_right_rate(xi, dxi), by_matrix, atol=ROUNDING)


def test_nan_stays_in_its_frame(rng):
    xi = rng.normal(size=(3, 6))
    xi[1, 4] = np.nan
    for function in (
        se3.exp,
        se3.ad,
        se3.tangent_right,
        se3.tangent_right_inverse,
        lambda x: se3.log(se3.exp(x)),
    ):
        bad = np.isnan(function(xi)).reshape(3, -1)
        assert bad[1].any() and not bad[[0, 2]].any()


def test_any_leading_axes(rng):
    xi = rng.normal(size=(2, 5, 6))
    T = se3.exp(xi)
    assert T.shape == (2, 5, 4, 4)
    np.testing.assert_allclose(T[1, 3], se3.exp(xi[1, 3]), atol=1e-15)
    assert se3.log(T).shape == (2, 5, 6)
    assert se3.Ad(T).shape == se3.tangent_right_inverse(xi).shape == (2, 5, 6, 6)
    assert se3.exp(np.empty((0, 6))).shape == (0, 4, 4)
    assert se3.log(np.empty((0, 4, 4))).shape == (0, 6)
    assert se3.tangent_right_rate(xi, rng.normal(size=6)).shape == (2, 5, 6)
