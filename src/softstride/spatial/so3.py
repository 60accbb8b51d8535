"""Rotations: exponential, logarithm and tangent maps of SO(3).

A rotation vector phi (axis times angle, [rad]) names the rotation R = exp(hat(phi)). If phi moves in time,
the body angular velocity is omega = T_R(phi) phidot and the one in reference axes T_L(phi) phidot; T_L(phi)
= T_R(-phi) = T_R(phi)^T. The formulas are those of a rod segment of unit length (`segment`), so nothing is
singular at zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.spatial import segment
from softstride.spatial.quaternion import (
    matrix_to_quat,
    quat_conjugate,
    quat_exp,
    quat_log,
    quat_multiply,
    quat_normalize,
    quat_to_matrix,
)
from softstride.spatial.small import Mat, Vec
from softstride.spatial.stumpff import inverse_tangent_coefficients, stumpff
from softstride.spatial.vectors import FloatArray, as_array, from_mat, from_vec, leading_shape, to_mat, to_vec

__all__ = [
    "exp",
    "hat",
    "log",
    "matrix_to_quat",
    "quat_conjugate",
    "quat_exp",
    "quat_log",
    "quat_multiply",
    "quat_normalize",
    "quat_to_matrix",
    "tangent_left",
    "tangent_left_derivative",
    "tangent_left_inverse",
    "tangent_right",
    "tangent_right_derivative",
    "tangent_right_inverse",
    "vee",
]


def hat(v: ArrayLike) -> FloatArray:
    """Return the skew matrix of v, the one that maps u to v x u.

    Args:
        v: Vectors, shape (..., 3).

    Returns:
        Shape (..., 3, 3), in the unit of v.

    Raises:
        InputError: If the shape does not fit.
    """
    array = as_array("v", v, 3)
    return from_mat(Mat.hat(to_vec(array)), array.shape[:-1])


def vee(M: ArrayLike) -> FloatArray:
    """Return the vector of the skew part of M, the inverse of `hat`: hat(vee(M)) = (M - M^T)/2.

    Args:
        M: Matrices, shape (..., 3, 3).

    Returns:
        Shape (..., 3), in the unit of M.

    Raises:
        InputError: If the shape does not fit.
    """
    array = as_array("M", M, 3, 3)
    m = to_mat(array)
    double = Vec(m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1])
    return from_vec(double * 0.5, array.shape[:-2])


def exp(phi: ArrayLike) -> FloatArray:
    """Return the rotation matrix R = 1 + c1 hat(phi) + c2 hat(phi)^2 (Rodrigues), c_k at x = |phi|^2.

    Args:
        phi: Rotation vectors, shape (..., 3), in [rad]; any angle.

    Returns:
        Shape (..., 3, 3), body axes to reference axes.

    Raises:
        InputError: If the shape does not fit.
    """
    array, kappa, k = _station(phi)
    return from_mat(segment.rotation(kappa, k), array.shape[:-1])


def log(R: ArrayLike) -> FloatArray:
    """Return the rotation vector of R, the shorter way round (|phi| <= pi).

    By the quaternion with the largest component, so the axis is as accurate at a half turn as elsewhere; of
    the two answers for exactly a half turn it returns the one whose largest component is positive.

    Args:
        R: Rotation matrices, shape (..., 3, 3). Orthonormality is not checked.

    Returns:
        Shape (..., 3), in [rad].

    Raises:
        InputError: If the shape does not fit.
    """
    return quat_log(matrix_to_quat(R))


def tangent_right(phi: ArrayLike) -> FloatArray:
    """Return T_R = 1 - c2 hat(phi) + c3 hat(phi)^2, with body angular velocity omega = T_R phidot.

    Args:
        phi: Rotation vectors, shape (..., 3), in [rad].

    Returns:
        Shape (..., 3, 3).

    Raises:
        InputError: If the shape does not fit.
    """
    array, kappa, k = _station(phi)
    return from_mat(segment.tangent_angular(kappa, k), array.shape[:-1])


def tangent_left(phi: ArrayLike) -> FloatArray:
    """Return T_L(phi) = T_R(-phi) = R T_R(phi): angular velocity in reference axes; shape (..., 3, 3)."""
    return tangent_right(-as_array("phi", phi, 3))


def tangent_right_inverse(phi: ArrayLike) -> FloatArray:
    """Return T_R^-1 = 1 + hat(phi)/2 + b hat(phi)^2, b = (c3 - 2 c4)/(2 c2), with phidot = T_R^-1 omega.

    Args:
        phi: Rotation vectors, shape (..., 3), in [rad], of less than a full turn: T_R is singular at 2 pi
            (and at its multiples), where entries become infinite or very large.

    Returns:
        Shape (..., 3, 3).

    Raises:
        InputError: If the shape does not fit.
    """
    array = as_array("phi", phi, 3)
    kappa = to_vec(array)
    b, db = inverse_tangent_coefficients(stumpff(kappa.dot(kappa)))
    return from_mat(segment.tangent_inverse(kappa, Vec.zero(), b, db)[0], array.shape[:-1])


def tangent_left_inverse(phi: ArrayLike) -> FloatArray:
    """Return T_L(phi)^-1 = T_R(-phi)^-1; shape (..., 3, 3), domain as `tangent_right_inverse`."""
    return tangent_right_inverse(-as_array("phi", phi, 3))


def tangent_right_derivative(phi: ArrayLike, dphi: ArrayLike) -> FloatArray:
    """Return the derivative of `tangent_right` along dphi, d/dh T_R(phi + h dphi) at h = 0.

    Args:
        phi: Rotation vectors, shape (..., 3), in [rad].
        dphi: Directions, shape (..., 3); a rate in [rad/s] gives the time derivative of T_R.

    Returns:
        Shape (..., 3, 3), in the unit of dphi.

    Raises:
        InputError: If a shape does not fit.
    """
    array, kappa, k = _station(phi)
    direction = as_array("dphi", dphi, 3)
    shape = leading_shape(phi=(array, 1), dphi=(direction, 1))
    return from_mat(segment.tangent_angular_derivative(kappa, to_vec(direction), k), shape)


def tangent_left_derivative(phi: ArrayLike, dphi: ArrayLike) -> FloatArray:
    """Return the derivative of `tangent_left` along dphi, dT_R(-phi)[-dphi]; shape (..., 3, 3)."""
    return tangent_right_derivative(-as_array("phi", phi, 3), -as_array("dphi", dphi, 3))


def _station(phi: ArrayLike) -> tuple[FloatArray, Vec, segment.Coefficients]:
    """Return the checked array, its components, and the coefficients at s = 1."""
    array = as_array("phi", phi, 3)
    kappa = to_vec(array)
    return array, kappa, segment.coefficients(stumpff(np.asarray(kappa.dot(kappa))), 1.0)
