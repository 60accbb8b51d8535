"""One viscoelastic sphere on level ground, by its depth and the velocity of its lowest point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softstride.contact.inputs import FloatArray
from softstride.contact.spheres import SphereContact
from softstride.engine.jit import inlined

RADIUS, STIFFNESS, EXPONENT, DISSIPATION, FRICTION, SLIP_SPEED = range(6)  # columns of the table


def sphere_table(contact: SphereContact) -> FloatArray:
    """Return the numbers of spheres as `sphere_force` takes them, shape (n, 6)."""
    c = contact
    columns = (c.radius, c.stiffness, c.exponent, c.dissipation, c.friction, c.slip_speed)
    return np.stack(np.broadcast_arrays(*(np.atleast_1d(np.asarray(each)) for each in columns)), axis=1)


@inlined
def sphere_force(table: Any, i: int, height: float, rate: float, slip: float) -> tuple[float, float]:
    """Return (F_t, F_n) on sphere i [N] from height and rate of its centre and slip of its lowest point [m], [m/s]."""
    depth = table[i, RADIUS] - height
    damped = 1.0 - table[i, DISSIPATION] * rate
    if depth <= 0.0 or damped <= 0.0:
        return 0.0, 0.0
    n = table[i, EXPONENT]
    if n == 1.0:
        power = depth
    elif n == 1.5:
        power = depth * math.sqrt(depth)
    else:
        power = depth**n
    pressed = table[i, STIFFNESS] * power * damped
    return -table[i, FRICTION] * pressed * math.tanh(slip / table[i, SLIP_SPEED]), pressed
