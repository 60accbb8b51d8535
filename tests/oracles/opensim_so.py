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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import opensim as osim

from . import opensim_id as peer
from .opensim_ik import quiet

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
    model = osim.Model(str(model_file))
    joints = model.getJointSet()
    found = []
    for i in range(joints.getSize()):
        joint = joints.get(i)
        if joint.getParentFrame().findBaseFrame().getName() == "ground" and joint.numCoordinates() >= 3:
            found += [joint.get_coordinates(k).getName() for k in range(joint.numCoordinates())]
    return found


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
