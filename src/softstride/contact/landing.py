"""A foot that strikes the ground and stays: the plastic impact onto a rolling joint, or any other rows.

    M (v⁺ − v⁻) = Jᵀ Λ,     J v⁺ = 0,     lost = (v⁻ − v⁺)ᵀ M (v⁻ − v⁺)/2  (Carnot).

With the rows of a `RollingJoint` at the tilt of the strike, the foot rolls from then on; the impulses Λ are the
ground's and act at the contact. No coordinate changes: the foot may strike at any tilt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softstride.contact.inputs import FloatArray, constants
from softstride.errors import InputError, SimulationError


@dataclass(frozen=True, eq=False)
class Landing:
    """What a plastic impact did.

    Attributes:
        velocity: v⁺, shape (n,), with J v⁺ = 0.
        impulse: Λ, shape (rows,), [N s]; for the rows of a rolling joint along x and z.
        energy_lost: [J], never below zero.
    """

    velocity: FloatArray
    impulse: FloatArray
    energy_lost: float


def plastic_landing(mass_matrix: ArrayLike, rows: ArrayLike, velocity: ArrayLike) -> Landing:
    """Return the velocity just after rows took hold without rebound.

    Args:
        mass_matrix: M, shape (n, n), symmetric and positive definite.
        rows: J, shape (rows, n), independent.
        velocity: v⁻, shape (n,).

    Raises:
        InputError: Shapes that do not fit.
        SimulationError: A mass matrix that is not positive definite, or rows that depend on each other.
    """
    v = constants(velocity, None, "velocity of a landing")
    J = constants(rows, None, "rows of a landing")
    if v.ndim != 1 or J.ndim != 2 or J.shape[1] != len(v):
        raise InputError(
            f"velocity and rows of a landing must have shapes (n,) and (rows, n), however they have {v.shape} and "
            f"{J.shape}"
        )
    M = constants(mass_matrix, (len(v), len(v)), "mass matrix of a landing")
    try:
        root = np.linalg.cholesky(M)
        G = np.linalg.solve(root, J.T)  # (n, rows)
        basis, upper = np.linalg.qr(G)
        if np.abs(np.diag(upper)).min(initial=np.inf) <= 1e-12 * np.abs(upper).max(initial=0.0):
            raise np.linalg.LinAlgError("dependent rows")
    except np.linalg.LinAlgError as problem:
        raise SimulationError(
            "a landing needs a positive definite mass matrix and independent rows; leave out rows that say the same"
        ) from problem
    lost = basis @ (basis.T @ (root.T @ v))  # in mass-weighted coordinates
    impulse = -np.linalg.solve(upper, basis.T @ (root.T @ v))
    return Landing(v - np.linalg.solve(root.T, lost), impulse, float(0.5 * lost @ lost))
