r"""The largest step that an explicit method can take without blowing up, from the linearised motion.

A method multiplies the mode y' = lambda y by R(z), z = h lambda, in each step; for Runge-Kutta methods of s = p stages
R(z) = sum z^k / k!, and Dormand and Prince's adds z^6 / 600. A decaying or undamped mode (Re lambda <= 0) is held while
|R(h lambda)| <= 1; growing ones belong to the motion and set no limit. Source: E. Hairer, G. Wanner, Solving ODEs II,
section IV.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.model.model import Model
from softstride.simulation.constraints import AnyConstraint, ConstraintSet
from softstride.simulation.fields import ForceField
from softstride.simulation.kkt import one_state
from softstride.simulation.system import Controls, Loads, System

FloatArray = NDArray[np.float64]

POLYNOMIALS = {
    "rk4": (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24),
    "dopri": (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 600),
}
"""Coefficients of R(z), lowest order first."""

ROUNDING = 1e-3
"""Modes that decay or grow by less than this share of their frequency count as undamped."""

REACH = 5.0
"""No such method holds |h lambda| above this."""

SLACK = 1e-4
"""An undamped mode may grow by this share in a step: along the imaginary axis |R| - 1 is tiny long before it bites."""


def largest_stable_step(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    t: float = 0.0,
    method: str = "rk4",
    controls: Controls | None = None,
    f_ext: Loads | None = None,
    fields: Sequence[ForceField] = (),
    constraints: Sequence[AnyConstraint] = (),
    passive: bool = True,
) -> float:
    """Return the largest step at which an explicit method holds the modes around a state [s]; infinite if any does.

    Args:
        model: The model.
        q: Configuration, shape (nq,), with contacts loaded as they will be: springs that do not touch have no modes.
        v: Velocity, shape (nv,).
        t: Instant [s].
        method: "rk4" or "dopri".
        controls: As in `simulate`, and so are the others.
        f_ext: Wrenches.
        fields: Force fields.
        constraints: Constraints.
        passive: Whether springs, dampers and rods act.

    Raises:
        InputError: Another method: "rosenbrock" holds all of them at any step.
    """
    if method not in POLYNOMIALS:
        raise InputError(
            f"method must be one of {', '.join(map(repr, POLYNOMIALS))}, however it is {method!r}; implicit methods "
            "have no largest stable step."
        )
    place, speed = one_state(model, q, v)
    held = ConstraintSet(model, constraints)
    system = System(model, controls, f_ext, held, passive, fields=tuple(fields))
    rates = np.linalg.eigvals(system.jacobian(system.state(t, place, speed)))
    rates = rates[(rates.real <= ROUNDING * np.abs(rates)) & (np.abs(rates) > 0.0)]
    if not len(rates):
        return np.inf
    rates = np.where(np.abs(rates.real) <= ROUNDING * np.abs(rates), 1j * np.abs(rates), rates)
    return float(np.min(_reach(rates / np.abs(rates), POLYNOMIALS[method]) / np.abs(rates)))


def _reach(directions: NDArray[np.complex128], coefficients: tuple[float, ...]) -> FloatArray:
    """Return how far from zero |R| stays at most one along each direction, shape as they."""
    radius = np.linspace(0.0, REACH, 2001)[1:]
    growth = np.abs(np.polynomial.polynomial.polyval(radius[:, None] * directions, coefficients))
    beyond = growth > 1.0 + SLACK
    first = np.where(beyond.any(axis=0), np.argmax(beyond, axis=0), len(radius) - 1)
    return radius[np.maximum(first - 1, 0)]
