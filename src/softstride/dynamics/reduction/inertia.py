"""Changes of masses and of their centres, and what they do to the wrench on the base.

A link of mass m, centre c and rotational inertia m G about that centre adds to the wrench of the base at p

    f = m (a_c - g),    n = (c - p) x f + m (G alpha + omega x G omega),

in world axes, with a_c = a_o + A c and A = hat(alpha) + hat(omega)^2 for a centre c off the link's origin. So the
wrench is linear in m, and in c as well but for the square in (c - p) x A c. Masses change as

    m' = m (1 + s + e),    sum_i m_i e_i = 0,

where s is common to all links and e is the link's own, so that s is the change of the total; c moves with the link, and
G stays. Rods and what is lumped on their tips stay as they are: they are parts that were weighed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.reduction.base import FloatingBody
from softstride.dynamics.reduction.options import ReductionOptions
from softstride.engine.kinematics import accelerations, poses, velocities
from softstride.errors import InputError, Option
from softstride.frozen import Table
from softstride.model.checks import names_hint
from softstride.model.link import Link
from softstride.model.model import Model
from softstride.spatial.so3 import hat
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

AXES = ("x", "y", "z")

TOTAL = "total mass"

PLAUSIBLE = (0.5, 2.0)
"""Least and largest total that may be asked for, over the mass of the model."""


@dataclass(frozen=True, eq=False)
class Masses:
    """The links whose mass may change, and by how much.

    Changes are one vector y: s, then e of each link, then the shift of each centre in link axes [m]; k links make
    1 + 4 k numbers.

    Attributes:
        links: As they were, by name.
        low: Lower bounds of y, shape (1 + 4 k,).
        high: Upper bounds.
        scale: Size of each number that counts as a full change, shape (1 + 4 k,); positive.
    """

    links: Mapping[str, Link]
    low: Array
    high: Array
    scale: Array

    @property
    def even(self) -> Array:
        """The vector of sum_i m_i e_i = 0, shape (1 + 4 k,) [kg]."""
        k = len(self.links)
        return np.concatenate([[0.0], [link.inertia.mass for link in self.links.values()], np.zeros(3 * k)])

    def parts(self, y: Array) -> tuple[Array, Array]:
        """Return the factor of each mass, shape (k,), and the shift of each centre [m], shape (k, 3)."""
        k = len(self.links)
        return 1.0 + y[0] + y[1 : 1 + k], y[1 + k :].reshape(k, 3)

    def changed(self, y: Array) -> dict[str, Link]:
        """Return the links after a change."""
        factors, shifts = self.parts(y)
        new = {}
        for (name, link), factor, shift in zip(self.links.items(), factors, shifts, strict=True):
            old = link.inertia
            inertia = replace(
                old, mass=float(factor * old.mass), com=old.com + shift, matrix=factor * old.matrix
            )
            new[name] = replace(link, inertia=inertia)
        return new

    def model(self, model: Model, y: Array) -> Model:
        """Return the model after a change."""
        new = self.changed(y)
        return model.replace(links=tuple(new.get(link.name, link) for link in model.links))

    def names(self) -> list[str]:
        """Return what each number of y is."""
        own = [f"mass of {name}" for name in self.links]
        centres = [f"centre of {name} along {axis}" for name in self.links for axis in AXES]
        return [TOTAL, *own, *centres]

    def response(self, body: FloatingBody, y: Array, threads: int | None = None) -> Array:
        """Return the derivatives of `FloatingBody.wrench` by y, shape (n, 6, 1 + 4 k).

        Args:
            body: The body with the masses that y gives it.
            y: The present change.
            threads: How many threads may be used.
        """
        names = list(self.links)
        n, k = len(body.q), len(names)
        factors, shifts = self.parts(y)
        at = (body.model, body.q)
        T = poses(*at, names, threads=threads)
        twist = velocities(*at, body.v, names, threads=threads)
        rate = accelerations(*at, body.v, body.a, names, gravity=True, threads=threads)
        R = body.axes.T @ T[..., :3, :3]  # link axes to those of the change
        omega, alpha = twist[..., :3], rate[..., :3]
        A = hat(alpha) + hat(omega) @ hat(omega)  # (n, k, 3, 3), link axes
        old = [self.links[name].inertia for name in names]
        mass = np.array([each.mass for each in old])
        centre = np.array([each.com for each in old]) + shifts
        G = np.array([each.matrix / each.mass for each in old])
        felt = rate[..., 3:] + cross(omega, twist[..., 3:]) + _times(A, np.broadcast_to(centre, (n, k, 3)))
        arm = T[..., :3, 3] - body.pose[:, None, :3, 3]
        arm = np.einsum("nkji,nkj->nki", T[..., :3, :3], arm) + centre  # link axes
        spin = _times(G[None], alpha) + cross(omega, _times(G[None], omega))
        by_mass = np.stack([_times(R, cross(arm, felt) + spin), _times(R, felt)], axis=1)  # (n, 2, k, 3)
        by_mass = np.moveaxis(by_mass, 2, 3).reshape(n, 6, k)
        by_centre = np.stack([R @ (hat(arm) @ A - hat(felt)), R @ A], axis=1)  # (n, 2, k, 3, 3)
        by_centre = np.moveaxis(by_centre, 2, 3).reshape(n, 6, k, 3) * (factors * mass)[:, None]
        own = by_mass * mass
        return np.concatenate([own.sum(axis=2, keepdims=True), own, by_centre.reshape(n, 6, 3 * k)], axis=2)


def masses_of(model: Model, body: FloatingBody, options: ReductionOptions) -> Masses:
    """Return which masses of a body may change.

    Raises:
        InputError: Options name a link that cannot change, nothing can, or the wanted total is not to be had.
    """
    links = {
        link.name: model.link(link.name)
        for link in body.model.links
        if not link.soft and link.inertia.mass > 0.0
    }
    if not links:
        raise InputError(f"no rigid link of {model.name!r} has a mass that could be changed")
    for what, given in (("masses", options.masses), ("centres", options.centres)):
        unknown = [name for name in given if name not in links]
        if unknown:
            raise InputError(
                f"{what} names {unknown[0]!r}, which is no rigid link with mass on the base {body.link.name!r}; those "
                f"are {names_hint(links)}"
            )
    own = np.array([options.masses.get(name, options.mass_change) for name in links])
    heaviest = max(links, key=lambda name: links[name].inertia.mass)
    trunk = {body.link.name, heaviest}
    centres = [
        options.centres.get(name, options.trunk_centre_change if name in trunk else options.centre_change)
        for name in links
    ]
    if len(links) == 1:
        own = np.zeros(1)  # its mass is the total
    size = np.concatenate([[options.total_change], own, np.repeat(centres, 3)])
    low, high = -size, size.copy()
    movable = sum(link.inertia.mass for link in links.values())
    if options.total_mass == "fixed":
        low[0] = high[0] = 0.0
    elif options.total_mass != "free":
        _check_total(model, float(options.total_mass))
        low[0] = high[0] = (float(options.total_mass) - model.mass) / movable
        if low[0] <= -1.0 + own.max():
            option = Option("total_mass")
            raise InputError(
                f"{option} {options.total_mass:g} kg leaves nothing for some links of {model.name!r}, which has "
                f"{model.mass:g} kg",
                parameter="total_mass",
                value=options.total_mass,
                options=[option],
            )
    return Masses(Table(links), low, high, np.where(size > 0.0, size, 1.0))


def _check_total(model: Model, total: float) -> None:
    """Refuse a total mass that is no small change of the model's."""
    low, high = PLAUSIBLE[0] * model.mass, PLAUSIBLE[1] * model.mass
    if not low <= total <= high:
        option = Option("total_mass")
        raise InputError(
            f"{option} {total:g} kg is not that of somebody like {model.name!r}, which has {model.mass:.4g} kg: give "
            f"one from {low:.4g} to {high:.4g} kg, or scale the model first",
            parameter="total_mass",
            value=total,
            options=[option],
        )


def _times(A: Array, x: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", A, x))
