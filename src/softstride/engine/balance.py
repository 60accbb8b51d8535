"""Energy, momentum and the centre of mass, all frames at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs
from softstride.engine.kernels.composite import INERTIA_ROWS
from softstride.engine.kernels.crba import crba_rows, momentum_matrices
from softstride.engine.kernels.momentum import TOTALS, momenta
from softstride.engine.kernels.tables import INERTIA
from softstride.engine.passive import elastic_energy
from softstride.engine.plan import plan
from softstride.engine.run import run
from softstride.errors import InputError, ModelError
from softstride.model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Energy:
    """Energies of every frame, shape (n_frames,), in [J]; gravity is zero for mass at the world's origin."""

    kinetic: Array
    gravity: Array
    elastic: Array

    @property
    def total(self) -> Array:
        """Their sum."""
        return self.kinetic + self.gravity + self.elastic


def energy(model: Model, q: ArrayLike, v: ArrayLike) -> Energy:
    """Return kinetic energy, potential energy in gravity and elastic energy (rods and springs)."""
    array, single = inputs.configuration(model, q)
    velocity = inputs.tangent(model, v, "v", len(array))
    state = _momenta(model, array, velocity, velocity)
    gravity = -state[:, 13:16] @ np.asarray(model.gravity)
    elastic = np.atleast_1d(elastic_energy(model, array))
    parts = (state[:, 16], gravity, elastic)
    return Energy(*(x[0] for x in parts)) if single else Energy(*parts)


def centre_of_mass(model: Model, q: ArrayLike) -> Array:
    """Return the world position of the centre of mass of all that moves, shape (n_frames, 3), in [m].

    What is fixed to the world does not count, as in `moving_mass`.
    """
    array, single = inputs.configuration(model, q)
    _, whole = _momentum_matrices(model, array)
    com = whole[:, 1:4] / moving_mass(model)
    return com[0] if single else com


def com_velocity(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the velocity of the centre of mass in world axes, shape (n_frames, 3), in [m/s]."""
    return momentum(model, q, v)[..., 3:] / moving_mass(model)


def com_jacobian(model: Model, q: ArrayLike) -> Array:
    """Return the Jacobian of the centre of mass, velocity = J v, shape (n_frames, 3, nv)."""
    return momentum_matrix(model, q, about="origin")[..., 3:, :] / moving_mass(model)


def com_jacobian_dot_v(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the acceleration of the centre of mass at a = 0, shape (n_frames, 3), in [m/s^2]."""
    still = np.zeros_like(inputs.numbers(v, "v"))
    return momentum_rate(model, q, v, still)[..., 3:] / moving_mass(model)


def momentum(model: Model, q: ArrayLike, v: ArrayLike, about: str = "origin") -> Array:
    """Return the spatial momentum [angular; linear] in world axes about the world's origin or the centre of mass.

    Returns:
        Shape (n_frames, 6), in [kg m^2/s] and [kg m/s].
    """
    array, single = inputs.configuration(model, q)
    velocity = inputs.tangent(model, v, "v", len(array))
    state = _momenta(model, array, velocity, velocity)
    h = _about(model, about, state[:, :6], state[:, 13:16])
    return h[0] if single else h


def momentum_rate(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, about: str = "origin") -> Array:
    """Return the time derivative of `momentum`: the sum of all external wrenches, gravity included.

    About the centre of mass it is the moment about that moving point, which there equals the derivative.
    """
    array, single = inputs.configuration(model, q)
    velocity, acceleration = (
        inputs.tangent(model, v, "v", len(array)),
        inputs.tangent(model, a, "a", len(array)),
    )
    state = _momenta(model, array, velocity, acceleration)
    rate = _about(model, about, state[:, 6:12], state[:, 13:16])
    return rate[0] if single else rate


def momentum_matrix(model: Model, q: ArrayLike, about: str = "com") -> Array:
    """Return A with momentum = A v, about the centre of mass (the centroidal momentum matrix) or the origin.

    Returns:
        Shape (n_frames, 6, nv), rows [angular; linear] in world axes.
    """
    array, single = inputs.configuration(model, q)
    A, whole = _momentum_matrices(model, array)
    if _checked(about) == "com":
        com = whole[:, 1:4] / moving_mass(model)
        A[:, :3] -= np.cross(com[:, :, None], A[:, 3:], axis=1)
    return A[0] if single else A


def _checked(about: str) -> str:
    if about not in ("com", "origin"):
        raise InputError(f'about must be "origin" or "com", however it is {about!r}')
    return about


def _about(model: Model, about: str, h: Array, first_moment: Array) -> Array:
    """Return a force-like vector about the origin or the centre of mass."""
    if _checked(about) == "com":
        h = h.copy()
        h[:, :3] -= np.cross(first_moment / moving_mass(model), h[:, 3:])
    return h


def moving_mass(model: Model) -> float:
    """Return the mass of all that can move, in [kg]: `Model.mass` without links fixed to the world."""
    tree = plan(model).tree
    mass = float(tree.constants[tree.stations[1:, INERTIA]].sum())
    if mass <= 0.0:
        raise ModelError(f"nothing that moves in model {model.name!r} has mass, so it has no centre of mass")
    return mass


def _momenta(model: Model, q: Array, v: Array, a: Array) -> Array:
    p = plan(model)
    out = np.empty((len(q), TOTALS))
    run(momenta, (p.weightless,), (p.q_in(q), p.v_in(v), p.v_in(a)), (out,), p.sweep_rows + TOTALS)
    return out


def _momentum_matrices(model: Model, q: Array) -> tuple[Array, Array]:
    p = plan(model)
    A, whole = np.empty((len(q), 6 * model.nv)), np.empty((len(q), INERTIA_ROWS))
    run(momentum_matrices, (p.tree,), (p.q_in(q),), (A, whole), p.sweep_rows + crba_rows(p.tree))
    return p.v_out(A.reshape(len(q), 6, model.nv)), whole
