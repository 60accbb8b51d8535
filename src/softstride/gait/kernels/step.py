"""One explicit Runge–Kutta step of a walker, by any tableau, with the function whose fall through zero ends a phase."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softstride.engine.jit import inner
from softstride.gait.kernels.drive import joint_moments, joint_rate, toe_torque
from softstride.gait.kernels.equations import accelerate, ground_force, heel_moment, hip_gap
from softstride.gait.kernels.places import hip_height, swinging_heel
from softstride.gait.kernels.walker import DAMPER, FLAT, Array, Drive, Walker

STATE = 22
"""Angles (7), rates (7), work of each joint (6), of ligaments and toe spring, and of the hip damper [J]."""


class Tableau(NamedTuple):
    """An explicit Runge–Kutta method."""

    a: Any  # (s + 1, s); the last row gives the new state
    c: Any  # (s + 1,)
    error: Any  # (2, s) two estimates of the error; the second may be zero
    power: Any  # (1,) exponent of the step size control


class Course(NamedTuple):
    """How to march."""

    fixed: Any  # (1,) step [s], zero for control by error
    tolerance: Any  # (2,) relative and absolute
    longest: Any  # (1,) step [s]
    limits: Any  # (5,) least height of the hip [m], most lean [rad], most flexion and extension of a knee [rad], steps
    locate: Any  # (1,) 1: events are located; 0: they happen at the end of a step
    frames: Any  # (n,) instants wanted [s]


class Room(NamedTuple):
    """Scratch of the march."""

    k: Any  # (s + 1, STATE) rates at the stages and at the new state
    new: Any  # (STATE,)
    m: Any  # (SCRATCH, 7)
    active: Any  # (6,)
    passive: Any  # (6,)
    net: Any  # (6,)


@inner
def rate_of(
    walker: Walker, drive: Drive, phase: int, separation: float, t: float, y: Array, room: Room, out: Array
) -> float:
    """Write dy/dt, and return the event function of the phase at this state.

    Upward force on the left toe, and that the right sole points up (the less, in units of 1 N and 1 mrad); angle of the
    right sole; what holds the right heel down; height of the left heel.
    """
    theta, omega, alpha, net = y[0:7], y[7:14], out[7:14], room.net
    joint_moments(drive, t, theta, omega, room.active, room.passive)
    for j in range(6):
        net[j] = room.active[j] + room.passive[j]
    toe = toe_torque(drive, phase, theta, omega)
    accelerate(walker, phase, separation, theta, omega, net, toe, room.m, alpha)
    # Power of a joint is moment times joint rate; works are part of the state, for the energy balance.
    loss = toe * omega[0]
    for i in range(7):
        out[i] = omega[i]
    for j in range(6):
        rate = joint_rate(omega, j)
        out[14 + j] = room.active[j] * rate
        loss += room.passive[j] * rate
    out[20] = loss
    out[21] = 0.0
    if phase == 2:
        return theta[0]
    if phase == 4:
        return swinging_heel(walker, hip_height(walker, phase, room.m), room.m)
    # Power of the hip damper is −d |ṙ|². A sole that comes down ends phase 1 as well (`min`).
    fx, fy, _, left = ground_force(walker, phase, separation, omega, alpha, room.m)
    if phase == 3:
        return heel_moment(walker, fx, fy, net[0])
    _, _, vx, vy = hip_gap(walker, separation, omega, room.m)
    out[21] = -walker.size[DAMPER] * (vx * vx + vy * vy)
    return left if phase == FLAT else min(left, 1000.0 * theta[0])


@inner
def take_step(
    walker: Walker,
    drive: Drive,
    tableau: Tableau,
    phase: int,
    separation: float,
    t: float,
    h: float,
    y: Array,
    room: Room,
) -> float:
    """Write y(t + h) to room.new and its rate to the last row of k; return the event function there. k[0] is at y."""
    stages = tableau.c.shape[0]
    value = 0.0
    # y_i = y + h Σ_j<i a_ij k_j; the last row of a gives the new state, whose rate is computed as well.
    for i in range(1, stages):
        for n in range(STATE):
            total = 0.0
            for j in range(i):
                total += tableau.a[i, j] * room.k[j, n]
            room.new[n] = y[n] + h * total
        value = rate_of(walker, drive, phase, separation, t + tableau.c[i] * h, room.new, room, room.k[i])
    return value


@inner
def error_of(tableau: Tableau, course: Course, h: float, y: Array, room: Room) -> float:
    """Return the error of a step over its tolerance; angles and rates count, works do not."""
    high, low = 0.0, 0.0
    # DOP853's estimate from those of order 5 (e5) and 3 (e3): h |e5|² / sqrt(n (|e5|² + 0.01 |e3|²)).
    for n in range(14):
        first, second = 0.0, 0.0
        for j in range(tableau.error.shape[1]):
            first += tableau.error[0, j] * room.k[j, n]
            second += tableau.error[1, j] * room.k[j, n]
        scale = course.tolerance[1] + course.tolerance[0] * max(abs(y[n]), abs(room.new[n]))
        high += (first / scale) ** 2
        low += (second / scale) ** 2
    if high == 0.0:
        return 0.0
    return h * high / math.sqrt((high + 0.01 * low) * 14.0)
