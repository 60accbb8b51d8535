"""Contacts that hold their point: forces that follow from accelerations, as rows beside the link equations.

With lambda the forces of the contacts and G the Jacobian of their points,

    [ M  -G^T ] [ thdd   ]   [ Q     ]
    [ G   0   ] [ lambda ] = [ gamma ]        gamma: what velocities and the base leave to accelerations
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softstride.errors import InputError
from softstride.planar import matrices
from softstride.planar.chain import Chain
from softstride.planar.geometry import Geometry
from softstride.planar.sources import Source
from softstride.planar.vectors import Complex, Floats


def check_fixed(chain: Chain, fixed: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers of contacts that hold their point.

    Raises:
        InputError: No such contact, or one on the base, which holds anyway.
    """
    names = [contact.name for contact in chain.contacts]
    for name in fixed:
        if name not in names:
            raise InputError(
                f"fixed names {name!r}, which is no contact of the chain; there are: {', '.join(names)}."
            )
        if chain.contact_links[names.index(name)] == 0:
            raise InputError(f"fixed names {name!r}, which is on the base: the base does not move anyway.")
    return tuple(names.index(name) for name in fixed)


@dataclass(frozen=True, eq=False)
class Holds:
    """Rows of the points that are held.

    Attributes:
        place: The chain.
        held: Numbers of their contacts.
    """

    place: Geometry
    held: tuple[int, ...]

    @cached_property
    def levers(self) -> Complex:
        """d(point)/d(theta_i) over i, links 1 to n, shape (f, n_held, n), [m]."""
        frames, n = self.place.frames, self.place.n
        levers = np.zeros((len(frames), len(self.held), n), dtype=np.complex128)
        for row, contact in enumerate(self.held):
            link = frames.chain.contact_links[contact]
            levers[:, row, : link - 1] = self.place.link[:, 1:link]
            levers[:, row, link - 1] = frames.point[:, contact] * self.place.turn[:, link]
        return levers

    @cached_property
    def G(self) -> Floats:
        """Jacobian of the points, x and y of each in turn, shape (f, 2 n_held, n), [m]."""
        return _rows(1j * self.levers)

    def push(self) -> Floats:
        """Return G^T R of the forces that the state gives, shape (f, n), [N·m]."""
        force = self.place.frames.force[:, list(self.held)]
        flat = np.stack([force.real, force.imag], axis=2).reshape(len(force), -1)
        return np.asarray(np.einsum("fri,fr->fi", self.G, flat))

    def none(self, count: int) -> Complex:
        """Return forces of no contact, shape (f, 0, count)."""
        return np.zeros((len(self.place.frames), 0, count), dtype=np.complex128)

    def solve(self, Q: Floats, sources: list[Source]) -> tuple[Floats, Complex]:
        """Return accelerations (f, n, sources) and forces of the contacts (f, n_held, sources).

        Raises:
            InputError: The points cannot be held independently of each other.
        """
        frames, n = self.place.frames, self.place.n
        gamma = self._gamma(sources)
        rows = gamma.shape[1]
        system = np.zeros((len(frames), n + rows, n + rows))
        system[:, :n, :n] = matrices.mass_matrix(self.place)
        system[:, :n, n:] = -np.swapaxes(self.G, 1, 2)
        system[:, n:, :n] = self.G
        if rows > n or np.linalg.matrix_rank(self.G).min() < rows:
            raise InputError(
                f"{rows // 2} fixed contacts cannot be held by {n} joints in every frame: leave out some of fixed."
            )
        solution = np.linalg.solve(system, np.concatenate([Q, gamma], axis=1))
        force = solution[:, n::2] + 1j * solution[:, n + 1 :: 2]
        return solution[:, :n], np.asarray(force)

    def _gamma(self, sources: list[Source]) -> Floats:
        """Return the right-hand sides of the rows by source; the residual takes what the points really do."""
        frames = self.place.frames
        gamma = np.zeros((len(frames), len(self.held), len(sources)), dtype=np.complex128)
        for s, source in enumerate(sources):
            link = source.link
            if source.kind == "omega2" and link is not None:
                gamma[:, :, s] = (frames.omega[:, link] ** 2)[:, None] * self.levers[:, :, link - 1]
            elif source.kind == "base_acceleration" and frames.base is not None:
                gamma[:, :, s] = -frames.base[:, None]
            elif source.kind == "stretch" and self.place.stretch is not None and link is not None:
                on = np.array([frames.chain.contact_links[contact] for contact in self.held])
                gamma[:, :, s] = -self.place.stretch[0][:, link, None] * (link < on)
        real = (1j * self.levers * frames.alpha[:, None, 1:]).sum(axis=2)
        gamma[:, :, -1] = real - gamma[:, :, :-1].sum(axis=2)
        return _rows(gamma)


def _rows(values: Complex) -> Floats:
    """Return complex rows as rows of x and y in turn."""
    stacked = np.stack([values.real, values.imag], axis=2)
    return np.asarray(stacked.reshape(len(values), -1, values.shape[2]))
