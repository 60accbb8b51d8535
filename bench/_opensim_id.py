"""OpenSim's inverse dynamics and ours on the same trial, in turns.

Both are charged the processor time of this process, one thread each.

*Frame by frame*: the same frames for both, in memory already. OpenSim's InverseDynamicsSolver is given time, q, v and
a of each frame as its own vectors, made ready beforehand, with its model loaded, the external loads and their splines
in it, and the muscles excluded as its tool does. Ours is the whole call of `solve_id` on a motion with the same q, v
and a and on the recording in memory: forces brought to the frames, their links, balance, residual, notes. Nothing that
depends on motion or recording is kept from one call to the next; what depends on the model alone is. Both drop their
results. A turn of ours is a number of calls, so that caches which OpenSim leaves cold matter as little as they do in
its own turn.

A call has costs that do not grow with the frames, so that a long trial is cheaper by the frame: the same is timed on
the trial repeated LONG times, motion and forces, against OpenSim's time of a frame of the trial. Others are those of
the recursion alone, without loads, and of the motion as recorded with the low pass in our call.

*Files to file*: OpenSim's tool is given a setup file; ours is the command `softstride id` in this process, so that
kernels are loaded and compiled. Both read model, motion and loads, apply the low pass and write the forces.
"""

import contextlib
import io
import tempfile
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import opensim as osim
from tests.oracles import opensim_id as peer
from tests.oracles import opensim_id_steps as steps
from tests.oracles.opensim_id_velocity import VelocityTerms

import softstride as ss
from bench import _timing
from softstride.kinematics import read_motion

TRIALS = {"rajagopal": "walk_rajagopal_emg", "gait2354": "walk_gait2354"}
RATE = 1000.0  # Hz: of the motions that are timed; Rajagopal's is recorded so
QUICK = 0.2  # s of each trial
CALLS = 20  # of ours in a turn: one lasts but milliseconds
LONG = 20  # times a trial is repeated to be a long one
AGREE = 0.05  # of the peak: OpenSim's knees are off by that much in fast frames (tests/oracles/opensim_id_velocity.py)
LEAST = 1.0  # N m, N: differences below are not looked at


@dataclass(frozen=True)
class Outcome:
    """What was measured frame by frame."""

    frames: int
    recorded: int
    ours: float  # s
    filtered: float  # s: of the motion as recorded, low pass included
    recursion: float  # s: of the engine's inverse dynamics alone, without loads
    long: float  # s: of the trial LONG times over
    theirs: float  # s
    difference: float  # of the peak, the largest of all coordinates

    @property
    def ratio(self) -> float:
        """Their time of a frame over ours."""
        return self.theirs / self.ours

    @property
    def long_ratio(self) -> float:
        """The same for a long trial."""
        return LONG * self.theirs / self.long

    @property
    def filtered_ratio(self) -> float:
        """The same for the motion as recorded, with the low pass in our call."""
        return (self.theirs / self.frames) / (self.filtered / self.recorded)


class FrameByFrame:
    """InverseDynamicsSolver in a loop over frames; everything that can be is made ready beforehand."""

    def __init__(self, files: peer.Files, names: list[str], motion: ss.Motion) -> None:
        terms = VelocityTerms(files.model, names)  # for its order of coordinates, and those that follow
        self.model = osim.Model(str(files.model))
        loads = osim.ExternalLoads(str(files.loads), True)
        loads.thisown = False
        self.model.addModelComponent(loads)
        self.state = self.model.initSystem()
        muscles = self.model.updMuscles()
        for i in range(muscles.getSize()):
            muscles.get(i).setAppliesForce(self.state, False)
        self.solver = osim.InverseDynamicsSolver(self.model)

        def vectors(values: np.ndarray, shift: np.ndarray | float) -> list[osim.Vector]:
            rows = (values @ terms.follow.T + shift)[:, terms.order]
            return [osim.Vector.createFromMat(np.ascontiguousarray(row)) for row in rows]

        self.frames = list(
            zip(
                motion.time.tolist(),
                vectors(motion.q, terms.shift),
                vectors(motion.v, 0.0),
                vectors(motion.a, 0.0),
                strict=True,
            )
        )
        self._terms = terms

    def run(self) -> None:
        """Solve all frames; results are dropped."""
        state, solve = self.state, self.solver.solve
        for instant, q, v, a in self.frames:
            state.setTime(instant)
            state.setQ(q)
            state.setU(v)
            solve(state, a)

    def forces(self) -> np.ndarray:
        """Return the forces, coupled coordinates folded in, (n, nv)."""
        found = []
        for instant, q, v, a in self.frames:
            self.state.setTime(instant)
            self.state.setQ(q)
            self.state.setU(v)
            tau = np.empty(len(self._terms.order))
            tau[self._terms.order] = self.solver.solve(self.state, a).to_numpy()
            found.append(self._terms.follow.T @ tau)
        return np.array(found)


def compete(name: str, folder: Path, quick: bool) -> Outcome:
    """Let both solve the frames of a trial in turns; the best turn of each counts.

    Raises:
        RuntimeError: The two disagree: then speeds do not compare.
    """
    trial = next(each for each in peer.TRIALS if each.name == TRIALS[name])
    with tempfile.TemporaryDirectory() as out:
        files = peer.prepare(trial, folder, Path(out))
        model = ss.load_model(files.model)
        recorded, recording = read_motion(files.motion, model), ss.read(files.loads)
        motion = fine_motion(model, recorded, trial.lowpass, QUICK if quick else None)
        loop = FrameByFrame(files, list(model.coordinate_names), motion)
        solve = partial(ss.solve_id, model, motion, recording, threads=1)
        filtered = partial(ss.solve_id, model, recorded, recording, lowpass=trial.lowpass, threads=1)
        alone = partial(ss.inverse_dynamics, model, motion.q, motion.v, motion.a, threads=1)
        turns: dict[str, _timing.Task] = {
            "ours": partial(repeat, solve),
            "filtered": partial(repeat, filtered),
            "recursion": partial(repeat, alone),
            "long": partial(ss.solve_id, model, *repeated(motion, recording), threads=1),
            "theirs": loop.run,
        }
        best = _timing.best_of(turns, 2 if quick else 8, clock=time.process_time)
        ours, theirs = solve().tau, loop.forces()
    peak = np.maximum(np.abs(theirs).max(axis=0), LEAST / AGREE)
    difference = float((np.abs(ours - theirs) / peak).max())
    if difference > AGREE:
        raise RuntimeError(f"{name}: forces differ from OpenSim's by {difference:.1%} of the peak")
    return Outcome(
        motion.n_frames,
        recorded.n_frames,
        best["ours"] / CALLS,
        best["filtered"] / CALLS,
        best["recursion"] / CALLS,
        best["long"],
        best["theirs"],
        difference,
    )


def repeat(task: _timing.Task) -> None:
    """Call a task CALLS times; results are dropped."""
    for _ in range(CALLS):
        task()


def repeated(motion: ss.Motion, recording: ss.Recording) -> tuple[ss.Motion, ss.Recording]:
    """Return a motion LONG times over, and with it the forces of its time."""
    step = motion.time[1] - motion.time[0]
    start, span = motion.time[0], motion.n_frames * step

    def again(time: np.ndarray) -> np.ndarray:
        return np.concatenate([time + i * span for i in range(LONG)])

    forces = []
    for force in recording.forces:
        inside = (force.time >= start - 1e-9) & (force.time < start + span - 1e-9)
        parts = {
            name: np.tile(getattr(force, name)[inside], (LONG, 1)) for name in ("force", "point", "moment")
        }
        forces.append(replace(force, time=again(force.time[inside]), **parts))
    q, v, a = (np.tile(x, (LONG, 1)) for x in (motion.q, motion.v, motion.a))
    return ss.Motion(motion.model, again(motion.time), q, rates=(v, a)), recording.replace(
        forces=tuple(forces)
    )


def fine_motion(
    model: ss.Model, motion: ss.Motion, lowpass: float | None, duration: float | None
) -> ss.Motion:
    """Return a motion after the low pass, at RATE, with its velocities and accelerations."""
    instants, q, _, _ = steps.motion(motion.time, motion.q, lowpass, None)
    stop = motion.time[-1] if duration is None else motion.time[0] + duration
    fine = motion.time[0] + np.arange(int((stop - motion.time[0]) * RATE)) / RATE
    spline = steps.natural_spline(instants, q, 5)
    return ss.Motion(model, fine, spline(fine), rates=(spline(fine, 1), spline(fine, 2)))


def compete_with_files(name: str, folder: Path, quick: bool) -> tuple[float, float]:
    """Let both solve a trial from files to file in turns.

    Returns:
        Our time and theirs [s].

    Raises:
        RuntimeError: One of them failed.
    """
    from softstride.cli import app

    trial = next(each for each in peer.TRIALS if each.name == TRIALS[name])
    with tempfile.TemporaryDirectory() as out:
        files = peer.prepare(trial, folder, Path(out), joints="")
        result = Path(out) / "ours.sto"
        arguments = ["id", "--model", str(files.model), "--motion", str(files.motion)]
        arguments += ["--external-loads", str(files.loads), "--out", str(result)]
        if trial.lowpass is not None:
            arguments += ["--lowpass", str(trial.lowpass)]

        def ours() -> None:
            result.unlink(missing_ok=True)
            nowhere = io.StringIO()  # tables and warnings
            quiet = contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere)
            with quiet[0], quiet[1], contextlib.suppress(SystemExit):
                app(arguments)
            if not result.exists():
                raise RuntimeError("softstride id wrote nothing")

        turns: dict[str, _timing.Task] = {"ours": ours, "theirs": partial(peer.run, files)}
        best = _timing.best_of(turns, 1 if quick else 4, clock=time.process_time)
    return best["ours"], best["theirs"]
