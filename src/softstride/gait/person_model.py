"""The walker as a `Model` of the engine, and its states as coordinates of that model.

The trunk (HAT) moves in the plane on two sliders and a hinge at the hips; thighs, shanks and feet follow on hinges. In
double support the hips of the walker are joined by a spring, so each thigh hangs on two sliders along the axes of the
trunk; they are at zero while the hips are one. All lies in the plane z = 0.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from softstride.gait.body import Body
from softstride.gait.kernels.walker import FLAT, HEEL, SHANK, SOLE, THIGH, TOE, Walker
from softstride.model.builder import ModelBuilder
from softstride.model.model import Model
from softstride.naming import LETTERS

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

BASE = ("pelvis_tx", "pelvis_ty", "pelvis_tilt")
LEG = ("hip_slide_x", "hip_slide_y", "hip_flexion", "knee_angle", "ankle_angle")
"""Coordinates of a leg, each followed by _r or _l: places of the thigh on the trunk [m]; flexion of hip and knee,
dorsiflexion of the ankle [rad]."""


@lru_cache(maxsize=32)
def walker_model(body: Body) -> Model:
    """Return the walker as a model of 13 coordinates: `BASE`, then `LEG` of the right and of the left leg.

    Feet have the shape that the line from toe to ankle gives them, with the centre of mass in its middle.
    """
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    toe = -2.0 * body.toe_centre * np.exp(1j * body.toe_angle)
    heel = -body.heel_ankle * np.exp(1j * body.heel_angle)
    build = ModelBuilder("walker", gravity=(0.0, -body.gravity, 0.0))
    build.prismatic("pelvis_x", axis=x, coordinate="pelvis_tx")
    build.prismatic("pelvis_y", "pelvis_x", axis=y, coordinate="pelvis_ty")
    build.revolute(
        "hat",
        "pelvis_y",
        axis=z,
        coordinate="pelvis_tilt",
        mass=body.hat_mass,
        com=(0.0, body.hat_centre, 0.0),
        inertia=_inertia(body.hat_inertia),
    )
    build.marker("hat_centre", "hat", (0.0, body.hat_centre, 0.0))
    for side, word in LETTERS.items():
        build.prismatic(f"slide_x_{side}", "hat", axis=x, coordinate=f"hip_slide_x_{side}")
        build.prismatic(f"slide_y_{side}", f"slide_x_{side}", axis=y, coordinate=f"hip_slide_y_{side}")
        build.revolute(
            f"thigh_{side}",
            f"slide_y_{side}",
            axis=z,
            coordinate=f"hip_flexion_{side}",
            mass=body.thigh_mass,
            com=(0.0, -body.thigh_above, 0.0),
            inertia=_inertia(body.thigh_inertia),
        )
        build.revolute(
            f"shank_{side}",
            f"thigh_{side}",
            axis=(0.0, 0.0, -1.0),
            coordinate=f"knee_angle_{side}",
            position=(0.0, -body.thigh, 0.0),
            mass=body.shank_mass,
            com=(0.0, -body.shank_above, 0.0),
            inertia=_inertia(body.shank_inertia),
        )
        build.revolute(
            f"foot_{side}",
            f"shank_{side}",
            axis=z,
            coordinate=f"ankle_angle_{side}",
            position=(0.0, -body.shank, 0.0),
            mass=body.foot_mass,
            com=(0.5 * toe.real, 0.5 * toe.imag, 0.0),
            inertia=_inertia(body.foot_inertia),
        )
        build.marker(f"{word}_hip", f"thigh_{side}")
        build.marker(f"{word}_knee", f"shank_{side}")
        build.marker(f"{word}_ankle", f"foot_{side}")
        build.marker(f"{word}_toe", f"foot_{side}", (toe.real, toe.imag, 0.0))
        build.marker(f"{word}_heel", f"foot_{side}", (heel.real, heel.imag, 0.0))
    return build.build()


def _inertia(transverse: float) -> tuple[float, float, float]:
    """Return a diagonal of which the plane sees the last entry only."""
    return transverse, 0.1 * transverse, transverse


def model_coordinates(
    walker: Walker,
    phase: NDArray[np.int64],
    theta: Floats,
    omega: Floats,
    alpha: Floats,
    separation: Floats,
    heel: Floats,
    left_stance: NDArray[np.bool_],
) -> tuple[Floats, Floats, Floats]:
    """Return q, v and a of `walker_model`, each (n, 13), of states whose right leg stands.

    Args:
        walker: The body.
        phase: Shape (n,).
        theta: Angles, shape (n, 7), [rad]; omega and alpha their rates.
        omega: [rad/s].
        alpha: [rad/s²].
        separation: S in double support, shape (n,), [m].
        heel: Where the standing heel is, or was when the foot was flat, shape (n,), [m].
        left_stance: Whether that leg is the left one of the person, shape (n,).
    """
    trunk, lead = _hips(walker, phase, theta, omega, alpha, separation, heel)
    gap = [a - b for a, b in zip(lead, trunk, strict=True)]
    psi, rate, spin = theta[:, 3] - 0.5 * math.pi, omega[:, 3], alpha[:, 3]
    turn = np.exp(-1j * psi)
    slide = (
        gap[0] * turn,
        (gap[1] - 1j * rate * gap[0]) * turn,
        (gap[2] - 2j * rate * gap[1] - (1j * spin + rate**2) * gap[0]) * turn,
    )
    result = []
    for k, (angles, move, hip) in enumerate(zip((theta, omega, alpha), slide, trunk, strict=True)):
        upright = 0.5 * math.pi if k == 0 else 0.0
        stand = [
            move.real,
            move.imag,
            angles[:, 2] - angles[:, 3],
            angles[:, 2] - angles[:, 1],
            angles[:, 0] - angles[:, 1] + upright,
        ]
        still = np.zeros(len(theta))
        swing = [
            still,
            still,
            angles[:, 4] - angles[:, 3],
            angles[:, 4] - angles[:, 5],
            angles[:, 6] - angles[:, 5] + upright,
        ]
        first, second = np.stack(stand, axis=1), np.stack(swing, axis=1)
        base = np.stack([hip.real, hip.imag, angles[:, 3] - upright], axis=1)
        mirrored = left_stance[:, None]
        result.append(
            np.concatenate(
                [base, np.where(mirrored, second, first), np.where(mirrored, first, second)], axis=1
            )
        )
    return result[0], result[1], result[2]


def _hips(
    walker: Walker,
    phase: NDArray[np.int64],
    theta: Floats,
    omega: Floats,
    alpha: Floats,
    separation: Floats,
    heel: Floats,
) -> tuple[list[Complexes], list[Complexes]]:
    """Return place, velocity and acceleration of the hip that carries the trunk, and of that of the standing leg."""
    size = walker.size
    E = np.exp(1j * (theta + walker.offset[phase - 1]))
    rates = (E, 1j * omega * E, (1j * alpha - omega**2) * E)
    on_toe, double = phase == 4, (phase == 1) | (phase == FLAT)
    pivot = np.where(on_toe, size[TOE], size[HEEL])
    lead = [pivot * e[:, 0] + size[SHANK] * e[:, 1] + size[THIGH] * e[:, 2] for e in rates]
    lead[0] = lead[0] + heel + np.where(on_toe, size[SOLE], 0.0)
    trail = [size[TOE] * e[:, 6] + size[SHANK] * e[:, 5] + size[THIGH] * e[:, 4] for e in rates]
    trail[0] = trail[0] + heel - separation
    trunk = [np.where(double, b, a) for a, b in zip(lead, trail, strict=True)]
    return trunk, lead
