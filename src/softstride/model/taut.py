"""A string pulled tight around surfaces, in one pose: enough to lay out an operation, too slow for motions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.model.checks import FloatArray
from softstride.model.path import WrapCylinder, WrapEllipsoid, WrapSphere, WrapSurface

PIECES = (16, 32, 64)
"""Into how many pieces the string is divided, from coarse to fine."""

SWEEPS = 150
"""How often each division is pulled tight."""


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A surface where it is in the world.

    Attributes:
        surface: The surface.
        pose: T_world_surface, shape (4, 4), [m].
    """

    surface: WrapSurface
    pose: FloatArray

    def local(self, points: FloatArray) -> FloatArray:
        """Return points (m, 3) in the axes of the surface."""
        return np.asarray((points - self.pose[:3, 3]) @ self.pose[:3, :3])

    def world(self, points: FloatArray) -> FloatArray:
        """Return points (m, 3) of the axes of the surface in world axes."""
        return np.asarray(points @ self.pose[:3, :3].T + self.pose[:3, 3])

    def pushed(self, points: FloatArray) -> FloatArray:
        """Return points (m, 3), those inside the surface moved to it, on the side that paths may touch."""
        p = self.local(points)
        surface = self.surface
        if surface.quadrant != "all":
            axis, sign = "xyz".index(surface.quadrant[-1]), -1.0 if surface.quadrant[0] == "-" else 1.0
            inside = self._depth(p) > 0.0
            p[inside, axis] = sign * np.abs(p[inside, axis])
        if isinstance(surface, WrapEllipsoid):
            squares = np.array([surface.a, surface.b, surface.c]) ** 2
            for _ in range(4):  # along the gradient of Σ p²/a², which ends at the surface
                slope = np.sum((p / squares) ** 2, axis=1)
                step = np.maximum(self._depth(p), 0.0) / (2.0 * np.maximum(slope, 1e-12))
                p = p + step[:, None] * p / squares
            return self.world(p)
        axes = (0, 1) if isinstance(surface, WrapCylinder) else (0, 1, 2)
        depth = np.minimum(self._depth(p), 1.0 - 1e-12)
        p[:, axes] /= np.sqrt(1.0 - np.maximum(depth, 0.0))[:, None]
        return self.world(p)

    def _depth(self, p: FloatArray) -> FloatArray:
        """Return 1 - Σ p²/a² of points (m, 3) in the axes of the surface: above zero inside; cylinders have no ends."""
        surface = self.surface
        if isinstance(surface, WrapCylinder):
            return np.asarray(1.0 - np.sum((p[:, :2] / surface.radius) ** 2, axis=1))
        if isinstance(surface, WrapSphere):
            return np.asarray(1.0 - np.sum((p / surface.radius) ** 2, axis=1))
        if isinstance(surface, WrapEllipsoid):
            return np.asarray(1.0 - np.sum((p / (surface.a, surface.b, surface.c)) ** 2, axis=1))
        return np.zeros(len(p))  # paths run through the hole of a torus

    def contains(self, points: FloatArray) -> NDArray[np.bool_]:
        """Whether points (m, 3) are inside the surface, bool (m,); here cylinders have ends."""
        p = self.local(points)
        inside = self._depth(p) > 0.0
        if isinstance(self.surface, WrapCylinder):
            inside &= np.abs(p[:, 2]) < 0.5 * self.surface.length
        return np.asarray(inside)

    def between(self, start: FloatArray, end: FloatArray) -> bool:
        """Whether the surface is in the way of the straight line between two points, shape (3,)."""
        line = start + np.linspace(0.0, 1.0, 201)[:, None] * (end - start)
        return bool(np.any(self.contains(line)))


def taut_line(start: FloatArray, end: FloatArray, obstacles: Sequence[Obstacle]) -> FloatArray:
    """Return the shortest line between two points around surfaces, on the sides that it may touch.

    The line is divided into pieces of one length; points move by turns to the middle of their neighbours and out of
    the surfaces, first of one surface, then of one more, and at last in shorter pieces. That minimises
    Σ |x_{i+1} - x_i|², whose minimum is the shortest line at constant speed. Cylinders have no ends here once one is in
    the way, and surfaces that one of the two points is inside of do not count, as in OpenSim.

    Args:
        start: One end, shape (3,), [m], in the world.
        end: The other.
        obstacles: The surfaces, in the order in which they are put in the way.

    Returns:
        Points of the line, shape (m, 3); the two ends if no surface is in the way.
    """
    obstacles = [each for each in obstacles if not np.any(each.contains(np.array([start, end])))]
    if not any(each.between(start, end) for each in obstacles):
        return np.array([start, end])
    line = start + np.linspace(0.0, 1.0, PIECES[0] + 1)[:, None] * (end - start)
    for count in range(1, len(obstacles)):
        _pull(line, obstacles[:count])
    for pieces in PIECES:
        if len(line) != pieces + 1:
            finer = np.empty((pieces + 1, 3))
            finer[::2], finer[1::2] = line, 0.5 * (line[:-1] + line[1:])
            line = finer
        _pull(line, obstacles)
    return line


def _pull(line: FloatArray, obstacles: Sequence[Obstacle]) -> None:
    """Pull a line (m, 3) tight, in place."""
    for _ in range(SWEEPS):
        for first in (1, 2):
            middle = 0.5 * (line[first - 1 : -2 : 2] + line[first + 1 :: 2])
            for each in obstacles:
                middle = each.pushed(middle)
            line[first:-1:2] = middle


def line_length(line: FloatArray) -> float:
    """Return the length of a line through points (m, 3) [m]."""
    return math.fsum(np.linalg.norm(np.diff(line, axis=0), axis=1))
