"""OpenSim's JointReaction analysis as an oracle, run by its AnalyzeTool from files to file.

The analysis (version 4.6) is no inverse dynamics. In each frame it

1. sets q and u of the motion (low pass and splines as in `opensim_id`);
2. lets every actuator of the model have the force of its column of the forces file, by straight lines between samples.
   All actuators must be there, in as many columns: else it takes forces from the states instead, with a warning alone;
3. finds the accelerations that these forces, external loads, springs and weights make: forward dynamics;
4. reports what each joint transmits then: mobility forces, of coordinate actuators, locks and couplers, included.

So it gives the reactions of the given motion only where the forces file balances it. `balanced_forces` fills reserves,
one on each coordinate, with what muscles leave over of inverse dynamics; with them steps 1 to 4 amount to cutting the
joints in the given motion.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests import peers

from . import opensim_id
from .installed import osim
from .opensim_ik import quiet

RESERVE = "reserve_"


@dataclass(frozen=True)
class JrFiles:
    """What a run reads."""

    model: Path  # with reserves
    motion: Path
    loads: Path
    forces: Path
    lowpass: float | None


def write_model(source, target, coordinates):
    """Write a model with one more coordinate actuator for each named coordinate; return the names of all actuators."""
    model = osim.Model(str(source))
    for name in coordinates:
        actuator = osim.CoordinateActuator(name)
        actuator.setName(RESERVE + name)
        actuator.setOptimalForce(1.0)
        model.addForce(actuator)
    model.finalizeConnections()
    model.initSystem()
    actuators = model.getActuators()
    names = [actuators.get(i).getName() for i in range(actuators.getSize())]
    model.printToXML(str(target))
    return names


def write_forces(path, names, time, columns):
    """Write a storage of forces; actuators without a column are zero."""
    values = np.stack([columns.get(name, np.zeros(len(time))) for name in names], axis=1)
    rows = np.column_stack([time, values])
    head = [
        "forces",
        "version=1",
        f"nRows={len(rows)}",
        f"nColumns={rows.shape[1]}",
        "inDegrees=no",
        "endheader",
    ]
    body = ["\t".join(["time", *names]), *("\t".join(map(repr, row)) for row in rows.tolist())]
    path.write_text("\n".join(head + body) + "\n")


def prepare(files, out, coordinates, time, columns, lowpass):
    """Write model and forces of a run beside the files of inverse dynamics.

    Args:
        files: Of `opensim_id.prepare`.
        out: Folder.
        coordinates: Names of the coordinates that get a reserve.
        time: Instants of the forces.
        columns: Forces by name of muscle or reserve ("reserve_" and the coordinate).
        lowpass: Cutoff [Hz] or None.
    """
    result = JrFiles(out / "reserves.osim", files.motion, files.loads, out / "forces.sto", lowpass)
    names = write_model(files.model, result.model, coordinates)
    write_forces(result.forces, names, time, columns)
    return result


def write_setup(files, out, start, stop, joints, on, frame):
    """Write the setup of AnalyzeTool with the analysis; return its path."""
    setup = out / "setup.xml"
    cutoff = -1.0 if files.lowpass is None else files.lowpass
    setup.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?><OpenSimDocument Version="40000"><AnalyzeTool name="peer">'
        f"<model_file>{files.model}</model_file><replace_force_set>false</replace_force_set>"
        f"<results_directory>{out}</results_directory><output_precision>16</output_precision>"
        f"<initial_time>{float(start)!r}</initial_time><final_time>{float(stop)!r}</final_time>"
        "<solve_for_equilibrium_for_auxiliary_states>false</solve_for_equilibrium_for_auxiliary_states>"
        f"<external_loads_file>{files.loads}</external_loads_file><coordinates_file>{files.motion}</coordinates_file>"
        f"<lowpass_cutoff_frequency_for_coordinates>{cutoff}</lowpass_cutoff_frequency_for_coordinates>"
        '<AnalysisSet name="Analyses"><objects><JointReaction name="JointReaction"><on>true</on>'
        "<step_interval>1</step_interval><in_degrees>true</in_degrees>"
        f"<forces_file>{files.forces}</forces_file><joint_names>{' '.join(joints)}</joint_names>"
        f"<apply_on_bodies>{on}</apply_on_bodies><express_in_frame>{frame}</express_in_frame>"
        "</JointReaction></objects></AnalysisSet></AnalyzeTool></OpenSimDocument>"
    )
    return setup


def run(files, start, stop, joints=("ALL",), on="child", frame="child"):
    """Return the table of the analysis: labels, instants and values."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        setup = write_setup(files, out, start, stop, joints, on, frame)
        with quiet():
            done = osim.AnalyzeTool(str(setup)).run()
        if not done:
            raise RuntimeError("AnalyzeTool failed")
        return opensim_id.read_table(out / "peer_JointReaction_ReactionLoads.sto")


def ask(trial, folder, step, told):
    """Return the analysis of a trial as arrays: labels, instants and values of its table.

    Args:
        trial: One of `opensim_id.TRIALS`.
        folder: Of the recordings.
        step: Every so manyth row of the motion is kept.
        told: "coordinates" that get a reserve; "columns" and "forces" (n, m) at instants "time"; "span", first and last
            instant of the analysis.
    """
    columns = dict(zip(told["columns"].tolist(), told["forces"].T, strict=True))
    with tempfile.TemporaryDirectory() as out:
        files = opensim_id.prepare(trial, folder, Path(out))
        opensim_id.thin_out(files, step)
        names = told["coordinates"].tolist()
        files = prepare(files, Path(out), names, told["time"], columns, trial.lowpass)
        return arrays_of(run(files, *told["span"]))


def ask_of_file(trial, folder, forces, span):
    """Return the analysis of the forces in a file: the model is as it is, without reserves."""
    table = opensim_id.read_table(forces)
    with tempfile.TemporaryDirectory() as out:
        files = opensim_id.prepare(trial, folder, Path(out))
        files = JrFiles(files.model, files.motion, files.loads, Path(out) / "forces.sto", trial.lowpass)
        columns = dict(zip(table.labels, table.values.T, strict=True))
        write_forces(files.forces, table.labels, table.time, columns)
        return arrays_of(run(files, *span))


def arrays_of(table):
    """Return a table as arrays."""
    return {"labels": peers.words(table.labels), "time": table.time, "values": table.values}
