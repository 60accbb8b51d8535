"""Screw algebra with plain 4x4 and 6x6 matrices, written from the definitions.

Nothing here is shared with ``softstride.spatial``. Every function takes one matrix or vector at a time,
works on complex numbers as well (for complex-step derivatives), and favours the definition over speed:
exponentials are ``scipy.linalg.expm`` of the matrix itself. Twists are ``[angular; linear]``.
"""

import numpy as np
from scipy.linalg import expm

COMPLEX_STEP = 1e-30  # far below rounding: the derivative's error is rounding only


def skew(w):
    """Return the (3, 3) matrix of the cross product, ``skew(w) @ u = w x u``."""
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def hat(xi):
    """Return the (4, 4) matrix of a twist [angular; linear]."""
    out = np.zeros((4, 4), dtype=np.asarray(xi).dtype)
    out[:3, :3] = skew(xi[:3])
    out[:3, 3] = xi[3:]
    return out


def vee(matrix):
    """Return the twist of a (4, 4) matrix; the skew part is averaged over both triangles."""
    angular = [matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]
    return np.concatenate([0.5 * np.array(angular), matrix[:3, 3]])


def inverse(pose):
    """Return the inverse of a rigid (4, 4) transform."""
    out = np.eye(4, dtype=pose.dtype)
    out[:3, :3] = pose[:3, :3].T
    out[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return out


def transform(rotation=None, position=None):
    """Return the (4, 4) transform of a rotation matrix and a position."""
    out = np.eye(4)
    if rotation is not None:
        out[:3, :3] = rotation
    if position is not None:
        out[:3, 3] = position
    return out


def _lower(diagonal, corner):
    """Return [[diagonal, 0], [corner, diagonal]]."""
    out = np.zeros((6, 6), dtype=diagonal.dtype)
    out[:3, :3] = out[3:, 3:] = diagonal
    out[3:, :3] = corner
    return out


def adjoint(pose):
    """Return Ad(H) = [[R, 0], [p^ R, R]], which carries twists from the inner frame to the outer one."""
    rotation, position = pose[:3, :3], pose[:3, 3]
    return _lower(rotation, skew(position) @ rotation)


def ad(eta):
    """Return ad(eta) = [[w^, 0], [v^, w^]]."""
    return _lower(skew(eta[:3]), skew(eta[3:]))


def exp_twist(xi):
    """Return exp(hat(xi)) by the general matrix exponential."""
    return expm(hat(np.asarray(xi)))


def tangent_right(xi, s=1.0):
    """Return T_R = int_0^s exp(-y ad(xi)) dy by one block matrix exponential (6x6, complex capable)."""
    xi = np.asarray(xi)
    block = np.zeros((12, 12), dtype=xi.dtype)
    block[:6, :6] = -s * ad(xi)
    block[:6, 6:] = s * np.eye(6)
    return expm(block)[:6, 6:]


def tangent_right_rate(xi, xi_dot, s=1.0):
    """Return dT_R/dt along xi_dot by a complex step through the block matrix exponential."""
    stepped = np.asarray(xi) + 1j * COMPLEX_STEP * np.asarray(xi_dot)
    return tangent_right(stepped, s).imag / COMPLEX_STEP


def quaternion_matrix(quat):
    """Return the rotation matrix of a quaternion (x, y, z, w), normalised first."""
    x, y, z, w = np.asarray(quat) / np.linalg.norm(quat)
    u = np.array([x, y, z])
    return (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * skew(u)


def quaternion_product(left, right):
    """Return the Hamilton product of two quaternions (x, y, z, w)."""
    a, b = np.asarray(left), np.asarray(right)
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def quaternion_exp(phi):
    """Return the quaternion (x, y, z, w) of a rotation vector."""
    angle = np.linalg.norm(phi)
    # np.sinc(x) is sin(pi x) / (pi x), exact at zero
    return np.append(0.5 * np.sinc(angle / (2 * np.pi)) * np.asarray(phi), np.cos(angle / 2))


def rotation_about(axis, angle):
    """Return Rodrigues' rotation about a unit axis; the angle may be complex."""
    k = skew(np.asarray(axis, dtype=float))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def body_inertia(mass, com, matrix):
    """Return the 6x6 inertia [[Ic - m c^ c^, m c^], [-m c^, m E]] about the frame's origin.

    Args:
        mass: Mass, [kg] (or [kg/m]).
        com: Centre of mass, shape (3,), [m].
        matrix: Rotational inertia about the centre of mass, shape (3, 3).
    """
    c = skew(np.asarray(com, dtype=float))
    return np.block([[matrix - mass * c @ c, mass * c], [-mass * c, mass * np.eye(3)]])
