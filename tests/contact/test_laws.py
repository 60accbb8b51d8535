"""Laws of yielding contacts: closed forms, the limit of friction, no creep, no energy from nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from softstride.contact import Bristle, NormalLaw, SlipFriction, SphereContact
from softstride.errors import InputError

NUMBERS = st.floats(-1.0, 1.0)


def test_pressing_is_that_of_a_sphere():
    law = NormalLaw.from_restitution(1e5, 0.4, 0.2, exponent=1.5, damping="hunt_crossley")
    sphere = SphereContact(0.02, 1e5, 0.4, exponent=1.5, impact_speed=0.2)
    depth, rate = np.array([-0.001, 0.001, 0.004, 0.004]), np.array([-1.0, -0.1, 0.05, 5.0])
    np.testing.assert_allclose(law.force(depth, rate), sphere.normal_force(0.02 - depth, rate))
    assert law.dissipation == pytest.approx(float(sphere.dissipation))
    assert (law.force(depth, rate) > 0.0).tolist() == [False, True, True, False]


def test_what_pressing_stores_is_its_work():
    law, step = NormalLaw(1e5, 1.5), 1e-7
    slope = (law.stored(0.003 + step) - law.stored(0.003 - step)) / (2 * step)
    assert slope == pytest.approx(law.force(0.003, 0.0), rel=1e-8)
    assert law.stored(-0.1) == 0.0


def pushed_block(grip, push, mass=2.0, end=20.0):
    """Place, speed and stretch of a block on the ground after a sudden push has lasted."""
    weight = mass * 9.81

    def rates(_, y):
        force, stretch = grip.force(weight, y[1:2], y[2:3])
        return [y[1], (push + force[0]) / mass, stretch[0]]

    return solve_ivp(rates, (0.0, end), [0.0, 0.0, 0.0], method="LSODA", rtol=1e-10, atol=1e-13).y[:, -1]


def test_a_bristle_sticks_without_creep_and_friction_by_slip_creeps():
    push = 0.9 * 0.6 * 2.0 * 9.81
    bristle = Bristle(0.6, 1e4, 50.0)
    soon, late = (pushed_block(bristle, push, end=end) for end in (5.0, 5000.0))
    assert late[0] == pytest.approx(soon[0], abs=1e-12), "the push jerks it, then it stays for ever"
    assert abs(late[1]) < 1e-10 and late[2] == pytest.approx(push / 1e4, rel=1e-8)
    place, rate, _ = pushed_block(SlipFriction(0.6, 0.01), push)
    assert rate == pytest.approx(0.01 * np.arctanh(0.9), rel=1e-6)
    assert place == pytest.approx(20.0 * rate, rel=0.02)


def test_beyond_the_limit_it_slides_with_coulomb_friction():
    push = 1.5 * 0.6 * 2.0 * 9.81
    _, rate, stretch = pushed_block(Bristle(0.6, 1e4, 50.0), push, end=2.0)
    assert rate == pytest.approx((push - 0.6 * 2.0 * 9.81) / 2.0 * 2.0, rel=1e-2)
    assert stretch == pytest.approx(0.6 * 2.0 * 9.81 / 1e4, rel=1e-6), "the spring holds the limit"


@given(st.floats(0.0, 500.0), NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_a_bristle_keeps_to_the_cone_and_takes_power(pressed, vx, vz, ux, uz):
    """−F·v − d(stored)/dt ≥ 0: whatever the state, energy is only taken."""
    grip = Bristle(0.7, 1e4, 80.0)
    v, u = np.array([vx, vz]), 0.05 * np.array([ux, uz])
    force, rate = grip.force(pressed, v, u)
    assert np.linalg.norm(force) <= 0.7 * pressed * (1 + 1e-12) + 1e-12
    lost = -force @ v - 1e4 * u @ rate
    assert lost >= -1e-9 * (np.linalg.norm(force) * np.linalg.norm(v) + 1e4 * np.linalg.norm(u) + 1.0)


def test_the_rate_of_stretch_is_continuous_where_it_begins_to_slip():
    grip = Bristle(0.5, 1e4, 100.0)
    u = np.array([0.004])
    at = (0.5 * 100.0 - 1e4 * u) / 100.0  # slip at which the limit is reached
    for step in (1e-9, -1e-9):
        force, rate = grip.force(100.0, at + step, u)
        assert rate[0] == pytest.approx(at[0], abs=1e-8)
        assert force[0] == pytest.approx(-50.0, abs=1e-6)


def test_without_load_the_stretch_decays():
    grip = Bristle(0.5, 1e4, 100.0)
    force, rate = grip.force(0.0, np.array([3.0]), np.array([0.01]))
    assert force[0] == 0.0 and rate[0] == pytest.approx(-0.01 * 1e4 / 100.0)


def test_friction_by_slip_in_any_direction():
    grip, v = SlipFriction(0.5, 0.02), np.array([0.01, -0.03])
    force, rate = grip.force(100.0, v, np.zeros(2))
    np.testing.assert_allclose(force, -50.0 * np.tanh(np.hypot(*v) / 0.02) * v / np.hypot(*v), rtol=1e-14)
    np.testing.assert_array_equal(rate, 0.0)
    np.testing.assert_array_equal(grip.force(100.0, np.zeros(2), np.zeros(2))[0], 0.0)
    assert grip.stored([0.1, 0.2]) == 0.0 and Bristle(0.5, 10.0, 1.0).stored([3.0, 4.0]) == 125.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: NormalLaw(0.0),
            r"stiffness of a normal law must be a number above 0 \[N/m\^n\], however it is 0",
        ),
        (lambda: NormalLaw(1.0, 0.0), "exponent"),
        (lambda: NormalLaw(1.0, 1.0, -1.0), "dissipation"),
        (
            lambda: Bristle(-0.1, 1.0, 1.0),
            "friction of a bristle must be a number of 0 or more, however it is -0.1",
        ),
        (lambda: Bristle(0.1, 0.0, 1.0), "stiffness of a bristle"),
        (lambda: Bristle(0.1, 1.0, 0.0), r"damping of a bristle must be a number above 0 \[N s/m\]"),
        (lambda: SlipFriction(0.1, 0.0), "slip_speed"),
        (lambda: SlipFriction(-0.1), "friction"),
    ],
)
def test_what_is_no_law_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
