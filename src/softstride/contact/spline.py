"""Any convex rollover as a rolling surface: the radius of curvature as a piecewise polynomial of the tilt.

On the piece from break b_j on, with u = a − b_j,

    ρ = Σ_k c_kj u^k,     s = s_j + Σ_k c_kj u^{k+1}/(k + 1),
    h = h_j cos u + h'_j sin u + Σ_k c_kj S_k(u),      S_k(u) = ∫_0^u t^k sin(u − t) dt,

and h' its derivative, with S_0' = sin u and S_k' = k S_{k−1}; so h + h'' = ρ and s' = ρ hold exactly, whatever the
polynomials. S_k are closed forms; what is summed is their series S_k = (u^{k+2} − S_{k+2}) / ((k + 1)(k + 2)), since
the closed forms cancel for small u. Before the first and beyond the last break ρ goes on as a constant, a round heel
and a round toe. Signs as in `surface`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline, PchipInterpolator, PPoly

from softstride.contact.inputs import FloatArray, as_floats, bounded, constants, number
from softstride.contact.spline_pieces import least_radius, on_piece, polynomial, shifted
from softstride.contact.surface import Roll
from softstride.errors import InputError

STEEPEST = np.pi / 2  # [rad]


@dataclass(frozen=True, eq=False)
class SplineSurface:
    """A sole of any convex shape, by splines in the tilt.

    Attributes:
        breaks: Tilts at which the pieces meet, shape (k + 1,), increasing, [rad].
        radius: Coefficients c of ρ on each piece, lowest power first, shape (m, k), [m/rad^power].
        contact: (ξ, ζ) of the point that touches the ground at a = 0 in foot axes, shape (2,), [m]. The ground's origin
            is below the foot's origin at a = 0, so X(0) = 0 and s(0) = ξ.

    Raises:
        InputError: Wrong shapes, breaks that do not increase, or ρ below zero somewhere.
    """

    breaks: ArrayLike
    radius: ArrayLike
    contact: ArrayLike = (0.0, 0.0)
    _pieces: FloatArray = field(init=False, repr=False)  # c with the two outer pieces, (m, k + 2)
    _starts: FloatArray = field(init=False, repr=False)  # tilt from which u counts, (k + 2,)
    _states: FloatArray = field(init=False, repr=False)  # s, h and h' there, (3, k + 2)

    def __post_init__(self) -> None:
        """Copy, check, and chain the pieces."""
        breaks = constants(self.breaks, None, "breaks of a spline surface")
        if breaks.ndim != 1 or len(breaks) < 2 or np.any(np.diff(breaks) <= 0.0):
            raise InputError(
                f"breaks of a spline surface must be at least two increasing tilts, however they are {breaks.tolist()}"
            )
        radius = constants(self.radius, None, "radius of a spline surface")
        if radius.ndim != 2 or radius.shape[1] != len(breaks) - 1:
            raise InputError(
                f"radius of a spline surface must have shape (m, {len(breaks) - 1}), one column for each piece, "
                f"however it has {radius.shape}"
            )
        contact = constants(self.contact, (2,), "contact of a spline surface")
        for name, value in {"breaks": breaks, "radius": radius, "contact": contact}.items():
            object.__setattr__(self, name, value)
        least, at = least_radius(breaks, radius)
        if least < 0.0:
            raise InputError(
                f"radius of a spline surface must be at least 0 m, however it is {least:.3g} m at tilt {at:.4g} rad, "
                "where the sole would be concave; fit_spline_surface keeps it above rho_min"
            )
        self._chain(breaks, radius)

    @classmethod
    def arc(cls, radius: float, contact: ArrayLike = (0.0, 0.0)) -> SplineSurface:
        """Return a circle of a radius [m]; with contact (0, −radius) the foot's origin is its centre."""
        return cls([-1.0, 1.0], [[number(radius, "radius of an arc", 0.0, " m")]], contact)

    @classmethod
    def from_radius(cls, a: ArrayLike, rho: ArrayLike, contact: ArrayLike = (0.0, 0.0)) -> SplineSurface:
        """Return the surface whose radius goes through given values without overshoot: ρ' is continuous.

        Between two tilts ρ stays between their values (monotone cubic interpolation [Fritsch1984]), so it is as convex
        as the values are.

        Args:
            a: Tilts, shape (n,), increasing, [rad].
            rho: Radii of curvature there, shape (n,), not below zero, [m].
            contact: See the class.
        """
        a, rho = _curve(a, bounded(rho, "rho of a spline surface", 0.0, " m"), "rho")
        spline = PchipInterpolator(a, rho)
        return cls(spline.x, spline.c[::-1], contact)

    @classmethod
    def from_bsplines(
        cls, knots: ArrayLike, radii: ArrayLike, contact: ArrayLike = (0.0, 0.0), *, degree: int = 3
    ) -> SplineSurface:
        """Return the surface ρ = Σ radii_j B_j: convex if no number is below zero, smooth whatever they are rounded to.

        Args:
            knots: Clamped (the first and the last `degree` + 1 times), shape (m + degree + 1,), [rad].
            radii: Shape (m,), not below zero, [m].
            contact: See the class.
            degree: Of the B-splines.
        """
        knots = constants(knots, None, "knots of a spline surface")
        radii = bounded(radii, "radii of a spline surface", 0.0, " m")
        if radii.ndim != 1 or knots.shape != (len(radii) + degree + 1,) or np.any(np.diff(knots) < 0.0):
            raise InputError(
                f"a spline surface with radii of shape {radii.shape} needs {degree + 1} knots more than radii, none of "
                f"them falling behind, however knots have shape {knots.shape}"
            )
        spline = PPoly.from_spline(BSpline(knots, radii, degree))
        long = np.diff(spline.x) > 0.0
        return cls(spline.x[np.concatenate([long, [True]])], spline.c[::-1][:, long], contact)

    @classmethod
    def from_places(
        cls, a: ArrayLike, s: ArrayLike, contact: ArrayLike = (0.0, 0.0), *, rho_min: float = 0.0
    ) -> SplineSurface:
        """Return the surface whose contact goes through given places without turning back: ρ is continuous.

        s − rho_min a is interpolated by a monotone cubic [Fritsch1984], so ρ ≥ rho_min between the tilts too.

        Args:
            a: Tilts, shape (n,), increasing, [rad].
            s: Places of the contact along the ground, shape (n,), from any origin, [m].
            contact: See the class; its ξ is s(0), whatever the origin of s was.
            rho_min: Least radius of curvature [m].

        Raises:
            InputError: Places that advance by less than rho_min a: noisy ones want `fit_spline_surface`.
        """
        rho_min = number(rho_min, "rho_min", 0.0, " m")
        a, s = _curve(a, constants(s, None, "s of a spline surface"), "s")
        rise = s - rho_min * a
        if np.any(np.diff(rise) < 0.0):
            row = int(np.argmax(np.diff(rise) < 0.0))
            raise InputError(
                f"s of a spline surface must advance with the tilt by at least rho_min = {rho_min:g} m/rad, however it "
                f"goes from {s[row]:g} to {s[row + 1]:g} m after row {row}; fit_spline_surface smooths noisy places"
            )
        slope = PchipInterpolator(a, rise).derivative()
        radius = np.array(slope.c[::-1])
        radius[0] += rho_min
        return cls(slope.x, radius, contact)

    @property
    def valid(self) -> tuple[float, float]:
        """A right angle to both sides: ρ ≥ 0 everywhere, as a constant beyond the breaks."""
        return -STEEPEST, STEEPEST

    def roll(self, a: ArrayLike) -> Roll:
        """Return s, h, h' and ρ, each of the shape of a, [m]."""
        return on_piece(*self._place(a))

    def s(self, a: ArrayLike) -> FloatArray:
        """Return the place of the contact, the centre of pressure, shape of a, [m]."""
        return self.roll(a).s

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
        """Return the radius of curvature, shape of a, [m]."""
        u, c, _ = self._place(a)
        return polynomial(u, c)

    def drho(self, a: ArrayLike) -> FloatArray:
        """Return ρ', shape of a, [m/rad]; at a break that of the piece after it."""
        u, c, _ = self._place(a)
        return polynomial(u, np.arange(1, len(c)).reshape(-1, *[1] * u.ndim) * c[1:])

    def outline(self, a: ArrayLike) -> FloatArray:
        """Return the point of contact in foot axes, ξ = h' cos a + h sin a, ζ = h' sin a − h cos a, (..., 2), [m]."""
        tilt = as_floats(a, "tilt")
        _, h, dh, _ = self.roll(tilt)
        sine, cosine = np.sin(tilt), np.cos(tilt)
        return np.stack([dh * cosine + h * sine, dh * sine - h * cosine], axis=-1)

    def scaled(self, factor: float) -> SplineSurface:
        """Return the same shape with all lengths times `factor`, the tilts as they are."""
        factor = number(factor, "factor of a spline surface", 0.0, open_end=True)
        return replace(
            self, radius=factor * np.asarray(self.radius), contact=factor * np.asarray(self.contact)
        )

    def mirror(self) -> SplineSurface:
        """Return the surface with heel and toe exchanged: s(a) becomes −s(−a)."""
        breaks, radius = np.asarray(self.breaks), np.asarray(self.radius)
        turned = shifted(radius, np.diff(breaks)) * (-1.0) ** np.arange(len(radius))[:, None]
        return SplineSurface(-breaks[::-1], turned[:, ::-1], np.asarray(self.contact) * [-1.0, 1.0])

    def _place(self, a: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return u, the coefficients (m, ...) and the starts (3, ...) of the piece of each tilt."""
        tilt = as_floats(a, "tilt")
        piece = np.searchsorted(np.asarray(self.breaks), tilt, side="right")
        return tilt - self._starts[piece], self._pieces[:, piece], self._states[:, piece]

    def _chain(self, breaks: FloatArray, radius: FloatArray) -> None:
        """Set what holds at the start of every piece, so that s, h and h' are continuous and known at a = 0."""
        ends = np.zeros((len(radius), 2))
        ends[0] = radius[0, 0], shifted(radius, np.diff(breaks))[0, -1]
        pieces = np.concatenate([ends[:, :1], radius, ends[:, 1:]], axis=1)
        starts = np.concatenate([breaks[:1], breaks])
        states = np.zeros((3, len(starts)))
        for name, value in {"_pieces": pieces, "_starts": starts, "_states": states}.items():
            object.__setattr__(self, name, value)
        for j in range(1, len(starts) - 1):
            states[:, j + 1] = on_piece(np.diff(breaks)[j - 1], pieces[:, j], states[:, j])[:3]
        s, h, dh, _ = self.roll(0.0)
        xi, zeta = np.asarray(self.contact)
        states[0] += xi - s
        cosine, sine = np.cos(starts), np.sin(starts)
        states[1] += (-zeta - h) * cosine + (xi - dh) * sine
        states[2] += (xi - dh) * cosine - (-zeta - h) * sine
        for array in (pieces, starts, states):
            array.setflags(write=False)


def _curve(a: ArrayLike, values: FloatArray, name: str) -> tuple[FloatArray, FloatArray]:
    a = constants(a, None, "tilts of a spline surface")
    if a.ndim != 1 or a.shape != values.shape or len(a) < 2 or np.any(np.diff(a) <= 0.0):
        raise InputError(
            f"tilts and {name} of a spline surface must be two arrays of at least 2 numbers, the tilts increasing, "
            f"however they have shapes {a.shape} and {values.shape}"
        )
    return a, values
