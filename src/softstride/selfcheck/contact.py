"""Checks of the contact models."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.contact import RollingJoint, SphereContact, SplineSurface, plastic_landing
from softstride.selfcheck.rolling_leg import START, RollingLeg, reference_surface

FloatArray = NDArray[np.float64]

# a, s, ρ, h, h', X of the reference surface, to 12 digits
TABLE = np.array(
    [
        [-0.20, -0.0755075172076, 0.0311770015408, 0.0108227139472, -0.0746510585213, -0.000856458686297],
        [-0.10, -0.0623922834032, 0.285924742506, 0.00376442676742, -0.0622553027921, -0.000136980611122],
        [0.01, 0.00985372930176, 0.959191412977, 4.96177438427e-05, 0.00985356342195, 1.65879807843e-07],
        [0.026, 0.0241221359842, 0.817755599845, 0.000324457975764, 0.0241192820553, 2.85392888674e-06],
        [0.10, 0.0675087494806, 0.403385427824, 0.00389882664506, 0.0673692087759, 0.0001395407047],
        [0.30, 0.10519835737, 0.0814025538866, 0.0219607955591, 0.102583280961, 0.00261507640867],
    ]
)


def rolling_table() -> float:
    """Return the largest difference of the reference surface from its table [m]."""
    roll = reference_surface().roll(TABLE[:, 0])
    found = np.stack([roll.s, roll.rho, roll.h, roll.dh, roll.X], axis=1)
    return float(np.abs(found - TABLE[:, 1:]).max())


def leg_angle() -> float:
    """Return the ankle angle of the leg that rolls over its foot, after 0.36 s [rad]."""
    from scipy.integrate import solve_ivp

    leg = RollingLeg(RollingJoint(reference_surface()))
    end = solve_ivp(leg.rates, (0.0, 0.36), START, method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
    return float(end[1] - end[0])


def restitution() -> float:
    """Return the error of the rebound from a sphere of nominal restitution 0.4 by the law of Flores.

    Without weight the speeds v before and w after obey D v − ln(1 + D v) = −D w − ln(1 − D w), whatever stiffness,
    exponent and mass.
    """
    from scipy.integrate import solve_ivp

    speed = 0.1
    sphere = SphereContact(0.025, 6.5e5, 0.4, damping="flores", exponent=1.5, impact_speed=speed)

    def rates(_: float, y: FloatArray) -> list[float]:
        return [y[1], float(sphere.normal_force(y[0], y[1]))]  # a mass of 1 kg

    def leaves(_: float, y: FloatArray) -> float:
        return float(y[0]) - 0.025 if y[1] > 0.0 else -1.0

    leaves.terminal = True  # type: ignore[attr-defined]
    hit = solve_ivp(rates, (0.0, 1.0), [0.025, -speed], method="LSODA", rtol=1e-9, atol=1e-12, events=leaves)
    before, after = float(sphere.dissipation) * np.array([speed, hit.y[1, -1]])
    return float(before - np.log1p(before) + after + np.log1p(-after))


def cycloid() -> float:
    """Return the largest difference of a rolling circle from its cycloid, R (a − sin a) and R (1 − cos a) [m]."""
    a, R = np.linspace(-1.5, 1.5, 61), 0.3
    roll = SplineSurface.arc(R).roll(a)
    expected = np.stack([R * a, R * (1.0 - np.cos(a)), R * (a - np.sin(a))])
    return float(np.abs(np.stack([roll.s, roll.h, roll.X]) - expected).max())


def landing() -> float:
    """Return the change of angular momentum about the contact when a falling foot begins to roll [kg m²/s]."""
    joint, a, mass, inertia = RollingJoint(reference_surface()), 0.2, 1.2, 0.01
    centre = joint.point(a, [0.05, 0.04])
    x, z = centre - joint.position(a)
    P = np.array([[1.0, 0.0, z], [0.0, 1.0, -x]])
    before = np.array([0.5, -0.8, 3.0])
    M = mass * P.T @ P + np.diag([0.0, 0.0, inertia])
    change = plastic_landing(M, joint.jacobian(a), before).velocity - before
    arm = centre - joint.force_point(a)
    pushed = P @ change
    return float(inertia * change[2] + mass * (arm[1] * pushed[0] - arm[0] * pushed[1]))


def compiled_leg() -> float:
    """Return the largest difference of the compiled leg from the leg in arrays, relative."""
    from softstride.selfcheck.compiled_legs import rolling_rates

    surface = reference_surface()
    compiled, plain = rolling_rates(surface), RollingLeg(RollingJoint(surface))
    states = [START * share for share in (1.0, 0.3, -0.5, -2.0)]
    pairs = [(compiled(0.1, y), plain.rates(0.1, y)) for y in states]
    return float(max(np.abs(one - other).max() / np.abs(other).max() for one, other in pairs))
