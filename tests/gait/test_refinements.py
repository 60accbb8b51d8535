"""What the authors wished for: ligaments that limit hyperextension, a toe spring, feedback about a nominal."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.gait import (
    Body,
    Impedance,
    Ligament,
    Ligaments,
    SevenSegment,
    ToeSpring,
    evaluate_states,
    joint_angles,
    load_recipe,
)
from softstride.gait.passive import KNEE
from softstride.gait.states import joint_rates

BACKWARDS = ("left_ankle:1=-10%",)  # recipe A then bends a knee backwards by 13 degrees


def knee_extension(walk):
    return walk.joint_angles[:, [1, 4]].max()


def test_ligaments_limit_hyperextension():
    free = SevenSegment().simulate("A", perturb=BACKWARDS)
    held = SevenSegment(ligaments=Ligaments()).simulate("A", perturb=BACKWARDS)
    assert knee_extension(free) > np.radians(13.0)
    assert knee_extension(held) < np.radians(10.0)
    assert held.certificate.relative_energy_error < 1e-8
    assert np.abs(held.passive[:, [0, 2, 3, 5]]).max() == 0.0
    pulling = held.joint_angles[:, [1, 4]] > 0.1
    assert np.all(held.passive[:, [1, 4]][pulling] < 0.0)


def test_a_bent_knee_does_not_feel_its_ligaments():
    assert abs(KNEE.moment(np.radians(-20.0))) < 2e-6
    assert -KNEE.moment(0.05) == pytest.approx(10.0)
    assert -KNEE.moment(0.10) == pytest.approx(74.0, abs=0.5)
    assert abs(KNEE.moment(0.0, 10.0)) == pytest.approx(abs(KNEE.moment(0.0)) * 1.5)


def test_moments_of_ligaments_are_those_of_the_formula():
    """Both ends, all joints, with damping: frames of a walk against the formula in NumPy."""
    ankle = Ligament(-0.6, 5.0, 8.0, 0.5, 4.0, 6.0, 0.02)
    hip = Ligament(-0.3, 3.0, 5.0, 1.4, 9.0, 4.0, 0.01)
    found = SevenSegment(ligaments=Ligaments(ankle, KNEE, hip)).simulate("B", rate=200.0)
    x, v = joint_angles(found.theta), joint_rates(found.omega)
    for j, each in enumerate((ankle, KNEE, hip, hip, KNEE, ankle)):
        np.testing.assert_allclose(found.passive[:, j], each.moment(x[:, j], v[:, j]), atol=1e-9)
    assert np.all(np.abs(found.passive[:, [0, 2]]).max(axis=0) > 0.1)


def test_ligaments_without_damping_keep_energy():
    """Their work is what their potential lost: an integral of the formula."""
    knee = Ligament(high=0.0, high_moment=20.0, high_rate=10.0)
    found = SevenSegment(ligaments=Ligaments(knee=knee)).simulate("B")
    potential = np.sum(2.0 * np.exp(10.0 * found.joint_angles[:, [1, 4]]), axis=1)
    given = sum(each.passive for each in found.phases)
    assert given == pytest.approx(potential[0] - potential[-1], abs=1e-9)
    assert abs(given) > 1e-3


def test_a_toe_spring_turns_the_foot_back_and_moves_the_pressure_forward():
    plain = SevenSegment().simulate("B", rate=1000.0)
    found = SevenSegment(toe_spring=ToeSpring(20.0, 0.2)).simulate("B", rate=1000.0)
    on_toe = found.phase == 4
    theta, omega = found.theta[on_toe, 0], found.omega[on_toe, 0]
    torque = -20.0 * theta - 0.2 * omega
    ahead = found.ground_point[on_toe, 0] - Body().sole
    np.testing.assert_allclose(ahead, torque / found.ground_force[on_toe, 0, 1], atol=1e-12)
    assert np.all(torque > 0.0)
    np.testing.assert_array_equal(plain.theta[plain.phase < 4], found.theta[found.phase < 4])
    k = int(np.flatnonzero(on_toe)[30])
    assert plain.theta[k, 0] < found.theta[k, 0]  # the heel is lower
    assert found.certificate.relative_energy_error < 1e-8


def test_inverse_dynamics_sees_the_toe_spring_as_a_ground_reaction():
    found = SevenSegment(toe_spring=ToeSpring(20.0)).simulate("B")
    on_toe = found.phase == 4
    assert np.abs(found.loads.tau[on_toe, :3]).max() < 1e-8
    assert np.abs(found.loads.tau[on_toe, 7] - found.moments[on_toe, 0]).max() < 1e-8


def test_feedback_is_the_formula():
    """Frames of a walk with feedback: moments less the prescribed ones against K and D by hand."""
    nominal = SevenSegment().simulate("B")
    feedback = Impedance.from_walk(nominal, [2000, 1500, 1000, 900, 800, 700], [30, 25, 20, 15, 10, 5])
    found = SevenSegment(feedback=feedback).simulate("B", perturb="left_ankle:1=+20%")
    n = min(len(feedback.angles), found.n_frames - 1)
    given = np.array(nominal.time[:n])
    prescribed = SevenSegment().simulate("B", times=given).moments.copy()
    prescribed[given < found.event_times["left_toe_off"], 5] *= 1.2
    x, v = found.joint_angles[:n], joint_rates(found.omega[:n])
    expected = (
        prescribed
        + feedback.stiffness * (feedback.angles[:n] - x)
        + feedback.damping * (feedback.rates[:n] - v)
    )
    np.testing.assert_allclose(found.moments[:n], expected, atol=1e-8)
    assert np.abs(found.moments[:n] - prescribed).max() > 1.0


def test_feedback_rests_after_the_nominal():
    nominal = SevenSegment().simulate("B")
    feedback = Impedance.from_walk(nominal)
    found = SevenSegment(feedback=feedback).simulate("B")
    late = found.time > nominal.time[-1] + 1e-3
    assert late.any()
    x, v = found.joint_angles[late], joint_rates(found.omega[late])
    expected = found.moments[late] - feedback.stiffness * (feedback.angles[-1] - x) + feedback.damping * v
    np.testing.assert_allclose(
        expected, np.tile(load_recipe("B").moments.values[-1], (late.sum(), 1)), atol=1e-8
    )


def test_feedback_without_disturbance_changes_nothing():
    """About its own nominal the feedback is silent: the nominal is that walk, to the error of its cubics."""
    nominal = SevenSegment().simulate("B", rate=2000.0)
    found = SevenSegment(feedback=Impedance.from_walk(nominal, 100.0, 1.0)).simulate("B", times=[0.1, 0.3])
    for k, instant in enumerate((0.1, 0.3)):
        row = round(instant * 2000.0)
        np.testing.assert_allclose(found.theta[k], nominal.theta[row], atol=2e-3)


def test_a_flat_foot_pressed_by_its_toe_spring_only_in_phase_four():
    model = SevenSegment(toe_spring=ToeSpring(500.0))
    state = model.simulate("B", times=[0.2])
    plain = evaluate_states(model.walker, 3, state.theta, state.omega, state.moments)
    np.testing.assert_allclose(plain.alpha, state.alpha, atol=1e-9)


def test_bad_refinements():
    with pytest.raises(
        InputError, match=r"damping of a ligament must be a number of 0 or more \[s/rad\], however it is -1"
    ):
        Ligament(damping=-1.0)
    with pytest.raises(InputError, match="stiffness of a toe spring must be a number of 0 or more"):
        ToeSpring(np.nan)
    nominal = SevenSegment().simulate("B")
    with pytest.raises(InputError, match="stiffness of the feedback must not be negative") as caught:
        Impedance.from_walk(nominal, -1.0)
    assert (caught.value.parameter, caught.value.value) == ("stiffness", -1.0)
    with pytest.raises(InputError, match="two instants or more") as caught:
        Impedance(0.01, np.zeros((1, 6)), np.zeros((1, 6)), np.ones(6), np.ones(6))
    assert (caught.value.parameter, caught.value.value) == ("angles", 1)
    with pytest.raises(InputError, match=r"rates of a nominal must have shape \(3, 6\)"):
        Impedance(0.01, np.zeros((3, 6)), np.zeros((2, 6)), np.ones(6), np.ones(6))
    fallen = SevenSegment().simulate("B", perturb="right_knee=-150")
    with pytest.raises(InputError, match="must be a whole step"):
        Impedance.from_walk(fallen)
    assert Impedance.from_walk(nominal).changed(stiffness=5.0).stiffness[3] == 5.0
    for one in (5.0, [5.0], np.array([5.0])):
        held = Impedance.from_walk(nominal, stiffness=one, damping=one)
        np.testing.assert_array_equal(held.gains(), np.full((2, 6), 5.0))
    with pytest.raises(InputError, match=r"stiffness of a nominal must have shape \(6,\)"):
        Impedance.from_walk(nominal, [5.0, 6.0])
