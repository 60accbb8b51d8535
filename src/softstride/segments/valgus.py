"""A walk with 15 degrees of knee valgus, made up and exact: the paper's subject, whose data are not public.

Mass, height, lengths and the angles of the three triads are those of the subject of [DumasCheze2007]; the walk is our
own, of smooth periodic curves with the size of a usual gait. Every derivative is exact, so that what differs between
two expressions of the knee moment is the expression.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.dynamics.loads import AppliedWrench
from softstride.segments.jets import Jet, constant
from softstride.segments.motion import SegmentMotion
from softstride.segments.reference import GRAVITY, MASS, NAMES, ReferenceLimb, reference_segments, turned

Array = NDArray[np.float64]

STRIDE = 1.1  # s
SPEED = 1.25  # m/s
HEIGHT = 1.75  # m, of the person
VALGUS = np.radians(15.0)
STANCE = 0.62  # of the stride

# bumps of angles, degrees: (size, middle of the stride, sharpness)
KNEE = ((11.0, 0.15, 8.0), (56.0, 0.72, 4.0))
ANKLE = ((-4.0, 0.07, 8.0), (11.0, 0.43, 6.0), (-16.0, 0.65, 8.0))
# of the ground reaction, over body weight
UPWARD = ((0.90, 0.14, 11.0), (0.62, 0.30, 11.0), (0.97, 0.46, 9.0))
FORWARD = ((-0.13, 0.13, 10.0), (0.17, 0.50, 12.0))
SIDEWARD = ((-0.05, 0.16, 12.0), (-0.05, 0.44, 12.0))


def valgus_walk(time: ArrayLike) -> ReferenceLimb:
    """Return the right leg of the walker at instants [s], shape (n,); a stride lasts 1.1 s and begins with a strike.

    Args:
        time: Instants.
    """
    t = np.atleast_1d(np.asarray(time, dtype=np.float64))
    phase = Jet(2.0 * np.pi * t / STRIDE, np.full_like(t, 2.0 * np.pi / STRIDE), np.zeros_like(t))
    none = constant(np.zeros_like(t))
    hip = _offset((phase + _const(t, 0.25)).cos() * np.radians(21.0), np.radians(9.0))
    knee = _offset(_bumps(phase, KNEE), np.radians(4.0))
    ankle = _offset(_bumps(phase, ANKLE), np.radians(1.0))
    tilt = {"thigh": hip, "shank": hip - knee, "foot": hip - knee + ankle}
    sway = phase.sin() * np.radians(2.0)
    lean = {
        "thigh": _offset(sway, 0.6 * VALGUS),
        "shank": _offset(sway, -0.4 * VALGUS),
        "foot": _offset(sway, -0.4 * VALGUS),
    }
    segments = reference_segments()
    proximal = _hip(t, phase)
    motion: dict[str, SegmentMotion] = {}
    angles: dict[str, Jet] = {}
    for segment in reversed(segments):
        name = segment.name
        rotation = turned(tilt[name], none, lean[name])
        u, v, w = (
            Jet(*(part @ segment.triad.basis[:, k] for part in (rotation.x, rotation.d, rotation.dd)))
            for k in range(3)
        )
        parts = (u, proximal, proximal - v, w)
        motion[name] = SegmentMotion(
            t, *(np.stack([getattr(p, f) for p in parts], axis=1) for f in ("x", "d", "dd"))
        )
        three = (tilt[name], none, lean[name])
        angles[name] = Jet(*(np.stack([getattr(a, f) for a in three], axis=-1) for f in ("x", "d", "dd")))
        proximal = parts[2]
    ordered = {name: motion[name] for name in NAMES}
    return ReferenceLimb(segments, ordered, (_ground(t, phase, ordered["foot"]),), angles, GRAVITY)


def _const(t: Array, x: float) -> Jet:
    return constant(np.full_like(t, x))


def _offset(jet: Jet, x: float) -> Jet:
    return Jet(jet.x + x, jet.d, jet.dd)


def _bumps(phase: Jet, bumps: tuple[tuple[float, float, float], ...]) -> Jet:
    """Return a sum of periodic bumps, exp(k (cos(p - p0) - 1)), of sizes in degrees, as angles [rad]."""
    total = phase * 0.0
    for size, middle, sharp in bumps:
        total = total + _bump(phase, middle, sharp) * float(np.radians(size))
    return total


def _bump(phase: Jet, middle: float, sharp: float) -> Jet:
    place = Jet(phase.x - 2.0 * np.pi * middle, phase.d, phase.dd)
    return (_offset(place.cos(), -1.0) * sharp).exp()


def _hip(t: Array, phase: Jet) -> Jet:
    """Return the hip: forward at the speed of the walk, up and down twice a stride, from side to side once."""
    twice = phase * 2.0
    forward = Jet(SPEED * t, np.full_like(t, SPEED), np.zeros_like(t)) + twice.sin() * 0.012
    up = _offset(twice.cos() * -0.018, 0.90)
    right = _offset(phase.sin() * 0.02, 0.085)
    parts = (forward, up, right)
    return Jet(*(np.stack([getattr(part, name) for part in parts], axis=-1) for name in ("x", "d", "dd")))


def _ground(t: Array, phase: Jet, foot: SegmentMotion) -> AppliedWrench:
    """Return a ground reaction with two humps, whose centre rolls from behind the ankle to the toes."""
    weight = MASS * 9.81
    force = np.stack(
        [weight * _sum(phase, FORWARD), weight * _sum(phase, UPWARD), weight * _sum(phase, SIDEWARD)], axis=-1
    )
    share = np.mod(t / STRIDE, 1.0)
    roll = np.clip(share / STANCE, 0.0, 1.0)
    roll = roll**2 * (3.0 - 2.0 * roll)
    point = np.stack(
        [foot.proximal[:, 0] - 0.01 + 0.16 * roll, np.zeros_like(t), foot.proximal[:, 2] + 0.01], axis=-1
    )
    free = np.stack([0.0 * t, 4.0 * _sum(phase, ((1.0, 0.45, 20.0), (-0.6, 0.15, 20.0))), 0.0 * t], axis=-1)
    return AppliedWrench("foot", force, point, free)


def _sum(phase: Jet, bumps: tuple[tuple[float, float, float], ...]) -> Array:
    return np.asarray(sum(size * _bump(phase, middle, sharp).x for size, middle, sharp in bumps))
