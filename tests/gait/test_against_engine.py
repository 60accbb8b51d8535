"""Every phase against the engine: a floating tree whose feet and hips are held by constraints is another derivation."""

import numpy as np
import pytest

from softstride import engine
from softstride.gait import POINTS, Body, evaluate_states, walker_model
from softstride.gait.hard_support import PLANE, generalized_moments, segment_angles
from softstride.gait.kernels.walker import FLAT
from softstride.gait.person_model import model_coordinates
from softstride.gait.states import assemble_states, walker_of
from softstride.simulation import PointConstraint, constrained_acceleration

EXACT = 1e-9
BODIES = {
    "table A1": Body().with_consistent_foot(),
    "woman": Body.from_person(58.0, 1.62, "female"),
    "man": Body.from_person(95.0, 1.93, "male"),
}
SEPARATION = 0.3


def random_states(phase, n=40):
    rng = np.random.default_rng(10 + phase)
    theta, omega = rng.uniform(0.6, 2.4, (n, 7)), rng.uniform(-6, 6, (n, 7))
    theta[:, [0, 6]] = rng.uniform(-0.6, 0.6, (n, 2))
    if phase in (3, FLAT):
        theta[:, 0] = omega[:, 0] = 0.0
    return theta, omega, rng.uniform(-120, 120, (n, 6))


def coordinates(walker, phase, theta, omega, alpha):
    n = len(theta)
    full, still = np.full(n, SEPARATION), np.zeros(n)
    double = phase in (1, FLAT)
    return model_coordinates(
        walker,
        np.full(n, phase),
        theta,
        omega,
        alpha,
        full if double else still,
        still,
        np.zeros(n, dtype=bool),
    )


def held_points(phase):
    """What the floor holds, and which hips are one with the trunk."""
    sagittal, up = PLANE, PLANE[1:]
    feet = {
        1: (("right_heel", sagittal), ("left_toe", sagittal)),
        2: (("right_heel", sagittal),),
        3: (("right_heel", sagittal), ("right_toe", up)),
        4: (("right_toe", sagittal),),
        FLAT: (("right_heel", sagittal), ("right_toe", up), ("left_toe", sagittal)),
    }[phase]
    hips = ("left_hip",) if phase in (1, FLAT) else ("right_hip", "left_hip")
    return feet, hips


def by_engine(body, phase, q, v, moments, hip_force):
    """Return accelerations and constraint forces of all states, one after the other: pins are where the feet are."""
    model = walker_model(body)
    feet, hips = held_points(phase)
    accelerations, forces = [], []
    for k in range(len(q)):
        held = [
            PointConstraint(name, engine.positions(model, q[k : k + 1], [name])[0, 0], d) for name, d in feet
        ]
        held += [PointConstraint(name, "hat", PLANE) for name in hips]
        tau = generalized_moments(moments[k])
        if phase in (1, FLAT):  # spring and damper pull at both hips
            for name, sign in (("right_hip", 1.0), ("left_hip", -1.0)):
                J = engine.jacobian(model, q[k : k + 1], name)[0]
                tau = tau + sign * J[:2].T @ hip_force[k]
        a, multipliers = constrained_acceleration(model, q[k], v[k], tau, held)
        accelerations.append(a)
        forces.append(multipliers)
    return np.array(accelerations), np.array(forces)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("phase", [1, 2, 3, 4, FLAT])
def test_accelerations_and_ground_reactions(name, phase):
    body = BODIES[name]
    walker = walker_of(body)
    theta, omega, moments = random_states(phase)
    found = evaluate_states(walker, phase, theta, omega, moments, SEPARATION)
    q, v, a = coordinates(walker, phase, theta, omega, found.alpha)
    spring = -(walker.size[1] * found.gap + walker.size[2] * found.gap_rate)
    expected, forces = by_engine(body, phase, q, v, moments, spring)
    scale = np.abs(found.alpha).max(axis=1, keepdims=True)
    assert np.all(np.abs(segment_angles(expected, 0.0) - found.alpha) < EXACT * scale)
    size = np.abs(expected).max(axis=1, keepdims=True)
    assert np.all(np.abs(expected - a) < EXACT * size)
    tolerance = EXACT * np.abs(forces).max()
    right = forces[:, :2].copy()
    if phase in (3, FLAT):
        right[:, 1] += forces[:, 2]  # the toe of a flat foot is held too
        np.testing.assert_allclose(found.heel_held, forces[:, 1] * body.sole, atol=tolerance)
        ahead = body.sole * forces[:, 2] / right[:, 1]
        up = right[:, 1] > 0.0
        np.testing.assert_allclose(found.pressure[up], ahead[up], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.right_force, right, atol=tolerance)
    if phase in (1, FLAT):
        column = 2 if phase == 1 else 3
        np.testing.assert_allclose(found.left_force, forces[:, column : column + 2], atol=tolerance)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("phase", [1, 2, 4])
def test_mass_matrices_are_those_of_the_engine_seen_through_the_angles(name, phase):
    body = BODIES[name]
    walker, model = walker_of(body), walker_model(body)
    theta, omega, _ = random_states(phase, 15)
    matrix, _ = assemble_states(walker, phase, theta, omega)
    q = coordinates(walker, phase, theta, omega, omega)[0]
    whole = engine.mass_matrix(model, q)
    columns = [
        coordinates(walker, phase, theta, np.tile(unit, (15, 1)), 0.0 * omega)[1] for unit in np.eye(7)
    ]
    N = np.stack(columns, axis=2)  # (15, 13, 7)
    np.testing.assert_allclose(np.swapaxes(N, 1, 2) @ whole @ N, matrix, atol=EXACT * np.abs(matrix).max())


@pytest.mark.parametrize("phase", [1, 2, 3, 4])
def test_energies_and_momentum(phase):
    body = BODIES["man"]
    walker, model = walker_of(body), walker_model(body)
    theta, omega, moments = random_states(phase, 10)
    found = evaluate_states(walker, phase, theta, omega, moments, SEPARATION)
    q, v, _ = coordinates(walker, phase, theta, omega, found.alpha)
    energy = engine.energy(model, q, v)
    np.testing.assert_allclose(found.kinetic, energy.kinetic, rtol=1e-10)
    floor = energy.gravity - found.gravity  # the engine may count heights from elsewhere
    np.testing.assert_allclose(floor, floor[0], atol=1e-9 * np.abs(found.gravity).max())


def test_points_of_the_model_are_those_of_the_walker():
    body = BODIES["table A1"]
    walker, model = walker_of(body), walker_model(body)
    for phase in (1, 2, 3, 4):
        theta, omega, _ = random_states(phase, 5)
        found = evaluate_states(walker, phase, theta, omega, separation=SEPARATION)
        q = coordinates(walker, phase, theta, omega, found.alpha)[0]
        names = ["hat_centre" if name == "hat" else name for name in POINTS]
        x = engine.positions(model, q, names)
        np.testing.assert_allclose(x[..., :2], found.points, atol=1e-12)
        np.testing.assert_array_equal(x[..., 2], 0.0)
