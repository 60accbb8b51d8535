"""Models of the recordings, with the motions that were recorded of them."""

import softstride as ss

MOTIONS = (
    ("walk_gait2354/subject01_simbody.osim", "walk_gait2354/reference/subject01_walk1_ik.mot"),
    ("walk_gait2354/gait2354_simbody.osim", None),
    ("walk_gait2354/planar10dof/subject01.osim", "walk_gait2354/planar10dof/subject01_walk_IK.mot"),
    ("walk_rajagopal_emg/subject_walk_scaled.osim", "walk_rajagopal_emg/reference/coordinates.sto"),
    ("walk_opencap_s4/manually_scaled.osim", "walk_opencap_s4/reference/walking1_manual_scaling_ik.mot"),
    ("knee_gc5_ps/GC5.osim", "knee_gc5_ps/reference/PS_ngait_og_ss1_kinematics.mot"),
    ("knee_gc5_ps/GC5.osim", "knee_gc5_ps/reference/PS_ngait_og_ss11_kinematics.mot"),
    ("run_overground_bmc/Rajagopal2015_scaled.osim", "run_overground_bmc/reference/ik_output_run.mot"),
    ("run_hamner_s01/final.osim", "run_hamner_s01/reference/run200_ik.mot"),
    ("run_hamner_s01/final.osim", "run_hamner_s01/reference/run500_ik.mot"),
    ("muscle_arm26/arm26.osim", "muscle_arm26/arm26_InverseKinematics.mot"),
    ("planar_gait/moco_2d_walk/2D_gait.osim", "planar_gait/moco_2d_walk/referenceCoordinates.sto"),
    ("amputee_models/TTAmp_Right_passive.osim", None),
    ("amputee_models/TTAmp_Left_passive_2D.osim", None),
)
"""Files of model and motion; None where none was recorded."""

NAMES = [str(motion or file) for file, motion in MOTIONS]


def read(shared_data, model, motion):
    """Return a motion."""
    degrees = {"degrees": True} if "arm26" in motion else {}
    return ss.read_motion(shared_data / motion, model, **degrees)
