"""A lower limb in motion with known answers: exact derivatives, and the numbers that the methods must find.

Foot, shank and thigh of a man of 80 kg turn by sums of sines, R = Rz(a) Ry(b) Rx(c), under a hip that moves and a
ground reaction that varies. Nothing is measured and everything is exact, so that the four methods, and any other, can
be held against it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.dynamics.loads import AppliedWrench
from softstride.segments.body import BodySegment
from softstride.segments.jets import Jet, constant, stack
from softstride.segments.motion import SegmentMotion
from softstride.segments.triad import Triad

Array = NDArray[np.float64]

MASS = 80.0  # kg
GRAVITY = (0.0, -9.81, 0.0)
TURN = 2.0 * np.pi  # rad/s

NAMES = ("foot", "shank", "thigh")
LENGTHS = (0.14, 0.42, 0.43)  # m
ANGLES = ((82.0, 107.0, 167.0), (69.0, 67.0, 87.0), (65.0, 76.0, 89.0))  # alpha, beta, gamma, degrees

# m in % of body mass; centre of mass and radii xx, yy, zz, xy, xz, yz in % of length: the male rows of Dumas2007
ROWS = (
    (1.2, (38.2, -15.1, 2.6), (17.0, 37.0, 36.0, 13.0, -8.0, 0.0)),
    (4.8, (-4.8, -41.0, 0.7), (28.0, 10.0, 28.0, -4.0, -2.0, 5.0)),
    (12.3, (-4.1, -42.9, 3.3), (29.0, 15.0, 30.0, 7.0, -2.0, -7.0)),
)

# c0 + c1 sin(k w0 t + p) for a, b, c of each segment
WAVES = (
    ((0.10, 0.50, 1, -1.2), (-0.12, 0.08, 2, 0.2), (0.06, 0.11, 1, 2.0)),
    ((-0.25, 0.60, 1, -0.7), (-0.10, 0.15, 1, 0.5), (0.04, 0.09, 2, 0.9)),
    ((0.15, 0.45, 1, 0.3), (0.05, 0.10, 1, 1.1), (-0.08, 0.12, 2, -0.4)),
)


@dataclass(frozen=True, eq=False)
class ReferenceLimb:
    """The limb at some instants.

    Attributes:
        segments: Foot, shank and thigh.
        motion: Of each by name, with exact derivatives.
        external: The ground reaction on the foot.
        angles: Euler angles of each segment with exact derivatives.
        gravity: Shape (3,), [m/s^2].
    """

    segments: tuple[BodySegment, ...]
    motion: dict[str, SegmentMotion]
    external: tuple[AppliedWrench, ...]
    angles: dict[str, Jet]
    gravity: tuple[float, float, float] = GRAVITY


def reference_limb(time: ArrayLike) -> ReferenceLimb:
    """Return the limb at instants [s], shape (n,)."""
    t = np.atleast_1d(np.asarray(time, dtype=np.float64))
    segments = reference_segments()
    angles = [[_wave(t, *wave) for wave in WAVES[i]] for i in range(3)]
    proximal = _hip(t)
    motion: dict[str, SegmentMotion] = {}
    for i in (2, 1, 0):
        rotation = turned(*angles[i])
        basis = segments[i].triad.basis
        u, v, w = (_carried(rotation, basis[:, k]) for k in range(3))
        distal = proximal - v
        parts = (u, proximal, distal, w)
        fields = (np.stack([getattr(part, name) for part in parts], axis=1) for name in ("x", "d", "dd"))
        motion[NAMES[i]] = SegmentMotion(t, *fields)
        proximal = distal
    jets = {
        NAMES[i]: Jet(*(np.stack([getattr(a, f) for a in angles[i]], axis=-1) for f in ("x", "d", "dd")))
        for i in range(3)
    }
    return ReferenceLimb(segments, {name: motion[name] for name in NAMES}, (_ground(t),), jets)


def reference_segments() -> tuple[BodySegment, ...]:
    """Return foot, shank and thigh of the limb."""
    return tuple(_segment(i) for i in range(3))


def turned(a: Jet, b: Jet, c: Jet) -> Jet:
    """Return Rz(a) Ry(b) Rx(c) of angles of shape (n,), shape (n, 3, 3)."""
    one, none = constant(np.ones_like(a.x)), constant(np.zeros_like(a.x))
    z = stack([[a.cos(), -a.sin(), none], [a.sin(), a.cos(), none], [none, none, one]])
    y = stack([[b.cos(), none, b.sin()], [none, one, none], [-b.sin(), none, b.cos()]])
    x = stack([[one, none, none], [none, c.cos(), -c.sin()], [none, c.sin(), c.cos()]])
    return z @ y @ x


def _segment(i: int) -> BodySegment:
    share, com, radii = ROWS[i]
    length, mass = LENGTHS[i], share / 100.0 * MASS
    signed = [np.sign(r) * mass * (r / 100.0 * length) ** 2 for r in radii]
    xx, yy, zz, xy, xz, yz = signed
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    triad = Triad(length, *np.radians(ANGLES[i]))
    parent = NAMES[i + 1] if i < 2 else None
    return BodySegment(NAMES[i], triad, mass, np.array(com) / 100.0 * length, inertia, parent)


def _wave(t: Array, middle: float, size: float, order: int, phase: float) -> Jet:
    rate = order * TURN
    angle = rate * t + phase
    return Jet(middle + size * np.sin(angle), size * rate * np.cos(angle), -size * rate**2 * np.sin(angle))


def _hip(t: Array) -> Jet:
    along = _wave(t, 0.0, 0.02, 2, 0.0)
    parts = (
        Jet(along.x + 1.2 * t, along.d + 1.2, along.dd),
        _wave(t, 0.90, 0.025, 2, 0.6),
        _wave(t, 0.10, 0.02, 1, 0.1),
    )
    return Jet(*(np.stack([getattr(part, name) for part in parts], axis=-1) for name in ("x", "d", "dd")))


def _carried(rotation: Jet, vector: Array) -> Jet:
    return Jet(rotation.x @ vector, rotation.d @ vector, rotation.dd @ vector)


def _ground(t: Array) -> AppliedWrench:
    none = np.zeros_like(t)
    force = np.stack(
        [
            -60.0 + 40.0 * np.sin(TURN * t),
            750.0 + 100.0 * np.sin(2.0 * TURN * t + 0.5),
            25.0 * np.cos(TURN * t),
        ],
        axis=-1,
    )
    point = np.stack([1.2 * t - 0.05, none, 0.12 + 0.01 * np.sin(TURN * t)], axis=-1)
    free = np.stack([none, 4.0 * np.sin(TURN * t), none], axis=-1)
    return AppliedWrench("foot", force, point, free)
