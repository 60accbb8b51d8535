"""A rolling foot that yields: it becomes the rolling joint as it stiffens, lands from the air, and wins no energy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.contact.surfaces import derivative
from tests.oracles.compliant_leg import CompliantLeg

from softstride.contact import (
    Bristle,
    CompliantRolling,
    NormalLaw,
    RollingJoint,
    SlipFriction,
    SplineSurface,
    plastic_landing,
)
from softstride.errors import InputError
from softstride.selfcheck.rolling_leg import START, RollingLeg, ankle_moment, reference_surface

SURFACE = reference_surface()
END = 0.05


def yielding(stiffness, friction=2.0, exponent=1.0):
    """Normal and tangential stiffness alike, both damped."""
    damping = 0.2 * np.sqrt(stiffness * 65.0)
    law = NormalLaw(stiffness, exponent, damping / 600.0)
    return CompliantRolling(SURFACE, law, Bristle(friction, stiffness, damping))


def run(leg, y, end, **options):
    options = {"method": "LSODA", "rtol": 1e-8, "atol": 1e-11} | options
    found = solve_ivp(leg.rates, (0.0, end), y, **options)
    assert found.success
    return found


def test_it_becomes_rolling_without_slip_as_it_stiffens():
    """Depth and stretch are forces over stiffness, so the motion comes nearer by its inverse: tenfold by tenfold."""
    joint = RollingLeg(RollingJoint(SURFACE))
    rolled = run(joint, START, END, method="DOP853", rtol=1e-11, atol=1e-13, max_step=2e-3).y[:, -1]
    errors = []
    for stiffness in (1e6, 1e7, 1e8):
        leg = CompliantLeg(yielding(stiffness))
        end = run(leg, leg.start(), END, rtol=1e-9, atol=1e-13).y[:, -1]
        errors.append(np.abs(end[2:4] - rolled[:2]).max())
        slipped = leg.touch(end).place - float(SURFACE.s(end[2]))
        assert abs(slipped) < 500.0 / stiffness, "it slips by no more than its stretch"
    assert errors[-1] < 2e-5
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 10.0, rtol=0.15)
    np.testing.assert_allclose(leg.touch(end).force, joint.ground_force(END, rolled)[:2], rtol=2e-3)


def test_the_lowest_point_is_what_presses_and_slips():
    contact = CompliantRolling(SURFACE, NormalLaw(1e5, 1.0, 2.0), SlipFriction(0.6))
    a, rate = np.array([-0.15, 0.02, 0.4]), np.array([1.0, -2.0, 3.0])
    position = np.stack([[0.1, 0.2, 0.3], SURFACE.h(a) - 0.002], axis=1)
    velocity = np.array([[0.1, -0.2], [0.3, 0.05], [-0.4, -0.1]])
    touch = contact.touch(position, a, velocity, rate)
    np.testing.assert_allclose(touch.depth, 0.002)
    np.testing.assert_allclose(contact.clearance(position, a), -0.002)
    xi, zeta = SURFACE.outline(a).T

    def particle(t):
        """The foot particle that is lowest now, along the motion with these velocities."""
        tilt = a + rate * t
        x = position[:, 0] + velocity[:, 0] * t + xi * np.cos(tilt) + zeta * np.sin(tilt)
        z = position[:, 1] + velocity[:, 1] * t - xi * np.sin(tilt) + zeta * np.cos(tilt)
        return np.stack([x, z], axis=1)

    np.testing.assert_allclose(touch.place, particle(0.0)[:, 0], atol=1e-15)
    np.testing.assert_allclose(particle(0.0)[:, 1], -0.002, atol=1e-15)
    slip, separation = derivative(particle, 0.0).T
    np.testing.assert_allclose(touch.force[:, 1], contact.press.force(0.002, separation), rtol=1e-9)
    np.testing.assert_allclose(touch.force[:, 0], -0.6 * touch.force[:, 1] * np.tanh(slip / 0.01), rtol=1e-7)
    power = np.sum(touch.force * velocity, axis=1) + touch.moment * rate
    np.testing.assert_allclose(power, touch.force[:, 0] * slip + touch.force[:, 1] * separation, rtol=1e-9)


def taken(leg, y):
    """Power that normal law and bristle turn to heat, each."""
    touch, contact = leg.touch(y), leg.contact
    slip, separation = y[4] - SURFACE.h(y[2]) * y[6], y[5] - SURFACE.dh(y[2]) * y[6]
    heat = -(touch.force[1] - contact.press.force(touch.depth, 0.0)) * separation
    return heat, -touch.force[0] * slip - contact.grip.stiffness * y[8] * touch.stretch_rate


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_a_foot_lands_from_the_air_and_loses_what_its_laws_take(exponent):
    """Mechanical and stored energy change by the power of the ankle moment less what the laws take, which is ≥ 0."""
    contact = yielding(1e6, friction=0.6, exponent=exponent)
    leg = CompliantLeg(contact)
    y = leg.start()
    y[1] += 0.01  # one centimetre above the ground
    y[4:6] += 0.3, -0.4
    assert leg.touch(y).depth < 0.0 and leg.touch(y).force[1] == 0.0

    def rates(t, y):
        """The leg's own, what its laws turn to heat, and the work of its ankle."""
        state = y[:9]
        heat = taken(leg, state)
        assert min(heat) > -1e-6, "energy is only taken"
        work = ankle_moment(t, *state[[2, 3, 6, 7]]) * (state[6] - state[7])
        return np.concatenate([leg.rates(t, state), [sum(heat), work]])

    landed = solve_ivp(rates, (0.0, 0.12), [*y, 0.0, 0.0], method="LSODA", rtol=1e-8, atol=1e-11).y[:, -1]
    heat, work = landed[9:]
    assert leg.energy(landed[:9]) - leg.energy(y) == pytest.approx(work - heat, abs=2e-5)
    assert heat > 1.0
    assert leg.touch(landed[:9]).depth > 0.0, "it stands"


def test_power_at_random_states():
    """The rate of energy is minus what the laws take, also where it slips; by differences along the motion."""
    rng = np.random.default_rng(4)
    leg = CompliantLeg(yielding(1e5, friction=0.5), driven=False)
    step, worst, slipping = 1e-7, 0.0, 0
    for _ in range(100):
        y = np.concatenate(
            [[0.0, 0.0], rng.uniform(-0.2, 0.5, 2), rng.normal(size=4), 1e-3 * rng.normal(size=1)]
        )
        y[1] = SURFACE.h(y[2]) - rng.uniform(1e-4, 5e-3)
        rate = leg.rates(0.0, y)
        gain = (leg.energy(y + step * rate) - leg.energy(y - step * rate)) / (2 * step)
        touch = leg.touch(y)
        heat = sum(taken(leg, y))
        slipping += abs(touch.force[0]) > 0.4999 * touch.force[1]
        worst = max(worst, abs(gain + heat) / max(1.0, abs(heat)))
    assert worst < 1e-5 and 20 < slipping < 100


def test_momentum_of_a_landing():
    """Rolling takes hold: the impulse is the change of momentum, angular momentum about the contact stays."""
    joint = RollingJoint(SURFACE, origin=0.4)
    m, inertia, a = 1.2, 0.01, 0.2
    centre = joint.point(a, [0.05, 0.04])
    x, z = centre - joint.position(a)
    P = np.array([[1.0, 0.0, z], [0.0, 1.0, -x]])  # velocity of the centre from (ẋ, ż, ȧ) of the origin
    M = m * P.T @ P + np.diag([0.0, 0.0, inertia])
    before = np.array([0.5, -0.8, 3.0])
    landing = plastic_landing(M, joint.jacobian(a), before)
    np.testing.assert_allclose(joint.jacobian(a) @ landing.velocity, 0.0, atol=1e-14)
    np.testing.assert_allclose(m * P @ (landing.velocity - before), landing.impulse, atol=1e-14)
    assert landing.impulse[1] > 0.0, "the ground pushes"

    def spin(v):
        arm = centre - joint.force_point(a)
        return inertia * v[2] + m * (arm[1] * (P @ v)[0] - arm[0] * (P @ v)[1])

    assert spin(landing.velocity) == pytest.approx(spin(before), rel=1e-12)
    kinetic = [0.5 * v @ M @ v for v in (before, landing.velocity)]
    assert (
        landing.energy_lost == pytest.approx(kinetic[0] - kinetic[1], rel=1e-12) and landing.energy_lost > 0.0
    )
    again = plastic_landing(M, joint.jacobian(a), landing.velocity)
    assert again.energy_lost == pytest.approx(0.0, abs=1e-15)


def test_a_stiff_landing_without_rebound_is_the_plastic_one():
    """A foot alone, without weight, that strikes stiff ground of almost no restitution and does not slip."""
    m, inertia = 1.2, 0.01
    surface = SplineSurface.arc(0.2, (0.0, -0.1))
    law = NormalLaw.from_restitution(1e8, 0.002, 1.0)
    contact = CompliantRolling(surface, law, Bristle(50.0, 1e8, 4e4))
    before = np.array([0.3, -1.0, 2.0])

    def rates(_, y):
        touch = contact.touch(y[:2], y[2], y[3:5], y[5], y[6])
        return np.concatenate([y[3:6], touch.force / m, [touch.moment / inertia, touch.stretch_rate]])

    y = np.concatenate([[0.0, surface.h(0.15), 0.15], before, [0.0]])
    after = solve_ivp(rates, (0.0, 3e-3), y, method="Radau", rtol=1e-6, atol=1e-10).y[:, -1]
    expected = plastic_landing(np.diag([m, m, inertia]), RollingJoint(surface).jacobian(0.15), before)
    np.testing.assert_allclose(after[3:6], expected.velocity, atol=0.02)
    lost = 0.5 * (m * (before[:2] @ before[:2] - after[3:5] @ after[3:5]) + inertia * (4.0 - after[5] ** 2))
    assert lost == pytest.approx(expected.energy_lost, rel=0.02)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: plastic_landing(np.eye(3), np.eye(2), np.zeros(3)),
            ValueError,
            r"shapes \(n,\) and \(rows, n\)",
        ),
        (lambda: plastic_landing(np.eye(2), np.eye(3), np.zeros(3)), ValueError, "mass matrix of a landing"),
        (lambda: plastic_landing(-np.eye(2), np.eye(2), np.zeros(2)), RuntimeError, "positive definite"),
        (
            lambda: plastic_landing(np.eye(2), [[1, 0], [2, 0]], np.zeros(2)),
            RuntimeError,
            "independent rows; leave out",
        ),
        (
            lambda: CompliantRolling("flat", NormalLaw(1.0), SlipFriction(0.5)),
            InputError,
            "must be a Rolling",
        ),
    ],
)
def test_what_cannot_land_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
