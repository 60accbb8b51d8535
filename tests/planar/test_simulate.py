"""Forward simulation: energy closes with the work of every kind of force, and inverse dynamics finds the forces."""

import numpy as np
import pytest
from scipy.special import ellipk
from tests.oracles.planar_newton import random_chain, random_state

from softstride.errors import InputError
from softstride.planar import Chain, State
from softstride.planar.forward import differences
from softstride.planar.simulate import energies
from softstride.selfcheck.planar import reference_chain, reference_state

TIME = np.linspace(0.0, 0.4, 41)
SIZE = 1e-9  # of the energies: steps are right to 1e-10 relative


def driven():
    """The reference chain with forces that change: muscles, motors, contacts, a base that shakes."""
    chain, start = reference_chain(), reference_state()
    rest = {name: value for name, value in start.force.items() if name != "ground"}

    def drive(t, theta, omega):
        return State(
            theta=theta,
            omega=omega,
            tension={name: value * (0.2 + 0.1 * np.sin(9.0 * t)) for name, value in start.tension.items()},
            force={name: np.asarray(value) * np.cos(5.0 * t) for name, value in rest.items()},
            couple={"strap": 2.0 * np.sin(3.0 * t)},
            torque=-8.0 * omega[1:],
            base_acceleration=(3.0 * np.sin(8.0 * t), 1.0),
        )

    return chain, drive(0.0, start.theta, start.omega), drive


def test_energy_closes_while_everything_acts():
    chain, start, drive = driven()
    run = chain.simulate(start, TIME, drive)
    scale = np.abs(run.energy).max() + np.abs(run.work).max()
    assert run.energy_error < SIZE * scale
    assert (np.ptp(run.work, axis=0) > 0.1).all(), "every kind does work"
    assert run.state.n_frames == len(TIME)


def test_a_simulation_has_names():
    chain, start, drive = driven()
    run = chain.simulate(start, TIME[:5], drive)
    dataset, frame = run.to_xarray(), run.to_dataframe()
    np.testing.assert_array_equal(dataset.theta.sel(link="2"), run.state.theta[:, 2])
    np.testing.assert_array_equal(frame["work:muscle"], dataset.work.sel(kind="muscle"))
    assert list(frame.index) == list(TIME[:5]) and "energy error" in repr(run)


def test_inverse_dynamics_of_the_simulation_gives_its_forces():
    chain, start, drive = driven()
    run = chain.simulate(start, TIME, drive)
    torques = chain.torques(run.state)
    scale = np.abs(chain.contributions(run.state).torque).max()
    np.testing.assert_allclose(torques.given, torques.required, atol=1e-11 * scale)
    whole = chain.balanced(run.state, "ground")
    gap = chain.reactions(whole).force - chain.reactions(whole, form="proximal").force
    assert np.abs(gap).max() < 1e-9


def test_accelerations_are_the_slope_of_velocities():
    chain, start, drive = driven()
    run = chain.simulate(start, np.linspace(0.0, 0.02, 201), drive)
    h = run.state.time[1]
    slope = (run.state.omega[2:] - run.state.omega[:-2]) / (2.0 * h)
    third = np.abs(np.gradient(np.gradient(run.state.alpha, h, axis=0), h, axis=0)).max()
    np.testing.assert_allclose(slope, run.state.alpha[1:-1], atol=h**2 / 6.0 * third * 1.5 + 1e-6)


def test_a_pendulum_takes_its_period():
    """T = 4 sqrt(I / (m g c)) K(sin²(amplitude/2))."""
    amplitude = 1.2
    pendulum = Chain(
        length=[0.1, 0.5], mass=[0.0, 2.0], com=[(0, 0), (0.3, 0)], inertia=[0.0, 0.05], gravity=9.81
    )
    period = 4.0 * np.sqrt((0.05 + 2.0 * 0.09) / (2.0 * 9.81 * 0.3)) * ellipk(np.sin(amplitude / 2.0) ** 2)
    start = State(theta=[0.0, amplitude - np.pi / 2])
    run = pendulum.simulate(start, [0.0, period / 2.0, period])
    np.testing.assert_allclose(
        run.state.theta[:, 1] + np.pi / 2, [amplitude, -amplitude, amplitude], atol=1e-8
    )
    np.testing.assert_allclose(run.state.omega[:, 1], 0.0, atol=1e-8)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_power_is_the_rate_of_kinetic_energy(n):
    """Without time: d/dt of ½ thdᵀ M thd along the motion, by differences, against forces times velocities."""
    rng = np.random.default_rng(n)
    chain = random_chain(rng, n)
    state = random_state(rng, chain)
    state = state.changed(alpha=chain.accelerations(state))
    table = chain.contributions(state)
    signs = np.array([1.0 if s.actuator else -1.0 for s in table.sources])
    forces = np.array([s.kind in ("muscle", "weight", "contact") for s in table.sources])
    power = state.omega[1:] @ differences((table.torque * signs)[None])[0][:, forces].sum(axis=1)
    h = 1e-6
    around = [
        state.changed(theta=state.theta + k * h * state.omega, omega=state.omega + k * h * state.alpha)
        for k in (-1.0, 1.0)
    ]
    before, after = (energies(chain, each)[0] for each in around)
    rate = (after[0] - before[0]) / (2.0 * h)
    scale = np.abs(state.omega[1:] * differences(table.torque[None])[0].T).max()
    assert rate == pytest.approx(power, abs=1e-7 * scale)  # rounding eps E/h and truncation h²


def test_bad_starts_are_refused():
    chain, start, _ = driven()
    with pytest.raises(InputError, match="one frame"):
        chain.simulate(start.changed(theta=start.theta[None], omega=None, alpha=None), TIME)
    with pytest.raises(InputError, match="two instants"):
        chain.simulate(start, [0.0])
    with pytest.raises(InputError, match="time must increase"):
        chain.simulate(start, [0.0, 0.0])
    with pytest.raises(InputError, match="drive must return"):
        chain.simulate(start, TIME, lambda t, theta, omega: None)
