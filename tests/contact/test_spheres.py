"""Spheres: the law against closed forms, restitution, and a leg that stands on three of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from tests.oracles.sphere_leg import SphereLeg
from tests.refusals import bad_input

from softstride.contact import SphereContact, three_sphere_foot
from softstride.errors import InputError
from softstride.selfcheck.compiled_legs import rolling_rates, sphere_rates
from softstride.selfcheck.rolling_leg import START as ROLLING_START
from softstride.selfcheck.rolling_leg import reference_surface

RADIUS = 0.025


def rebound(sphere, speed=0.1, mass=1.0):
    """Speed after over speed before an impact without weight."""

    def leaves(t, y):
        return y[0] - RADIUS if y[1] > 0.0 else -1.0

    leaves.terminal = True
    hit = solve_ivp(
        lambda t, y: [y[1], float(sphere.normal_force(y[0], y[1])) / mass],
        (0.0, 10.0),
        [RADIUS, -speed],
        method="LSODA",
        rtol=1e-9,
        atol=1e-12,
        events=leaves,
    )
    assert hit.status == 1
    return hit.y[1, -1] / speed


@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize(
    ("law", "figures"), [("hunt_crossley", (0.55, 0.62, 0.91)), ("flores", (0.16, 0.36, 0.89))]
)
def test_restitution(law, figures, exponent):
    """The tabulated figures, and the closed form D v − ln(1 + D v) = −D w − ln(1 − D w) of speeds v in and w out."""
    for e, figure in zip((0.2, 0.4, 0.9), figures, strict=True):
        sphere = SphereContact(RADIUS, 6.5e5, e, exponent=exponent, damping=law)
        found = rebound(sphere)
        assert found == pytest.approx(figure, abs=0.005)
        x = float(sphere.dissipation) * 0.1
        closed = brentq(lambda w, x=x: x * (1 + w) - np.log1p(x) + np.log1p(-x * w), 1e-9, (1 - 1e-12) / x)
        assert found == pytest.approx(closed, abs=1e-5)


def test_an_elastic_sphere_loses_nothing():
    assert rebound(SphereContact(RADIUS, 1e4, 1.0)) == pytest.approx(1.0, abs=1e-6)


def test_the_normal_force():
    sphere = SphereContact(RADIUS, 1e4, 0.4, exponent=1.5, impact_speed=0.1)
    assert sphere.dissipation == pytest.approx(9.0)
    assert sphere.normal_force(0.021, 0.0) == pytest.approx(1e4 * 0.004**1.5)
    assert sphere.normal_force(0.021, -0.05) == pytest.approx(1e4 * 0.004**1.5 * 1.45)
    assert sphere.normal_force(0.021, 0.2) == 0.0, "it does not pull"
    assert sphere.normal_force(0.03, -1.0) == 0.0, "it does not reach"
    assert sphere.depth_under(400.0) == pytest.approx((400.0 / 1e4) ** (1 / 1.5))
    assert sphere.normal_force(RADIUS - sphere.depth_under(400.0), 0.0) == pytest.approx(400.0)


def test_friction_in_the_plane_and_in_space():
    sphere = SphereContact(RADIUS, 1e4, 0.4, friction=0.5, slip_speed=0.01)
    assert sphere.friction_force(100.0, 0.01) == pytest.approx(-50.0 * np.tanh(1.0))
    rng = np.random.default_rng(3)
    centre = rng.normal(size=(6, 3)) * 0.01 + [0.0, 0.02, 0.0]
    velocity, spin = rng.normal(size=(2, 6, 3)) * 0.05
    force, point = sphere.wrench(centre, velocity, spin)
    np.testing.assert_allclose(point, centre - [0.0, RADIUS, 0.0])
    pressed = sphere.normal_force(centre[:, 1], velocity[:, 1])
    np.testing.assert_allclose(force[:, 1], pressed)
    slip = (velocity + np.cross(spin, [0.0, -RADIUS, 0.0]))[:, [0, 2]]
    speed = np.linalg.norm(slip, axis=1)
    np.testing.assert_allclose(
        np.linalg.norm(force[:, [0, 2]], axis=1), 0.5 * pressed * np.tanh(speed / 0.01), atol=1e-12
    )
    assert (np.sum(force[:, [0, 2]] * slip, axis=1) <= 0.0).all()
    planar_spin = np.array([0.0, 0.0, -2.0])  # clockwise with x to the right
    force, _ = sphere.wrench([0.0, 0.02, 0.0], [0.1, 0.0, 0.0], planar_spin)
    pressed = sphere.normal_force(0.02, 0.0)
    assert force[0] == pytest.approx(sphere.friction_force(pressed, 0.1 - RADIUS * 2.0))


def test_a_floor_elsewhere():
    sphere = SphereContact(RADIUS, 1e4)
    low, _ = sphere.wrench([0.0, 0.0, 0.02], [0.01, 0.0, 0.0], np.zeros(3), normal=(0.0, 0.0, 2.0))
    high, _ = sphere.wrench(
        [0.0, 0.0, 1.02], [0.01, 0.0, 0.0], np.zeros(3), normal=(0.0, 0.0, 1.0), floor=1.0
    )
    np.testing.assert_allclose(low, high, rtol=1e-10)
    assert low[2] == pytest.approx(50.0) and low[0] < 0.0


@given(
    st.floats(-0.01, 0.05),
    st.floats(-0.5, 0.5),
    st.floats(-0.5, 0.5),
    st.floats(0.0, 1.0),
    st.floats(0.0, 2.0),
)
def test_forces_keep_to_the_cone_and_take_power(height, rate, slip, e, mu):
    sphere = SphereContact(RADIUS, 1e4, e, mu)
    N = sphere.normal_force(height, rate)
    T = sphere.friction_force(N, slip)
    assert N >= 0.0 and abs(T) <= mu * N * (1 + 1e-15) and T * slip <= 0.0


# --- the leg on three spheres ---------------------------------------------------------------------

START = [0.0, 0.06633643789757535, -0.18, -0.18, -0.26]
START += [0.13978549633360682, -0.050798889421520235, 1.9, 1.9, 1.4]
MOTION = {
    1.5: {
        0.12: (0.010619, 0.062483, -0.037104, -0.035584, -0.099461),
        0.36: (0.011153, 0.063721, -0.028632, -0.027283, 0.208556),
    },
    1.0: {
        0.12: (0.012924, 0.067548, -0.003071, -0.001391, -0.100348),
        0.36: (0.012954, 0.067818, -0.001234, -0.000008, 0.220341),
    },
}


def test_the_foot_of_three_spheres():
    foot = three_sphere_foot()
    assert foot.names == ("heel", "metatarsal", "tip")
    table = {  # Table 2 of the source; heel, metatarsal, tip
        "radius": [0.025, 0.029, 0.023],
        "stiffness": [6.5e5, 1e9, 1e9],
        "restitution": [0.4, 0.2, 0.2],
        "friction": [0.5, 0.9, 0.9],
    }
    for name, values in table.items():
        np.testing.assert_array_equal(getattr(foot.contact, name), values)
    np.testing.assert_allclose(foot.contact.dissipation, 1.5 * (1.0 - np.array([0.4, 0.2, 0.2])) / 0.1)
    assert foot.contact.slip_speed == 0.01 and foot.contact.exponent == 1.0
    np.testing.assert_array_equal(foot.centres, [[-0.075, 0.025], [0.107, 0.029], [0.05, -0.006]])
    np.testing.assert_array_equal(foot.joint, [0.107, 0.029])
    # flat on the ground all three touch it
    bottoms = foot.centres[:, 1] + np.where(foot.on_forefoot, foot.joint[1], 0.0) - foot.contact.radius
    np.testing.assert_allclose(bottoms, 0.0, atol=1e-15)


def test_the_start_and_its_accelerations():
    leg = SphereLeg(three_sphere_foot(1.5))
    start = leg.start()
    np.testing.assert_allclose(start, START, rtol=0, atol=1e-15)
    known = [15.1360452618, 3.38294902842, 1446.6982167, -3775.40516063, -17.6390884908]
    np.testing.assert_allclose(leg.rates(0.0, start)[5:], known, rtol=2e-11)


@pytest.mark.parametrize("exponent", [1.5, pytest.param(1.0, marks=pytest.mark.slow)])
def test_the_leg_on_spheres_follows_the_known_motion(exponent):
    leg = SphereLeg(three_sphere_foot(exponent))
    times = list(MOTION[exponent])
    found = solve_ivp(
        leg.rates, (0.0, 0.36), leg.start(), method="LSODA", rtol=1e-7, atol=1e-10, t_eval=times
    )
    np.testing.assert_allclose(found.y[:5].T, list(MOTION[exponent].values()), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("exponent", "stiffness", "apart", "most"),
    [
        (1.0, (6.5e5, 1e9, 1e9), 0.028, 0.0313),
        (1.5, (6.5e5, 1e9, 1e9), 0.040, 0.0400),
        (1.5, (6.5e5, 6.5e5, 6.5e5), 0.023, 0.0227),
    ],
    ids=["linear", "hertz", "softer"],
)
def test_how_far_the_ankle_is_from_that_on_a_rolling_foot(exponent, stiffness, apart, most):
    """As tabulated, every 10 ms; in between, with exponent 1, the forefoot's impact makes a short peak of .031 rad."""
    foot, times = three_sphere_foot(exponent, stiffness=stiffness), np.linspace(0.0, 0.36, 3601)
    options = {"method": "LSODA", "rtol": 1e-7, "atol": 1e-10, "t_eval": times}
    rolling = solve_ivp(rolling_rates(reference_surface()), (0.0, 0.36), ROLLING_START, **options).y
    spheres = solve_ivp(sphere_rates(foot), (0.0, 0.36), SphereLeg(foot).start(), **options).y
    difference = np.abs((spheres[4] - spheres[2]) - (rolling[1] - rolling[0]))
    assert difference[::100].max() == pytest.approx(apart, abs=5e-4)
    assert difference.max() == pytest.approx(most, abs=5e-5)


def test_power_balance():
    """The rate of energy is the power of the ground, the moment and the toe joint's damper, in random states."""
    rng = np.random.default_rng(11)
    leg = SphereLeg(three_sphere_foot(1.0, stiffness=1e4))
    step, worst = 1e-6, 0.0
    for _ in range(200):
        y = np.concatenate(
            [rng.normal(size=5) * [0.1, 0.01, 0.2, 0.2, 0.2] + [0, 0.06, 0, 0, 0], rng.normal(size=5)]
        )
        q, v = y[:5], y[5:]
        rate = leg.rates(0.1, y)
        gain = (leg.energy(y + step * rate) - leg.energy(y - step * rate)) / (2 * step)
        force, _, velocity = leg.contact(q, v)
        toes = 25.0 * (q[3] - q[2]) * np.array([0, 0, 1, -1, 0])  # of the spring, whose energy is in `energy`
        power = np.sum(force * velocity) + (leg.moments(0.1, q, v) - toes) @ v
        worst = max(worst, abs(gain - power) / max(abs(power), 1.0))
    assert worst < 1e-6


@bad_input(
    InputError,
    ({"friction": -0.1}, "friction of a contact sphere must be at least 0, however it is -0.1"),
    ({"radius": -1.0}, "radius"),
    ({"stiffness": 0.0}, r"stiffness of a contact sphere must be above 0 N/m\^n"),
    ({"restitution": 1.5}, "at most 1"),
    ({"restitution": 0.0, "damping": "flores"}, "restitution of a contact sphere must be above 0"),
    ({"exponent": 0.0}, "exponent"),
    ({"slip_speed": 0.0}, "slip_speed"),
    ({"impact_speed": np.nan}, "impact_speed of a contact sphere must be finite"),
    ({"damping": "oil"}, "damping must be one of hunt_crossley, flores, however it is 'oil'"),
)
def test_what_is_no_sphere_is_refused(refuses):
    refuses(SphereContact, radius=RADIUS, stiffness=1e4)


def test_a_load_that_pulls_is_refused():
    with pytest.raises(InputError, match="load of a contact sphere must be at least 0 N"):
        SphereContact(RADIUS, 1e4).depth_under(-1.0)
