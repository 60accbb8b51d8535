"""How long an explicit step may be before the spring between the hips blows up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError, Option
from softstride.gait.kernels.walker import DAMPER, SPRING, Walker
from softstride.gait.states import assemble_states
from softstride.gait.tableaus import tableau

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]


def spring_roots(walker: Walker, theta: Floats) -> Complexes:
    """Return the characteristic roots of the hip spring in double support, shape (4,), [1/s].

    With J = ∂r/∂θ and W = J M⁻¹ Jᵀ, the inverse of the mass that the spring feels, r̈ = −W (k r + d ṙ): two roots of
    s² + λ d s + λ k = 0 for each eigenvalue λ of W.
    """
    M = assemble_states(walker, 1, theta, np.zeros(7))[0][0]
    rows = 1j * walker.gap * np.exp(1j * (theta + walker.offset[0]))
    J = np.stack([rows.real, rows.imag])
    inverse_mass = np.linalg.eigvalsh(J @ np.linalg.solve(M, J.T))
    k, d = walker.size[SPRING], walker.size[DAMPER]
    return np.concatenate([np.roots([1.0, each * d, each * k]) for each in inverse_mass]).astype(
        np.complex128
    )


def growth(method: str, z: Complexes) -> Floats:
    """Return |R(z)|, by how much a step of a method multiplies e^{s t}, with z = h s.

    R(z) = 1 + z bᵀ (I − z A)⁻¹ 1, of the tableau of the method.
    """
    table = tableau(method)
    a, b = table.a[:-1], table.a[-1]
    one = np.ones(len(b))
    return np.array([abs(1.0 + each * b @ np.linalg.solve(np.eye(len(b)) - each * a, one)) for each in z])


def longest_step(walker: Walker, theta: Floats, method: str) -> float:
    """Return the longest step of a method that holds the hip spring at a pose [s]; zero: none does."""
    roots = spring_roots(walker, theta)
    high = 10.0 / float(np.abs(roots).max())  # beyond the limit of any method here
    low = 1e-6 * high
    if growth(method, low * roots).max() > 1.0:
        return 0.0
    grid = np.geomspace(low, high, 400)
    grown = np.array([growth(method, h * roots).max() > 1.0 for h in grid])
    first = int(np.argmax(grown))
    low, high = float(grid[first - 1]), float(grid[first])
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if growth(method, middle * roots).max() > 1.0 else (middle, high)
    return low


def check_step(walker: Walker, theta: Floats, method: str, step: float) -> None:
    """Refuse a fixed step that cannot hold the hip spring.

    Raises:
        InputError: It is too long; the message says what would do.
    """
    limit = longest_step(walker, theta, method)
    if step > limit:
        k, d = walker.size[SPRING], walker.size[DAMPER]
        way = f"take {limit:.2g} s or less" if limit > 0.0 else "no step does: add damping"
        options = [Option("method", "dop853"), Option("step", None)]
        raise InputError(
            f"a step of {step:g} s with {method!r} cannot hold the hip spring of {k:g} N/m and {d:g} N s/m: its motion "
            f"would grow without bound; {way}, or leave it to the control of errors ({options[0]}, {options[1]})",
            parameter="step",
            value=step,
            options=options,
        )
