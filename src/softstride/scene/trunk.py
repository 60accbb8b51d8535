"""Bones of the trunk: pelvis, spine, ribs, shoulders and skull; proportions of a grown person, scaled to the joints.

All are in the axes of their link, x forward, y up, z right in the default pose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.scene.bones import capsule, chain, hull, long_bone
from softstride.scene.shapes import Shape

Floats = NDArray[np.float64]

HIPS = 0.083  # [m] half the distance of the hips that the proportions below belong to
SHOULDERS = 0.18  # [m] and of the shoulders
RIB = 0.0048  # [m] radius
RIBS = np.linspace(0.95, 0.42, 9)
"""Where ribs leave the spine, over its length up to the shoulders."""

FLOATING = 2
"""Lowest ribs that do not reach the breastbone."""

SPINE = ((0.0, 0.25, 0.7, 1.0), (0.0, 0.006, -0.060, -0.045))
"""Curve of the spine: parts of its length, and how far it lies before the straight line [m]."""

CHEST = ((0.42, 0.6, 0.8, 0.95), (0.128, 0.134, 0.110, 0.062), (0.094, 0.096, 0.080, 0.056))
"""Chest at parts of the spine: half its width and half its depth [m]."""

CRANIUM = ((-0.012, 0.032, 0.0), (0.090, 0.078, 0.070))  # [m] centre and radii about the middle of the head
FACE = ((0.038, -0.026, 0.0), (0.047, 0.060, 0.050))
JAW = ((-0.004, -0.040, 0.050), (0.004, -0.078, 0.046), (0.066, -0.104, 0.016))
"""Right half of the jaw, from its joint to the chin [m]."""


def pelvis(link: str, hips: tuple[Floats, Floats], lumbar: Floats | None) -> list[Shape]:
    """Return the bones of a pelvis.

    Args:
        link: Name of the link.
        hips: The two hips, each shape (3,), [m].
        lumbar: Where the trunk begins; None: above the hips.
    """
    hub = 0.5 * (hips[0] + hips[1])
    scale = 0.5 * float(np.linalg.norm(hips[0] - hips[1])) / HIPS

    def at(x: float, y: float, z: float) -> Floats:
        return np.asarray(hub + scale * np.array([x, y, z]))

    top = at(-0.045, 0.15, 0.0) if lumbar is None else lumbar
    found = [
        hull(link, [at(-0.078, 0.10, 0.03), at(-0.078, 0.10, -0.03), top, at(-0.085, -0.01, 0.0)], 0.010)
    ]
    for hip in hips:
        side = float(np.sign(hip[2] - hub[2]))
        wing = [(0.050, 0.078, 0.120), (-0.015, 0.132, 0.128), (-0.072, 0.100, 0.045), (-0.004, 0.022, 0.080)]
        found.append(hull(link, [at(x, y, side * z) for x, y, z in wing], 0.006))
        socket, pubis = hip + scale * np.array([0.0, 0.008, -0.008 * side]), at(0.048, -0.045, 0.010 * side)
        ischium = at(-0.030, -0.072, 0.056 * side)
        found += chain(link, [pubis, socket, ischium, pubis], 0.0105)
        found.append(capsule(link, socket, socket, 0.027, 0.027))
    return found


def spine(link: str, bottom: Floats, top: Floats, base: Floats) -> list[Shape]:
    """Return vertebrae from the pelvis to the shoulders, and on to the base of the skull."""
    back = Trunk(bottom, top, SHOULDERS)
    points = [back.at(s) for s in np.linspace(0.0, 1.0, 15)]
    points += [points[-1] + share * (base - points[-1]) for share in np.arange(1, 8) / 7.0]
    radii = np.linspace(0.023, 0.016, len(points))
    return [
        Shape("ellipsoid", link, "bones", point[None], np.array([r, 0.64 * r, 1.1 * r]))
        for point, r in zip(points, radii, strict=True)
    ]


class Trunk:
    """Places in a trunk between the pelvis and the middle of the shoulders."""

    def __init__(self, bottom: Floats, top: Floats, half_width: float) -> None:
        self._bottom, self._along = bottom, top - bottom
        length = max(float(np.linalg.norm(self._along)), 1e-6)
        self.up = self._along / length
        self.right = np.array([0.0, 0.0, 1.0])
        self.forward = np.cross(self.up, self.right)
        self.forward /= max(float(np.linalg.norm(self.forward)), 1e-6)
        self.scale = half_width / SHOULDERS

    def at(self, share: float) -> Floats:
        """Return the vertebra at a part of the spine's length [m]."""
        bend = self.scale * float(np.interp(share, *SPINE))
        return np.asarray(self._bottom + share * self._along + bend * self.forward)

    def around(self, share: float, angle: float, side: float) -> Floats:
        """Return the place on the chest at an angle from the spine: pi is the breastbone [m]."""
        at, wide, deep = CHEST
        w, d = (self.scale * float(np.interp(share, at, sizes)) for sizes in (wide, deep))
        drop = self.scale * 0.075 * 0.5 * (1.0 - np.cos(angle))
        return np.asarray(
            self.at(share)
            + d * (1.0 - np.cos(angle)) * self.forward
            + side * w * np.sin(angle) * self.right
            - drop * self.up
        )


def chest(link: str, bottom: Floats, shoulders: tuple[Floats, Floats]) -> list[Shape]:
    """Return ribs, breastbone, collar bones and shoulder blades."""
    hub = 0.5 * (shoulders[0] + shoulders[1])
    half = 0.5 * float(np.linalg.norm(shoulders[0] - shoulders[1]))
    trunk = Trunk(bottom, hub, half)
    manubrium, xiphoid = trunk.around(0.97, np.pi, 1.0), trunk.around(0.62, np.pi, 1.0)
    found = chain(link, [manubrium, xiphoid], 0.010)
    for side in (1.0, -1.0):
        for i, share in enumerate(RIBS):
            stop = 0.62 if i >= len(RIBS) - FLOATING else 0.96
            angles = np.linspace(0.0, stop * np.pi, 7)
            found += chain(link, [trunk.around(share, angle, side) for angle in angles], RIB)
    for shoulder in shoulders:
        out = shoulder - hub
        blade = [
            hub + 0.92 * out - trunk.scale * (0.022 * trunk.forward + 0.012 * trunk.up),
            hub + 0.46 * out - trunk.scale * (0.082 * trunk.forward + 0.018 * trunk.up),
            hub + 0.52 * out - trunk.scale * (0.086 * trunk.forward + 0.150 * trunk.up),
        ]
        found.append(hull(link, blade, 0.005))
        found += chain(link, [manubrium, 0.5 * (manubrium + shoulder) + 0.015 * trunk.up, shoulder], 0.0065)
        found.append(capsule(link, shoulder, shoulder, 0.021, 0.021))
    return found


def skull(link: str, centre: Floats) -> list[Shape]:
    """Return a skull about the middle of the head."""
    found = []
    for place, radii in (CRANIUM, FACE):
        found.append(Shape("ellipsoid", link, "bones", (centre + place)[None], np.array(radii)))
    right = centre + np.array(JAW)
    left = centre + np.array(JAW) * (1.0, 1.0, -1.0)
    return [*found, *chain(link, np.concatenate([right, left[::-1]]), 0.009)]


def hanging_arm(link: str, shoulder: Floats, scale: float) -> list[Shape]:
    """Return the arm of a trunk that has its arms in its own mass: it hangs, a little bent."""
    side = float(np.sign(shoulder[2]))
    elbow = shoulder + scale * np.array([-0.02, -0.28, 0.03 * side])
    wrist = elbow + scale * np.array([0.08, -0.235, -0.01 * side])
    tip = wrist + scale * np.array([0.05, -0.155, -0.01 * side])
    return [*long_bone(link, shoulder, elbow), *long_bone(link, elbow, wrist), *long_bone(link, wrist, tip)]
