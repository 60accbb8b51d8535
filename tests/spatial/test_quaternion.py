"""Quaternions: group axioms, exponential and logarithm over all angles, conversions to and from matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from softstride.errors import InputError
from softstride.spatial import (
    matrix_to_quat,
    quat_conjugate,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalize,
    quat_to_matrix,
    so3,
)

ROUNDING = 3e-15  # ten or so operations on numbers up to pi
RELATIVE = 1e-15  # of a rotation vector, whatever its length

components = st.floats(-1.0, 1.0, allow_subnormal=False)
quaternions = arrays(np.float64, (4,), elements=components).filter(lambda q: np.linalg.norm(q) > 1e-3)


@given(quaternions, quaternions, quaternions)
def test_group_axioms(a, b, c):
    one = np.array([0.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(quat_multiply(a, one), a)
    np.testing.assert_array_equal(quat_multiply(one, a), a)
    left, right = quat_multiply(quat_multiply(a, b), c), quat_multiply(a, quat_multiply(b, c))
    np.testing.assert_allclose(left, right, atol=8 * ROUNDING)
    np.testing.assert_allclose(quat_multiply(a, quat_conjugate(a)), one * (a @ a), atol=ROUNDING)


@given(quaternions, quaternions)
def test_product_is_the_product_of_matrices(a, b):
    product = quat_to_matrix(quat_multiply(a, b))
    np.testing.assert_allclose(product, quat_to_matrix(a) @ quat_to_matrix(b), atol=ROUNDING)


@given(quaternions)
def test_matrix_and_back(q):
    unit = quat_normalize(q)
    back = matrix_to_quat(quat_to_matrix(q))
    assert back[3] >= 0.0
    assert min(abs(back - unit).max(), abs(back + unit).max()) < ROUNDING


@given(quaternions)
def test_log_does_not_depend_on_sign_or_length(q):
    phi = quat_log(q)
    np.testing.assert_array_equal(quat_log(-q), phi)
    np.testing.assert_array_equal(quat_log(2.0 * q), phi)  # a power of two scales without rounding
    assert np.linalg.norm(phi) <= np.pi * (1.0 + RELATIVE)


def test_agrees_with_scipy(rng):
    q = rng.normal(size=(50, 4))
    other = Rotation.from_quat(q)
    np.testing.assert_allclose(quat_to_matrix(q), other.as_matrix(), atol=ROUNDING)
    np.testing.assert_allclose(quat_log(q), other.as_rotvec(), atol=ROUNDING)


def test_exp_of_log_over_all_angles(rotation_vectors):
    """It keeps its relative accuracy down to 1e-12 rad; at exactly pi the sign of the axis is free."""
    back = quat_log(quat_exp(rotation_vectors))
    scale = np.abs(rotation_vectors).max(axis=-1, keepdims=True)
    error = np.abs(back - rotation_vectors)
    half_turn = np.linalg.norm(rotation_vectors, axis=-1, keepdims=True) > np.pi - 1e-14
    flipped = np.where(half_turn, np.abs(back + rotation_vectors), np.inf)
    assert np.all(np.minimum(error, flipped) <= RELATIVE * scale)


def test_exp_agrees_with_the_rotation_matrix(rotation_vectors):
    np.testing.assert_allclose(
        quat_to_matrix(quat_exp(rotation_vectors)), so3.exp(rotation_vectors), atol=ROUNDING
    )


def test_exp_beyond_a_full_turn():
    """Half a turn more than six turns, by hand: cos(6.5 pi) = 0, sin(6.5 pi) = 1."""
    np.testing.assert_allclose(quat_exp([0.0, 13.0 * np.pi, 0.0]), [0.0, 1.0, 0.0, 0.0], atol=ROUNDING)


@pytest.mark.parametrize("axis", range(3))
def test_exact_half_turn(axis):
    """Of two logarithms the one with a positive largest component, from q, -q and the matrix."""
    q = np.zeros(4)
    q[axis] = -1.0
    expected = np.zeros(3)
    expected[axis] = np.pi
    R = np.diag(np.where(np.arange(3) == axis, 1.0, -1.0))
    np.testing.assert_array_equal(quat_log(q), expected)
    np.testing.assert_array_equal(quat_log(-q), expected)
    np.testing.assert_array_equal(quat_log(matrix_to_quat(R)), expected)


def test_tiny_and_huge_quaternions():
    """Squares of these components vanish or overflow; the rotation does not care."""
    for scale in (1e-300, 1e300):
        np.testing.assert_allclose(
            quat_log(scale * np.array([0.0, 0.0, 1.0, 1.0])), [0.0, 0.0, np.pi / 2.0], rtol=RELATIVE
        )
    np.testing.assert_allclose(quat_log([1e-200, 0.0, 0.0, 1.0]), [2e-200, 0.0, 0.0], rtol=RELATIVE)


def test_nan_stays_in_its_frame():
    q = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, np.nan, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
    for result in (quat_normalize(q), quat_log(q), quat_to_matrix(q), matrix_to_quat(quat_to_matrix(q))):
        bad = np.isnan(result).reshape(3, -1)
        assert bad[1].all() and not bad[[0, 2]].any()


@pytest.mark.parametrize("function", [quat_normalize, quat_log, quat_to_matrix])
def test_zero_quaternion_is_refused(function):
    q = np.ones((2, 3, 4))
    q[1, 2] = 0.0
    with pytest.raises(InputError, match=r"length zero.*\[1, 2\]"):
        function(q)


def test_no_frames():
    assert quat_normalize(np.empty((0, 4))).shape == (0, 4)
    assert quat_log(np.empty((0, 4))).shape == (0, 3)
    assert matrix_to_quat(np.empty((0, 3, 3))).shape == (0, 4)
