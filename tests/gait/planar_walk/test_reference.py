"""What the planar walker is given: a foot that truly rolls is found again; gaps and holes are told."""

from dataclasses import replace

import numpy as np
import pytest
from tests.models import the_model
from tests.refusals import bad_input

from softstride import engine
from softstride.contact import RollingJoint, fit_spline_surface
from softstride.dynamics import AppliedWrench
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.gait.planar_walk import (
    SagittalTrack,
    fit_rollover,
    packaged_stance,
    planar_model,
    reference_from_track,
    sagittal_track,
)
from softstride.gait.planar_walk.reference import COORDINATES, StanceReference
from softstride.kinematics import Motion

ANKLE, FLAT, ORIGIN, FLOOR = np.array([-0.05, 0.075]), 0.03, 0.4, 0.01


@pytest.fixture(scope="module")
def packaged():
    return packaged_stance()


def rolling_track(surface, noise=0.0):
    """A left foot that rolls over a surface from 0.1 to 0.9 s; of the rest only what a rollover needs."""
    time = np.linspace(0.0, 1.0, 101)
    tilt = np.interp(time, [0.0, 0.1, 0.25, 0.6, 0.9, 1.0], [-0.3, -0.25, -0.004, 0.004, 0.3, 0.6])
    ankle = RollingJoint(surface, ORIGIN).point(tilt, np.tile(ANKLE, (101, 1)))
    ankle[:, 1] += FLOOR
    angle = FLAT - tilt + noise * np.random.default_rng(0).normal(size=101)
    on = (time >= 0.1) & (time <= 0.9)
    force = np.zeros((101, 3))
    force[on, 1] = 600.0
    point = np.where(
        on[:, None], np.column_stack([ORIGIN + surface.s(tilt), np.full(101, FLOOR), np.zeros(101)]), np.nan
    )
    track = SagittalTrack(time, Table({"ankle_l": ankle}), Table({"foot_l": angle}))
    return track, AppliedWrench("calcn_l", force, point, np.zeros((101, 3)))


def test_a_foot_that_rolls_is_found_again(packaged):
    truth = packaged.rollover.surface
    found = fit_rollover(*rolling_track(truth), "l")
    assert found.flat == pytest.approx(FLAT, abs=1e-3)
    assert found.path_rms < 1e-3 and found.pressure_rms < 2e-3
    np.testing.assert_allclose(found.ankle - [ORIGIN - found.origin, 0.0], ANKLE, atol=3e-3)
    assert found.floor == FLOOR
    tilt = np.linspace(-0.2, 0.25, 10)
    np.testing.assert_allclose(
        found.origin + found.surface.s(tilt - (found.flat - FLAT)), ORIGIN + truth.s(tilt), atol=6e-3
    )


def test_noise_of_the_tilt_does_not_make_a_flat_sole_round(packaged):
    """Mean radius within 0.01 rad of flat: it stays with errors in both, and falls where all error is the place's."""

    def mean_radius(surface):
        return (surface.s(0.01) - surface.s(-0.01)) / 0.02

    track, wrench = rolling_track(packaged.rollover.surface, noise=np.radians(0.3))
    found = fit_rollover(track, wrench, "l")
    exact = mean_radius(fit_rollover(*rolling_track(packaged.rollover.surface), "l").surface)
    assert mean_radius(found.surface) > 0.8 * exact
    on = wrench.force[:, 1] > 0.0
    plain = fit_spline_surface(found.flat - track.angles["foot_l"][on], wrench.point[on, 0], rho_min=0.02)
    assert mean_radius(plain.surface) < 0.8 * exact


def test_too_little_of_a_rollover_is_told(packaged):
    track, wrench = rolling_track(packaged.rollover.surface)
    off = replace(wrench, force=np.zeros((101, 3)))
    with pytest.raises(InputError, match=r"on a plate in 0 frames.*12 or more"):
        fit_rollover(track, off, "l")
    with pytest.raises(InputError, match="must have 101 frames, not 50"):
        fit_rollover(track, AppliedWrench("calcn_l", *(np.zeros((50, 3)),) * 3), "l")
    turning = replace(track, angles=Table({"foot_l": FLAT - 2.0 * track.time}))
    with pytest.raises(InputError, match="never flat"):
        fit_rollover(turning, wrench, "l")
    with pytest.raises(InputError, match="'spline' or 'exponential'"):
        fit_rollover(track, wrench, "l", shape="round")


def test_the_planar_walker_stands_where_the_person_does(packaged):
    """With the coordinates of the reference the joints of the standing leg are where the track saw them."""
    model, track = planar_model(packaged.body), packaged.track
    at = {name: i for i, name in enumerate(model.coordinate_names)}
    q = np.zeros((len(track), model.nq))
    for name in COORDINATES:
        q[:, at[name]] = packaged.reference.measured[name]
    T = engine.poses(model, q, ["shank_l", "foot_l", "sole_l", "trunk"])
    np.testing.assert_allclose(T[:, 1, :2, 3], track.points["ankle_l"], atol=1e-12)
    assert (
        np.max(np.abs(T[:, 0, :2, 3] - track.points["knee_l"])) < 0.01
    )  # bones seen from the side change length
    tilt = np.arctan2(T[:, 2, 1, 0], T[:, 2, 0, 0])
    np.testing.assert_allclose(tilt, track.angles["foot_l"] - packaged.rollover.flat, atol=1e-12)
    np.testing.assert_allclose(np.arctan2(T[:, 3, 1, 0], T[:, 3, 0, 0]), track.angles["trunk"], atol=1e-12)


def test_the_planar_body_weighs_what_the_person_weighs(packaged):
    person = the_model("gait", mass=71.0, height=1.75, sex="male")
    assert packaged.body.mass == pytest.approx(person.mass, rel=1e-9)
    standing = engine_height(person)
    model = planar_model(packaged.body)
    q = np.zeros((1, model.nq))
    q[0, 1] = packaged.body.hip_height
    assert engine.centre_of_mass(model, q)[0, 1] == pytest.approx(standing, abs=0.02)


def engine_height(person):
    """Height of the centre of mass above the sole in the neutral pose."""
    q = person.neutral()[None]
    heel = engine.positions(person, q, ["calcn_l"])[0, 0, 1]
    lowest = min(engine.positions(person, q, [name])[0, 0, 1] for name in person.markers)
    return engine.centre_of_mass(person, q)[0, 1] - min(heel, lowest)


def test_the_stance_is_the_long_one_and_the_cycle_twice_a_step(packaged):
    """The athlete's left foot comes down at 0.615 s, the blade 0.525 s later."""
    assert packaged.reference.strike == pytest.approx(0.615, abs=1e-9)
    assert packaged.reference.cycle == pytest.approx(1.05, abs=1e-9)


def test_without_a_second_strike_the_cycle_must_be_given(packaged):
    track = packaged.track
    n = len(track)
    force = np.zeros((n, 3))
    force[20:, 1] = 500.0
    lone = {"l": AppliedWrench("calcn_l", force, np.zeros((n, 3)), np.zeros((n, 3)))}
    with pytest.raises(InputError, match="only one foot comes down"):
        reference_from_track(track, lone, "l", packaged.rollover, (0.4, 0.4))
    given = reference_from_track(track, lone, "l", packaged.rollover, (0.4, 0.4), cycle=1.1)
    assert given.cycle == 1.1 and not given.wrenches["r"].any()
    with pytest.raises(InputError, match="does not come down"):
        reference_from_track(track, lone, "r", packaged.rollover, (0.4, 0.4), cycle=1.1)


def changed(reference, **fields):
    kept = {
        name: getattr(reference, name) for name in StanceReference.__dataclass_fields__ if name != "_rate"
    }
    return StanceReference(**(kept | fields))


def with_holes(measured, time):
    return dict(measured) | {"knee_l": np.where(time > 0.9, np.nan, 0.1)}, time


@bad_input(
    InputError,
    (with_holes, r"knee_l of a stance is not known at 0.905 s.*fill the gap"),
    (lambda measured: {name: x for name, x in measured.items() if name != "hip_r"}, "lacks 'hip_r'"),
    (lambda wrenches: {"l": wrenches["l"]}, "lacks the wrench on foot 'r'"),
    (lambda time: time**2, "evenly spaced"),
    ({"side": "left"}, "side of a stance"),
    ({"cycle": 0.0}, "cycle"),
    (lambda measured: {name: x[:-1] for name, x in measured.items()}, "must have shape"),
)
def test_what_was_not_measured_is_told(refuses, packaged):
    reference = packaged.reference
    given = {name: getattr(reference, name) for name in ("time", "measured", "wrenches", "side", "cycle")}
    refuses(lambda **fields: changed(reference, **fields), **given)


def test_a_model_without_feet_is_told():
    pendulum = the_model("athlete")
    motion = Motion(pendulum, [0.0, 0.1], np.tile(pendulum.neutral(), (2, 1)))
    with pytest.raises(InputError, match=r"needs a link 'torso'.*links=\.\.\."):
        sagittal_track(motion)
