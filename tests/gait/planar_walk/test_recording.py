"""A recorded stance, walk_opencap_s4: both contacts with identical inputs between 3 and 35 % of the gait cycle."""

from pathlib import Path

import numpy as np
import pytest
from tests.models import the_model

from softstride import read, read_motion, solve_id
from softstride.contact import three_sphere_foot
from softstride.gait.planar_walk import (
    Gains,
    fit_rollover,
    planar_person,
    reference_from_track,
    sagittal_track,
    simulate_stance,
)

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "gait.md"

CYCLE = 1.11
"""Gait cycle [s]: the force on the right foot at the first frame, 207 N, comes back after it."""


@pytest.fixture(scope="module")
def recorded(shared_data):
    """The left stance, from its reference inverse kinematics seen from the side, and its plates."""
    folder = shared_data / "walk_opencap_s4"
    model = the_model(folder / "manually_scaled.osim")
    motion = read_motion(folder / "reference" / "walking1_manual_scaling_ik.mot", model)
    loads = solve_id(model, motion, read(folder / "walking1.trc", folder / "walking1_grf.mot"))
    wrenches = {wrench.link[-1]: wrench for wrench in loads.wrenches.values()}
    track = sagittal_track(motion)
    rollover = fit_rollover(track, wrenches["l"], "l")
    body = planar_person(model, track, rollover, "l")
    lengths = body.thigh_length, body.shank_length
    reference = reference_from_track(track, wrenches, "l", rollover, lengths, cycle=CYCLE)
    ground = {"surface": rollover.surface, "origin": rollover.origin, "floor": rollover.floor}
    return body, reference, rollover, ground


def test_the_foot_rolled_over_its_surface(recorded):
    body, reference, rollover, _ = recorded
    assert body.mass == pytest.approx(62.6, abs=0.01)
    assert reference.strike == pytest.approx(0.54, abs=0.011)
    assert rollover.path_rms < 4e-3 and rollover.pressure_rms < 2e-3
    assert np.degrees(rollover.tilt_rms) < 0.5
    assert rollover.floor == pytest.approx(0.006)


@pytest.mark.slow
def test_rolling_meets_the_measured_ankle_within_half_a_degree(recorded):
    body, reference, _, ground = recorded
    result = simulate_stance(body, reference, **ground)
    assert result.completed
    assert result.ankle_rms_deg < 0.5  # 0.31
    assert len(result.ankle_error) > 30
    frames, force = result.measured_force()
    simulated = np.interp(frames, result.motion.time, result.ground.force[:, 1])
    assert np.sqrt(np.mean((simulated - force[:, 1]) ** 2)) < 0.12 * force[:, 1].max()
    assert result.certificate.energy_gap < 1e-4 and result.certificate.friction_margin > 50.0


@pytest.mark.slow
@pytest.mark.parametrize("gains", [Gains(), Gains(pelvis=20.0), Gains(ankle_stiffness=0.0)])
def test_rolling_is_no_worse_than_hertzian_spheres(recorded, gains):
    body, reference, _, ground = recorded
    rolling = simulate_stance(body, reference, gains=gains, **ground)
    spheres = simulate_stance(
        body, reference, contact="spheres", spheres=three_sphere_foot(1.5).contact, gains=gains, **ground
    )
    assert rolling.completed and spheres.completed
    assert rolling.ankle_rms_deg < spheres.ankle_rms_deg
    if gains == Gains():
        told = " ".join(GUIDE.read_text(encoding="utf-8").split())
        assert f"it is {rolling.ankle_rms_deg:.2f}° and {spheres.ankle_rms_deg:.2f}°" in told


@pytest.mark.nightly
def test_rolling_is_no_worse_than_linear_spheres_and_asks_for_far_fewer_right_hand_sides(recorded):
    """Table 2 as printed, exponent 1: its toes of 1e9 N/m rattle."""
    body, reference, _, ground = recorded
    rolling = simulate_stance(body, reference, **ground)
    spheres = simulate_stance(body, reference, contact="spheres", **ground)
    assert rolling.completed and spheres.completed
    assert rolling.ankle_rms_deg < spheres.ankle_rms_deg  # 0.31 and 0.43
    assert spheres.statistics.evaluations > 10 * rolling.statistics.evaluations
