"""Natural coordinates of a segment: two points and two unit vectors, Q = [u; rP; rD; w].

A material point with components n in the triad is r = N(n) Q, linear in Q with a constant N. Everything else follows:
velocities N(n) Qdot, forces N(n)^T f, and the mass matrix G = int N^T N dm = kron(A, E) with a constant A (4, 4).
Twelve numbers for six degrees of freedom need six constraints, phi(Q) = 0, whose Jacobian is K [DumasCheze2007, eqs 2
to 19, with the corrections of docs/theory/segments.md].

All functions take frames first. `coordinates` are arrays (n, 4, 3) of u, rP, rD, w.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.segments.triad import Triad
from softstride.spatial.vectors import as_array, cross

Array = NDArray[np.float64]

CONSTRAINTS = ("u.u", "u.v", "u.w", "v.v", "v.w", "w.w")
"""What the six constraints, and their multipliers, hold constant."""


def interpolation(n: ArrayLike) -> Array:
    """Return N(n) = [n1 E, (1 + n2) E, -n2 E, n3 E] of a point with components n in the triad, shape (..., 3, 12)."""
    weights = point_weights(n)
    return np.asarray(np.einsum("...k,ij->...ikj", weights, np.eye(3)).reshape(*weights.shape[:-1], 3, 12))


def point_weights(n: ArrayLike) -> Array:
    """Return the weights (n1, 1 + n2, -n2, n3) of u, rP, rD, w in the place of a point, shape (..., 4)."""
    first, second, third = np.moveaxis(as_array("n", n, 3), -1, 0)
    return np.stack([first, 1.0 + second, -second, third], axis=-1)


def constraints(coordinates: Array, triad: Triad) -> Array:
    """Return phi(Q), by how much each product of axes differs from that of the rigid triad, shape (n, 6)."""
    u, v, w = axes_of(coordinates)
    a, b, g = np.cos([triad.alpha, triad.beta, triad.gamma])
    length = triad.length
    wanted = np.array([1.0, length * g, b, length**2, length * a, 1.0])
    products = [_dot(u, u), _dot(u, v), _dot(u, w), _dot(v, v), _dot(v, w), _dot(w, w)]
    return np.stack(products, axis=-1) - wanted


def constraint_jacobian(u: Array, v: Array, w: Array) -> Array:
    """Return K = dphi/dQ, shape (n, 6, 12)."""
    K = np.zeros((*u.shape[:-1], 6, 4, 3))
    K[..., 0, 0, :] = 2.0 * u
    K[..., 1, 0, :], K[..., 1, 1, :], K[..., 1, 2, :] = v, u, -u
    K[..., 2, 0, :], K[..., 2, 3, :] = w, u
    K[..., 3, 1, :], K[..., 3, 2, :] = 2.0 * v, -2.0 * v
    K[..., 4, 1, :], K[..., 4, 2, :], K[..., 4, 3, :] = w, -w, v
    K[..., 5, 3, :] = 2.0 * w
    return K.reshape(*u.shape[:-1], 6, 12)


def pseudo_interpolation(u: Array, v: Array, w: Array) -> Array:
    """Return N*^T, which turns a moment into generalized forces, shape (n, 12, 3).

        N*^T = [[0, v, 0], [0, 0, -w], [0, 0, w], [u, 0, 0]] B*^-1,    B* = [w x u, u x v, -v x w]

    Its block row of rP is (0, 0, -w): only so is the virtual work of a moment M that turns the segment by th equal to
    M . th. The printed row (-u, -v, -w) adds a force.
    """
    couple = np.stack([cross(w, u), cross(u, v), -cross(v, w)], axis=-1)
    blocks = np.zeros((*u.shape[:-1], 4, 3, 3))
    blocks[..., 0, :, 1] = v
    blocks[..., 1, :, 2] = -w
    blocks[..., 2, :, 2] = w
    blocks[..., 3, :, 0] = u
    stacked = blocks.reshape(*u.shape[:-1], 12, 3)
    return np.asarray(
        np.swapaxes(np.linalg.solve(np.swapaxes(couple, -1, -2), np.swapaxes(stacked, -1, -2)), -1, -2)
    )


def natural_mass(mass: float, n: Array, J: Array) -> Array:
    """Return A of the mass matrix G = kron(A, E), shape (4, 4), [kg], [kg m] where it multiplies u or w.

    Args:
        mass: In [kg].
        n: Components of the centre of mass in the triad, shape (3,).
        J: Second moment of mass about P in the triad, int n n^T dm, shape (3, 3).
    """
    A = np.array(
        [
            [J[0, 0], mass * n[0] + J[0, 1], -J[0, 1], J[0, 2]],
            [0.0, mass + 2.0 * mass * n[1] + J[1, 1], -mass * n[1] - J[1, 1], mass * n[2] + J[1, 2]],
            [0.0, 0.0, J[1, 1], -J[1, 2]],
            [0.0, 0.0, 0.0, J[2, 2]],
        ]
    )
    return A + np.triu(A, 1).T


def angular_velocity(coordinates: Array, rates: Array) -> Array:
    """Return the angular velocity of a segment, shape (n, 3), [rad/s], world axes.

    omega = (u* x u' + v* x v' + w* x w') / 2 with the reciprocal axes u*, v*, w*: exact for a rigid triad, the mean
    rotation of one that deforms.
    """
    u, v, w = axes_of(coordinates)
    du, dv, dw = axes_of(rates)
    volume = _dot(u, cross(v, w))[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        turn = cross(cross(v, w), du) + cross(cross(w, u), dv) + cross(cross(u, v), dw)
        return np.asarray(0.5 * turn / volume)


def axes_of(coordinates: Array) -> tuple[Array, Array, Array]:
    """Return u, v = rP - rD and w of coordinates (n, 4, 3), or their derivatives."""
    return (
        coordinates[..., 0, :],
        coordinates[..., 1, :] - coordinates[..., 2, :],
        coordinates[..., 3, :],
    )


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1))
