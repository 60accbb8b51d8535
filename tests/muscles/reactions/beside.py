"""Trials whose joint reactions are compared with OpenSim's JointReaction analysis, and what it is asked."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from tests import peers
from tests.oracles import opensim_id as id_tool
from tests.oracles import opensim_jr as jr_tool

import softstride as ss
from softstride.kinematics import read_motion

STORED = ("walk_rajagopal_emg", "knee_gc5_ps_ss1")
"""Trials for which the analysis needs seconds."""

ENDS = 0.1  # s that are left out at both ends, where the tool's own frames stray
TRIALS = {trial.name: trial for trial in id_tool.TRIALS}
STEP = {
    "walk_rajagopal_emg": 10
}  # of 1000 frames a second every tenth: the tool assembles each frame for 20 ms


@dataclass(frozen=True)
class Contest:
    """A trial, made-up tensions of all its muscles, and reserves that balance the motion."""

    model: ss.Model
    motion: ss.Motion
    loads: ss.Loads
    forces: SimpleNamespace
    trial: id_tool.Trial
    files: id_tool.Files

    @property
    def span(self):
        """First and last instant that are compared."""
        return self.loads.time[0] + ENDS, self.loads.time[-1] - ENDS


def tensions(model, time):
    """Return tensions up to a fifth of the greatest, each with its own phase, (n, m)."""
    strength = np.array([muscle.max_force for muscle in model.muscles.values()])
    phase = np.arange(len(strength))
    return 0.1 * strength * (1.0 + np.sin(7.0 * time[:, None] + phase))


def hold(name, folder, out):
    """Return our side of a trial."""
    trial = TRIALS[name]
    known = id_tool.stored_facts(trial.model, folder)
    files = id_tool.prepare(trial, folder, out, known=known)
    id_tool.thin_out(files, STEP.get(name, 1))
    model = ss.load_model(files.model)
    motion = read_motion(files.motion, model)
    loads = ss.solve_id(model, motion, ss.read(files.loads), lowpass=trial.lowpass)
    pull = tensions(model, loads.time)
    forces = SimpleNamespace(names=tuple(model.muscles), time=loads.time, force=pull)
    return Contest(model, motion, loads, forces, trial, files)


def balanced(contest):
    """Return the columns of a forces file that balances the motion: tensions, and reserves for the rest."""
    forces = contest.forces
    rest = ss.joint_reactions(contest.model, contest.motion, contest.loads, forces).rest
    columns = dict(zip(forces.names, forces.force.T, strict=True))
    return columns | {jr_tool.RESERVE + c: rest[:, i] for i, c in enumerate(contest.model.coordinate_names)}


def files_of(contest):
    """Return what the analysis reads, beside the files of the trial."""
    out, names = contest.files.setup.parent, contest.model.coordinate_names
    return jr_tool.prepare(
        contest.files, out, names, contest.loads.time, balanced(contest), contest.trial.lowpass
    )


def questions(folder):
    """Return what is asked."""
    return [*(question(name, folder) for name in STORED), published_question(folder)]


def question(name, folder):
    """Return what is asked of a trial: the analysis of forces that balance it, which it is told."""
    trial, step = TRIALS[name], STEP.get(name, 1)

    def told():
        with tempfile.TemporaryDirectory() as out:
            contest = hold(name, folder, Path(out))
            columns = balanced(contest)
            return {
                "time": contest.loads.time,
                "coordinates": peers.words(contest.model.coordinate_names),
                "columns": peers.words(columns),
                "forces": np.stack(list(columns.values()), axis=1),
                "span": np.array(contest.span),
            }

    return peers.Question(
        "opensim",
        f"jr_{name}",
        lambda told: jr_tool.ask(trial, folder, step, told),
        {each: folder / each for each in id_tool.files_of(trial, folder)},
        [asdict(trial), step],
        told=told,
        places={"forces": 5, "values": 4},  # N, N m
    )


PUBLISHED = replace(
    TRIALS["knee_gc5_ps_ss1"], plates={"plate_1": TRIALS["knee_gc5_ps_ss1"].plates["plate_1"]}
)
"""What the authors of a study did: the left plate alone, on the left foot."""
PUBLISHED_FORCES = "knee_gc5_ps/reference/PS_ngait_og_ss1_StaticOptimization_force.sto"
PUBLISHED_REACTIONS = "knee_gc5_ps/reference/PS_ngait_og_ss1_JointReaction_ReactionLoads.sto"


def published_question(folder):
    """Return what is asked of the published forces."""
    files = [*id_tool.files_of(PUBLISHED, folder), PUBLISHED_FORCES, PUBLISHED_REACTIONS]

    def ask(_):
        time = id_tool.read_table(folder / PUBLISHED_REACTIONS).time
        span = time[0] + ENDS, time[-1] - ENDS
        return jr_tool.ask_of_file(PUBLISHED, folder, folder / PUBLISHED_FORCES, span)

    return peers.Question(
        "opensim",
        "jr_published",
        ask,
        {each: folder / each for each in files},
        [asdict(PUBLISHED), ENDS],
        places={"values": 4},
    )


def answered(question):
    """Return the table of an analysis, as `peers` has it."""
    found = peers.answer(question)
    return id_tool.Table([], found["labels"].tolist(), found["time"], found["values"])
