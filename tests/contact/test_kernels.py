"""Compiled scalar code says what the arrays say: surfaces, spheres, grip, and the reference leg on both feet."""

import numpy as np
import pytest
from tests.contact.surfaces import reference
from tests.oracles.sphere_leg import SphereLeg

from softstride.contact import (
    Bristle,
    NormalLaw,
    RollingJoint,
    RollingSurface,
    SphereContact,
    SplineSurface,
    three_sphere_foot,
)
from softstride.contact.kernels.laws import bristle_force, press_force
from softstride.contact.kernels.rolling import roll_exponential, rolling_table
from softstride.contact.kernels.spheres import sphere_force, sphere_table
from softstride.contact.kernels.spline import roll_spline, spline_table
from softstride.selfcheck.compiled_legs import rolling_rates, sphere_rates
from softstride.selfcheck.rolling_leg import RollingLeg

TILTS = np.concatenate([np.linspace(-0.4, 0.9, 27), [0.0, 1e-9, -1e-9, 0.026, np.nextafter(0.026, 1.0)]])
BUMPY = SplineSurface.from_radius([-0.3, -0.1, 0.0, 0.2, 0.7], [0.05, 0.3, 2.0, 0.4, 0.06], (0.02, -0.03))


@pytest.mark.parametrize(
    "surface",
    [reference(), reference().mirror(), RollingSurface((0.05, 0.0, 0.0, 0.0), (8.0, 1.0, 1.0, 1.0))],
    ids=["reference", "mirrored", "one branch"],
)
def test_exponentials(surface):
    table = rolling_table(surface)
    found = np.array([roll_exponential(table, a) for a in TILTS])
    np.testing.assert_allclose(found, np.stack(surface.roll(TILTS), axis=1), rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize(
    "surface", [BUMPY, BUMPY.mirror(), SplineSurface.arc(0.3)], ids=["bumpy", "mirrored", "arc"]
)
def test_splines(surface):
    table = spline_table(surface)
    found = np.array([roll_spline(table, a) for a in [*TILTS, -1.5, 1.5]])
    np.testing.assert_allclose(
        found, np.stack(surface.roll([*TILTS, -1.5, 1.5]), axis=1), rtol=1e-13, atol=1e-15
    )


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.2])
def test_spheres(exponent):
    rng = np.random.default_rng(0)
    contact = SphereContact((0.02, 0.03), (1e5, 2e6), (0.3, 0.5), 0.7, exponent)
    table = sphere_table(contact)
    assert table.shape == (2, 6)
    for _ in range(50):
        height, rate, slip = rng.uniform(0.015, 0.035), 0.2 * rng.normal(), 0.05 * rng.normal()
        pressed = contact.normal_force(height, rate)
        dragged = contact.friction_force(pressed, slip)
        for i in range(2):
            np.testing.assert_allclose(
                sphere_force(table, i, height, rate, slip), (dragged[i], pressed[i]), rtol=1e-13
            )


def test_laws():
    rng = np.random.default_rng(1)
    grip, press = Bristle(0.6, 1e4, 50.0), NormalLaw(1e5, 1.5, 3.0)
    for _ in range(100):
        pressed, slip, stretch = rng.uniform(0.0, 200.0), 0.5 * rng.normal(), 5e-3 * rng.normal()
        force, rate = grip.force(pressed, [slip], [stretch])
        found = bristle_force(0.6, 1e4, 50.0, pressed, slip, stretch)
        np.testing.assert_allclose(found, (force[0], rate[0]), rtol=1e-13)
        depth, separation = 1e-3 * rng.normal(), 0.4 * rng.normal()
        assert press_force(1e5, 1.5, 3.0, depth, separation) == pytest.approx(
            float(press.force(depth, separation)), rel=1e-13
        )


@pytest.mark.parametrize("surface", [reference(), BUMPY], ids=["exponentials", "spline"])
def test_the_leg_on_a_rolling_foot(surface):
    rng = np.random.default_rng(2)
    compiled, plain = rolling_rates(surface), RollingLeg(RollingJoint(surface))
    for _ in range(200):
        t, y = rng.uniform(0.0, 0.42), rng.uniform(-1.0, 1.0, 4) * [0.2, 0.5, 4.0, 4.0] + [0.1, 0.0, 0.0, 0.0]
        expected = plain.rates(t, y)
        np.testing.assert_allclose(compiled(t, y), expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_the_leg_on_spheres(exponent):
    rng = np.random.default_rng(3)
    foot = three_sphere_foot(exponent)
    compiled, plain = sphere_rates(foot), SphereLeg(foot)
    widths = np.array([0.1, 0.01, 0.1, 0.1, 0.3, 0.2, 0.2, 2.0, 2.0, 2.0])
    touched = np.zeros(3)
    for _ in range(200):
        t, y = (
            rng.uniform(0.0, 0.42),
            plain.start() + widths * rng.normal(size=10) + [0, 0, 0.15, 0.15, *[0] * 6],
        )
        expected = plain.rates(t, y)
        touched += plain.contact(y[:5], y[5:])[0][:, 1] > 0.0
        np.testing.assert_allclose(compiled(t, y), expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    assert (touched > 20).all() and (touched < 180).all(), "every sphere is on the ground and off it"
