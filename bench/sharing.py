"""Sharing joint loads among muscles, the program alone: microseconds a frame, beside DAQP and Clarabel.

The programs are those of the digital athlete in running, hips, knees and ankle: moment arms times forces at activation
one against torques. Ours solves all frames in one call, input checks and certificate included; the others are called
frame by frame through their packages, set-up included, as a user would, on frames spread over the trial. DAQP knows no
cubes.

    python bench/sharing.py [--json] [--quick]      or: softstride bench sharing [--json] [--quick]
"""

import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy is loaded

import numpy as np  # noqa: E402

import softstride as ss  # noqa: E402
from softstride.engine.force_sharing import share_forces  # noqa: E402
from softstride.errors import SimulationError  # noqa: E402
from softstride.solvers import check_sharing_problem, share_with_clarabel, share_with_daqp  # noqa: E402
from softstride.solvers.force_sharing import SharingProblem  # noqa: E402

JOINTS = ("hip", "knee", "ankle", "subtalar")
LEAST, RESERVE = 0.01, 1.0  # activation; [N·m]
SOLVERS = {"daqp": share_with_daqp, "clarabel": partial(share_with_clarabel, tolerance=1e-10)}
OTHERS = 40  # frames that the others solve


def programs(power: int) -> SharingProblem:
    """Return the programs of all frames: 72 muscles, 10 coordinates, reserves of 1 N·m."""
    athlete = ss.load_athlete("running")
    model, truth = athlete.truth_model, athlete.truth
    rows = [i for i, name in enumerate(model.coordinate_names) if name.startswith(JOINTS)]
    paths = ss.muscle_paths(model, truth.q, truth.v)
    strength = ss.rigid_tendon(ss.hill_muscles(model), paths.length, paths.speed).active
    matrix = paths.arms[:, :, rows] * strength[:, :, None]
    return check_sharing_problem(matrix, truth.tau[:, rows], power=power, lower=LEAST, reserve=RESERVE)


def compare(power: int, names: tuple[str, ...], quick: bool, say: _script.Say) -> dict[str, float]:
    """Measure the programs of one power and return the figures by name."""
    problem = programs(power)
    n, m, k = problem.matrix.shape
    frames = np.linspace(0, n - 1, 8 if quick else OTHERS).astype(int).tolist()

    def ours() -> np.ndarray:
        given = problem.matrix, problem.demand
        return share_forces(*given, power=power, lower=LEAST, reserve=RESERVE, threads=1).x

    def theirs(name: str) -> np.ndarray:
        return np.array([_answer(name, problem, frame) for frame in frames])

    say(f"power {power}: {n} frames, {m} muscles, {k} coordinates, one thread, processor time")
    tasks = {"ours": ours, **{name: partial(theirs, name) for name in names}}
    times = _timing.best_of(tasks, 2 if quick else 5)
    own = 1e6 * times["ours"] / n
    figures = {f"power{power}_us": own}
    _script.line(say, "  ours [us a frame]", f"{own:.0f}")
    for name in names:
        cost = 1e6 * times[name] / len(frames)
        answers = theirs(name)
        off = float(np.nanmax(np.abs(answers - ours()[frames])))
        lost = int(np.isnan(answers).any(axis=1).sum())
        _script.line(say, f"  {name} [us a frame]", f"{cost:.0f}")
        _script.line(say, f"  {name} over ours", f"{cost / own:.1f}")
        _script.line(say, f"  {name}, largest difference of activations", f"{off:.0e}")
        _script.line(say, f"  {name}, frames that it gives up", f"{lost} of {len(frames)}")
        figures |= {
            f"power{power}_{name}_us": cost,
            f"power{power}_vs_{name}": cost / own,
            f"power{power}_{name}_difference": off,
            f"power{power}_{name}_lost": lost,
        }
    return figures


def _answer(name: str, problem: SharingProblem, frame: int) -> np.ndarray:
    try:
        return SOLVERS[name](problem, frame)
    except SimulationError:
        return np.full(problem.matrix.shape[1], np.nan)


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Few turns: rough figures.

    Returns:
        Microseconds a frame of one thread (processor time), `*_vs_*` the ratio of theirs to ours, `*_difference` the
        largest difference of an activation, `*_lost` frames that a solver gave up.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    return compare(2, ("daqp", "clarabel"), quick, say) | compare(3, ("clarabel",), quick, say)


if __name__ == "__main__":
    _script.run(main, __doc__)
