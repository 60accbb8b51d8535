"""A walk is a motion of the engine's model: inverse dynamics gives the moments back that made it."""

import dataclasses

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.gait import JOINTS, POINTS, STICKS, Body, Impedance, SevenSegment, Start, Walk, load_recipe
from softstride.gait.hard_support import JOINT_COLUMNS, hard_double_support
from softstride.kinematics import Motion

BODY = Body().with_consistent_foot()


def joined(body, recipe):
    """Start of a recipe for a body whose foot is a little other: rates and separation so that the hips stay joined."""
    hard = hard_double_support(body, recipe, duration=0.002)
    return Start(hard.theta[0], hard.omega[0])


@pytest.fixture(scope="module")
def walk():
    """Three steps, so that both legs stand, of a body whose foot has one shape, with everything that acts."""
    recipe = load_recipe("B")
    start = joined(BODY, recipe)
    nominal = SevenSegment().simulate("B")
    model = SevenSegment(BODY, feedback=Impedance.from_walk(nominal))
    return model.simulate(start, recipe.moments, steps=3, rate=1000.0)


def test_it_is_a_motion_with_events(walk):
    assert isinstance(walk, Walk) and isinstance(walk, Motion) and walk.completed
    assert len(walk.events) == 12 and walk.model.name == "walker"
    first = [(event.label, event.side) for event in walk.events[:4]]
    assert first == [("off", "left"), ("foot flat", "right"), ("heel off", "right"), ("strike", "left")]
    second = [(event.label, event.side) for event in walk.events[4:8]]
    assert second == [("off", "right"), ("foot flat", "left"), ("heel off", "left"), ("strike", "right")]
    assert list(walk.event_times) == ["left_toe_off", "right_foot_flat", "right_heel_off", "left_heel_strike"]
    assert list(walk.steps[1].events) == [
        "right_toe_off",
        "left_foot_flat",
        "left_heel_off",
        "right_heel_strike",
    ]
    assert set(walk.stance) == {"right", "left"}
    assert walk.to_dataframe().shape == (walk.n_frames, 13)


def test_inverse_dynamics_gives_the_moments_back(walk):
    """In every phase but the first, where the damper's couple stays (next test), and nothing is left for the trunk."""
    single = walk.phase > 1
    scale = np.abs(walk.moments).max()
    for j, (column, sign) in enumerate(JOINT_COLUMNS):
        np.testing.assert_allclose(
            sign * walk.loads.tau[single, column],
            walk.moments[single, j],
            atol=1e-9 * scale,
            err_msg=JOINTS[j],
        )
    weight = walk.body.mass * walk.body.gravity
    assert np.abs(walk.loads.tau[single, :3]).max() < 1e-9 * weight


def test_in_double_support_only_the_couple_of_the_hip_damper_is_left(walk):
    """Forces of the damper on both hips are opposite, but not in line: r x F is a couple from nowhere, 0.1 N m."""
    double = walk.phase == 1
    tau = walk.loads.tau[double]
    weight = walk.body.mass * walk.body.gravity
    assert np.abs(tau[:, :2]).max() < 1e-9 * weight
    left = walk.left_stance[double]
    force = np.where(
        left[:, None], tau[:, 8:10], tau[:, 3:5]
    )  # of the standing leg's sliders, axes of the trunk
    slides = np.where(left[:, None], walk.q[double, 8:10], walk.q[double, 3:5])
    couple = slides[:, 0] * force[:, 1] - slides[:, 1] * force[:, 0]
    np.testing.assert_allclose(tau[:, 2], couple, atol=1e-9 * weight)
    assert 1e-3 < np.abs(couple).max() < 1.0
    for j, (column, sign) in enumerate(JOINT_COLUMNS):
        expected = walk.moments[double, j]
        np.testing.assert_allclose(sign * tau[:, column], expected, atol=1e-9 * weight, err_msg=JOINTS[j])


def test_table_a1_misses_by_what_its_foot_misses():
    """Two triangles of one foot, 0.15 mm apart: hundredths of a newton metre, and nothing in phase 4."""
    found = SevenSegment().simulate("B")
    tau = np.stack([sign * found.loads.tau[:, column] for column, sign in JOINT_COLUMNS], axis=1)
    error = np.abs(tau - found.moments).max(axis=1)
    assert error[found.phase == 4].max() < 1e-9
    assert 1e-4 < error.max() < 0.05


def test_rates_are_derivatives(walk):
    """q, v and a of the model by central differences, away from events."""
    h = walk.time[1] - walk.time[0]
    jumps = [step.start + 0.55 for step in walk.steps]  # the nominal ends
    events = np.array([event.time for event in walk.events] + jumps)
    inner = np.array([k for k in range(1, walk.n_frames - 2) if np.abs(walk.time[k] - events).min() > 0.015])
    inner = inner[walk.phase[inner] > 1]  # the hip spring rings faster than frames follow
    v = (walk.q[inner + 1] - walk.q[inner - 1]) / (2 * h)
    a = (walk.v[inner + 1] - walk.v[inner - 1]) / (2 * h)
    assert np.abs(v - walk.v[inner]).max() < 2e-3 * np.abs(walk.v).max()
    assert np.abs(a - walk.a[inner]).max() < 2e-2 * np.abs(walk.a[inner]).max()  # moments have kinks


def test_legs_take_turns_on_the_floor(walk):
    """Standing feet are on the floor and do not slide; each heel lands ahead of the other by the length of the step."""
    for step in walk.steps:
        own = (walk.time > step.start) & (walk.time < step.heel_strike)
        heel = walk.point(f"{step.stance}_heel")[own & (walk.phase < 4)]
        np.testing.assert_allclose(heel - heel[0], 0.0, atol=1e-12)
        toe = walk.point(f"{step.stance}_toe")[own & (walk.phase == 4)]
        np.testing.assert_allclose(toe[:, 1], 0.0, atol=1e-12)
        np.testing.assert_allclose(toe[:, 0], heel[0, 0] + BODY.sole, atol=1e-12)
    places = [walk.point(f"{step.stance}_heel")[walk.time > step.start][0, 0] for step in walk.steps]
    np.testing.assert_allclose(np.diff(places), [step.length for step in walk.steps[:2]], atol=1e-12)
    assert walk.point("right_hip")[-1, 0] > 1.5


def test_forces_are_on_the_feet_that_stand(walk):
    standing = np.array([0 if side == "right" else 1 for side in walk.stance])
    rows = np.arange(walk.n_frames)
    assert np.all(walk.ground_force[rows, standing, 1] > 0.0)
    single = walk.phase > 1
    np.testing.assert_array_equal(walk.ground_force[rows[single], 1 - standing[single]], 0.0)
    assert np.isnan(walk.ground_point[rows[single], 1 - standing[single]]).all()
    assert np.isfinite(walk.ground_point[~single]).all()


def test_sticks_points_and_columns(walk):
    sticks = walk.sticks()
    assert sticks.shape == (walk.n_frames, 14, 2) and set(STICKS) == set(POINTS)
    np.testing.assert_array_equal(sticks[:, 0], walk.point("right_ankle"))
    lengths = np.linalg.norm(np.diff(sticks[:, 3:6], axis=1), axis=2)
    np.testing.assert_allclose(lengths, [[BODY.shank, BODY.thigh]] * walk.n_frames, atol=1e-12)
    table = walk.table()
    np.testing.assert_array_equal(table["left_knee_moment"], walk.moment("left knee"))
    np.testing.assert_array_equal(table["right_force_y"], walk.ground_force[:, 0, 1])
    assert all(len(column) == walk.n_frames for column in table.values())


def test_parts_and_names(walk):
    part = walk.at(0.2, 0.4)
    assert type(part) is Motion and part.time[0] >= 0.2 and len(part.events) == 1
    with pytest.raises(InputError, match="no point of the walker"):
        walk.point("nose")
    with pytest.raises(InputError, match="no segment"):
        walk.angle("nose")
    with pytest.raises(InputError, match="no joint"):
        walk.moment("nose")
    with pytest.raises(ValueError, match="read-only"):
        walk.theta[0, 0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        walk.completed = False
    assert "3 steps" in repr(walk)
