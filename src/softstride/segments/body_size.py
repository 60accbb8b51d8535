"""Loads of people of different size on one scale.

| name | moment | force | power |
|---|---|---|---|
| "none" | N m | N | W |
| "mass" | M / m [N m/kg] | F / m [N/kg] | P / m [W/kg] |
| "bw_height" | 100 M / (m g h) [%BW Ht] | 100 F / (m g) [%BW] | 100 P / (m g h) [%BW Ht/s] |
| "bw_leg" | 100 M / (m g l) [%BW LL] | 100 F / (m g) [%BW] | 100 P / (m g l) [%BW LL/s] |
| "dimensionless" | M / (m g l) | F / (m g) | P / (m g sqrt(g l)) |

Work is divided as moments are. m is the mass, h the height, l the length of the leg; [Moisio2003] compares the first
two, [Hof1996] has the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError

Array = NDArray[np.float64]
Normalisation = Literal["none", "mass", "bw_height", "bw_leg", "dimensionless"]
Quantity = Literal["moment", "force", "power", "work"]

G = 9.80665

UNITS: dict[str, dict[str, str]] = {
    "none": {"moment": "N m", "force": "N", "power": "W", "work": "J"},
    "mass": {"moment": "N m/kg", "force": "N/kg", "power": "W/kg", "work": "J/kg"},
    "bw_height": {"moment": "%BW Ht", "force": "%BW", "power": "%BW Ht/s", "work": "%BW Ht"},
    "bw_leg": {"moment": "%BW LL", "force": "%BW", "power": "%BW LL/s", "work": "%BW LL"},
    "dimensionless": {"moment": "1", "force": "1", "power": "1", "work": "1"},
}

_NEEDS = {"none": (), "mass": ("mass",), "bw_height": ("mass", "height")}
_NEEDS |= {"bw_leg": ("mass", "leg"), "dimensionless": ("mass", "leg")}


@dataclass(frozen=True)
class Size:
    """The person that loads are divided by.

    Attributes:
        mass: In [kg]; None: not known.
        height: In [m]; None: not known.
        leg: Length of a leg [m]; None: not known.
        gravity: In [m/s^2].
    """

    mass: float | None = None
    height: float | None = None
    leg: float | None = None
    gravity: float = G


def divisor(quantity: Quantity, by: Normalisation, size: Size) -> float:
    """Return what a load is divided by.

    Raises:
        InputError: Unknown names, or a size that is missing or not above zero.
    """
    if by not in get_args(Normalisation) or quantity not in get_args(Quantity):
        known = f"{', '.join(get_args(Normalisation))} of {', '.join(get_args(Quantity))}"
        raise InputError(f"normalisation must be one of {known}, however it is {by!r} of {quantity!r}")
    for name in _NEEDS[by]:
        value = getattr(size, name)
        if value is None or not 0.0 < value < np.inf:
            raise InputError(
                f"normalisation {by!r} needs the {name} of the person, above 0, however it is {value!r}"
            )
    m, g = size.mass or 1.0, size.gravity
    if by == "none":
        return 1.0
    if by == "mass":
        return m
    length = (size.height if by == "bw_height" else size.leg) or 1.0
    if by == "dimensionless":
        if quantity == "power":
            return float(m * g * np.sqrt(g * length))
        return m * g if quantity == "force" else m * g * length
    return m * g / 100.0 * (1.0 if quantity == "force" else length)


def normalise(values: ArrayLike, quantity: Quantity, by: Normalisation, size: Size) -> Array:
    """Return loads on a common scale.

    Args:
        values: In [N m], [N], [W] or [J], any shape.
        quantity: "moment", "force", "power" or "work".
        by: "none", "mass", "bw_height", "bw_leg" or "dimensionless".
        size: The person.

    Returns:
        The same shape, in the unit that `UNITS` names.

    Raises:
        InputError: As `divisor`.
    """
    return np.asarray(values, dtype=np.float64) / divisor(quantity, by, size)
