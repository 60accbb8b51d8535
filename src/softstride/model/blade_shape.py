"""Shapes of blades: sections along a rod, sizes along the arc length, centrelines that cross themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import FloatArray
from softstride.model.rod import Rod
from softstride.model.section import Section
from softstride.spatial import se3

Along: TypeAlias = Callable[[FloatArray], ArrayLike]
"""A size or a property as a function of arc length [m]."""

Profile: TypeAlias = ArrayLike | Along
"""A number, a table (m, 2) of arc length [m] and value (straight lines between), or a function of arc length."""

GAUSS = 4
"""Points in each segment for the mean of its section: exact where stiffness is a polynomial of degree 7."""

SAMPLES = 240
"""Points on a centreline for the test whether it crosses itself."""


def section_poses(rod: Rod, at: ArrayLike, q: ArrayLike | None = None) -> FloatArray:
    """Return the poses of sections of a rod in the frame of its base, shape (k, 4, 4).

    H(s) = exp(L_1 ξ_1) ... exp((s - s_i) ξ_i), ξ_i = ξ0_i + B q_i: the segments before, then the part of its own.

    Args:
        rod: The rod.
        at: Arc lengths from the base, shape (k,), [m].
        q: Free strains of all segments, shape (nq,); None: the unloaded shape.
    """
    stations = np.atleast_1d(np.asarray(at, dtype=np.float64))
    strains = segment_strains(rod, q)
    starts = [np.eye(4)]
    for segment, xi in zip(rod.segments, strains, strict=True):
        starts.append(starts[-1] @ se3.exp(segment.length * xi))
    poses = np.empty((len(stations), 4, 4))
    places = [rod.locate(float(s)) for s in stations]
    index = np.array([i for i, _ in places])
    inside = np.array([s for _, s in places])
    for i in np.unique(index):
        own = index == i
        poses[own] = starts[i] @ se3.exp(inside[own, None] * strains[i])
    return poses


def segment_strains(rod: Rod, q: ArrayLike | None = None) -> FloatArray:
    """Return ξ0 + B q of every segment, shape (n, 6)."""
    strains = np.array([segment.reference for segment in rod.segments])
    if q is not None:
        strains += free_strains(rod, q)
    return strains


def free_strains(rod: Rod, q: ArrayLike) -> FloatArray:
    """Return B q of every segment, shape (n, 6): zero where a strain is not free."""
    values, start = np.asarray(q, dtype=np.float64), 0
    out = np.zeros((len(rod.segments), 6))
    for i, segment in enumerate(rod.segments):
        count = len(segment.free)
        out[i, list(segment.free_indices)] = values[start : start + count]
        start += count
    return out


def along(profile: Profile, what: str) -> Callable[[FloatArray], FloatArray]:
    """Return a profile as a function of arc length that checks what it returns: finite and above zero.

    Raises:
        ModelError: A table of another shape or out of order; a value that is not above zero (on evaluation).
    """
    given = _function(profile, what)

    def checked(s: FloatArray) -> FloatArray:
        values = np.broadcast_to(checks.any_array(given(s), what), s.shape)
        if not np.all(values > 0.0):
            worst = int(np.argmin(values))
            raise ModelError(
                f"{what} must be above zero, however it is {float(values.flat[worst]):g} at arc length "
                f"{float(s.flat[worst]):.4g} m."
            )
        return values

    return checked


def _function(profile: Profile, what: str) -> Along:
    if callable(profile):
        return profile
    table = checks.any_array(profile, what)
    if table.ndim == 0:
        return lambda s: np.full(np.shape(s), float(table))
    if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2:
        raise ModelError(
            f"{what} must be a number, a function of arc length or a table (m, 2) of arc length and value, "
            f"however its shape is {table.shape}."
        )
    if np.any(np.diff(table[:, 0]) <= 0.0):
        raise ModelError(f"{what}: the arc lengths of its table must increase.")
    return lambda s: np.interp(s, table[:, 0], table[:, 1])


def mean_sections(lengths: ArrayLike, make: Callable[[float], Section]) -> list[Section]:
    """Return the mean section of each segment, K = 1/L ∫ K(s) ds and likewise for density and damping.

    Args:
        lengths: Arc length of each segment, shape (n,), [m].
        make: The section at an arc length [m].
    """
    from softstride.model.inertia import Inertia

    nodes, weights = np.polynomial.legendre.leggauss(GAUSS)
    shares, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    start, result = 0.0, []
    for length in np.asarray(lengths, dtype=np.float64):
        parts = [make(float(start + length * share)) for share in shares]
        density = Inertia(
            float(sum(w * part.density.mass for w, part in zip(weights, parts, strict=True))),
            np.zeros(3),
            sum(w * part.density.matrix for w, part in zip(weights, parts, strict=True)),
        )
        stiffness = sum(w * part.stiffness for w, part in zip(weights, parts, strict=True))
        damping = sum(w * part.damping for w, part in zip(weights, parts, strict=True))
        result.append(Section(density, stiffness, damping))
        start += float(length)
    return result


def arc_lengths(points: FloatArray) -> FloatArray:
    """Return the arc length at each point of the cubic spline through them, shape (m,), [m]."""
    from scipy.interpolate import CubicSpline

    chord = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    curve = CubicSpline(chord, points)
    nodes, weights = np.polynomial.legendre.leggauss(12)
    steps = np.diff(chord)
    u = chord[:-1, None] + 0.5 * steps[:, None] * (nodes + 1.0)
    pieces = 0.5 * steps * (np.linalg.norm(curve(u, 1), axis=-1) @ weights)
    return np.concatenate([[0.0], np.cumsum(pieces)])


def arc_points(arcs: ArrayLike, heading: float = -0.5 * np.pi, spacing: float = 0.001) -> FloatArray:
    """Return points on a chain of circular arcs in the plane z = 0, shape (m, 3), [m].

    The chain starts at the origin; each arc goes on in the direction where the one before ended.

    Args:
        arcs: Length [m] and turn [rad] of each arc, shape (k, 2); a positive turn is counter-clockwise seen from the
            right: from down to forward to up.
        heading: Direction of the start [rad]: 0 forward, -π/2 down, π backward.
        spacing: Largest distance between points [m]. The spline through them rounds a jump of curvature off, which
            turns its tangent there by 0.07 times jump times spacing (measured, first order).
    """
    table = checks.any_array(arcs, "arcs of a blade")
    if table.ndim != 2 or table.shape[1] != 2 or np.any(table[:, 0] <= 0.0):
        raise ModelError(f"arcs of a blade must be rows of length and turn, however they are {arcs!r}.")
    here, points = np.zeros(2), [np.zeros(2)]
    for length, turn in table:
        count = max(2, int(np.ceil(length / spacing)))
        s = np.linspace(0.0, length, count + 1)[1:]
        half = 0.5 * turn * s / length  # a chord of the arc has the mean heading of its ends
        chord = s * np.sinc(half / np.pi)
        points += [
            here + c * np.array([np.cos(heading + h), np.sin(heading + h)])
            for c, h in zip(chord, half, strict=True)
        ]
        here, heading = points[-1], heading + turn
    return np.column_stack([np.array(points), np.zeros(len(points))])


def check_crossing(points: FloatArray, total: float, thickness: float) -> None:
    """Refuse a centreline that comes back to within its own thickness.

    Args:
        points: Points at equal arc lengths, shape (k, 3), [m].
        total: Arc length [m].
        thickness: Largest thickness [m].

    Raises:
        ModelError: Two places of the blade, further apart along it than half a turn of its own thickness, overlap.
    """
    s = np.linspace(0.0, total, len(points))
    apart = np.abs(s[:, None] - s) > np.pi * thickness
    distance = np.linalg.norm(points[:, None] - points, axis=-1)
    if np.any(apart & (distance < thickness)):
        i, j = np.unravel_index(int(np.argmin(np.where(apart, distance, np.inf))), distance.shape)
        raise ModelError(
            f"centreline of a blade crosses itself: at arc lengths {min(s[i], s[j]):.3f} and {max(s[i], s[j]):.3f} m "
            f"it is {float(distance[i, j]) * 1e3:.1f} mm apart and {thickness * 1e3:.1f} mm thick; check the order of "
            "the points."
        )
