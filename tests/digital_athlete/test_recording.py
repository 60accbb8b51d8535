"""The recording of the digital athlete: what cameras and plates saw of the truth."""

from importlib.resources import files

import numpy as np
import pytest
from tests.trials import the_athlete

import softstride as ss
from softstride.digital_athlete import load_athlete
from softstride.digital_athlete.consistency import ENOUGH, LAST, Problem
from softstride.digital_athlete.generate import LEAD, generate
from softstride.digital_athlete.reference import GAITS, build_reference

NOTICED = 20.0  # a plate with less counts as unloaded when a recording is read [N]


def ground(recording, time):
    """The sum of all plates about the origin at the frames, shape (n, 6)."""
    return sum(force.wrench()[:: round(force.rate / 200.0)][: len(time)] for force in recording.forces)


def test_packaged_file_is_the_recording(running):
    path = files("softstride.digital_athlete").joinpath("data", "running.c3d")
    file = ss.read(path)
    np.testing.assert_allclose(file.markers.values, running.recording.markers.values, atol=2e-6)
    assert file.markers.rate == pytest.approx(200.0)
    assert file.forces[0].rate == pytest.approx(1000.0)
    assert len(file.plates) == len(running.recording.plates) >= 5
    for a, b in zip(file.plates, running.recording.plates, strict=True):
        np.testing.assert_allclose(a.wrench, b.wrench, atol=0.01)


def test_plates_sum_to_the_truth(clean):
    truth = clean.truth
    expected = truth.wrenches["ground_left"].about() + truth.wrenches["ground_right"].about()
    seen = sum(
        np.concatenate([p.wrench[::5, :3] + np.cross(p.centre, p.wrench[::5, 3:]), p.wrench[::5, 3:]], axis=1)
        for p in clean.recording.plates
    )
    np.testing.assert_allclose(seen[:, 3:], expected[:, 3:], atol=0.01)
    np.testing.assert_allclose(seen[:, :3], expected[:, :3], atol=0.05)


def test_markers_are_those_of_the_truth(clean):
    truth = clean.truth
    labels = clean.recording.markers.labels
    there = ss.positions(truth.model, truth.q, labels)
    np.testing.assert_allclose(clean.recording.markers.values, there, atol=1e-6)


def test_noise_and_artefact_are_switched_apart(clean, running):
    noisy = the_athlete("running", artefact=False)
    skin = the_athlete("running", noise=False)
    base = clean.recording.markers.values
    noise = noisy.recording.markers.values - base
    assert noise.std() == pytest.approx(1e-3, rel=0.02)
    slide = skin.recording.markers.values - base
    np.testing.assert_allclose(running.recording.markers.values - base, noise + slide, atol=3e-6)
    size = {
        label: np.sqrt((slide[:, i] ** 2).sum(axis=1).mean())
        for i, label in enumerate(clean.recording.markers.labels)
    }
    assert 2e-3 < size["RTHI"] < 2e-2 and 2e-3 < size["LTHI"] < 2e-2
    assert size["blade_r_toe"] < 1e-5
    assert max(size.values()) < 2e-2
    step = np.abs(np.diff(slide, n=2, axis=0)).max()
    assert step < 3e-3  # it is smooth: white noise of its size would jump by more than a centimetre


def test_every_strike_has_its_plate(clean):
    truth = clean.truth
    strikes = [event for event in clean.recording.events if event.label == "strike"]
    assert len(strikes) >= 5
    assert {event.side for event in strikes} == {"left", "right"}
    for force in clean.recording.forces:
        loaded = force.force[:, 1] > 50.0
        assert loaded.sum() > 20
        plate = next(p for p in clean.recording.plates if p.name == force.plate)
        low, high = plate.corners.min(axis=0), plate.corners.max(axis=0)
        inside = (force.point[loaded][:, [0, 2]] > low[[0, 2]]) & (
            force.point[loaded][:, [0, 2]] < high[[0, 2]]
        )
        assert inside.all()
    assert truth.time[0] == 0.0


def test_inverse_dynamics_with_the_plates_gives_the_truth(clean):
    """`solve_id` on the true motion and the plates: torques as in the truth, nothing left at the pelvis.

    To 1e-7 wherever plates are read as they are. The few frames in which a foot bears less than a plate notices are
    set to nothing when a recording is read, and lack as much.
    """
    truth = clean.truth
    motion = ss.Motion(truth.model, truth.time, truth.q, rates=(truth.v, truth.a))
    loads = ss.solve_id(truth.model, motion, clean.recording)
    weight = truth.model.mass * 9.80665
    assert loads.known.all()
    up = np.stack([wrench.force[:, 1] for wrench in truth.wrenches.values()], axis=1)
    noticed = ((up == 0.0) | (up > NOTICED)).all(axis=1)
    assert noticed.mean() > 0.95
    left = np.abs(loads.residual[:, 3:]).max(axis=1)
    assert left[noticed].max() < 1e-6 * weight
    assert left.max() < NOTICED
    for name in ("hip_flexion_r", "knee_angle_r", "hip_flexion_l", "knee_angle_l", "ankle_angle_l"):
        column = truth.model.coordinate_names.index(name)
        error = np.abs(loads.tau[:, column] - truth.tau[:, column])
        size = np.abs(truth.tau[:, column]).max()
        assert error[noticed].max() < 1e-6 * size
        assert np.sqrt(np.mean(error**2)) < 5e-3 * size


def test_small():
    folder = files("softstride.digital_athlete").joinpath("data")
    assert sum(len(file.read_bytes()) for file in folder.iterdir() if file.is_file()) < 2_000_000


def test_unknown_trial():
    with pytest.raises(ss.InputError, match="running"):
        load_athlete("swimming")


@pytest.mark.parametrize(("gait", "cost"), [("running", 36998.975), ("walking", 5876.3728)])
def test_packaged_truth_is_consistent_and_as_far_from_its_wishes_as_when_it_was_made(gait, cost):
    """The objective at its minimum: other wishes, weights or another floor change it, and the truth is old."""
    curve = the_athlete(gait, noise=False, artefact=False).truth.curve
    problem = Problem(build_reference(GAITS[gait], curve.time - LEAD))
    width, blur, _ = LAST[-1]
    state = problem.look(curve, width, blur)
    weight = problem.model.mass * np.linalg.norm(problem.model.gravity)
    assert np.abs(state.rows).max() < ENOUGH * weight
    assert state.cost == pytest.approx(cost, rel=1e-6)


@pytest.mark.nightly
def test_packaged_truth_is_what_the_generator_makes(clean):
    again = generate(GAITS["running"])
    np.testing.assert_allclose(again.coefficients, clean.truth.curve.coefficients, atol=1e-3)
