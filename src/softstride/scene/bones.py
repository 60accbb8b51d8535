"""Bones of limbs: long ones with a waist, hands and feet as rays, in the axes of their link."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.scene.shapes import Shape

Floats = NDArray[np.float64]

WAIST = 0.028  # radius of a shaft over its length
HEADS = 1.75  # radius of the ends over that of the shaft
RAY = 0.0055  # [m] radius of a ray of a hand or a foot
FINGERS = (-0.030, -0.011, 0.009, 0.027)  # [m] forward, of the tips
TOES = 5
HEEL = np.array([0.006, 0.014, 0.0])  # [m] from the sole to the middle of the heel bone
NARROW = 0.035  # [m] half the width of a foot that its points say nothing of


def long_bone(link: str, a: Floats, b: Floats) -> list[Shape]:
    """Return a bone from a to b, thinner in its middle."""
    waist = float(np.clip(WAIST * np.linalg.norm(b - a), 0.007, 0.0125))
    middle = 0.5 * (a + b)
    return [
        capsule(link, a, middle, HEADS * waist, waist),
        capsule(link, middle, b, waist, HEADS * waist),
    ]


def chain(link: str, points: ArrayLike, radius: float) -> list[Shape]:
    """Return capsules along a line, shape (k, 3), [m]."""
    line = np.asarray(points, dtype=np.float64)
    return [capsule(link, a, b, radius, radius) for a, b in pairwise(line)]


def capsule(link: str, a: Floats, b: Floats, start: float, end: float) -> Shape:
    """Return a capsule among the bones, with a radius at either end."""
    return Shape("capsule", link, "bones", np.stack([a, b]), np.array([start, end]))


def hull(link: str, points: Sequence[ArrayLike], radius: float) -> Shape:
    """Return a plate of bone around points."""
    return Shape("hull", link, "bones", np.array(points, dtype=np.float64), np.array([radius]))


def hand(link: str, tip: Floats) -> list[Shape]:
    """Return a hand from the origin of a link, the wrist, to its tip: palm and fingers."""
    spread = np.array([1.0, 0.0, 0.0])
    found = []
    for offset in FINGERS:
        knuckle = 0.5 * tip + 0.8 * offset * spread
        far = (1.0 - 6.0 * offset * offset / 0.03) * tip + offset * spread
        found += chain(link, [0.08 * tip, knuckle, far], RAY)
    thumb = 0.32 * tip + 0.042 * spread
    return [*found, *chain(link, [0.08 * tip, thumb, 0.58 * tip + 0.05 * spread], RAY)]


def foot(link: str, ankle: Floats, sole: Floats, joint: Floats | None) -> list[Shape]:
    """Return the bones of a foot or of its hind part: a heel, and rays to its front.

    Args:
        link: Name of the link.
        ankle: Where the leg meets it, shape (3,), [m].
        sole: Points by which it stands, shape (k, 3), [m].
        joint: Where toes are joined to it; None: it has its own toes.
    """
    heel = sole[sole[:, 0] <= sole[:, 0].min() + 0.03].mean(axis=0) + HEEL
    front = sole[sole[:, 0] >= sole[:, 0].max() - 0.05].mean(axis=0) if joint is None else joint
    tarsus = ankle + 0.38 * (front - ankle)
    across = _across(sole)
    found = [capsule(link, ankle, heel, 0.017, 0.019), capsule(link, ankle, tarsus, 0.018, 0.015)]
    for z in across:
        base, far = tarsus.copy(), front.copy()
        base[2] += 0.45 * (z - across.mean())
        far[2] = z
        found += chain(link, [base, far], RAY)
    return found


def toes(link: str, sole: Floats) -> list[Shape]:
    """Return the toes of a link whose origin is where they are joined to the foot."""
    order = np.argsort(sole[:, 2])
    found = []
    for z in _across(sole):
        far = np.array([np.interp(z, sole[order, 2], sole[order, k]) for k in (0, 1)])
        tip = np.array([far[0] + 0.01, far[1] + 0.008, z])
        found += chain(link, [np.array([0.0, 0.0, z]), tip], RAY)
    return found


def _across(sole: Floats) -> Floats:
    """Return where rays are across a foot [m]."""
    low, high = float(sole[:, 2].min()), float(sole[:, 2].max())
    if high - low < NARROW:
        middle = 0.5 * (low + high)
        low, high = middle - NARROW, middle + NARROW
    return np.linspace(low, high, TOES)
