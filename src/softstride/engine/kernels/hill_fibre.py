"""Hill muscles: one fibre and its forces. See `softstride.muscles.hill`.

Curves branch on where a fibre is, which differs from frame to frame and from muscle to muscle: no lanes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softstride.engine.jit import inner, kernel
from softstride.engine.kernels.hill_curve import curve_at
from softstride.engine.kernels.tables import Array, Table

# numbers of a muscle
FORCE = 0  # maximal isometric [N]
OPTIMAL = 1  # fibre length [m]
SLACK = 2  # tendon length [m]
HEIGHT = 3  # of the parallelogram [m]
LEAST = 4  # fibre length [m]
LEAST_ALONG = 5  # the same along the tendon [m]
SPEED = 6  # greatest velocity [m/s]
RELAXED = 7  # greatest velocity without activation, over that with
DAMPING = 8  # force over maximal one, at the greatest velocity
RIGID = 9  # 1: the tendon does not stretch
NUMBERS = 10

# curves of a muscle
ACTIVE, PASSIVE, VELOCITY, TENDON = 0, 1, 2, 3
CURVES = 4


class Muscles(NamedTuple):
    """All muscles."""

    numbers: Table  # (m, NUMBERS)
    curves: Table  # (m, CURVES) integers
    tables: Any  # Tables of the curves


class Fibres(NamedTuple):
    """What is found, (n, m) each; see `softstride.muscles.hill.FibreState`."""

    length: Table
    velocity: Table
    cosine: Table
    active: Table
    passive: Table
    damping: Table
    short: Table
    residual: Table


@inner
def fibre_forces(
    muscles: Muscles, j: int, fibre: float, velocity: float, activation: float
) -> tuple[float, float, float]:
    """Return active force at activation 1, passive force and damping, along the fibre, over the maximal force.

    The greatest velocity is that at the given activation.
    """
    numbers = muscles.numbers
    length = fibre / numbers[j, OPTIMAL]
    speed = velocity / numbers[j, SPEED]
    relaxed = numbers[j, RELAXED]
    # f_l(l / l0), f_p(l / l0), f_v(v / (v_max top)), beta v / v_max; top = relaxed + (1 - relaxed) a is
    # Thelen's 0.25 + 0.75 a, and 1 for the other sets.
    active, _ = curve_at(muscles.tables, muscles.curves[j, ACTIVE], length)
    passive, _ = curve_at(muscles.tables, muscles.curves[j, PASSIVE], length)
    factor, _ = curve_at(
        muscles.tables, muscles.curves[j, VELOCITY], speed / (relaxed + (1.0 - relaxed) * activation)
    )
    return active * factor, passive, numbers[j, DAMPING] * speed


@inner
def put_fibre(
    muscles: Muscles, f: int, j: int, along: float, rate: float, activation: float, found: Fibres
) -> float:
    """Write a fibre of this length along the tendon, which changes at this rate; return its force [N]."""
    height, force = muscles.numbers[j, HEIGHT], muscles.numbers[j, FORCE]
    # Parallelogram of thickness h: l² = x² + h², cos(alpha) = x / l, v = dl/dt = dx/dt cos(alpha), and
    #     F = F_max (a f_l f_v + f_p + beta v / v_max) cos(alpha)
    fibre = math.sqrt(along * along + height * height)
    cosine = along / fibre
    velocity = rate * cosine
    active, passive, damping = fibre_forces(muscles, j, fibre, velocity, activation)
    project = force * cosine
    found.length[f, j], found.velocity[f, j], found.cosine[f, j] = fibre, velocity, cosine
    found.active[f, j], found.passive[f, j], found.damping[f, j] = (
        active * project,
        passive * project,
        damping * project,
    )
    found.short[f, j], found.residual[f, j] = False, 0.0
    return (activation * active + passive + damping) * project


@inner
def put_short(muscles: Muscles, f: int, j: int, pull: float, found: Fibres) -> None:
    """Write a fibre at its least length, on a tendon that pulls with so much [N]."""
    least, along = muscles.numbers[j, LEAST], muscles.numbers[j, LEAST_ALONG]
    # What the tendon pulls counts as a passive force of the fibre, which balances it.
    found.length[f, j] = least
    found.cosine[f, j] = along / least if least > 0.0 else 1.0
    found.velocity[f, j] = found.active[f, j] = found.damping[f, j] = found.residual[f, j] = 0.0
    found.passive[f, j], found.short[f, j] = pull, True


@inner
def put_rigid(
    muscles: Muscles, f: int, j: int, length: float, speed: float, activation: float, found: Fibres
) -> None:
    """Write the fibre of a path of this length and speed, whose tendon does not stretch."""
    # x = L - l_s: on a rigid tendon the fibre follows from the path alone.
    along = length - muscles.numbers[j, SLACK]
    if along <= muscles.numbers[j, LEAST_ALONG]:
        put_short(muscles, f, j, 0.0, found)
        return
    put_fibre(muscles, f, j, along, speed, activation, found)
    # f_v < 0: the path shortens faster than the fibre can, and a fibre does not push.
    found.active[f, j] = max(found.active[f, j], 0.0)


@kernel
def hill_rigid(muscles: Muscles, length: Array, speed: Array, activation: Array, found: Fibres) -> None:
    """Find the fibres on tendons that do not stretch."""
    for f in range(length.shape[0]):
        for j in range(length.shape[1]):
            put_rigid(muscles, f, j, length[f, j], speed[f, j], activation[f, j], found)
