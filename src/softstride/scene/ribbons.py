"""Rods as ribbons: centre line, direction of the width, and how wide and thick they are by their own inertia."""

from __future__ import annotations

import math

import numpy as np

from softstride.engine.kinematics import poses
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.model.rod import Rod, Segment
from softstride.scene.parts import Ribbon

PER_SEGMENT = 5
"""Pieces that a segment is drawn with."""


def ribbons(model: Model, q: np.ndarray, threads: int | None = None) -> tuple[Ribbon, ...]:
    """Return every rod of a model along a motion."""
    return tuple(
        _ribbon(model, link.name, link.joint, q, threads)
        for link in model.links
        if isinstance(link.joint, Rod)
    )


def _ribbon(model: Model, name: str, rod: Rod, q: np.ndarray, threads: int | None) -> Ribbon:
    at, sizes = [0.0], [section_sizes(rod.segments[0])]
    start = 0.0
    for segment in rod.segments:
        at += [start + segment.length * (k + 1) / PER_SEGMENT for k in range(PER_SEGMENT)]
        sizes += [section_sizes(segment)] * PER_SEGMENT
        start += segment.length
    at[-1] = min(at[-1], rod.length)
    T = poses(model, q, [Frame(name, at=s) for s in at], threads=threads)  # (n, p, 4, 4)
    half = np.array(sizes)
    return Ribbon(name, T[..., :3, 3], T[..., :3, 1], half[:, 0], half[:, 1])


def section_sizes(segment: Segment) -> tuple[float, float]:
    """Return half the width and half the thickness of the rectangle that has the inertia of a section [m].

    A rectangle w by t has rho t w³ / 12 about the thickness and rho w t³ / 12 about the width, per metre; a section
    whose inertia is not known is drawn as a strip of 60 by 6 mm.
    """
    mass, inertia = segment.density.mass, segment.density.matrix
    if not (mass > 0.0 and inertia[1, 1] > 0.0 and inertia[2, 2] > 0.0):
        return 0.03, 0.003
    width, thickness = (math.sqrt(3.0 * float(inertia[k, k]) / mass) for k in (2, 1))
    return width, thickness
