r"""Errors of masses, of their centres and of moments of inertia, and the generalized forces that they make.

A rigid link of mass m, centre c and rotational inertia I about the centre bears, about its origin and in its axes,

    f = m (a_o + A c),    n = c x f + I alpha + omega x I omega,    A = hat(alpha) + hat(omega)^2,

a_o with gravity, and tau = sum J^T [n; f]. Five errors of each link are independent: of its mass, as a share, I going
along with it; of its centre along each of its axes [m]; of I, as a share, all moments together. The whole body was put
on scales: the errors of the masses are those that also give the total with its own error. For errors of covariance D
that is D - D m m^T D / (m^T D m + s^2).

Rods, and links that were weighed, have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.prepare import State
from softstride.engine.kinematics import accelerations, jacobian, velocities
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.model.link import Link
from softstride.model.model import Model
from softstride.spatial.so3 import hat
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class InertiaErrors:
    """How well the inertia of links is known.

    Attributes:
        links: Those with errors, k of them.
        mass: Standard deviation of each mass, as a share.
        centre: Of each centre along each axis [m].
        inertia: Of the moments of inertia about the centre, as a share.
        total: Of the mass of the body, as a share; None: nobody weighed it.
    """

    links: tuple[Link, ...]
    mass: float
    centre: float
    inertia: float
    total: float | None

    @property
    def any(self) -> bool:
        """Whether anything is uncertain."""
        return bool(self.links) and max(self.mass, self.centre, self.inertia) > 0.0

    def factor(self, whole: float) -> Array:
        """Return a factor X, X X^T = covariance of the shares of the masses, shape (k, k).

        Args:
            whole: Mass of the body [kg].
        """
        k = len(self.links)
        D = self.mass**2 * np.eye(k)
        if self.total is None or self.mass == 0.0:
            return self.mass * np.eye(k)
        m = np.array([link.inertia.mass for link in self.links])
        felt = D @ m
        left = D - np.outer(felt, felt) / (m @ felt + (self.total * whole) ** 2)
        values, axes = np.linalg.eigh(left)
        return np.asarray(axes * np.sqrt(np.maximum(values, 0.0)))


def inertia_errors(
    model: Model, mass: float, centre: float, inertia: float, total: float | None, weighed: tuple[str, ...]
) -> InertiaErrors:
    """Return the errors of a model.

    Raises:
        InputError: A link that was weighed is none of the model's.
    """
    unknown = [name for name in weighed if name not in model.link_names]
    if unknown:
        raise InputError(
            f"weighed names {unknown[0]!r}, which is no link of {model.name!r}; links are "
            f"{names_hint(model.link_names)}"
        )
    links = tuple(
        link for link in model.links if not link.soft and link.inertia.mass > 0.0 and link.name not in weighed
    )
    return InertiaErrors(links, mass, centre, inertia, total)


def inertia_columns(model: Model, state: State, errors: InertiaErrors, threads: int | None = None) -> Array:
    """Return the generalized forces of independent errors of one standard deviation each, shape (n, nv, 5 k)."""
    names = [link.name for link in errors.links]
    n, k = len(state.q), len(names)
    J = jacobian(model, state.q, names, threads=threads)  # (n, k, 6, nv), link axes
    twist = velocities(model, state.q, state.v, names, threads=threads)
    rate = accelerations(model, state.q, state.v, state.a, names, gravity=True, threads=threads)
    omega, alpha = twist[..., :3], rate[..., :3]
    A = hat(alpha) + hat(omega) @ hat(omega)
    mass = np.array([link.inertia.mass for link in errors.links])
    c = np.array([link.inertia.com for link in errors.links])
    matrix = np.array([link.inertia.matrix for link in errors.links])
    felt = rate[..., 3:] + cross(omega, twist[..., 3:]) + np.einsum("nkij,kj->nki", A, c)
    f = mass[:, None] * felt
    spin = np.einsum("kij,nkj->nki", matrix, alpha) + cross(omega, np.einsum("kij,nkj->nki", matrix, omega))
    W = np.zeros((n, k, 6, 5))
    W[..., :3, 0], W[..., 3:, 0] = cross(np.broadcast_to(c, f.shape), f) + spin, f
    W[..., :3, 1:4] = hat(c) @ A * mass[:, None, None] - hat(f)
    W[..., 3:, 1:4] = mass[:, None, None] * A
    W[..., :3, 4] = spin
    columns = np.swapaxes(J, 2, 3) @ W  # (n, k, nv, 5)
    by_mass = np.einsum("nkv,ks->nvs", columns[..., 0], errors.factor(model.mass))
    by_centre = np.moveaxis(errors.centre * columns[..., 1:4], 1, 2).reshape(n, model.nv, 3 * k)
    by_inertia = np.moveaxis(errors.inertia * columns[..., 4], 1, 2)
    return np.concatenate([by_mass, by_centre, by_inertia], axis=2)
