"""Links that change their shape: against positions differentiated by finite differences, and columns that add up."""

from dataclasses import replace

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.planar import Chain, Contact, Shape, State
from softstride.planar.points import Track, line_angles, local

N = 3
MASS, INERTIA = np.array([2.0, 4.0, 3.0, 1.5]), np.array([0.02, 0.05, 0.03, 0.01])
H = 1e-3  # five points: errors h⁴ and eps/h² of a second derivative, both near 1e-9


def course(t, seed, size):
    """A smooth function of time with its two derivatives, shape (3, N+1), zero derivatives in column 0."""
    rng = np.random.default_rng(seed)
    a, w, p = size * rng.uniform(0.5, 1.0, N + 1), rng.uniform(2.0, 5.0, N + 1), rng.uniform(0.0, 6.0, N + 1)
    found = np.array([a * np.sin(w * t + p), a * w * np.cos(w * t + p), -a * w**2 * np.sin(w * t + p)])
    found[:, 0] = (found[0, 0] * 0.0, 0.0, 0.0)
    return found


def motion(t):
    theta = course(t, 1, 1.2)
    length = course(t, 2, 0.02)
    length[0] += 0.4
    com = np.stack([course(t, 3, 0.01), course(t, 4, 0.015)], axis=-1)
    com[0] += (0.18, 0.03)
    base = np.array([0.3 * np.sin(3.0 * t), 0.2 * np.cos(4.0 * t)])
    return theta, length, com, base


def centres(t):
    """Joints J_1 to J_(n+1) and centres of mass C_1 to C_n in the world, shapes (N+1, 2) and (N, 2)."""
    theta, length, com, base = motion(t)
    joint, found = [base], []
    for i in range(1, N + 1):
        c, s = np.cos(theta[0, i]), np.sin(theta[0, i])
        x, y = com[0, i]
        found.append(joint[-1] + (c * x - s * y, s * x + c * y))
        joint.append(joint[-1] + length[0, i] * np.array([c, s]))
    return np.array(joint), np.array(found)


def second(values):
    """Second derivative from five points."""
    weights = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / (12.0 * H**2)
    return np.tensordot(weights, values, axes=1)


def state_at(t):
    theta, length, com, _ = motion(t)
    around = np.array([motion(t + k * H)[3] for k in range(-2, 3)])
    return State(
        theta=theta[0][None],
        omega=theta[1][None],
        alpha=theta[2][None],
        force={"tip": (20.0, -30.0), "ground": (1.0, 2.0)},
        base_acceleration=second(around),
        shape=Shape(*(part[None] for part in (*length, *com))),
    )


CHAIN = Chain(
    length=[0.1, 0.4, 0.4, 0.4],
    mass=MASS,
    com=np.zeros((N + 1, 2)),
    inertia=INERTIA,
    contacts=[Contact("tip", N, (0.3, 0.05)), Contact("ground", 0)],
    gravity=9.81,
)


@pytest.mark.parametrize("t", [0.1, 0.7])
def test_totals_are_those_of_positions_differentiated(t):
    state = state_at(t)
    joint, place = centres(t)
    a = second(np.array([centres(t + k * H)[1] for k in range(-2, 3)]))
    net = MASS[1:, None] * (np.array([0.0, -9.81]) - a)
    tip = np.array([20.0, -30.0])
    theta = state.theta[0, N]
    where = joint[N - 1] + (
        np.cos(theta) * 0.3 - np.sin(theta) * 0.05,
        np.sin(theta) * 0.3 + np.cos(theta) * 0.05,
    )
    for j in range(N):
        phi = net[j:].sum(axis=0) + tip
        np.testing.assert_allclose(CHAIN.reactions(state).force[0, j], phi, rtol=1e-7)
        moments = [
            (place[i] - joint[j])[0] * net[i][1] - (place[i] - joint[j])[1] * net[i][0]
            - INERTIA[i + 1] * state.alpha[0, i + 1]
            for i in range(j, N)
        ]  # fmt: skip
        arm = where - joint[j]
        tau = -sum(moments) - (arm[0] * tip[1] - arm[1] * tip[0])
        assert CHAIN.torques(state).required[0, j] == pytest.approx(tau, rel=1e-6)


@pytest.mark.parametrize("form", ["distal", "proximal"])
def test_columns_with_stretch_add_up(form):
    state = CHAIN.balanced(state_at(0.4), "ground")
    table = CHAIN.contributions(state, form=form)
    assert table.sum_error(state) < 1e-12
    stretch = [table.column(f"stretch:{i}") for i in range(1, N + 1)]
    assert (
        np.abs(table.force[..., stretch, :]).max() > 0.1 and np.abs(table.torque[..., stretch]).max() > 0.01
    )
    gap = CHAIN.torques(state).required - CHAIN.torques(state, form="proximal").required
    np.testing.assert_allclose(gap, 0.0, atol=1e-10)


def test_induced_effects_with_stretch_add_up():
    state = state_at(0.4)
    for fixed in ((), ("tip",)):
        found = CHAIN.induced(state, fixed=fixed)
        np.testing.assert_allclose(found.total_force, CHAIN.reactions(state).force, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.total_acceleration, state.alpha[:, 1:], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("on", [2, 3])
def test_each_cause_leaves_a_held_point_where_it_is(on):
    """The point on link `on` accelerates by no cause: what links, rates, stretch and base do to it adds up to zero.

    Stretch of a link moves the joint at its end: the links beyond it, and no point of its own.
    """
    chain = CHAIN.changed(contacts=[Contact("tip", on, (0.3, 0.05)), Contact("ground", 0)])
    base = np.array([1.5, -2.5])
    state = state_at(0.4).changed(base_acceleration=base)
    found = chain.induced(state, fixed=("tip",))
    turn, omega = np.exp(1j * state.theta[0]), state.omega[0]
    shape = state.shape
    levers = shape.length[0] * turn
    levers[on] = (0.3 + 0.05j) * turn[on]
    levers[on + 1 :] = 0.0
    direct = {"base_acceleration": complex(*base)}
    for i in range(1, N + 1):
        direct[f"omega2:{i}"] = -(omega[i] ** 2) * levers[i]
        growth = turn[i] * (2j * omega[i] * shape.length_rate[0, i] + shape.length_acceleration[0, i])
        direct[f"stretch:{i}"] = growth if i < on else 0.0
        direct[f"weight:{i}"] = 0.0
    for label, own in direct.items():
        caused = np.sum(1j * levers[1:] * found.acceleration[0, :, found.column(label)])
        assert abs(caused + own) < 1e-9, label
    assert min(abs(direct[label]) for label in ("base_acceleration", "omega2:1", "stretch:1")) > 0.01


def test_angular_momentum_inside_a_link_is_torque_before_it():
    """Bodies of link 2 that turn against each other by 3 N·m: joints 1 and 2 give it, joint 3 does not."""
    state = state_at(0.4)
    turning = np.array([[0.0, 0.0, 3.0, 0.0]])
    turned = state.changed(shape=replace(state.shape, turning=turning))
    more = CHAIN.torques(turned).required - CHAIN.torques(state).required
    np.testing.assert_allclose(more, [[3.0, 3.0, 0.0]], atol=1e-12)
    for form in ("distal", "proximal"):
        whole = CHAIN.balanced(turned, "ground")
        assert CHAIN.contributions(whole, form=form).sum_error(whole) < 1e-12
    gap = CHAIN.accelerations(turned) - CHAIN.accelerations(state)
    assert np.abs(gap).max() > 0.1  # forward, it takes from what turns the link
    with pytest.raises(InputError, match="turning of link 0 must be zero"):
        replace(state.shape, turning=np.ones((1, 4)))


def test_a_shape_at_rest_is_rigid():
    rigid = Chain(
        length=[0.1, 0.4, 0.3, 0.2],
        mass=MASS,
        com=np.tile((0.1, 0.02), (4, 1)),
        inertia=INERTIA,
        gravity=9.81,
    )
    theta, omega, alpha = np.random.default_rng(0).standard_normal((3, 5, 4))
    theta[:, 0] = omega[:, 0] = alpha[:, 0] = 0.0
    plain = State(theta=theta, omega=omega, alpha=alpha)
    still, flat = np.zeros((5, 4)), np.zeros((5, 4, 2))
    shape = Shape(np.tile(rigid.length, (5, 1)), still, still, np.tile(rigid.com, (5, 1, 1)), flat, flat)
    shaped = plain.changed(shape=shape)
    np.testing.assert_allclose(rigid.torques(shaped).required, rigid.torques(plain).required, rtol=1e-13)
    table = rigid.contributions(shaped)
    np.testing.assert_array_equal(table.torque[..., [table.column(f"stretch:{i}") for i in (1, 2, 3)]], 0.0)


def test_angles_and_local_points_come_back():
    """Points made from known angles, lengths and local places give these back, derivatives included."""
    theta, length, com, _ = motion(0.3)
    turn = np.exp(1j * theta[0])
    spin = 1j * theta[2] - theta[1] ** 2

    def world(local_parts):
        z, rate, acceleration = (part[..., 0] + 1j * part[..., 1] for part in local_parts)
        return Track(
            (turn * z)[None],
            (turn * (rate + 1j * theta[1] * z))[None],
            (turn * (acceleration + 2j * theta[1] * rate + spin * z))[None],
        )

    line = world(np.stack([length, np.zeros_like(length)], axis=-1))
    angles = line_angles(line, ("a", "b", "c", "d"))
    np.testing.assert_allclose(np.exp(1j * angles.theta[0]), turn, rtol=1e-13)
    for found, wanted in (
        (angles.omega, theta[1]),
        (angles.alpha, theta[2]),
        (angles.length, length[0]),
        (angles.length_rate, length[1]),
        (angles.length_acceleration, length[2]),
    ):
        np.testing.assert_allclose(found[0], wanted, rtol=1e-11, atol=1e-12)
    for found, wanted in zip(local(world(com), angles).parts, com, strict=True):
        np.testing.assert_allclose(found[0], wanted[..., 0] + 1j * wanted[..., 1], rtol=1e-10, atol=1e-12)
