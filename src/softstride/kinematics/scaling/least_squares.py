"""Levenberg-Marquardt on a manifold, with variables that stop at their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
S = TypeVar("S")


class Problem(Protocol[S]):
    """A sum of squares ½ |r(x)|² over states x that move by steps."""

    def residual(self, state: S) -> Array:
        """Return r, shape (n,)."""

    def jacobian(self, state: S) -> Array:
        """Return dr/dstep, shape (n, m)."""

    def move(self, state: S, step: Array) -> S:
        """Return the state after a step, shape (m,), cut at its bounds."""

    def held(self, state: S, downhill: Array) -> NDArray[np.bool_]:
        """Return which variables may not move along `downhill` = -gradient, shape (m,)."""


@dataclass(frozen=True, eq=False)
class Minimum(Generic[S]):
    """What came out.

    Attributes:
        state: The best state.
        cost: ½ |r|² there.
        iterations: Steps taken.
        converged: Whether the next step would gain less than the tolerance.
    """

    state: S
    cost: float
    iterations: int
    converged: bool


def minimise(problem: Problem[S], start: S, *, limit: int = 100, tolerance: float = 1e-9) -> Minimum[S]:
    """Minimise ½ |r|² from `start`: (Jᵀ J + λ diag(Jᵀ J)) step = -Jᵀ r, λ from the last gain.

    Args:
        problem: The sum of squares.
        start: Where to begin.
        limit: Most steps.
        tolerance: Share of the cost that the linear model must still promise for another step.

    Returns:
        The minimum; not converged if the limit came first.
    """
    state, damping = start, 1e-4
    r = problem.residual(state)
    cost = 0.5 * float(r @ r)
    for iteration in range(limit):
        J = problem.jacobian(state)
        gradient = J.T @ r
        free = ~problem.held(state, -gradient)
        H = J.T @ J
        scale = np.maximum(np.diag(H), 1e-12 * max(float(np.max(np.diag(H), initial=0.0)), 1e-300))
        while True:
            step = np.zeros(len(gradient))
            A = H[np.ix_(free, free)] + damping * np.diag(scale[free])
            step[free] = np.linalg.solve(A, -gradient[free])
            promised = -float(gradient @ step) - 0.5 * float(step @ H @ step)
            if promised <= tolerance * cost or cost == 0.0:
                return Minimum(state, cost, iteration, True)
            candidate = problem.move(state, step)
            r_new = problem.residual(candidate)
            cost_new = 0.5 * float(r_new @ r_new)
            if cost_new < cost:
                break
            damping *= 10.0
            if damping > 1e12:  # no step helps: as good as it gets in floating point
                return Minimum(state, cost, iteration, True)
        damping = max(damping * (0.1 if cost - cost_new > 0.5 * promised else 1.0), 1e-12)
        state, r, cost = candidate, r_new, cost_new
    return Minimum(state, cost, limit, False)
