"""Where the floor is and how it moves, found from the feet."""

import numpy as np
import pytest
from tests.dynamics.estimate.people import G, column, gait, plain, prosthetic, still, swaying, swaying_loads

import softstride as ss
from softstride.notes import codes

W = 75.0 * G


def lifted(motion, height):
    q = motion.q.copy()
    q[:, column(motion.model, "pelvis_ty")] += height
    return ss.Motion(motion.model, motion.time, q, rates=(motion.v, motion.a))


def on_a_belt(motion, forward, right=0.0):
    """Return the motion on a treadmill: all of it moves on with a constant velocity."""
    q, v = motion.q.copy(), motion.v.copy()
    for name, speed in (("pelvis_tx", forward), ("pelvis_tz", right)):
        q[:, column(motion.model, name)] += speed * motion.time
        v[:, column(motion.model, name)] += speed
    return ss.Motion(motion.model, motion.time, q, rates=(v, motion.a))


def same_forces(one, other, tolerance=1e-6):
    for name, wrench in one.wrenches.items():
        assert np.abs(other.wrenches[name].force - wrench.force).max() < tolerance * W


def loaded_heights(loads):
    return np.concatenate([w.point[np.isfinite(w.point[:, 1]), 1] for w in loads.wrenches.values()])


@pytest.mark.parametrize("height", [0.3, -0.7])
def test_a_floor_elsewhere_is_found(height):
    here, there = swaying_loads(), ss.estimate_loads(gait(), lifted(swaying(), height))
    assert here.ground.floor == 0.0
    assert there.ground.floor == pytest.approx(height, abs=1e-6)
    np.testing.assert_allclose(loaded_heights(there), there.ground.floor, atol=1e-12)
    np.testing.assert_allclose(there.ground.place[..., 1], there.ground.floor, atol=1e-12)
    same_forces(here, there)
    np.testing.assert_allclose(there.ground.activation, here.ground.activation, atol=1e-9)
    assert any(f"floor at {1000 * height:.0f} mm" in str(note) for note in there.notes)


def test_soles_that_hover_a_little_stand_on_a_floor_at_zero():
    """Two centimetres are errors of markers and models, no other floor."""
    loads = ss.estimate_loads(gait(), lifted(swaying(), 0.02))
    assert loads.ground.floor == 0.0
    assert loads.ground.activation.max() > 0.4
    up = sum(w.force[:, 1] for w in loads.wrenches.values())
    plain_up = sum(w.force[:, 1] for w in swaying_loads().wrenches.values())
    np.testing.assert_allclose(up, plain_up, atol=2e-3 * W)


def test_a_floor_that_is_given():
    loads = ss.estimate_loads(gait(), lifted(swaying(), 0.3), floor=0.3)
    same_forces(swaying_loads(), loads)
    assert loads.ground.floor == 0.3
    np.testing.assert_allclose(loaded_heights(loads), 0.3, atol=1e-12)
    assert any("as given" in str(note) for note in loads.notes)


def test_floor_of_average_soles_is_a_shoe_below_the_feet():
    """Soles of 3 cm: the model does not say more."""
    model = plain()
    ball = ss.positions(model, model.neutral(), ss.Point("calcn_r", np.array([0.14, 0.0, 0.0])))[1]
    loads = ss.estimate_loads(model, still(model))
    assert loads.ground.floor == pytest.approx(ball - 0.03, abs=0.02)
    assert loads.ground.activation.max() > 0.4


def test_a_blade_and_a_foot_at_one_level():
    model = prosthetic()
    q = model.neutral().copy()
    q[column(model, "pelvis_ty")] += 0.4
    loads = ss.estimate_loads(model, still(model, q))
    assert loads.ground.floor == pytest.approx(0.4, abs=0.01)
    assert loads.ground.activation.min() > 0.4


@pytest.mark.parametrize("velocity", [(-1.3, 0.0), (-4.0, 0.0), (0.6, -0.5)])
def test_a_belt_is_found(velocity):
    motion = swaying()
    moving = ss.estimate_loads(gait(), on_a_belt(motion, *velocity))
    np.testing.assert_allclose(
        moving.ground.belt, [velocity[0], 0.0, velocity[1]], atol=0.02 * np.hypot(*velocity)
    )
    assert moving.ground.belt[1] == 0.0
    same_forces(swaying_loads(), moving, 1e-5)
    assert "ground.treadmill" in codes(moving.notes)


def test_a_floor_at_rest_is_no_belt():
    loads = swaying_loads()
    assert not loads.ground.belt.any()
    assert "ground.treadmill" not in codes(loads.notes)


def test_a_belt_that_is_given():
    motion = swaying()
    still_floor = swaying_loads()
    moving = on_a_belt(motion, -1.3)
    given = ss.estimate_loads(gait(), moving, belt=(-1.3, 0.0))
    same_forces(still_floor, given, 1e-5)
    three = ss.estimate_loads(gait(), moving, belt=(-1.3, 0.0, 0.0))
    assert np.array_equal(three.ground.force, given.ground.force)
    wrong = ss.estimate_loads(
        gait(), moving, belt=(2.0, 0.0)
    )  # feet slide over it at 3.3 m/s: hardly in contact
    assert wrong.ground.activation.max() < 1e-2 < given.ground.activation.max()
