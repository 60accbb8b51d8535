"""Equations of motion, ground reactions, energies and places of the walker, for one state.

    Σ_j c_ij [cos(φ_i − φ_j) θ̈_j + sin(φ_i − φ_j) θ̇_j²] = −g Re(z_i e^{iθ_i}) + Q_i,        φ_i = θ_i + offset_i

and in double support the force P = −(k r + d ṙ) of spring and damper on the right hip, −P on the left one, with r the
distance between them. Source: [Onyshko1980], appendix, corrected; `docs/theory/gait.md`.
"""

from __future__ import annotations

import math

from softstride.engine.jit import inner
from softstride.gait.kernels.walker import (
    ALPHA,
    COS,
    DAMPER,
    FLAT,
    FOOT_MASS,
    FORCE,
    GRAVITY,
    LEG_MASS,
    MASS,
    MATRIX,
    PCOS,
    PSIN,
    REST,
    REST_DOUBLE,
    SIN,
    SOLE,
    SPRING,
    TOE,
    Array,
    Walker,
)


@inner
def double(phase: int) -> bool:
    """Return whether both feet are on the floor."""
    return phase == 1 or phase == FLAT


@inner
def flat(phase: int) -> bool:
    """Return whether the right foot rests on the floor."""
    return phase == 3 or phase == FLAT


@inner
def turn(walker: Walker, phase: int, theta: Array, m: Array) -> None:
    """Write cosines and sines of θ and φ."""
    offset = walker.offset
    for i in range(7):
        m[COS, i] = math.cos(theta[i])
        m[SIN, i] = math.sin(theta[i])
        m[PCOS, i] = m[COS, i]
        m[PSIN, i] = m[SIN, i]
    # φ_i = θ_i + offset_i differs for the feet alone: their lines heel to ankle (β) or toe to ankle (α).
    for i in range(0, 7, 6):
        m[PCOS, i] = math.cos(theta[i] + offset[phase - 1, i])
        m[PSIN, i] = math.sin(theta[i] + offset[phase - 1, i])


@inner
def hip_gap(walker: Walker, separation: float, omega: Array, m: Array) -> tuple[float, float, float, float]:
    """Return r and ṙ, right hip less left hip in double support [m], [m/s]."""
    # r = (S + Σ d_j cos φ_j, Σ d_j sin φ_j), S the separation.
    x, y, vx, vy = separation, 0.0, 0.0, 0.0
    for i in range(7):
        x += walker.gap[i] * m[PCOS, i]
        y += walker.gap[i] * m[PSIN, i]
        vx -= walker.gap[i] * m[PSIN, i] * omega[i]
        vy += walker.gap[i] * m[PCOS, i] * omega[i]
    return x, y, vx, vy


@inner
def hip_force(walker: Walker, phase: int, separation: float, omega: Array, m: Array) -> tuple[float, float]:
    """Return the force of spring and damper on the right hip [N]; zero but in double support."""
    if not double(phase):
        return 0.0, 0.0
    x, y, vx, vy = hip_gap(walker, separation, omega, m)
    k, d = walker.size[SPRING], walker.size[DAMPER]
    return -(k * x + d * vx), -(k * y + d * vy)


@inner
def mass_matrix(walker: Walker, phase: int, m: Array) -> None:
    """Write the mass matrix, rows MATRIX and on, after `turn`."""
    # c_ij cos(φ_i − φ_j), c constant in a phase (Tables A2 and A3, corrected).
    c = walker.c
    for i in range(7):
        for j in range(7):
            m[MATRIX + i, j] = c[phase - 1, i, j] * (m[PCOS, i] * m[PCOS, j] + m[PSIN, i] * m[PSIN, j])


@inner
def right_hand_side(
    walker: Walker, phase: int, separation: float, omega: Array, net: Array, toe: float, m: Array
) -> None:
    """Write all forces, the row FORCE, after `turn`; net (6,) are joint moments, toe a torque on the right foot."""
    c, g = walker.c, walker.size[GRAVITY]
    px, py = hip_force(walker, phase, separation, omega, m)
    # Q_i: a joint moment acts on its distal segment, and reversed on the proximal one.
    m[FORCE, 0] = net[0] + toe
    m[FORCE, 1] = net[1] - net[0]
    m[FORCE, 2] = net[2] - net[1]
    m[FORCE, 3] = -net[2] - net[3]
    m[FORCE, 4] = net[3] - net[4]
    m[FORCE, 5] = net[4] - net[5]
    m[FORCE, 6] = net[5]
    # b_i = Q_i − g Re(z_i e^{iθ_i}) + d_i (P_y cos φ_i − P_x sin φ_i) − Σ_j c_ij sin(φ_i − φ_j) θ̇_j². Angles
    # are absolute, so only squares of rates appear.
    for i in range(7):
        b = m[FORCE, i]
        b -= g * (walker.real[phase - 1, i] * m[COS, i] - walker.imaginary[phase - 1, i] * m[SIN, i])
        if double(phase):
            b += walker.gap[i] * (py * m[PCOS, i] - px * m[PSIN, i])
        for j in range(7):
            sine = m[PSIN, i] * m[PCOS, j] - m[PCOS, i] * m[PSIN, j]
            b -= c[phase - 1, i, j] * sine * omega[j] * omega[j]
        m[FORCE, i] = b
    # c_1j = 0 while the foot is flat, j > 1: this makes θ̈_1 = 0 and takes nothing from the other rows.
    if flat(phase):
        m[FORCE, 0] = 0.0  # the floor holds the foot


@inner
def solve_in_place(m: Array) -> None:
    """Solve MATRIX x = FORCE by Cholesky; the row FORCE becomes x, the matrix its factor."""
    # M = L Lᵀ, L over M; then L y = b and Lᵀ x = y in the row FORCE.
    for i in range(7):
        for j in range(i + 1):
            s = m[MATRIX + i, j]
            for k in range(j):
                s -= m[MATRIX + i, k] * m[MATRIX + j, k]
            m[MATRIX + i, j] = math.sqrt(s) if i == j else s / m[MATRIX + j, j]
    for i in range(7):
        s = m[FORCE, i]
        for k in range(i):
            s -= m[MATRIX + i, k] * m[FORCE, k]
        m[FORCE, i] = s / m[MATRIX + i, i]
    for back in range(7):
        i = 6 - back
        s = m[FORCE, i]
        for k in range(i + 1, 7):
            s -= m[MATRIX + k, i] * m[FORCE, k]
        m[FORCE, i] = s / m[MATRIX + i, i]


@inner
def accelerate(
    walker: Walker,
    phase: int,
    separation: float,
    theta: Array,
    omega: Array,
    net: Array,
    toe: float,
    m: Array,
    alpha: Array,
) -> None:
    """Write the accelerations, alpha (7,) [rad/s²]; a flat foot rests."""
    turn(walker, phase, theta, m)
    mass_matrix(walker, phase, m)
    right_hand_side(walker, phase, separation, omega, net, toe, m)
    solve_in_place(m)
    for i in range(7):
        alpha[i] = m[FORCE, i]


@inner
def momentum_rate(
    walker: Walker, phase: int, first: int, last: int, omega: Array, alpha: Array, m: Array
) -> tuple[float, float]:
    """Return d/dt of the momentum that segments first .. last − 1 carry [N], after `turn`."""
    x, y = 0.0, 0.0
    # Momentum Σ i z_i e^{iθ_i} θ̇_i, hence its rate Σ z_i e^{iθ_i} (i θ̈_i − θ̇_i²), z_i e^{iθ_i} = u + i w.
    for i in range(first, last):
        a, b = walker.real[phase - 1, i], walker.imaginary[phase - 1, i]
        u, w = a * m[COS, i] - b * m[SIN, i], a * m[SIN, i] + b * m[COS, i]
        x -= w * alpha[i] + u * omega[i] * omega[i]
        y += u * alpha[i] - w * omega[i] * omega[i]
    return x, y


@inner
def ground_force(
    walker: Walker, phase: int, separation: float, omega: Array, alpha: Array, m: Array
) -> tuple[float, float, float, float]:
    """Return the ground force on the right and on the left foot [N], after `turn`."""
    size, g = walker.size, walker.size[GRAVITY]
    # Newton for the whole body: ground force = rate of momentum + weight.
    if not double(phase):
        x, y = momentum_rate(walker, phase, 0, 7, omega, alpha, m)
        return x, y + size[MASS] * g, 0.0, 0.0
    # In double support for each chain: P acts on the right one, −P on the left one, to which the trunk
    # belongs. The left force falling to zero is toe-off.
    px, py = hip_force(walker, phase, separation, omega, m)
    right = size[FOOT_MASS] + size[LEG_MASS]
    x, y = momentum_rate(walker, phase, 0, 3, omega, alpha, m)
    lx, ly = momentum_rate(walker, phase, 3, 7, omega, alpha, m)
    return x - px, y - py + right * g, lx + px, ly + py + (size[MASS] - right) * g


@inner
def heel_moment(walker: Walker, fx: float, fy: float, ankle: float) -> float:
    """Return N, what holds the heel of a flat foot down: its reaction times the length of the sole [N m].

    fx, fy: Ground force on the flat foot. ankle: Moment of the right ankle [N m].
    """
    size = walker.size
    # N = r_x (−F_y) − r_y (−F_x) + M_ra − (r_x/2) m_f g, r = 2A e^{iα}, F the force of the ankle on the
    # shank. The foot is at rest, so F is the ground force less its weight.
    rx, ry = size[TOE] * math.cos(size[ALPHA]), size[TOE] * math.sin(size[ALPHA])
    weight = size[FOOT_MASS] * size[GRAVITY]
    return -rx * (fy - weight) + ry * fx + ankle - 0.5 * rx * weight


@inner
def energies(
    walker: Walker, phase: int, separation: float, omega: Array, m: Array
) -> tuple[float, float, float]:
    """Return kinetic energy, that of gravity above the floor, and that of the hip spring [J], after `turn`."""
    kinetic, height = 0.0, 0.0
    # ½ θ̇ᵀ M θ̇; and Σ Im(z_i e^{iθ_i}), mass times height, whose derivatives are the terms of gravity.
    for i in range(7):
        for j in range(7):
            cosine = m[PCOS, i] * m[PCOS, j] + m[PSIN, i] * m[PSIN, j]
            kinetic += 0.5 * walker.c[phase - 1, i, j] * cosine * omega[i] * omega[j]
        height += walker.real[phase - 1, i] * m[SIN, i] + walker.imaginary[phase - 1, i] * m[COS, i]
    # z_1 = 0 while the foot rests: its height, and that of the ankle's load, are in the constant REST.
    if flat(phase):
        height += walker.size[REST] if phase == 3 else walker.size[REST_DOUBLE]
    spring = 0.0
    if double(phase):
        x, y, _, _ = hip_gap(walker, separation, omega, m)
        spring = 0.5 * walker.size[SPRING] * (x * x + y * y)
    return kinetic, walker.size[GRAVITY] * height, spring


@inner
def pressure_ahead(
    walker: Walker, phase: int, fx: float, fy: float, ankle: float, toe: float
) -> tuple[float, float]:
    """Return how far ahead of the right heel, when flat, the ground force acts [m], and N [N m]; NaN without force.

    In phase 4 a torque of the toe spring moves it ahead of the toe.
    """
    sole = walker.size[SOLE]
    if phase < 3:
        return 0.0, 0.0
    # N over the upward force is how far the pressure is behind the toe.
    if flat(phase):
        held = heel_moment(walker, fx, fy, ankle)
        return (sole - held / fy if fy > 0.0 else math.nan), held
    return (sole + toe / fy if fy > 0.0 else math.nan), 0.0
