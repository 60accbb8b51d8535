"""Curves through motions: closed forms, finite differences on the manifold, simulations, and the edges."""

import tracemalloc

import numpy as np
import pytest
from tests.models import slider
from tests.refusals import bad_input

import softstride as ss
from softstride.errors import InputError
from softstride.kinematics import curve as module
from softstride.kinematics.curve import fit_curve, fit_rates
from softstride.model import Axis, Linear, ModelBuilder
from softstride.simulation import simulate
from softstride.spatial import quat_exp, quat_multiply, quat_to_matrix

SPIN, TURN = np.array([0.9, -2.1, 1.2]), np.array([0.0, 0.0, 3.0])  # [rad/s]
GRAVITY = np.array([0.0, -9.80665, 0.0])


def free_body():
    builder = ModelBuilder("stone")
    builder.free("stone", mass=1.0, inertia=(1, 2, 3))
    return builder.build()


def ball():
    builder = ModelBuilder("ball")
    builder.spherical("ball", mass=1.0, com=(0, -0.3, 0), inertia=(1, 2, 3))
    return builder.build()


def body():
    """A free trunk with a ball hip and a knee: every kind of rigid coordinate, quaternions in the middle of q."""
    builder = ModelBuilder("body", gravity=GRAVITY)
    builder.free("trunk", mass=30.0, com=(0, 0.2, 0), inertia=(1.0, 0.4, 0.9))
    builder.spherical("hip", "trunk", mass=7.0, com=(0, -0.2, 0), inertia=(0.1, 0.02, 0.1))
    builder.revolute("knee", "hip", axis=(0, 0, 1), position=(0, -0.4, 0), mass=3.0, com=(0, -0.2, 0))
    builder.prismatic("slide", "trunk", axis=(1, 1, 0), mass=2.0, inertia=(0.1, 0.1, 0.1))
    return builder.build()


def tumbling(t):
    """R = exp(SPIN t) exp(TURN t): quaternion, omega = exp(-TURN t) SPIN + TURN and its derivative, in the body."""
    q = quat_multiply(quat_exp(np.outer(t, SPIN)), quat_exp(np.outer(t, TURN)))
    seen = np.einsum("nji,j->ni", quat_to_matrix(quat_exp(np.outer(t, TURN))), SPIN)
    return q, seen + TURN, np.cross(seen, TURN)


def inner(t, seconds=0.15):
    """Frames so far from the ends that the natural ends of the splines do not matter."""
    return (t > t[0] + seconds) & (t < t[-1] - seconds)


def uneven(n, rng, step=0.005):
    return 3.0 + np.cumsum(step * rng.uniform(0.4, 1.6, n))


def test_turning_about_a_fixed_axis():
    """theta = 4 sin(3 t) about n: omega = theta' n, omega' = theta'' n; twelve radians a second, many turns apart."""
    t = np.arange(400) / 200.0
    n = np.array([2.0, -1.0, 2.0]) / 3.0
    q = quat_exp(np.outer(4.0 * np.sin(3.0 * t), n))
    found, here = fit_curve(ball(), t, q), inner(t)
    assert np.allclose(found.v[here], np.outer(12.0 * np.cos(3.0 * t), n)[here], rtol=0.0, atol=2e-6)
    assert np.allclose(found.a[here], np.outer(-36.0 * np.sin(3.0 * t), n)[here], rtol=0.0, atol=1e-3)


@pytest.mark.parametrize("even", [True, False])
def test_tumbling(even):
    t = 0.1 + np.arange(500) / 200.0 if even else uneven(500, np.random.default_rng(1))
    q, omega, rate = tumbling(t)
    found, here = fit_curve(ball(), t, q), inner(t)
    assert np.allclose(found.v[here], omega[here], rtol=0.0, atol=1e-9)
    assert np.allclose(found.a[here], rate[here], rtol=0.0, atol=1e-6)
    assert np.abs(rate).max() > 5.0


def test_the_error_falls_with_the_fourth_power_of_the_step():
    """What is left of a quintic spline's second derivative: a factor of 16 for half the step."""
    worst = []
    for rate in (50.0, 100.0):
        t = np.arange(0.0, 2.0, 1.0 / rate)
        q, _, wanted = tumbling(t)
        worst.append(np.abs(fit_curve(ball(), t, q).a - wanted)[inner(t, 0.6)].max())
    assert 11.0 < worst[0] / worst[1] < 22.0


def test_free_fall_of_a_tumbling_stone():
    """In body axes: v = R^T (u + g t), dv/dt = R^T g - omega x v; g comes back from a twist and its derivative."""
    t = np.arange(300) / 200.0
    quats, omega, rate = tumbling(t)
    start, speed = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, -6.0])
    q = np.hstack([start + np.outer(t, speed) + np.outer(0.5 * t**2, GRAVITY), quats])
    found, here = fit_curve(free_body(), t, q), inner(t)
    R = quat_to_matrix(quats)
    v = np.einsum("nji,nj->ni", R, speed + np.outer(t, GRAVITY))
    a = np.einsum("nji,j->ni", R, GRAVITY) - np.cross(omega, v)
    assert np.allclose(found.v, np.hstack([omega, v]), rtol=0.0, atol=5e-3)
    assert np.allclose(found.v[:, 3:], v, rtol=0.0, atol=1e-10)  # a parabola is its own spline, ends included
    assert np.allclose(found.a[here], np.hstack([rate, a])[here], rtol=0.0, atol=1e-4)
    back = found.a[:, 3:] + np.cross(found.v[:, :3], found.v[:, 3:])
    assert np.allclose(np.einsum("nij,nj->ni", R, back), GRAVITY, rtol=0.0, atol=1e-8)


def wave(model, t, rng):
    """A smooth motion of a model: q integrated from zero along random sines of the tangent space."""
    d = sum(np.sin(np.outer(t, rng.uniform(1, 6, model.nv)) + rng.uniform(0, 6, model.nv)) for _ in range(3))
    return ss.integrate(model, np.broadcast_to(model.neutral(), (len(t), model.nq)), 0.5 * d)


@pytest.mark.parametrize("seed", [0, 1])
def test_finite_differences_on_the_manifold(seed):
    """(q(t + h) [-] q(t - h)) / 2h is v, (v(t + h) - v(t - h)) / 2h is a, to h^2."""
    rng, model = np.random.default_rng(seed), body()
    t = np.arange(1500) / 1000.0
    found = fit_curve(model, t, wave(model, t, rng))
    v = ss.difference(model, found.q[:-2], found.q[2:]) / 0.002
    a = (found.v[2:] - found.v[:-2]) / 0.002
    here = inner(t)[1:-1]
    assert np.abs(found.v).max() > 3.0
    assert np.allclose(found.v[1:-1][here], v[here], rtol=0.0, atol=2e-4)
    assert np.allclose(found.a[1:-1][here], a[here], rtol=0.0, atol=2e-3)


def test_a_simulated_body():
    """Gravity, a swinging leg on a ball hip and a spinning trunk: the simulation's own v and a, and the forces."""
    model = body()
    v0 = np.array([0.5, 1.0, -2.0, 1.0, 2.0, 0.3, 2.0, -1.0, 3.0, -4.0, 0.5])
    q0 = model.neutral()
    t = np.arange(0.0, 0.5, 0.001)
    true = simulate(model, q0, v0, (0.0, 0.5), times=t, rtol=1e-12, atol=1e-12)
    found, here = fit_curve(model, true.time, true.q), inner(true.time, 0.05)
    assert np.abs(true.a).max() > 10.0
    assert np.allclose(found.v, true.v, rtol=0.0, atol=1e-3)
    assert np.allclose(found.v[here], true.v[here], rtol=0.0, atol=2e-8)
    assert np.allclose(found.a[here], true.a[here], rtol=0.0, atol=5e-5)
    tau = ss.inverse_dynamics(model, found.q, found.v, found.a)
    assert np.abs(tau[here]).max() < 1e-4  # [N·m], [N]: nothing drives it


def test_signs_of_quaternions_do_not_matter():
    rng, t = np.random.default_rng(3), np.arange(200) / 100.0
    q, _, _ = tumbling(t)
    plain = fit_curve(ball(), t, q)
    flipped = fit_curve(ball(), t, 1.7 * q * rng.choice([-1.0, 1.0], len(t))[:, None])
    assert np.allclose(flipped.v, plain.v, rtol=0.0, atol=1e-10)
    assert np.allclose(flipped.a, plain.a, rtol=0.0, atol=1e-7)
    assert (np.sum(flipped.q[1:] * flipped.q[:-1], axis=1) > 0.9).all()
    assert np.allclose(np.linalg.norm(flipped.q, axis=1), 1.0, rtol=0.0, atol=1e-15)


def test_zero_smoothing_goes_through_every_frame():
    rng, model = np.random.default_rng(4), body()
    t = uneven(50, rng)
    q = wave(model, t, rng)
    found = fit_curve(model, t, q)
    assert np.abs(ss.difference(model, found.q, q)).max() < 1e-14
    assert np.array_equal(found.time, t)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_few_frames(n):
    """A uniform motion is met whatever the number of frames; one frame rests."""
    model = body()
    t = 0.01 * np.arange(n) + 5.0
    v = np.array([0.3, 0, 0, 0, 0, 0, 0, 0.2, 0, 1.5, -2.0])  # each turn about one axis
    q = np.vstack([ss.integrate(model, model.neutral(), v, 0.01 * k) for k in range(n)])
    found = fit_curve(model, t, q)
    assert np.allclose(found.v, 0.0 if n == 1 else v, rtol=0.0, atol=1e-6)
    assert np.allclose(found.a, 0.0, rtol=0.0, atol=1e-3)


def test_three_frames_make_a_parabola():
    t = np.array([0.0, 0.1, 0.4])
    found = fit_curve(slider(), t, (2.0 + 3.0 * t - 5.0 * t**2)[:, None])
    assert np.allclose(found.v[:, 0], 3.0 - 10.0 * t, rtol=0.0, atol=1e-12)
    assert np.allclose(found.a[:, 0], -10.0, rtol=0.0, atol=1e-11)


def test_shared_coordinates_appear_once():
    builder = ModelBuilder("knee")
    bend = Axis.along((0, 0, 1), "knee")
    still = Axis((1, 0, 0)), Axis((0, 1, 0))
    builder.custom("shank", rotations=(bend, *still), mass=1.0)
    follow = Axis((0, 0, 1), (("knee", Linear(0.5)),))
    builder.custom("patella", rotations=(follow, *still), mass=0.1)
    model, t = builder.build(), np.arange(100) / 100.0
    assert model.nq == 1
    found = fit_curve(model, t, np.sin(5.0 * t)[:, None])
    here = inner(t)
    assert np.allclose(found.v[here, 0], 5.0 * np.cos(5.0 * t)[here], rtol=0.0, atol=1e-5)


def chain(n):
    builder = ModelBuilder("chain")
    for i in range(n):
        builder.revolute(f"l{i}", f"l{i - 1}" if i else "world", axis=(0, 0, 1), mass=1.0)
    return builder.build()


def test_columns_in_any_number_give_the_same(monkeypatch):
    rng, model = np.random.default_rng(5), chain(7)
    t = uneven(60, rng)
    q = wave(model, t, rng)
    whole = fit_curve(model, t, q, cutoff=12.0)
    monkeypatch.setattr(module, "COLUMNS_AT_ONCE", 2)
    parts = fit_curve(model, t, q, cutoff=12.0)
    for name in ("q", "v", "a"):
        assert np.allclose(getattr(whole, name), getattr(parts, name), rtol=1e-9, atol=1e-9)


def test_work_space_does_not_grow_with_the_columns():
    extra = []
    for width in (32, 128):
        model, t = chain(width), np.arange(4000) / 100.0  # 16 columns at once
        q = np.tile(np.sin(t)[:, None], (1, width))
        q.setflags(write=False)
        fit_curve(model, t[:10], q[:10])  # what is made once is not counted
        tracemalloc.start()
        found = fit_curve(model, t, q)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        extra.append(peak - sum(part.nbytes for part in (found.q, found.v, found.a)))
    assert extra[1] < 1.3 * extra[0]


@pytest.mark.slow
def test_rates_take_little_more_than_themselves():
    n, model = 150_000, chain(40)  # long enough for one column at a time
    t = np.arange(n) / 100.0
    q = np.tile(np.sin(t)[:, None], (1, model.nq))
    q.setflags(write=False)
    fit_rates(model, t[:10], q[:10])  # what is made once is not counted
    tracemalloc.start()
    v, a = fit_rates(model, t, q)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.4 * (v.nbytes + a.nbytes)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 30])
def test_rates_alone_are_those_of_the_curve(n):
    rng = np.random.default_rng(6)
    builder = ModelBuilder("person")
    builder.free("trunk", mass=1.0)
    builder.spherical("arm", "trunk", mass=1.0)
    builder.revolute("hand", "arm", axis=(0, 0, 1), mass=1.0)
    model, t = builder.build(), uneven(n, rng)
    q = rng.normal(size=(n, model.nq))
    curve, (v, a) = fit_curve(model, t, q), fit_rates(model, t, q)
    np.testing.assert_array_equal(v, curve.v)
    np.testing.assert_array_equal(a, curve.a)
    assert not any(part.flags.writeable for part in (v, a, curve.q, curve.v, curve.a))


def test_instants_too_close_for_a_spline():
    t = np.array([0.0, 1e-300, 1.0, 2.0, 3.0, 4.0, 5.0])
    with pytest.raises(InputError, match="instants are too close together"):
        fit_curve(chain(1), t, np.sin(np.arange(7.0))[:, None])


@pytest.mark.parametrize("how", [{"cutoff": 12.0}, {"smoothing": 0.0}, {"smoothing": 1e-7}])
def test_frames_in_any_number_give_the_same(monkeypatch, how):
    rng = np.random.default_rng(7)
    t = uneven(60, rng)
    model = free_body()
    q = np.cumsum(0.1 * rng.normal(size=(60, model.nq)), axis=0) + np.array([0, 0, 0, 0, 0, 0, 9.0])
    whole = fit_curve(model, t, q, **how)
    monkeypatch.setattr(module, "FRAMES_AT_ONCE", 7)
    parts = fit_curve(model, t, q, **how)
    for name in ("q", "v", "a"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_a_cutoff_halves_its_frequency():
    model, t = chain(1), np.arange(2000) / 200.0
    fast = fit_curve(model, t, np.sin(2.0 * np.pi * 6.0 * t)[:, None], cutoff=6.0)
    slow = fit_curve(model, t, np.sin(2.0 * np.pi * 1.0 * t)[:, None], cutoff=6.0)
    here = inner(t, 1.0)
    assert np.isclose(np.abs(fast.q[here]).max(), 0.5, rtol=1e-3)
    assert np.isclose(np.abs(slow.q[here]).max(), 1.0, rtol=1e-3)


def test_smoothed_rotations_are_differentiated_exactly():
    """v and a belong to the smoothed, normalised curve, not to the samples: differences of its own frames."""
    rng, t = np.random.default_rng(6), np.arange(2000) / 1000.0
    q, omega, _ = tumbling(t)
    noisy = ss.integrate(ball(), q, 0.01 * rng.standard_normal((len(t), 3)))
    found = fit_curve(ball(), t, noisy, cutoff=8.0)
    here = inner(t, 0.2)[1:-1]
    v = ss.difference(ball(), found.q[:-2], found.q[2:]) / 0.002
    assert np.allclose(found.v[1:-1][here], v[here], rtol=0.0, atol=1e-3)
    assert np.allclose(found.a[1:-1][here], (found.v[2:] - found.v[:-2])[here] / 0.002, rtol=0.0, atol=2e-2)
    rough = fit_curve(ball(), t, noisy)
    assert np.abs(found.v - omega)[1:-1][here].max() < 0.05 * np.abs(rough.v - omega)[1:-1][here].max()


def test_weights_pull_towards_their_frames():
    model, t = chain(1), np.arange(101) / 100.0
    q = np.zeros((101, 1))
    q[50] = 1.0
    w = np.ones(101)
    w[50] = 100.0
    plain = fit_curve(model, t, q, smoothing=1e-8)
    heavy = fit_curve(model, t, q, smoothing=1e-8, weights=w)
    assert heavy.q[50, 0] > plain.q[50, 0] + 0.1


def test_results_cannot_be_changed():
    t = np.arange(10) / 10.0
    found = fit_curve(chain(2), t, np.zeros((10, 2)))
    for part in (found.time, found.q, found.v, found.a):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 1.0


def put(q, frame, places, value):
    changed = q.copy()
    changed[frame, places] = value
    return changed


@bad_input(
    InputError,
    (lambda q: q[:, 1:], r"shape \(n_frames, 13\)"),
    (lambda time, q: (time[:1], q[0]), r"shape \(n_frames, 13\)"),
    (lambda time: time[[0, 2, 1, 3]], "increas"),
    (lambda time: time[:3], "3"),
    (lambda q: put(q, 2, 11, np.nan), "frame 2 of link 'knee'"),
    (lambda q: put(q, 1, slice(7, 11), 0.0), "quaternion of link 'hip' in q has norm zero in frame 1"),
    ({"cutoff": 2.0, "smoothing": 1e-3}, "give one of them"),
)
def test_what_is_refused(refuses):
    model = body()
    refuses(fit_curve, model=model, time=np.arange(4) / 10.0, q=np.tile(model.neutral(), (4, 1)))


def test_a_rotation_faster_than_its_cutoff_is_refused():
    t = np.arange(1000) / 200.0
    q = quat_exp(np.outer(2.0 * np.pi * 10.0 * t, [0.0, 0.0, 1.0]))
    with pytest.raises(InputError, match="link 'ball' turns so fast"):
        fit_curve(ball(), t, q, cutoff=1.0)
