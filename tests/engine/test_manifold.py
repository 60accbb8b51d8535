"""q [+] d and its inverse: against matrix exponentials, group properties, the integrators' chart, guards."""

import gc
import weakref

import numpy as np
import pytest
from scipy.linalg import expm

from softstride.engine.manifold import (
    chart_rate,
    chart_rate_derivative,
    difference,
    integrate,
    largest_turn,
    layout,
    normalise,
)
from softstride.errors import InputError
from softstride.model import Axis, ModelBuilder, Rod, Section
from softstride.spatial import quat_to_matrix, se3, so3


def build_mixed():
    """A free base, a ball joint, a hinge, a shared custom coordinate, a second free joint, a rod."""
    builder = ModelBuilder("mixed")
    builder.free("base", mass=2.0, inertia=(0.1, 0.2, 0.3))
    builder.spherical("hip", "base", mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.revolute("knee", "hip", axis=(0, 0, 1), mass=1.0)
    still = (Axis((0, 1, 0)), Axis((0, 0, 1)))
    builder.custom("cam", "knee", rotations=(Axis.along((1, 0, 0), "cam"), *still), mass=0.1)
    builder.custom("follower", "cam", rotations=(Axis.along((0, 1, 0), "cam"), *still), mass=0.1)
    builder.free("ball", mass=0.4, inertia=(0.01, 0.01, 0.01))
    section = Section.rectangle(0.05, 0.01, 1500.0, 1e9, 4e8)
    builder.rod("blade", "knee", rod=Rod.uniform(0.3, 2, section))
    return builder.build()


MODEL = build_mixed()
RNG = np.random.default_rng(7)


def random_states(n, turn=1.0):
    q = normalise(MODEL, RNG.normal(size=(n, MODEL.nq)))
    return q, turn * RNG.normal(size=(n, MODEL.nv))


def test_layout_finds_every_coordinate_once():
    places = layout(MODEL)
    q_all = np.concatenate([places.plain_q, places.spherical_q.ravel(), places.free_q.ravel()])
    v_all = np.concatenate([places.plain_v, places.spherical_v.ravel(), places.free_v.ravel()])
    assert sorted(q_all) == list(range(MODEL.nq)) and sorted(v_all) == list(range(MODEL.nv))
    assert (places.spherical_q.shape, places.free_q.shape) == ((1, 4), (2, 7))
    assert not places.flat


def test_layout_is_kept_as_long_as_its_model():
    model = build_mixed()
    assert layout(model) is layout(model)
    watched = weakref.ref(model)
    del model
    gc.collect()
    assert watched() is None  # the cache does not hold the model


def test_free_joint_moves_by_the_matrix_exponential():
    q, d = random_states(6)
    moved = integrate(MODEL, q, d)
    for places in (slice(0, 7), slice(MODEL.q_slice("ball").start, MODEL.q_slice("ball").stop)):
        twist = d[:, list(MODEL.v_indices("base" if places.start == 0 else "ball"))]
        for i in range(len(q)):
            T0 = se3.pose(quat_to_matrix(q[i, places][3:]), q[i, places][:3])
            hat = np.zeros((4, 4))
            hat[:3, :3], hat[:3, 3] = so3.hat(twist[i, :3]), twist[i, 3:]
            T1 = T0 @ expm(hat)
            assert np.allclose(quat_to_matrix(moved[i, places][3:]), T1[:3, :3], atol=1e-14)
            assert np.allclose(moved[i, places][:3], T1[:3, 3], atol=1e-14)


def test_ball_joint_turns_by_the_matrix_exponential():
    q, d = random_states(6)
    own, turn = list(MODEL.q_indices("hip")), d[:, list(MODEL.v_indices("hip"))]
    moved = integrate(MODEL, q, d)
    for i in range(len(q)):
        R = quat_to_matrix(q[i, own]) @ expm(so3.hat(turn[i]))
        assert np.allclose(quat_to_matrix(moved[i, own]), R, atol=1e-14)


def test_plain_coordinates_add_and_shared_ones_add_once():
    q, d = random_states(3)
    moved = integrate(MODEL, q, d, 0.5)
    for name in ("knee", "cam", "follower", "blade"):
        own_q, own_v = list(MODEL.q_indices(name)), list(MODEL.v_indices(name))
        assert np.allclose(moved[:, own_q], q[:, own_q] + 0.5 * d[:, own_v], atol=1e-15)


def test_difference_inverts_integrate():
    q, d = random_states(50)
    d *= np.minimum(1.0, 3.1 / np.array([largest_turn(MODEL, row) for row in d]))[
        :, None
    ]  # below half a turn
    assert np.allclose(difference(MODEL, q, integrate(MODEL, q, d)), d, atol=1e-13)


def test_integrate_inverts_difference_from_any_point_to_any_other():
    q0, _ = random_states(50)
    q1, _ = random_states(50)
    back = integrate(MODEL, q0, difference(MODEL, q0, q1))
    for quat in layout(MODEL).quaternions:  # q and -q are the same rotation
        same = np.sign(np.sum(back[:, quat] * q1[:, quat], axis=1, keepdims=True))
        back[:, quat] *= same
    assert np.allclose(back, q1, atol=1e-13)


def test_difference_takes_the_short_way_whatever_the_sign_of_a_quaternion():
    q, d = random_states(10, turn=0.3)
    q1 = integrate(MODEL, q, d)
    q1[:, layout(MODEL).quaternions] *= -1.0
    assert np.allclose(difference(MODEL, q, q1), d, atol=1e-14)


def test_two_half_steps_are_one_step():
    q, d = random_states(10)
    half = integrate(MODEL, integrate(MODEL, q, d, 0.5), d, 0.5)
    assert np.max(np.abs(difference(MODEL, half, integrate(MODEL, q, d)))) < 1e-14


def test_time_may_differ_between_frames_and_one_state_may_go_with_many():
    q, d = random_states(4)
    dt = np.array([0.0, 0.1, 0.2, 0.3])
    many = integrate(MODEL, q, d, dt)
    for i in range(4):
        assert np.allclose(many[i], integrate(MODEL, q[i], d[i], dt[i]), rtol=0, atol=1e-15)
    fan = integrate(MODEL, q[0], d)
    assert fan.shape == (4, MODEL.nq)
    assert np.allclose(fan[2], integrate(MODEL, q[0], d[2]), rtol=0, atol=1e-15)
    assert integrate(MODEL, q[0], d[0], dt).shape == (4, MODEL.nq)
    assert difference(MODEL, q[0], q).shape == (4, MODEL.nv)
    one = difference(MODEL, q[0], q[1])
    assert one.shape == (MODEL.nv,) and np.allclose(difference(MODEL, q[0], q)[1], one, rtol=0, atol=1e-14)


def test_input_is_not_changed():
    q, d = random_states(3)
    keep_q, keep_d = q.copy(), d.copy()
    integrate(MODEL, q, d, 0.1)
    difference(MODEL, q, q)
    assert np.array_equal(q, keep_q) and np.array_equal(d, keep_d)


def test_quaternions_stay_of_length_one_and_are_made_so():
    q, d = random_states(5)
    quats = layout(MODEL).quaternions
    q[:, quats] *= 3.0
    for moved in (integrate(MODEL, q, d), normalise(MODEL, q)):
        assert np.allclose(np.linalg.norm(moved[:, quats], axis=-1), 1.0, atol=1e-15)
    assert normalise(MODEL, q[0]).shape == (MODEL.nq,)


def test_chart_rate_makes_the_velocity_of_the_model():
    """q(t) = q0 [+] x(t) with dx/dt = chart_rate(x, v): the velocity of q is v, by central differences."""
    q0, x = random_states(8, turn=0.6)
    v = RNG.normal(size=x.shape)
    dx = chart_rate(MODEL, x, v)
    h = 1e-5
    ahead, behind = integrate(MODEL, q0, x + h * dx), integrate(MODEL, q0, x - h * dx)
    assert np.allclose(difference(MODEL, behind, ahead) / (2 * h), v, atol=1e-8)  # h^2 and rounding / h


def test_chart_rate_derivative_at_the_centre():
    v = RNG.normal(size=MODEL.nv)
    h = 1e-5
    columns = [
        (chart_rate(MODEL, h * e, v) - chart_rate(MODEL, -h * e, v)) / (2 * h) for e in np.eye(MODEL.nv)
    ]
    assert np.allclose(np.stack(columns, axis=1), chart_rate_derivative(MODEL, v), atol=1e-9)


def test_largest_turn():
    x = np.zeros(MODEL.nv)
    x[list(MODEL.v_indices("hip"))] = (0.3, 0.4, 0.0)
    x[list(MODEL.v_indices("knee"))] = 9.0
    assert largest_turn(MODEL, x) == pytest.approx(0.5, abs=1e-15)


def test_flat_models_have_no_turn():
    builder = ModelBuilder("flat")
    builder.revolute("rod", axis=(0, 0, 1), mass=1.0)
    model = builder.build()
    assert layout(model).flat and largest_turn(model, np.array([3.0])) == 0.0
    assert integrate(model, [0.1], [2.0], 0.5) == pytest.approx([1.1])


@pytest.mark.parametrize(
    ("q", "v", "dt", "word"),
    [
        (np.zeros(3), np.zeros(MODEL.nv), 1.0, "q must have shape"),
        (np.ones(MODEL.nq), np.zeros(5), 1.0, "v must have shape"),
        (np.ones((2, MODEL.nq)), np.zeros((3, MODEL.nv)), 1.0, "agree in frames"),
        (np.ones((2, MODEL.nq)), np.zeros((2, MODEL.nv)), np.ones(3), "agree in frames"),
        (np.ones((2, MODEL.nq)), np.zeros((2, MODEL.nv)), np.ones((2, 1)), "agree in frames"),
        (np.zeros(MODEL.nq), np.zeros(MODEL.nv), 1.0, "norm zero"),
        (["a"] * MODEL.nq, np.zeros(MODEL.nv), 1.0, "made of numbers"),
    ],
)
def test_guards_of_integrate(q, v, dt, word):
    with pytest.raises(InputError, match=word):
        integrate(MODEL, q, v, dt)


def test_guards_of_difference():
    good = np.ones((2, MODEL.nq))
    with pytest.raises(InputError, match="q1 must have shape"):
        difference(MODEL, good, np.ones(2))
    with pytest.raises(InputError, match="agree in frames"):
        difference(MODEL, good, np.ones((3, MODEL.nq)))
    with pytest.raises(InputError, match="frame 1"):
        difference(MODEL, good, np.stack([np.ones(MODEL.nq), np.zeros(MODEL.nq)]))
