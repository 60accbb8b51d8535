"""The OpenSim models among the shared recordings."""

SHARED_MODELS = (
    "amputee_models/TTAmp_Left_passive_2D.osim",
    "amputee_models/TTAmp_Right_passive.osim",
    "knee_gc5_ps/GC5.osim",
    "muscle_arm26/arm26.osim",
    "planar_gait/moco_2d_walk/2D_gait.osim",
    "run_hamner_s01/final.osim",
    "run_overground_bmc/Rajagopal2015_scaled.osim",
    "walk_gait2354/gait2354_simbody.osim",
    "walk_gait2354/planar10dof/subject01.osim",
    "walk_gait2354/subject01_simbody.osim",
    "walk_opencap_s4/manually_scaled.osim",
    "walk_rajagopal_emg/subject_walk_scaled.osim",
)
"""Paths below the folder of recordings."""
