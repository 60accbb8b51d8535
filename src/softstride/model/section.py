"""Cross-sections of rods: inertia, stiffness and damping of one metre."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import ArrayField, FloatArray, Frozen, constant
from softstride.model.inertia import Inertia


def _definite(value: ArrayLike, what: str) -> FloatArray:
    """Return a symmetric 6x6 matrix without negative eigenvalues; six numbers are its diagonal."""
    matrix = checks.any_array(value, what)
    if matrix.shape == (6,):
        matrix = checks.locked(np.diag(matrix))
    matrix = checks.array(matrix, (6, 6), what)
    # bending [N·m²] and stretching [N] differ by orders of magnitude
    scale = np.sqrt(np.abs(np.diag(matrix)))
    scale[scale == 0.0] = 1.0
    with np.errstate(all="ignore"):
        scaled = matrix / scale[:, None] / scale
        uneven = np.abs(scaled - scaled.T)
    if not np.all(uneven <= 1e-9):
        raise ModelError(f"{what} must be symmetric, however it is {matrix.tolist()}.")
    if np.any(np.diag(matrix) < 0.0) or np.any(np.abs(scaled) > 1.0 + 1e-9) or _lowest(scaled) < -1e-9:
        raise ModelError(
            f"{what} must not be negative (no eigenvalue below zero), however it is {matrix.tolist()}."
        )
    return matrix


def _lowest(matrix: FloatArray) -> float:
    return float(np.linalg.eigvalsh(matrix)[0])


@dataclass(frozen=True, eq=False)
class Section(Frozen):
    """Cross-section of a rod: what one metre of it weighs and how it resists strain.

    Attributes:
        density: Inertia per metre in section axes: mass [kg/m], rotational inertia [kg·m].
        stiffness: K, wrench per strain, shape (6, 6): [N·m²] for curvature, [N] for stretch. Six numbers:
            its diagonal.
        damping: D, wrench per strain rate, shape (6, 6), [N·m²·s] and [N·s]. Six numbers: its diagonal.
    """

    density: Inertia
    stiffness: ArrayField = field(default_factory=constant(np.zeros((6, 6))))
    damping: ArrayField = field(default_factory=constant(np.zeros((6, 6))))

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        if not isinstance(self.density, Inertia):
            raise ModelError(
                f"density of a rod must be an Inertia per metre, however it is {self.density!r}."
            )
        self._set(
            stiffness=_definite(self.stiffness, "stiffness of a rod"),
            damping=_definite(self.damping, "damping of a rod"),
        )

    @classmethod
    def rectangle(
        cls,
        width: float,
        thickness: float,
        density: float,
        young: float,
        shear: float,
        damping: float = 0.0,
        shear_factor: float = 5.0 / 6.0,
    ) -> Section:
        """Return a solid rectangle, width along y and thickness along z.

        K = diag(G J, E Iy, E Iz, E A, k G A, k G A) with Iy = w t³/12, Iz = t w³/12 and Saint-Venant's J;
        density diag(ρ (Iy + Iz), ρ Iy, ρ Iz | ρ A); Kelvin-Voigt damping D = damping · K.

        Args:
            width: Size along y [m].
            thickness: Size along z [m].
            density: Density of the material ρ [kg/m³].
            young: Young's modulus E [Pa].
            shear: Shear modulus G [Pa].
            damping: Retardation time of the material [s].
            shear_factor: Timoshenko's k [-].
        """
        w = positive(width, "width of a rectangle")
        t = positive(thickness, "thickness of a rectangle")
        J = _torsion_of_rectangle(w, t)
        return cls._solid(
            w * t, w * t * t * t / 12.0, t * w * w * w / 12.0, J, density, young, shear, damping, shear_factor
        )

    @classmethod
    def circle(
        cls,
        radius: float,
        density: float,
        young: float,
        shear: float,
        damping: float = 0.0,
        shear_factor: float = 0.9,
    ) -> Section:
        """Return a solid circle: Iy = Iz = π r⁴/4, J = π r⁴/2; the rest as for `rectangle`."""
        r = positive(radius, "radius of a circle")
        second = math.pi * r * r * r * r / 4.0
        return cls._solid(
            math.pi * r * r, second, second, 2.0 * second, density, young, shear, damping, shear_factor
        )

    @classmethod
    def _solid(
        cls,
        A: float,
        Iy: float,
        Iz: float,
        J: float,
        density: float,
        young: float,
        shear: float,
        damping: float,
        k: float,
    ) -> Section:
        rho = checks.number(density, "density of a section", lower=0.0)
        E = checks.number(young, "Young's modulus of a section", lower=0.0)
        G = checks.number(shear, "shear modulus of a section", lower=0.0)
        k = checks.number(k, "shear factor of a section", lower=0.0)
        time = checks.number(damping, "damping of a section", lower=0.0)
        K = np.array([G * J, E * Iy, E * Iz, E * A, k * G * A, k * G * A])
        inertia = Inertia(rho * A, np.zeros(3), np.array([rho * (Iy + Iz), rho * Iy, rho * Iz]))
        return cls(inertia, K, time * K)


def positive(value: object, what: str) -> float:
    """Return `value` as a finite float above zero."""
    result = checks.number(value, what, lower=0.0)
    if result == 0.0:
        raise ModelError(f"{what} must be above zero.")
    return result


def _torsion_of_rectangle(a: float, b: float) -> float:
    """Return Saint-Venant's torsion constant [m⁴] of a rectangle a by b [m].

    J = a b³/3 [1 - (192 b)/(π⁵ a) Σ_{n odd} tanh(n π a / 2 b) / n⁵] with a ≥ b; the terms fall like n⁻⁵.
    """
    a, b = max(a, b), min(a, b)
    n = np.arange(1.0, 200.0, 2.0)
    total = float(np.sum(np.tanh(n * (math.pi / 2.0) * min(a / b, 50.0)) / n**5))
    return a * b * b * b / 3.0 * (1.0 - 192.0 * b / (math.pi**5 * a) * total)
