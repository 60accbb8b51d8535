"""CasADi expressions against the compiled equations of the simulator, their Jacobians against finite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from softstride.gait.body import PHASES, Body
from softstride.gait.maps import heel_jacobian, momentum_matrix
from softstride.gait.optimise.equations import Equations, joint_angles, segment_torques
from softstride.gait.states import POINTS, assemble_states, evaluate_states, walker_of
from softstride.gait.states import joint_angles as joint_angles_of_states

casadi = pytest.importorskip("casadi")

BODY = Body(hat_mass=40.0, shank_below=0.23, heel_angle=1.05)
EQUATIONS = Equations(BODY, spring=2e5, damper=700.0)
WALKER = walker_of(BODY, 2e5, 700.0)
CLOSE = 1e-10
"""Relative to the largest entry: sums of about fifty terms, spring forces of 1e5 N among them."""


def states(phase: int, count: int = 20) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(phase)
    theta = np.array([0.1, 1.45, 1.75, 1.6, 1.3, 1.05, -0.4]) + 0.4 * rng.normal(size=(count, 7))
    omega, net = 3.0 * rng.normal(size=(count, 7)), 60.0 * rng.normal(size=(count, 6))
    if phase == 3:
        theta[:, 0] = omega[:, 0] = 0.0
    return theta, omega, net, 0.3 + 0.1 * rng.normal(size=count)


def function(build: Callable[..., Any]) -> Any:
    """Return a CasADi function of angles, rates, accelerations, moments and separation."""
    symbols = [casadi.SX.sym(name, size) for name, size in zip("toams", (7, 7, 7, 6, 1), strict=True)]
    return casadi.Function("f", symbols, [casadi.vertcat(*build(*symbols))])


@pytest.mark.parametrize("phase", PHASES)
def test_the_simulators_accelerations_leave_no_residual(phase: int) -> None:
    f = function(lambda t, o, a, m, s: EQUATIONS.residual(phase, t, o, a, m, s))
    theta, omega, net, separation = states(phase)
    alpha = evaluate_states(WALKER, phase, theta, omega, net, separation).alpha
    matrix, force = assemble_states(WALKER, phase, theta, omega, net, separation)
    rows = range(1, 7) if phase == 3 else range(7)
    for k in range(len(theta)):
        rho = f(theta[k], omega[k], alpha[k], net[k], separation[k]).full().ravel()
        size = np.max(np.abs(force[k])) + np.max(np.abs(matrix[k] * alpha[k]))
        assert np.max(np.abs(rho[rows])) < CLOSE * size
        other = f(theta[k], omega[k], alpha[k] + 1.0, net[k], separation[k]).full().ravel()
        change = matrix[k] @ (np.ones(7) if phase != 3 else np.append(0.0, np.ones(6)))
        if phase != 3:
            np.testing.assert_allclose((other - rho)[rows], change[rows], atol=CLOSE * size)


@pytest.mark.parametrize("phase", PHASES)
def test_forces_and_places_are_those_of_the_simulator(phase: int) -> None:
    def build(t: Any, o: Any, a: Any, m: Any, s: Any) -> list[Any]:
        toe = EQUATIONS.toe_force(t, o, a, s) if phase == 1 else (0.0, 0.0)
        hold = EQUATIONS.heel_hold(t, o, a, m) if phase == 3 else 0.0
        swing = (*EQUATIONS.left_heel(phase, t), *EQUATIONS.left_toe(phase, t)) if phase > 1 else (0.0,) * 4
        return [*EQUATIONS.stance_force(phase, t, o, a, s), *toe, hold, *swing, *joint_angles(t)]

    f = function(build)
    theta, omega, net, separation = states(phase)
    found = evaluate_states(WALKER, phase, theta, omega, net, separation)
    heel, toe = POINTS.index("left_heel"), POINTS.index("left_toe")
    for k in range(len(theta)):
        got = f(theta[k], omega[k], found.alpha[k], net[k], separation[k]).full().ravel()
        size = max(1.0, np.max(np.abs(found.right_force[k])), np.max(np.abs(found.left_force[k])))
        np.testing.assert_allclose(got[:2], found.right_force[k], atol=CLOSE * size)
        if phase == 1:
            np.testing.assert_allclose(got[2:4], found.left_force[k], atol=CLOSE * size)
        else:
            np.testing.assert_allclose(got[5:7], found.points[k, heel], atol=1e-12)
            np.testing.assert_allclose(got[7:9], found.points[k, toe], atol=1e-12)
        if phase == 3:
            np.testing.assert_allclose(got[4], found.heel_held[k], atol=CLOSE * size)
        np.testing.assert_allclose(got[9:], joint_angles_of_states(theta[k]), atol=1e-14)


def test_hip_gap_momentum_and_mass_matrix_are_those_of_the_simulator() -> None:
    theta, omega, net, separation = states(1)
    found = evaluate_states(WALKER, 1, theta, omega, net, separation)
    gap = function(lambda t, o, a, m, s: [*EQUATIONS.hip_gap(t, s), *EQUATIONS.hip_gap_rate(t, o)])
    momentum = function(lambda t, o, a, m, s: EQUATIONS.momentum(4, t, o))
    matrix = function(lambda t, o, a, m, s: [x for row in EQUATIONS.mass_matrix(4, t) for x in row])
    heel = function(lambda t, o, a, m, s: [casadi.jtimes(casadi.vertcat(*EQUATIONS.left_heel(4, t)), t, o)])
    for k in range(len(theta)):
        at = (theta[k], omega[k], np.zeros(7), net[k], separation[k])
        np.testing.assert_allclose(gap(*at).full().ravel()[:2], found.gap[k], atol=1e-12)
        np.testing.assert_allclose(gap(*at).full().ravel()[2:], found.gap_rate[k], atol=1e-12)
        np.testing.assert_allclose(
            momentum(*at).full().ravel(), momentum_matrix(WALKER, 4, theta[k]) @ omega[k], atol=1e-10
        )
        np.testing.assert_allclose(
            matrix(*at).full().reshape(7, 7), assemble_states(WALKER, 4, theta[k], omega[k])[0][0], atol=1e-12
        )
        np.testing.assert_allclose(
            heel(*at).full().ravel(), heel_jacobian(WALKER, theta[k]) @ omega[k], atol=1e-12
        )


@pytest.mark.parametrize("phase", PHASES)
def test_jacobians_are_those_of_finite_differences(phase: int) -> None:
    symbols = [casadi.SX.sym(name, size) for name, size in zip("toams", (7, 7, 7, 6, 1), strict=True)]
    z = casadi.vertcat(*symbols)
    rho = casadi.vertcat(*EQUATIONS.residual(phase, *symbols))
    f = casadi.Function("f", [z], [rho, casadi.jacobian(rho, z)])
    theta, omega, net, separation = states(phase, 1)
    at = np.concatenate([theta[0], omega[0], 10.0 * omega[0], net[0], separation])
    jacobian = f(at)[1].full()
    step = 1e-6
    for j in range(len(at)):
        shift = step * np.eye(len(at))[j]
        slope = (f(at + shift)[0].full() - f(at - shift)[0].full()).ravel() / (2.0 * step)
        scale = max(1.0, np.max(np.abs(f(at)[0].full())))
        np.testing.assert_allclose(jacobian[:, j], slope, atol=1e-7 * scale, rtol=1e-6)


def test_moments_act_on_segments_in_pairs() -> None:
    torques = segment_torques(np.array([1.0, 10.0, 100.0, 1000.0, 1e4, 1e5]))
    assert torques == [1.0, 9.0, 90.0, -1100.0, -9000.0, -90000.0, 100000.0]
