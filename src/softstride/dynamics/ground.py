"""`Ground`: the ground reaction of an estimate, place by place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.results import Labels, Result, values

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LOADED = 20.0
"""Upward force above which a foot counts as loaded [N], as for plates."""


class Ground(Result, of="the ground"):
    """Where and how a person stood on the ground, as `estimate_loads` found it.

    Attributes:
        names: Of the places of contact, c of them.
        foot: Side of each: "right" or "left".
        place: Where each touches the floor, shape (n, c, 3), [m], world axes.
        force: On the person there, shape (n, c, 3), [N], world axes.
        activation: How much each takes part by its height and speed, shape (n, c), from 0 to 1.
        floor: Height of the floor [m].
        belt: Velocity of the ground, shape (3,), [m/s].
        up: The upward direction, shape (3,).
        friction: Coefficient of friction mu.
        converged: Frames whose solution met the tolerance, shape (n,).
        iterations: Of the solver.
        cutoff: Of the low pass of the coordinates [Hz]; None: there was none.
        facets: Sides of a pyramid in place of the friction cone; None: the cone itself.
    """

    names: tuple[str, ...]
    foot: tuple[str, ...]
    place: Array = values("time contact axis", "m")
    force: Array = values("time contact axis", "N")
    activation: Array = values("time contact", "1")
    floor: float
    belt: Array = values("axis", "m/s")
    up: Array = values("axis", "1")
    friction: float
    converged: Mask = values("time", dtype=bool)
    iterations: int
    cutoff: float | None = None
    facets: int | None = None

    LABELS: ClassVar[Mapping[str, Labels]] = {"contact": lambda own: own.names}

    def __repr__(self) -> str:
        """Say what it is in one line."""
        moving = f", belt {np.linalg.norm(self.belt):.2f} m/s" if np.any(self.belt) else ""
        return (
            f"Ground({len(self.names)} places, floor {1000 * self.floor:.0f} mm{moving}, "
            f"{int(self.converged.sum())} of {len(self.converged)} frames converged)"
        )

    @property
    def normal(self) -> Array:
        """Upward force at each place, shape (n, c), [N]; never below zero."""
        return np.asarray(self.force @ self.up)

    @property
    def tangential(self) -> Array:
        """Length of the force along the floor at each place, shape (n, c), [N]."""
        along = self.force - self.normal[..., None] * self.up
        return np.asarray(np.linalg.norm(along, axis=2))

    @property
    def friction_margin(self) -> Array:
        """Smallest mu N - |T| of all places, shape (n,), [N]: negative beyond a friction cone."""
        return np.asarray((self.friction * self.normal - self.tangential).min(axis=1))

    @property
    def friction_used(self) -> Array:
        """Share of the friction that the feet use, |sum T| / (mu sum N) of the foot that uses most, shape (n,).

        Of feet that carry more than `LOADED`, since one that hardly touches may use all of little; NaN where none does.
        """
        used = []
        for side in dict.fromkeys(self.foot):
            own = [i for i, each in enumerate(self.foot) if each == side]
            total = self.force[:, own].sum(axis=1)
            N = total @ self.up
            T = np.linalg.norm(total - np.outer(N, self.up), axis=1)
            with np.errstate(invalid="ignore", divide="ignore"):
                used.append(np.where(LOADED < N, T / (self.friction * N), np.nan))
        both = np.stack(used, axis=1)
        loaded = np.isfinite(both).any(axis=1)
        return np.where(loaded, np.max(np.where(np.isfinite(both), both, -np.inf), axis=1), np.nan)
