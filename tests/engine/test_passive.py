"""Springs, dampers, limits and rods: against the definitions, reference numbers, differences and energy."""

import math

import numpy as np
import pytest

from softstride.engine.manifold import integrate, normalise
from softstride.engine.passive import ONSET, elastic_energy, elements, passive_derivatives, passive_forces
from softstride.errors import InputError
from softstride.model import Coordinate, Inertia, ModelBuilder, Rod, Segment
from softstride.spatial import quat_exp

RNG = np.random.default_rng(11)


def build_all():
    """Everything passive: hinge with spring, damper and limits; ball joint; slider; rod; damped base."""
    builder = ModelBuilder("all")
    builder.free("base", mass=1.0, damping=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    builder.revolute(
        "knee", "base", axis=(0, 0, 1), mass=1.0, stiffness=5.0, rest=0.2, damping=0.7, range=(-0.5, 0.6),
        limit_stiffness=300.0, limit_damping=4.0,
    )  # fmt: skip
    builder.prismatic("slide", "knee", axis=(1, 0, 0), mass=1.0, range=(0.0, math.inf), limit_stiffness=1e4)
    builder.spherical("hip", "base", mass=1.0, stiffness=8.0, rest=(0.3, -0.2, 0.5), damping=(0.1, 0.2, 0.3))
    K = np.diag([8.0, 10.0, 200.0, 1e6, 4e5, 4e5])
    K[0, 1] = K[1, 0] = 2.0
    segments = (
        Segment(0.2, density=Inertia(1.0), stiffness=K, damping=0.01 * K, free=("kx", "ky", "ex")),
        Segment(0.3, density=Inertia(1.0), stiffness=2.0 * K, free=("kz",)),
    )
    builder.rod("blade", "knee", rod=Rod(segments))
    return builder.build()


MODEL = build_all()


def states(n, spread=1.0):
    return normalise(MODEL, spread * RNG.normal(size=(n, MODEL.nq))), RNG.normal(size=(n, MODEL.nv))


def test_hinge_follows_its_law_inside_and_far_beyond_the_limits():
    q, v = np.tile(MODEL.neutral(), (3, 1)), np.zeros((3, MODEL.nv))
    at_q, at_v = MODEL.q_indices("knee")[0], MODEL.v_indices("knee")[0]
    q[:, at_q], v[:, at_v] = (0.1, 1.6, -1.5), (2.0, 2.0, -1.0)
    width = ONSET * 1.1
    expected = [
        -5.0 * (0.1 - 0.2) - 0.7 * 2.0,
        -5.0 * (1.6 - 0.2) - 0.7 * 2.0 - 300.0 * (1.0 - width / 2) - 4.0 * 2.0,
        -5.0 * (-1.5 - 0.2) + 0.7 + 300.0 * (1.0 - width / 2) + 4.0,
    ]
    assert passive_forces(MODEL, q, v)[:, at_v] == pytest.approx(expected, rel=1e-14)


def test_limits_are_silent_inside_the_range_and_smooth_at_it():
    """Force and stiffness rise from zero at the limit; both are continuous where the onset ends."""
    at_q, at_v = MODEL.q_indices("slide")[0], MODEL.v_indices("slide")[0]
    x = np.array([0.5, 1e-12, 0.0, -1e-7, -ONSET + 1e-10, -ONSET - 1e-10])
    q, v = np.tile(MODEL.neutral(), (len(x), 1)), np.zeros((len(x), MODEL.nv))
    q[:, at_q] = x
    force = passive_forces(MODEL, q, v)[:, at_v]
    slope = passive_derivatives(MODEL, q, v)[0][:, at_v, at_v]
    assert np.all(force[:3] == 0.0) and np.all(slope[:3] == 0.0)
    assert force[3] == pytest.approx(1e4 * 1e-14 / (2 * ONSET), rel=1e-12)
    assert slope[3] == pytest.approx(-1e4 * 1e-7 / ONSET, rel=1e-12)
    assert force[5] - force[4] == pytest.approx(1e4 * 2e-10, rel=1e-4)
    assert slope[4] == pytest.approx(slope[5], rel=1e-7) and slope[5] == -1e4


def test_ball_joint_springs_back_along_the_rotation_vector():
    q = MODEL.neutral()[None].repeat(2, axis=0)
    own_q, own_v = list(MODEL.q_indices("hip")), list(MODEL.v_indices("hip"))
    q[0, own_q] = quat_exp((0.3, -0.2, 0.5))  # at rest
    turn = np.array([0.1, 0.7, -0.4])
    at = quat_exp((0.3, -0.2, 0.5))
    q[1] = MODEL.neutral()
    q[1, own_q] = at
    q[1] = integrate(MODEL, q[1], _embed(own_v, turn))
    force = passive_forces(MODEL, q, np.zeros((2, MODEL.nv)))[:, own_v]
    assert np.allclose(force[0], 0.0, atol=1e-15)
    assert np.allclose(force[1], -8.0 * turn, atol=1e-14)
    assert elastic_energy(MODEL, q)[1] - elastic_energy(MODEL, q)[0] == pytest.approx(
        4.0 * turn @ turn, rel=1e-13
    )


def _embed(places, values):
    out = np.zeros(MODEL.nv)
    out[places] = values
    return out


def test_rod_follows_the_definition_with_coupled_strains():
    q, v = states(4)
    own_q, own_v = list(MODEL.q_indices("blade")), list(MODEL.v_indices("blade"))
    K, D = np.zeros((4, 4)), np.zeros((4, 4))
    first, second = MODEL.link("blade").joint.segments
    keep = [0, 1, 3]
    K[:3, :3], D[:3, :3] = 0.2 * first.stiffness[np.ix_(keep, keep)], 0.2 * first.damping[np.ix_(keep, keep)]
    K[3, 3] = 0.3 * second.stiffness[2, 2]
    expected = -(q[:, own_q] @ K + v[:, own_v] @ D)
    assert np.allclose(passive_forces(MODEL, q, v)[:, own_v], expected, rtol=1e-14)


def test_reference_numbers_of_the_tiny_model():
    """The five-link reference problem: passive forces at entries 7 to 15, elastic energy."""
    builder = ModelBuilder("tiny", gravity=(0, 0, -9.81))
    builder.free("base", mass=3.0)
    builder.revolute("thigh", "base", axis=(0, 1, 0), mass=1.2)
    density = Inertia(0.8, (0, 0, 0), (2e-4, 1e-5, 1.9e-4))
    K, D = (8, 10, 200, 1e6, 4e5, 4e5), (0.02, 0.03, 0.5, 100, 40, 40)
    reference = (0.3, 2, -0.4, 1.01, 0.02, -0.03)
    blade = Segment(
        0.25, reference=reference, density=density, stiffness=K, damping=D, free=("kx", "ky", "kz")
    )
    strains = ("kx", "ky", "kz", "ex", "ey", "ez")
    toe = Segment(0.15, reference=(0, -3, 0, 1, 0, 0), density=density, stiffness=K, damping=D, free=strains)
    builder.rod("blade", "thigh", rod=Rod((blade,)))
    builder.rod("toe", "blade", rod=Rod((toe,)))
    builder.spherical("foot", "blade", mass=0.3)
    model = builder.build()
    w = math.sqrt(0.94)
    q = [
        0.1,
        -0.2,
        0.9,
        0.1,
        0.2,
        -0.1,
        w,
        0.4,
        0.5,
        -1.0,
        0.3,
        0.2,
        1.0,
        -0.3,
        0.01,
        -0.02,
        0.015,
        0.2,
        -0.1,
        0.1,
        w,
    ]
    v = [0.3, -0.2, 0.5, 1.0, 0.2, -0.4, 1.5, 2.0, -1.0, 0.5, 1.0, -2.0, 0.7, 0.1, -0.2, 0.05, 0.6, -0.3, 0.9]
    tau = passive_forces(model, q, v)
    expected = np.zeros(19)
    expected[7:16] = (-1.01, 2.5075, -15.0625, -0.243, -1.491, 8.9475, -1501.5, 1201.2, -900.3)
    assert np.allclose(tau, expected, rtol=1e-14, atol=1e-15)
    assert elastic_energy(model, q) == pytest.approx(3.2124e01, rel=1e-14)


def test_derivatives_are_those_of_the_forces():
    """Central differences along q [+] d and v; states inside, on the onset of, and beyond the limits."""
    q, v = states(40)
    q[:20, MODEL.q_indices("knee")[0]] = 0.6 + np.linspace(-1e-3, 0.02, 20)
    dq, dv = passive_derivatives(MODEL, q, v)
    h = 1e-6
    for i, unit in enumerate(np.eye(MODEL.nv)):
        along_q = passive_forces(MODEL, integrate(MODEL, q, h * unit), v)
        along_q = (along_q - passive_forces(MODEL, integrate(MODEL, q, -h * unit), v)) / (2 * h)
        along_v = (passive_forces(MODEL, q, v + h * unit) - passive_forces(MODEL, q, v - h * unit)) / (2 * h)
        rounding = 1e-16 * np.max(np.abs(passive_forces(MODEL, q, v))) / h
        assert np.max(np.abs(along_q - dq[:, :, i])) < 1e-7 * np.max(np.abs(dq)) + rounding
        assert np.max(np.abs(along_v - dv[:, :, i])) < 1e-9 * np.max(np.abs(dv)) + rounding


def test_forces_are_the_gradient_of_the_energy():
    q, _ = states(30)
    q[:, MODEL.q_indices("knee")[0]] = np.linspace(-0.6, 0.7, 30)
    rest = np.zeros((30, MODEL.nv))
    force = passive_forces(MODEL, q, rest)
    h = 1e-5
    for i, unit in enumerate(np.eye(MODEL.nv)):
        rise = elastic_energy(MODEL, integrate(MODEL, q, h * unit))
        rise = (rise - elastic_energy(MODEL, integrate(MODEL, q, -h * unit))) / (2 * h)
        scale = 1e-10 * (elastic_energy(MODEL, q).max() / h) + 1e-6
        assert np.max(np.abs(rise + force[:, i])) < scale


def test_damping_always_takes_energy():
    q, v = states(200)
    loss = np.sum(v * (passive_forces(MODEL, q, v) - passive_forces(MODEL, q, np.zeros_like(v))), axis=1)
    assert np.all(loss < 0.0)


def test_one_frame_equals_many_and_nothing_passive_gives_zero():
    q, v = states(3)
    alone, among = passive_forces(MODEL, q[1], v[1]), passive_forces(MODEL, q, v)[1]
    rounding = 1e-15 * np.abs(among).max()  # one row goes through another routine of BLAS than many
    np.testing.assert_allclose(alone, among, rtol=0.0, atol=rounding)
    one, many = passive_derivatives(MODEL, q[1], v[1]), passive_derivatives(MODEL, q, v)
    assert np.array_equal(one[0], many[0][1]) and np.array_equal(one[1], many[1][1])
    assert (
        elastic_energy(MODEL, q[1]) == elastic_energy(MODEL, q)[1] and elastic_energy(MODEL, q[1]).shape == ()
    )
    builder = ModelBuilder("bare")
    builder.revolute("rod", axis=(0, 0, 1), mass=1.0)
    bare = builder.build()
    assert elements(bare) == () and passive_forces(bare, [1.0], [2.0]) == 0.0


def test_a_replaced_model_has_its_own_forces():
    stiffer = {**MODEL.coordinates, "knee": Coordinate("knee", stiffness=50.0)}
    changed = MODEL.replace(coordinates=stiffer)
    q, v = states(1)
    q[0, MODEL.q_indices("knee")[0]] = 0.4
    at = MODEL.v_indices("knee")[0]
    assert passive_forces(changed, q, 0 * v)[0, at] == pytest.approx(-20.0)
    assert passive_forces(MODEL, q, 0 * v)[0, at] == pytest.approx(-1.0)


@pytest.mark.parametrize(("q", "v"), [((2, 3), (2, None)), ((2, None), (3, None)), ((2, None), (2, 4))])
def test_guards(q, v):
    q = np.ones((q[0], q[1] or MODEL.nq))
    v = np.ones((v[0], v[1] or MODEL.nv))
    with pytest.raises(InputError):
        passive_forces(MODEL, q, v)
    with pytest.raises(InputError):
        passive_derivatives(MODEL, q, v)
    with pytest.raises(InputError):
        elastic_energy(MODEL, np.ones(2))
