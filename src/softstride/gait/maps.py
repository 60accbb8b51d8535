"""What happens to the rates when something meets the floor: foot flat, and heel strike.

Impacts are plastic: what touches stops at once, joints carry no impulsive moment, angles do not change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softstride.fields import Choice, checked
from softstride.gait.kernels.walker import BETA, HEEL, MASS, SHANK, THIGH, TOE, Walker
from softstride.gait.recipe import FOOT_FLAT
from softstride.gait.states import assemble_states

Floats = NDArray[np.float64]

OLD_TOE = ("pinned", "free")
"""What the toe that stood does at heel strike: it is held to the floor by the impact, or let go."""


def foot_flat(
    walker: Walker, theta: Floats, omega: Floats, mode: str, phase: int = 2
) -> tuple[Floats, Floats]:
    """Return angles and rates, each (7,), after the right sole met the floor.

    "impulse": θ̇⁺_{2..7} = θ̇⁻_{2..7} + M_22⁻¹ M_21 θ̇⁻_1 with the mass matrix of the phase before (2, or 1 where
    the left toe is still down): a plastic impact of the sole.
    "keep": the foot stops, everything else goes on: what the paper's words suggest.
    """
    checked(Choice(FOOT_FLAT), mode, "rff")
    angles, rates = theta.copy(), omega.copy()
    angles[0] = rates[0] = 0.0
    if mode == "impulse":
        M = assemble_states(walker, phase, angles, omega)[0][0]
        rates[1:] += np.linalg.solve(M[1:, 1:], M[1:, 0] * omega[0])
    return angles, rates


class Strike(NamedTuple):
    """A heel strike; legs are exchanged afterwards, so that the right one stands again.

    Attributes:
        theta: Angles in the next step, shape (7,), [rad].
        omega: Rates after the impact, shape (7,), [rad/s].
        heel_impulse: Of the floor on the heel, shape (2,), [N s].
        toe_impulse: Of the floor on the old toe, shape (2,), [N s]; zero where it is let go.
        toe_velocity: Of the old toe afterwards, shape (2,), [m/s]; zero where it is held.
    """

    theta: Floats
    omega: Floats
    heel_impulse: Floats
    toe_impulse: Floats
    toe_velocity: Floats


def heel_strike(walker: Walker, theta: Floats, omega: Floats, old_toe: str) -> Strike:
    """Return the state after the left heel met the floor at the end of phase 4.

    With the old toe pinned, M (θ̇⁺ − θ̇⁻) = Jᵀ Λ and J θ̇⁺ = 0, J the Jacobian of the heel in phase 4: a closed loop,
    whose hips then neither are apart nor move apart (r = ṙ = 0). With it free, the body turns about the new heel with
    the angular momenta that it had: M θ̇⁺ = M θ̇⁻ + Gᵀ v, M and G mass and momentum matrix of phase 2 for legs
    exchanged, v the velocity of the heel before.
    """
    checked(Choice(OLD_TOE), old_toe, "old_toe")
    J = heel_jacobian(walker, theta)
    velocity = J @ omega
    if old_toe == "pinned":
        M = assemble_states(walker, 4, theta, omega)[0][0]
        root = np.linalg.solve(M, J.T)
        heel = np.linalg.solve(J @ root, -velocity)
        after = omega + root @ heel
        after -= root @ np.linalg.solve(J @ root, J @ after)  # once more, for the last digits of J θ̇ = 0
        gained = momentum_matrix(walker, 4, theta) @ (after - omega)
        return Strike(theta[::-1].copy(), after[::-1].copy(), np.asarray(heel), gained - heel, np.zeros(2))
    angles, rates = theta[::-1].copy(), omega[::-1].copy()
    M = assemble_states(walker, 2, angles, rates)[0][0]
    G = momentum_matrix(walker, 2, angles)
    after = rates + np.linalg.solve(M, G.T @ velocity)
    mass = walker.size[MASS]
    gained = G @ (after - rates) - mass * velocity
    return Strike(angles, after, gained, np.zeros(2), toe_jacobian(walker, angles) @ after)


def momentum_matrix(walker: Walker, phase: int, theta: Floats) -> Floats:
    """Return G, the momentum of the body over the rates of its segments, shape (2, 7), [kg m]."""
    z = walker.real[phase - 1] + 1j * walker.imaginary[phase - 1]
    rows = 1j * z * np.exp(1j * theta)
    return np.stack([rows.real, rows.imag])


def heel_jacobian(walker: Walker, theta: Floats) -> Floats:
    """Return the velocity of the left heel over the rates in phase 4, shape (2, 7), [m]."""
    size, alpha = walker.size, walker.offset[3, 0]
    arms = [size[TOE], size[SHANK], size[THIGH], 0.0, -size[THIGH], -size[SHANK], -size[HEEL]]
    return _jacobian(arms, theta + np.array([alpha, 0.0, 0.0, 0.0, 0.0, 0.0, size[BETA]]))


def toe_jacobian(walker: Walker, theta: Floats) -> Floats:
    """Return the velocity of the left toe over the rates in phase 2, shape (2, 7), [m]."""
    size = walker.size
    arms = [size[HEEL], size[SHANK], size[THIGH], 0.0, -size[THIGH], -size[SHANK], -size[TOE]]
    return _jacobian(arms, theta + walker.offset[1])


def _jacobian(arms: list[float], phi: Floats) -> Floats:
    rows = 1j * np.array(arms) * np.exp(1j * phi)
    return np.stack([rows.real, rows.imag])
