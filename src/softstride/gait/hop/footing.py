"""How a blade meets the ground: it rolls on its sole as it bends, rolls on a rigid outline, or stands on springs.

- `rolling_blade`: the sole is a curve of material points (`simulation.RollingCurve`), so the place of contact runs
  along the blade as it bends, and what is beyond it carries nothing.
- `outline_blade`: the outline of the unloaded sole, fixed to the section that is lowest in standing
  (`contact.OutlineSurface`): simpler, and right as far as the blade near that section keeps its shape.
- `sphere_blade`: viscoelastic points along the sole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.contact import OutlineSurface, RollingBody, SphereContact
from softstride.errors import InputError
from softstride.gait.hop.leg import BladeLeg
from softstride.gait.sphere_ground import sphere_forces
from softstride.model.frame import Frame
from softstride.simulation import PointForces, RollingCurve, SurfaceConstraint
from softstride.simulation.constraints import Constraint

Floats = NDArray[np.float64]

WIDTH = 0.1
"""Tilt over which each edge of an outline comes down and lifts [rad]."""

EDGES, CURVE, SPHERES = 16, 24, 12
"""Points of an outline, of a rolling curve, and springs along a sole."""


@dataclass(frozen=True, eq=False)
class RollingBlade:
    """A blade that rolls.

    Attributes:
        constraint: Its three rows while it is on the ground, the normal one first.
        basis: Their directions in the world, shape (3, 3).
        contact: The lowest point of the sole, q (F, nq) -> (F, 3), [m].
        floor: Height of the ground [m].
    """

    constraint: Constraint
    basis: Floats
    contact: Callable[[Floats], Floats]
    floor: float

    def height(self, q: Floats) -> Floats:
        """Return how far the lowest point is above the ground, shape (F,), [m]."""
        return np.asarray(self.contact(q)[:, 1] - self.floor)

    def ground(self, q: Floats, v: Floats, multipliers: Floats) -> tuple[Floats, Floats]:
        """Return the force of the ground and where it acts, each (F, 3), [N] and [m]; no multipliers: none."""
        if not multipliers.shape[1]:
            return np.zeros((len(q), 3)), np.full((len(q), 3), np.nan)
        return multipliers @ self.basis, self.contact(q)


@dataclass(frozen=True, eq=False)
class SphereBlade:
    """A blade on viscoelastic points.

    Attributes:
        leg: The leg.
        spheres: Their forces.
        floor: Height of the ground [m].
    """

    leg: BladeLeg
    spheres: PointForces
    floor: float

    def contact(self, q: Floats) -> Floats:
        """Return the lowest of the points, shape (F, 3), [m]."""
        x, _, _ = self.spheres.kinematics(self.leg.model, q)
        return np.asarray(x[np.arange(len(x)), np.argmin(x[..., 1], axis=1)])

    def height(self, q: Floats) -> Floats:
        """Return how far the lowest point is above the ground, shape (F,), [m]."""
        return np.asarray(self.contact(q)[:, 1] - self.floor)

    def ground(self, q: Floats, v: Floats, multipliers: Floats) -> tuple[Floats, Floats]:
        """Return the sum of the forces and their centre of pressure, each (F, 3); NaN where nothing presses."""
        force, x = self.spheres.at_points(self.leg.model, q, v)
        total = force.sum(axis=1)
        on = total[:, 1] > 0.0
        share = force[..., 1] / np.where(on, total[:, 1], 1.0)[:, None]
        return total, np.where(on[:, None], np.einsum("fn,fni->fi", share, x), np.nan)


Footing = RollingBlade | SphereBlade


def rolling_blade(leg: BladeLeg, floor: float = 0.0) -> RollingBlade:
    """Return a blade that rolls on its sole as it bends."""
    chosen = np.unique(np.linspace(0, len(leg.arcs) - 1, CURVE).round().astype(np.intp))
    sole = leg.sole
    curve = RollingCurve([sole[i] for i in chosen], floor)
    basis = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return RollingBlade(curve, basis, lambda q: curve.contact(leg.model, q), floor)


def outline_blade(leg: BladeLeg, floor: float = 0.0) -> RollingBlade:
    """Return a blade that rolls on the outline of its unloaded sole, fixed to one section."""
    places = engine.positions(leg.model, leg.model.neutral()[None], list(leg.sole))[0]
    lowest = int(np.argmin(places[:, 1]))
    frame = leg.section(float(leg.arcs[lowest]))
    chosen = np.unique(np.linspace(0, len(places) - 1, EDGES).round().astype(np.intp))
    body = RollingBody(OutlineSurface((places[chosen] - places[lowest])[:, :2], width=WIDTH))
    constraint = SurfaceConstraint(frame, body, origin=(0.0, floor, 0.0))

    def contact(q: Floats) -> Floats:
        T = engine.poses(leg.model, q, frame)
        return np.asarray(T[:, :3, 3] + np.einsum("fij,fj->fi", T[:, :3, :3], body.contact(-T[:, 1, :3])))

    return RollingBlade(constraint, constraint.basis, contact, floor)


def sphere_blade(leg: BladeLeg, floor: float = 0.0, contact: SphereContact | None = None) -> SphereBlade:
    """Return a blade on points along its sole.

    Args:
        leg: The leg.
        floor: Height of the ground [m].
        contact: Their law, one for all; None: rubber of 0.3 MN/m, e = 0.6 at 0.5 m/s, mu = 0.9.
    """
    if contact is None:
        contact = SphereContact(
            radius=0.0, stiffness=3e5, restitution=0.6, friction=0.9, impact_speed=0.5, slip_speed=0.02
        )
    if np.ndim(contact.radius) or np.ndim(contact.stiffness):
        raise InputError("spheres of a blade are all alike: give one number each, not arrays")
    lift = np.array([0.0, float(np.asarray(contact.radius)), 0.0])
    centres = []
    for at in np.linspace(leg.arcs[0], leg.arcs[-1], SPHERES):
        frame = leg.section(float(at))
        up = np.asarray(frame.rotation) @ lift  # at rest, in axes of the section
        centres.append(Frame(leg.blade, np.asarray(frame.position) + up, at=float(at)))
    return SphereBlade(leg, sphere_forces(centres, contact, floor), floor)
