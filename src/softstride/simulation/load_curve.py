"""Force-deflection curves of a blade: fits, work and what is lost in a cycle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError, SimulationError
from softstride.model.blade import Blade

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CurveFit:
    """Least-squares fits through the origin of one force-deflection curve.

    Attributes:
        linear: k of F = k δ [N/m].
        quadratic: (b, c) of F = b δ + c δ², shape (2,), [N/m] and [N/m²].
        r2_linear: 1 - residual sum of squares / sum of squares about the mean.
        r2_quadratic: Likewise; never below `r2_linear`, since the line is one of the parabolas. What counts is by
            how much it is above.
    """

    linear: float
    quadratic: FloatArray
    r2_linear: float
    r2_quadratic: float


@dataclass(frozen=True, eq=False)
class LoadTest:
    """What a virtual load test found; axis 0 is the angle, axis 1 the load, of which the first is zero.

    Attributes:
        blade: The blade.
        angles: Turn of the clamp [rad], shape (a,); positive turns the toe down.
        force: Force across the ground [N], shape (a, m).
        deflection: How far the clamp came down [m], shape (a, m).
        contact: Arc length where the ground pushes [m], shape (a, m).
        energy: Energy stored in the blade [J], shape (a, m).
        strain: Largest strain of the material: change of curvature times half the thickness (and width) in the segment
            where it is largest, shape (a, m).
        q: Strains of the rod, shape (a, m, nq).
        dissipated: Energy lost in loading and unloading at `duration`, first order in the damping [J], shape (a,); NaN
            unless all loads converged.
        energy_return: Work returned over work put in, shape (a,); NaN unless all loads converged, loading and, with
            friction, unloading; NaN too where the toe `sticks`.
        duration: Of the cycle from no load to no load [s].
        friction: Coefficient of friction of the ground.
        converged: Whether an equilibrium with one place of contact was found on the curve that
            starts at no load, shape (a, m); numbers are NaN where not, and `force` is the load asked for.
    """

    blade: Blade
    angles: FloatArray
    force: FloatArray
    deflection: FloatArray
    contact: FloatArray
    energy: FloatArray
    strain: FloatArray
    q: FloatArray
    dissipated: FloatArray
    energy_return: FloatArray
    duration: float
    friction: float
    converged: BoolArray

    @property
    def fits(self) -> tuple[CurveFit, ...]:
        """Linear and quadratic fit of each angle."""
        return tuple(
            fit_curve(d[ok], f[ok]) if ok.sum() > 2 else CurveFit(np.nan, np.full(2, np.nan), np.nan, np.nan)
            for d, f, ok in zip(self.deflection, self.force, self.converged, strict=True)
        )

    @property
    def stiffness(self) -> FloatArray:
        """Largest force over its deflection at each angle, the secant stiffness, shape (a,), [N/m].

        Raises:
            SimulationError: At some angle the blade gave way before the first load.
        """
        for angle, ok, force in zip(self.angles, self.converged, self.force, strict=True):
            if ok.sum() < 2:
                raise SimulationError(
                    f"blade {self.blade.name!r} gives way before the first load of {force[1]:.0f} N at "
                    f"{np.degrees(angle):g} degrees, so that it has no stiffness there: take smaller loads."
                )
        last = [int(np.flatnonzero(ok)[-1]) for ok in self.converged]
        rows = np.arange(len(last))
        return np.asarray(self.force[rows, last] / self.deflection[rows, last])

    @property
    def gives_way(self) -> FloatArray:
        """First load without an equilibrium on the curve at each angle, shape (a,), [N]; NaN where all have one."""
        rows = zip(self.force, self.converged, strict=True)
        return np.array([np.nan if ok.all() else f[int(np.argmin(ok))] for f, ok in rows])

    @property
    def sticks(self) -> BoolArray:
        """Whether friction would hold the toe at each angle, shape (a,): more energy is stored than the clamp put in.

        Friction that acts against sliding takes energy. Where it gives energy the toe moves with it, so that the toe
        would not slide but stick, and the curve, which lets it slide, is not that of a blade on such a ground.
        """
        rows = zip(self.force, self.deflection, self.energy, self.converged, strict=True)
        return np.array([self.friction > 0.0 and pushed(f[ok], d[ok], u[ok]) for f, d, u, ok in rows])

    def deflection_at(self, force: float) -> FloatArray:
        """Return the deflection at a force [N], interpolated along each curve, shape (a,), [m]; NaN beyond its end."""
        rows = zip(self.force, self.deflection, self.converged, strict=True)
        return np.array([np.interp(force, f[ok], d[ok], right=np.nan) for f, d, ok in rows])


def fit_curve(deflection: ArrayLike, force: ArrayLike) -> CurveFit:
    """Fit F = k δ and F = b δ + c δ² to a curve.

    Args:
        deflection: δ [m], shape (m,), three points or more.
        force: F [N], shape (m,).
    """
    d, f = (np.asarray(values, dtype=np.float64) for values in (deflection, force))
    if d.ndim != 1 or d.shape != f.shape or np.unique(d).size < 3:
        raise InputError(
            f"a fit needs three different points or more, however there are {d.shape} and {f.shape}."
        )
    size = float(np.max(np.abs(d)))
    x = d / size
    spread = float(np.sum((f - f.mean()) ** 2))

    def solve(columns: FloatArray) -> tuple[FloatArray, float]:
        solution: FloatArray = np.asarray(np.linalg.lstsq(columns, f, rcond=None)[0], dtype=np.float64)
        return solution, 1.0 - float(np.sum((f - columns @ solution) ** 2)) / spread

    line, r2_line = solve(x[:, None])
    parabola, r2_parabola = solve(np.column_stack([x, x * x]))
    return CurveFit(float(line[0]) / size, parabola / np.array([size, size**2]), r2_line, r2_parabola)


def pushed(force: FloatArray, deflection: FloatArray, energy: FloatArray) -> bool:
    """Whether more energy [J] is stored at the end of a curve than ∫ F dδ, by more than 2 %."""
    return bool(energy[-1] > 1.02 * np.trapezoid(force, deflection))


def work(deflection: FloatArray, force: FloatArray) -> float:
    """Return ∫ F dδ over a curve from its first to its last point [J], by a cubic spline."""
    from scipy.interpolate import CubicSpline

    return float(CubicSpline(deflection, force).integrate(deflection[0], deflection[-1]))


def viscous_loss(blade: Blade, deflection: FloatArray, q: FloatArray, duration: float) -> float:
    """Return the energy lost in the material while the deflection rises and falls as half a sine [J].

    ∫ Σ L q̇ᵀ D q̇ dt along the path of static equilibria, δ = δ_max sin(π t / T), where
    ∫ (dq/dδ)² δ̇² dt = 2 (π/T) ∫ (dq/dδ)² sqrt(δ_max² - δ²) dδ; first order in the damping, inertia left out.

    Args:
        blade: The blade.
        deflection: From zero to δ_max, increasing, shape (m,), [m].
        q: Strains at each, shape (m, nq).
        duration: T, from no load to no load [s].
    """
    from scipy.interpolate import CubicSpline

    matrix = np.zeros((q.shape[1], q.shape[1]))
    start = 0
    for segment in blade.rod.segments:
        free, end = list(segment.free_indices), start + len(segment.free)
        matrix[start:end, start:end] = segment.length * segment.damping[np.ix_(free, free)]
        start = end
    path = CubicSpline(deflection, q)
    angle = np.linspace(0.0, 0.5 * np.pi, 401)  # δ = δ_max sin(angle), dδ = δ_max cos(angle) d angle
    top = float(deflection[-1])
    rate = path(top * np.sin(angle), 1)
    power = np.einsum("ki,ij,kj->k", rate, matrix, rate) * (top * np.cos(angle)) ** 2
    return float(2.0 * np.pi / duration * np.trapezoid(power, angle))
