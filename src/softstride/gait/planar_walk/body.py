"""The body of the planar walker: segments in the sagittal plane, from the source's table or from any model.

Every segment hangs down, or stands up, along y in its own axes, x forward. Feet have the axes of their sole, ξ forward
and ζ up, with the origin M on the sole, below which the ground is when the foot is flat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import ModelError
from softstride.fields import ABOVE_0, Array, Frozen, Text, checked, declared
from softstride.segments.inertia_table import read_inertia_table

Floats = NDArray[np.float64]

PLACE = Array("a place, two finite numbers of shape (2,) [m]", shape=(2,))


@dataclass(frozen=True, eq=False)
class Part(Frozen, of="a part", raising=ModelError):
    """A rigid segment in the plane.

    Attributes:
        mass: [kg].
        centre: Centre of mass from the segment's origin, shape (2,), [m].
        inertia: About the centre of mass, across the plane [kg m²].
    """

    mass: float = declared(unit="kg", above=0.0)
    centre: Floats = declared(rule=PLACE)
    inertia: float = declared(unit="kg m^2", above=0.0)

    def less(self, other: Part, at: ArrayLike) -> Part:
        """Return what is left when a part is taken away whose centre is `at` in the same axes, shape (2,), [m]."""
        place = np.asarray(at, dtype=np.float64)
        mass = self.mass - other.mass
        centre = (self.mass * self.centre - other.mass * place) / mass
        inertia = self.inertia + self.mass * float(np.sum((self.centre - centre) ** 2))
        inertia -= other.inertia + other.mass * float(np.sum((place - centre) ** 2))
        return Part(mass, centre, inertia)


@dataclass(frozen=True, eq=False)
class PlanarBody(Frozen, of="a planar body", raising=ModelError):
    """Sizes and inertia of a walker in the sagittal plane; both legs are alike.

    Attributes:
        pelvis: From the hips.
        trunk: Head, arms and trunk, from the lumbar joint.
        thigh: From the hip down.
        shank: From the knee down.
        hindfoot: From M, in axes of the sole.
        forefoot: From the metatarsal joint, in axes of the sole.
        lumbar: The lumbar joint from the hips, shape (2,), [m].
        thigh_length: [m].
        shank_length: [m].
        trunk_length: From the lumbar joint up, for figures [m].
        ankle: In axes of the sole, shape (2,), [m].
        metatarsal: The metatarsal joint, likewise.
        heel: ξ of the middle of the heel [m].
        toe_length: From the metatarsal joint to the tip of the toes [m].
        source: Where the numbers are from.
    """

    pelvis: Part = declared()
    trunk: Part = declared()
    thigh: Part = declared()
    shank: Part = declared()
    hindfoot: Part = declared()
    forefoot: Part = declared()
    lumbar: Floats = declared(rule=PLACE)
    thigh_length: float = declared(unit="m", above=0.0)
    shank_length: float = declared(unit="m", above=0.0)
    trunk_length: float = declared(unit="m", above=0.0)
    ankle: Floats = declared(rule=PLACE)
    metatarsal: Floats = declared(rule=PLACE)
    heel: float = declared(unit="m")
    toe_length: float = declared(unit="m", above=0.0)
    source: str = declared(rule=Text(empty=True))

    def check(self) -> None:
        """Check where heel and ankle are."""
        if not self.heel < self.metatarsal[0] or self.ankle[1] <= 0.0:
            raise ModelError(
                "the heel must be behind the metatarsal joint and the ankle above the sole, however they are at "
                f"{self.heel:g}, {self.metatarsal[0]:g} and {self.ankle[1]:g} m"
            )

    @property
    def mass(self) -> float:
        """Of the whole body [kg]."""
        leg = self.thigh.mass + self.shank.mass + self.hindfoot.mass + self.forefoot.mass
        return self.pelvis.mass + self.trunk.mass + 2.0 * leg

    @property
    def hip_height(self) -> float:
        """Height of the hips with straight legs and flat feet [m]."""
        return float(self.thigh_length + self.shank_length + self.ankle[1])


def table_body(
    mass: float = 65.0,
    *,
    trunk: float = 0.556,
    thigh: float = 0.417,
    shank: float = 0.435,
    foot: float = 0.182,
    ankle: float = 0.043,
    toes: float = 0.05,
) -> PlanarBody:
    """Return the body of Table 2 of [Caspers], or one of other sizes.

    The table has the mass and the lengths. Masses, centres and radii of gyration are those of Winter (Dempster),
    [Winter2009]: HAT 67.8 % of the mass with its centre at 62.6 % and a radius of 49.6 % of its length, thigh, shank,
    foot. The pelvis, 14.2 %, is a part of the HAT and lies as de Leva's lower trunk does [deLeva1996]: centre 9.4 %,
    lumbar joint 15 % of the HAT's length above the hips, radius 13.3 %. The foot is that of the rolling-foot leg: ankle
    40 mm behind M and 25 mm, the radius of the heel, above `ankle`; hindfoot 85 % of its mass.

    Args:
        mass: Of the whole body [kg].
        trunk: Length of head, arms and trunk, hips to shoulders [m].
        thigh: [m].
        shank: [m].
        foot: Heel to metatarsal joint [m].
        ankle: Height of the ankle above the heel's centre [m].
        toes: Metatarsal joint to tip [m].
    """
    sizes = {"mass": mass, "trunk": trunk, "thigh": thigh, "shank": shank, "foot": foot, "ankle": ankle}
    for name, value in (sizes | {"toes": toes}).items():
        checked(ABOVE_0, value, name, of="a body", raising=ModelError)
    table = read_inertia_table("winter")

    def part(name: str, length: float, up: float) -> Part:
        row = table.row(name)
        radius = (row.radii or (0.0, 0.0, 0.0))[2] * length
        return Part(row.mass * mass, np.array([0.0, up * row.com[0] * length]), row.mass * mass * radius**2)

    hat = part("head_arms_trunk", trunk, 1.0)
    share = table.row("pelvis").mass * mass
    pelvis = Part(share, np.array([0.0, 0.094 * trunk]), share * (0.133 * trunk) ** 2)
    upper = hat.less(pelvis, pelvis.centre)
    lumbar = np.array([0.0, 0.15 * trunk])
    feet = table.row("foot").mass * mass
    grow = foot / 0.182
    return PlanarBody(
        pelvis=pelvis,
        trunk=Part(upper.mass, upper.centre - lumbar, upper.inertia),
        thigh=part("thigh", thigh, -1.0),
        shank=part("leg", shank, -1.0),
        hindfoot=Part(0.85 * feet, grow * np.array([0.015, 0.036]), 0.85 * feet * (grow * 0.0612) ** 2),
        forefoot=Part(0.15 * feet, grow * np.array([0.025, 0.0]), 0.15 * feet * (grow * 0.0267) ** 2),
        lumbar=lumbar,
        thigh_length=thigh,
        shank_length=shank,
        trunk_length=trunk - float(lumbar[1]),
        ankle=np.array([-0.04 * grow, ankle + 0.025]),
        metatarsal=np.array([-0.075 * grow + foot, 0.029]),
        heel=-0.075 * grow,
        toe_length=toes,
        source="Table 2 of [Caspers]; inertia: Winter (Dempster), pelvis placed as de Leva's lower trunk",
    )
