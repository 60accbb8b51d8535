"""Orders of convergence on closed-form motions, conservation laws, error control, output."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.refusals import bad_input
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.engine import difference
from softstride.errors import InputError, SimulationError
from softstride.model import ModelBuilder, Point
from softstride.simulation import SimulationStopped, rosenbrock, simulate
from softstride.simulation.system import System

ORDER = {"rk4": 4, "dopri": 5, "rosenbrock": 5}
METHODS = tuple(ORDER)


def observed(method, run, steps):
    """Check the order over halved steps; `run` maps a step size to an error."""
    errors = [run(1.0 / n) for n in steps]
    got = mech.orders(errors)
    assert np.all(got > ORDER[method] - 0.35), (errors, got)
    return errors


@pytest.mark.parametrize("method", METHODS)
def test_order_on_the_pendulum(method):
    model = mech.pendulum()

    def run(dt):
        end = simulate(model, [1.2], [0.0], (0.0, 1.0), method=method, dt=dt)
        return abs(end.q[-1, 0] - mech.pendulum_angle(1.2, 1.0))

    observed(method, run, (20, 40, 80))


@pytest.mark.parametrize("method", METHODS)
def test_a_steady_turn_is_exact(method):
    """A conical pendulum, R(t) = R_y(w t) R(0), w^2 = g / (l cos): a constant velocity, exact at any step."""
    model = mech.conical_pendulum(length=0.7)
    tilt = 0.6
    w = np.sqrt(mech.G / (0.7 * np.cos(tilt)))
    start = Rotation.from_euler("z", tilt)
    spin = start.inv().apply((0.0, w, 0.0))  # angular velocity in body axes
    exact = (Rotation.from_euler("y", w) * start).as_quat()
    end = simulate(model, start.as_quat(), spin, (0.0, 1.0), method=method, dt=0.05)
    assert np.linalg.norm(difference(model, exact, end.q[-1])) < 1e-13


@pytest.mark.parametrize("method", METHODS)
def test_order_on_the_spherical_pendulum(method):
    """A ball joint that swings and spins, against a fine solution with energy and momentum kept to 1e-11."""
    model = mech.conical_pendulum(length=0.7)
    start, spin = Rotation.from_euler("zx", (0.9, 0.4)).as_quat(), np.array([1.0, 2.5, -1.5])
    exact = simulate(model, start, spin, (0.0, 1.0), rtol=1e-13, atol=1e-14)
    turning = engine.momentum(model, exact.q, exact.v)[:, 1]
    assert exact.energy_drift < 1e-11 and np.ptp(turning) < 1e-11

    def run(dt):
        end = simulate(model, start, spin, (0.0, 1.0), method=method, dt=dt)
        return np.linalg.norm(difference(model, exact.q[-1], end.q[-1]))

    observed(method, run, (20, 40, 80))


def symmetric_top(t):
    """Return model, start and exact pose at t of a falling symmetric top, centre of mass off the origin."""
    com, transverse, axial = np.array([0.1, -0.2, 0.15]), 0.3, 0.5
    model = mech.free_body((transverse, transverse, axial), com=com)
    turn = Rotation.from_rotvec((0.4, -0.3, 0.8))
    omega, velocity = (
        np.array([2.0, -1.0, 3.0]),
        np.array([0.5, 2.0, -0.3]),
    )  # body axes; of the com in world axes
    L = turn.apply(np.array([transverse, transverse, axial]) * omega)
    end = (
        Rotation.from_rotvec(t * L / transverse)
        * turn
        * Rotation.from_rotvec((0, 0, t * (1 - axial / transverse) * omega[2]))
    )
    centre = np.array([0.1, 0.2, 0.3]) + velocity * t + 0.5 * np.array(mech.DOWN) * t**2
    q0 = np.concatenate([np.array([0.1, 0.2, 0.3]) - turn.apply(com), turn.as_quat()])
    v0 = np.concatenate([omega, turn.inv().apply(velocity) - np.cross(omega, com)])
    return model, q0, v0, np.concatenate([centre - end.apply(com), end.as_quat()])


@pytest.mark.parametrize("method", METHODS)
def test_order_on_a_tumbling_top(method):
    model, q0, v0, exact = symmetric_top(1.0)

    def run(dt):
        end = simulate(model, q0, v0, (0.0, 1.0), method=method, dt=dt)
        return np.linalg.norm(difference(model, exact, end.q[-1]))

    observed(method, run, (20, 40, 80))


@pytest.mark.parametrize("method", ["dopri", "rosenbrock"])
def test_tumbling_keeps_momentum_and_energy(method):
    """A body with three different inertias, no gravity: momentum in world axes, a closed form, to 1e-9."""
    model = mech.free_body((0.1, 0.23, 0.3), com=(0.05, 0.02, -0.1), gravity=(0, 0, 0))
    q0 = np.concatenate([(0.3, 0.1, -0.2), Rotation.from_rotvec((0.5, 1.0, -0.3)).as_quat()])
    v0 = np.array([4.0, 0.1, -0.2, 0.3, -0.5, 0.2])  # near the unstable axis: it flips
    run = simulate(model, q0, v0, (0.0, 3.0), method=method, rtol=1e-11, atol=1e-13)
    momentum = engine.momentum(model, run.q, run.v)
    assert np.max(np.abs(momentum - momentum[0])) < 1e-9
    assert run.energy_drift < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_order_with_forces_that_depend_on_time(method):
    """Hinge without gravity under a known moment: q = sin(3 t) + 0.2 t^2 solves I q'' + c q' = tau(t)."""
    builder = ModelBuilder("driven", gravity=(0, 0, 0))
    builder.revolute("wheel", axis=(0, 0, 1), mass=1.0, inertia=(1, 1, 2.0), damping=0.7)
    model = builder.build()

    def moment(t, q, v):
        return [2.0 * (-9 * np.sin(3 * t) + 0.4) + 0.7 * (3 * np.cos(3 * t) + 0.4 * t)]

    def run(dt):
        end = simulate(model, [0.0], [3.0], (0.0, 1.0), method=method, dt=dt, controls=moment)
        return abs(end.q[-1, 0] - (np.sin(3.0) + 0.2))

    observed(method, run, (10, 20, 40))


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("dopri", 5), ("rosenbrock", 5)])
def test_output_between_the_steps_keeps_the_order(method, order):
    """Local error of the dense output: h^4 for the cubic, h^5 for the two others."""
    model, times = mech.pendulum(), np.linspace(0.0, 1.0, 63)

    def run(dt):
        motion = simulate(model, [1.2], [0.0], (0.0, 1.0), method=method, dt=dt, times=times)
        assert np.array_equal(motion.time, times)
        return np.max(np.abs(motion.q[:, 0] - mech.pendulum_angle(1.2, times)))

    assert np.all(mech.orders([run(1.0 / n) for n in (10, 20, 40)]) > order - 0.35)


@pytest.mark.parametrize("method", ["dopri", "rosenbrock"])
def test_error_follows_the_tolerance(method):
    model = mech.pendulum()
    errors = []
    for rtol in (1e-4, 1e-7, 1e-10):
        run = simulate(model, [1.2], [0.0], (0.0, 2.0), method=method, rtol=rtol, atol=rtol / 100)
        errors.append(abs(run.q[-1, 0] - mech.pendulum_angle(1.2, 2.0)))
    assert errors[0] < 1e-3 and errors[1] < 3e-6 and errors[2] < 3e-9
    assert errors[0] > 30 * errors[1] > 900 * errors[2]


def test_rodas5p_meets_the_seventeen_order_conditions():
    """Hairer and Wanner, Solving ODEs II, section IV.7, alpha and gamma recovered from the stored form."""
    gamma = np.linalg.inv(np.eye(8) / rosenbrock.GAMMA - rosenbrock.COUPLING)
    alpha, b = rosenbrock.A @ gamma, rosenbrock.B @ gamma
    beta = alpha + gamma
    c, d, s = alpha.sum(1), gamma.sum(1), beta.sum(1)
    assert np.allclose(c, rosenbrock.C, atol=2e-14) and np.allclose(d, rosenbrock.D, atol=2e-14)
    conditions = {
        b.sum(): 1, b @ s: 1 / 2, b @ c**2: 1 / 3, b @ beta @ s: 1 / 6,
        b @ c**3: 1 / 4, b @ (c * (alpha @ s)): 1 / 8, b @ beta @ c**2: 1 / 12, b @ beta @ beta @ s: 1 / 24,
        b @ c**4: 1 / 5, b @ (c**2 * (alpha @ s)): 1 / 10, b @ (alpha @ s) ** 2: 1 / 20,
        b @ (c * (alpha @ c**2)): 1 / 15, b @ (c * (alpha @ beta @ s)): 1 / 30, b @ beta @ c**3: 1 / 20,
        b @ beta @ (c * (alpha @ s)): 1 / 40, b @ beta @ beta @ c**2: 1 / 60,
        b @ beta @ beta @ beta @ s: 1 / 120,
    }  # fmt: skip
    assert len(conditions) == 17
    assert np.max(np.abs(np.array(list(conditions)) - np.array(list(conditions.values())))) < 3e-14


@pytest.mark.parametrize("method", ["dopri", "rosenbrock"])
def test_energy_of_a_rigid_chain_is_kept(method):
    model = mech.double_pendulum()
    run = simulate(model, [2.0, -1.0], [0.5, 3.0], (0.0, 1.0), method=method, rtol=1e-10, atol=1e-12)
    assert run.energy_drift < 1e-8 and run.completed and run.notes == ()
    assert run.time[0] == 0.0 and run.time[-1] == 1.0 and np.all(np.diff(run.time) > 0)


@pytest.mark.slow
def test_energy_of_a_soft_swing_is_kept_and_drift_falls_with_the_step():
    """Free swing of a rod with three strains, RK4 (hybrid-link specification, section 9), 1 s.

    Drift relative to the energy exchanged, the peak of the kinetic energy.
    """
    model = mech.soft_rod(segments=1)
    start = np.array([0.5, 1.0, -0.4])
    runs = [
        simulate(model, start, np.zeros(3), (0.0, 1.0), method="rk4", dt=dt)
        for dt in (4e-3, 2e-3, 1e-3, 5e-4)
    ]
    drift = [run.energy_drift / np.max(run.energy.kinetic) for run in runs]
    assert drift[3] < 1e-8 and drift[0] > 12 * drift[1] > 144 * drift[2]  # order 4 or better


@pytest.mark.slow
def test_energy_of_a_longer_rod_is_kept_under_error_control():
    """Two segments, internal mode of 367 rad/s; drift relative to the peak of the kinetic energy."""
    model = mech.soft_rod(segments=2)
    run = simulate(model, [0.5, 1.0, -0.4, 0.2, -0.8, 0.3], np.zeros(6), (0.0, 0.3), rtol=1e-10, atol=1e-11)
    assert run.energy_drift < 1e-8 * np.max(run.energy.kinetic)


def test_a_damped_swing_loses_energy_at_every_step():
    model = mech.soft_rod(segments=2, damping=0.02)
    run = simulate(model, [0.5, 1.0, -0.4, 0.2, -0.8, 0.3], np.zeros(6), (0.0, 0.2), rtol=1e-8, atol=1e-10)
    assert len(run.time) > 100 and np.all(np.diff(run.energy.total) < 0.0)


def test_passive_forces_can_be_left_out():
    model = mech.pendulum(stiffness=50.0, damping=2.0)
    run = simulate(model, [1.2], [0.0], (0.0, 1.0), passive=False)
    assert run.q[-1, 0] == pytest.approx(mech.pendulum_angle(1.2, 1.0), abs=1e-7)


def test_constant_and_changing_loads():
    """A force at the centre of a floating body: uniform acceleration; a moment in world axes: spin."""
    model = mech.free_body((0.2, 0.2, 0.2), mass=2.0)
    q0, v0 = model.neutral(), np.zeros(6)
    push = np.array([0.0, 0.0, 0.0, 3.0, 2.0 * mech.G, -1.0])
    run = simulate(model, q0, v0, (0.0, 1.0), f_ext={"body": push})
    assert np.allclose(run.q[-1, :3], 0.5 * np.array([1.5, 0.0, -0.5]), atol=1e-9)
    run = simulate(
        model, q0, v0, (0.0, 1.0), f_ext=lambda t, q, v: {"body": (0, 0, 0.6 * t, 0, 2 * mech.G, 0)}
    )
    assert np.allclose(run.v[-1], (0, 0, 1.5, 0, 0, 0), atol=1e-8)
    follower = simulate(
        model, q0, v0, (0.0, 1.0), f_ext=lambda t, q, v: {Point("body"): push} if t < 2 else {}
    )
    assert np.allclose(follower.q[-1, :3], 0.5 * np.array([1.5, 0.0, -0.5]), atol=1e-9)


def test_a_jump_in_the_controls_is_met_exactly_at_a_breakpoint():
    """Unit inertia, moment 1 until 0.3 s, then -2: v(1) = 0.3 - 1.4, exact as steps end at the jump."""
    builder = ModelBuilder("wheel", gravity=(0, 0, 0))
    builder.revolute("wheel", axis=(0, 0, 1), mass=1.0, inertia=(1, 1, 1.0))
    model = builder.build()
    run = simulate(
        model, [0.0], [0.0], (0.0, 1.0), controls=lambda t, q, v: [1.0 if t < 0.3 else -2.0],
        breakpoints=[-1.0, 0.3, 7.0], rtol=1e-6,
    )  # fmt: skip
    assert 0.3 in run.time
    assert run.v[-1, 0] == pytest.approx(0.3 - 1.4, abs=1e-13)


def test_accelerations_multipliers_and_statistics_are_reported():
    model = mech.pendulum()
    run = simulate(model, [1.2], [0.0], (0.0, 1.0), method="rk4", dt=0.01)
    assert np.allclose(run.a, -mech.G * np.sin(run.q), atol=1e-12)
    assert run.multipliers.shape == run.residual.shape == run.residual_rate.shape == (101, 0)
    assert run.statistics.steps == 100 and run.statistics.rejected == 0 and run.constraint_drift == 0.0
    assert run.statistics.evaluations <= 402
    stiff = simulate(model, [1.2], [0.0], (0.0, 1.0), method="rosenbrock")
    assert stiff.statistics.jacobians == stiff.statistics.steps


def test_largest_step_is_respected():
    run = simulate(mech.pendulum(), [1.2], [0.0], (0.0, 1.0), max_step=0.01, rtol=1e-3)
    assert np.max(np.diff(run.time)) <= 0.01 + 1e-15


def test_jacobian_of_the_right_hand_side():
    """System.jacobian against central differences of the right-hand side, with loads and controls."""
    builder = ModelBuilder("mixed", gravity=mech.DOWN)
    builder.free("base", mass=2.0, com=(0.1, 0, 0.05), inertia=(0.1, 0.2, 0.25), damping=0.3)
    bone = {"position": (0, -0.2, 0), "com": (0, -0.2, 0.02), "mass": 0.9}
    builder.spherical("hip", "base", **bone, inertia=(0.1, 0.1, 0.1), stiffness=3.0)
    builder.revolute("knee", "hip", axis=(0, 0, 1), **bone, inertia=(0.1, 0.05, 0.1), stiffness=4.0)
    model = builder.build()
    rng = np.random.default_rng(3)
    q, v = engine.integrate(model, model.neutral(), rng.normal(size=10)), rng.normal(size=10)
    system = System(
        model,
        controls=lambda t, q, v: np.sin(t) + 0.3 * v + 0.1 * v**2,
        f_ext={Point("knee", (0, -0.4, 0)): (0.1, 0.2, 0.3, 5.0, -6.0, 7.0)},
    )
    state = system.state(0.4, q, v)
    h, nv = 1e-5, model.nv
    numeric = np.zeros((2 * nv, 2 * nv))
    for i, unit in enumerate(np.eye(2 * nv)):
        ends = []
        for sign in (1, -1):
            x, dv = sign * h * unit[:nv], sign * h * unit[nv:]
            moved = system.state(0.4, engine.integrate(model, q, x), v + dv)
            rate = engine.manifold.chart_rate(model, x, moved.v)
            ends.append(np.concatenate([rate, moved.a]))
        numeric[:, i] = (ends[0] - ends[1]) / (2 * h)
    got = system.jacobian(state)
    assert np.max(np.abs(got - numeric)) < 1e-6 * np.max(np.abs(got))
    assert system.time_derivative(state)[nv:] == pytest.approx(
        np.linalg.solve(engine.mass_matrix(model, q), np.full(nv, np.cos(0.4))), rel=1e-5
    )


@bad_input(
    InputError,
    ({"method": "euler"}, "method must be one of 'rk4'"),
    ({"method": "rk4"}, "needs a step size"),
    ({"dt": -0.1}, "dt must be above zero"),
    ({"dt": np.inf}, "dt must be finite"),
    ({"rtol": 0.0}, "rtol must be above zero"),
    ({"atol": [1e-8] * 3}, "atol must be"),
    ({"atol": 0.0}, "atol must be"),
    ({"max_step": np.nan}, "max_step must be"),
    ({"baumgarte": -1.0}, "baumgarte must be"),
    ({"t_span": (1.0, 1.0)}, "t_span"),
    ({"t_span": (0.0, np.nan)}, "t_span"),
    ({"times": [0.0, 2.0]}, "times must lie"),
    ({"times": [0.5, 0.4]}, "times must be finite and increasing"),
    ({"q0": [0.0, 1.0]}, "q must have shape"),
    ({"q0": [[0.0]]}, "frame axis"),
    ({"v0": [np.nan]}, "v must be finite"),
    ({"controls": lambda t, q, v: [1.0, 2.0]}, "controls must return shape"),
    ({"constraints": ["pin"]}, "a constraint needs"),
    ({"events": ["toe off"]}, "events must be Event"),
)
def test_guards(refuses):
    refuses(simulate, model=mech.pendulum(), q0=[0.1], v0=[0.0], t_span=(0.0, 1.0))


def test_a_model_that_cannot_move_is_refused():
    builder = ModelBuilder("rock")
    builder.fixed("rock", mass=1.0)
    with pytest.raises(InputError, match="nothing can move"):
        simulate(builder.build(), [], [], (0.0, 1.0))


def test_forces_that_are_not_finite_stop_the_simulation():
    with pytest.raises(SimulationStopped, match="step size fell"):
        simulate(
            mech.pendulum(), [0.1], [0.0], (0.0, 1.0), controls=lambda t, q, v: [np.nan if t > 0.5 else 0.0]
        )
    with pytest.raises(SimulationError, match="not finite"):
        simulate(mech.pendulum(), [0.1], [0.0], (0.0, 1.0), controls=lambda t, q, v: [np.inf])


def test_a_singularity_stops_the_simulation_and_keeps_what_was_computed():
    """Force 1/(1 - q)^2 pulls to a pole: the step size shrinks to nothing before it."""
    builder = ModelBuilder("pull", gravity=(0, 0, 0))
    builder.prismatic("slider", axis=(1, 0, 0), mass=1.0)
    model = builder.build()
    with pytest.raises(SimulationStopped, match="step size fell") as caught:
        simulate(model, [0.0], [0.0], (0.0, 5.0), controls=lambda t, q, v: [np.divide(1.0, (1 - q[0]) ** 2)])
    assert 0.5 < caught.value.time < 5.0
    partial = caught.value.partial
    assert not partial.completed and partial.time[-1] == caught.value.time
    assert partial.q[-1, 0] == pytest.approx(1.0, abs=0.02) and partial.statistics.rejected > 0


def test_a_failure_before_the_first_output_keeps_an_empty_motion():
    def moment(t, q, v):
        return [np.nan if t > 0.5 else 0.0]

    with pytest.raises(SimulationStopped) as caught:
        simulate(mech.pendulum(), [0.1], [0.0], (0.0, 1.0), controls=moment, times=[0.9])
    assert caught.value.time == pytest.approx(0.5, abs=1e-6) and len(caught.value.partial.time) == 0
    assert caught.value.partial.energy_drift == 0.0


def test_a_fixed_step_that_blows_up_stops_with_the_motion_so_far():
    model = mech.soft_rod(segments=1, free=mech.STRAINS)
    with pytest.raises(SimulationStopped, match=r"grow beyond all bounds|no acceleration") as caught:
        simulate(model, np.full(6, 1e-3), np.zeros(6), (0.0, 1.0), method="rk4", dt=0.02)
    assert np.isfinite(caught.value.partial.q).all() and len(caught.value.partial.time) >= 1


def test_a_fixed_step_beyond_half_a_turn_is_refused():
    model = mech.conical_pendulum()
    with pytest.raises(SimulationStopped, match="half a turn"):
        simulate(model, model.neutral(), [0.0, 100.0, 0.0], (0.0, 1.0), method="rk4", dt=0.1)


def test_too_many_steps_stop_the_simulation():
    with pytest.raises(SimulationStopped, match="max_steps"):
        simulate(mech.pendulum(), [1.0], [0.0], (0.0, 1.0), method="rk4", dt=1e-3, max_steps=10)
