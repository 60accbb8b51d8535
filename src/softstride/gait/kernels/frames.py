"""All frames of a walk at once: moments, accelerations, ground reactions, energies and places."""

from __future__ import annotations

from typing import Any, NamedTuple

from softstride.engine.jit import kernel
from softstride.gait.kernels.drive import joint_moments, toe_torque
from softstride.gait.kernels.equations import (
    accelerate,
    double,
    energies,
    ground_force,
    heel_moment,
    hip_gap,
    mass_matrix,
    pressure_ahead,
    right_hand_side,
    turn,
)
from softstride.gait.kernels.places import hip_height, place, swinging_heel
from softstride.gait.kernels.walker import FORCE, MATRIX, Array, Drive, Walker


class States(NamedTuple):
    """States of a walker whose right leg stands, frame by frame."""

    phase: Any  # (n,) integers, 1 to 4, or FLAT
    theta: Any  # (n, 7)
    omega: Any  # (n, 7)
    net: Any  # (n, 6) joint moments [N m]
    toe: Any  # (n,) torque of the toe spring on the right foot [N m]
    separation: Any  # (n,) from the left toe to the right heel in double support [m]
    heel: Any  # (n,) where the right heel stands or stood [m]


class Answers(NamedTuple):
    """What is asked of them."""

    alpha: Any  # (n, 7)
    force: Any  # (n, 4) on the right foot, on the left one [N]
    ahead: Any  # (n, 2) point of the right foot's force ahead of its heel when flat [m]; N [N m]
    energy: Any  # (n, 3) kinetic, gravity, hip spring [J]
    gap: Any  # (n, 4) between the hips, and its rate, in double support
    points: Any  # (n, 11, 2) [m]
    event: Any  # (n,) event function of the phase


@kernel
def walker_frames(walker: Walker, states: States, answers: Answers, m: Array) -> None:
    """Fill the answers of all frames."""
    for f in range(states.phase.shape[0]):
        phase, separation = states.phase[f], states.separation[f]
        theta, omega, net, alpha = states.theta[f], states.omega[f], states.net[f], answers.alpha[f]
        accelerate(walker, phase, separation, theta, omega, net, states.toe[f], m, alpha)
        x, y, left_x, left_y = ground_force(walker, phase, separation, omega, alpha, m)
        answers.force[f, 0], answers.force[f, 1] = x, y
        answers.force[f, 2], answers.force[f, 3] = left_x, left_y
        ahead, held = pressure_ahead(walker, phase, x, y, net[0], states.toe[f])
        answers.ahead[f, 0], answers.ahead[f, 1] = ahead, held
        kinetic, gravity, spring = energies(walker, phase, separation, omega, m)
        answers.energy[f, 0], answers.energy[f, 1], answers.energy[f, 2] = kinetic, gravity, spring
        answers.event[f] = left_y
        for k in range(4):
            answers.gap[f, k] = 0.0
        if double(phase):
            rx, ry, vx, vy = hip_gap(walker, separation, omega, m)
            answers.gap[f, 0], answers.gap[f, 1], answers.gap[f, 2], answers.gap[f, 3] = rx, ry, vx, vy
        elif phase == 2:
            answers.event[f] = theta[0]
        elif phase == 3:
            answers.event[f] = heel_moment(walker, x, y, net[0])
        else:
            answers.event[f] = swinging_heel(walker, hip_height(walker, phase, m), m)
        place(walker, phase, separation, states.heel[f], theta, m, answers.points[f])


@kernel
def walker_matrices(walker: Walker, states: States, matrix: Array, force: Array, m: Array) -> None:
    """Write mass matrices (n, 7, 7) and right-hand sides (n, 7) of all frames."""
    for f in range(states.phase.shape[0]):
        phase, omega = states.phase[f], states.omega[f]
        turn(walker, phase, states.theta[f], m)
        mass_matrix(walker, phase, m)
        right_hand_side(walker, phase, states.separation[f], omega, states.net[f], states.toe[f], m)
        for i in range(7):
            force[f, i] = m[FORCE, i]
            for j in range(7):
                matrix[f, i, j] = m[MATRIX + i, j]


@kernel
def walker_drives(
    drive: Drive,
    phase: int,
    time: Array,
    theta: Array,
    omega: Array,
    active: Array,
    passive: Array,
    toe: Array,
) -> None:
    """Write what acts at the joints in the frames of one phase: active and passive (n, 6), toe (n,) [N m]."""
    for f in range(time.shape[0]):
        joint_moments(drive, time[f], theta[f], omega[f], active[f], passive[f])
        toe[f] = toe_torque(drive, phase, theta[f], omega[f])
