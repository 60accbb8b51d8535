"""Surfaces and data that the tests of rolling share."""

import numpy as np

from softstride.contact import RollingSurface

C_REFERENCE = (8.4, 65.0, 0.25, 7.0)
SWITCH = 0.026


def reference():
    return RollingSurface.from_exponents(C_REFERENCE, 1.0, SWITCH)


def synthetic(a):
    """Places of the contact of a smooth made-up foot: s = ∫ρ, ρ = f + (1 − f)(1 + u) e^{−u}, u = |a|/w."""
    w, f = np.where(a < 0, 0.035, 0.045), np.where(a < 0, 0.045, 0.060)
    u = np.abs(a) / w
    return np.sign(a) * (f * np.abs(a) + (1 - f) * (2 * w - np.exp(-u) * (np.abs(a) + 2 * w)))


def synthetic_tilts():
    return np.concatenate([np.linspace(-0.25, 0.0, 51), np.linspace(0.005, 0.60, 120)])


def derivative(f, a, step=1e-4):
    """Central difference of fourth order."""
    return (8 * (f(a + step) - f(a - step)) - (f(a + 2 * step) - f(a - 2 * step))) / (12 * step)
