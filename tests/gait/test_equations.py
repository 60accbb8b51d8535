"""Equations of the walker: the reference state to every digit, a plain transcription, what each misprint would do."""

import numpy as np
import pytest
from tests.oracles import seven_segment as plain

from softstride.errors import InputError
from softstride.gait import Body, evaluate_states, joint_angles, moments_on_segments
from softstride.gait.kernels.walker import FLAT
from softstride.gait.states import POINTS, assemble_states, joint_rates, walker_of

THETA = np.array([0.10, 1.45, 1.75, 1.60, 1.30, 1.05, -0.40])
OMEGA = np.array([-1.2, 0.7, -0.9, 0.3, 2.1, -3.3, 1.7])
MOMENTS = np.array([12.0, 35.0, -20.0, 15.0, -8.0, -60.0])
SEPARATION = 0.134
PRINTED = 1e-11  # relative: the reference has twelve digits

ACCELERATIONS = {
    1: "-487.81210882 127.924687667 20.6431868448 2.32983230923 18.9822150394 11.55320019 -78.476965136",
    2: "-213.772094632 136.931066089 -99.7159656171 12.8641610975 -47.3775263355 323.266811426 -2656.33366695",
    3: "0 18.6151132433 -29.356988369 7.92470665863 -37.2407091033 324.34465732 -2669.66573165",
    4: "99.9671718468 74.1033343476 -141.060220358 16.9107242407 -55.9686352121 321.677256099 -2642.65044832",
}
FORCES = {
    1: "-59.9588042476 -32.1640114788 11.5893523026 -35.8820860695 46.240927152 144.285436532 -180.886208462",
    2: "-39.6575253105 -13.059879442 -4.61141506291 8.53159690021 30.1511561364 58.1956848272 -61.5091127586",
    4: "146.97950634 -1.27294072997 4.98258354051 14.6426962938 28.9931465355 57.8059168997 -61.5428195623",
}
ROWS = {
    (1, 0): "0.280936239 0.570783597787 0.19706169891 0 0 0 0",
    (1, 3): "0 0 0 9.315875 6.73130090238 6.53249046339 3.32368464387",
    (
        2,
        0,
    ): "1.595508239 4.35941060107 3.11046440422 2.12401885994 -0.454060343136 -0.168390204685 -0.00761983388902",
    (
        4,
        0,
    ): "4.265904048 4.39638478199 5.20443798129 2.78503041085 -0.336234404022 -0.05539030737 -0.03056926447",
    (2, 4): "-0.454060343136 -1.43373039298 -1.2006064616 0 1.152412426 0.466225542293 0.0325367522276",
}
DIAGONALS = {
    1: "0.280936239 1.803435103 0.544922826 9.315875 9.216922826 12.059430103 3.573189168",
    2: "1.595508239 14.494755853 11.276122826 9.315875 1.152412426 0.414685423 0.025595504",
    4: "4.265904048 14.494755853 11.276122826 9.315875 1.152412426 0.414685423 0.025595504",
}


def numbers(text):
    return np.array([float(x) for x in text.split()])


def reference(phase):
    """Angles and rates of the reference state in a phase."""
    theta, omega = THETA.copy(), OMEGA.copy()
    if phase == 3:
        theta[0] = omega[0] = 0.0
    if phase == 4:
        theta[0] = -0.20
    return theta, omega


@pytest.fixture(scope="module")
def walker():
    return walker_of(Body())


@pytest.fixture(scope="module")
def found(walker):
    states = [reference(phase) for phase in (1, 2, 3, 4)]
    theta, omega = (np.array(x) for x in zip(*states, strict=True))
    return evaluate_states(walker, [1, 2, 3, 4], theta, omega, MOMENTS, SEPARATION)


@pytest.mark.parametrize("phase", [1, 2, 3, 4])
def test_accelerations_of_the_reference_state(found, phase):
    np.testing.assert_allclose(
        found.alpha[phase - 1], numbers(ACCELERATIONS[phase]), rtol=PRINTED, atol=1e-12
    )


@pytest.mark.parametrize("phase", [1, 2, 4])
def test_mass_matrix_and_right_hand_side_of_the_reference_state(walker, phase):
    matrix, force = assemble_states(walker, phase, *reference(phase), MOMENTS, SEPARATION)
    np.testing.assert_allclose(force[0], numbers(FORCES[phase]), rtol=PRINTED)
    np.testing.assert_allclose(np.diag(matrix[0]), numbers(DIAGONALS[phase]), rtol=1e-9)
    for (own, row), text in ROWS.items():
        if own == phase:
            np.testing.assert_allclose(matrix[0, row], numbers(text), rtol=PRINTED, atol=1e-14)


def test_ground_reactions_of_the_reference_state(found):
    np.testing.assert_allclose(found.left_force[0], (64.324534912903, 351.456935120067), rtol=1e-12)
    np.testing.assert_allclose(found.right_force[0], (142.442606900348, 614.296470717163), rtol=1e-12)
    np.testing.assert_allclose(found.right_force[1], (9.319184817185, 262.845370438906), rtol=1e-12)
    np.testing.assert_allclose(found.right_force[2], (13.050029410214, 611.969912380457), rtol=1e-12)
    np.testing.assert_allclose(found.right_force[3], (-100.728725553581, 22.090399490965), rtol=1e-12)
    np.testing.assert_allclose(found.heel_held[2], 135.530640162311, rtol=1e-12)
    np.testing.assert_array_equal(found.left_force[1:], 0.0)


def test_places_of_the_reference_state(found):
    points = dict(zip(POINTS, found.points[3], strict=True))
    np.testing.assert_allclose(points["left_heel"], (-0.35398941695, 0.140558190605), rtol=1e-11)
    np.testing.assert_allclose(points["left_toe"], (-0.095456305787, 0.031089898527), rtol=1e-10)
    np.testing.assert_allclose(points["right_hip"], (0.087545771579, 0.978505116881), rtol=1e-11)
    assert found.event[3] == pytest.approx(points["left_heel"][1], abs=1e-15)


def test_the_foot_of_table_a1(walker):
    """Heel at the origin, foot flat: ankle and centre by the heel's triangle, toe by that of the toe, 0.15 mm lower."""
    body = Body()
    upright = np.array([0.0, *[np.pi / 2] * 5, 0.0])
    points = dict(zip(POINTS, evaluate_states(walker, 2, upright, np.zeros(7)).points[0], strict=True))
    np.testing.assert_allclose(points["right_ankle"], (0.079488, 0.115246), atol=6e-7)
    np.testing.assert_allclose(points["right_toe"], (0.280754, -0.000149), atol=6e-7)
    centre = body.heel_centre * np.array([np.cos(body.centre_angle), np.sin(body.centre_angle)])
    np.testing.assert_allclose(centre, (0.179991, 0.057656), atol=6e-7)
    middle = 0.5 * (points["right_ankle"] + points["right_toe"])
    np.testing.assert_allclose(middle, (0.180121, 0.057548), atol=6e-7)
    assert np.linalg.norm(middle - centre) == pytest.approx(0.17e-3, abs=5e-6)
    assert np.linalg.norm(points["right_ankle"] - centre) == pytest.approx(0.115834, abs=1e-6)
    assert np.pi - body.toe_angle == pytest.approx(0.5206, abs=1e-4)
    assert body.mass == pytest.approx(79.94, abs=1e-9)
    assert body.sole == pytest.approx(points["right_toe"][0], abs=1e-12)


@pytest.mark.parametrize("phase", [1, 2, 3, 4])
def test_a_plain_transcription_agrees_at_random_states(walker, phase):
    rng = np.random.default_rng(phase)
    for _ in range(50):
        theta, omega = rng.uniform(-3, 3, 7), rng.uniform(-8, 8, 7)
        moments, separation = rng.uniform(-150, 150, 6), float(rng.uniform(-0.5, 0.5))
        if phase == 3:
            theta[0] = omega[0] = 0.0
        expected = plain.accelerations(phase, theta, omega, moments, separation)
        alpha = evaluate_states(walker, phase, theta, omega, moments, separation).alpha[0]
        np.testing.assert_allclose(alpha, expected, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("misprint", "phase", "size"),
    [
        ("c13", 2, 184),
        ("angles squared", 1, 19),
        ("angles squared", 2, 24),
        ("spring", 1, 6.4e5),
        ("gravity 2 and 3", 1, 24),
        ("gravity 1", 2, 109),
        ("gravity 1", 4, 71),
        ("gravity 2 to 7", 2, 267),
        ("gravity 2 to 7", 3, 57),
        ("gravity 2 to 7", 4, 109),
    ],
)
def test_each_misprint_would_be_seen(walker, misprint, phase, size):
    """The largest change of an acceleration at the reference state if only that misprint is kept."""
    theta, omega = reference(phase)
    wrong = plain.accelerations(phase, theta, omega, MOMENTS, SEPARATION, misprint)
    right = evaluate_states(walker, phase, theta, omega, MOMENTS, SEPARATION).alpha[0]
    assert np.abs(wrong - right).max() == pytest.approx(size, rel=0.03)


def test_a_heel_that_just_lifts_starts_from_rest(walker):
    """N = 0 in phase 3 makes the acceleration of the foot in phase 4 zero and the others equal: RHO is smooth."""
    body = Body().with_consistent_foot()
    own = walker_of(body)
    rng = np.random.default_rng(7)
    for _ in range(20):
        theta, omega, moments = rng.uniform(0.8, 2.2, 7), rng.uniform(-5, 5, 7), rng.uniform(-90, 90, 6)
        theta[0] = omega[0] = 0.0
        lifted = []
        for ankle in (0.0, 1.0):
            moments[0] = ankle
            lifted.append(evaluate_states(own, 3, theta, omega, moments).heel_held[0])
        moments[0] = -lifted[0] / (lifted[1] - lifted[0])
        flat = evaluate_states(own, 3, theta, omega, moments)
        assert abs(flat.heel_held[0]) < 1e-8
        toe = evaluate_states(own, 4, theta, omega, moments)
        scale = np.abs(flat.alpha[0]).max()
        assert abs(toe.alpha[0, 0]) < 1e-10 * scale
        np.testing.assert_allclose(toe.alpha[0], flat.alpha[0], atol=1e-10 * scale)


def test_one_state_and_many_are_the_same(walker):
    rng = np.random.default_rng(3)
    theta, omega, moments = rng.uniform(0, 2, (9, 7)), rng.normal(size=(9, 7)), rng.normal(size=(9, 6))
    phase = np.array([1, 2, 3, 4, FLAT, 4, 3, 2, 1])
    theta[[2, 4, 6], 0] = omega[[2, 4, 6], 0] = 0.0
    many = evaluate_states(walker, phase, theta, omega, moments, 0.3, 0.1)
    for k in range(9):
        one = evaluate_states(walker, phase[k], theta[k], omega[k], moments[k], 0.3, 0.1)
        np.testing.assert_array_equal(one.alpha[0], many.alpha[k])
        np.testing.assert_array_equal(one.points[0], many.points[k])
        np.testing.assert_array_equal(one.right_force[0], many.right_force[k])


def test_joint_angles_do_the_work_that_joint_moments_do_on_segments():
    rng = np.random.default_rng(4)
    omega, moments = rng.normal(size=(5, 7)), rng.normal(size=(5, 6))
    by_joints = np.sum(moments * joint_rates(omega), axis=1)
    by_segments = np.sum(moments_on_segments(moments) * omega, axis=1)
    np.testing.assert_allclose(by_joints, by_segments, atol=1e-12)
    upright = joint_angles([0.0, *[np.pi / 2] * 5, 0.0])
    np.testing.assert_allclose(upright, 0.0, atol=1e-15)


def test_states_that_do_not_fit_are_refused(walker):
    with pytest.raises(InputError, match="numbered from 1 to 4"):
        evaluate_states(walker, 0, THETA, OMEGA)
    with pytest.raises(InputError, match=r"\(n, 7\) and joint moments \(n, 6\)"):
        evaluate_states(walker, 1, THETA[:6], OMEGA)
