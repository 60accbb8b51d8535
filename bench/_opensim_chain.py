"""OpenSim's tools one after the other, and our analysis, from the files of one trial to muscle forces.

Both read model, markers and forces from files and write motion, joint moments and muscle forces to files; one thread
each.

OpenSim: InverseKinematicsTool with the weights of the trial's tasks, InverseDynamicsTool and StaticOptimization on its
result, each from a setup file, with the low pass of 6 Hz and its own defaults (tolerance 1e-4, 100 iterations, squared
activations). Reserves are those of ours.

Ours: `ss.read`, `ss.load_model`, `ss.analyze` with the same weights and the same low pass, asked for no more than that
(no loads without plates, no bands, no joint reactions), and its files. The *warm* time is the best of several turns in
this process. The *cold* one is that of a new process with an empty cache of kernels, from its start to its end:
interpreter, imports, compilation on all cores as the command does it (`compile_ahead`), analysis; and it is the wall
clock of both that is compared.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tests.oracles import opensim_id, opensim_ik, opensim_so

import softstride as ss
from bench import _timing
from softstride.pipeline import task_weights
from softstride.pipeline.compile_ahead import compile_ahead

ROOT = Path(__file__).resolve().parents[1]
NAME = "walk_rajagopal_emg"
MARKERS, LOADS = "markers_walk.trc", "grf_walk.xml"
MODEL, TASKS = "subject_walk_scaled.osim", "ik_tasks_walk.xml"
LOWPASS = 6.0  # Hz
TURNS = 10
QUICK = 0.08  # s of the trial
AGREE = 0.02  # mean difference of activations
COLD = (
    "poses",
    "torques",
    "forces",
    "sharing",
    "fibres",
    "paths",
)  # what the chain needs, of `compile_ahead`
OFF = {"estimate": False, "bands": False, "reactions": False}


@dataclass(frozen=True)
class Outcome:
    """What was measured; times in [s]."""

    frames: int
    ours: float  # processor time
    cold: float  # wall clock, a whole process
    theirs: dict[str, float]  # processor time by tool
    wall: float  # of all their tools
    difference: float  # mean, of activations

    @property
    def ratio(self) -> float:
        """Their time over ours, once compiled."""
        return sum(self.theirs.values()) / self.ours

    @property
    def cold_ratio(self) -> float:
        """Their time over that of our first run, wall clock both."""
        return self.wall / self.cold


def our_chain(folder: Path, out: Path, span: tuple[float, float] | None) -> ss.Study:
    """Analyse the trial, files to files."""
    lab = folder / NAME
    model = ss.load_model(lab / MODEL)
    recording = ss.read(lab / MARKERS, lab / LOADS)
    weights, _ = task_weights(lab / TASKS, model, recording)
    study = ss.analyze(recording, model, weights=weights, lowpass=LOWPASS, time_range=span, **OFF)
    study.motion.save(out / "ik.mot", overwrite=True)
    study.measured.save(out / "id.sto", overwrite=True)
    study.forces.save(out / "so", overwrite=True)
    return study


def their_chain(folder: Path, out: Path, reserves: dict[str, float], span) -> tuple[dict[str, float], float]:
    """Run OpenSim's tools; return the processor time of each, and the wall clock of all."""
    trial = next(each for each in opensim_ik.TRIALS if each.name == NAME)
    trial = replace(trial, time_range=span or trial.time_range)
    model, recording = ss.load_model(folder / trial.model), ss.read(folder / trial.markers)
    tasks = opensim_ik.read_tasks(trial, folder, model, recording)
    spent, begin = {}, time.perf_counter()

    def charge(name: str, start: float) -> float:
        spent[name] = time.process_time() - start
        return time.process_time()

    start = time.process_time()
    tool = opensim_ik.Tool(trial, folder, tasks, opensim_ik.LOOSE, out)
    tool.run()
    start = charge("inverse kinematics", start)
    moved = replace(
        next(each for each in opensim_id.TRIALS if each.name == NAME),
        motion=str(tool.file),
        lowpass=LOWPASS,
        time_range=span,
    )
    files = opensim_id.prepare(moved, folder, out)
    opensim_id.run(files)
    start = charge("inverse dynamics", start)
    _, setup = opensim_so.prepare(moved, folder, out, reserves, effort=opensim_so.Effort(1e-4, 100))
    opensim_so.run(setup)
    charge("static optimisation", start)
    return spent, time.perf_counter() - begin


def compete(folder: Path, quick: bool) -> Outcome:
    """Let both go through the chain.

    Raises:
        RuntimeError: The two disagree: then speeds do not compare.
    """
    span = (0.8, 0.8 + QUICK) if quick else None
    ss.set_threads(1)
    with tempfile.TemporaryDirectory() as place:
        out = Path(place)
        task = lambda: our_chain(folder, out, span)  # noqa: E731
        best = _timing.best_of({"ours": task}, 2 if quick else TURNS, clock=time.process_time)
        study = task()
        cold = float("nan") if quick else cold_run(out)
        reserves = _reserves(folder / NAME / MODEL, study)
        theirs, wall = their_chain(folder, out, reserves, span)
        found = opensim_so.read(out)
    return Outcome(study.motion.n_frames, best["ours"], cold, theirs, wall, difference(study.forces, found))


def _reserves(model_file: Path, study: ss.Study) -> dict[str, float]:
    """Return reserves as ours, and such as serve coordinates that no muscle moves, which OpenSim must balance too."""
    forces, model = study.forces, study.model
    own = {motor.coordinate for motor in model.actuators.values()}
    base = opensim_so.base_coordinates(model_file)
    sizes = dict(zip(forces.coordinates, forces.reserve_size.tolist(), strict=True))
    found = {name: size for name, size in sizes.items() if size > 0.0}
    for name, coordinate in model.coordinates.items():
        if not coordinate.locked and name not in {*sizes, *own, *base}:
            found[name] = opensim_so.RESIDUAL
    return found


def difference(ours: ss.MuscleForces, found: opensim_so.Shared) -> float:
    """Return the mean difference of activations over frames that both know."""
    at = np.abs(ours.time[:, None] - found.time[None, :]).argmin(axis=0)
    both = ours.known[at]
    mean = float(np.abs(ours.activation[at] - found.controls(ours.names))[both].mean())
    if not mean < AGREE:
        raise RuntimeError(f"activations differ from OpenSim's by {mean:.3f} on average")
    return mean


def cold_run(out: Path) -> float:
    """Return the time of the chain in a new process without any compiled kernel, from its start to its end [s]."""
    with tempfile.TemporaryDirectory(prefix="softstride-cold-") as cache:
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, __file__, str(out)],
            check=True,
            capture_output=True,
            cwd=ROOT,
            env=os.environ | {"SOFTSTRIDE_CACHE_DIR": cache, "PYTHONPATH": str(ROOT)},
        )
        return time.perf_counter() - start


if __name__ == "__main__":
    from bench._opensim_ik import data_folder

    compile_ahead(tasks=COLD)
    our_chain(data_folder(), Path(sys.argv[1]), None)
