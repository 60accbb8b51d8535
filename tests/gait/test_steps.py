"""Impacts against the engine, legs exchanged, and ten steps in a row."""

import numpy as np
import pytest

from softstride import engine
from softstride.errors import InputError, Option
from softstride.gait import Body, Impedance, SevenSegment, Start, evaluate_states, load_recipe, walker_model
from softstride.gait.hard_support import PLANE, segment_angles
from softstride.gait.maps import foot_flat, heel_strike
from softstride.gait.person_model import model_coordinates
from softstride.gait.states import joint_rates, walker_of
from softstride.notes import codes
from softstride.simulation import PointConstraint, plastic_impact

BODY = Body().with_consistent_foot()
WALKER = walker_of(BODY)
LIFT = "left_ankle:1=+20%"  # ends in a heel strike after which the old toe would rise


def coordinates(phase, theta, omega):
    one, still = np.ones(1), np.zeros(1)
    q, v, _ = model_coordinates(
        WALKER,
        np.array([phase]),
        theta[None],
        omega[None],
        np.zeros((1, 7)),
        still,
        still * one,
        np.zeros(1, dtype=bool),
    )
    return q[0], v[0]


def pinned(model, q, points):
    held = [PointConstraint(name, engine.positions(model, q[None], [name])[0, 0], PLANE) for name in points]
    return held + [PointConstraint(f"{side}_hip", "hat", PLANE) for side in ("right", "left")]


def landing():
    """A state of phase 4 with the left heel on the floor, as the nominal step has it, a little faster."""
    strike = SevenSegment().simulate("B").transitions[-1]
    rng = np.random.default_rng(2)
    return strike.theta.copy(), strike.omega + rng.normal(size=7)


@pytest.mark.parametrize(
    ("old_toe", "points"), [("pinned", ("left_heel", "right_toe")), ("free", ("left_heel",))]
)
def test_heel_strike_is_the_plastic_impact_of_the_engine(old_toe, points):
    theta, omega = landing()
    q, v = coordinates(4, theta, omega)
    model = walker_model(BODY)
    impact = plastic_impact(model, q, v, pinned(model, q, points))
    found = heel_strike(WALKER, theta, omega, old_toe)
    np.testing.assert_array_equal(found.theta, theta[::-1])
    np.testing.assert_allclose(found.omega[::-1], segment_angles(impact.v, 0.0)[0], atol=1e-10)
    np.testing.assert_allclose(found.heel_impulse, impact.impulse[:2], atol=1e-9)
    if old_toe == "pinned":
        np.testing.assert_allclose(found.toe_impulse, impact.impulse[2:4], atol=1e-9)
        after = evaluate_states(WALKER, 4, theta, found.omega[::-1]).kinetic[0]
    else:
        J = engine.jacobian(model, q[None], "right_toe")[0, :2]
        np.testing.assert_allclose(found.toe_velocity, J @ impact.v, atol=1e-10)
        after = evaluate_states(WALKER, 2, found.theta, found.omega).kinetic[0]
    before = evaluate_states(WALKER, 4, theta, omega).kinetic[0]
    assert before - after == pytest.approx(impact.energy_lost, rel=1e-9)
    assert impact.energy_lost > 0.0


@pytest.mark.parametrize("mode", ["impulse", "keep"])
def test_foot_flat(mode):
    """A plastic impact of the sole is that of heel and toe in the engine; keeping rates is no impact at all."""
    flat = SevenSegment().simulate("B").transitions[1]
    q, v = coordinates(2, flat.theta, flat.omega)
    model = walker_model(BODY)
    impact = plastic_impact(model, q, v, pinned(model, q, ("right_heel", "right_toe")))
    theta, omega = foot_flat(WALKER, flat.theta, flat.omega, mode)
    expected = segment_angles(impact.v, 0.0)[0]
    assert theta[0] == omega[0] == 0.0
    if mode == "impulse":
        np.testing.assert_allclose(omega, expected, atol=1e-9)
    else:
        np.testing.assert_array_equal(omega[1:], flat.omega[1:])
        assert np.abs(omega - expected).max() > 0.1


def test_hips_are_joined_after_a_pinned_strike():
    """The next double support begins with r = 0 and r' = 0, S from where the feet are."""
    found = SevenSegment().simulate("B", steps=2, rate=1000.0)
    strike = found.steps[0]
    landed = found.transitions[3]
    points = evaluate_states(SevenSegment().walker, 4, landed.theta, landed.omega).points[0]
    separation = points[10, 0] - points[1, 0]
    start = evaluate_states(
        SevenSegment().walker, 1, landed.theta[::-1], landed.omega_after[::-1], separation=separation
    )
    assert np.abs(start.gap).max() < 1e-12
    assert np.abs(start.gap_rate).max() < 1e-13
    assert strike.heel_strike_loss == pytest.approx(landed.energy_lost)
    assert 0.0 < strike.heel_strike_loss < 5.0
    assert np.isfinite(strike.heel_impulse).all()


def test_a_mirrored_start_walks_a_mirrored_walk():
    """The second step of a walk is the first step of its own start, legs exchanged, to the last digits."""
    whole = SevenSegment().simulate("B", steps=2, rate=1000.0)
    struck = whole.transitions[3]
    recipe = load_recipe("B")
    alone = SevenSegment().simulate(
        Start(struck.theta[::-1], struck.omega_after[::-1]), recipe.moments, rate=1000.0
    )
    second = whole.steps[1]
    assert second.stance == "left"
    assert second.toe_off - second.start == pytest.approx(alone.steps[0].toe_off, abs=1e-9)
    assert second.foot_flat - second.start == pytest.approx(alone.steps[0].foot_flat, abs=1e-9)


def test_a_toe_that_would_move_into_the_floor_is_held():
    found = SevenSegment(old_toe="free").simulate("B", steps=2)
    assert "toe.held" in codes(found.notes)
    with pytest.raises(InputError, match="old_toe must be 'pinned' or 'free', however it is 'glued'"):
        SevenSegment(old_toe="glued")
    with pytest.raises(InputError, match="old_toe must be 'pinned' or 'free'"):
        heel_strike(WALKER, *landing(), "glued")
    with pytest.raises(InputError, match="rff must be 'impulse' or 'keep'"):
        foot_flat(WALKER, *landing(), "bounce")


def test_a_toe_that_leaves_the_floor_is_let_go():
    """Where the free toe rises, a pinned one would be pulled; then single support follows at once, no double one."""
    struck = SevenSegment().simulate("B").transitions[-1]
    for spin in (-20.0, -3.0, 3.0, 20.0):
        omega = struck.omega + np.array([spin, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        free = heel_strike(WALKER, struck.theta, omega, "free")
        held = heel_strike(WALKER, struck.theta, omega, "pinned")
        assert (free.toe_velocity[1] > 0.0) == (held.toe_impulse[1] < 0.0) == (spin < 0.0)
    found = SevenSegment(old_toe="free").simulate("B", steps=2, perturb=LIFT)
    step = found.steps[1]
    assert "right_toe_off" not in step.events and np.isnan(step.toe_off)
    assert found.phase[found.time > step.start][0] == 2
    np.testing.assert_array_equal(found.steps[0].toe_impulse, 0.0)
    held = SevenSegment().simulate("B", steps=2, perturb=LIFT)
    note = next(note for note in held.notes if note.code == "toe.pulled")
    assert str(note).endswith("it would have left the floor; see old_toe='free'")
    assert note.options == (Option("old_toe", "free"),) and note.values["step"] == 1


@pytest.fixture(scope="module")
def ten_steps():
    nominal = SevenSegment().simulate("B")
    return SevenSegment(feedback=Impedance.from_walk(nominal)).simulate("B", steps=10)


def test_ten_steps_with_joint_impedance(ten_steps):
    """The walk settles: the last steps are alike to a millisecond and a millimetre, and nothing pulls or scuffs."""
    assert ten_steps.completed and len(ten_steps.steps) == 10
    durations = np.array([step.duration for step in ten_steps.steps])
    lengths = np.array([step.length for step in ten_steps.steps])
    assert np.ptp(durations[-4:]) < 1e-3 and np.ptp(lengths[-4:]) < 2e-3
    assert durations[-1] == pytest.approx(0.574, abs=2e-3)
    assert lengths[-1] == pytest.approx(0.662, abs=3e-3)
    assert ten_steps.certificate.pulled == 0.0 and ten_steps.certificate.toe_clearance > -2e-3
    assert ten_steps.certificate.relative_energy_error < 1e-8
    assert ten_steps.notes == ()
    assert [step.stance for step in ten_steps.steps] == ["right", "left"] * 5
    assert ten_steps.point("right_heel")[-1, 0] == pytest.approx(lengths.sum(), abs=1e-9)


def test_without_feedback_the_same_moments_fall():
    found = SevenSegment().simulate("B", steps=10)
    assert not found.completed and len(found.steps) < 4
    assert "step" in found.reason


def test_ten_steps_survive_a_push_off_of_other_strength(ten_steps):
    nominal = SevenSegment().simulate("B")
    model = SevenSegment(feedback=Impedance.from_walk(nominal))
    found = model.simulate("B", steps=10, perturb="left_ankle:1=-20%")
    assert found.completed
    assert found.steps[0].duration != pytest.approx(ten_steps.steps[0].duration, abs=1e-5)
    assert found.steps[-1].duration == pytest.approx(ten_steps.steps[-1].duration, abs=1e-3)


def test_energy_of_two_steps_is_work_less_what_events_took():
    nominal = SevenSegment().simulate("B")
    found = SevenSegment(feedback=Impedance.from_walk(nominal)).simulate("B", steps=2)
    work = found.work[-1].sum() + sum(each.damper + each.passive for each in found.phases)
    lost = sum(each.energy_lost for each in found.transitions[:-1])
    assert found.energy[-1] - found.energy[0] == pytest.approx(work - lost, abs=1e-9)


def test_a_sole_that_lands_before_the_other_toe_is_off():
    """Foot flat in double support: the foot rests while the spring still joins the hips, then phase 3 follows."""
    nominal = SevenSegment().simulate("B")
    found = SevenSegment(feedback=Impedance.from_walk(nominal, 1000.0, 100.0)).simulate(
        "B", steps=2, rate=1000.0
    )
    step = found.steps[1]
    assert step.start < step.foot_flat < step.toe_off - 0.05
    between = (found.time > step.foot_flat) & (found.time < step.toe_off)
    assert np.all(found.phase[between] == 1)
    left_foot = (6,)
    np.testing.assert_array_equal(found.theta[between][:, left_foot], 0.0)
    np.testing.assert_array_equal(found.alpha[between][:, left_foot], 0.0)
    assert np.all(found.ground_force[between][:, 0, 1] > 0.0)
    after = (found.time > step.toe_off) & (found.time < step.heel_off)
    assert np.all(found.phase[after] == 3)
    assert [each.phase for each in found.phases if each.step == 2] == [1, 1, 3, 4]
    assert found.certificate.relative_energy_error < 1e-8


def test_work_is_that_of_each_joint_of_the_person():
    """Moments times rates of the joints, summed over frames of two steps; legs change roles in between."""
    nominal = SevenSegment().simulate("B")
    found = SevenSegment(feedback=Impedance.from_walk(nominal)).simulate("B", steps=2, rate=20000.0)
    power = (found.moments - found.passive) * joint_rates(found.omega)
    parts = 0.5 * (power[1:] + power[:-1]) * np.diff(found.time)[:, None]
    np.testing.assert_allclose(parts.sum(axis=0), found.work[-1], atol=0.02 * np.abs(found.work[-1]).max())
    by_phase = sum(each.work for each in found.phases)
    np.testing.assert_allclose(by_phase, found.work[-1], atol=1e-10)
