"""Unit quaternions, scalar last: q = [x, y, z, w] = [n sin(theta/2), cos(theta/2)].

q and -q are the same rotation. Functions that read a quaternion accept any length but zero, so a quaternion
that drifted off the unit sphere needs no special care.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.spatial.small import Mat, Vec
from softstride.spatial.stumpff import stumpff
from softstride.spatial.vectors import FloatArray, as_array, from_mat, from_vec, leading_shape, to_vec


def quat_multiply(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return the product a o b, the rotation b followed (in fixed axes) by a.

    [u; s] o [v; t] = [s v + t u + u x v; s t - u . v].

    Args:
        a: Quaternions, shape (..., 4).
        b: Quaternions, shape (..., 4); leading axes broadcast with those of a.

    Returns:
        Shape (..., 4), of length |a| |b|.

    Raises:
        InputError: If a shape does not fit.
    """
    left, right = as_array("a", a, 4), as_array("b", b, 4)
    shape = leading_shape(a=(left, 1), b=(right, 1))
    u, v = to_vec(left), to_vec(right)
    s, t = left[..., 3], right[..., 3]
    result = np.empty((*shape, 4))
    from_vec(v * s + u * t + u.cross(v), shape, result[..., :3])
    result[..., 3] = s * t - u.dot(v)
    return result


def quat_conjugate(q: ArrayLike) -> FloatArray:
    """Return the conjugate [-x, -y, -z, w], for a unit quaternion the inverse rotation; shape (..., 4)."""
    return np.asarray(as_array("q", q, 4) * np.array([-1.0, -1.0, -1.0, 1.0]))


def quat_normalize(q: ArrayLike) -> FloatArray:
    """Return q / |q|, shape (..., 4).

    Raises:
        InputError: If the shape does not fit or a quaternion is zero.
    """
    array = as_array("q", q, 4)
    largest = np.abs(array).max(axis=-1, keepdims=True) if array.size else array[..., :1]
    if np.any(largest == 0.0):
        where = np.argwhere(largest[..., 0] == 0.0)[0].tolist()
        raise InputError(f"a quaternion of length zero is no rotation; the first is at index {where}")
    scaled = array / largest  # so that no square overflows or vanishes
    return np.asarray(scaled / np.sqrt((scaled * scaled).sum(axis=-1, keepdims=True)))


def quat_exp(phi: ArrayLike) -> FloatArray:
    """Return the unit quaternion of a rotation vector, [c1(x) phi/2; c0(x)] with x = |phi|^2/4.

    This is the quaternion exponential of [phi/2; 0]: q o quat_exp(omega dt) turns q by a body angular
    velocity.

    Args:
        phi: Rotation vectors (axis times angle), shape (..., 3), in [rad].

    Returns:
        Shape (..., 4).

    Raises:
        InputError: If the shape does not fit.
    """
    array = as_array("phi", phi, 3)
    half = to_vec(array * 0.5)
    c = stumpff(half.dot(half))
    result = np.empty((*array.shape[:-1], 4))
    from_vec(half * c[1], array.shape[:-1], result[..., :3])
    result[..., 3] = c[0]
    return result


def quat_log(q: ArrayLike) -> FloatArray:
    """Return the rotation vector of a quaternion, the shorter way round (|phi| <= pi).

    phi = 2 atan2(|v|, w) v/|v| for q = [v; w]. Of the two answers for a half turn (w = 0) it returns the
    one whose largest component is positive, so q and -q always have the same logarithm.

    Args:
        q: Quaternions of any length but zero, shape (..., 4).

    Returns:
        Shape (..., 3), in [rad]. Accurate to rounding, relative to the vector, for every angle from 0 to
        pi.

    Raises:
        InputError: If the shape does not fit or a quaternion is zero.
    """
    unit = quat_normalize(q)
    v = _short_way(unit)
    w = np.abs(unit[..., 3])
    sine = np.sqrt((v * v).sum(axis=-1))
    tiny = sine == 0.0
    factor = 2.0 * np.where(tiny, 1.0, np.arctan2(sine, w) / np.where(tiny, 1.0, sine))
    return np.asarray(v * factor[..., None])


def quat_to_matrix(q: ArrayLike) -> FloatArray:
    """Return the rotation matrix R = 1 + 2 w hat(v) + 2 hat(v)^2 of a unit quaternion [v; w].

    Args:
        q: Quaternions of any length but zero (normalised first), shape (..., 4).

    Returns:
        Shape (..., 3, 3), body axes to reference axes.

    Raises:
        InputError: If the shape does not fit or a quaternion is zero.
    """
    unit = quat_normalize(q)
    v, w = to_vec(unit), unit[..., 3]
    d = v * 2.0
    xx, yy, zz = d.x * v.x, d.y * v.y, d.z * v.z
    diagonal = Vec(1.0 - (yy + zz), 1.0 - (zz + xx), 1.0 - (xx + yy))
    matrix = Mat.skew_symmetric(d * w, diagonal, Vec(d.y * v.z, d.z * v.x, d.x * v.y))
    return from_mat(matrix, unit.shape[:-1])


def matrix_to_quat(R: ArrayLike) -> FloatArray:
    """Return the unit quaternion of a rotation matrix, with w >= 0.

    Every row of the symmetric matrix 4 q q^T is linear in R and proportional to q; the row with the largest
    diagonal is taken, so the result is accurate for every angle, half turns included (Shepperd 1978).

    Args:
        R: Rotation matrices, shape (..., 3, 3). Orthonormality is not checked.

    Returns:
        Shape (..., 4). For a half turn (w = 0) the largest component is positive.

    Raises:
        InputError: If the shape does not fit.
    """
    m = as_array("R", R, 3, 3)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    outer = np.empty((*m.shape[:-2], 4, 4))  # 4 q q^T
    outer[..., 0, 0] = 1.0 + xx - yy - zz
    outer[..., 1, 1] = 1.0 - xx + yy - zz
    outer[..., 2, 2] = 1.0 - xx - yy + zz
    outer[..., 3, 3] = 1.0 + xx + yy + zz
    for i, j in ((0, 1), (0, 2), (1, 2)):
        outer[..., i, j] = outer[..., j, i] = m[..., i, j] + m[..., j, i]
        k = 3 - i - j
        sign = 1.0 if (j - i) == 1 else -1.0
        outer[..., k, 3] = outer[..., 3, k] = sign * (m[..., j, i] - m[..., i, j])
    largest = outer.diagonal(axis1=-2, axis2=-1).argmax(axis=-1)
    row = np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :]
    row = row / np.sqrt((row * row).sum(axis=-1, keepdims=True))
    return np.asarray(np.where(row[..., 3:] < 0.0, -row, row))


def _short_way(unit: FloatArray) -> FloatArray:
    """Return the vector part of q or -q, whichever turns by at most pi."""
    v, w = unit[..., :3], unit[..., 3:]
    lead = np.take_along_axis(v, np.abs(v).argmax(axis=-1)[..., None], axis=-1)
    flip = (w < 0.0) | ((w == 0.0) & (lead < 0.0))
    return np.where(flip, -v, v)
