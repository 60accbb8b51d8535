"""Covariances of poses beside inverse kinematics itself: one marker is moved after the other."""

import numpy as np
import pytest
from tests.dynamics.uncertain_motions import labels, person, recording, seen, striding

import softstride as ss
from softstride.dynamics import solve_id
from softstride.dynamics.uncertainty.pose import pose_factor, sights
from softstride.dynamics.uncertainty.propagate import load_bands
from softstride.errors import InputError

STEP = 1e-5  # m


def covariance(motion, deviation):
    model = motion.model
    F = pose_factor(model, motion.q, sights(model, motion), slice(0, len(motion)), deviation, deviation[0])
    return F @ np.swapaxes(F, 1, 2)


@pytest.mark.parametrize("case", ["plain", "weights", "goals"])
def test_a_pose_moves_with_its_markers_as_inverse_kinematics_moves_it(case):
    """Each frame has one coordinate of one marker displaced; frames are solved one by one."""
    model = person()
    _, q, _ = striding()
    place = seen(None, q[20:21])[0]
    m = len(place)
    displaced = place + STEP * np.eye(3 * m).reshape(3 * m, m, 3)
    time = np.arange(3 * m + 1) / 100.0
    rng = np.random.default_rng(1)
    options = {
        "plain": {},
        "weights": {"weights": dict(zip(labels(), rng.uniform(0.2, 5.0, m).tolist(), strict=True))},
        "goals": {"goals": {"subtalar_angle_r": ss.Goal(0.01)}, "locked": ("mtp_angle_r", "mtp_angle_l")},
    }[case]
    trial = recording(time, np.concatenate([place[None], displaced]))
    motion = ss.solve_ik(model, trial, tolerance=1e-14, limits=False, **options)
    D = (motion.q[1:] - motion.q[0]) / STEP  # (3m, nv)
    deviation = rng.uniform(0.001, 0.003, m)
    expected = (D * np.repeat(deviation, 3)[:, None] ** 2).T @ D
    found = covariance(motion, deviation)[0]
    scale = np.sqrt(np.maximum(np.diag(expected), 1e-12))
    assert np.abs((found - expected) / np.outer(scale, scale)).max() < 5e-3
    assert case != "goals" or found[model.coordinate_names.index("mtp_angle_r")].max() == 0.0


def test_deviations_are_those_of_the_motion():
    model = person()
    time, q, _ = striding()
    motion = ss.solve_ik(model, recording(time, seen(time, q)), noise=0.002)
    found = np.sqrt(np.einsum("nii->ni", covariance(motion, np.full(len(labels()), 0.002))))
    assert found == pytest.approx(motion.std, rel=1e-4)


def test_missing_markers_widen_and_nothing_seen_says_nothing():
    model = person()
    time, q, _ = striding()
    places = seen(time, q)
    places[10:12, labels().index("RKNE")] = np.nan
    places[30:32] = np.nan
    motion = ss.solve_ik(model, recording(time, places))
    found = np.sqrt(np.einsum("nii->ni", covariance(motion, np.full(len(labels()), 0.001))))
    knee = model.coordinate_names.index("knee_angle_r")
    assert found[10, knee] > 1.05 * found[9, knee]
    assert not found[30:32].any() and np.isfinite(found).all()


def test_noise_of_the_motion_itself():
    """Residuals of 2 mm of noise say 2 mm."""
    model = person()
    time, q, plate = striding()
    rng = np.random.default_rng(4)
    trial = recording(time, seen(time, q) + 0.002 * rng.standard_normal((50, len(labels()), 3)), (plate,))
    motion = ss.solve_ik(model, trial)
    loads = solve_id(model, motion, trial, lowpass=6.0)
    by_residuals = load_bands(model, motion, loads, noise="motion", lowpass=6.0)
    given = load_bands(model, motion, loads, noise=0.002, lowpass=6.0)
    assert by_residuals.sources["markers"].tau == pytest.approx(given.sources["markers"].tau, rel=0.05)
    assert "residuals" in str(by_residuals.notes[0])


def test_a_motion_remembers_the_cutoff_it_was_solved_with():
    model = person()
    time, q, _ = striding()
    motion = ss.solve_ik(model, recording(time, seen(time, q)), cutoff=6.0)
    assert motion.fit.cutoff == 6.0
    loads = solve_id(model, motion)
    known = load_bands(model, motion, loads)
    said = load_bands(model, motion, loads, cutoff=6.0)
    np.testing.assert_array_equal(known.tau_std, said.tau_std)
    assert "through a smoothing spline of 6 Hz" in str(known.notes[0])
    with pytest.raises(InputError, match="cutoff of 6 Hz, however cutoff is 12 Hz"):
        load_bands(model, motion, loads, cutoff=12.0)
    alone = ss.solve_ik(model, recording(time, seen(time, q)))
    with pytest.raises(InputError, match="frame by frame, however cutoff is 12 Hz"):
        load_bands(model, alone, solve_id(model, alone), cutoff=12.0)


def test_frames_too_few_to_be_coupled_are_remembered_as_such():
    model = person()
    time, q, _ = striding()
    motion = ss.solve_ik(model, recording(time[:3], seen(time, q)[:3]), cutoff=6.0)
    assert motion.fit.cutoff is None and any("too few" in str(note) for note in motion.notes)


def test_what_markers_do_not_determine_is_named():
    model = person()
    time, q, _ = striding()
    leg = ("RASI", "LASI", "SACR", "RTHI", "RKNE", "RMKN", "RTIB", "RANK", "RMMA", "RHEE", "RTOE")
    motion = ss.solve_ik(model, recording(time, seen(time, q)), weights=dict.fromkeys(leg, 1.0))
    bands = load_bands(model, motion, solve_id(model, motion))
    assert any("do not determine mtp_angle_r" in str(note) for note in bands.notes)
    assert np.isfinite(bands.tau_std).all()
