"""States of the walker evaluated, all frames at once: accelerations, ground reactions, energies, places.

Here the right leg stands, as in the equations; `Walk` exchanges sides where the left one does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.gait.body import PHASES, Body, Coefficients
from softstride.gait.kernels import frames
from softstride.gait.kernels.walker import FLAT, SCRATCH, Walker

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SPRING = 274400.0
"""Stiffness between the hips in double support [N/m], [Onyshko1980] Table A1."""

DAMPER = 1000.0
"""Damping there [N s/m], from the same."""

POINTS = (
    "right_heel",
    "right_toe",
    "right_ankle",
    "right_knee",
    "right_hip",
    "hat",
    "left_hip",
    "left_knee",
    "left_ankle",
    "left_toe",
    "left_heel",
)
"""Points of the walker from the right heel over the head to the left one; "hat" is the centre of mass of the trunk."""


@lru_cache(maxsize=32)
def walker_of(body: Body, spring: float = SPRING, damper: float = DAMPER) -> Walker:
    """Return a body as the kernels take it."""
    parts = [body.coefficients(phase) for phase in PHASES]
    parts.append(_flat_in_double_support(parts[0], body))
    size = (
        body.gravity,
        spring,
        damper,
        body.heel_ankle,
        body.heel_angle,
        2.0 * body.toe_centre,
        body.toe_angle,
        body.shank,
        body.thigh,
        body.hat_centre,
        body.foot_mass,
        body.shank_mass + body.thigh_mass,
        body.mass,
        body.sole,
        float(parts[1].z[0].imag),
        float(parts[0].z[0].imag),
    )
    return Walker(
        c=np.stack([part.c for part in parts]),
        offset=np.stack([part.offset for part in parts]),
        real=np.stack([part.z.real for part in parts]),
        imaginary=np.stack([part.z.imag for part in parts]),
        gap=parts[0].gap,
        size=np.array(size),
    )


def _flat_in_double_support(first: Coefficients, body: Body) -> Coefficients:
    """Return phase 1 with the right foot at rest: its row and column are those of a foot that turns alone."""
    c, z = first.c.copy(), first.z.copy()
    c[0, :] = c[:, 0] = 0.0
    c[0, 0] = body.foot_inertia
    z[0] = 0.0
    return Coefficients(c, first.offset, z, first.gap)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What states of the walker come with; the right leg stands.

    Attributes:
        alpha: Accelerations, shape (n, 7), [rad/s²].
        right_force: Ground force on the right foot, shape (n, 2), [N].
        left_force: On the left foot, zero but in double support, shape (n, 2), [N].
        pressure: Where that on the right foot acts, ahead of its heel when flat, shape (n,), [m]; NaN without load.
        heel_held: N of phase 3, the heel's reaction times the length of the sole, shape (n,), [N m].
        kinetic: Kinetic energy, shape (n,), [J].
        gravity: Potential energy above the floor, shape (n,), [J].
        elastic: Energy of the hip spring, shape (n,), [J].
        gap: Right hip less left hip in double support, shape (n, 2), [m].
        gap_rate: Its rate, shape (n, 2), [m/s].
        points: Places in the order of `POINTS`, shape (n, 11, 2), [m].
        event: Function whose fall through zero ends the phase, shape (n,): upward force on the left toe [N]; angle of
            the right sole [rad]; N [N m]; height of the left heel [m].
    """

    alpha: Floats
    right_force: Floats
    left_force: Floats
    pressure: Floats
    heel_held: Floats
    kinetic: Floats
    gravity: Floats
    elastic: Floats
    gap: Floats
    gap_rate: Floats
    points: Floats
    event: Floats


def evaluate_states(
    walker: Walker,
    phase: ArrayLike,
    theta: ArrayLike,
    omega: ArrayLike,
    net: ArrayLike = 0.0,
    separation: ArrayLike = 0.0,
    heel: ArrayLike = 0.0,
    toe: ArrayLike = 0.0,
) -> Evaluation:
    """Evaluate states (n, 7) with joint moments net (n, 6), in phases (n,) or one for all.

    Args:
        walker: The body; see `walker_of`.
        phase: 1 to 4, or `FLAT` for double support with the right foot flat.
        theta: Angles [rad].
        omega: Rates [rad/s].
        net: Joint moments, ligaments included [N m].
        separation: S in phase 1 [m].
        heel: Where the right heel stands, or stood when the foot was flat [m].
        toe: Torque of the toe spring in phase 4 [N m].
    """
    states = _states(phase, theta, omega, net, separation, heel, toe)
    n = len(states.phase)
    answers = frames.Answers(
        np.empty((n, 7)), np.empty((n, 4)), np.empty((n, 2)), np.empty((n, 3)), np.empty((n, 4)),
        np.empty((n, 11, 2)), np.empty(n),
    )  # fmt: skip
    frames.walker_frames(walker, states, answers, np.empty((SCRATCH, 7)))
    return Evaluation(
        alpha=answers.alpha,
        right_force=answers.force[:, :2],
        left_force=answers.force[:, 2:],
        pressure=answers.ahead[:, 0],
        heel_held=answers.ahead[:, 1],
        kinetic=answers.energy[:, 0],
        gravity=answers.energy[:, 1],
        elastic=answers.energy[:, 2],
        gap=answers.gap[:, :2],
        gap_rate=answers.gap[:, 2:],
        points=answers.points,
        event=answers.event,
    )


def assemble_states(
    walker: Walker,
    phase: ArrayLike,
    theta: ArrayLike,
    omega: ArrayLike,
    net: ArrayLike = 0.0,
    separation: ArrayLike = 0.0,
    toe: ArrayLike = 0.0,
) -> tuple[Floats, Floats]:
    """Return mass matrices (n, 7, 7) and right-hand sides (n, 7) of states; arguments as in `evaluate_states`."""
    states = _states(phase, theta, omega, net, separation, 0.0, toe)
    n = len(states.phase)
    matrix, force = np.empty((n, 7, 7)), np.empty((n, 7))
    frames.walker_matrices(walker, states, matrix, force, np.empty((SCRATCH, 7)))
    return matrix, force


def _states(
    phase: ArrayLike,
    theta: ArrayLike,
    omega: ArrayLike,
    net: ArrayLike,
    separation: ArrayLike,
    heel: ArrayLike,
    toe: ArrayLike,
) -> frames.States:
    angles = np.atleast_2d(np.asarray(theta, dtype=np.float64))
    n = len(angles)
    phases = np.array(np.broadcast_to(np.asarray(phase, dtype=np.int64), (n,)))
    if n and (phases.min() < 1 or phases.max() > FLAT):
        raise InputError(f"phases are numbered from 1 to 4, however they are {np.unique(phases).tolist()}")
    shapes = ((theta, (n, 7)), (omega, (n, 7)), (net, (n, 6)), (toe, (n,)), (separation, (n,)), (heel, (n,)))
    try:
        rows = [np.array(np.broadcast_to(np.asarray(x, dtype=np.float64), shape)) for x, shape in shapes]
    except ValueError as error:
        raise InputError(
            f"states must be angles and rates (n, 7) and joint moments (n, 6), however they are "
            f"{[np.shape(x) for x, _ in shapes[:3]]}"
        ) from error
    return frames.States(phases, *rows)


def joint_angles(theta: ArrayLike) -> Floats:
    """Return joint angles (..., 6) of segment angles (..., 7) [rad], in the order of `JOINTS`.

    Dorsiflexion of the ankles, zero upright; extension of the knees, zero straight; flexion of the hips.
    """
    t = np.asarray(theta, dtype=np.float64)
    angles = np.concatenate([t[..., :3] - t[..., 1:4], t[..., 4:] - t[..., 3:-1]], axis=-1)
    angles[..., [0, 5]] += 0.5 * math.pi
    return angles


def joint_rates(omega: ArrayLike) -> Floats:
    """Return rates of the joint angles (..., 6) of rates of the segments (..., 7) [rad/s]."""
    w = np.asarray(omega, dtype=np.float64)
    return np.concatenate([w[..., :3] - w[..., 1:4], w[..., 4:] - w[..., 3:-1]], axis=-1)
