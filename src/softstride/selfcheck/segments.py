"""Checks of inverse dynamics by segments: known numbers, four methods, energy, functional joints."""

from __future__ import annotations

import numpy as np

from softstride.segments.clusters import Poses
from softstride.segments.functional import sara, score
from softstride.segments.inverse import inverse_dynamics
from softstride.segments.methods import METHODS
from softstride.segments.power import joint_power, segment_energy
from softstride.segments.reference import reference_limb
from softstride.spatial import so3

# moments on foot, shank and thigh about their proximal ends at 0.3 s [N m], to 13 digits
MOMENTS = np.array(
    [
        [-37.92947280487, -1.990676825944, 234.2565316122],
        [-20.17786731465, -1.349676741458, 163.4781767697],
        [14.45611156459, 2.920466211543, 32.87840240573],
    ]
)
# multipliers of the thigh
MULTIPLIERS = np.array(
    [0.6208564418104, 18.76699849779, 0.1143964532547, 62.48102530085, -4.096974009874, -0.01330288900326]
)


def reference() -> float:
    """Return the largest relative error of the reference limb's moments and multipliers."""
    limb = reference_limb([0.3])
    loads = inverse_dynamics(
        limb.segments, limb.motion, limb.external, gravity=limb.gravity, multipliers=True
    )
    if loads.multipliers is None:
        return float("nan")
    moments = np.abs(loads.moment[0] - MOMENTS).max() / np.abs(MOMENTS).max()
    multipliers = np.abs(loads.multipliers[0, 2] - MULTIPLIERS).max() / np.abs(MULTIPLIERS).max()
    return float(max(moments, multipliers))


def four_methods() -> float:
    """Return the largest relative difference of four methods on exact derivatives over one period."""
    limb = reference_limb(np.linspace(0.0, 1.0, 201))
    found = [
        inverse_dynamics(limb.segments, limb.motion, limb.external, method=method, gravity=limb.gravity)
        for method in METHODS
    ]
    gaps = [np.abs(other.moment - found[0].moment).max() for other in found[1:]]
    return float(max(gaps) / np.abs(found[0].moment).max())


def energy() -> float:
    """Return by how much all powers miss the rate of energy of the limb, relative to the largest power."""
    from scipy.interpolate import make_interp_spline

    time = np.linspace(0.0, 1.0, 2001)
    limb = reference_limb(time)
    loads = inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity)
    total = np.zeros_like(time)
    stored = np.zeros_like(time)
    for segment, parent in zip(limb.segments, ("shank", "thigh", None), strict=True):
        name = segment.name
        above = None if parent is None else limb.motion[parent]
        total += joint_power(loads.force_on(name), loads.moment_on(name), limb.motion[name], above).total
        stored += sum(segment_energy(segment, limb.motion[name], limb.gravity))
    (ground,) = limb.external
    foot = limb.motion["foot"]
    omega = foot.angular_velocity()
    speed = foot.jet().d[:, 1] + np.cross(omega, ground.point - foot.proximal)
    total += np.sum(ground.force * speed + ground.moment * omega, axis=1)
    rate = make_interp_spline(time, stored, k=5)(time, 1)
    return float(np.abs(rate - total)[5:-5].max() / np.abs(total).max())


def functional() -> float:
    """Return the error of a functional centre [m] and axis [rad] of an exact movement, the larger one."""
    t = np.linspace(0.0, 1.0, 40)
    waves = np.stack([0.5 * np.sin(9 * t), 0.3 * np.sin(13 * t + 1.0), 0.6 * np.cos(11 * t)], axis=1)
    centre, axis = np.array([0.02, -0.15, 0.05]), np.array([0.6, 0.0, 0.8])
    still = Poses(np.tile(np.eye(3), (40, 1, 1)), np.zeros((40, 3)), np.zeros(40))

    def about(turn: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Poses:
        R = so3.exp(turn)
        return Poses(R, centre + R @ np.array([0.03, -0.20, 0.04]), np.zeros(40))

    ball = score(still, about(waves))
    hinge = sara(still, about(np.outer(waves[:, 0], axis)), towards=axis)
    return float(max(np.abs(ball.proximal - centre).max(), np.abs(hinge.direction - axis).max()))
