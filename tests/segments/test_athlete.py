"""The digital athlete walks: moments of the sound leg from markers and plates, against the torques that moved it."""

from dataclasses import replace

import numpy as np
import pytest
from tests.trials import the_athlete

from softstride.segments import analyze


@pytest.mark.slow
@pytest.mark.parametrize("disturbed", [False, True])
def test_moments_of_the_sound_leg_are_those_that_moved_it(disturbed: bool) -> None:
    """Landmarks of a table that knows nothing of the person, inertia of another table, and regressed hips.

    The truth is a tree of joints: its knee slides as it bends, its ankle is oblique, its hip is some 10 mm elsewhere,
    and its inertia is up to 5 % off any table. What is left is a correlation of 0.97 or more, noise and skin included.
    """
    athlete = the_athlete("walking", noise=disturbed, artefact=disturbed)
    markers = athlete.recording.markers
    middle = 0.5 * float((markers["RASI"][:, 2] + markers["LASI"][:, 2]).mean())
    forces = tuple(  # the table of landmarks knows no blade, so that the side of a plate is told here
        replace(force, side="left" if np.nanmedian(force.point[force.loaded, 2]) < middle else "right")
        for force in athlete.recording.forces
    )
    study = analyze(
        athlete.recording.replace(forces=forces), mass=athlete.truth_model.mass, sex="male", lowpass=12.0
    )
    truth = athlete.truth
    names = list(truth.model.coordinate_names)
    for joint, coordinate, sign, least in (
        ("left ankle", "ankle_angle_l", 1.0, 0.999),
        ("left knee", "knee_angle_l", -1.0, 0.985),
        ("left hip", "hip_flexion_l", 1.0, 0.97),
    ):
        true = sign * np.interp(study.time, truth.time, truth.tau[:, names.index(coordinate)])
        found = study.joint(joint).projection[:, 0]
        assert np.isfinite(found).all()
        assert np.corrcoef(found, true)[0, 1] > least, joint
        assert np.sqrt(np.mean((found - true) ** 2)) < 0.05 * np.ptp(true), joint
    assert np.isnan(study.joint("right hip").projection).all()  # a blade is no foot
