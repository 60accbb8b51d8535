"""Driven coordinates: a cart that is moved, against closed forms; their power; and what is refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline, make_interp_spline
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.errors import InputError
from softstride.model import ModelBuilder
from softstride.simulation import (
    DrivenCoordinates,
    Event,
    Rheonomic,
    assemble,
    constrained_acceleration,
    energy_balance,
    plastic_impact,
    simulate,
)

CART, BOB, LENGTH = 2.0, 0.7, 0.5


def cart():
    """A cart on rails along x, a pendulum of length LENGTH under it."""
    builder = ModelBuilder("cart", gravity=mech.DOWN)
    builder.prismatic("cart", axis=(1, 0, 0), mass=CART)
    builder.revolute("bob", "cart", axis=(0, 0, 1), mass=BOB, com=(0, -LENGTH, 0))
    return builder.build()


class Wave:
    """0.2 sin 7t and its derivatives."""

    def __call__(self, t, nu):
        return 0.2 * 7.0**nu * np.sin(7.0 * t + 0.5 * np.pi * nu)[:, None]


MOVED = DrivenCoordinates(("cart",), Wave())


def moved_pendulum(t):
    """Return angle, rate and driving force: l th'' = -g sin th - f'' cos th, F = (M+m) f'' + m l (th' sin th)'."""

    def rates(t, y):
        return [y[1], -(mech.G * np.sin(y[0]) + Wave()(np.array([t]), 2)[0, 0] * np.cos(y[0])) / LENGTH]

    angle, rate = solve_ivp(
        rates, (0.0, t[-1]), [0.4, 0.0], t_eval=t, rtol=1e-12, atol=1e-13, method="DOP853"
    ).y
    second = np.array([rates(each, y)[1] for each, y in zip(t, np.stack([angle, rate], axis=1), strict=True)])
    force = (CART + BOB) * Wave()(t, 2)[:, 0] + BOB * LENGTH * (
        second * np.cos(angle) - rate**2 * np.sin(angle)
    )
    return angle, rate, force


def test_it_is_rheonomic():
    assert isinstance(MOVED, Rheonomic)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dopri", "rosenbrock"])
def test_a_moved_pendulum_follows_its_equation_and_the_multiplier_is_the_force(method):
    t = np.linspace(0.0, 1.5, 16)
    run = simulate(
        cart(), [0.0, 0.4], [1.4, 0.0], (0.0, 1.5), constraints=[MOVED], times=t, method=method, rtol=1e-10, atol=1e-12
    )  # fmt: skip
    angle, rate, force = moved_pendulum(t)
    np.testing.assert_allclose(run.q[:, 1], angle, atol=2e-8)
    np.testing.assert_allclose(run.v[:, 1], rate, atol=2e-7)
    np.testing.assert_allclose(run.multipliers[:, 0], force, atol=2e-6)
    np.testing.assert_allclose(run.q[:, 0], Wave()(t, 0)[:, 0], atol=1e-12)
    assert run.constraint_drift < 1e-11 and np.max(np.abs(run.residual_rate)) < 1e-11


def test_the_order_of_the_method_is_kept():
    angle, *_ = moved_pendulum(np.array([0.0, 1.0]))
    errors = []
    for dt in (0.04, 0.02, 0.01):
        run = simulate(cart(), [0.0, 0.4], [1.4, 0.0], (0.0, 1.0), constraints=[MOVED], method="rk4", dt=dt)
        errors.append(abs(run.q[-1, 1] - angle[-1]))
    assert np.all(mech.orders(errors) > 3.7), errors


@pytest.mark.slow
def test_the_drive_pays_for_the_energy():
    run = simulate(cart(), [0.0, 0.4], [1.4, 0.0], (0.0, 1.5), constraints=[MOVED], method="rk4", dt=1e-3)
    balance = energy_balance(cart(), run, constraints=[MOVED])
    assert np.ptp(run.energy.total) > 1.0, "the drive works"
    assert balance.relative_gap < 1e-9
    power = run.multipliers[:, 0] * run.v[:, 0]
    trapezoids = np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(run.time))
    assert balance.work["drives"][-1] == pytest.approx(trapezoids, abs=1e-4)


def test_a_model_that_is_driven_throughout_needs_the_moments_of_inverse_dynamics():
    model = mech.double_pendulum()
    course = make_interp_spline(np.linspace(0, 1, 9), np.random.default_rng(3).normal(size=(9, 2)), k=5)
    driven = DrivenCoordinates(("upper", "lower"), course)
    t = np.linspace(0.1, 0.9, 5)
    q, v, a = (course(t, nu) for nu in range(3))
    got, force = constrained_acceleration(model, q, v, np.zeros((5, 2)), [driven], t)
    np.testing.assert_allclose(got, a, atol=1e-9)
    np.testing.assert_allclose(force, engine.inverse_dynamics(model, q, v, a), atol=1e-9)


def test_assemble_and_impact_take_the_speed_of_the_drive():
    model = cart()
    q, v = assemble(model, [0.3, 0.1], [0.0, 0.0], [MOVED], t=0.1)
    assert q[0] == pytest.approx(0.2 * np.sin(0.7), abs=1e-13)
    assert v[0] == pytest.approx(1.4 * np.cos(0.7), abs=1e-13)
    hit = plastic_impact(model, q, [0.0, 0.0], [MOVED], t=0.1)
    assert hit.v[0] == pytest.approx(v[0], abs=1e-13)


def test_a_drive_may_change_its_acceleration_at_a_breakpoint():
    """At rest until 0.5 s, then 3 m/s²: the pendulum that hung leans to atan(3/g) on average."""

    def course(t, nu):
        late = np.maximum(t - 0.5, 0.0)
        return {0: 1.5 * late**2, 1: 3.0 * late, 2: np.where(t >= 0.5, 3.0, 0.0)}[nu][:, None]

    driven = DrivenCoordinates(("cart",), course)
    run = simulate(
        cart(), [0.0, 0.0], [0.0, 0.0], (0.0, 1.2), constraints=[driven], breakpoints=[0.5], rtol=1e-11, atol=1e-12
    )  # fmt: skip
    before = run.time <= 0.5
    assert np.max(np.abs(run.q[before, 1])) == 0.0
    # in the frame of the cart the energy l th'^2 / 2 - g cos th + 3 sin th is constant
    th, rate = run.q[:, 1], run.v[:, 1]
    level = 0.5 * LENGTH * rate**2 - mech.G * np.cos(th) + 3.0 * np.sin(th)
    assert np.ptp(level) < 1e-8 and np.min(th) < -0.5


def test_events_are_located_under_a_drive():
    top = Event(lambda t, q, v: q[0] - 0.1, "passes", direction=1)
    run = simulate(cart(), [0.0, 0.4], [1.4, 0.0], (0.0, 0.5), constraints=[MOVED], events=[top])
    assert run.events[0].time == pytest.approx(np.arcsin(0.5) / 7.0, abs=1e-10)


def test_a_start_that_does_not_follow_is_refused():
    with pytest.raises(InputError, match=r"violates the constraints by 0.1.*assemble"):
        simulate(cart(), [0.1, 0.0], [1.4, 0.0], (0.0, 1.0), constraints=[MOVED])
    with pytest.raises(InputError, match=r"1.4 in velocity"):
        simulate(cart(), [0.0, 0.0], [0.0, 0.0], (0.0, 1.0), constraints=[MOVED])


def test_a_course_that_ends_early_is_told():
    short = DrivenCoordinates(("cart",), CubicSpline([0, 0.2, 0.4], [[0.0], [0.1], [0.0]], extrapolate=False))
    q, v = assemble(cart(), [0, 0], None, [short])
    with pytest.raises(InputError, match=r"course of cart is not finite at t = .*cover the whole"):
        simulate(cart(), q, v, (0.0, 1.0), constraints=[short])


def test_what_cannot_be_driven_is_told():
    with pytest.raises(InputError, match="one or more different names"):
        DrivenCoordinates(("a", "a"), Wave())
    with pytest.raises(InputError, match="function course"):
        DrivenCoordinates(("a",), 3.0)
    with pytest.raises(InputError, match=r"'wheel' is no coordinate.*'cart', 'bob'"):
        assemble(cart(), [0, 0], None, [DrivenCoordinates(("wheel",), Wave())])
    with pytest.raises(InputError, match=r"shape \(1, 2\) for 2"):
        assemble(cart(), [0, 0], None, [DrivenCoordinates(("cart", "bob"), Wave())])
    ball = mech.conical_pendulum()
    with pytest.raises(InputError, match="can be driven"):
        assemble(ball, ball.neutral(), None, [DrivenCoordinates(("bob.x",), Wave())])
