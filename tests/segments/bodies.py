"""Bodies of point masses that turn and travel: what each needs is a sum over its points, without any of our
formulas."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.segments.body import BodySegment
from softstride.segments.jets import Jet
from softstride.segments.motion import SegmentMotion
from softstride.segments.reference import turned
from softstride.segments.triad import Triad

Array = NDArray[np.float64]
GRAVITY = np.array([0.3, -9.7, 0.2])


@dataclass(frozen=True, eq=False)
class PointBody:
    """A rigid set of point masses in motion.

    Attributes:
        segment: Its constants, from sums over the points.
        motion: With exact derivatives.
        masses: Of the points, shape (k,).
        places: Of the points from P in the SCS, shape (k, 3).
        accelerations: Of the points, world axes, shape (n, k, 3).
        arms: Of the points from P, world axes, shape (n, k, 3).
    """

    segment: BodySegment
    motion: SegmentMotion
    masses: Array
    places: Array
    accelerations: Array
    arms: Array

    def wrench(self) -> tuple[Array, Array]:
        """Return force and moment about P, by Newton's law for every point."""
        needs = self.masses[:, None] * (self.accelerations - GRAVITY)
        return needs.sum(axis=1), np.cross(self.arms, needs).sum(axis=1)


def random_body(rng: np.random.Generator, name: str, handed: int = 1, parent: str | None = None) -> PointBody:
    """Return a body of eight points with a random triad and a random motion of 15 instants."""
    triad = None
    while triad is None:
        angles = np.radians(rng.uniform(50.0, 130.0, 3))
        candidate = np.cos(angles)
        if 1.0 + 2.0 * candidate.prod() - (candidate**2).sum() > 0.15:
            triad = Triad(float(rng.uniform(0.1, 0.6)), *angles, handed=handed)
    masses, places = rng.uniform(0.1, 1.0, 8), rng.normal(0.0, 0.15, (8, 3))
    mass = float(masses.sum())
    com = masses @ places / mass
    off = places - com
    inertia = sum(m * (d @ d * np.eye(3) - np.outer(d, d)) for m, d in zip(masses, off, strict=True))
    t = np.linspace(0.0, 1.0, 15)
    waves = [_wave(t, rng) for _ in range(6)]
    rotation = turned(*waves[:3])
    point = Jet(*(np.stack([getattr(w, f) for w in waves[3:]], axis=-1) for f in ("x", "d", "dd")))
    parts = [_carried(rotation, triad.basis[:, k]) for k in range(3)]
    natural = (parts[0], point, point - parts[1], parts[2])
    motion = SegmentMotion(t, *(np.stack([getattr(p, f) for p in natural], axis=1) for f in ("x", "d", "dd")))
    segment = BodySegment(name, triad, mass, com, np.asarray(inertia), parent)
    accelerations = point.dd[:, None] + np.einsum("nij,kj->nki", rotation.dd, places)
    arms = np.einsum("nij,kj->nki", rotation.x, places)
    return PointBody(segment, motion, masses, places, accelerations, arms)


def _wave(t: Array, rng: np.random.Generator) -> Jet:
    middle, size, rate, phase = rng.uniform([-0.5, 0.1, 2.0, 0.0], [0.5, 0.6, 9.0, 6.0])
    angle = rate * t + phase
    return Jet(middle + size * np.sin(angle), size * rate * np.cos(angle), -size * rate**2 * np.sin(angle))


def _carried(rotation: Jet, vector: Array) -> Jet:
    return Jet(rotation.x @ vector, rotation.d @ vector, rotation.dd @ vector)
