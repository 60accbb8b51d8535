r"""Forces at points of a model that follow from where the points are and how fast they move: contact, springs.

The force f(x, u) acts at x = c + r, c a point of the model and r an arm that keeps its direction in the world (the
lowest point of a sphere); u = dc/dt + omega x r is the velocity of the material point there. Then

    tau = sum J_x^T f,     J_x = J_c - r x J_omega,
    dtau/dq = sum J_x^T (f_x J_c + f_u d(J_x v)/dq) + d(J_x^T)/dq f,      dtau/dv = sum J_x^T f_u J_x,

with f_x and f_u from the law. Only the derivatives of the smooth J_x are found by central differences, so that a
contact may be as stiff as it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.engine.manifold import integrate
from softstride.errors import InputError
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.spatial import so3

FloatArray = NDArray[np.float64]

DIFFERENCE = 6e-6
"""Step of central differences of smooth functions, the cube root of the machine precision."""


@runtime_checkable
class PointLaw(Protocol):
    """A law of n points: forces by places and velocities, and how they change."""

    def force(self, x: FloatArray, u: FloatArray) -> FloatArray:
        """Return f, shape (F, n, 3), [N], for places and velocities of the same shape, [m] and [m/s], world axes."""

    def slopes(self, x: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return df/dx and df/du, each of shape (F, n, 3, 3), [N/m] and [N·s/m]."""


@dataclass(frozen=True, eq=False)
class PointForces:
    """Forces of a law at points of a model, a stiff force field.

    Attributes:
        places: Where the points c are.
        law: The law.
        arms: The arms r in world axes, shape (n, 3), [m]; None: zero.
    """

    places: tuple[Frame, ...]
    law: PointLaw
    arms: FloatArray | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        places = tuple(self.places)
        if not places or not all(isinstance(place, Frame) for place in places):
            raise InputError(
                f"places of point forces must be one or more Frames, however they are {places!r}."
            )
        if not isinstance(self.law, PointLaw):
            raise InputError(f"law of point forces must have force and slopes, however {self.law!r} has not.")
        arms = np.zeros((len(places), 3)) if self.arms is None else np.array(self.arms, dtype=np.float64)
        if arms.shape != (len(places), 3) or not np.isfinite(arms).all():
            raise InputError(
                f"arms of point forces must be finite, shape ({len(places)}, 3), however {arms.shape}."
            )
        arms.setflags(write=False)
        object.__setattr__(self, "places", places)
        object.__setattr__(self, "arms", arms)

    def forces(self, model: Model, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        """Return tau, shape (F, nv)."""
        x, _, J = self.kinematics(model, q)
        f = self.law.force(x, _times(J, v))
        return np.asarray(np.einsum("fnij,fni->fj", J, f))

    def at_points(self, model: Model, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the forces and where they act, each of shape (F, n, 3), [N] and [m]."""
        x, _, J = self.kinematics(model, q)
        return self.law.force(x, _times(J, v)), x

    def derivatives(
        self, model: Model, t: float, q: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return dtau/dx and dtau/dv at one state, each of shape (nv, nv)."""
        x, centre, J = (part[0] for part in self.kinematics(model, q[None]))
        u = J @ v
        f = self.law.force(x[None], u[None])[0]
        by_x, by_u = (part[0] for part in self.law.slopes(x[None], u[None]))
        acting = np.flatnonzero(np.abs(f).sum(axis=1) + np.abs(by_x).sum(axis=(1, 2)))
        nv = model.nv
        if not len(acting):
            return np.zeros((nv, nv)), np.zeros((nv, nv))
        J, centre, f, by_x, by_u = (part[acting] for part in (J, centre, f, by_x, by_u))
        bent, drift = self._changes(model, q, v, f, acting)
        change = by_x @ centre + by_u @ drift
        return (
            np.asarray(np.einsum("nij,nik->jk", J, change) + bent),
            np.asarray(np.einsum("nij,nik->jk", J, by_u @ J)),
        )

    def _changes(
        self, model: Model, q: FloatArray, v: FloatArray, f: FloatArray, acting: NDArray[np.intp]
    ) -> tuple[FloatArray, FloatArray]:
        """Return d(J_x^T f)/dq at constant f, (nv, nv), and d(J_x v)/dq of the points that act, (n, 3, nv)."""
        nv = model.nv
        moves = DIFFERENCE * np.concatenate([np.eye(nv), -np.eye(nv)])
        _, _, J = self.kinematics(model, integrate(model, q, moves))
        J = (J[:nv, acting] - J[nv:, acting]) / (2.0 * DIFFERENCE)  # (moved, n, 3, nv)
        return np.einsum("mnij,ni->jm", J, f), np.einsum("mnij,j->nim", J, v)

    def kinematics(self, model: Model, q: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return x (F, n, 3), J_c and J_x (F, n, 3, nv), in world axes."""
        T = engine.poses(model, q, self.places)
        J = engine.jacobian(model, q, self.places)  # (F, n, 6, nv), body-fixed
        R = T[..., :3, :3]
        arms = np.asarray(self.arms)
        centre = R @ J[..., 3:, :]
        return T[..., :3, 3] + arms, centre, centre - so3.hat(arms) @ R @ J[..., :3, :]


def _times(J: FloatArray, v: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("fnij,fj->fni", J, v))
