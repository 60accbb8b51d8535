"""OpenSim's StaticOptimization as an oracle: from files to file, through its AnalyzeTool.

What the analysis (version 4.6) does, in so far as results depend on it:

1. *Motion.* As its InverseDynamicsTool (see `opensim_id`): low pass of the coordinates, splines of degree five through
   all frames, whose derivatives are speeds and accelerations.
2. *Demand.* The controls of all actuators are found such that every coordinate without constraint accelerates as the
   motion does, those of the base included: residual and reserve actuators have to be added to the model.
3. *Strength.* Of a muscle: its active fibre force at activation one on a tendon that does not stretch, at the length
   and speed of the frame; nothing passive. Of an actuator: its optimal force.
4. *Criterion.* The sum of all controls to a power (2 unless told otherwise), between the least and greatest control.
5. *Solver.* IPOPT, from zero in the first frame, with gradients of its own, and a tolerance of 1e-4 unless told
   otherwise: results are not exact, and some frames fail.
"""

import contextlib
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from tests import peers

from . import opensim_id as peer
from .installed import osim
from .opensim_ik import quiet

EVERY = {"walk_rajagopal_emg": 27, "walk_gait2354": 2, "knee_gc5_ps_ss1": 3}
"""Stored are solutions of every so manyth frame: OpenSim needs a tenth to half a second for one."""

_LEG = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle")
_ARM = ("arm_flex", "arm_add", "arm_rot", "elbow_flex", "pro_sup")
_BOTH = "rl"
RESERVED = {
    "walk_gait2354": {f"{name}_{side}" for name in (*_LEG, "subtalar_angle") for side in _BOTH}
    | {"lumbar_extension", "lumbar_bending", "lumbar_rotation"},
    "walk_rajagopal_emg": {f"{name}_{side}" for name in (*_LEG, *_ARM, "mtp_angle") for side in _BOTH}
    | {"lumbar_extension", "lumbar_bending", "lumbar_rotation"},
    "knee_gc5_ps_ss1": set(),
}
"""Coordinates with a reserve of optimal force 1 in the stored solutions."""
OTHERS = {
    "walk_gait2354": {"mtp_angle_r", "mtp_angle_l"},
    "walk_rajagopal_emg": set(),
    "knee_gc5_ps_ss1": set(),
}
"""Coordinates with a residual although they are not of the base: no muscle and no actuator moves them."""

RESIDUAL = 100.0  # optimal force on coordinates of the base [N m], [N]
TOLERANCE = 1e-6
ITERATIONS = 2000


@dataclass(frozen=True)
class Shared:
    """OpenSim's solution: instants (n,), and forces and controls by the name of muscle or actuator, (n,) each."""

    time: np.ndarray
    force: dict[str, np.ndarray]
    control: dict[str, np.ndarray]

    def forces(self, names):
        """Return forces of these, (n, m)."""
        return np.stack([self.force[name] for name in names], axis=1)

    def controls(self, names):
        """Return controls of these, (n, m)."""
        return np.stack([self.control[name] for name in names], axis=1)


def base_coordinates(model_file):
    """Return the coordinates of the joint between ground and pelvis; none where there is no such joint."""
    return peer.facts(model_file).base


def write_actuators(target, sizes):
    """Write coordinate actuators without limits: optimal force by coordinate; they are called COORDINATE_reserve."""
    objects = "".join(
        f'<CoordinateActuator name="{name}_reserve"><min_control>-Infinity</min_control>'
        f"<max_control>Infinity</max_control><coordinate>{name}</coordinate><optimal_force>{size!r}</optimal_force>"
        "</CoordinateActuator>"
        for name, size in sizes.items()
    )
    target.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?><OpenSimDocument Version="40000"><ForceSet name="more"><objects>'
        f"{objects}</objects></ForceSet></OpenSimDocument>"
    )


@dataclass(frozen=True)
class Effort:
    """How hard IPOPT tries: tolerance and most iterations. The analysis's own defaults are 1e-4 and 100."""

    tolerance: float = TOLERANCE
    iterations: int = ITERATIONS


def write_setup(target, files, lowpass, start, stop, actuators, power, every, effort, on=True):
    """Write the setup of the AnalyzeTool."""
    target.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?><OpenSimDocument Version="40000"><AnalyzeTool name="peer">'
        f"<model_file>{files.model}</model_file><replace_force_set>false</replace_force_set>"
        f"<force_set_files>{actuators}</force_set_files><results_directory>{target.parent}</results_directory>"
        f"<output_precision>12</output_precision><initial_time>{float(start)!r}</initial_time>"
        f"<final_time>{float(stop)!r}</final_time>"
        "<solve_for_equilibrium_for_auxiliary_states>false</solve_for_equilibrium_for_auxiliary_states>"
        '<AnalysisSet name="Analyses"><objects><StaticOptimization name="StaticOptimization">'
        f"<on>{str(on).lower()}</on>"
        f"<start_time>{float(start)!r}</start_time><end_time>{float(stop)!r}</end_time>"
        f"<step_interval>{every}</step_interval><in_degrees>true</in_degrees>"
        "<use_model_force_set>true</use_model_force_set>"
        f"<activation_exponent>{power}</activation_exponent><use_muscle_physiology>true</use_muscle_physiology>"
        f"<optimizer_convergence_criterion>{effort.tolerance}</optimizer_convergence_criterion>"
        f"<optimizer_max_iterations>{effort.iterations}</optimizer_max_iterations></StaticOptimization></objects></AnalysisSet>"
        f"<external_loads_file>{files.loads or ''}</external_loads_file>"
        f"<coordinates_file>{files.motion}</coordinates_file>"
        f"<lowpass_cutoff_frequency_for_coordinates>{-1.0 if lowpass is None else lowpass}"
        "</lowpass_cutoff_frequency_for_coordinates></AnalyzeTool></OpenSimDocument>"
    )


def run(setup):
    """Run the tool from files to files."""
    with quiet(), contextlib.chdir(setup.parent):
        done = osim.AnalyzeTool(str(setup)).run()
    if not done:
        raise RuntimeError("AnalyzeTool failed")


def questions(folder):
    """Return what is asked of the trials with muscles that are shared by both."""
    return [question(trial, folder) for trial in peer.TRIALS if trial.name in EVERY]


def question(trial, folder):
    """Return what is asked of a trial."""
    reserves = dict.fromkeys(sorted(RESERVED[trial.name]), 1.0)
    reserves |= dict.fromkeys(sorted(OTHERS[trial.name]), RESIDUAL)
    every = EVERY[trial.name]

    def ask(told):
        found = solve(trial, folder, reserves, every=every)
        return {
            "time": found.time,
            "forces": peers.words(found.force),
            "force": np.stack(list(found.force.values()), axis=1),
            "controls": peers.words(found.control),
            "control": np.stack(list(found.control.values()), axis=1),
        }

    return peers.Question(
        "opensim",
        f"so_{trial.name}",
        ask,
        {each: folder / each for each in peer.files_of(trial, folder)},
        [asdict(trial), reserves, RESIDUAL, every, asdict(Effort())],
        within=1e-4,  # where IPOPT stops depends on rounding
        places={"force": 6, "control": 9},
    )


def answered(trial, folder):
    """Return OpenSim's forces of a trial, as `peers` has them."""
    found = peers.answer(question(trial, folder))
    return Shared(
        found["time"],
        dict(zip(found["forces"].tolist(), found["force"].T, strict=True)),
        dict(zip(found["controls"].tolist(), found["control"].T, strict=True)),
    )


def solve(trial, folder, reserves, *, power=2, every=1, time_range=None):
    """Return OpenSim's forces of a trial.

    Args:
        trial: One of `opensim_id.TRIALS`.
        folder: Of the recordings.
        reserves: Optimal force of reserve actuators to be added, by coordinate; residual actuators are added anyway.
        power: Of the criterion.
        every: Solve every so manyth frame.
        time_range: First and last instant [s]; None: that of the trial.
    """
    with tempfile.TemporaryDirectory() as out:
        _, setup = prepare(trial, folder, Path(out), reserves, power, every, time_range)
        run(setup)
        return read(Path(out))


def prepare(trial, folder, out, reserves, power=2, every=1, time_range=None, effort=None, on=True):
    """Write what the tool reads; return the files that both sides read, and the setup."""
    files = peer.prepare(trial, folder, out)
    own = {each.getCoordinate().getName() for each in _coordinate_actuators(files.model)}
    sizes = {name: RESIDUAL for name in base_coordinates(files.model) if name not in own}
    write_actuators(out / "actuators.xml", sizes | dict(reserves))
    time = peer.read_table(files.motion).time
    start, stop = time_range or trial.time_range or (float(time[0]), float(time[-1]))
    setup = out / "setup_so.xml"
    actuators = out / "actuators.xml"
    write_setup(setup, files, trial.lowpass, start, stop, actuators, power, every, effort or Effort(), on)
    return files, setup


def _coordinate_actuators(model_file):
    model = osim.Model(str(model_file))
    model.initSystem()
    forces = model.getForceSet()
    found = []
    for i in range(forces.getSize()):
        each = osim.CoordinateActuator.safeDownCast(forces.get(i))
        if each is not None:
            each.thisown = False
            found.append(each)
    _KEPT.append(model)  # its parts die with it
    return found


_KEPT = []


def read(out):
    """Return what the tool wrote."""
    force = peer.read_table(out / "peer_StaticOptimization_force.sto")
    control = peer.read_table(out / "peer_StaticOptimization_activation.sto")
    first = np.flatnonzero(np.r_[True, np.diff(force.time) > 0.0])  # the last frame is written twice
    return Shared(
        force.time[first],
        dict(zip(force.labels, force.values[first].T, strict=True)),
        dict(zip(control.labels, control.values[first].T, strict=True)),
    )
