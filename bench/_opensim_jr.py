"""OpenSim's JointReaction analysis and our joint reactions on the same frames, in turns.

Both are charged the processor time of this process, one thread each.

*Frame by frame*: the same frames, forces of all muscles and reserves for both, in memory already. OpenSim's analysis is
called as its AnalyzeTool calls it: time, q and u of the frame, made ready before, are put into the state, velocities
are realised, and `step` of the analysis does the rest: forces from its storage, accelerations, reactions of all joints.
What the tool does besides, filters, splines, assembling every frame, files, is not counted. Ours is the whole call of
`joint_reactions` on motion, loads and forces in memory: the state of the loads again and a check that it is theirs,
muscle paths and their wrenches, the recursion, notes. Nothing that depends on the trial is kept from call to call; what
depends on the model alone is. Both drop their results.

A call has costs that do not grow with the frames: the same is timed on the trial repeated LONG times.

*Files to file*: the tool from its setup file, and the command `softstride reactions` in this process.
"""

import contextlib
import io
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import opensim as osim
from tests.oracles import opensim_id as id_peer
from tests.oracles import opensim_jr as peer
from tests.oracles.opensim_id_velocity import VelocityTerms

import softstride as ss
from bench import _timing
from bench._opensim_id import CALLS, LONG, QUICK, RATE, TRIALS, fine_motion, repeat, repeated
from softstride.kinematics import read_motion

AGREE = 0.01  # of a joint's peak
LEAST = 50.0  # N: differences below the part of this are not looked at
STRENGTH = 0.1  # mean tension as a share of the greatest


@dataclass(frozen=True)
class Outcome:
    """What was measured frame by frame."""

    frames: int
    ours: float  # s
    net: float  # s: without muscles
    long: float  # s: of the trial LONG times over
    theirs: float  # s
    difference: float  # of forces, of the joint's peak, the largest

    @property
    def ratio(self) -> float:
        """Their time of a frame over ours."""
        return self.theirs / self.ours

    @property
    def long_ratio(self) -> float:
        """The same for a long trial."""
        return LONG * self.theirs / self.long


def tensions(model: ss.Model, instants: np.ndarray) -> SimpleNamespace:
    """Return made-up tensions of all muscles, each with its own phase."""
    strength = np.array([muscle.max_force for muscle in model.muscles.values()])
    force = STRENGTH * strength * (1.0 + np.sin(7.0 * instants[:, None] + np.arange(len(strength))))
    return SimpleNamespace(names=tuple(model.muscles), time=instants, force=force)


class Analysis:
    """The analysis in a loop over frames; everything that can be is made ready beforehand."""

    def __init__(self, files: peer.JrFiles, names: list[str], motion: ss.Motion, out: Path) -> None:
        terms = VelocityTerms(files.model, names)  # for its order of coordinates, and those that follow
        self.model = osim.Model(str(files.model))
        loads = osim.ExternalLoads(str(files.loads), True)
        loads.thisown = False
        self.model.addModelComponent(loads)
        self.analysis = osim.JointReaction()
        self.analysis.setName("reactions")
        self.analysis.setForcesFileName(str(files.forces))
        for setting, word in (("setJointNames", "ALL"), ("setOnBody", "child"), ("setInFrame", "child")):
            words = osim.ArrayStr()
            words.append(word)
            getattr(self.analysis, setting)(words)
        self.model.addAnalysis(self.analysis)
        self.analysis.thisown = False
        self.state = self.model.initSystem()
        self.analysis.setModel(self.model)

        def vectors(values: np.ndarray, shift: np.ndarray | float) -> list[osim.Vector]:
            rows = (values @ terms.follow.T + shift)[:, terms.order]
            return [osim.Vector.createFromMat(np.ascontiguousarray(row)) for row in rows]

        self.frames = list(
            zip(motion.time.tolist(), vectors(motion.q, terms.shift), vectors(motion.v, 0.0), strict=True)
        )
        self._set(*self.frames[0])
        self.analysis.begin(self.state)  # reads the forces
        self.out = out

    def _set(self, instant: float, q: osim.Vector, u: osim.Vector) -> None:
        self.state.setTime(instant)
        self.state.setQ(q)
        self.state.setU(u)
        self.model.realizeVelocity(self.state)

    def run(self) -> None:
        """Solve all frames; results pile up in the analysis."""
        step = self.analysis.step
        for i, frame in enumerate(self.frames, 1):
            self._set(*frame)
            step(self.state, i)

    def reactions(self) -> id_peer.Table:
        """Return the reactions of the frames, solved once more."""
        self.analysis.begin(self.state)
        self.run()
        self.analysis.printResults("peer", str(self.out))
        table = id_peer.read_table(self.out / "peer_reactions_ReactionLoads.sto")
        return id_peer.Table(
            table.header, table.labels, table.time[-len(self.frames) :], table.values[-len(self.frames) :]
        )


def compete(name: str, folder: Path, quick: bool) -> Outcome:
    """Let both solve the frames of a trial in turns; the best turn of each counts.

    Raises:
        RuntimeError: The two disagree: then speeds do not compare.
    """
    trial = next(each for each in id_peer.TRIALS if each.name == TRIALS[name])
    with tempfile.TemporaryDirectory() as folder_out:
        out = Path(folder_out)
        files = id_peer.prepare(trial, folder, out)
        model = ss.load_model(files.model)
        recording = ss.read(files.loads)
        motion = fine_motion(model, read_motion(files.motion, model), trial.lowpass, QUICK if quick else None)
        loads, forces = ss.solve_id(model, motion, recording), tensions(model, motion.time)
        solve = partial(ss.joint_reactions, model, motion, loads, forces, threads=1)
        rest = solve().rest
        columns = dict(zip(forces.names, forces.force.T, strict=True))
        columns |= {peer.RESERVE + each: rest[:, i] for i, each in enumerate(model.coordinate_names)}
        prepared = peer.prepare(files, out, model.coordinate_names, motion.time, columns, None)
        loop = Analysis(prepared, list(model.coordinate_names), motion, out)
        more, forces_again = repeated(motion, recording)
        long_loads = ss.solve_id(model, more, forces_again)
        long_forces = SimpleNamespace(
            names=forces.names, time=more.time, force=np.tile(forces.force, (LONG, 1))
        )
        turns: dict[str, _timing.Task] = {
            "ours": partial(repeat, solve),
            "net": partial(repeat, partial(ss.joint_reactions, model, motion, loads, threads=1)),
            "long": partial(ss.joint_reactions, model, more, long_loads, long_forces, threads=1),
            "theirs": loop.run,
        }
        best = _timing.best_of(turns, 1 if quick else 5, clock=time.process_time)
        difference = _difference(solve(), loop.reactions())
    if difference > AGREE:
        raise RuntimeError(f"{name}: reactions differ from OpenSim's by {difference:.1%} of the peak")
    return Outcome(
        motion.n_frames, best["ours"] / CALLS, best["net"] / CALLS, best["long"], best["theirs"], difference
    )


def _difference(ours: ss.JointReactions, theirs: id_peer.Table) -> float:
    """Return the largest difference of a force, of its joint's peak."""
    order = [theirs.labels.index(label) for label in ours.columns]
    force = theirs.values[:, order].reshape(len(ours), -1, 3, 3)[:, :, 0]
    peak = np.maximum(np.linalg.norm(force, axis=2).max(axis=0), LEAST)
    return float((np.linalg.norm(ours.force - force, axis=2).max(axis=0) / peak).max())


def compete_with_files(name: str, folder: Path, quick: bool) -> tuple[float, float]:
    """Let both solve a trial from files to file in turns.

    Returns:
        Our time and theirs [s].

    Raises:
        RuntimeError: One of them failed.
    """
    from softstride.cli import app

    trial = next(each for each in id_peer.TRIALS if each.name == TRIALS[name])
    with tempfile.TemporaryDirectory() as folder_out:
        out = Path(folder_out)
        files = id_peer.prepare(trial, folder, out)
        model = ss.load_model(files.model)
        motion = read_motion(files.motion, model)
        forces = tensions(model, motion.time)
        columns = dict(zip(forces.names, forces.force.T, strict=True))
        given = peer.prepare(files, out, model.coordinate_names, motion.time, columns, trial.lowpass)
        result = out / "ours.sto"
        arguments = ["reactions", "--model", str(files.model), "--motion", str(files.motion)]
        arguments += ["--external-loads", str(files.loads), "--forces", str(given.forces)]
        arguments += ["--lowpass", str(trial.lowpass), "--threads", "1", "--quiet", "--out", str(result)]

        def ours() -> None:
            result.unlink(missing_ok=True)
            nowhere = io.StringIO()
            quiet_out = contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere)
            with quiet_out[0], quiet_out[1], contextlib.suppress(SystemExit):
                app(arguments)
            if not result.exists():
                raise RuntimeError("softstride reactions wrote nothing")

        turns: dict[str, _timing.Task] = {
            "ours": ours,
            "theirs": partial(peer.run, given, float(motion.time[0]), float(motion.time[-1])),
        }
        best = _timing.best_of(turns, 1 if quick else 3, clock=time.process_time)
    return best["ours"], best["theirs"]


__all__ = ["RATE", "TRIALS", "Outcome", "compete", "compete_with_files"]
