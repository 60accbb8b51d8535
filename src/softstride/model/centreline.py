"""From points on a curve to the reference strains of a rod (spec of the hybrid link, section 3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import FloatArray
from softstride.spatial import se3

Curve = Callable[..., FloatArray]

MAX_SEGMENTS = 10_000

GAUSS_POINTS = 12
"""Points for the arc length of each spline interval: rounding for any sensible centreline."""


def centreline_frames(
    points: ArrayLike, width_direction: ArrayLike, n: int | Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Return the section frames at the segment ends of a rod that follows a curve.

    A cubic spline goes through the points; frames sit at given arc lengths with x along the tangent, y the
    width direction made orthogonal to it, z = x × y.

    Args:
        points: Points from base to tip, shape (m, 3), [m], m ≥ 2.
        width_direction: Direction of the width, shape (3,).
        n: Number of equal segments, or the length of each as a share of the whole.

    Returns:
        frames: Poses in the axes of the points, shape (n + 1, 4, 4); the first is the base of the rod.
        lengths: Arc length of each segment, shape (n,), [m].

    Raises:
        ModelError: Too few or coinciding points, a width direction along the curve, or a segment that turns
            by half a turn or more.
    """
    from scipy.interpolate import CubicSpline  # here: importing it takes longer than all the rest

    knots = _knots(points)
    chord = np.concatenate([[0.0], np.cumsum(_lengths(np.diff(knots, axis=0)))])
    curve: Curve = CubicSpline(chord, knots)
    shares = _shares(n)
    arc = _ArcLength(curve, chord)
    inner = [arc.invert(arc.total * share) for share in np.cumsum(shares)[:-1]]
    ends = np.array([0.0, *inner, chord[-1]])
    tangents = curve(ends, 1)
    tangents /= _lengths(tangents)[:, None]
    _check_turning(curve, ends)
    frames = np.tile(np.eye(4), (len(ends), 1, 1))
    frames[:, :3, 3] = curve(ends)
    frames[:, :3, :3] = _section_axes(
        tangents, checks.unit(width_direction, "width direction of a centreline")
    )
    return frames, shares * arc.total


def reference_strains(frames: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return ξ0_i = log(H_{i-1}⁻¹ H_i) / L_i, shape (n, 6), between section frames, shape (n + 1, 4, 4)."""
    steps = np.linalg.solve(frames[:-1], frames[1:])
    return se3.log(steps) / lengths[:, None]


def _lengths(vectors: FloatArray) -> FloatArray:
    lengths: FloatArray = np.sqrt(np.sum(vectors * vectors, axis=-1))
    return lengths


def _knots(points: ArrayLike) -> FloatArray:
    knots = checks.any_array(points, "points of a centreline")
    if knots.ndim != 2 or knots.shape[1] != 3 or len(knots) < 2:
        raise ModelError(
            f"points of a centreline must have shape (m, 3) with m ≥ 2, however it is {knots.shape}."
        )
    size = float(np.max(np.abs(knots - knots[0])))
    gaps = np.max(np.abs(np.diff(knots, axis=0)), axis=1)
    if size < 1e-9 or size > 1e9 or np.any(gaps < 1e-9 * size):
        raise ModelError(
            "points of a centreline must be apart from their neighbours and between 1e-9 and 1e9 m in size: "
            f"check the units and leave out repeated points (smallest gap {float(np.min(gaps)):g} m)."
        )
    return knots


def segment_count(n: object) -> int:
    """Return the number of segments of a rod, at most `MAX_SEGMENTS`."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= MAX_SEGMENTS:
        raise ModelError(
            f"number of segments of a rod must be a whole number from 1 to {MAX_SEGMENTS}, not {n!r}."
        )
    return int(n)


def _shares(n: object) -> FloatArray:
    """Return the share of each segment in the whole length, summing to 1."""
    if isinstance(n, int | np.integer):
        count = segment_count(n)
        return np.full(count, 1.0 / count)
    shares = checks.any_array(n, "segments of a centreline")  # type: ignore[arg-type]
    if shares.ndim != 1 or len(shares) == 0 or np.any(shares <= 0.0) or abs(math.fsum(shares) - 1.0) > 1e-6:
        raise ModelError(
            f"segments of a centreline must be a number, or shares that sum to 1, however they are {n!r}."
        )
    return shares / math.fsum(shares)


class _ArcLength:
    """Arc length s(u) of a spline curve and its inverse."""

    def __init__(self, curve: Curve, knots: FloatArray) -> None:
        self._curve, self._knots = curve, knots
        nodes, weights = np.polynomial.legendre.leggauss(GAUSS_POINTS)
        self._nodes, self._weights = 0.5 * (nodes + 1.0), 0.5 * weights
        pieces = [self._between(a, b) for a, b in pairwise(knots)]
        self._at_knots = np.concatenate([[0.0], np.cumsum(pieces)])
        self.total = float(self._at_knots[-1])

    def _speed(self, u: FloatArray) -> FloatArray:
        return _lengths(self._curve(u, 1))

    def _between(self, a: float, b: float) -> float:
        return float((b - a) * (self._weights @ self._speed(a + (b - a) * self._nodes)))

    def invert(self, s: float) -> float:
        """Return u with s(u) = s: Newton, guarded by bisection, in the spline interval that holds it."""
        i = int(np.clip(np.searchsorted(self._at_knots, s, side="right") - 1, 0, len(self._knots) - 2))
        start, low, high = (float(self._knots[k]) for k in (i, i, i + 1))
        rest = s - float(self._at_knots[i])
        u = low + (high - low) * rest / float(self._at_knots[i + 1] - self._at_knots[i])
        for _ in range(60):
            excess = self._between(start, u) - rest
            low, high = (low, u) if excess > 0.0 else (u, high)
            slope = max(float(self._speed(np.array(u))), 1e-300)
            new = u - excess / slope
            if not low <= new <= high:
                new = 0.5 * (low + high)
            if abs(new - u) <= 4e-16 * high:
                break
            u = new
        return u


def _section_axes(tangents: FloatArray, width: FloatArray) -> FloatArray:
    """Return rotations (n, 3, 3) with columns x = tangent, y = width made orthogonal, z = x × y."""
    across = width - (tangents @ width)[:, None] * tangents
    size = _lengths(across)
    if np.any(size < 1e-6):
        bad = tangents[int(np.argmin(size))].tolist()
        raise ModelError(
            f"width direction of a centreline must not run along the curve, however its tangent is {bad}."
        )
    y = across / size[:, None]
    y -= np.sum(tangents * y, axis=1)[:, None] * tangents  # once more: orthogonal to rounding
    y /= _lengths(y)[:, None]
    return np.stack([tangents, y, np.cross(tangents, y)], axis=-1)


def _check_turning(curve: Curve, ends: FloatArray) -> None:
    """Refuse a segment that turns by half a turn or more: the logarithm would take the short way round."""
    for i, (a, b) in enumerate(pairwise(ends)):
        t = curve(np.linspace(a, b, 65), 1)
        size = _lengths(t)
        if np.any(size < 1e-6 * np.max(size)):
            raise ModelError(f"centreline has a cusp in segment {i + 1}: smooth its points.")
        t = t / size[:, None]
        chord = np.clip(0.5 * _lengths(np.diff(t, axis=0)), 0.0, 1.0)
        turn = float(np.sum(2.0 * np.arcsin(chord)))
        if turn > 0.95 * math.pi:
            raise ModelError(
                f"centreline turns by {math.degrees(turn):.0f} degrees in segment {i + 1}, half a turn or "
                f"nearly: "
                f"use more segments."
            )
