"""OpenSim's InverseKinematicsTool as an oracle: eight trials, its tasks, its solutions.

SimTK's assembler minimises, frame by frame and within the ranges of clamped coordinates,

    1/2 (sum_i w_i |x_i(q) - m_i|^2 / sum_i w_i  +  sum_c w_c (q_c - goal_c)^2)

over the markers i seen in the frame (blank or NaN: not seen; 0, 0, 0 is a place like any other), locked coordinates
held at their defaults. `objective` is twice that, from the places of the markers in our model.

A model without couplers is solved by L-BFGS, one with couplers by an interior point method. Its barrier keeps
coordinates off their limits: at the default accuracy its objective is up to 5 % above the minimum where the minimum
lies at a limit, in proportion to the accuracy.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from tests import peers

import softstride as ss
from softstride import engine

from .installed import osim

LOOSE, TIGHT = (
    1e-5,
    1e-9,
)  # OpenSim's default accuracy, and one at which limits cost 5e-6 of the objective at most
ACCURACIES = {"loose": LOOSE, "tight": TIGHT}
DIGITS = 8  # that the tool writes after the point
EVERYTHING = (-1e3, 1e3)  # s: a tool made without a file would stop at 2 s
SAME_INSTANT = 1e-3  # s: some time columns are rounded to milliseconds, and OpenSim takes them as they are


@dataclass(frozen=True)
class Trial:
    """A recording with its model.

    Attributes:
        name: Short name.
        model: Model file, below the folder of recordings.
        markers: Marker file.
        tasks: File with OpenSim's tasks (a setup or a task set); None: all common markers with weight 1.
        time_range: First and last instant [s]; None: all frames.
        tight_range: The same for a solution at the tight accuracy, from the same first instant; None: as above.
    """

    name: str
    model: str
    markers: str
    tasks: str | None = None
    time_range: tuple[float, float] | None = None
    tight_range: tuple[float, float] | None = None


TRIALS = (
    Trial(
        "walk_gait2354",
        "walk_gait2354/subject01_simbody.osim",
        "walk_gait2354/subject01_walk1.trc",
        "walk_gait2354/subject01_Setup_IK.xml",
    ),
    Trial(
        "walk_rajagopal_emg",
        "walk_rajagopal_emg/subject_walk_scaled.osim",
        "walk_rajagopal_emg/markers_walk.trc",
        "walk_rajagopal_emg/ik_tasks_walk.xml",
        tight_range=(0.0, 0.8),  # four frames a second: forearms that are hardly determined
    ),
    Trial("walk_opencap_s4", "walk_opencap_s4/manually_scaled.osim", "walk_opencap_s4/walking1.trc"),
    Trial(
        "run_overground_bmc",
        "run_overground_bmc/Rajagopal2015_scaled.osim",
        "run_overground_bmc/motion_capture_run.trc",
        "run_overground_bmc/IK_setup.xml",
    ),
    Trial("run_hamner_s01_2", "run_hamner_s01/final.osim", "run_hamner_s01/run200.trc"),
    Trial("run_hamner_s01_5", "run_hamner_s01/final.osim", "run_hamner_s01/run500.trc"),
    Trial(
        "knee_gc5_ps_ss1",
        "knee_gc5_ps/GC5.osim",
        "knee_gc5_ps/PS_ngait_og_ss1.trc",
        "knee_gc5_ps/database_IK_Tasks.xml",
    ),
    Trial(
        "knee_gc5_ps_ss11",
        "knee_gc5_ps/GC5.osim",
        "knee_gc5_ps/PS_ngait_og_ss11.trc",
        "knee_gc5_ps/database_IK_Tasks.xml",
    ),
)
"""The trials of the shared recordings that have a scaled model."""


@dataclass(frozen=True)
class Tasks:
    """Weights of markers, and of coordinates with the values that they are drawn to; as OpenSim reads the file."""

    weights: Mapping[str, float]
    goals: Mapping[str, tuple[float, float]]  # weight, value [rad], [m]


@dataclass(frozen=True)
class Solution:
    """OpenSim's solution: instants (n,), and by name the coordinates (n,) in [rad] or [m]."""

    time: np.ndarray
    coordinates: Mapping[str, np.ndarray]

    def q(self, model):
        """Return the coordinates in the order of our model, (n, nq); those that follow others are not among them."""
        return np.stack([self.coordinates[name] for name in model.coordinate_names], axis=1)

    def rows(self, time):
        """Return which frames of a recording these are."""
        rows = np.abs(np.asarray(time)[None, :] - self.time[:, None]).argmin(axis=1)
        if np.abs(time[rows] - self.time).max() > SAME_INSTANT or (np.diff(rows) != 1).any():
            raise RuntimeError("OpenSim solved other frames than those of the recording")
        return rows


def read_tasks(trial, folder, model, recording):
    """Return the tasks of a trial for markers that model and recording share."""
    common = [name for name in recording.markers.labels if name in model.markers]
    if trial.tasks is None:
        return Tasks(dict.fromkeys(common, 1.0), {})
    path = str(folder / trial.tasks)
    whole = "InverseKinematicsTool" in Path(path).read_text(errors="replace")
    tool = osim.InverseKinematicsTool(path, False) if whole else None
    tasks = tool.getIKTaskSet() if tool else osim.IKTaskSet(path)
    weights, goals = {}, {}
    for i in range(tasks.getSize()):
        task = tasks.get(i)
        name, weight = task.getName(), task.getWeight()
        coordinate = osim.IKCoordinateTask.safeDownCast(task)
        if not task.getApply() or weight == 0.0:
            continue
        if coordinate is not None:
            goals[name] = (weight, model.coordinates[name].default)
        elif name in common:
            weights[name] = weight
    return Tasks(weights, goals)


class Tool:
    """InverseKinematicsTool on a trial, its model loaded once.

    Args:
        trial: The trial.
        folder: Folder of recordings.
        tasks: Weights and goals.
        accuracy: Of the assembler.
        out: Folder for its results.
    """

    def __init__(self, trial, folder, tasks, accuracy, out):
        self.model = osim.Model(str(folder / trial.model))
        self.tool = osim.InverseKinematicsTool()
        self.tool.setName("peer")
        self.tool.setModel(self.model)
        self.tool.setMarkerDataFileName(str(folder / trial.markers))
        for name, weight in tasks.weights.items():
            task = osim.IKMarkerTask()
            task.setName(name)
            task.setApply(True)
            task.setWeight(weight)
            self.tool.getIKTaskSet().cloneAndAppend(task)
        for name, (weight, value) in tasks.goals.items():
            task = osim.IKCoordinateTask()
            task.setName(name)
            task.setApply(True)
            task.setWeight(weight)
            task.setValueType(osim.IKCoordinateTask.ManualValue)
            task.setValue(value)
            self.tool.getIKTaskSet().cloneAndAppend(task)
        self.tool.set_accuracy(accuracy)
        self.tool.set_report_errors(False)
        self.tool.setResultsDir(str(out))
        self.file = out / "peer_ik.mot"
        self.tool.setOutputMotionFileName(str(self.file))
        tight = trial.tight_range if accuracy <= TIGHT else None
        self.limit(*(tight or trial.time_range or EVERYTHING))

    def limit(self, start, stop):
        """Solve only the frames between two instants [s]."""
        self.tool.setStartTime(start)
        self.tool.setEndTime(stop)

    def run(self):
        """Solve all frames; the result lies in `file`."""
        with quiet():
            done = self.tool.run()
        if not done:
            raise RuntimeError("InverseKinematicsTool failed")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Drop what C++ writes to the standard output: the tool prints a table of the model whatever the log level."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def solve(trial, folder, tasks, accuracy=LOOSE):
    """Return OpenSim's Solution of a trial."""
    return solution_of(ask(trial, folder, tasks, accuracy))


def ask(trial, folder, tasks, accuracy):
    """Return what the tool writes of a trial, as arrays: see `read_columns`."""
    with tempfile.TemporaryDirectory() as out:
        tool = Tool(trial, folder, tasks, accuracy, Path(out))
        tool.run()
        return read_columns(tool)


def read_columns(tool):
    """Return what the tool wrote as it stands, angles in degrees: instants, names, which are angles, values (n, m)."""
    table = osim.TimeSeriesTable(str(tool.file))
    coordinates, names = tool.model.getCoordinateSet(), list(table.getColumnLabels())
    return {
        "time": np.array(table.getIndependentColumn()),
        "names": peers.words(names),
        "angle": np.array([coordinates.get(name).getMotionType() == 1 for name in names]),
        "values": np.stack([table.getDependentColumn(name).to_numpy() for name in names], axis=1),
    }


def read_solution(tool):
    """Return what the tool wrote."""
    return solution_of(read_columns(tool))


def solution_of(columns):
    """Return columns as a Solution."""
    values = [
        np.radians(column) if angle else column.copy()
        for column, angle in zip(columns["values"].T, columns["angle"], strict=True)
    ]
    return Solution(columns["time"], dict(zip(columns["names"].tolist(), values, strict=True)))


def questions(folder):
    """Return what is asked of all trials."""
    return [question(trial, folder) for trial in TRIALS]


def question(trial, folder):
    """Return what is asked of a trial: OpenSim's tasks, and its solutions at both accuracies."""

    def told():
        model, recording = ss.load_model(folder / trial.model), ss.read(folder / trial.markers)
        return arrays_of(read_tasks(trial, folder, model, recording))

    def ask_both(told):
        found = {}
        for name, accuracy in ACCURACIES.items():
            columns = ask(trial, folder, tasks_of(told), accuracy)
            found |= {f"{name}_{key}": values for key, values in columns.items()}
        return {**told, **found}

    files = [each for each in (trial.model, trial.markers, trial.tasks) if each]
    return peers.Question(
        "opensim",
        f"ik_{trial.name}",
        ask_both,
        {each: folder / each for each in files},
        [asdict(trial), ACCURACIES],
        told=told,
        places={f"{name}_values": DIGITS for name in ACCURACIES},
    )


def answered(trial, folder):
    """Return the tasks of a trial and OpenSim's Solutions by accuracy, as `peers` has them."""
    found = peers.answer(question(trial, folder))
    keys = ("time", "names", "angle", "values")
    return tasks_of(found), {
        accuracy: solution_of({key: found[f"{name}_{key}"] for key in keys})
        for name, accuracy in ACCURACIES.items()
    }


def arrays_of(tasks):
    """Return tasks as arrays."""
    return {
        "markers": peers.words(tasks.weights),
        "weights": np.array(list(tasks.weights.values()), dtype=float),
        "goals": peers.words(tasks.goals),
        "goal_values": np.array(list(tasks.goals.values()), dtype=float).reshape(-1, 2),
    }


def tasks_of(arrays):
    """Return what `arrays_of` was given."""
    weights = zip(arrays["markers"].tolist(), arrays["weights"].tolist(), strict=True)
    goals = zip(arrays["goals"].tolist(), map(tuple, arrays["goal_values"].tolist()), strict=True)
    return Tasks(dict(weights), dict(goals))


def objective(model, recording, tasks, q, rows=slice(None)):
    """Return sum w |e|^2 / sum w + sum w_c (q_c - goal)^2 for each frame, (n,) [m^2].

    Args:
        model: Our model.
        recording: Holds the markers.
        tasks: Weights and goals.
        q: Coordinates, shape (n, nq).
        rows: Frames of the recording that q belongs to.
    """
    names = list(tasks.weights)
    measured = recording.markers.select(names).values[rows]
    weights = np.array([tasks.weights[name] for name in names])
    squares = np.sum((engine.positions(model, q, names) - measured) ** 2, axis=2)
    seen = np.isfinite(squares)
    markers = np.sum(np.where(seen, weights * squares, 0.0), axis=1) / np.sum(seen * weights, axis=1)
    index = {name: i for i, name in enumerate(model.coordinate_names)}
    goals = sum(
        (weight * (q[:, index[name]] - value) ** 2 for name, (weight, value) in tasks.goals.items()), 0.0
    )
    return markers + goals
