"""The borders of the NumPy functions: shapes, kinds of numbers, broadcasting."""

import numpy as np
import pytest

import softstride.spatial as spatial
from softstride.errors import InputError
from softstride.spatial import cross, se3, so3
from softstride.spatial.vectors import as_array, from_mat, from_vec, leading_shape, to_mat, to_vec

EYE4 = np.eye(4)


def test_cross_agrees_with_numpy(rng):
    a, b = rng.normal(size=(5, 1, 3)), rng.normal(size=(4, 3))
    np.testing.assert_array_equal(cross(a, b), np.cross(a, b))
    np.testing.assert_array_equal(cross([1, 0, 0], [0, 1, 0]), [0.0, 0.0, 1.0])


def test_components_and_back(rng):
    v, m = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 4, 3, 3))
    np.testing.assert_array_equal(from_vec(to_vec(v), (2, 4)), v)
    np.testing.assert_array_equal(from_mat(to_mat(m), (2, 4)), m)


def test_integers_become_floats_and_inputs_are_untouched():
    phi = np.array([1, 2, 3])
    assert as_array("phi", phi, 3).dtype == np.float64
    xi = np.arange(6.0)
    se3.tangent_left_derivative(xi, xi)
    np.testing.assert_array_equal(xi, np.arange(6.0))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([1.0, 2.0], r"phi must have shape \(\.\.\., 3\), however it has shape \(2,\)"),
        (1.0, r"however it has shape \(\)"),
        (np.zeros((3, 4)), r"however it has shape \(3, 4\)"),
        (["a", "b", "c"], "phi must be real numbers"),
        ([1j, 0.0, 0.0], "complex"),
        ([[1.0, 2.0, 3.0], [1.0]], "phi must be real numbers"),
        (None, r"shape \(\.\.\., 3\)"),
    ],
)
def test_wrong_input_names_the_expected_shape(value, words):
    with pytest.raises(InputError, match=words):
        so3.exp(value)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: so3.hat(np.zeros(4)), "(..., 3)"),
        (lambda: so3.vee(np.zeros(3)), "(..., 3, 3)"),
        (lambda: so3.log(EYE4), "(..., 3, 3)"),
        (lambda: so3.tangent_right(np.zeros(4)), "(..., 3)"),
        (lambda: so3.tangent_left(np.zeros(4)), "(..., 3)"),
        (lambda: so3.tangent_right_inverse(np.zeros(4)), "(..., 3)"),
        (lambda: so3.tangent_left_inverse(np.zeros(4)), "(..., 3)"),
        (lambda: so3.tangent_right_derivative(np.zeros(3), np.zeros(2)), "(..., 3)"),
        (lambda: so3.tangent_left_derivative(np.zeros(2), np.zeros(3)), "(..., 3)"),
        (lambda: spatial.quat_multiply(np.zeros(4), np.zeros(3)), "(..., 4)"),
        (lambda: spatial.quat_conjugate(np.zeros(3)), "(..., 4)"),
        (lambda: spatial.quat_normalize(np.zeros(3)), "(..., 4)"),
        (lambda: spatial.quat_exp(np.zeros(4)), "(..., 3)"),
        (lambda: spatial.quat_log(np.zeros(3)), "(..., 4)"),
        (lambda: spatial.quat_to_matrix(np.zeros(3)), "(..., 4)"),
        (lambda: spatial.matrix_to_quat(np.zeros(9)), "(..., 3, 3)"),
        (lambda: se3.pose(np.eye(4), np.zeros(3)), "(..., 3, 3)"),
        (lambda: se3.pose(np.eye(3), np.zeros(4)), "(..., 3)"),
        (lambda: se3.inverse(np.eye(3)), "(..., 4, 4)"),
        (lambda: se3.exp(np.zeros(3)), "(..., 6)"),
        (lambda: se3.log(np.eye(3)), "(..., 4, 4)"),
        (lambda: se3.Ad(np.eye(6)), "(..., 4, 4)"),
        (lambda: se3.Ad_inv(np.eye(6)), "(..., 4, 4)"),
        (lambda: se3.ad(np.zeros(3)), "(..., 6)"),
        (lambda: se3.ad_dual(np.zeros(3)), "(..., 6)"),
        (lambda: se3.tangent_right(np.zeros(3)), "(..., 6)"),
        (lambda: se3.tangent_left(np.zeros(3)), "(..., 6)"),
        (lambda: se3.tangent_right_inverse(np.zeros(3)), "(..., 6)"),
        (lambda: se3.tangent_left_inverse(np.zeros(3)), "(..., 6)"),
        (lambda: se3.tangent_right_derivative(np.zeros(6), np.zeros(3)), "(..., 6)"),
        (lambda: se3.tangent_left_derivative(np.zeros(6), np.zeros(3)), "(..., 6)"),
        (lambda: se3.tangent_right_rate(np.zeros(6), np.zeros(3)), "(..., 6)"),
        (lambda: se3.tangent_right_rate(np.zeros(6), np.zeros(6), np.zeros(3)), "(..., 6)"),
        (lambda: spatial.spatial_inertia(1.0, np.zeros(2), np.eye(3)), "(..., 3)"),
        (lambda: spatial.spatial_inertia(1.0, np.zeros(3), np.zeros(3)), "(..., 3, 3)"),
        (lambda: spatial.split_inertia(np.eye(3)), "(..., 6, 6)"),
        (lambda: spatial.transform_twist(EYE4, np.zeros(3)), "(..., 6)"),
        (lambda: spatial.transform_wrench(np.eye(3), np.zeros(6)), "(..., 4, 4)"),
        (lambda: spatial.transform_inertia(EYE4, np.eye(3)), "(..., 6, 6)"),
        (lambda: spatial.kinetic_energy(np.eye(6), np.zeros(3)), "(..., 6)"),
        (lambda: cross(np.zeros(3), np.zeros(2)), "(..., 3)"),
    ],
)
def test_every_function_refuses_a_wrong_shape(call, expected):
    with pytest.raises(InputError) as caught:
        call()
    assert f"shape {expected}, however it has shape" in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: cross(np.zeros((*a, 3)), np.zeros((*b, 3))),
        lambda a, b: spatial.quat_multiply(np.ones((*a, 4)), np.ones((*b, 4))),
        lambda a, b: so3.tangent_right_derivative(np.zeros((*a, 3)), np.zeros((*b, 3))),
        lambda a, b: se3.tangent_right_derivative(np.zeros((*a, 6)), np.zeros((*b, 6))),
        lambda a, b: se3.tangent_right_rate(np.zeros((*a, 6)), np.zeros((*b, 6))),
        lambda a, b: se3.tangent_right_rate(np.zeros((*a, 6)), np.zeros(6), np.zeros((*b, 6))),
        lambda a, b: se3.pose(np.zeros((*a, 3, 3)), np.zeros((*b, 3))),
        lambda a, b: spatial.spatial_inertia(np.ones(a), np.zeros((*b, 3)), np.eye(3)),
        lambda a, b: spatial.transform_twist(np.zeros((*a, 4, 4)), np.zeros((*b, 6))),
        lambda a, b: spatial.transform_wrench(np.zeros((*a, 4, 4)), np.zeros((*b, 6))),
        lambda a, b: spatial.transform_inertia(np.zeros((*a, 4, 4)), np.zeros((*b, 6, 6))),
        lambda a, b: spatial.kinetic_energy(np.zeros((*a, 6, 6)), np.zeros((*b, 6))),
    ],
)
def test_leading_axes_broadcast_or_are_refused(call):
    call((5, 1), (1, 4))
    call((), (5, 4))
    call((0,), ())  # a trial without frames
    with pytest.raises(InputError, match="leading axes must agree"):
        call((5,), (4,))


def test_leading_shape_names_the_arguments():
    with pytest.raises(InputError, match=r"q \(2,\), v \(3,\)"):
        leading_shape(q=(np.zeros((2, 6)), 1), v=(np.zeros((3, 6)), 1))


def test_every_exported_name_exists():
    assert all(hasattr(spatial, name) for name in spatial.__all__)
    assert all(hasattr(so3, name) for name in so3.__all__)
