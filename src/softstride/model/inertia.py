"""Mass, centre of mass and rotational inertia of one link, or of one metre of a rod."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import ArrayField, FloatArray, Frozen, constant

SLACK = 1e-6
"""Relative slack of the symmetry, sign and triangle checks: files round inertias to six or more digits."""


@dataclass(frozen=True, eq=False)
class Inertia(Frozen):
    """Inertia of a rigid body in its link frame.

    The rotational inertia of real mass has principal moments a ≤ b ≤ c with a ≥ 0 and c ≤ a + b. Published
    models break the second rule now and then (the toes of several OpenSim models); `physical=False` accepts
    them as they are.

    Attributes:
        mass: Mass [kg]; for a rod section [kg/m].
        com: Centre of mass in link axes, shape (3,), [m].
        matrix: Rotational inertia about the centre of mass in link axes, shape (3, 3), [kg·m²]; for a rod
            section [kg·m]. Three numbers are taken as its diagonal.
        physical: Whether the triangle inequality is required of the principal moments.
    """

    mass: float = 0.0
    com: ArrayField = field(default_factory=constant(np.zeros(3)))
    matrix: ArrayField = field(default_factory=constant(np.zeros((3, 3))))
    physical: bool = True

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        matrix = checks.any_array(self.matrix, "inertia matrix")
        if matrix.shape == (3,):
            matrix = checks.locked(np.diag(matrix))
        matrix = checks.array(matrix, (3, 3), "inertia matrix")
        self._set(
            mass=checks.number(self.mass, "mass", lower=0.0),
            com=checks.array(self.com, (3,), "centre of mass"),
            matrix=_symmetric(matrix),
            physical=bool(self.physical),
        )
        _check_moments(self.matrix, self.physical)

    @classmethod
    def zero(cls) -> Inertia:
        """Return the inertia of nothing."""
        return cls()

    @classmethod
    def ellipsoid(cls, mass: float, half: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Inertia:
        """Return a solid ellipsoid along the link axes: I = m/5 diag(b² + c², a² + c², a² + b²).

        Args:
            mass: Mass [kg].
            half: Half axes a, b, c, shape (3,), [m].
            com: Centre in the link frame, shape (3,), [m].
        """
        squares = checks.array(half, (3,), "half axes of an ellipsoid") ** 2
        return cls(mass, com, checks.number(mass, "mass", lower=0.0) / 5.0 * (np.sum(squares) - squares))

    def shifted(self, T: ArrayLike) -> Inertia:
        """Express the same body in another frame: c' = R c + p, I' = R I Rᵀ.

        Args:
            T: Pose of the present frame in the new one, T_new_old, shape (4, 4).

        Returns:
            The inertia in the new frame.
        """
        H = checks.pose(T, "shift of an inertia")
        R, p = H[:3, :3], H[:3, 3]
        return Inertia(self.mass, R @ self.com + p, R @ self.matrix @ R.T, self.physical)

    def __add__(self, other: Inertia) -> Inertia:
        """Join two bodies given in the same frame (parallel axis theorem about the common centre of mass)."""
        if not isinstance(other, Inertia):
            return NotImplemented
        mass = self.mass + other.mass
        if mass > 0.0:
            com = (self.mass / mass) * self.com + (other.mass / mass) * other.com
            arm = other.com - self.com
            reduced = (self.mass / mass) * other.mass
        else:
            com, arm, reduced = self.com, np.zeros(3), 0.0
        steiner = reduced * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
        return Inertia(mass, com, self.matrix + other.matrix + steiner, self.physical and other.physical)

    def spatial(self) -> FloatArray:
        """Return the spatial inertia about the frame's origin, angular first.

        [[I - m ĉ ĉ, m ĉ], [-m ĉ, m E]], shape (6, 6): momentum = spatial() @ [ω; v].
        """
        x, y, z = self.com
        c = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        m = self.mass
        return np.block([[self.matrix - m * c @ c, m * c], [-m * c, m * np.eye(3)]])


def _symmetric(matrix: FloatArray) -> FloatArray:
    size = float(np.max(np.abs(matrix)))
    if np.max(np.abs(matrix / 2 - matrix.T / 2)) > SLACK * size:
        raise ModelError(f"inertia matrix must be symmetric, however it is {matrix.tolist()}.")
    return checks.locked(matrix / 2 + matrix.T / 2)


def _check_moments(matrix: FloatArray, physical: bool) -> None:
    size = float(np.max(np.abs(matrix)))
    if size < 1e-290:
        return
    a, b, c = np.linalg.eigvalsh(matrix / size)
    moments = [float(value) * size for value in (a, b, c)]
    if a < -SLACK:
        raise ModelError(
            f"inertia matrix must have no negative principal moment, however they are {moments}."
        )
    if physical and c - a - b > SLACK * c:
        raise ModelError(
            f"inertia matrix must obey the triangle inequality (largest principal moment at most the sum "
            f"of the other "
            f"two), however they are {moments}. Check the axes and that it is about the centre of mass; "
            f"Inertia(..., physical=False) accepts it as it is."
        )
