"""Which figures of which benchmark the validation page shows in its tables, and beside what."""

from __future__ import annotations

from dataclasses import dataclass

BENCHMARKS = {
    "engine": "the engine beside Pinocchio",
    "ik": "inverse kinematics beside OpenSim",
    "id": "inverse dynamics beside OpenSim",
    "muscles": "muscle forces beside OpenSim's static optimisation",
    "reactions": "joint reactions beside OpenSim",
    "pipeline": "from C3D to muscle forces beside the same chain of OpenSim's tools",
    "read": "reading C3D beside ezc3d",
    "grf": "ground reaction without plates: speed",
    "grf_accuracy": "ground reaction without plates beside measured forces",
    "athlete": "the digital athlete: ground reaction beside its plates",
    "athlete_muscles": "the digital athlete: muscle forces beside the truth",
    "knee_force": "knee force beside an instrumented implant",
    "contact": "rolling feet beside spheres",
    "cone_qp": "friction cones beside Clarabel and DAQP",
    "sharing": "force sharing beside DAQP and Clarabel",
    "segments": "inverse dynamics by segments, four methods",
    "chain": "planar chains beside a dense solve",
}
"""Benchmarks that the page knows, with what they are about."""


@dataclass(frozen=True)
class Row:
    """One line of a table: figures of one benchmark.

    Attributes:
        benchmark: Its name.
        keys: Names of the figures that are shown, one after the other.
        words: What they are.
        beside: What they should be compared with.
        form: How a number is written.
        unit: Written behind the numbers.
    """

    benchmark: str
    keys: tuple[str, ...]
    words: str
    beside: str = ""
    form: str = "{:.1f}"
    unit: str = ""


def _axes(start: str) -> tuple[str, ...]:
    return tuple(f"{start}{axis}" for axis in "xyz")


def _ratio(benchmark: str, key: str, words: str, beside: str = "above 1 we are ahead") -> Row:
    return Row(benchmark, (key,), words, beside, "{:,.1f}", " times")


RECORDINGS = (
    ("walk_gait2354", "walking, gait2354"),
    ("walk_rajagopal_emg", "walking, Rajagopal"),
    ("walk_opencap_s4", "walking, OpenCap subject 4"),
    ("knee_gc5_ps_ss1", "walking with an implant, first trial"),
    ("knee_gc5_ps_ss11", "walking with an implant, second trial"),
    ("run_hamner_s01_2", "running, 2 m/s"),
    ("run_hamner_s01_5", "running, 5 m/s"),
    ("run_overground_bmc", "running overground"),
)

SPEED = (
    _ratio("engine", "rnea_rigid_vs_pinocchio", "inverse dynamics, 130 rigid coordinates"),
    _ratio("engine", "rnea_blade_vs_pinocchio", "the same with a soft blade, Pinocchio without it"),
    _ratio("engine", "crba_vs_pinocchio", "mass matrix"),
    _ratio("engine", "aba_vs_pinocchio", "forward dynamics"),
    _ratio("engine", "jacobian_vs_pinocchio", "Jacobian"),
    _ratio("engine", "rnea_derivatives_vs_pinocchio", "derivatives of inverse dynamics"),
    Row(
        "engine",
        ("compile_cold_s", "compile_warm_s"),
        "compilation, cold and from the cache",
        "once",
        "{:.3g}",
        " s",
    ),
    _ratio("ik", "rajagopal_vs_opensim", "inverse kinematics, Rajagopal", "OpenSim, one thread each"),
    _ratio("ik", "gait2354_vs_opensim", "inverse kinematics, gait2354", "OpenSim, one thread each"),
    _ratio("id", "rajagopal_vs_opensim", "inverse dynamics, Rajagopal", "OpenSim, one thread each"),
    _ratio("id", "gait2354_vs_opensim", "inverse dynamics, gait2354", "OpenSim, one thread each"),
    _ratio("muscles", "rajagopal_vs_opensim", "muscle forces, Rajagopal", "OpenSim, one thread each"),
    _ratio("muscles", "gait2354_vs_opensim", "muscle forces, gait2354", "OpenSim, one thread each"),
    _ratio("reactions", "rajagopal_vs_opensim", "joint reactions, Rajagopal", "OpenSim, one thread each"),
    _ratio("reactions", "gait2354_vs_opensim", "joint reactions, gait2354", "OpenSim, one thread each"),
    _ratio(
        "pipeline",
        "pipeline_vs_opensim",
        "C3D to muscle forces, compiled",
        "the same chain of OpenSim's tools",
    ),
    _ratio("read", "c3d_read_vs_ezc3d", "a minute of C3D to a recording", "ezc3d, decoding alone"),
    _ratio("contact", "rolling_vs_spheres", "a leg on a rolling foot", "the same leg on stiff spheres"),
    Row("grf", ("athlete_fps",), "ground reaction without plates", "two threads", "{:.0f}", " frames/s"),
)

ACCURACY = (
    Row("ik", ("rajagopal_objective_mm", "rajagopal_opensim_objective_mm"), "inverse kinematics, root of the mean "
        "objective: ours / OpenSim's", "smaller is nearer to the minimum", "{:.4f}", " mm"),
    Row("id", ("rajagopal_difference",), "inverse dynamics, largest difference", "of the largest force", "{:.1e}"),
    Row("muscles", ("rajagopal_difference",), "activations, mean difference", "OpenSim's", "{:.1e}"),
    Row("engine", ("max_difference",), "engine, largest relative difference", "Pinocchio's", "{:.1e}"),
    *(
        Row("grf_accuracy", _axes(f"{key}_rrmse_"), f"ground reaction without plates: {words}, rRMSE "
            "forward / up / right", "measured forces", "{:.1f}", " %")
        for key, words in RECORDINGS
    ),
    Row("athlete", _axes("walking_rrmse_"), "the digital athlete walking, forward / up / right",
        "published for one person: 13 / 12 / 12 %", "{:.1f}", " %"),
    Row("athlete", _axes("running_rrmse_"), "running, forward / up / right",
        "published for one person: 15 / 11 / 20 %", "{:.1f}", " %"),
    Row("athlete", ("running_blade_peak",), "peak force of the blade in running", "the truth", "{:+.1f}", " %"),
    Row("athlete_muscles", ("running_worst_plain_emg", "running_worst_informed_truth"), "two hamstrings in running, "
        "worst phase: optimisation against EMG / with EMG against the truth", "published: up to 12.3 % against EMG",
        "{:.1f}", " %"),
    Row("knee_force", ("ss1_plain_rmse_bw", "ss11_plain_rmse_bw"), "knee force, two trials, root mean square error",
        "published: 0.31 / 0.35 body weights", "{:.2f}", " body weights"),
    Row("knee_force", ("ss1_plain_r", "ss11_plain_r"), "knee force, correlation", "published: 0.92 / 0.89", "{:.2f}"),
)  # fmt: skip

TABLES = (
    (
        "How right",
        "Beside measurements, other programs and truths that are known; see the guides for conditions.",
        ACCURACY,
    ),
    (
        "How fast",
        "Ratios are times of others over ours, measured in turns in one process, one thread each.",
        SPEED,
    ),
)
"""Title, words and rows of each table."""
