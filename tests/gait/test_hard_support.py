"""Double support as a closed loop beside the soft hip: the stiffer the spring, the nearer."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.gait import (
    Body,
    Start,
    compare_double_support,
    evaluate_states,
    hard_double_support,
    load_recipe,
)
from softstride.gait.hard_support import generalized_moments, segment_angles
from softstride.gait.states import SPRING, walker_of

BODY = Body().with_consistent_foot()


@pytest.fixture(scope="module")
def hard():
    return hard_double_support(BODY, load_recipe("B"), duration=0.05)


def test_the_loop_stays_closed(hard):
    walker = walker_of(BODY)
    separation = load_recipe("B").separation
    found = evaluate_states(walker, 1, hard.theta, hard.omega, separation=separation)
    gap = found.gap - found.gap[0]
    assert np.abs(gap).max() < 1e-10 and np.abs(found.gap_rate).max() < 1e-10
    assert hard.gap < 1e-10
    assert hard.toe_off == pytest.approx(0.0440, abs=1e-4)


def test_forces_are_the_change_of_momentum(hard):
    """Heel and toe together carry the weight and accelerate the body: momentum by differences of its own."""
    walker = walker_of(BODY)
    z = walker.real[0] + 1j * walker.imaginary[0]
    momentum = np.sum(1j * z * np.exp(1j * hard.theta) * hard.omega, axis=1)
    h = hard.time[1] - hard.time[0]
    rate = (momentum[2:] - momentum[:-2]) / (2 * h)
    total = hard.heel_force + hard.toe_force
    weight = BODY.mass * BODY.gravity
    np.testing.assert_allclose(total[1:-1, 0], rate.real, atol=1e-3 * weight)
    np.testing.assert_allclose(total[1:-1, 1] - weight, rate.imag, atol=1e-3 * weight)


@pytest.mark.slow
def test_the_difference_falls_with_the_stiffness():
    """Angles by the spring less angles of the loop: inversely with the stiffness, as the gap between the hips."""
    found = compare_double_support(springs=np.array([1.0, 4.0, 16.0, 64.0]) * SPRING)
    order = np.diff(np.log(found.angle)) / np.diff(np.log(found.spring))
    np.testing.assert_allclose(order, -1.0, atol=0.06)
    assert np.all(np.diff(np.log(found.gap)) < -1.2)
    assert np.all(np.diff(found.toe_force) < 0.0)
    assert found.angle[0] == pytest.approx(0.016, abs=1e-3)  # with the spring of the paper
    assert found.toe_force[0] < 0.2
    np.testing.assert_allclose(found.toe_off, found.hard_toe_off, atol=2e-5)


def test_moments_and_angles_of_the_model():
    tau = generalized_moments(np.arange(1.0, 7.0))
    assert tau.tolist() == [0, 0, 0, 0, 0, 3, -2, 1, 0, 0, 4, -5, 6]
    q = np.zeros((1, 13))
    np.testing.assert_allclose(segment_angles(q), [[0.0, *[np.pi / 2] * 5, 0.0]], atol=1e-15)


def test_bad_input():
    recipe = load_recipe("B")
    with pytest.raises(InputError, match="moments are needed"):
        hard_double_support(BODY, Start(recipe.theta0, recipe.omega0))
    with pytest.raises(InputError, match="hips are not joined"):
        hard_double_support(BODY, Start(recipe.theta0, recipe.omega0, 0.2), recipe.moments)
