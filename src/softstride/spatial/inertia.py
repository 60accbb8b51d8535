"""Spatial inertia, and how twists, wrenches and inertia change frames.

The 6x6 inertia about the origin of a frame, in its axes, angular first:

    M = [[I, m hat(c)], [-m hat(c), m 1]],   I = I_com - m hat(c) hat(c)

so that the momentum is M eta and the kinetic energy eta^T M eta / 2 with eta = [omega; v] the body twist.

Source: docs/theory/rods.md [Hybrid2026].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.spatial import se3
from softstride.spatial.small import Mat
from softstride.spatial.vectors import FloatArray, as_array, from_mat, from_vec, leading_shape, to_mat, to_vec


def spatial_inertia(mass: ArrayLike, com: ArrayLike, inertia: ArrayLike) -> FloatArray:
    """Return the 6x6 spatial inertia of a rigid body (or of a rod section, per metre).

    Args:
        mass: Masses m, shape (...), in [kg].
        com: Centres of mass c in the frame, shape (..., 3), in [m].
        inertia: Rotational inertia I_com about the centre of mass, in the axes of the frame, shape (..., 3,
            3), in [kg m^2].

    Returns:
        Shape (..., 6, 6), about the origin of the frame. Positive definite if the body can exist; not
        checked here.

    Raises:
        InputError: If a shape does not fit.
    """
    m, c, I_com = as_array("mass", mass), as_array("com", com, 3), as_array("inertia", inertia, 3, 3)
    shape = leading_shape(mass=(m, 0), com=(c, 1), inertia=(I_com, 2))
    skew = Mat.hat(to_vec(c))
    mixed = skew * m
    result = np.zeros((*shape, 6, 6))
    from_mat(to_mat(I_com) - mixed @ skew, shape, result[..., :3, :3])
    from_mat(mixed, shape, result[..., :3, 3:])
    from_mat(-mixed, shape, result[..., 3:, :3])
    from_mat(Mat.diagonal(m, m, m), shape, result[..., 3:, 3:])
    return result


def split_inertia(M: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (mass, com, I_com) of a spatial inertia, the inverse of `spatial_inertia`.

    Args:
        M: Spatial inertia, shape (..., 6, 6).

    Returns:
        Shapes (...), (..., 3) and (..., 3, 3), in [kg], [m] and [kg m^2]. The centre of mass of a zero mass
        is zero.

    Raises:
        InputError: If the shape does not fit.
    """
    array = as_array("M", M, 6, 6)
    shape = array.shape[:-2]
    m = np.array(array[..., 5, 5])
    moment = to_mat(array[..., :3, 3:])  # m hat(c)
    inverse = 1.0 / np.where(m == 0.0, np.inf, m)
    c = np.stack([moment[2, 1] * inverse, moment[0, 2] * inverse, moment[1, 0] * inverse], axis=-1)
    skew = Mat.hat(to_vec(c))
    return m, c, from_mat(to_mat(array[..., :3, :3]) + (skew * m) @ skew, shape)


def transform_twist(T: ArrayLike, twist: ArrayLike) -> FloatArray:
    """Return Ad(T) twist = [R omega; R v + p x R omega], a twist carried to another frame of the same body.

    Args:
        T: Pose T_new_old of the old frame in the new one, shape (..., 4, 4).
        twist: [omega; v] in the old frame, shape (..., 6), in [rad/s], [m/s].

    Returns:
        [omega; v] in the new frame, shape (..., 6).

    Raises:
        InputError: If a shape does not fit.
    """
    return _carry(T, "twist", twist, linear_follows=True)


def transform_wrench(T: ArrayLike, wrench: ArrayLike) -> FloatArray:
    """Return Ad(T)^-T wrench = [R n + p x R f; R f], the same wrench about another origin, in other axes.

    Power is kept: transform_wrench(T, w) . transform_twist(T, eta) = w . eta.

    Args:
        T: Pose T_new_old of the old frame in the new one, shape (..., 4, 4).
        wrench: [n; f] about the origin of the old frame, shape (..., 6), in [N m], [N].

    Returns:
        [n; f] in the new frame, shape (..., 6).

    Raises:
        InputError: If a shape does not fit.
    """
    return _carry(T, "wrench", wrench, linear_follows=False)


def transform_inertia(T: ArrayLike, M: ArrayLike) -> FloatArray:
    """Return Ad(T)^-T M Ad(T)^-1, the inertia of the same body about another origin, in other axes.

    Args:
        T: Pose T_new_old of the old frame in the new one, shape (..., 4, 4).
        M: Spatial inertia in the old frame, shape (..., 6, 6).

    Returns:
        Shape (..., 6, 6), in the new frame; leading axes broadcast.

    Raises:
        InputError: If a shape does not fit.
    """
    pose, inertia = as_array("T", T, 4, 4), as_array("M", M, 6, 6)
    leading_shape(T=(pose, 2), M=(inertia, 2))
    X = se3.Ad_inv(pose)
    return np.asarray(np.swapaxes(X, -1, -2) @ inertia @ X)


def kinetic_energy(M: ArrayLike, twist: ArrayLike) -> FloatArray:
    """Return eta^T M eta / 2.

    Args:
        M: Spatial inertia, shape (..., 6, 6).
        twist: Body twist [omega; v] of the same frame, shape (..., 6), in [rad/s], [m/s].

    Returns:
        Shape (...), in [J]; leading axes broadcast.

    Raises:
        InputError: If a shape does not fit.
    """
    inertia, eta = as_array("M", M, 6, 6), as_array("twist", twist, 6)
    leading_shape(M=(inertia, 2), twist=(eta, 1))
    momentum = (inertia @ eta[..., None])[..., 0]
    return np.asarray(0.5 * (momentum * eta).sum(axis=-1))


def _carry(T: ArrayLike, name: str, value: ArrayLike, *, linear_follows: bool) -> FloatArray:
    """Return [R a; R b] plus p x R a on the second half (twists) or p x R b on the first (wrenches)."""
    pose, array = as_array("T", T, 4, 4), as_array(name, value, 6)
    shape = leading_shape(T=(pose, 2), **{name: (array, 1)})
    R, p = to_mat(pose[..., :3, :3]), to_vec(pose[..., :3, 3])
    a, b = R @ to_vec(array[..., :3]), R @ to_vec(array[..., 3:])
    if linear_follows:
        b = b + p.cross(a)
    else:
        a = a + p.cross(b)
    result = np.empty((*shape, 6))
    from_vec(a, shape, result[..., :3])
    from_vec(b, shape, result[..., 3:])
    return result
