"""OpenSim's InverseKinematicsTool and ours on the same trial, in turns.

Both are charged the processor time of this process. OpenSim's time is that of `run()` with its model loaded: it sets
up the system, reads the marker file, solves and writes the motion; errors are not reported, which spares it time. Its
"tracking" time is what is left after the time of a run on one frame is taken off: the loop over the frames alone.
Ours is that of the whole call of `solve_ik`: matching of names, first pose, solution, marker errors; a turn of ours is
a number of calls, so that the caches which OpenSim leaves cold matter as little as they do in its own second.
"""

import os
import tempfile
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from tests.oracles import opensim_ik as peer

import softstride as ss
from bench import _timing

ROOT = Path(__file__).resolve().parents[1]
TRIALS = {"gait2354": "walk_gait2354", "rajagopal": "walk_rajagopal_emg"}
ABOVE = 1e-6  # of the objective: as much as ours may exceed theirs in any frame
QUICK = 0.3  # s of each trial
CALLS = 20  # of ours in a turn: one lasts but milliseconds


@dataclass(frozen=True)
class Outcome:
    """What was measured on one trial."""

    frames: int
    ours: float  # s
    theirs: float  # s
    tracking: float  # s: theirs without what a single frame costs
    our_error: float  # m: root of the mean objective
    their_error: float

    @property
    def ratio(self) -> float:
        """Their time over ours."""
        return self.theirs / self.ours

    @property
    def tracking_ratio(self) -> float:
        """Time of their loop alone over that of our whole call."""
        return self.tracking / self.ours


def data_folder() -> Path | None:
    """Return the folder of recordings, SOFTSTRIDE_TEST_DATA or ../shared/data; None where there is none."""
    folder = Path(os.environ.get("SOFTSTRIDE_TEST_DATA") or ROOT.parent / "shared" / "data")
    return folder if folder.is_dir() else None


def compete(name: str, folder: Path, quick: bool) -> Outcome:
    """Let both solve a trial in turns; the best turn of each counts.

    Raises:
        RuntimeError: Our objective is above OpenSim's in some frame: then speeds do not compare.
    """
    trial = next(each for each in peer.TRIALS if each.name == TRIALS[name])
    model, recording = ss.load_model(folder / trial.model), ss.read(folder / trial.markers)
    first = float(recording.markers.time[0])
    if quick:
        trial = replace(trial, time_range=(first, first + QUICK))
    tasks = peer.read_tasks(trial, folder, model, recording)
    goals = {key: ss.Goal(weight, value) for key, (weight, value) in tasks.goals.items()}
    options = ss.IkOptions(weights=tasks.weights, goals=goals, time_range=trial.time_range)
    with tempfile.TemporaryDirectory() as out:
        whole = peer.Tool(trial, folder, tasks, peer.LOOSE, Path(out))
        single = peer.Tool(replace(trial, time_range=(first, first)), folder, tasks, peer.LOOSE, Path(out))
        solve = partial(ss.solve_ik, model, recording, options, threads=1)
        turns: dict[str, _timing.Task] = {
            "ours": lambda: [solve() for _ in range(CALLS)],
            "single": single.run,
            "theirs": whole.run,
        }
        best = _timing.best_of(turns, 1 if quick else 4, clock=time.process_time)
        whole.run()
        solution = peer.read_solution(whole)
    rows = solution.rows(recording.markers.time)
    motion = solve()
    ours = peer.objective(model, recording, tasks, motion.q, rows)
    theirs = peer.objective(model, recording, tasks, solution.q(model), rows)
    if not np.all(ours <= theirs * (1.0 + ABOVE)):
        raise RuntimeError(
            f"{name}: our objective is {np.max(ours / theirs) - 1.0:.1e} above OpenSim's in some frame"
        )
    n = len(rows)
    tracking = (best["theirs"] - best["single"]) * n / (n - 1)
    errors = (float(np.sqrt(np.mean(each))) for each in (ours, theirs))
    return Outcome(n, best["ours"] / CALLS, best["theirs"], tracking, *errors)
