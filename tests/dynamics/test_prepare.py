"""The low pass is that of OpenSim's tool: reflected ends, two third-order passes, a quintic spline."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline
from tests.models import slider, walker
from tests.trials import swinging

from softstride import engine
from softstride.dynamics.prepare import low_passed, prepare
from softstride.errors import InputError
from softstride.kinematics import Motion
from softstride.model import ModelBuilder
from softstride.spatial.quaternion import quat_to_matrix


def by_the_book(x, dt, cutoff):
    """Filter one column as OpenSim's source does it, sample by sample."""
    n, pad = len(x), len(x) // 2
    head = [2 * x[0] - x[i] for i in range(pad, 0, -1)]
    tail = [2 * x[-1] - x[n - 2 - i] for i in range(pad)]
    x = np.array([*head, *x, *tail])
    w = np.tan(np.pi * cutoff * dt)
    d = (w + 1) * (w * w + w + 1)
    a = np.array([w**3, 3 * w**3, 3 * w**3, w**3]) / d
    b = (
        np.array(
            [3 * w**3 + 2 * w**2 - 2 * w - 3, 3 * w**3 - 2 * w**2 - 2 * w + 3, (w - 1) * (w * w - w + 1)]
        )
        / d
    )
    for _ in range(2):
        y = x.copy()
        for i in range(3, len(x)):
            y[i] = a @ x[i - 3 : i + 1][::-1] - b @ y[i - 3 : i][::-1]
        x = y[::-1]
    t = dt * (np.arange(len(x)) - pad)
    flat = [(3, 0.0), (4, 0.0)]
    spline = make_interp_spline(t, x, k=5, bc_type=(flat, flat))
    inside = t[pad : pad + n]
    return x[pad : pad + n], spline(inside, 1), spline(inside, 2)


@pytest.mark.parametrize("n", [40, 41])
def test_the_filter_by_the_book(n):
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.normal(size=n))
    state = low_passed(slider(), 1.0 + np.arange(n) / 100.0, x[:, None], 8.0)
    for found, expected in zip((state.q, state.v, state.a), by_the_book(x, 0.01, 8.0), strict=True):
        assert np.allclose(found[:, 0], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_a_sine_at_the_cutoff_is_halved():
    t = np.arange(2000) / 200.0
    x = np.sin(2 * np.pi * 6.0 * t)
    q = low_passed(slider(), t, x[:, None], 6.0).q[:, 0]
    assert np.allclose(q[500:1500], 0.5 * x[500:1500], atol=1e-6)


def test_slow_motion_passes_with_its_rates():
    model = walker("free")
    motion = swinging(model, n=600, rate=200.0)
    state = prepare(model, Motion(model, motion.time, motion.q), lowpass=60.0)
    inside = slice(150, 450)
    assert np.allclose(state.q[inside], motion.q[inside], atol=1e-6)
    assert np.allclose(state.v[inside], motion.v[inside], atol=1e-4)
    assert np.allclose(state.a[inside], motion.a[inside], atol=1e-2)
    assert np.allclose(np.linalg.norm(state.q[:, 3:7], axis=1), 1.0, atol=1e-12)


def test_rotations_are_filtered_like_their_angle():
    """A small turn about one axis, as a quaternion and as an angle: the same low pass up to the cube of the angle."""
    builder = ModelBuilder("ball")
    builder.spherical("ball", mass=1.0, inertia=(1, 1, 1))
    ball = builder.build()
    t = np.arange(100) / 100.0
    rng = np.random.default_rng(1)
    angle = 0.01 * np.cumsum(rng.normal(size=100)) / 5.0
    q = np.zeros((100, 4))
    q[:, 2], q[:, 3] = np.sin(angle / 2), np.cos(angle / 2)
    q[50:] *= -1.0  # the sign of a quaternion means nothing
    turned, slid = low_passed(ball, t, q, 8.0), low_passed(slider(), t, angle[:, None], 8.0)
    assert np.allclose(turned.v[:, 2], slid.v[:, 0], atol=1e-4 * np.abs(slid.v).max())
    assert np.allclose(turned.a[:, 2], slid.a[:, 0], atol=1e-3 * np.abs(slid.a).max())
    R = quat_to_matrix(turned.q)
    assert np.allclose(np.arctan2(R[:, 1, 0], R[:, 0, 0]), slid.q[:, 0], atol=1e-6)


def test_a_large_turn_is_reflected_as_a_turn():
    builder = ModelBuilder("ball")
    builder.spherical("ball", mass=1.0, inertia=(1, 1, 1))
    ball = builder.build()
    t = np.arange(200) / 100.0
    angle = 3.0 * t  # nearly a whole turn at a constant rate
    q = np.zeros((200, 4))
    q[:, 1], q[:, 3] = np.sin(angle / 2), np.cos(angle / 2)
    state = low_passed(ball, t, q, 10.0)
    assert np.allclose(state.v, [0.0, 3.0, 0.0], atol=1e-3)
    assert np.abs(state.a).max() < 0.1


def test_uneven_frames_are_filtered_on_an_even_clock():
    t = np.arange(300) / 100.0
    uneven = t + 0.002 * np.sin(40.0 * t)
    x = np.sin(2 * np.pi * 1.5 * uneven) + 0.2 * np.sin(2 * np.pi * 8.0 * uneven)
    found = low_passed(slider(), uneven, x[:, None], 8.0)
    expected = np.sin(2 * np.pi * 1.5 * uneven) + 0.1 * np.sin(2 * np.pi * 8.0 * uneven)
    inside = slice(60, 240)
    assert np.array_equal(found.time, uneven)
    assert np.allclose(found.q[inside, 0], expected[inside], atol=2e-3)
    with pytest.raises(InputError, match="too uneven"):
        low_passed(slider(), np.array([0.0, 1e-5, 1.0, 2.0, 3.0]), np.zeros((5, 1)), 0.1)


def test_without_a_low_pass_the_rates_are_the_motions():
    model = walker("free")
    motion = swinging(model)
    state = prepare(model, motion)
    assert np.array_equal(state.a, motion.a) and np.array_equal(state.q, motion.q)


def test_too_few_frames():
    with pytest.raises(InputError, match="at least 4 frames, however the motion has 3"):
        low_passed(slider(), np.arange(3.0), np.zeros((3, 1)), 0.1)
    assert np.allclose(low_passed(slider(), np.arange(4.0), np.ones((4, 1)), 0.1).q, 1.0)


def test_the_low_pass_reaches_the_loads():
    from softstride.dynamics import solve_id

    model = walker("custom")
    motion = swinging(model)
    state = low_passed(model, motion.time, motion.q, 10.0)
    expected = engine.inverse_dynamics(model, state.q, state.v, state.a)
    assert np.array_equal(solve_id(model, motion, lowpass=10.0).tau, expected)
    assert np.abs(expected - solve_id(model, motion).tau).max() > 1.0
