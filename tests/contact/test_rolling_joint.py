"""The rolling joint: its rows by finite difference, a leg in two formulations, and the checks afterwards."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.contact.surfaces import derivative
from tests.oracles.constrained_leg import ConstrainedLeg

from softstride.contact import OutlineSurface, RollingJoint
from softstride.errors import InputError
from softstride.selfcheck.rolling_leg import START, RollingLeg, ankle_moment, reference_surface

# t, a, ψ, ȧ, ψ̇, Fx, Fz, centre of pressure
LEG = np.array(
    [
        [0.04, -0.0748992714, -0.207379124, 2.1542393, 1.30532473, -142.7512, 706.3978, -0.053623],
        [0.12, -0.0130522022, -0.101277269, 0.0570620034, 1.31713637, -59.0042, 519.7989, -0.012747],
        [0.24, -0.0266795832, 0.0535099154, 0.0209909438, 1.27242725, 17.7715, 549.4410, -0.024676],
        [0.36, 0.0122217753, 0.209442223, 0.719313109, 1.34496376, 75.7940, 584.4877, 0.011967],
    ]
)
TIMES = LEG[:, 0]
TIGHT = {"rtol": 1e-11, "atol": 1e-13, "method": "DOP853"}
SHOE = OutlineSurface([[-0.06, 0.015], [-0.04, 0.0], [0.0, -0.004], [0.1, 0.0], [0.17, 0.03]], width=0.1)


@pytest.fixture(scope="module")
def joint():
    return RollingJoint(reference_surface())


@pytest.fixture(scope="module")
def minimal(joint):
    leg = RollingLeg(joint)
    return leg, solve_ivp(leg.rates, (0.0, 0.36), START, t_eval=TIMES, **TIGHT).y.T


@pytest.fixture(scope="module")
def constrained(joint):
    leg = ConstrainedLeg(joint)
    return leg, solve_ivp(leg.rates, (0.0, 0.36), leg.start(), t_eval=TIMES, **TIGHT).y.T


@pytest.mark.parametrize("surface", [reference_surface(), reference_surface().mirror(), SHOE])
def test_rows_and_accelerations_by_finite_difference(surface):
    """Along any motion a(t) that keeps the constraints, J q̇ = 0 and J q̈ = γ."""
    joint = RollingJoint(surface, origin=0.7)

    def tilt(t):
        return 0.1 * np.sin(3.0 * t) + 0.052

    def place(t):
        return np.concatenate([joint.position(tilt(t)), tilt(t)[:, None]], axis=1)

    t = np.array([0.05, 0.2, 0.33, 0.7])
    q_dot = derivative(place, t)
    q_ddot = derivative(lambda t: derivative(place, t), t)
    a = tilt(t)
    J = joint.jacobian(a)
    assert J.shape == (4, 2, 3)
    np.testing.assert_allclose(np.einsum("fij,fj->fi", J, q_dot), 0.0, atol=1e-9)
    np.testing.assert_allclose(
        np.einsum("fij,fj->fi", J, q_ddot), joint.acceleration(a, q_dot[:, 2]), atol=1e-6
    )
    offset = np.array([1.0, 2.0])
    np.testing.assert_allclose(joint.residual(joint.position(a) + offset, a), [offset] * 4, atol=1e-15)


@pytest.mark.parametrize("surface", [reference_surface(), SHOE])
def test_any_point_of_the_foot_moves_as_the_minimal_form_says(surface):
    joint = RollingJoint(surface, origin=-0.3)
    a, place = np.array([-0.2, -0.06, 0.013, 0.11, 0.4]), np.array([0.03, 0.08])
    P, first, second = joint.motion(a, place)
    np.testing.assert_array_equal(P, joint.point(a, place))
    np.testing.assert_allclose(derivative(lambda a: joint.point(a, place), a), first, atol=1e-9)
    np.testing.assert_allclose(derivative(lambda a: joint.motion(a, place)[1], a), second, atol=1e-6)
    s, rho = surface.s(a), surface.rho(a)
    ahead = P[:, 0] + 0.3 - s
    np.testing.assert_allclose(first, np.stack([P[:, 1], -ahead], axis=1), atol=1e-15)
    np.testing.assert_allclose(second, np.stack([-ahead, rho - P[:, 1]], axis=1), atol=1e-15)


def test_the_contact_is_at_rest():
    joint = RollingJoint(reference_surface())
    a = np.linspace(-0.2, 0.5, 9)
    P, first, _ = joint.motion(a, joint.surface.outline(a))
    np.testing.assert_allclose(P, joint.force_point(a), atol=1e-15)
    np.testing.assert_allclose(first, 0.0, atol=1e-15)


def test_the_leg_starts_with_the_known_accelerations(joint):
    rates = RollingLeg(joint).rates(0.0, START)
    np.testing.assert_allclose(rates[2:], [133.520949444, -10.3530451878], rtol=1e-11)


def test_the_leg_follows_the_known_motion(minimal):
    leg, states = minimal
    np.testing.assert_allclose(states, LEG[:, 1:5], rtol=2e-8, atol=1e-9)
    forces = np.array([leg.ground_force(t, y) for t, y in zip(TIMES, states, strict=True)])
    np.testing.assert_allclose(forces[:, :2], LEG[:, 5:7], atol=6e-5)
    np.testing.assert_allclose(forces[:, 2], LEG[:, 7], atol=6e-7)


def test_both_formulations_agree(minimal, constrained):
    leg, states = minimal
    other, others = constrained
    np.testing.assert_allclose(others[:, 2:4], states[:, :2], atol=1e-9)
    for t, y, q in zip(TIMES, states, others, strict=True):
        np.testing.assert_allclose(other.solve(t, q)[1], leg.ground_force(t, y)[:2], atol=5e-6)


def test_multipliers_equal_the_minimal_form_at_the_same_state(joint, minimal):
    """Without the drift of two integrations: equal to rounding."""
    leg, states = minimal
    other = ConstrainedLeg(joint)
    for t, y in zip(TIMES, states, strict=True):
        velocity = -joint.jacobian(y[0])[:, 2] * y[2]
        full = np.concatenate([joint.position(y[0]), y[:2], velocity, y[2:]])
        acceleration, force, _, _ = other.solve(t, full)
        np.testing.assert_allclose(acceleration[2:], leg.rates(t, y)[2:], rtol=1e-9)
        np.testing.assert_allclose(force, leg.ground_force(t, y)[:2], rtol=1e-10)
        assert other.centre_of_pressure(t, full) == pytest.approx(joint.surface.s(y[0]), abs=1e-14)


def test_a_leg_in_place_elsewhere_moves_alike(minimal):
    far = RollingLeg(RollingJoint(reference_surface(), origin=3.0))
    y = minimal[1][1]
    np.testing.assert_allclose(far.rates(0.12, y), minimal[0].rates(0.12, y), rtol=1e-12)
    assert far.ground_force(0.12, y)[2] == pytest.approx(3.0 + minimal[0].ground_force(0.12, y)[2])


def test_energy_is_conserved_without_a_moment(joint):
    """Steps end at the kinks, of rho'' at zero and of rho' at the switch, and others begin there."""
    leg = RollingLeg(joint, driven=False)
    start, motion = 0.0, [np.array(START)[None]]
    for kink in (0.0, joint.surface.switch, None):  # it rolls forward
        end = 0.1 if kink is None else crossing(leg, start, motion[-1][-1], kink)
        motion.append(solve_ivp(leg.rates, (start, end), motion[-1][-1], **TIGHT | {"rtol": 1e-13}).y.T)
        start = end
    states = np.concatenate(motion)
    assert states[:, 0].min() < -0.17 and states[:, 0].max() > 0.07, "it rolls over zero and over the switch"
    energy = np.array([leg.energy(y) for y in states])
    assert energy[0] == pytest.approx(658.14, abs=0.005)
    assert np.ptp(energy) < 2e-10


def crossing(leg, start, y, tilt):
    """Return when the foot is tilted so; steps before that reach over it."""

    def beyond(_t, y):
        return y[0] - tilt

    beyond.terminal = True
    return solve_ivp(leg.rates, (start, 0.1), y, events=beyond, **TIGHT).t[-1]


def test_power_of_the_moment_is_the_rate_of_energy(minimal):
    leg, states = minimal
    rolling, step = RollingLeg(leg.joint), 1e-6
    for t, y in zip(TIMES, states, strict=True):
        rate = rolling.rates(t, y)
        power = (leg.energy(y + step * rate) - leg.energy(y - step * rate)) / (2 * step)
        assert power == pytest.approx(ankle_moment(t, *y) * (y[2] - y[3]), rel=1e-6, abs=1e-5)


def test_whether_it_would_have_rolled(joint):
    a = np.array([0.0, 0.1, 0.1, -0.1])
    force = np.array([[10.0, 500.0], [-450.0, 500.0], [1.0, -2.0], [0.0, 300.0]])
    found = joint.check(a, force, friction=0.8)
    np.testing.assert_array_equal(found.pulls, [False, False, True, False])
    np.testing.assert_array_equal(found.slips, [False, True, False, False])
    np.testing.assert_allclose(found.margin, [390.0, -50.0, -2.6, 240.0])
    assert not found.ok and found.outside == ""
    assert joint.check(a[[0, 3]], force[[0, 3]], 0.8).ok
    concave = joint.check(-0.3, [0.0, 300.0], 0.8)
    assert "outside" in concave.outside and not concave.ok


def test_the_leg_would_have_rolled(joint, minimal):
    leg, states = minimal
    forces = np.array([leg.ground_force(t, y)[:2] for t, y in zip(TIMES, states, strict=True)])
    assert joint.check(states[:, 0], forces, 0.5).ok


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda j: j.check(0.0, [0.0, 1.0], -0.1), "friction must be at least 0, however it is -0.1"),
        (lambda j: j.check(0.0, [0.0, 1.0, 2.0], 0.1), r"force must have shape \(\.\.\., 2\)"),
        (lambda j: j.point(0.0, 1.0), r"place must have shape \(\.\.\., 2\)"),
        (lambda j: RollingJoint("flat"), "must be a RollingSurface, a SplineSurface or an OutlineSurface"),
        (lambda j: RollingJoint(SHOE, origin=np.nan), "origin of a rolling joint must be finite"),
    ],
)
def test_what_does_not_fit_is_refused(joint, call, words):
    with pytest.raises(InputError, match=words):
        call(joint)
