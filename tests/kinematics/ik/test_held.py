"""What holds coordinates, and what was never seen: the frames end, and say what they know."""

import subprocess
import sys

import numpy as np
import pytest
from tests.kinematics.ik import synthetic as syn
from tests.models import the_model

import softstride as ss
from softstride.errors import InputError
from softstride.notes import codes

NOISE = 1e-3  # [m]


@pytest.fixture(scope="module")
def walk():
    return syn.noisy(syn.trial(the_model("gait"), 60, seed=71), NOISE, seed=1)


def solved(trial, **options):
    return ss.solve_ik(trial.model, trial.recording, **options)


def test_nothing_moves_where_all_is_locked(walk):
    motion = solved(walk, locked=tuple(walk.model.coordinate_names))
    assert motion.converged
    np.testing.assert_array_equal(motion.q, np.broadcast_to(walk.model.neutral(), motion.q.shape))
    assert (motion.std == 0.0).all()


@pytest.mark.parametrize("weight", [0.1, 10.0, 1000.0])
def test_a_goal_beyond_a_limit_ends_at_the_limit(walk, weight):
    knee = walk.model.coordinates["knee_angle_r"]
    motion = solved(walk, goals={"knee_angle_r": ss.Goal(weight, knee.lower - 1.0)})
    assert motion.converged
    found = motion.coordinate("knee_angle_r")
    assert (found >= knee.lower).all()
    if weight == 1000.0:
        np.testing.assert_array_equal(found, knee.lower)


def test_a_goal_on_a_locked_coordinate_does_nothing(walk):
    plain = solved(walk, locked=("knee_angle_r",))
    pulled = solved(walk, locked=("knee_angle_r",), goals={"knee_angle_r": ss.Goal(100.0, 1.0)})
    assert pulled.converged
    np.testing.assert_array_equal(pulled.q, plain.q)
    assert any("do nothing: knee_angle_r" in str(note) for note in pulled.notes)


def test_legs_that_may_not_move_end_all_the_same(walk):
    """Seven centimetres of misfit: Gauss-Newton is slow there, and the frames still come to an end."""
    legs = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle", "subtalar_angle")
    motion = solved(walk, locked=tuple(f"{name}_{side}" for name in legs for side in "rl"))
    assert motion.marker_rms > 0.03
    assert motion.fit.converged.mean() > 0.95


def test_one_angle_of_a_ball_joint_locks_the_joint():
    trial = syn.trial(the_model("athlete"), 5, seed=72)
    motion = solved(trial, locked=("left_thigh.x",))
    own = list(trial.model.q_indices("left_thigh"))
    np.testing.assert_allclose(
        motion.q[:, own], np.broadcast_to(trial.model.neutral()[own], (5, 4)), atol=1e-12
    )
    assert {"left_thigh.x", "left_thigh.y", "left_thigh.z"} <= set(motion.fit.locked)


def test_a_label_without_a_single_sight_counts_as_absent(walk):
    arm = [n for n, p in walk.model.markers.items() if p.link in ("ulna_r", "radius_r", "hand_r")]
    values = walk.values
    values[:, [walk.names.index(n) for n in arm]] = np.nan
    motion = solved(walk.with_values(values))
    assert not set(arm) & set(motion.fit.names)
    assert "elbow_flex_r" in motion.undetermined
    (note,) = (note for note in motion.notes if note.code == "ik.markers-never-seen")
    assert set(note.names) == set(arm) and "never seen" in str(note) and arm[0] in str(note)


def test_two_markers_that_are_seen_are_too_few(walk):
    values = walk.values
    values[:, 2:] = np.nan
    with pytest.raises(InputError, match="2 in common that are seen"):
        solved(walk.with_values(values))


def test_one_bad_frame_does_not_refuse_a_trial(walk):
    values = walk.values
    values[0] = 0.0
    motion = solved(walk.with_values(values))
    (note,) = (note for note in motion.notes if note.code == "ik.markers-out-of-proportion")
    assert note.frames == (0,) and "out of proportion" in str(note) and " 0" in str(note)
    assert np.nanmax(motion.fit.error[1:]) < 0.02


def test_a_trial_that_does_not_fit_is_told(walk):
    motion = solved(walk.with_values(walk.values * (1.0, 1.0, -1.0)))  # a mirror image
    assert any("mirrored" in str(note) for note in motion.notes)


def test_exact_markers_leave_no_doubt_where_there_is_none():
    trial = syn.trial(syn.fully_marked(the_model("athlete")), 4, seed=73)
    std = solved(trial, elastic=0.0).std
    assert np.isfinite(std).all()
    assert std.max() < 1e-4


def test_orientations_that_say_nothing_are_refused(walk):
    n = len(walk.recording.markers.time)
    for what in ({"pelvis": np.full((n, 4), np.nan)}, {"pelvis": np.zeros((n, 4))}):
        with pytest.raises(InputError):
            solved(walk, weights={}, orientations=what)
    turned = {"pelvis": np.tile(np.eye(3), (n, 1, 1))}
    with pytest.raises(InputError, match="seen"):
        solved(walk, weights={}, orientations=turned, orientation_weight=0.0)


def test_a_cutoff_that_the_frames_cannot_show(walk):
    with pytest.raises(InputError, match="100 Hz, however it is 120 Hz"):
        solved(walk, cutoff=120.0)
    assert "ik.frames-too-few" in codes(solved(walk, cutoff=6.0, time_range=(0.0, 0.005)).notes)


@pytest.mark.slow
def test_a_fresh_process_with_two_threads_compiles_nothing():
    """The first call in a process takes kernels from the cache, whichever thread comes first; they have one form."""
    code = (
        "import numpy as np, softstride as ss\n"
        "from tests.kinematics.ik import synthetic as syn\n"
        "from softstride.engine.kernels.pose_fit import fit_poses\n"
        "from softstride.engine.kernels.pose_variance import pose_variances\n"
        "trial = syn.trial(ss.load_model('gait'), 40, seed=71)\n"
        "motion = ss.solve_ik(trial.model, trial.recording, threads=2); motion.std\n"
        "print([len(k.dispatcher.overloads) for k in (fit_poses, pose_variances)],\n"
        "      [sum(k.dispatcher.stats.cache_misses.values()) for k in (fit_poses, pose_variances)])\n"
    )
    for _ in range(2):  # the first may fill the cache
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "[1, 1] [0, 0]"


def test_what_is_not_seen_does_not_go_on_moving():
    """A forearm whose markers vanish while it turns stays where it was; the frame before would have it spin on."""
    model = the_model("gait")
    trial = syn.trial(model, 640, seed=74)
    arm = [i for i, n in enumerate(trial.names) if model.markers[n].link in ("ulna_r", "radius_r", "hand_r")]
    values = trial.values
    values[12:60, arm] = np.nan
    found = solved(trial.with_values(values)).coordinate("pro_sup_r")
    assert abs(found[11] - found[10]) > 1e-3  # it turns
    assert np.ptp(found[12:60]) < 1e-3
