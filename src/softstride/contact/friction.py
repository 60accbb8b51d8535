"""Coulomb friction: the cone |T| ≤ μN, N ≥ 0, and the pyramid inscribed in it.

Forces act on the foot; N is the component along the normal out of the ground, T the rest. Projections are the nearest
points in the Euclidean sense and closed forms; NaN (not measured) stays NaN.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray, as_floats, bounded, constants
from softstride.errors import InputError

UP = (0.0, 1.0, 0.0)


def split_force(force: ArrayLike, normal: ArrayLike = UP) -> tuple[FloatArray, FloatArray]:
    """Return the normal component N, shape (...), and the tangential force T, shape (..., 3), [N].

    Args:
        force: Forces on the foot, shape (..., 3), [N].
        normal: Out of the ground, shape (3,), any length above zero.
    """
    force, n = _force(force), unit_normal(normal)
    N = np.asarray(force @ n)
    return N, force - N[..., None] * n


def friction_margin(force: ArrayLike, friction: ArrayLike, normal: ArrayLike = UP) -> FloatArray:
    """Return μN − |T|, shape (...), [N]: negative where the force is outside the cone.

    Args:
        force: Forces on the foot, shape (..., 3), [N].
        friction: μ ≥ 0, a number or an array that fits (...).
        normal: Out of the ground, shape (3,).

    Raises:
        InputError: Friction below zero, or shapes that do not fit.
    """
    N, T = split_force(force, normal)
    return np.asarray(_fitting(friction, N) * N - np.linalg.norm(T, axis=-1))


def project_cone(force: ArrayLike, friction: ArrayLike, normal: ArrayLike = UP) -> FloatArray:
    """Return the nearest force in the cone.

    Inside, the force itself; where μ|T| ≤ −N (the polar cone), zero; else N' = (N + μ|T|) / (1 + μ²), T' = μN' T/|T|.

    Args:
        force: Forces on the foot, shape (..., 3), [N].
        friction: μ ≥ 0, a number or an array that fits (...).
        normal: Out of the ground, shape (3,).

    Returns:
        Forces, shape (..., 3), [N].

    Raises:
        InputError: Friction below zero, or shapes that do not fit.
    """
    given, n = _force(force), unit_normal(normal)
    N, T = split_force(given, n)
    mu = _fitting(friction, N)
    size = np.linalg.norm(T, axis=-1)
    inside = (size <= mu * N) & (N >= 0.0)
    pressed = np.maximum((N + mu * size) / (1.0 + mu**2), 0.0)  # N'; zero in the polar cone
    direction = T / np.where(size > 0.0, size, 1.0)[..., None]
    onto = pressed[..., None] * n + (mu * pressed)[..., None] * direction
    return np.where(inside[..., None], given, onto)


def project_pyramid(
    force: ArrayLike, friction: ArrayLike, normal: ArrayLike = UP, *, facets: int = 4
) -> FloatArray:
    """Return the nearest force in the pyramid inscribed in the cone, so that it keeps to the cone as well.

    The edges lie on the cone in the directions t_k of `tangents`; facet k between edges k and k + 1 is
    d_k · T ≤ μ cos(π/m) N. The pyramid is its own mirror image in every plane through an edge or the middle of a
    facet, so the nearest point lies in the sector of the force: on its facet, or on an edge of that facet, or at zero.

    Args:
        force: Forces on the foot, shape (..., 3), [N].
        friction: μ ≥ 0, a number or an array that fits (...).
        normal: Out of the ground, shape (3,).
        facets: m ≥ 3.

    Returns:
        Forces, shape (..., 3), [N].

    Raises:
        InputError: Friction below zero, too few facets, or shapes that do not fit.
    """
    n = unit_normal(normal)
    N, T = split_force(force, n)
    mu = _fitting(friction, N)
    first, second = tangents(n)
    half = np.pi / check_facets(facets)
    x, y = T @ first, T @ second
    angle = np.arctan2(y, x)
    middle = (2.0 * np.floor(angle / (2.0 * half)) + 1.0) * half  # of the facet that the force points to
    u = x * np.cos(middle) + y * np.sin(middle)
    v = y * np.cos(middle) - x * np.sin(middle)
    slope, spread = mu * np.cos(half), mu * np.sin(half)
    on_facet = (N + slope * u) / (1.0 + slope**2)
    on_edge = np.maximum((N + slope * u + spread * np.abs(v)) / (1.0 + mu**2), 0.0)
    inside = (u <= slope * N) & (N >= 0.0)
    facet = (np.abs(v) <= spread * on_facet) & (on_facet >= 0.0)
    N_new = np.where(inside, N, np.where(facet, on_facet, on_edge))
    u_new = np.where(inside, u, slope * N_new)
    v_new = np.where(inside | facet, v, np.sign(v) * spread * N_new)
    x = u_new * np.cos(middle) - v_new * np.sin(middle)
    y = u_new * np.sin(middle) + v_new * np.cos(middle)
    return np.asarray(N_new[..., None] * n + x[..., None] * first + y[..., None] * second)


def pyramid_rows(friction: float, normal: ArrayLike = UP, *, facets: int = 4) -> FloatArray:
    """Return rows G with G f ≤ 0 exactly for forces in the inscribed pyramid, shape (m, 3): d_k − μ cos(π/m) n."""
    n = unit_normal(normal)
    first, second = tangents(n)
    half = np.pi / check_facets(facets)
    middle = (2.0 * np.arange(facets) + 1.0) * half
    d = np.cos(middle)[:, None] * first + np.sin(middle)[:, None] * second
    return np.asarray(d - float(check_friction(friction)) * np.cos(half) * n)


def tangents(normal: ArrayLike = UP) -> FloatArray:
    """Return two unit tangents as rows, shape (2, 3), right-handed (t1 × t2 = normal).

    t1 is x (forward) made orthogonal to the normal, or −y where the normal is closer to x than to any other axis.
    """
    n = unit_normal(normal)
    helper = np.array([0.0, -1.0, 0.0]) if np.argmax(np.abs(n)) == 0 else np.array([1.0, 0.0, 0.0])
    first = helper - (helper @ n) * n
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(n, first)])


def unit_normal(normal: ArrayLike) -> FloatArray:
    """Return a normal with length one, shape (3,).

    Raises:
        InputError: It is no vector of three, or zero.
    """
    n = constants(normal, (3,), "normal")
    length = float(np.linalg.norm(n))
    if length == 0.0:
        raise InputError("normal must have a length above zero, however it is (0, 0, 0)")
    return n / length


def check_friction(friction: ArrayLike) -> FloatArray:
    """Return μ as an array.

    Raises:
        InputError: A value is below zero or not finite.
    """
    return bounded(friction, "friction", 0.0)


def check_facets(facets: int) -> int:
    """Return the number of facets.

    Raises:
        InputError: It is no whole number of at least 3.
    """
    if isinstance(facets, bool) or not isinstance(facets, int | np.integer) or facets < 3:
        raise InputError(f"facets must be a whole number of at least 3, however it is {facets!r}")
    return int(facets)


def _force(force: ArrayLike) -> FloatArray:
    array = as_floats(force, "force")
    if array.shape[-1:] != (3,):
        raise InputError(f"force must have shape (..., 3), however it has {array.shape}")
    return array


def _fitting(friction: ArrayLike, N: FloatArray) -> FloatArray:
    mu = check_friction(friction)
    try:
        np.broadcast_shapes(mu.shape, N.shape)
    except ValueError:
        raise InputError(
            f"friction must be one number or fit the forces, shape {N.shape}, however it has shape {mu.shape}"
        ) from None
    return mu
