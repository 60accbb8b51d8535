"""Checks of the walker of seven segments: its reference state, a step of the paper, its energy, and the engine."""

from __future__ import annotations

from functools import cache

import numpy as np

from softstride.gait import Body, Limits, SevenSegment, evaluate_states
from softstride.gait.hard_support import JOINT_COLUMNS
from softstride.gait.states import walker_of
from softstride.gait.walk import Walk

# By symbolic Lagrangians and by multipliers in 21 coordinates, 12 digits: accelerations of the reference state, phases
# 1 to 4 [rad/s²].
ACCELERATIONS = """
-487.81210882 127.924687667 20.6431868448 2.32983230923 18.9822150394 11.55320019 -78.476965136
-213.772094632 136.931066089 -99.7159656171 12.8641610975 -47.3775263355 323.266811426 -2656.33366695
0 18.6151132433 -29.356988369 7.92470665863 -37.2407091033 324.34465732 -2669.66573165
99.9671718468 74.1033343476 -141.060220358 16.9107242407 -55.9686352121 321.677256099 -2642.65044832
"""


def accelerations() -> float:
    """Return the largest relative error of the accelerations of the reference state in the four phases."""
    theta = np.tile([0.10, 1.45, 1.75, 1.60, 1.30, 1.05, -0.40], (4, 1))
    omega = np.tile([-1.2, 0.7, -0.9, 0.3, 2.1, -3.3, 1.7], (4, 1))
    theta[2, 0] = omega[2, 0] = 0.0
    theta[3, 0] = -0.20
    moments = [12.0, 35.0, -20.0, 15.0, -8.0, -60.0]
    found = evaluate_states(walker_of(Body()), [1, 2, 3, 4], theta, omega, moments, 0.134).alpha
    expected = np.array([[float(x) for x in line.split()] for line in ACCELERATIONS.strip().splitlines()])
    return float((np.abs(found - expected).max(axis=1) / np.abs(expected).max(axis=1)).max())


@cache
def _step() -> Walk:
    return SevenSegment().simulate("B")


def step_time() -> float:
    """Return the instant of heel strike of recipe B [s]."""
    return _step().event_times["left_heel_strike"]


def push_off() -> float:
    """Return the same with the left ankle moment raised by 20 % in phase 1 [s]."""
    return SevenSegment().simulate("B", perturb="left_ankle:1=+20%").event_times["left_heel_strike"]


def euler() -> float:
    """Return the instant of heel strike of recipe A by Euler's scheme with steps of 1 ms [s], far from converged."""
    model = SevenSegment(limits=Limits(knee_extension=3.0))
    return model.simulate("A", method="euler", step=1e-3).event_times["left_heel_strike"]


def energy() -> float:
    """Return what the balance of energy misses in a phase of that step, over the kinetic energy."""
    return _step().certificate.relative_energy_error


def inverse() -> float:
    """Return the largest error of the moments that inverse dynamics finds from motion and ground reactions [N m]."""
    walk = _step()
    found = np.stack([sign * walk.loads.tau[:, column] for column, sign in JOINT_COLUMNS], axis=1)
    on_toe = walk.phase == 4  # elsewhere the two triangles of the foot of Table A1 differ by 0.15 mm
    return float(np.abs(found - walk.moments)[on_toe].max())
