"""The two ways in which the planar walker meets the ground: a sole that rolls, and three spheres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from softstride.contact import SphereContact, Surface, three_sphere_foot
from softstride.errors import InputError
from softstride.gait.planar_walk.body import PlanarBody
from softstride.gait.sphere_ground import sphere_forces
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.simulation import PlanarSole, PointForces
from softstride.simulation.constraints import AnyConstraint
from softstride.simulation.fields import ForceField

Floats = NDArray[np.float64]

DEEPEST = 0.03
"""How far the foot of a reference may be off the ground at the start [m]; beyond it the start is refused."""


class Footing(Protocol):
    """A foot on the ground."""

    @property
    def metatarsal(self) -> bool:
        """Whether the foot has a metatarsal joint."""

    def constraints(self) -> tuple[AnyConstraint, ...]:
        """Return what holds the foot."""

    def fields(self) -> tuple[ForceField, ...]:
        """Return what pushes it."""

    def settle(self, model: Model, q: Floats, v: Floats, load: float) -> tuple[Floats, Floats]:
        """Return the state with the pelvis shifted so that the foot is on the ground and its contact at rest."""

    def ground_wrench(self, model: Model, q: Floats, v: Floats, multipliers: Floats) -> Floats:
        """Return (Fx, Fy, Mz about the origin of the world) on the foot, shape (F, 3), [N], [N m]."""

    def ground_forces(self, model: Model, q: Floats, v: Floats, multipliers: Floats) -> Floats:
        """Return the same as generalized forces, shape (F, nv)."""


@dataclass(frozen=True, eq=False)
class RollingFooting:
    """A sole that rolls without slip.

    Attributes:
        sole: The constraint.
        surface: Its outline.
        metatarsal: False: the foot is rigid.
    """

    sole: PlanarSole
    surface: Surface
    metatarsal: bool = False

    def constraints(self) -> tuple[AnyConstraint, ...]:
        """Return the sole."""
        return (self.sole,)

    def fields(self) -> tuple[ForceField, ...]:
        """Return nothing."""
        return ()

    def settle(self, model: Model, q: Floats, v: Floats, load: float) -> tuple[Floats, Floats]:
        """Shift the pelvis until the sole touches where it should, and its rates until the contact rests."""
        gap = self.sole.residual(model, q[None])[0]
        _check_start(gap[1], gap[0])
        q, v = q.copy(), v.copy()
        q[:2] -= gap
        v[:2] -= self.sole.jacobian(model, q[None])[0] @ v
        return q, v

    def ground_wrench(self, model: Model, q: Floats, v: Floats, multipliers: Floats) -> Floats:
        """Return the multipliers of the sole, acting at its contact."""
        fx, fy = multipliers[:, -2], multipliers[:, -1]
        return np.stack([fx, fy, self.sole.contact(model, q) * fy - self.sole.floor * fx], axis=1)

    def ground_forces(self, model: Model, q: Floats, v: Floats, multipliers: Floats) -> Floats:
        """Return J^T lambda of the sole."""
        return np.asarray(np.einsum("fri,fr->fi", self.sole.jacobian(model, q), multipliers[:, -2:]))


@dataclass(frozen=True, eq=False)
class SphereFooting:
    """Three viscoelastic spheres on a foot with a metatarsal joint.

    Attributes:
        spheres: Their forces.
        floor: Height of the ground [m].
        metatarsal: True: the foot bends.
    """

    spheres: PointForces
    floor: float
    metatarsal: bool = True

    def constraints(self) -> tuple[AnyConstraint, ...]:
        """Return nothing."""
        return ()

    def fields(self) -> tuple[ForceField, ...]:
        """Return the spheres."""
        return (self.spheres,)

    def settle(self, model: Model, q: Floats, v: Floats, load: float) -> tuple[Floats, Floats]:
        """Sink the pelvis until the spheres carry the load at rest, and let the lowest sphere's bottom rest."""
        law = self.spheres.law
        x, _, J = (part[0] for part in self.spheres.kinematics(model, q[None]))
        lowest = int(np.argmin(x[:, 1]))
        touch = self.floor - x[lowest, 1]
        _check_start(-touch, 0.0)

        def spare(shift: float) -> float:
            moved = x + np.array([0.0, shift, 0.0])
            return float(law.force(moved[None], np.zeros((1, len(x), 3)))[0, :, 1].sum() - load)

        if spare(touch - DEEPEST) < 0.0:
            raise InputError(
                f"the spheres cannot carry the {load:.4g} N of the start within {DEEPEST:g} m: give them more stiffness"
            )
        shift = float(brentq(spare, touch - DEEPEST, touch, xtol=1e-15, rtol=1e-15)) if load > 0.0 else touch
        q, v = q.copy(), v.copy()
        q[1] += shift
        v[:2] -= (J[lowest] @ v)[:2]
        return q, v

    def ground_wrench(self, model: Model, q: Floats, v: Floats, multipliers: Floats) -> Floats:
        """Return the sum of the spheres."""
        force, x = self.spheres.at_points(model, q, v)
        moment = x[..., 0] * force[..., 1] - x[..., 1] * force[..., 0]
        return np.concatenate([force[..., :2].sum(axis=1), moment.sum(axis=1, keepdims=True)], axis=1)

    def ground_forces(self, model: Model, q: Floats, v: Floats, multipliers: Floats) -> Floats:
        """Return those of the spheres, each on its own part of the foot."""
        return self.spheres.forces(model, np.zeros(len(q)), q, v)


def rolling_footing(
    side: str, body: PlanarBody, surface: Surface, origin: float, floor: float
) -> RollingFooting:
    """Return a foot that rolls.

    Args:
        side: "r" or "l".
        body: Whose foot.
        surface: The sole.
        origin: Where on the ground s is counted from [m].
        floor: Height of the ground [m].
    """
    frame = Frame(f"foot_{side}", (-body.ankle[0], -body.ankle[1], 0.0))
    return RollingFooting(PlanarSole(frame, surface, origin, floor), surface)


def sphere_footing(
    side: str, body: PlanarBody, floor: float, contact: SphereContact | None = None
) -> SphereFooting:
    """Return a foot on spheres under heel, metatarsal joint and tip of the toes, all touching the ground when flat.

    Args:
        side: "r" or "l".
        body: Whose foot.
        floor: Height of the ground [m].
        contact: Heel, metatarsal and tip; None: those of Table 2 of [Caspers] with exponent 1.
    """
    contact = three_sphere_foot().contact if contact is None else contact
    radius = np.broadcast_to(np.asarray(contact.radius), (3,))
    hind = [(body.heel, radius[0]), (body.metatarsal[0], radius[1])]
    frames = [Frame(f"foot_{side}", (x - body.ankle[0], y - body.ankle[1], 0.0)) for x, y in hind]
    frames.append(Frame(f"toes_{side}", (body.toe_length, radius[2] - body.metatarsal[1], 0.0)))
    return SphereFooting(sphere_forces(frames, contact, floor), floor)


def _check_start(height: float, along: float) -> None:
    if height < -DEEPEST:
        raise InputError(
            f"the foot starts {-height:.3g} m below the floor; at most {DEEPEST:g} m are made up for by lifting the "
            "pelvis: check the height of the floor and of the reference"
        )
    if height > DEEPEST or abs(along) > DEEPEST:
        raise InputError(
            f"the foot starts {height:.3g} m above the floor and {along:.3g} m from where it should touch; at most "
            f"{DEEPEST:g} m are made up for: start while the foot is on the ground"
        )
