"""Viscoelastic spheres on level ground: a normal force with a law of damping, and regularised friction.

With depth d = r − z_c, rate of separation v_n = ż_c and slip v_t of the lowest point,

    F_n = max(0, k dⁿ (1 − D v_n)) where d > 0, else 0;      F_t = −μ F_n tanh(|v_t|/v_s) v_t/|v_t|,

both at the lowest point. The damping D [s/m] comes from the restitution e and the impact speed v_imp:

    hunt_crossley   D = 3 (1 − e) / (2 v_imp)      after Hunt and Crossley (1975): close to e for hard, elastic contacts
    flores          D = 8 (1 − e) / (5 e v_imp)    after Flores et al. (2011): close to e for soft ones too
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.friction import UP, unit_normal
from softstride.contact.inputs import FloatArray, as_floats, bounded
from softstride.errors import InputError

DampingLaw = Literal["hunt_crossley", "flores"]
LAWS = ("hunt_crossley", "flores")


@dataclass(frozen=True, eq=False)
class SphereContact:
    """A sphere that touches the ground, or several at once: every number may be an array over spheres.

    Attributes:
        radius: r [m].
        stiffness: k [N/mⁿ].
        restitution: e, from 0 (above 0 for the law "flores") to 1.
        friction: μ ≥ 0.
        exponent: n, 1 (linear) or 1.5 (Hertz) as a rule.
        damping: The law of D.
        impact_speed: v_imp, the speed at which the restitution holds [m/s].
        slip_speed: v_s, at which friction reaches tanh 1 = 76 % of its limit [m/s].

    Raises:
        InputError: A number is out of range, e.g. friction below zero, or an unknown law.
    """

    radius: ArrayLike
    stiffness: ArrayLike
    restitution: ArrayLike = 0.4
    friction: ArrayLike = 0.8
    exponent: ArrayLike = 1.0
    damping: DampingLaw = "hunt_crossley"
    impact_speed: ArrayLike = 0.1
    slip_speed: ArrayLike = 0.01

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        if self.damping not in LAWS:
            raise InputError(f"damping must be one of {', '.join(LAWS)}, however it is {self.damping!r}")
        units = {"radius": " m", "stiffness": " N/m^n", "impact_speed": " m/s", "slip_speed": " m/s"}
        for each in fields(self):
            if each.name == "damping":
                continue
            open_end = each.name in {"stiffness", "exponent", "impact_speed", "slip_speed"} or (
                each.name == "restitution" and self.damping == "flores"
            )
            name, unit = f"{each.name} of a contact sphere", units.get(each.name, "")
            value = bounded(getattr(self, each.name), name, 0.0, unit, open_end=open_end)
            object.__setattr__(self, each.name, value)
        if np.any(np.asarray(self.restitution) > 1.0):
            raise InputError(
                f"restitution of a contact sphere must be at most 1, however it is {np.max(self.restitution):g}"
            )

    @property
    def dissipation(self) -> FloatArray:
        """D [s/m]."""
        e, v = np.asarray(self.restitution), np.asarray(self.impact_speed)
        if self.damping == "flores":
            return np.asarray(8.0 * (1.0 - e) / (5.0 * e * v))
        return np.asarray(1.5 * (1.0 - e) / v)

    def depth_under(self, load: ArrayLike) -> FloatArray:
        """Return the depth at which a resting sphere carries a load, (load/k)^(1/n), [m].

        Args:
            load: [N], not below zero.
        """
        load = bounded(load, "load of a contact sphere", 0.0, " N")
        return np.asarray((load / np.asarray(self.stiffness)) ** (1.0 / np.asarray(self.exponent)))

    def normal_force(self, height: ArrayLike, rate: ArrayLike) -> FloatArray:
        """Return F_n, shape of the arguments, [N].

        Args:
            height: Of the centre above the ground, z_c, [m].
            rate: ż_c [m/s].
        """
        depth = np.maximum(np.asarray(self.radius) - as_floats(height, "height"), 0.0)
        damped = np.maximum(1.0 - self.dissipation * as_floats(rate, "rate"), 0.0)
        return np.asarray(np.asarray(self.stiffness) * depth ** np.asarray(self.exponent) * damped)

    def friction_force(self, normal_force: ArrayLike, slip: ArrayLike) -> FloatArray:
        """Return F_t along one direction, signed, shape of the arguments, [N].

        Args:
            normal_force: F_n [N].
            slip: v_t of the lowest point along that direction [m/s]; ẋ_c − r ω in the plane, ω clockwise.
        """
        regular = np.tanh(as_floats(slip, "slip") / np.asarray(self.slip_speed))
        return np.asarray(-np.asarray(self.friction) * as_floats(normal_force, "normal_force") * regular)

    def wrench(
        self,
        centre: ArrayLike,
        velocity: ArrayLike,
        spin: ArrayLike,
        normal: ArrayLike = UP,
        floor: float = 0.0,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the ground's force and the point where it acts, in space.

        Args:
            centre: Centres, world, shape (..., 3), [m].
            velocity: Of the centres, world, shape (..., 3), [m/s].
            spin: Angular velocities of the bodies that carry them, world, shape (..., 3), [rad/s].
            normal: Out of the ground, shape (3,).
            floor: Height of the ground along the normal [m].

        Returns:
            Force on the sphere and its lowest point, world, each of shape (..., 3), [N] and [m].
        """
        n = unit_normal(normal)
        centre, velocity = as_floats(centre, "centre"), as_floats(velocity, "velocity")
        arm = -np.asarray(self.radius)[..., None] * n
        bottom = velocity + np.cross(as_floats(spin, "spin"), arm)
        slip = bottom - (bottom @ n)[..., None] * n
        speed = np.linalg.norm(slip, axis=-1)
        pressed = self.normal_force(centre @ n - floor, velocity @ n)
        dragged = self.friction_force(pressed, speed) / np.where(speed > 0.0, speed, 1.0)
        return pressed[..., None] * n + dragged[..., None] * slip, centre + arm


@dataclass(frozen=True, eq=False)
class SphereFoot:
    """A planar foot of two segments, hindfoot and forefoot, that stands on spheres.

    Attributes:
        names: Of the spheres.
        centres: (ξ, ζ) of their centres in the axes of the segment that carries each, shape (n, 2), [m]; the hindfoot's
            origin is on the sole, the forefoot's is the metatarsal joint.
        on_forefoot: Whether the forefoot carries it, shape (n,).
        joint: The metatarsal joint in hindfoot axes, shape (2,), [m].
        contact: The spheres.
    """

    names: tuple[str, ...]
    centres: FloatArray
    on_forefoot: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    joint: FloatArray
    contact: SphereContact


def three_sphere_foot(
    exponent: float = 1.0,
    *,
    damping: DampingLaw = "hunt_crossley",
    stiffness: ArrayLike = (6.5e5, 1e9, 1e9),
    impact_speed: float = 0.1,
    slip_speed: float = 0.01,
) -> SphereFoot:
    """Return the foot of heel, metatarsal and tip spheres of the source's Table 2.

    Radii, stiffness, restitution and friction are the table's (.025, .029, .023 m; .4, .2, .2; .5, .9, .9). The unit of
    its stiffness leaves the exponent open; that, both speeds and the places of the centres are assumptions.

    Args:
        exponent: n.
        damping: The law of D.
        stiffness: Of heel, metatarsal and tip [N/mⁿ].
        impact_speed: v_imp [m/s].
        slip_speed: v_s [m/s].
    """
    contact = SphereContact(
        radius=(0.025, 0.029, 0.023),
        stiffness=stiffness,
        restitution=(0.4, 0.2, 0.2),
        friction=(0.5, 0.9, 0.9),
        exponent=exponent,
        damping=damping,
        impact_speed=impact_speed,
        slip_speed=slip_speed,
    )
    centres = np.array([[-0.075, 0.025], [0.107, 0.029], [0.05, -0.006]])
    return SphereFoot(
        ("heel", "metatarsal", "tip"),
        centres,
        np.array([False, False, True]),
        np.array([0.107, 0.029]),
        contact,
    )
