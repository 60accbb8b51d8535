"""Where feet rest, and how the ground under them moves."""

import numpy as np
import pytest

from softstride.contact.floor import ground_velocity, rest_level


def steps(belt, n=400, seed=0, noise=0.0, swing=(2.0, 0.0)):
    """Return heights (n, 4) and velocities (n, 4, 2) of two feet of two places each: 60 % stance, then a swing."""
    rng = np.random.default_rng(seed)
    phase = (np.arange(n)[:, None] / 100.0 + [0.0, 0.0, 0.5, 0.5]) % 1.0
    stands = phase < 0.6
    arc = np.where(stands, 0.0, np.sin(np.pi * (phase - 0.6) / 0.4))
    velocity = np.where(stands[..., None], belt, np.array(belt) + arc[..., None] * np.array(swing))
    return 0.1 * arc + noise * rng.random((n, 4)), velocity + noise * rng.normal(size=(n, 4, 2))


def test_rest_level_is_where_a_place_stands():
    height, _ = steps((0.0, 0.0), noise=0.002)
    level = rest_level(height + np.array([0.0, 0.1, 0.2, 0.3]))
    assert level.shape == (4,)
    np.testing.assert_allclose(level, [0.0, 0.1, 0.2, 0.3], atol=0.002)


def test_some_bad_samples_do_not_move_it():
    height, _ = steps((0.0, 0.0))
    height[::50] = -0.3
    assert np.abs(rest_level(height)).max() < 1e-9


@pytest.mark.parametrize("belt", [(-1.25, 0.0), (-4.97, 0.0), (0.5, -0.4), (-0.3, 0.0)])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_a_belt(belt, noise):
    height, velocity = steps(belt, noise=noise)
    np.testing.assert_allclose(
        ground_velocity(height, velocity), belt, atol=0.02 * np.hypot(*belt) + 0.2 * noise
    )


@pytest.mark.parametrize("speed", [0.0, 0.1, -0.2])
def test_a_floor_at_rest(speed):
    """What creeps is a floor at rest with errors in it."""
    height, velocity = steps((speed, 0.0), noise=0.01)
    assert not ground_velocity(height, velocity).any()


def test_swinging_feet_are_not_asked():
    """Of all samples most move forward: feet in the air, which are high."""
    height, velocity = steps((-2.0, 0.0), swing=(6.0, 0.0))
    high = height > 0.0
    velocity[high] = (3.0, 1.0)
    np.testing.assert_allclose(ground_velocity(height, velocity), (-2.0, 0.0), atol=1e-9)


def test_it_turns_with_the_axes():
    height, velocity = steps((-1.7, 0.0), noise=0.02)
    c, s = np.cos(0.6), np.sin(0.6)
    R = np.array([[c, -s], [s, c]])
    np.testing.assert_allclose(
        ground_velocity(height, velocity @ R.T), R @ ground_velocity(height, velocity), atol=0.02
    )


def test_no_frames():
    assert not ground_velocity(np.zeros((1, 0)), np.zeros((1, 0, 2))).any()
