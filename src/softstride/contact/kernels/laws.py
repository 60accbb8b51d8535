"""Laws of yielding contacts in one direction, for one instant; see `softstride.contact.laws`."""

from __future__ import annotations

from softstride.engine.jit import inlined


@inlined
def press_force(
    stiffness: float, exponent: float, dissipation: float, depth: float, separation: float
) -> float:
    """Return F_n [N] of a `NormalLaw`."""
    # F_n = k dⁿ (1 − D v_n) [Hunt and Crossley], never below zero: a floor does not pull.
    damped = 1.0 - dissipation * separation
    if depth <= 0.0 or damped <= 0.0:
        return 0.0
    return stiffness * (depth if exponent == 1.0 else depth**exponent) * damped


@inlined
def bristle_force(
    friction: float, stiffness: float, damping: float, pressed: float, slip: float, stretch: float
) -> tuple[float, float]:
    """Return the force [N] of a `Bristle` along one direction and the rate of its stretch [m/s]."""
    # f = −(k_t u + c_t v) while |f| ≤ μ F_n, and u̇ = v; else F = μ F_n f/|f|, u̇ = −(F + k_t u)/c_t.
    force = -(stiffness * stretch + damping * slip)
    limit = friction * pressed
    if abs(force) <= limit:
        return force, slip
    force = limit if force > 0.0 else -limit
    return force, -(force + stiffness * stretch) / damping
