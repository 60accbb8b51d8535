"""The start of a step: both pivots on the floor, hips joined; what is wrong with one that is not so."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.fields import Array, checked
from softstride.gait.kernels.walker import ALPHA, BETA, HEEL, TOE, Walker
from softstride.gait.recipe import Recipe
from softstride.gait.states import evaluate_states

Floats = NDArray[np.float64]

BELOW = 1e-4
"""How far a point of a foot may be below the floor at the start [m]."""

APART = 1e-3
"""How far the hips may be apart at the start [m]."""

PARTING = 0.02
"""How fast they may move apart there [m/s]."""


class Start(NamedTuple):
    """State in which a step begins, as the right heel strikes; see `Recipe`.

    Attributes:
        theta0: Angles, shape (7,), [rad].
        omega0: Rates, shape (7,), [rad/s].
        separation: S, from the left toe to the right heel [m]; None: as the angles have it.
    """

    theta0: ArrayLike
    omega0: ArrayLike
    separation: float | None = None


def closed_separation(walker: Walker, theta: Floats) -> float:
    """Return the S that joins the hips, at least horizontally [m]."""
    return -float(np.sum(walker.gap * np.cos(theta + walker.offset[0])))


def check_start(walker: Walker, start: Recipe | Start, least_hip: float) -> tuple[Floats, Floats, float]:
    """Return angles, rates and S of a start that can be.

    Raises:
        InputError: A foot is below the floor, the hips are apart or move apart, or the walker lies on the floor; the
            message says which and by how much.
    """
    theta = checked(Array(shape=(7,)), start.theta0, "theta0").copy()
    omega = checked(Array(shape=(7,)), start.omega0, "omega0").copy()
    separation = closed_separation(walker, theta) if start.separation is None else float(start.separation)
    if not math.isfinite(separation):
        raise InputError(f"separation must be finite, however it is {separation}")
    found = evaluate_states(walker, 1, theta, omega, separation=separation)
    size = walker.size
    sole = size[HEEL] * math.cos(size[BETA]) - size[TOE] * math.cos(size[ALPHA])
    depths = {"right toe": -sole * math.sin(theta[0]), "left heel": sole * math.sin(theta[6])}
    for name, depth in depths.items():
        if depth > BELOW:
            raise InputError(
                f"the {name} is {1e3 * depth:.3g} mm below the floor at the start: the right sole must point up or lie "
                f"flat (theta0[0] >= 0), the left heel be up (theta0[6] <= 0)"
            )
    x, y = found.gap[0]
    vx, vy = found.gap_rate[0]
    if math.hypot(x, y) > APART:
        raise InputError(
            f"the hips are not joined at the start: the right one is {1e3 * x:.4g} mm ahead of and {1e3 * y:.4g} mm "
            f"above the left one; change the angles or the separation, {separation:.6g} m"
        )
    if math.hypot(vx, vy) > PARTING:
        raise InputError(
            f"the hips move apart at the start, by ({vx:.4g}, {vy:.4g}) m/s: rates of both legs must give one velocity"
        )
    hip = float(found.points[0, 6, 1])
    if hip < least_hip:
        raise InputError(
            f"the hip is {hip:.3g} m above the floor at the start; a walker needs {least_hip:.3g} m"
        )
    return theta, omega, separation
