"""Orientations of links from inertial sensors, beside markers and without any."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.kinematics.ik import synthetic as syn
from tests.models import the_model

import softstride as ss
from softstride import engine
from softstride.errors import SoftstrideError
from softstride.model import Frame

WORN = (
    "pelvis",
    "torso",
    "femur_r",
    "tibia_r",
    "calcn_r",
    "femur_l",
    "tibia_l",
    "calcn_l",
    "humerus_r",
    "radius_r",
)
PELVIS = ("RASI", "LASI", "RPSI", "LPSI", "SACR")
LEGS = ("hip_flexion_", "hip_adduction_", "hip_rotation_", "knee_angle_", "ankle_angle_", "subtalar_angle_")


@pytest.fixture(scope="module")
def clean():
    return syn.trial(the_model("gait"), 40, seed=51)


@pytest.fixture(scope="module")
def worn(clean):
    return {name: engine.poses(clean.model, clean.q, name)[:, :3, :3] for name in WORN}


def leg_error(clean, motion):
    names = list(clean.model.coordinate_names)
    columns = [names.index(stem + side) for stem in LEGS for side in "rl"]
    return np.abs(motion.q - clean.q)[:, columns].max()


def test_few_markers_and_orientations_give_the_pose(clean, worn):
    few = clean.only(PELVIS)
    motion = ss.solve_ik(clean.model, few.recording, orientations=worn)
    assert motion.converged
    assert leg_error(clean, motion) < 1e-6
    assert set(motion.fit.orientations) == set(WORN)
    # without them nobody knows
    blind = ss.solve_ik(clean.model, few.recording)
    assert leg_error(clean, blind) > 0.1
    assert "knee_angle_r" in blind.undetermined
    assert "knee_angle_r" not in motion.undetermined
    assert "wrist_flex_r" in motion.undetermined


def test_quaternions_are_matrices(clean, worn):
    few = clean.only(PELVIS)
    quaternions = {name: Rotation.from_matrix(R).as_quat() for name, R in worn.items()}
    a = ss.solve_ik(clean.model, few.recording, orientations=worn)
    b = ss.solve_ik(clean.model, few.recording, orientations=quaternions)
    np.testing.assert_allclose(a.q, b.q, atol=1e-8)


def test_a_frame_that_is_no_link(clean, worn):
    """A sensor stuck on askew: a named frame of the model, also the section of a rod."""
    askew = Rotation.from_rotvec([0.3, -1.2, 0.5]).as_matrix()
    model = clean.model.replace(frames={"imu": Frame("femur_r", (0.05, -0.2, 0.03), askew)})
    turned = engine.poses(model, clean.q, "imu")[:, :3, :3]
    motion = ss.solve_ik(model, clean.only(PELVIS).recording, orientations={"imu": turned})
    names = list(model.coordinate_names)
    hip = [names.index(f"hip_{x}_r") for x in ("flexion", "adduction", "rotation")]
    assert np.abs(motion.q - clean.q)[:, hip].max() < 1e-6


def test_what_was_not_measured_is_left_out(clean, worn):
    """A sensor that fails for ten frames: the rest goes on, and the knee is known outside of those frames."""
    some = {name: R.copy() for name, R in worn.items()}
    some["tibia_r"][10:20] = np.nan
    motion = ss.solve_ik(clean.model, clean.only(PELVIS).recording, orientations=some)
    outside = np.r_[0:10, 20:40]
    at = list(clean.model.coordinate_names).index("knee_angle_r")
    assert np.abs(motion.q - clean.q)[outside, at].max() < 1e-6
    assert np.isfinite(motion.q).all()


def test_all_markers_and_wrong_orientations_are_weighed(clean, worn):
    """A weight of nothing is no orientation at all; a large one wins over markers."""
    off = Rotation.from_rotvec([0.0, 0.0, 0.3]).as_matrix()
    wrong = {"tibia_r": worn["tibia_r"] @ off}
    at = list(clean.model.coordinate_names).index("knee_angle_r")
    error = [
        np.abs(
            ss.solve_ik(clean.model, clean.recording, orientations=wrong, orientation_weight=w).q - clean.q
        )[:, at].mean()
        for w in (0.0, 0.01, 1.0, 1e4)
    ]
    assert error[0] < 1e-8
    assert error[0] < error[1] < error[2] < error[3]


def test_orientations_alone(clean, worn):
    """No marker: the joints are found, where the pelvis is is not, and that is said."""
    nothing = ss.Recording("sensors", markers=ss.Points(clean.time, (), np.zeros((40, 0, 3))))
    motion = ss.solve_ik(clean.model, nothing, orientations=worn)
    assert motion.converged
    assert leg_error(clean, motion) < 1e-6
    assert {"pelvis_tx", "pelvis_ty", "pelvis_tz"} <= set(motion.undetermined)


@pytest.mark.parametrize(
    ("orientations", "word"),
    [
        ({"tail": np.tile(np.eye(3), (40, 1, 1))}, "tail"),
        ({"pelvis": np.tile(np.eye(3), (39, 1, 1))}, "40"),
        ({"pelvis": np.zeros((40, 4))}, "pelvis"),
        ({"pelvis": np.tile(np.diag([1.0, 1.0, -1.0]), (40, 1, 1))}, "pelvis"),
    ],
    ids=["unknown", "frames", "zero", "mirror"],
)
def test_orientations_that_make_no_sense(clean, orientations, word):
    with pytest.raises(SoftstrideError, match=word):
        ss.solve_ik(clean.model, clean.recording, orientations=orientations)
