"""Spheres under a model: slopes of their law, and the three-sphere leg of the rolling-foot specification, section 6."""

import numpy as np
import pytest

from softstride.contact import SphereContact, three_sphere_foot
from softstride.gait.sphere_ground import SphereLaw, sphere_forces
from softstride.model import Frame, ModelBuilder
from softstride.selfcheck.rolling_leg import ankle_moment
from softstride.simulation import PointLaw, simulate
from softstride.simulation.system import System

START = np.array([0.0, 0.06633643789757535, -0.18, -0.18, -0.26])
SPEED = np.array([0.13978549633360682, -0.050798889421520235, 1.9, 1.9, 1.4])
BEGIN = [15.1360452618, 3.38294902842, 1446.6982167, -3775.40516063, -17.6390884908]
STATES = {
    0.12: [0.010619, 0.062483, -0.037104, -0.035584, -0.099461],
    0.36: [0.011153, 0.063721, -0.028632, -0.027283, 0.208556],
}
"""(x_a, z_a, a, forefoot tilt, psi) of the exponent 1.5, printed to 1e-6."""


def leg():
    """Ankle on two sliders; hindfoot, forefoot and upper body, tilts clockwise; y up."""
    builder = ModelBuilder("leg", gravity=(0, -9.81, 0))
    builder.prismatic("x", axis=(1, 0, 0))
    builder.prismatic("y", "x", axis=(0, 1, 0))
    builder.revolute("foot", "y", axis=(0, 0, -1), mass=0.80, com=(0.055, -0.032, 0), inertia=(0.003,) * 3)
    builder.revolute(
        "toes", "foot", axis=(0, 0, -1), position=(0.147, -0.039, 0), mass=0.14, com=(0.025, 0, 0), inertia=(1e-4,) * 3,
        stiffness=25.0, damping=0.5,
    )  # fmt: skip
    builder.revolute("upper", "y", axis=(0, 0, -1), mass=64.06, com=(0, 0.9, 0), inertia=(7.0,) * 3)
    return builder.build()


SPHERES = sphere_forces(
    [Frame("foot", (-0.035, -0.043, 0)), Frame("foot", (0.147, -0.039, 0)), Frame("toes", (0.05, -0.006, 0))],
    three_sphere_foot(1.5).contact,
)


def moment(t, q, v):
    tau = ankle_moment(t, q[2], q[4], v[2], v[4])
    return [0.0, 0.0, tau, 0.0, -tau]


def relative(values):
    """The forefoot's coordinate is counted from the hindfoot."""
    return values - np.array([0.0, 0.0, 0.0, values[2], 0.0])


def test_the_leg_starts_with_the_known_accelerations():
    system = System(leg(), moment, fields=(SPHERES,))
    a = system.state(0.0, relative(START), relative(SPEED)).a
    np.testing.assert_allclose(a + np.array([0, 0, 0, a[2], 0]), BEGIN, rtol=2e-8)


@pytest.mark.slow
def test_the_leg_follows_the_known_motion():
    run = simulate(
        leg(), relative(START), relative(SPEED), (0.0, 0.36), controls=moment, fields=[SPHERES], times=list(STATES),
        method="rosenbrock", rtol=1e-6, atol=1e-9,
    )  # fmt: skip
    got = run.q + np.outer(run.q[:, 2], [0, 0, 0, 1, 0])
    np.testing.assert_allclose(got, list(STATES.values()), atol=3e-6)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize("damping", ["hunt_crossley", "flores"])
def test_slopes_are_those_of_the_force(exponent, damping):
    contact = SphereContact(
        radius=(0.02, 0.03, 0.0),
        stiffness=(2e4, 1e5, 3e4),
        restitution=0.5,
        exponent=exponent,
        damping=damping,
    )
    law = SphereLaw(contact, floor=0.1)
    assert isinstance(law, PointLaw)
    rng = np.random.default_rng(5)
    x = np.array([0.0, 0.098, 0.0]) + 1e-3 * rng.normal(size=(6, 3, 3))
    x[0, :, 1] = 0.12  # in the air
    u = 0.02 * rng.normal(size=x.shape)
    by_x, by_u = law.slopes(x, u)
    h = 1e-8
    for i, unit in enumerate(h * np.eye(3)):
        change = (law.force(x + unit, u) - law.force(x - unit, u)) / (2 * h)
        np.testing.assert_allclose(change, by_x[..., i], atol=1e-6 * np.abs(by_x).max())
        change = (law.force(x, u + unit) - law.force(x, u - unit)) / (2 * h)
        np.testing.assert_allclose(change, by_u[..., i], atol=1e-5 * np.abs(by_u).max())
    assert not by_x[0].any() and not by_u[0].any()


def test_the_force_is_that_of_the_spheres():
    contact = three_sphere_foot(1.5).contact
    x = np.array([[[0.1, -1e-4, 0.02]] * 3])
    u = np.array([[[0.01, -0.02, 0.005]] * 3])
    radius = np.asarray(contact.radius)
    centre = x + radius[:, None] * np.array([0.0, 1.0, 0.0])
    force, bottom = contact.wrench(centre, u, np.zeros_like(u))
    np.testing.assert_allclose(SphereLaw(contact).force(x, u), force, rtol=1e-12)
    np.testing.assert_allclose(bottom, x, atol=1e-15)
