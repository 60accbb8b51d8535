"""Rigid motions: exponential, logarithm, adjoints and tangent maps of SE(3).

A pose is T = [[R, p], [0, 1]]; `T_world_foot` maps foot coordinates to world coordinates, so poses compose
with ``@``. Twists and strains are [angular; linear], body-fixed: hat(eta) = T^-1 Tdot. Wrenches are
[moment; force]. Exponential coordinates xi = [kappa; eps]: kappa in [rad], eps in [m]. The formulas are
those of a rod segment of unit length; for a segment of strain xi use exp(s xi), and s T_R(s xi) for its
tangent map at s.

Source: docs/theory/rods.md [Hybrid2026].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.spatial import segment, so3
from softstride.spatial.small import Mat, Vec
from softstride.spatial.stumpff import inverse_tangent_coefficients, stumpff
from softstride.spatial.vectors import FloatArray, as_array, from_mat, from_vec, leading_shape, to_mat, to_vec


def pose(R: ArrayLike, p: ArrayLike) -> FloatArray:
    """Return T = [[R, p], [0, 1]].

    Args:
        R: Rotation matrices, shape (..., 3, 3).
        p: Positions of the origin, shape (..., 3), in [m]; leading axes broadcast with those of R.

    Returns:
        Shape (..., 4, 4).

    Raises:
        InputError: If a shape does not fit.
    """
    rotation, position = as_array("R", R, 3, 3), as_array("p", p, 3)
    result = np.zeros((*leading_shape(R=(rotation, 2), p=(position, 1)), 4, 4))
    result[..., :3, :3] = rotation
    result[..., :3, 3] = position
    result[..., 3, 3] = 1.0
    return result


def inverse(T: ArrayLike) -> FloatArray:
    """Return T^-1 = [[R^T, -R^T p], [0, 1]]; poses of shape (..., 4, 4), whose last row is not read."""
    array, R, p = _split(T)
    shape = array.shape[:-2]
    return pose(from_mat(R.T, shape), from_vec(-(R.T @ p), shape))


def exp(xi: ArrayLike) -> FloatArray:
    """Return the pose of exponential coordinates.

    exp(hat(xi)) has R = 1 + c1 hat(kappa) + c2 hat(kappa)^2 and p = eps + c2 kappa x eps + c3 kappa x
    (kappa x eps), with the Stumpff functions c_k of x = |kappa|^2.

    Args:
        xi: Exponential coordinates [kappa; eps], shape (..., 6), in [rad], [m].

    Returns:
        Shape (..., 4, 4).

    Raises:
        InputError: If the shape does not fit.
    """
    shape, kappa, eps, k = _station(xi)
    R, p = segment.pose(kappa, eps, k)
    return pose(from_mat(R, shape), from_vec(p, shape))


def log(T: ArrayLike) -> FloatArray:
    """Return the exponential coordinates of a pose, with a rotation of at most pi.

    kappa = log(R), eps = p - kappa x p / 2 + b kappa x (kappa x p), b = (c3 - 2 c4)/(2 c2); b is regular
    for less than a full turn, so half turns are no exception. For exactly a half turn see `so3.log`.

    Args:
        T: Poses, shape (..., 4, 4). Orthonormality is not checked and the last row is not read.

    Returns:
        Shape (..., 6), in [rad], [m].

    Raises:
        InputError: If the shape does not fit.
    """
    array = as_array("T", T, 4, 4)
    phi = so3.log(array[..., :3, :3])
    kappa, p = to_vec(phi), to_vec(array[..., :3, 3])
    b, _ = inverse_tangent_coefficients(stumpff(np.asarray(kappa.dot(kappa))))
    u = kappa.cross(p)
    eps = p - u * 0.5 + kappa.cross(u) * b
    return np.concatenate([phi, from_vec(eps, phi.shape[:-1])], axis=-1)


def Ad(T: ArrayLike) -> FloatArray:
    """Return the adjoint [[R, 0], [hat(p) R, R]] of a pose.

    Ad(T_new_old) carries a twist in the old frame to the new frame.

    Args:
        T: Poses, shape (..., 4, 4).

    Returns:
        Shape (..., 6, 6).

    Raises:
        InputError: If the shape does not fit.
    """
    array, R, p = _split(T)
    return _blocks(R, Mat.hat(p) @ R, array.shape[:-2])


def Ad_inv(T: ArrayLike) -> FloatArray:
    """Return the inverse adjoint [[R^T, 0], [-R^T hat(p), R^T]]; shape (..., 6, 6) from (..., 4, 4)."""
    array, R, p = _split(T)
    return _blocks(R.T, -(R.T @ Mat.hat(p)), array.shape[:-2])


def ad(eta: ArrayLike) -> FloatArray:
    """Return [[hat(omega), 0], [hat(v), hat(omega)]], the derivative of the adjoint along a twist.

    Args:
        eta: Twists [omega; v], shape (..., 6).

    Returns:
        Shape (..., 6, 6); ad(a) b = -ad(b) a.

    Raises:
        InputError: If the shape does not fit.
    """
    array = as_array("eta", eta, 6)
    return _blocks(Mat.hat(to_vec(array[..., :3])), Mat.hat(to_vec(array[..., 3:])), array.shape[:-1])


def ad_dual(eta: ArrayLike) -> FloatArray:
    """Return -ad(eta)^T = [[hat(omega), hat(v)], [0, hat(omega)]], which acts on wrenches and momenta.

    The equation of motion of a body of spatial inertia M is M etadot + ad_dual(eta) M eta = wrench.

    Args:
        eta: Twists [omega; v], shape (..., 6).

    Returns:
        Shape (..., 6, 6).

    Raises:
        InputError: If the shape does not fit.
    """
    return -np.swapaxes(ad(eta), -1, -2)


def tangent_right(xi: ArrayLike) -> FloatArray:
    """Return T_R(xi) = int_0^1 exp(-y ad(xi)) dy = [[D, 0], [E, D]].

    The body twist of the moving pose exp(xi(t)) is T_R(xi) xidot.

    Args:
        xi: Exponential coordinates, shape (..., 6), in [rad], [m].

    Returns:
        Shape (..., 6, 6).

    Raises:
        InputError: If the shape does not fit.
    """
    shape, kappa, eps, k = _station(xi)
    return _blocks(*segment.tangent(kappa, eps, k), shape)


def tangent_left(xi: ArrayLike) -> FloatArray:
    """Return T_L(xi) = T_R(-xi) = Ad(exp(xi)) T_R(xi); shape (..., 6, 6) from (..., 6)."""
    return tangent_right(-as_array("xi", xi, 6))


def tangent_right_inverse(xi: ArrayLike) -> FloatArray:
    """Return T_R(xi)^-1 in closed form: xidot = T_R^-1 (body twist).

    [[D^-1, 0], [-D^-1 E D^-1, D^-1]], D^-1 = 1 + hat(kappa)/2 + b hat(kappa)^2, the lower block its
    derivative along eps.

    Args:
        xi: Exponential coordinates, shape (..., 6), of less than a full turn: T_R is singular at |kappa| =
            2 pi (and its multiples), where entries become infinite or very large.

    Returns:
        Shape (..., 6, 6).

    Raises:
        InputError: If the shape does not fit.
    """
    array = as_array("xi", xi, 6)
    kappa, eps = to_vec(array[..., :3]), to_vec(array[..., 3:])
    b, db = inverse_tangent_coefficients(stumpff(np.asarray(kappa.dot(kappa))))
    return _blocks(*segment.tangent_inverse(kappa, eps, b, db), array.shape[:-1])


def tangent_left_inverse(xi: ArrayLike) -> FloatArray:
    """Return T_L(xi)^-1 = T_R(-xi)^-1; shape (..., 6, 6), domain as `tangent_right_inverse`."""
    return tangent_right_inverse(-as_array("xi", xi, 6))


def tangent_right_derivative(xi: ArrayLike, dxi: ArrayLike) -> FloatArray:
    """Return the derivative of `tangent_right` along dxi, d/dh T_R(xi + h dxi) at h = 0.

    Args:
        xi: Exponential coordinates, shape (..., 6), in [rad], [m].
        dxi: Directions, shape (..., 6); a rate gives the time derivative of T_R.

    Returns:
        Shape (..., 6, 6).

    Raises:
        InputError: If a shape does not fit.
    """
    shape, kappa, eps, k = _station(xi)
    direction, shape = _second("dxi", dxi, shape)
    return _blocks(*segment.tangent_derivative(kappa, eps, *direction, k), shape)


def tangent_left_derivative(xi: ArrayLike, dxi: ArrayLike) -> FloatArray:
    """Return the derivative of `tangent_left` along dxi, dT_R(-xi)[-dxi]; shape (..., 6, 6)."""
    return tangent_right_derivative(-as_array("xi", xi, 6), -as_array("dxi", dxi, 6))


def tangent_right_rate(xi: ArrayLike, dxi: ArrayLike, ddxi: ArrayLike | None = None) -> FloatArray:
    """Return the body acceleration T_R(xi) xiddot + Tdot_R xidot of exp(xi(t)), without forming matrices.

    It is the component-wise time derivative of the body twist T_R xidot.

    Args:
        xi: Exponential coordinates, shape (..., 6), in [rad], [m].
        dxi: Their rates, shape (..., 6), in [rad/s], [m/s].
        ddxi: Their second rates, shape (..., 6); zero if left out, which leaves Tdot_R xidot.

    Returns:
        Shape (..., 6), in [rad/s^2], [m/s^2].

    Raises:
        InputError: If a shape does not fit.
    """
    shape, kappa, eps, k = _station(xi)
    first, shape = _second("dxi", dxi, shape)
    second, shape = _second("ddxi", np.zeros(6) if ddxi is None else ddxi, shape)
    _, _, a_omega, a_v = segment.rate_terms(kappa, eps, *first, *second, k)
    result = np.empty((*shape, 6))
    from_vec(a_omega, shape, result[..., :3])
    from_vec(a_v, shape, result[..., 3:])
    return result


def _split(T: ArrayLike) -> tuple[FloatArray, Mat, Vec]:
    """Return the checked poses, their rotations and positions."""
    array = as_array("T", T, 4, 4)
    return array, to_mat(array[..., :3, :3]), to_vec(array[..., :3, 3])


def _station(xi: ArrayLike) -> tuple[tuple[int, ...], Vec, Vec, segment.Coefficients]:
    """Return leading shape, kappa, eps, and the coefficients at s = 1."""
    array = as_array("xi", xi, 6)
    kappa, eps = to_vec(array[..., :3]), to_vec(array[..., 3:])
    k = segment.coefficients(stumpff(np.asarray(kappa.dot(kappa))), 1.0)
    return array.shape[:-1], kappa, eps, k


def _second(name: str, value: ArrayLike, shape: tuple[int, ...]) -> tuple[tuple[Vec, Vec], tuple[int, ...]]:
    """Return the halves of a further 6-vector argument, and the common leading shape."""
    array = as_array(name, value, 6)
    common = leading_shape(xi=(np.empty((*shape, 0)), 1), **{name: (array, 1)})
    return (to_vec(array[..., :3]), to_vec(array[..., 3:])), common


def _blocks(D: Mat, E: Mat, shape: tuple[int, ...]) -> FloatArray:
    """Return [[D, 0], [E, D]] as an array (*shape, 6, 6)."""
    result = np.zeros((*shape, 6, 6))
    from_mat(D, shape, result[..., :3, :3])
    from_mat(E, shape, result[..., 3:, :3])
    result[..., 3:, 3:] = result[..., :3, :3]
    return result
