"""The movement that the athlete is asked to follow: joint angles over the stride and curves of ground force.

All numbers are this project's own, chosen to look like a person who runs or walks; none is a measurement. They need
not be consistent: `softstride.digital_athlete.consistency` looks for the motion next to them that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from softstride.digital_athlete.foundation import elements
from softstride.digital_athlete.person import true_model
from softstride.engine.balance import centre_of_mass
from softstride.engine.kinematics import positions

Array = NDArray[np.float64]
Knots = tuple[tuple[float, float], ...]
"""(Share of the stride after foot strike of the same side [%], angle [degrees])."""


@dataclass(frozen=True)
class Gait:
    """What a trial should look like.

    Attributes:
        name: Of the trial.
        speed: [m/s].
        stride: Time from strike to strike of one foot [s].
        stance: Share of it that each foot, left and right, is on the ground.
        duration: Of the trial [s].
        leg: Angles of the left leg over its stride.
        blade_leg: Angles of the right leg that differ.
        trunk: Angles over the stride of the right leg.
        arm: Angles of the arm over the stride of the leg on its side.
        vertical: Shape of the vertical force over stance: (share of stance, relative size), zero at both ends.
        forward: Braking and driving force, relative to body weight, likewise.
        lateral: Force towards the midline, likewise.
        variation: Relative changes of the vertical force from strike to strike, in turn.
        angle_width: How far joint angles may be from these [rad]: a width of least squares.
        force_width: The same for forces along x, y and z [N].
    """

    name: str
    speed: float
    stride: float
    stance: tuple[float, float]
    duration: float
    leg: Mapping[str, Knots]
    blade_leg: Mapping[str, Knots]
    trunk: Mapping[str, Knots]
    arm: Mapping[str, Knots]
    vertical: Knots
    forward: Knots
    lateral: Knots
    variation: tuple[float, ...]
    angle_width: float = 0.06
    force_width: tuple[float, float, float] = (60.0, 120.0, 60.0)


RUNNING = Gait(
    name="running",
    speed=3.0,
    stride=0.70,
    stance=(0.36, 0.35),
    duration=1.75,
    leg={
        "hip_flexion": (
            (0, 33),
            (10, 27),
            (20, 10),
            (30, -6),
            (38, -12),
            (50, 0),
            (63, 27),
            (75, 45),
            (85, 48),
            (94, 40),
        ),
        "hip_adduction": ((0, 3), (15, 8), (35, 1), (55, -3), (80, 0)),
        "hip_rotation": ((0, 0), (20, 4), (50, -3), (80, -2)),
        "knee_angle": (
            (0, 17),
            (8, 32),
            (16, 41),
            (26, 30),
            (36, 18),
            (48, 50),
            (62, 93),
            (72, 92),
            (84, 50),
            (94, 18),
        ),
        "ankle_angle": ((0, 6), (10, 16), (19, 24), (28, 8), (36, -19), (44, -18), (58, 2), (75, 6), (90, 7)),
        "subtalar_angle": ((0, 4), (15, -6), (36, 6), (60, 4), (85, 5)),
        "mtp_angle": ((0, -3), (18, -2), (28, -18), (35, -28), (45, -8), (65, 0), (85, -3)),
    },
    blade_leg={
        "knee_angle": (
            (0, 20),
            (8, 28),
            (16, 32),
            (26, 24),
            (35, 19),
            (48, 52),
            (62, 90),
            (72, 88),
            (84, 48),
            (94, 22),
        ),
    },
    trunk={
        "pelvis_tilt": ((0, -11), (18, -8), (36, -13), (50, -11), (68, -8), (86, -13)),
        "pelvis_list": ((0, 2), (13, 5), (36, -1), (50, -2), (63, -5), (86, 1)),
        "pelvis_rotation": ((0, 4), (25, 2), (50, -4), (75, -2)),
        "lumbar_extension": ((0, 3), (18, 0), (36, 4), (50, 3), (68, 0), (86, 4)),
        "lumbar_bending": ((0, -2), (13, -5), (36, 1), (50, 2), (63, 5), (86, -1)),
        "lumbar_rotation": ((0, -14), (25, -3), (50, 14), (75, 3)),
    },
    arm={
        "arm_flex": ((0, -38), (25, -15), (50, 22), (75, -5)),
        "arm_add": ((0, -14), (50, -8)),
        "arm_rot": ((0, 10), (50, 18)),
        "elbow_flex": ((0, 85), (25, 92), (50, 100), (75, 88)),
        "pro_sup": ((0, 75), (50, 75)),
    },
    vertical=((0, 0), (20, 0.75), (45, 1.0), (70, 0.78), (100, 0)),
    forward=((0, 0), (22, -0.27), (48, 0), (74, 0.24), (100, 0)),
    lateral=((0, 0), (30, 0.07), (70, 0.06), (100, 0)),
    variation=(0.0, 0.02, -0.03, 0.01, 0.02),
)


WALKING = Gait(
    name="walking",
    speed=1.3,
    stride=1.10,
    stance=(0.61, 0.60),
    duration=1.90,
    leg={
        "hip_flexion": ((0, 24), (12, 20), (30, 3), (50, -14), (62, -4), (75, 26), (85, 34), (94, 29)),
        "hip_adduction": ((0, 0), (15, 6), (40, 4), (62, -5), (80, -3)),
        "hip_rotation": ((0, 0), (25, 3), (55, -3), (80, -1)),
        "knee_angle": (
            (0, 6),
            (13, 19),
            (25, 14),
            (40, 7),
            (52, 18),
            (62, 46),
            (71, 68),
            (82, 52),
            (90, 30),
            (96, 10),
        ),
        "ankle_angle": (
            (0, 1),
            (7, -5),
            (20, 4),
            (40, 11),
            (48, 9),
            (58, -10),
            (64, -17),
            (74, 6),
            (86, 11),
            (94, 7),
        ),
        "subtalar_angle": ((0, 2), (15, -4), (45, -2), (62, 6), (85, 3)),
        "mtp_angle": ((0, -5), (10, 0), (40, -2), (52, -20), (60, -28), (70, -6), (88, -3)),
    },
    blade_leg={
        "hip_flexion": ((0, 24), (12, 20), (30, 5), (50, -10), (62, 0), (75, 24), (85, 30), (94, 27)),
        "knee_angle": ((0, 7), (13, 9), (25, 6), (40, 4), (52, 15), (62, 45), (71, 68), (82, 48), (93, 12)),
    },
    trunk={
        "pelvis_tilt": ((0, -6), (25, -5), (50, -6), (75, -5)),
        "pelvis_list": ((0, 0), (14, 4), (40, 1), (50, 0), (64, -4), (90, -1)),
        "pelvis_rotation": ((0, 4), (25, 1), (50, -4), (75, -1)),
        "lumbar_extension": ((0, 1), (25, 0), (50, 1), (75, 0)),
        "lumbar_bending": ((0, 0), (14, -4), (40, -1), (50, 0), (64, 4), (90, 1)),
        "lumbar_rotation": ((0, -8), (25, -2), (50, 8), (75, 2)),
    },
    arm={
        "arm_flex": ((0, -18), (25, -6), (50, 14), (75, 0)),
        "arm_add": ((0, -8), (50, -7)),
        "arm_rot": ((0, 2), (50, 5)),
        "elbow_flex": ((0, 18), (25, 22), (50, 34), (75, 24)),
        "pro_sup": ((0, 60), (50, 60)),
    },
    vertical=((0, 0), (12, 0.85), (24, 1.08), (50, 0.78), (77, 1.05), (90, 0.65), (100, 0)),
    forward=((0, 0), (18, -0.17), (50, 0), (82, 0.17), (100, 0)),
    lateral=((0, 0), (25, 0.05), (50, 0.035), (78, 0.05), (100, 0)),
    variation=(0.0, 0.01, -0.01, 0.005, -0.005),
    angle_width=0.12,
    force_width=(25.0, 35.0, 25.0),
)

GAITS = {gait.name: gait for gait in (RUNNING, WALKING)}


@dataclass(frozen=True, eq=False)
class Reference:
    """Motion and forces to follow.

    Attributes:
        gait: What they are of.
        time: Shape (n,), [s].
        q: Of the true model, its blade at rest, shape (n, nq).
        force: On the left and the right foot, shape (n, 6), [N].
    """

    gait: Gait
    time: Array
    q: Array
    force: Array


def build_reference(gait: Gait, time: Array) -> Reference:
    """Return the reference of a gait at given instants.

    Joint angles are periodic splines through the knots. The centre of mass moves as the forces want it,
    m r'' = sum f + m g, on a line along x; the pelvis is put so that the posture has its centre of mass there, at the
    height that presses the sole of the shoe into the floor by a few millimetres in the middle of its stance.
    """
    model = true_model()
    q = np.tile(model.neutral(), (len(time), 1))
    column = {name: i for i, name in enumerate(model.coordinate_names)}
    for side, late in (("r", 0.0), ("l", 0.5)):
        angles = {**gait.leg, **gait.arm, **(gait.blade_leg if side == "r" else {})}
        for name, knots in angles.items():
            if f"{name}_{side}" in column:
                q[:, column[f"{name}_{side}"]] = _periodic(knots, time / gait.stride - late)
    for name, knots in gait.trunk.items():
        q[:, column[name]] = _periodic(knots, time / gait.stride)
    force = _forces(gait, time, model.mass * float(np.linalg.norm(model.gravity)))
    place = [column[f"pelvis_t{axis}"] for axis in "xyz"]
    q[:, place] = 0.0
    q[:, place] = _path(gait, time, force, model.mass, np.asarray(model.gravity)) - centre_of_mass(model, q)
    q[:, place[1]] -= _height(gait, time, q)
    return Reference(gait, time, q, force)


def _periodic(knots: Knots, phase: Array) -> Array:
    """Return angles [rad] at phases in strides."""
    share, degrees = np.array([*knots, (100.0 + knots[0][0], knots[0][1])], dtype=np.float64).T
    spline = CubicSpline(share / 100.0, np.radians(degrees), bc_type="periodic")
    return np.asarray(spline((phase - share[0] / 100.0) % 1.0 + share[0] / 100.0))


def strikes(gait: Gait, side: str, time: Array) -> Array:
    """Return the instants of foot strike of a side that bear on a stretch of time [s]."""
    late = 0.5 if side == "left" else 0.0
    first = int(np.floor(time[0] / gait.stride - late)) - 1
    last = int(np.ceil(time[-1] / gait.stride - late)) + 1
    return np.asarray(gait.stride * (np.arange(first, last + 1) + late), dtype=np.float64)


def _forces(gait: Gait, time: Array, weight: float) -> Array:
    """Return the wished ground forces of left and right foot, shape (n, 6), [N]."""
    shapes = [_bump(knots) for knots in (gait.forward, gait.vertical, gait.lateral)]
    s = np.linspace(0.0, 1.0, 1001)
    mean = float(np.trapezoid(shapes[1](s), s))
    force = np.zeros((len(time), 6))
    for foot, side in enumerate(("left", "right")):
        length = gait.stance[foot] * gait.stride
        for start in strikes(gait, side, time):
            number = round(2.0 * start / gait.stride)
            change = 1.0 + gait.variation[number % len(gait.variation)]
            phase = (time - start) / length
            on = (phase > 0.0) & (phase < 1.0)
            p = phase[on]
            force[on, 3 * foot] = weight * shapes[0](p)
            force[on, 3 * foot + 1] = 0.5 * weight / (gait.stance[foot] * mean) * shapes[1](p) * change
            force[on, 3 * foot + 2] = (1.0 if side == "left" else -1.0) * weight * shapes[2](p)
    return force


def _bump(knots: Knots) -> CubicSpline:
    share, size = np.array(knots, dtype=np.float64).T
    return CubicSpline(share / 100.0, size, bc_type="natural")


def _path(gait: Gait, time: Array, force: Array, mass: float, gravity: Array) -> Array:
    """Return where the centre of mass should be, shape (n, 3), [m]: forces integrated twice, drift taken away."""
    step = time[1] - time[0]
    a = (force[:, :3] + force[:, 3:]) / mass + gravity
    v = np.cumsum(a, axis=0) * step
    x = np.cumsum(v, axis=0) * step
    slow = np.column_stack([np.ones_like(time), time, time**2])
    x -= slow @ np.linalg.lstsq(slow, x, rcond=None)[0]
    x[:, 0] += gait.speed * time
    return np.asarray(x)


def _height(gait: Gait, time: Array, q: Array) -> float:
    """Return how far the pelvis must come down [m]."""
    sole = elements()
    shoe = [place for place, foot in zip(sole.places, sole.foot, strict=True) if foot == 0]
    phase = (time / gait.stride - 0.5) % 1.0 / gait.stance[0]
    middle = q[(phase > 0.2) & (phase < 0.6)]
    return float(np.median(positions(true_model(), middle, shoe)[..., 1].min(axis=1))) + 0.006


__all__ = ["GAITS", "RUNNING", "WALKING", "Gait", "Reference", "build_reference", "strikes"]
