"""OpenSim's StaticOptimization and our `solve_muscles` on the same trial, in one process.

Both are charged the processor time of this process, one thread each.

OpenSim's analysis runs through its AnalyzeTool, from a setup file, with its default tolerance and iterations and
reserves as in ours. The tool reads, filters and differentiates before it solves a frame: a run with the analysis
switched off is taken off, so that none of that counts against it.

Ours is the whole call of `solve_muscles` on the motion as recorded: low pass, lengths, moment arms, Hill curves,
sharing, certificate, notes; loads are in memory, as are OpenSim's accelerations. A call has costs that do not grow with
the frames: the same is timed on the trial repeated LONG times.
"""

import tempfile
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from tests.oracles import opensim_id as peer
from tests.oracles import opensim_so

import softstride as ss
from bench import _timing

TRIALS = {"rajagopal": "walk_rajagopal_emg", "gait2354": "walk_gait2354"}
FRAMES = {"rajagopal": 60, "gait2354": 73}  # that OpenSim solves, about
QUICK = 8
LONG = (4, 16)  # times a trial is repeated: the cost of a frame must not grow
AGREE = 0.01  # mean difference of activations
DEFAULTS = opensim_so.Effort(1e-4, 100)


@dataclass(frozen=True)
class Outcome:
    """What was measured."""

    frames: int  # of the trial
    solved: int  # by OpenSim
    ours: float  # s a frame
    parts: dict[str, float]  # s a frame, of paths alone and of inverse dynamics
    long: dict[int, float]  # s a frame, of the trial so many times over
    theirs: float  # s a frame
    difference: float  # of activations, mean

    @property
    def ratio(self) -> float:
        """Their time of a frame over ours."""
        return self.theirs / self.ours


def compete(name: str, folder: Path, quick: bool) -> Outcome:
    """Let both share the loads of a trial.

    Raises:
        RuntimeError: The two disagree: then speeds do not compare.
    """
    trial = next(each for each in peer.TRIALS if each.name == TRIALS[name])
    with tempfile.TemporaryDirectory() as out:
        files = peer.prepare(trial, folder, Path(out))
        model = ss.load_model(files.model)
        motion, recording = ss.read_motion(files.motion, model), ss.read(files.loads)
    identify = partial(ss.solve_id, model, motion, recording, lowpass=trial.lowpass, threads=1)
    loads = identify()
    options = {"lowpass": trial.lowpass, "threads": 1, "as_opensim": True}
    tasks: dict[str, _timing.Task] = {
        "ours": partial(ss.solve_muscles, model, motion, loads, **options),
        "paths": partial(ss.muscle_paths, model, motion.q, motion.v, threads=1),
        "dynamics": identify,
    }
    for times in LONG[:1] if quick else LONG:
        tasks[str(times)] = partial(ss.solve_muscles, model, *repeated(motion, loads, times), **options)
    best = _timing.best_of(tasks, 2 if quick else 6, clock=time.process_time)
    shared = tasks["ours"]()
    theirs, found = opensim_time(trial, folder, model, shared, QUICK if quick else FRAMES[name])
    n = len(motion)
    return Outcome(
        n,
        len(found.time),
        best["ours"] / n,
        {part: best[part] / n for part in ("paths", "dynamics")},
        {times: best[str(times)] / (times * n) for times in LONG if str(times) in best},
        theirs,
        difference(name, shared, found),
    )


def opensim_time(
    trial: peer.Trial, folder: Path, model: ss.Model, shared: ss.MuscleForces, count: int
) -> tuple[float, opensim_so.Shared]:
    """Return OpenSim's time of a frame [s], and its forces."""
    base = opensim_so.base_coordinates(folder / trial.model)
    own = {motor.coordinate for motor in model.actuators.values()}
    sizes = dict(zip(shared.coordinates, shared.reserve_size.tolist(), strict=True))
    reserves = {name: size for name, size in sizes.items() if size > 0.0}
    for name, coordinate in model.coordinates.items():
        if not coordinate.locked and name not in {*sizes, *own, *base}:
            reserves[name] = opensim_so.RESIDUAL
    every = max(1, (len(shared) - 1) // (count - 1))
    spent = {}
    for on in (False, True):
        with tempfile.TemporaryDirectory() as out:
            _, setup = opensim_so.prepare(
                trial, folder, Path(out), reserves, every=every, effort=DEFAULTS, on=on
            )
            start = time.process_time()
            opensim_so.run(setup)
            spent[on] = time.process_time() - start
            found = opensim_so.read(Path(out)) if on else None
    assert found is not None
    return (spent[True] - spent[False]) / len(found.time), found


def difference(name: str, shared: ss.MuscleForces, found: opensim_so.Shared) -> float:
    """Return the mean difference of activations."""
    at = np.abs(shared.time[:, None] - found.time[None, :]).argmin(axis=0)
    mean = float(np.abs(shared.activation[at] - found.controls(shared.names)).mean())
    if not mean < AGREE:
        raise RuntimeError(f"{name}: activations differ from OpenSim's by {mean:.3f} on average")
    return mean


def repeated(motion: ss.Motion, loads: ss.Loads, times: int) -> tuple[ss.Motion, ss.Loads]:
    """Return a motion and its loads so many times over."""
    n = len(motion)
    step = (motion.time[-1] - motion.time[0]) / (n - 1)
    clock = motion.time[0] + step * np.arange(times * n)
    q = np.tile(motion.q, (times, 1))
    return ss.Motion(motion.model, clock, q), replace(
        loads,
        time=clock,
        wrenches={},
        socket={},
        **{name: np.tile(getattr(loads, name), (times, 1)) for name in ("tau", "residual", "elastic")},
        doubtful=np.tile(loads.doubtful, times),
    )
