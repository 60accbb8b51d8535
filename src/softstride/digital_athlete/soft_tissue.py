"""Soft-tissue artefact: skin that slides over bone as joints move, and wobbles when the body is jolted.

In the axes of the link that carries a marker, with the angles φ of the joint above and below it and the acceleration a
of the link (gravity included),

    d(t) = size · [ A (φ - mean φ) + b(t) ],     b'' + 2 ζ ω b' + ω² b = -G a,

A (3 by 2) and the direction of G drawn once for each marker: sliding in proportion to joint angles, as found with bone
pins (Reinschmidt et al. 1997), and a damped oscillation of 12 Hz after impact. Sizes differ by body part, thighs most,
and markers on the blade have none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.signal import cont2discrete, lfilter

from softstride.digital_athlete.truth import RATE, AthleteTruth
from softstride.engine.kinematics import accelerations, poses, velocities
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

SEED = 63
SIZES = {"femur": 3.5e-3, "tibia": 2e-3, "pelvis": 2.5e-3, "torso": 2e-3, "humerus": 3e-3, "radius": 1.5e-3}
"""Typical displacement by body part [m]; 1 mm elsewhere."""

OTHER = 1e-3
RIGID = ("blade_r",)
FREQUENCY, RATIO = 2.0 * np.pi * 12.0, 0.25
"""ω [rad/s] and ζ of the wobbling mass."""

SWING = 0.35
"""Angle whose change slides the skin by the size [rad]."""

JOLT = 40.0
"""Acceleration whose static effect is the size [m/s²]."""

JOINTS = {
    "femur": ("hip_flexion", "knee_angle"),
    "tibia": ("knee_angle", "ankle_angle"),
    "pelvis": ("pelvis_tilt", "hip_flexion"),
    "torso": ("lumbar_extension", "lumbar_rotation"),
    "humerus": ("arm_flex", "elbow_flex"),
    "radius": ("elbow_flex", "arm_flex"),
    "hand": ("elbow_flex", "arm_flex"),
    "calcn": ("ankle_angle", "knee_angle"),
    "toes": ("ankle_angle", "knee_angle"),
}


def soft_tissue(truth: AthleteTruth) -> Array:
    """Return the displacement of every marker against its bone, world axes, shape (n, m, 3), [m]."""
    model = truth.model
    links = sorted({point.link for point in model.markers.values()} - set(RIGID))
    T = poses(model, truth.q, links)
    twist = velocities(model, truth.q, truth.v, links)
    rate = accelerations(model, truth.q, truth.v, truth.a, links, gravity=True)
    jolt = rate[..., 3:] + cross(twist[..., :3], twist[..., 3:])
    draw = np.random.default_rng(SEED)
    out = np.zeros((len(truth.time), len(model.markers), 3))
    for m, (name, point) in enumerate(model.markers.items()):
        slide, gain = draw.uniform(-1.0, 1.0, (3, 2)), draw.uniform(0.3, 1.0, 3)
        if point.link in RIGID:
            continue
        k, part = links.index(point.link), point.link.split("_")[0]
        size = SIZES.get(part, OTHER)
        angles = _angles(truth, part, name, point.link)
        wobble = _wobble(jolt[:, k] - jolt[:, k].mean(axis=0), 1.0 / RATE)
        local = size * (angles @ slide.T / SWING - gain * wobble / JOLT)
        out[:, m] = (T[:, k, :3, :3] @ local[..., None])[..., 0]
    return out


def _angles(truth: AthleteTruth, part: str, marker: str, link: str) -> Array:
    """Return the two angles that pull at a marker, their means taken away, shape (n, 2), [rad]."""
    side = link[-1] if link[-2:] in ("_r", "_l") else ("l" if marker.startswith("L") else "r")
    names, columns = truth.model.coordinate_names, []
    for joint in JOINTS[part]:
        found = [full for full in (joint, f"{joint}_{side}") if full in names]
        columns.append(truth.q[:, names.index(found[0])] if found else np.zeros(len(truth.q)))
    both = np.stack(columns, axis=1)
    return np.asarray(both - both.mean(axis=0))


def _wobble(jolt: Array, step: float) -> Array:
    """Return ω² b of a mass on a damped spring whose foot is shaken, in the unit of the acceleration, shape (n, 3)."""
    top, bottom, _ = cont2discrete(
        ([FREQUENCY**2], [1.0, 2.0 * RATIO * FREQUENCY, FREQUENCY**2]), step, "zoh"
    )
    return np.asarray(lfilter(top.ravel(), bottom, jolt, axis=0))


__all__ = ["soft_tissue"]
