"""A leg on a blade: taken out of an athlete without loss, and its feet."""

from dataclasses import replace

import numpy as np
import pytest
from tests.models import the_model

from softstride import engine
from softstride.contact import SphereContact
from softstride.digital_athlete.person import estimator_model
from softstride.errors import InputError, ModelError
from softstride.gait.hop import LegControl, Muscles, blade_leg, outline_blade, rolling_blade, sphere_blade
from softstride.gait.hop.hop import stand_over
from softstride.model import ModelBuilder
from softstride.simulation.fields import StiffForceField


@pytest.fixture(scope="module")
def leg():
    return blade_leg(estimator_model())


def test_nothing_is_lost(leg):
    athlete = estimator_model()
    assert leg.model.mass == pytest.approx(athlete.mass, rel=1e-12)
    assert leg.model.coordinate_names[:4] == ("hip_x", "hip_y", "hip", "knee")
    assert leg.model.nv == 4 + 18
    right = {"femur_r", "tibia_r", "patella_r", "socket_r", "clamp_r", "blade_r"}
    below = sum(link.mass for link in athlete.links if link.name in right)
    assert leg.model.link("hip_y").mass == pytest.approx(athlete.mass - below, rel=1e-12)


def test_shank_and_blade_move_as_those_of_the_athlete(leg):
    """Kinetic energy of a leg that swings about hip and knee: the athlete's, the rest of him at rest."""
    athlete = estimator_model()
    knee = athlete.coordinate_names.index("knee_angle_r")
    hip = athlete.coordinate_names.index("hip_flexion_r")
    M = engine.mass_matrix(athlete, athlete.neutral()[None])[0]
    own = engine.mass_matrix(leg.model, leg.model.neutral()[None])[0]
    assert own[2, 2] == pytest.approx(
        M[hip, hip], rel=5e-3
    )  # the athlete's knee glides, and so does the kneecap
    assert own[3, 3] == pytest.approx(M[knee, knee], rel=2e-2)


def test_the_schematic_athlete_has_a_leg_too():
    leg = blade_leg(the_model("athlete"))
    assert leg.model.mass == pytest.approx(the_model("athlete").mass)
    assert leg.arcs[-1] == pytest.approx(leg.length)


def test_all_feet_stand_on_the_same_place(leg):
    q = leg.model.neutral()[None].copy()
    q[0, 1] = 1.0
    rolls, outline, springs = rolling_blade(leg, 0.02), outline_blade(leg, 0.02), sphere_blade(leg, 0.02)
    places = np.concatenate([foot.contact(q) for foot in (rolls, outline, springs)])
    assert np.ptp(places[:, 1]) < 2e-3 and np.ptp(places[:, 0]) < 0.015
    assert rolls.height(q)[0] == pytest.approx(places[0, 1] - 0.02, abs=1e-12)
    force, point = rolls.ground(q, q * 0, np.zeros((1, 0)))
    assert not force.any() and np.isnan(point).all()


@pytest.mark.parametrize("make", [rolling_blade, outline_blade])
def test_a_force_on_the_blade_has_the_direction_of_its_rows(leg, make):
    foot = make(leg)
    q = leg.model.neutral()[None].copy()
    J = foot.constraint.jacobian(leg.model, q)[0]
    up, _ = foot.ground(q, q * 0, np.array([[7.0, 0.0, 0.0]]))
    np.testing.assert_allclose(up[0], [0.0, 7.0, 0.0], atol=1e-12)
    side, _ = foot.ground(q, q * 0, np.array([[0.0, 1.0, 2.0]]))
    # moving the hip forward by one moves the contact by one: the generalized force on hip_x is Fx
    assert (J.T @ [0.0, 1.0, 2.0])[0] == pytest.approx(side[0, 0], abs=1e-12)


def test_it_stands_with_its_weight_over_the_sole(leg):
    foot = rolling_blade(leg)
    q = stand_over(leg, foot, 0.5)
    assert q[3] == 0.5
    weight = engine.centre_of_mass(leg.model, q[None])[0, 0]
    assert foot.contact(q[None])[0, 0] == pytest.approx(weight, abs=1e-9)
    far = replace(foot, contact=lambda q: foot.contact(q) + 9.0)
    with pytest.raises(InputError, match="no flexion of the hip"):
        stand_over(leg, far, 0.5)


def test_moments_of_hip_and_knee_by_hand(leg):
    control = LegControl((0.2, 0.5), Muscles(100.0, 2.0, 300.0, 4.0), push=30.0)
    assert isinstance(control, StiffForceField)
    q, v = np.zeros((1, leg.model.nq)), np.zeros((1, leg.model.nv))
    q[0, 2:4], v[0, 2:4] = (0.1, 0.7), (1.0, -2.0)
    tau = control.forces(leg.model, np.zeros(1), q, v)[0]
    assert tau[2] == pytest.approx(100.0 * 0.1 - 2.0) and tau[3] == pytest.approx(300.0 * -0.2 + 8.0 - 30.0)
    assert np.count_nonzero(tau) == 2
    by_q, by_v = control.derivatives(leg.model, 0.0, q[0], v[0])
    assert by_q[2, 2] == -100.0 and by_q[3, 3] == -300.0 and by_v[2, 2] == -2.0 and by_v[3, 3] == -4.0


def test_what_is_no_leg_is_told(leg):
    with pytest.raises(ModelError, match="its rods are none"):
        blade_leg(the_model("gait"))
    with pytest.raises(ModelError, match="is no rod"):
        blade_leg(the_model("athlete"), "right_shank")
    builder = ModelBuilder("stick")
    builder.free("body", mass=1.0, inertia=(1, 1, 1))
    rod = next(link for link in the_model("athlete").links if link.soft)
    builder.rod("blade", "body", rod=rod.joint)
    with pytest.raises(ModelError, match="are 0 links with joints"):
        blade_leg(builder.build())
    with pytest.raises(InputError, match="knee_damping of the leg"):
        Muscles(knee_damping=-1.0)
    with pytest.raises(InputError, match="all alike"):
        sphere_blade(leg, contact=SphereContact(radius=0.01, stiffness=(1e5, 2e5)))
