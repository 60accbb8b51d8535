"""Coefficients of the closed form: what one unit of angular acceleration or squared velocity of a link does.

Rows are joints j = 1 to n, columns links i = 1 to n. With mu_i the mass beyond link i, p_i the first moment of the
augmented link and P_j their sums (see `Geometry`):

    force   phi_j gains  thd_i^2 e_ji - thdd_i perp(e_ji),     e_ji = mu_(j-1) J_iJ_(i+1)  if i < j, else p_i
    torque  tau_j gains  thdd_i Re K_ji + thd_i^2 Im K_ji,     K_ji = conj(J_iJ_(i+1)) P_j  if i < j, else
            (J_i - J_j) conj(p_i) + conj(J_iJ_(i+1)) P_(i+1) + I_Ji + mu_i l_i^2

These are eqs. 9 and 23 of [PlanarChain] in complex numbers; Re K is A and Im K is Z of docs/theory/planar.md.
"""

from __future__ import annotations

import numpy as np

from softstride.planar.geometry import Geometry
from softstride.planar.vectors import Complex, Floats, cross, dot


def _before(n: int) -> np.ndarray:
    """Return where i < j, joints down, links across, shape (n, n)."""
    return np.asarray(np.tri(n, k=-1, dtype=bool))


def distal_force(place: Geometry) -> Complex:
    """Return e_ji from distal data, shape (f, n, n), [kg·m]."""
    beyond = place.distal_mass[:-1, None]  # mu_(j-1), down
    return np.asarray(np.where(_before(place.n), beyond * place.link[:, None, 1:], place.moment[:, None, 1:]))


def distal_torque(place: Geometry) -> Complex:
    """Return K_ji from distal data, shape (f, n, n), [kg·m²]."""
    link, joint = place.link[:, 1:], place.joint[:, 1:-1]
    P, p = place.distal_moment[:, 1:], place.moment[:, 1:]
    mass, inertia = place.frames.chain.mass[1:], place.frames.chain.inertia[1:]
    own = inertia + mass * np.abs(place.arm[:, 1:]) ** 2 + place.distal_mass[1:] * np.abs(link) ** 2
    own = own + np.conj(link) * P[:, 1:]
    inner = np.conj(link)[:, None, :] * P[:, :-1, None]
    outer = (joint[:, None, :] - joint[:, :, None]) * np.conj(p)[:, None, :] + own[:, None, :]
    return np.asarray(np.where(_before(place.n), inner, outer))


def proximal_force(place: Geometry) -> Complex:
    """Return -e'_ji of eq. 10, what stands in the place of e_ji with proximal data, shape (f, n, n), [kg·m]."""
    mass = place.frames.chain.mass[1:]
    between = place.proximal_mass[:-1, None] - place.proximal_mass[None, 1:]  # of links i+1 to j-1
    own = (mass * place.arm[:, 1:])[:, None, :]
    return np.asarray(np.where(_before(place.n), -own - between * place.link[:, None, 1:], 0.0))


def between_moment(place: Geometry) -> Complex:
    """Return sum_(r=i+1)^(j-1) m_r (C_r - J_j), shape (f, n, n), [kg·m]; only where i < j."""
    sums = np.cumsum(place.frames.chain.mass * place.centre, axis=1)
    between = place.proximal_mass[:-1, None] - place.proximal_mass[None, 1:]
    joint = place.joint[:, 1:-1]
    return np.asarray(sums[:, :-1, None] - sums[:, None, 1:] - between * joint[:, :, None])


def proximal_torque(place: Geometry) -> Complex:
    """Return what stands in the place of K_ji with proximal data, shape (f, n, n), [kg·m²].

    Moments about J_j over links 1 to j-1: -conj(G) - I_Ci with G = m_i conj(C_i - J_j) J_iC_i + conj(Q_ij) J_iJ_(i+1).
    """
    mass, inertia = place.frames.chain.mass[1:], place.frames.chain.inertia[1:]
    offset = place.centre[:, None, 1:] - place.joint[:, 1:-1, None]
    G = offset * np.conj(mass * place.arm[:, 1:])[:, None, :]
    G = G + between_moment(place) * np.conj(place.link[:, 1:])[:, None, :]  # its conjugate
    return np.asarray(np.where(_before(place.n), -G - inertia, 0.0))


def mass_matrix(place: Geometry) -> Floats:
    """Return M of the link equations (eq. 20), symmetric and positive definite, shape (f, n, n), [kg·m²]."""
    M = dot(place.link[:, 1:, None], place.moment[:, None, 1:])  # k < i
    upper = np.triu(M, 1)
    chain = place.frames.chain
    own = chain.inertia + chain.mass * np.abs(place.arm) ** 2 + place.distal_mass * np.abs(place.link) ** 2
    result = upper + np.swapaxes(upper, 1, 2)
    diagonal = np.arange(place.n)
    result[:, diagonal, diagonal] = own[:, 1:]
    return np.asarray(result)


def velocity_matrix(place: Geometry) -> Floats:
    """Return S of the link equations (eq. 20), antisymmetric, shape (f, n, n), [kg·m²]."""
    upper = np.triu(-cross(place.link[:, 1:, None], place.moment[:, None, 1:]), 1)
    return np.asarray(upper - np.swapaxes(upper, 1, 2))
