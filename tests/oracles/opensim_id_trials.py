"""Trials for inverse dynamics: model, motion, external loads and a stored result, below the folder of recordings."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Trial:
    """A motion with its model and loads.

    Attributes:
        name: Short name.
        model: Model file, below the folder of recordings.
        motion: Motion file.
        loads: External loads: a document, or a force file with the document left to us.
        plates: Without a document: (body, force, point and moment identifiers) by name.
        lowpass: Cutoff of the coordinates [Hz]; None: as they are.
        time_range: First and last instant [s]; None: all frames of the motion.
        reference: Stored result of inverse dynamics.
    """

    name: str
    model: str
    motion: str
    loads: str
    plates: Mapping[str, tuple[str, str, str, str]] | None = None
    lowpass: float | None = 6.0
    time_range: tuple[float, float] | None = None
    reference: str | None = None


def _gc5(name):
    plates = {
        f"plate_{i}": (f"calcn_{side}", f"{i}_ground_force_v", f"{i}_ground_force_p", f"{i}_ground_torque_")
        for i, side in enumerate("lrr", start=1)
    }
    return Trial(
        f"knee_gc5_ps_{name}",
        "knee_gc5_ps/GC5.osim",
        f"knee_gc5_ps/reference/PS_ngait_og_{name}_kinematics.mot",
        f"knee_gc5_ps/PS_ngait_og_{name}_kinetics.mot",
        plates,
        reference=f"knee_gc5_ps/reference/PS_ngait_og_{name}_ID_opensim46.sto",
    )


def _hamner(speed):
    return Trial(
        f"run_hamner_s01_{speed}",
        "run_hamner_s01/final.osim",
        f"run_hamner_s01/reference/run{speed}00_ik.mot",
        f"run_hamner_s01/run{speed}00_external_forces.xml",
        lowpass=None,
        reference=f"run_hamner_s01/reference/run{speed}00_id.sto",
    )


TRIALS = (
    Trial(
        "walk_gait2354",
        "walk_gait2354/subject01_simbody.osim",
        "walk_gait2354/reference/subject01_walk1_ik.mot",
        "walk_gait2354/subject01_walk1_grf.xml",
        reference="walk_gait2354/reference/inverse_dynamics.sto",
    ),
    Trial(
        "walk_planar10dof",
        "walk_gait2354/planar10dof/subject01.osim",
        "walk_gait2354/planar10dof/subject01_walk_IK.mot",
        "walk_gait2354/subject01_walk1_grf.xml",
        reference="walk_gait2354/planar10dof/subject01_walk_ID.sto",
    ),
    Trial(
        "walk_rajagopal_emg",
        "walk_rajagopal_emg/subject_walk_scaled.osim",
        "walk_rajagopal_emg/reference/coordinates.sto",
        "walk_rajagopal_emg/grf_walk.xml",
        reference="walk_rajagopal_emg/reference/id_walk.sto",
    ),
    _hamner(2),
    _hamner(5),
    _gc5("ss1"),
    _gc5("ss11"),
    Trial(
        "run_overground_bmc",
        "run_overground_bmc/Rajagopal2015_scaled.osim",
        "run_overground_bmc/reference/ik_output_run.mot",
        "run_overground_bmc/grf_run.mot",
        {
            side: (
                f"calcn_{side.lower()}",
                *(f"{side}_ground_{end}" for end in ("force_v", "force_p", "torque_")),
            )
            for side in "RL"
        },
        time_range=(0.0, 0.72),
        reference="run_overground_bmc/reference/inverse_dynamics.sto",
    ),
    Trial(
        "walk_opencap_s4",
        "walk_opencap_s4/manually_scaled.osim",
        "walk_opencap_s4/reference/walking1_manual_scaling_ik.mot",
        "walk_opencap_s4/walking1_grf.mot",
        {
            f"plate_{i}": (
                f"calcn_{side}",
                f"ground_force_{i}_v",
                f"ground_force_{i}_p",
                f"ground_force_{i}_m",
            )
            for i, side in enumerate("rl", start=1)
        },
    ),
)
"""The trials of the shared recordings that have a scaled model, a motion and forces."""
