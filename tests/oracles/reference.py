"""A slow, obviously right engine for any Model: one frame at a time, dense Jacobians, no force recursion.

Every quantity follows from the body Jacobian J of each inertia-bearing station and its rate:

    H' = H_parent H(q)        J' = Ad(H)^-1 J + S        J'_dot = Ad(H)^-1 J_dot - ad(S v) Ad(H)^-1 J + S_dot
    M = sum J^T I J           b = sum J^T (I J_dot v - ad(J v)^T I J v - I [0; R^T g])

It shares no code with ``softstride.engine`` or ``softstride.spatial``; it reads the Model's attributes only.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import joints as jt
from . import screws as sc


@dataclass(frozen=True)
class Place:
    """A frame in motion: world pose (4, 4), body Jacobian (6, nv) and its rate (6, nv)."""

    T: np.ndarray
    J: np.ndarray
    J_dot: np.ndarray

    def moved(self, pose):
        """Return the place of a frame rigidly attached at a constant pose."""
        X = sc.adjoint(sc.inverse(pose))
        return Place(self.T @ pose, X @ self.J, X @ self.J_dot)

    def stepped(self, step, columns, speeds):
        """Return the place after one elementary motion driven by the given columns of v."""
        X = sc.adjoint(sc.inverse(step.H))
        J = X @ self.J
        J_dot = X @ self.J_dot - sc.ad(step.S @ speeds) @ J
        J[:, columns] += step.S
        J_dot[:, columns] += step.S_dot
        return Place(self.T @ step.H, J, J_dot)


@dataclass(frozen=True)
class Station:
    """An inertia-bearing place: 6x6 inertia about its origin, mass, centre of mass; does it move? On which link?"""

    place: Place
    inertia: np.ndarray
    mass: float
    com: np.ndarray
    moves: bool
    link: str


class Snapshot:
    """All places and stations of a model at one q (nq,) and v (nv,)."""

    def __init__(self, model, q, v=None, gauss=None):
        self.model, self.gauss = model, gauss
        self.q = np.asarray(q, dtype=float)
        self.v = np.zeros(model.nv) if v is None else np.asarray(v, dtype=float)
        world = Place(np.eye(4), np.zeros((6, model.nv)), np.zeros((6, model.nv)))
        self.places = {"world": world}
        self.bases = {}  # rod name -> places of the segments' bases
        self.stations = []
        self.moving = set()  # links with a coordinate between them and the world
        for link in model.links:
            self._add(link)

    def _own(self, link):
        """Return (q, v, v columns) of a link's joint."""
        columns = list(self.model.v_indices(link.name))
        return self.q[list(self.model.q_indices(link.name))], self.v[columns], np.array(columns, dtype=int)

    def _add(self, link):
        q, v, columns = self._own(link)
        if len(columns) or link.parent in self.moving:
            self.moving.add(link.name)
        place = self.place(link.parent, link.at).moved(np.asarray(link.placement))
        bases = []
        for step in jt.steps(link.joint, q, v):
            bases.append(place)
            own = np.array(step.columns, dtype=int)
            place = place.stepped(step, columns[own], v[own])
        if jt.kind(link.joint) == "rod":
            self.bases[link.name] = bases
            self._add_rod_stations(link)
        self.places[link.name] = place.moved(np.asarray(link.offset))
        self._add_station(self.places[link.name], link.inertia, 1.0, link.name)

    def _add_station(self, place, inertia, weight, link):
        mass, com, matrix = (
            weight * inertia.mass,
            np.asarray(inertia.com),
            weight * np.asarray(inertia.matrix),
        )
        if mass > 0 or np.any(matrix):
            self.stations.append(
                Station(place, sc.body_inertia(mass, com, matrix), mass, com, link in self.moving, link)
            )

    def _add_rod_stations(self, link):
        nodes, weights = np.polynomial.legendre.leggauss(self.gauss or link.joint.quadrature)
        for number, segment in enumerate(link.joint.segments):
            for node, weight in zip(nodes, weights, strict=True):
                place = self.along(link, number, 0.5 * segment.length * (1 + node))
                self._add_station(place, segment.density, 0.5 * segment.length * weight, link.name)

    def along(self, link, number, s):
        """Return the place at arc length s of one segment of a rod."""
        q, v, columns = self._own(link)
        sl = jt.segment_slices(link.joint)[number]
        step = jt.segment_step(link.joint.segments[number], q[sl], v[sl], range(sl.start, sl.stop), s)
        return self.bases[link.name][number].stepped(step, columns[sl], v[sl])

    def place(self, name, at=None, pose=None):
        """Return the place of a link, or of arc length `at` on a rod, or of a pose fixed to either."""
        if at is None:
            found = self.places[name]
        else:
            link = self.model.link(name)
            number, s = 0, float(at)
            while number < len(link.joint.segments) - 1 and s > link.joint.segments[number].length:
                s -= link.joint.segments[number].length
                number += 1
            found = self.along(link, number, s)
        return found if pose is None else found.moved(pose)

    def resolve(self, target):
        """Return (place, is_point) of a link name, registered name, Frame or Point."""
        if isinstance(target, str):
            if target in self.places:
                return self.places[target], False
            table = self.model.frames if target in self.model.frames else self.model.markers
            target = table[target]
        rotation = getattr(target, "rotation", None)
        place = self.place(target.link, target.at, sc.transform(rotation, target.position))
        return place, rotation is None

    # kinematics

    def pose(self, target):
        """Return the world pose, (4, 4)."""
        return self.resolve(target)[0].T

    def jacobian(self, target):
        """Return the body Jacobian (6, nv) of a frame, or the world Jacobian (3, nv) of a point."""
        place, is_point = self.resolve(target)
        return place.T[:3, :3] @ place.J[3:] if is_point else place.J

    def velocity(self, target):
        """Return the body twist J v, (6,)."""
        return self.resolve(target)[0].J @ self.v

    def acceleration(self, target, a):
        """Return the component-wise derivative of the body twist, (6,)."""
        place = self.resolve(target)[0]
        return place.J @ a + place.J_dot @ self.v

    def jacobian_dot_v(self, target):
        """Return J_dot v (6,), or the classical world acceleration of a point at a = 0, (3,)."""
        place, is_point = self.resolve(target)
        rate = place.J_dot @ self.v
        if not is_point:
            return rate
        twist = place.J @ self.v
        return place.T[:3, :3] @ (rate[3:] + np.cross(twist[:3], twist[3:]))

    # dynamics

    @cached_property
    def mass_matrix(self):
        """M = sum J^T I J, (nv, nv)."""
        return sum(
            (s.place.J.T @ s.inertia @ s.place.J for s in self.stations), np.zeros((self.model.nv,) * 2)
        )

    @cached_property
    def bias(self):
        """Velocity products and gravity, b = tau at a = 0, (nv,)."""
        out = np.zeros(self.model.nv)
        for s in self.stations:
            twist = s.place.J @ self.v
            gravity = s.place.T[:3, :3].T @ np.asarray(self.model.gravity)
            weight = s.mass * np.concatenate([np.cross(s.com, gravity), gravity])
            if s.mass == 0:
                weight = np.zeros(6)
            force = s.inertia @ (s.place.J_dot @ self.v) - sc.ad(twist).T @ s.inertia @ twist - weight
            out += s.place.J.T @ force
        return out

    def generalized_forces(self, wrenches):
        """Return sum J^T w for world-axes wrenches [moment; force] about each target's origin."""
        out = np.zeros(self.model.nv)
        for target, wrench in wrenches.items():
            place, _ = self.resolve(target)
            R = place.T[:3, :3]
            out += place.J[:3].T @ (R.T @ wrench[:3]) + place.J[3:].T @ (R.T @ wrench[3:])
        return out

    def inverse_dynamics(self, a, f_ext=None):
        """Return tau = M a + b - sum J^T w, (nv,)."""
        return self.mass_matrix @ a + self.bias - self.generalized_forces(f_ext or {})

    def carried(self, link, a, f_ext=None):
        """Return the wrench that the joint of a link gives it and all beyond, in world axes about the world's origin.

        Newton and Euler for every body beyond the joint, welded ones included: what moves them, without their weight
        and without what acts on them from outside.
        """
        beyond = {link}
        for other in self.model.links:
            if other.parent in beyond:
                beyond.add(other.name)
        total = np.zeros(6)
        for s in self.stations:
            if s.link not in beyond:
                continue
            twist = s.place.J @ self.v
            force = s.inertia @ (s.place.J @ a + s.place.J_dot @ self.v) - sc.ad(twist).T @ s.inertia @ twist
            total += sc.adjoint(sc.inverse(s.place.T)).T @ force
            weight = s.mass * np.asarray(self.model.gravity)
            total -= np.concatenate([np.cross((s.place.T @ np.append(s.com, 1.0))[:3], weight), weight])
        for target, wrench in (f_ext or {}).items():
            if (target if isinstance(target, str) else target.link) in beyond:
                at = self.resolve(target)[0].T[:3, 3]
                total -= np.concatenate([wrench[:3] + np.cross(at, wrench[3:]), wrench[3:]])
        return total

    # sums over the mass that moves: what is welded to the world counts as world, as in Pinocchio

    @cached_property
    def mass(self):
        """Mass of all that moves, [kg]."""
        return sum(s.mass for s in self.stations if s.moves)

    @cached_property
    def com(self):
        """Centre of mass in the world, (3,)."""
        places = [s.mass * (s.place.T @ np.append(s.com, 1.0))[:3] for s in self.stations if s.moves]
        return sum(places, np.zeros(3)) / self.mass

    @cached_property
    def com_jacobian(self):
        """Jacobian of the centre of mass, (3, nv)."""
        total = np.zeros((3, self.model.nv))
        for s in self.stations:
            total += s.mass * s.place.T[:3, :3] @ (s.place.J[3:] - sc.skew(s.com) @ s.place.J[:3])
        return total / self.mass

    def momentum_matrix(self, about="com"):
        """Return A with momentum = A v, (6, nv), world axes, about the origin or the centre of mass."""
        centre = sc.transform(position=self.com if about == "com" else np.zeros(3))
        total = np.zeros((6, self.model.nv))
        for s in self.stations:
            total += sc.adjoint(sc.inverse(sc.inverse(centre) @ s.place.T)).T @ s.inertia @ s.place.J
        return total

    def momentum(self, about="origin"):
        """Return [angular; linear] momentum in world axes, (6,)."""
        return self.momentum_matrix(about) @ self.v

    def momentum_rate(self, a, about="origin"):
        """Return d/dt momentum, the sum of I J_dot v + I J a - ad(J v)^T I J v in world axes, (6,)."""
        centre = sc.transform(position=self.com if about == "com" else np.zeros(3))
        total = np.zeros(6)
        for s in self.stations:
            twist = s.place.J @ self.v
            force = s.inertia @ (s.place.J @ a + s.place.J_dot @ self.v) - sc.ad(twist).T @ s.inertia @ twist
            total += sc.adjoint(sc.inverse(sc.inverse(centre) @ s.place.T)).T @ force
        return total

    @cached_property
    def kinetic(self):
        """Kinetic energy, [J]."""
        return 0.5 * self.v @ self.mass_matrix @ self.v

    @cached_property
    def potential(self):
        """Gravity energy -sum m g.c, zero at the world origin, [J]."""
        return -self.mass * np.asarray(self.model.gravity) @ self.com

    @cached_property
    def elastic(self):
        """Energy of the rods, sum 1/2 L q^T B^T K B q, [J]."""
        return sum(0.5 * length * q @ K @ q for length, q, _, K, _, _ in self._rods())

    @cached_property
    def rod_forces(self):
        """Passive force of the rods, -L B^T (K B q + D B v), (nv,)."""
        out = np.zeros(self.model.nv)
        for length, q, v, K, D, columns in self._rods():
            out[columns] -= length * (K @ q + D @ v)
        return out

    def _rods(self):
        for link in self.model.links:
            if jt.kind(link.joint) != "rod":
                continue
            q, v, columns = self._own(link)
            for segment, sl in zip(link.joint.segments, jt.segment_slices(link.joint), strict=True):
                keep = np.ix_(*[jt.free_columns(segment)] * 2)
                stiffness, damping = np.asarray(segment.stiffness)[keep], np.asarray(segment.damping)[keep]
                yield segment.length, q[sl], v[sl], stiffness, damping, columns[sl]
