"""Double support as a true closed loop: heel and toe pinned, hips joined, forces by Lagrange multipliers.

The equations of 1980 join the hips by a stiff spring, so that each leg keeps its own pivot. Here the engine holds both
pivots and both hips by constraints instead; the comparison says what the spring does to motion and forces.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine.kinematics import positions
from softstride.errors import InputError
from softstride.gait.body import Body
from softstride.gait.moments import MomentHistory
from softstride.gait.person_model import BASE, LEG, model_coordinates, walker_model
from softstride.gait.recipe import Recipe, load_recipe
from softstride.gait.seven_segment import SevenSegment
from softstride.gait.start import Start, check_start
from softstride.gait.states import DAMPER, SPRING, walker_of
from softstride.model.model import Model
from softstride.naming import LETTERS
from softstride.simulation.constraints import Constraint, PointConstraint
from softstride.simulation.kkt import assemble
from softstride.simulation.simulate import simulate

Floats = NDArray[np.float64]

PLANE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
"""Directions that a pin holds."""

JOINT_COLUMNS = tuple(
    (len(BASE) + len(LEG) * tuple(LETTERS).index(side) + LEG.index(name), sign)
    for side, name, sign in (
        ("r", "ankle_angle", 1.0),
        ("r", "knee_angle", -1.0),
        ("r", "hip_flexion", 1.0),
        ("l", "hip_flexion", 1.0),
        ("l", "knee_angle", -1.0),
        ("l", "ankle_angle", 1.0),
    )
)
"""Column of `walker_model` and sign of each joint moment, in the order of `JOINTS`; knees count flexion there."""


@dataclass(frozen=True, eq=False)
class HardSupport:
    """Double support without a spring.

    Attributes:
        time: Instants [s], shape (n,).
        theta: Angles of the segments, shape (n, 7), [rad].
        omega: Rates, shape (n, 7), [rad/s].
        heel_force: Of the floor on the right heel, shape (n, 2), [N].
        toe_force: On the left toe, shape (n, 2), [N].
        toe_off: When the toe's force falls through zero [s]; NaN if it does not.
        gap: Largest distance of a pin from its place [m].
    """

    time: Floats
    theta: Floats
    omega: Floats
    heel_force: Floats
    toe_force: Floats
    toe_off: float
    gap: float


def generalized_moments(moments: ArrayLike) -> Floats:
    """Return joint moments (..., 6) as generalized forces of `walker_model` (..., 13) [N m]."""
    given = np.asarray(moments, dtype=np.float64)
    tau = np.zeros((*given.shape[:-1], len(BASE) + 2 * len(LEG)))
    for j, (column, sign) in enumerate(JOINT_COLUMNS):
        tau[..., column] = sign * given[..., j]
    return tau


def segment_angles(q: ArrayLike, upright: float = 0.5 * math.pi) -> Floats:
    """Return angles of the segments (n, 7) of coordinates of `walker_model` (n, 13); of rates with upright = 0."""
    x = np.atleast_2d(np.asarray(q, dtype=np.float64))
    hat = x[:, 2] + upright
    legs = []
    for k in range(2):
        hip, knee, ankle = x[:, 3 + 5 * k + 2], x[:, 3 + 5 * k + 3], x[:, 3 + 5 * k + 4]
        thigh = hat + hip
        shank = thigh - knee
        legs.append((shank + ankle - upright, shank, thigh))
    right, left = legs
    return np.stack([*right, hat, *left[::-1]], axis=1)


def pins(model: Model, q: Floats, points: Sequence[str]) -> list[Constraint]:
    """Return constraints that hold points of `walker_model` where they are at q (nq,), and both hips on the trunk."""
    held: list[Constraint] = [
        PointConstraint(name, positions(model, q[None], [name])[0, 0], PLANE) for name in points
    ]
    return held + [PointConstraint(f"{side}_hip", "hat", PLANE) for side in ("right", "left")]


def hard_double_support(
    body: Body,
    start: Recipe | Start,
    moments: MomentHistory | None = None,
    *,
    duration: float = 0.2,
    rate: float = 1000.0,
    rtol: float = 1e-9,
) -> HardSupport:
    """Simulate phase 1 with both pivots pinned and the hips joined, until the left toe would be pulled.

    Args:
        body: The walker; its feet have the shape that the line from toe to ankle gives them.
        start: Angles, rates and separation; projected onto the constraints.
        moments: Joint moments; None: those of the recipe.
        duration: Longest time [s].
        rate: Frames a second [Hz].
        rtol: Relative tolerance.

    Raises:
        InputError: No moments, or a start that cannot be.
    """
    history = start.moments if moments is None and isinstance(start, Recipe) else moments
    if not isinstance(history, MomentHistory):
        raise InputError("moments are needed for a start without a recipe")
    model = walker_model(body)
    walker = walker_of(body)
    theta, omega, separation = check_start(walker, start, 0.0)
    one = np.ones(1)
    q, v, _ = model_coordinates(
        walker, one.astype(np.int64), theta[None], omega[None], np.zeros((1, 7)), separation * one, 0.0 * one,
        np.zeros(1, dtype=bool),
    )  # fmt: skip
    held = pins(model, q[0], ("right_heel", "left_toe"))
    q0, v0 = assemble(model, q[0], v[0], held)
    times = np.arange(int(duration * rate) + 1) / rate
    found = simulate(
        model,
        q0,
        v0,
        (0.0, float(times[-1])),
        controls=lambda t, q, v: generalized_moments(history.at(t)),
        constraints=held,
        times=times,
        breakpoints=history.time[(history.time > 0.0) & (history.time < times[-1])],
        rtol=rtol,
    )
    toe = found.multipliers[:, 2:4]
    return HardSupport(
        time=found.time,
        theta=segment_angles(found.q),
        omega=segment_angles(found.v, 0.0),
        heel_force=found.multipliers[:, :2],
        toe_force=toe,
        toe_off=_first_fall(found.time, toe[:, 1]),
        gap=found.constraint_drift,
    )


def _first_fall(time: Floats, force: Floats) -> float:
    """Return when a force falls through zero, by a line between frames; NaN if it does not."""
    below = np.flatnonzero(force <= 0.0)
    if not len(below):
        return math.nan
    k = int(below[0])
    if k == 0:
        return float(time[0])
    return float(time[k - 1] + (time[k] - time[k - 1]) * force[k - 1] / (force[k - 1] - force[k]))


@dataclass(frozen=True, eq=False)
class SpringError:
    """What the spring between the hips does, stiffness by stiffness, against a closed loop.

    Attributes:
        spring: Stiffness, shape (k,), [N/m].
        damper: Damping, shape (k,), [N s/m].
        angle: Largest difference of an angle, shape (k,), [rad].
        toe_force: Root mean square difference of the upward force on the left toe, shape (k,), [N].
        gap: Largest distance between the hips, shape (k,), [m].
        toe_off: When the toe leaves the floor, shape (k,), [s].
        hard_toe_off: The same without a spring [s].
    """

    spring: Floats
    damper: Floats
    angle: Floats
    toe_force: Floats
    gap: Floats
    toe_off: Floats
    hard_toe_off: float


def compare_double_support(
    body: Body | None = None,
    start: Recipe | Start | None = None,
    moments: MomentHistory | None = None,
    springs: ArrayLike = (SPRING / 16.0, SPRING, 16.0 * SPRING),
    rate: float = 2000.0,
) -> SpringError:
    """Compare double support with springs of several stiffnesses to the closed loop.

    The damper grows with the root of the stiffness, so that the spring is damped alike. All begin in the state that the
    closed loop begins in, and are compared frame by frame up to the first toe-off. The spring starts slack and takes a
    few milliseconds to carry; the closed loop carries at once.

    Args:
        body: The walker; that of Table A1 with a consistent foot unless given.
        start: A recipe or a start; recipe B unless given.
        moments: Joint moments; None: those of the recipe.
        springs: Stiffnesses, shape (k,), [N/m].
        rate: Frames a second [Hz].
    """
    given = load_recipe("B") if start is None else start
    person = Body().with_consistent_foot() if body is None else body
    history = given.moments if moments is None and isinstance(given, Recipe) else moments
    stiff = np.asarray(springs, dtype=np.float64)
    dampers = DAMPER * np.sqrt(stiff / SPRING)
    hard = hard_double_support(person, given, history, rate=rate)
    begin = Start(hard.theta[0], hard.omega[0])
    rows = []
    for k, d in zip(stiff, dampers, strict=True):
        walk = SevenSegment(person, spring=float(k), damper=float(d)).simulate(begin, history, rate=rate)
        off = walk.steps[0].toe_off
        n = int(np.sum((hard.time < min(off, hard.toe_off)) & (hard.time <= walk.time[-1])))
        n = min(n, walk.n_frames)
        angle = np.abs(walk.theta[:n] - hard.theta[:n]).max()
        force = walk.ground_force[:n, 1, 1] - hard.toe_force[:n, 1]
        rows.append((angle, math.sqrt(float(np.mean(force**2))), walk.certificate.hip_gap, off))
    angle, force, gap, off = np.array(rows).T
    return SpringError(stiff, dampers, angle, force, gap, off, hard.toe_off)
