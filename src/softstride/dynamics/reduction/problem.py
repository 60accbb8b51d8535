"""The least squares of a residual reduction: changes, what they cost, and the quadratic that is near it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, identity

from softstride.dynamics.loads import AppliedWrench
from softstride.dynamics.reduction.base import FloatingBody
from softstride.dynamics.reduction.bounds import Quadratic, banded
from softstride.dynamics.reduction.inertia import AXES, Masses
from softstride.dynamics.reduction.options import ReductionOptions
from softstride.dynamics.reduction.outside import Outside
from softstride.dynamics.reduction.result import FORCE_SHARE, MOMENT_SHARE
from softstride.dynamics.reduction.spline import Splines
from softstride.engine.balance import centre_of_mass
from softstride.model.model import Model

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

FIRM = 1e-9
"""Least cost of a coefficient that fills its bound, so that the problem has one solution where nothing else tells."""

AT_BOUND = 1e-6
"""Distance from a bound, as a part of it, at which it is reached."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Changes x of base and masses, each as a part of its bound, that leave little residual.

    x holds the coefficients of six splines, (k, 6) with the six of a spline side by side, then the changes of masses.

    Attributes:
        body: The body as it was.
        masses: Which masses may change.
        splines: Of the base.
        outside: The forces from outside.
        used: Frames that are to agree, shape (n,).
        weight: One over what is allowed of each component of the wrench, zero for those that are not to agree,
            shape (6,).
        size: Bounds of a shift and a turn of the base along its axes, shape (6,); positive.
        low: Lower bounds of x.
        high: Upper bounds of x.
        still: Cost of a shift and a turn of the base at its bounds, all the time, shape (6,).
        firm: Cost of each change of the masses at its bound, shape (1 + 4 links,).
        threads: How many threads may be used.
    """

    body: FloatingBody
    masses: Masses
    splines: Splines
    outside: Outside
    used: Mask
    weight: Array
    size: Array
    low: Array
    high: Array
    still: Array
    firm: Array
    threads: int | None = None

    def of_forces(self) -> Problem:
        """Return the problem in which moments do not count, and the base is not turned."""
        weight = np.concatenate([np.zeros(3), self.weight[3:]])
        low, high = self.low.copy(), self.high.copy()
        for bound in (low, high):
            bound[: 6 * self.splines.count].reshape(-1, 6)[:, 3:] = 0.0
        return replace(self, weight=weight, low=low, high=high)

    def with_total(self, x: Array) -> Problem:
        """Return the problem in which the total mass is that of a change."""
        k = 6 * self.splines.count
        low, high = self.low.copy(), self.high.copy()
        low[k] = high[k] = x[k]
        return replace(self, low=low, high=high)

    def start(self) -> Array:
        """Return no change, or the one that is asked for."""
        return np.clip(np.zeros(len(self.low)), self.low, self.high)

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return the change of the base and its rates, (3, n, 6) [m] and [rad], and that of the masses."""
        k = 6 * self.splines.count
        return self.splines(x[:k].reshape(-1, 6) * self.size), x[k:] * self.masses.scale

    def body_at(self, x: Array) -> FloatingBody:
        """Return the body after a change."""
        shift, y = self.split(x)
        return self.body.with_links(self.masses.changed(y)).moved(shift)

    def objective(self, x: Array) -> float:
        """Return mean |W / allowed|² + cost of the change."""
        k = 6 * self.splines.count
        shift, y = self.split(x)
        body = self.body.with_links(self.masses.changed(y))
        W = self._left(body, body.moved(shift)) * self.weight
        part = shift[0] / self.size
        cost = float(np.mean((part * part) @ self.still))
        cost += float(self.firm @ x[k:] ** 2) + FIRM * float(x[:k] @ x[:k])
        return float(np.sum(W * W)) / int(self.used.sum()) + cost

    def _left(self, body: FloatingBody, moved: FloatingBody) -> Array:
        """Return the wrench in frames that are to agree; in others, what the change of the base does to it.

        So the base does not run away where nothing is known: there it leaves the wrench as it was.
        """
        W = moved.wrench(self.outside, self.threads)
        if not self.used.all():
            W[~self.used] -= body.wrench(self.outside, self.threads)[~self.used]
        return W

    def quadratic(self, x: Array) -> Quadratic:
        """Return the objective near a change, the wrench taken as linear there (Gauss-Newton)."""
        shift, y = self.split(x)
        body = self.body.with_links(self.masses.changed(y))
        moved = body.moved(shift)
        rows = self.weight[:, None] / np.sqrt(int(self.used.sum()))  # (6, 1)
        W = (self._left(body, moved)[..., None] * rows).reshape(-1)
        J = self.splines.rows(body.response(shift, self.outside, self.threads) * rows * self.size)
        Z = self.masses.response(moved, y, self.threads) * rows * self.masses.scale
        Z = (Z * self.used[:, None, None]).reshape(len(W), -1)
        k = J.shape[1]
        E = self._shifts
        H = J.T @ J + E.T @ E + FIRM * identity(k)
        right = J @ x[:k] + Z @ x[k:] - W
        return Quadratic(
            band=banded(csr_matrix(H)),
            border=np.asarray(J.T @ Z),
            corner=Z.T @ Z + np.diag(self.firm),
            linear=np.concatenate([J.T @ right, Z.T @ right]),
        )

    @property
    def _shifts(self) -> csr_matrix:
        """Rows whose squares add up to the cost of the change of the base."""
        response = np.zeros((3, len(self.used), 6, 6))
        response[0] = np.diag(np.sqrt(self.still / len(self.used)))
        return self.splines.rows(response)

    @property
    def even(self) -> Array:
        """The vector a of a^T x = 0: the links' own changes of mass leave the total."""
        return np.concatenate([np.zeros(6 * self.splines.count), self.masses.even * self.masses.scale])

    def reached(self, x: Array) -> list[str]:
        """Return the names of changes that are at a bound, those that had no choice left out."""
        at = (self.low < self.high) & (
            (x <= self.low + AT_BOUND * np.abs(self.low)) | (x >= self.high - AT_BOUND * np.abs(self.high))
        )
        k = 6 * self.splines.count
        name = self.body.link.name
        names = [f"shift of {name} along {axis}" for axis in AXES] + [
            f"turn of {name} about {axis}" for axis in AXES
        ]
        base = np.asarray(at[:k].reshape(-1, 6).any(axis=0))
        both = zip([*names, *self.masses.names()], [*base.tolist(), *at[k:].tolist()], strict=True)
        return [name for name, there in both if there]


def state_problem(
    body: FloatingBody,
    masses: Masses,
    splines: Splines,
    outside: Outside,
    used: Mask,
    allowed: tuple[float, float],
    options: ReductionOptions,
    threads: int | None,
) -> Problem:
    """Return the problem that options ask for."""
    bound = np.repeat([options.base_shift, options.base_turn if options.angular else 0.0], 3) * body.movable
    moment, force = body.movable[3:] & options.angular, body.movable[:3]
    weight = np.concatenate([moment / allowed[1], force / allowed[0]])
    size = np.where(bound > 0.0, bound, 1.0)
    free = np.tile((bound > 0.0).astype(np.float64), splines.count)
    return Problem(
        body,
        masses,
        splines,
        outside,
        used,
        weight,
        size,
        np.concatenate([-free, masses.low / masses.scale]),
        np.concatenate([free, masses.high / masses.scale]),
        (size * np.repeat([1.0, body.reach], 3) / options.displacement) ** 2,
        np.where(np.arange(len(masses.low)) == 0, FIRM, options.inertia_weight),  # the total is for nothing
        threads,
    )


def allowed_residual(model: Model, q: Array, wrenches: Mapping[str, AppliedWrench]) -> tuple[float, float]:
    """Return what Hicks et al. allow: 5 % of the largest net external force F [N], 1 % of F h [N·m].

    F is not less than body weight; h is the mean height of the centre of mass over the points where forces act.
    """
    g = float(np.linalg.norm(model.gravity))
    net = np.zeros((len(q), 3))
    points = []
    for wrench in wrenches.values():
        net += np.nan_to_num(wrench.force)
        points.append(wrench.point[np.isfinite(wrench.point).all(axis=1)])
    largest = max(model.mass * g, float(np.linalg.norm(net, axis=1).max(initial=0.0)))
    height = 1.0
    if g > 0.0 and any(len(part) > 0 for part in points):
        up = -np.asarray(model.gravity) / g
        height = float(np.mean(centre_of_mass(model, q) @ up) - np.mean(np.concatenate(points) @ up))
    return FORCE_SHARE * largest, MOMENT_SHARE * largest * (height if height > 0.0 else 1.0)
