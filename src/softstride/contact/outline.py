"""Any convex outline as a rolling surface: the sole side of a blade or a shoe, given as points.

The lower convex hull of the points is a chain of edges of length ℓ_j and slope φ_j; edge j lies on the ground at the
tilt a = φ_j. A polygon rolls in jumps, ρ = Σ ℓ_j δ(a − φ_j), so each jump is spread over the tilts φ_j ± w by a raised
cosine K(u) = (1 + cos(πu/w)) / 2w:

    ρ(a) = Σ L_j K(a − φ_j),      p(a) = p_0 + Σ L_j ∫_{−w}^{a−φ_j} K(u) (cos(φ_j + u), sin(φ_j + u)) du,

p being the point of contact in foot axes, p_0 the rearmost point, and L_j = ℓ_j / ∫ K cos u du a little more than ℓ_j,
so that every vertex that is w away from the slopes of its edges stays where it is. All integrals are closed forms. As
ρ ≥ 0 the outline stays convex; ρ' is continuous; ρ = 0 where the foot turns on a vertex. Each edge becomes an arc that
sags below it by at most 0.15 ℓ_j w, as a sole does that yields under load. Then h = ξ sin a − ζ cos a and
h' = ξ cos a + ζ sin a exactly. Signs as in `surface`; w is best a little above the turn from edge to edge.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray, as_floats, constants, number
from softstride.contact.surface import Roll
from softstride.errors import InputError

WIDEST = 1.0  # [rad]
STEEPEST = np.pi / 2  # [rad]


@dataclass(frozen=True, eq=False)
class OutlineSurface:
    """A convex outline, by points, that rolls on the ground.

    The foot's origin is that of the points, anywhere; the ground's origin is below it at a = 0, so X(0) = 0 and
    s(0) = ξ of the contact there.

    Attributes:
        points: Points (ξ, ζ) of the sole in foot axes, ξ forward and ζ up, in any order, shape (n, 2), [m]; what is
            not on the lower convex hull never touches the ground and is left out.
        width: w, the tilt over which each edge comes down and lifts [rad].
        hull: The lower convex hull, rear to front, shape (k, 2), [m].

    Raises:
        InputError: Fewer than two places along ξ, or a width outside 0 to 1 rad.
    """

    points: ArrayLike
    width: float = 0.05
    hull: FloatArray = field(init=False)
    _slopes: FloatArray = field(init=False, repr=False)  # φ, (k − 1,)
    _lengths: FloatArray = field(init=False, repr=False)  # L, (k − 1,)
    _start: float = field(init=False, repr=False)  # what s needs so that X(0) = 0

    def __post_init__(self) -> None:
        """Copy, check, and find the edges."""
        points = constants(self.points, None, "points of an outline")
        if points.ndim != 2 or points.shape[1:] != (2,):
            raise InputError(f"points of an outline must have shape (n, 2), however they have {points.shape}")
        width = number(self.width, "width of an outline", 0.0, " rad", open_end=True)
        if width >= WIDEST:
            raise InputError(f"width of an outline must be below {WIDEST:g} rad, however it is {width:g} rad")
        if len(points) < 2 or np.ptp(points[:, 0]) <= 0.0:
            raise InputError("an outline needs at least two points at different places along the foot")
        hull = lower_hull(points)
        edges = np.diff(hull, axis=0)
        hull.setflags(write=False)
        cosines = _kernel_integrals(np.array(width), width)[0]  # ∫ K cos u du over all u
        for name, value in {
            "points": points,
            "width": width,
            "hull": hull,
            "_slopes": np.arctan2(edges[:, 1], edges[:, 0]),
            "_lengths": np.hypot(*edges.T) / cosines,
            "_start": 0.0,
        }.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_start", float(self.dh(0.0) - self.s(0.0)))

    @property
    def valid(self) -> tuple[float, float]:
        """A right angle to both sides: the outline is convex, and beyond it its upper side would touch."""
        return -STEEPEST, STEEPEST

    def outline(self, a: ArrayLike) -> FloatArray:
        """Return the point of contact in foot axes (ξ, ζ), shape (..., 2), [m]."""
        u = self._beyond(a)
        along, across = _kernel_integrals(u, self.width)
        sine, cosine = np.sin(self._slopes), np.cos(self._slopes)
        steps = np.stack(
            [cosine * along - sine * across, sine * along + cosine * across], axis=-1
        )  # (..., k − 1, 2)
        return np.asarray(self.hull[0] + np.sum(self._lengths[:, None] * steps, axis=-2))

    def s(self, a: ArrayLike) -> FloatArray:
        """Return the place of the contact, the centre of pressure, shape of a, [m]."""
        u = np.clip(self._beyond(a) / self.width, -1.0, 1.0)
        share = 0.5 * (1.0 + u) + np.sin(np.pi * u) / (2.0 * np.pi)
        return np.asarray(self._start + share @ self._lengths)

    def h(self, a: ArrayLike) -> FloatArray:
        """Return the height of the foot's origin, shape of a, [m]."""
        return self.roll(a).h

    def dh(self, a: ArrayLike) -> FloatArray:
        """Return h', shape of a, [m/rad]."""
        return self.roll(a).dh

    def X(self, a: ArrayLike) -> FloatArray:
        """Return the place of the foot's origin along the ground, s − h', shape of a, [m]."""
        return self.roll(a).X

    def rho(self, a: ArrayLike) -> FloatArray:
        """Return the radius of curvature, shape of a, [m]; zero on a vertex."""
        u = np.clip(self._beyond(a) / self.width, -1.0, 1.0)
        return np.asarray((1.0 + np.cos(np.pi * u)) @ self._lengths / (2.0 * self.width))

    def drho(self, a: ArrayLike) -> FloatArray:
        """Return ρ', shape of a, [m/rad]."""
        u = np.clip(self._beyond(a) / self.width, -1.0, 1.0)
        return np.asarray(-np.pi * np.sin(np.pi * u) @ self._lengths / (2.0 * self.width**2))

    def roll(self, a: ArrayLike) -> Roll:
        """Return s, h, h' and ρ, each of the shape of a, [m]."""
        tilt, p = as_floats(a, "tilt"), self.outline(a)
        xi, zeta, sine, cosine = p[..., 0], p[..., 1], np.sin(tilt), np.cos(tilt)
        return Roll(self.s(tilt), xi * sine - zeta * cosine, xi * cosine + zeta * sine, self.rho(tilt))

    def scaled(self, factor: float) -> OutlineSurface:
        """Return the same shape with all lengths times `factor`, about the foot's origin."""
        factor = number(factor, "factor of an outline", 0.0, open_end=True)
        return replace(self, points=factor * np.asarray(self.points))

    def mirror(self) -> OutlineSurface:
        """Return the outline with heel and toe exchanged: s(a) becomes −s(−a)."""
        return replace(self, points=np.asarray(self.points) * [-1.0, 1.0])

    def _beyond(self, a: ArrayLike) -> FloatArray:
        """Return a − φ_j, shape (..., k − 1)."""
        return np.asarray(as_floats(a, "tilt")[..., None] - self._slopes)


def lower_hull(points: FloatArray) -> FloatArray:
    """Return the lower convex hull of points in a plane, left to right, shape (k, 2), without points inside an edge.

    Args:
        points: Shape (n, 2), at least two different first components.
    """
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    hull: list[FloatArray] = []
    for point in ordered:
        if hull and point[0] == hull[-1][0]:
            continue  # the lower one came first
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0.0:
            hull.pop()
        hull.append(point)
    return np.array(hull)


def _turn(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _kernel_integrals(u: FloatArray, w: float) -> tuple[FloatArray, FloatArray]:
    """Return ∫_{−w}^{u} K cos v dv and ∫_{−w}^{u} K sin v dv, K(v) = (1 + cos(πv/w)) / 2w, each of the shape of u."""
    u, fast = np.clip(u, -w, w), np.pi / w

    def cosine_part(v: FloatArray) -> FloatArray:
        beats = np.sin((fast + 1.0) * v) / (fast + 1.0) + np.sin((fast - 1.0) * v) / (fast - 1.0)
        return np.asarray(np.sin(v) + 0.5 * beats)

    def sine_part(v: FloatArray) -> FloatArray:
        beats = np.cos((fast + 1.0) * v) / (fast + 1.0) - np.cos((fast - 1.0) * v) / (fast - 1.0)
        return np.asarray(-np.cos(v) - 0.5 * beats)

    end = np.array(-w)
    return (cosine_part(u) - cosine_part(end)) / (2.0 * w), (sine_part(u) - sine_part(end)) / (2.0 * w)
