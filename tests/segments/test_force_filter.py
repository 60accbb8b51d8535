"""The low pass of forces: on the wrench and not on the centre of pressure, and told either way."""

from dataclasses import replace

import numpy as np
import pytest
from tests.segments.people import reference_walk
from tests.segments.test_analysis import stepping

from softstride.capture.force import ExternalForce
from softstride.errors import InputError
from softstride.notes import codes
from softstride.segments import analyze, ground_loads
from softstride.segments.wrenches import low_passed
from softstride.signals import butterworth


def test_the_wrench_is_filtered_and_not_the_point() -> None:
    """A foot comes down 0.3 m off the origin: force and moment about it are filtered alike, so that the point stays."""
    t = np.arange(600) / 1000.0
    force = np.zeros((600, 3))
    force[200:450, 1] = 700.0
    point = np.full((600, 3), np.nan)
    point[200:450] = [0.3, 0.0, 0.1]
    smooth = low_passed(ExternalForce("plate", t, force, point, np.zeros((600, 3))), 12.0)
    assert np.allclose(smooth.force[:, 1], butterworth(force[:, 1], 1000.0, 12.0), atol=1e-9)
    assert np.abs(smooth.force[198, 1]) > 100.0  # spread over frames in the air: what an option is for
    assert np.allclose(smooth.moment[:, 2], 0.3 * smooth.force[:, 1], atol=1e-9)
    assert np.allclose(smooth.moment[:, 0], -0.1 * smooth.force[:, 1], atol=1e-9)
    with pytest.raises(
        InputError, match=r"force 'plate': a low pass of 500 Hz must be below half its rate of 1000 Hz"
    ):
        low_passed(ExternalForce("plate", t, force, point, np.zeros((600, 3))), 500.0)


def test_where_forces_are_known_does_not_change() -> None:
    """A filtered force is nowhere zero; a step beside the plate is still a step beside the plate."""
    t = reference_walk().markers.time
    for on_plate in (True, False):
        plain, smooth = (ground_loads(stepping(on_plate), t, lowpass=hz) for hz in (None, 6.0))
        for side in ("right", "left"):
            assert np.array_equal(plain.known[side], smooth.known[side])  # type: ignore[index]
        assert plain.notes == smooth.notes


def test_the_filter_of_forces_is_told() -> None:
    """Same filter for both: a noise of the plate at 40 Hz is gone from the moments; without, it is there, and told."""
    recording = reference_walk()
    (force,) = recording.forces
    ripple = 50.0 * np.sin(2.0 * np.pi * 40.0 * force.time)[:, None] * [1.0, 0.0, 0.0]
    noisy = recording.replace(forces=(replace(force, force=force.force + ripple),))
    clean, rough, smooth = (
        analyze(trial, lowpass_forces=hz) for trial, hz in ((recording, 6.0), (noisy, None), (noisy, 6.0))
    )
    hips = [study.joint("right hip").projection[10:-10, 0] for study in (clean, rough, smooth)]
    assert np.abs(hips[1] - hips[0]).max() > 20.0 and np.abs(hips[2] - hips[0]).max() < 1.0
    assert "forces: low pass of 6 Hz, fourth order, no phase shift" in map(str, smooth.notes)
    told = "forces: as measured, without the low pass of 6 Hz of the markers (--lowpass-forces)"
    assert told in map(str, rough.notes) and "forces.not-filtered" in codes(rough.notes)
    assert "forces.not-filtered" not in codes(analyze(recording, lowpass=None).notes)
    with pytest.raises(InputError, match="lowpass_forces must be a number above zero"):
        analyze(recording, lowpass_forces=-1.0)
