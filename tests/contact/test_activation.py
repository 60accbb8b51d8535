"""How much a place takes part in contact."""

import numpy as np
import pytest

from softstride.contact.activation import HEIGHT, LEAST, SPEED, SPREAD, activation, foot_activation


def test_a_place_at_rest_on_the_ground_has_one_half():
    rest = activation(np.zeros(1), np.zeros(1))[0]
    assert rest == pytest.approx(0.5 / (1.0 + np.exp(-SPEED / SPREAD)))
    assert 0.48 < rest < 0.5


def test_values_of_the_formula():
    height, speed = np.array([0.01, -0.006, 0.003]), np.array([0.0, 1.2, 2.0])
    expected = 1 / (1 + np.exp(height / HEIGHT)) / (1 + np.exp((speed - SPEED) / SPREAD))
    np.testing.assert_allclose(activation(height, speed), expected, rtol=1e-12)


def test_it_falls_with_height_and_speed_and_stays_within_its_bounds():
    height, speed = np.meshgrid(np.linspace(-0.1, 1.0, 60), np.linspace(0.0, 20.0, 50), indexing="ij")
    found = activation(height, speed)
    assert found.shape == height.shape
    assert np.all(np.diff(found, axis=0) <= 0.0) and np.all(np.diff(found, axis=1) <= 0.0)
    assert found.min() == LEAST and found.max() < 1.0
    assert activation(np.array([0.01]), np.zeros(1))[0] < 0.35 * activation(np.zeros(1), np.zeros(1))[0]


def test_it_is_smooth_where_contact_begins():
    """No step: slopes by differences are bounded by those of the logistic functions."""
    h = np.linspace(-0.02, 0.05, 5001)
    slope = np.diff(activation(h, np.zeros_like(h))) / np.diff(h)
    assert np.abs(slope).max() <= 0.25 / HEIGHT * 1.0001
    assert np.abs(np.diff(slope)).max() < 1.0


def test_huge_numbers_do_not_overflow():
    found = activation(np.array([1e6, -1e6]), np.array([1e6, 0.0]))
    assert found[0] == LEAST and found[1] == pytest.approx(1.0, abs=0.02)


def test_a_foot_takes_part_if_any_of_its_places_does():
    places = np.array([[0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [1.0, 0.2, 0.3]])
    np.testing.assert_allclose(foot_activation(places), [0.5, 0.75, LEAST, 1.0])
