"""Forces at points: their derivatives, a stiff bounce in closed form, and the largest stable step of a stiff spring."""

from dataclasses import dataclass

import numpy as np
import pytest
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.errors import InputError
from softstride.model import Frame
from softstride.simulation import (
    PointForces,
    SimulationStopped,
    StiffForceField,
    energy_balance,
    largest_stable_step,
    simulate,
)
from softstride.simulation.system import System


@dataclass(frozen=True)
class Ground:
    """A spring k under y = 0 with a damper c across everything while it touches."""

    k: float
    c: float = 0.0

    def force(self, x, u):
        depth = np.maximum(-x[..., 1:2], 0.0)
        return self.k * depth * np.array([0.0, 1.0, 0.0]) - self.c * depth * u

    def slopes(self, x, u):
        depth, on = np.maximum(-x[..., 1], 0.0), x[..., 1] < 0.0
        by_x = np.zeros((*x.shape, 3))
        by_x[..., 1, 1] = -self.k * on
        by_x[..., :, 1] += self.c * on[..., None] * u
        return by_x, -self.c * depth[..., None, None] * np.eye(3)


def test_derivatives_are_those_of_the_forces():
    model = mech.floating_double_pendulum()
    arms = np.array([[0.0, -0.1, 0.0], [0.0, 0.0, 0.0], [0.0, -0.05, 0.02]])
    places = (Frame("upper", (0.1, 0.2, 0.3)), Frame("lower", (0.0, -0.3, 0.1)), Frame("lower", (0, 9.0, 0)))
    field = PointForces(places, Ground(800.0, 30.0), arms)
    assert isinstance(field, StiffForceField)
    rng = np.random.default_rng(2)
    q = engine.integrate(model, model.neutral(), 0.3 * rng.normal(size=7))
    q[1] = -1.0  # below the ground
    v = rng.normal(size=7)
    assert np.count_nonzero(field.at_points(model, q[None], v[None])[0][0].any(axis=1)) == 2, (
        "one is in the air"
    )
    by_q, by_v = field.derivatives(model, 0.0, q, v)
    h = 1e-6
    for i, unit in enumerate(np.eye(7)):
        moved = [engine.integrate(model, q, s * h * unit) for s in (1, -1)]
        ends = field.forces(model, np.zeros(2), np.array(moved), np.array([v, v]))
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), by_q[:, i], atol=2e-5 * np.abs(by_q).max())
        ends = field.forces(model, np.zeros(2), np.array([q, q]), np.array([v + h * unit, v - h * unit]))
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), by_v[:, i], atol=2e-6 * np.abs(by_v).max())


def test_the_jacobian_of_a_system_has_them():
    """A spring compressed by less than the steps of differences would be seen half: k = 1e9."""
    model, k = mech.ball(2.0), 1e9
    system = System(model, fields=(PointForces((Frame("ball"),), Ground(k)),))
    jacobian = system.jacobian(system.state(0.0, np.array([-1e-8]), np.zeros(1)))
    np.testing.assert_allclose(jacobian, [[0, 1], [-k / 2.0, 0]], rtol=1e-9)


def test_a_hard_bounce_takes_its_time_and_gives_all_back():
    """k = 1e9 N/m, m = 2 kg, 1 m/s: in contact for pi sqrt(m/k) (and 2 g m / (k u) of weight), then 1 m/s up."""
    model, k, m = mech.ball(2.0), 1e9, 2.0
    field = PointForces((Frame("ball"),), Ground(k))
    run = simulate(
        model, [1e-4], [-1.0], (0.0, 5e-4), fields=[field], method="rosenbrock", rtol=1e-8, atol=1e-12
    )
    low = run.time[run.q[:, 0] < 0.0]
    assert np.ptp(low) == pytest.approx(np.pi * np.sqrt(m / k), rel=0.02)
    assert run.q[:, 0].min() == pytest.approx(-np.sqrt(m / k), rel=2e-3)
    assert run.v[-1, 0] == pytest.approx(1.0, abs=6e-3)  # the speed of 5e-4 s of gravity
    balance = energy_balance(model, run, fields=[field])
    assert balance.relative_gap < 1e-5


def test_the_largest_stable_step_is_where_the_spring_breaks_loose():
    model, k, m = mech.ball(2.0), 5e4, 2.0
    field = PointForces((Frame("ball"),), Ground(k))
    rest = [-m * mech.G / k]
    step = largest_stable_step(model, rest, [0.0], method="rk4", fields=[field])
    assert step == pytest.approx(np.sqrt(8.0) / np.sqrt(k / m), rel=2e-3)

    def largest(dt):
        try:
            run = simulate(model, [1.001 * rest[0]], [0.0], (0.0, 3.0), fields=[field], method="rk4", dt=dt)
        except SimulationStopped:
            return np.inf
        return np.abs(run.q / rest - 1.0).max()

    assert largest(0.98 * step) < 2e-3, "a start 0.001 away stays there"
    assert largest(1.05 * step) > 0.1, "it grew a hundredfold"
    damped = PointForces((Frame("ball"),), Ground(k, 4e7))  # c depth = 15.7 kN s/m: overdamped
    fast = largest_stable_step(model, rest, [0.0], method="rk4", fields=[damped])
    rate = np.max(np.abs(np.linalg.eigvals([[0, 1], [-k / m, -4e7 * -rest[0] / m]])))
    assert 2.7826 < fast * rate < 2.7854, (
        "|R| is 1 at 2.7853, and the step is the last of a grid of 0.0025 below it"
    )
    assert largest_stable_step(model, [1.0], [0.0], fields=[field]) == np.inf
    with pytest.raises(InputError, match="implicit methods have no"):
        largest_stable_step(model, rest, [0.0], method="rosenbrock")


def test_what_is_no_field_is_told():
    with pytest.raises(InputError, match=r"needs forces\(model, t, q, v\)"):
        simulate(mech.ball(2.0), [1.0], [0.0], (0.0, 1.0), fields=[3.0])
    with pytest.raises(InputError, match="one or more Frames"):
        PointForces((), Ground(1.0))
    with pytest.raises(InputError, match="force and slopes"):
        PointForces((Frame("ball"),), 7.0)
    with pytest.raises(InputError, match=r"shape \(1, 3\)"):
        PointForces((Frame("ball"),), Ground(1.0), np.zeros(3))
