"""Joint moments at an instant and a state: as prescribed, corrected by feedback, limited by ligaments."""

from __future__ import annotations

import math

from softstride.engine.jit import inner
from softstride.gait.kernels.walker import Array, Drive

MOST_EXPONENT = 30.0  # of a ligament; e^30 N m has ended any walk long before


@inner
def joint_rate(omega: Array, j: int) -> float:
    """Return the rate of a joint angle: distal segment less proximal one [rad/s]."""
    if j < 3:
        return omega[j] - omega[j + 1]
    return omega[j + 1] - omega[j]


@inner
def joint_angle(theta: Array, j: int) -> float:
    """Return a joint angle [rad]: dorsiflexion of an ankle, zero upright; extension of a knee; flexion of a hip."""
    upright = 0.5 * math.pi if j == 0 or j == 5 else 0.0
    return joint_rate(theta, j) + upright


@inner
def ligament_moment(row: Array, x: float, rate: float) -> float:
    """Return a e^{−b (x − low)} − c e^{d (x − high)}, damped by e ẋ in proportion to what pulls [N m].

    row: a, b, low, c, d, high, e.
    """
    below = row[0] * math.exp(min(-row[1] * (x - row[2]), MOST_EXPONENT)) if row[0] > 0.0 else 0.0
    above = row[3] * math.exp(min(row[4] * (x - row[5]), MOST_EXPONENT)) if row[3] > 0.0 else 0.0
    return below - above - row[6] * rate * (below + above)


@inner
def toe_torque(drive: Drive, phase: int, theta: Array, omega: Array) -> float:
    """Return the torque of the toe spring on the right foot [N m]: it turns the foot back while on its toe."""
    return -drive.toe[0] * theta[0] - drive.toe[1] * omega[0] if phase == 4 else 0.0


@inner
def prescribed(drive: Drive, t: float, j: int, k: int) -> float:
    """Return the moment of joint j between nodes k − 1 and k, constant outside, changed if asked [N m]."""
    nodes, values = drive.nodes, drive.moments
    if k == 0:
        value = values[0, j]
    elif k == nodes.shape[0]:
        value = values[k - 1, j]
    else:
        part = (t - nodes[k - 1]) / (nodes[k] - nodes[k - 1])
        value = values[k - 1, j] + part * (values[k, j] - values[k - 1, j])
    return drive.change[0, j] * value + drive.change[1, j]


@inner
def followed(drive: Drive, t: float, j: int, x: float, rate: float) -> float:
    """Return the moment of the feedback, K (x_nominal − x) + D (ẋ_nominal − ẋ) [N m].

    The nominal is a cubic between its instants; after the last one it rests there.
    """
    nominal, span = drive.nominal, drive.span[0]
    last = nominal.shape[0] - 1
    s = t / span
    k = min(max(int(s), 0), last - 1)
    u = min(max(s - k, 0.0), 1.0)
    p, q, v, w = nominal[k, j], nominal[k + 1, j], span * nominal[k, 6 + j], span * nominal[k + 1, 6 + j]
    # Hermite's cubic in u = 0 … 1 and its derivative: angles and rates of the nominal are met at its nodes.
    slope, bend = 3.0 * (q - p) - 2.0 * v - w, 2.0 * (p - q) + v + w
    angle = p + u * (v + u * (slope + u * bend))
    speed = (v + u * (2.0 * slope + 3.0 * u * bend)) / span if s <= last else 0.0
    return drive.gain[0, j] * (angle - x) + drive.gain[1, j] * (speed - rate)


@inner
def joint_moments(drive: Drive, t: float, theta: Array, omega: Array, active: Array, passive: Array) -> None:
    """Write the moments of muscles, active (6,), and of ligaments, passive (6,) [N m]."""
    k, nodes = 0, drive.nodes.shape[0]
    while k < nodes and drive.nodes[k] <= t:
        k += 1
    for j in range(6):
        x, rate = joint_angle(theta, j), joint_rate(omega, j)
        active[j] = prescribed(drive, t, j, k)
        if drive.nominal.shape[0] > 1:
            active[j] += followed(drive, t, j, x, rate)
        passive[j] = ligament_moment(drive.ligament[j], x, rate)
