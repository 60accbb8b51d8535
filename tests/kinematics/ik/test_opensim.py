"""Inverse kinematics beside OpenSim 4.6: same models, markers, weights and frames; ours never fits worse."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.oracles import opensim_ik as ik

import softstride as ss

ABOVE = 1e-6  # of the objective: what ours may exceed OpenSim's by, the figure
ANGLE, LENGTH = np.radians(0.1), 1e-3  # rad, m: differences that need no explanation
NO_EFFECT = 1e-9  # of the objective: a coordinate that changes it by less is not determined
GAIN = 1e-9  # of the objective: a lower one that explains a difference; both are rounded at 1e-11
SAME_VALUE = 1e-9  # of the objective: two ways to compute it
WINDOW = (0.4, 0.7)  # s


@dataclass(frozen=True)
class Contest:
    """Ours and OpenSim's solutions of one trial, with objectives [m^2].

    At the tight accuracy OpenSim may have solved the first frames only; ours are compared in those that it solved.
    """

    trial: ik.Trial
    model: ss.Model
    recording: ss.Recording
    tasks: ik.Tasks
    motion: ss.Motion
    ours: np.ndarray  # (n,)
    theirs: dict[float, np.ndarray]  # by accuracy
    q: dict[float, np.ndarray]

    def gain(self, accuracy):
        """Return by how much of theirs our objective is the lower one, frame by frame."""
        theirs = self.theirs[accuracy]
        return 1.0 - self.ours[: len(theirs)] / theirs

    def objective(self, q):
        """Return the objective of poses from the first frame of the trial on."""
        first = int(np.abs(self.recording.markers.time - self.motion.time[0]).argmin())
        return ik.objective(self.model, self.recording, self.tasks, q, slice(first, first + len(q)))


def hold(trial, folder, accuracies=(ik.LOOSE, ik.TIGHT), tasks=None):
    """Let both solve a trial; OpenSim's solutions of whole trials are stored."""
    model, recording = ss.load_model(folder / trial.model), ss.read(folder / trial.markers)
    if trial in ik.TRIALS:
        tasks, solutions = ik.answered(trial, folder)
    else:
        tasks = tasks or ik.read_tasks(trial, folder, model, recording)
        solutions = {accuracy: ik.solve(trial, folder, tasks, accuracy) for accuracy in accuracies}
    goals = {name: ss.Goal(weight, value) for name, (weight, value) in tasks.goals.items()}
    options = ss.IkOptions(weights=tasks.weights, goals=goals, time_range=trial.time_range)
    motion = ss.solve_ik(model, recording, options)
    theirs, q = {}, {}
    for accuracy, solution in solutions.items():
        rows = solution.rows(recording.markers.time)
        time = motion.time[: len(rows)] if accuracy == ik.TIGHT and trial.tight_range else motion.time
        assert np.allclose(recording.markers.time[rows], time, rtol=0.0, atol=1e-9), "the same frames"
        q[accuracy] = solution.q(model)
        theirs[accuracy] = ik.objective(model, recording, tasks, q[accuracy], rows)
    first = rows[0]
    ours = ik.objective(model, recording, tasks, motion.q, slice(first, first + motion.n_frames))
    return Contest(trial, model, recording, tasks, motion, ours, theirs, q)


def check_objective(contest):
    """Every frame, against both accuracies; and the motion says the same of itself."""
    assert contest.motion.converged
    for accuracy in contest.theirs:
        gain = contest.gain(accuracy)
        assert gain.min() >= -ABOVE, (
            f"{contest.trial.name}, frame {gain.argmin()}: {-gain.min():.1e} above OpenSim at accuracy {accuracy:g}"
        )
    assert np.allclose(contest.motion.fit.objective, contest.ours, rtol=SAME_VALUE, atol=0.0)


def check_coordinates(contest):
    """Every coordinate that the markers determine is as OpenSim's, or our objective is lower in that frame."""
    names, theirs = contest.model.coordinate_names, contest.q[ik.TIGHT]
    ours = contest.motion.q[: len(theirs)]
    free = np.array([name in contest.motion.undetermined for name in names])
    distance = np.abs(ours - theirs) / limits(contest.model)
    print_table(contest, distance, free)
    exchanged = contest.objective(np.where(free, ours, theirs)) / contest.theirs[ik.TIGHT] - 1.0
    assert np.abs(exchanged).max() < NO_EFFECT, "named as undetermined, and yet the markers see it"
    unexplained = (distance > 1.0) & ~free & (contest.gain(ik.TIGHT) < GAIN)[:, None]
    which = [name for name, bad in zip(names, unexplained.any(axis=0), strict=True) if bad]
    assert not which, (
        f"{contest.trial.name}: {unexplained.any(axis=1).sum()} frames differ without a gain: {which}"
    )


def limits(model):
    """Return the difference of each coordinate that needs no explanation, (nq,) [rad], [m]."""
    lengths = ("_tx", "_ty", "_tz")
    return np.array([LENGTH if name.endswith(lengths) else ANGLE for name in model.coordinate_names])


def print_table(contest, distance, free):
    """With -s: how far apart the two are; distances in units of what needs no explanation."""
    gains = {accuracy: contest.gain(accuracy) for accuracy in contest.theirs}
    print(
        f"\n{contest.trial.name:<20}{len(contest.ours):>4} frames, objective below OpenSim's by "
        + ", ".join(
            f"{g.min():.1e} to {g.max():.1e} ({len(g)} at {accuracy:g})" for accuracy, g in gains.items()
        )
        + f"; determined coordinates differ by {distance[:, ~free].max():.3f} times 0.1 deg or 1 mm at most"
    )
    for i in np.flatnonzero((distance > 1.0).any(axis=0)):
        name = contest.model.coordinate_names[i] + (" (undetermined)" if free[i] else "")
        print(
            f"    {name:<36}{(distance[:, i] > 1.0).sum():>4} frames beyond, up to {distance[:, i].max():.1f} times"
        )


@pytest.fixture
def opensim():
    """The peer itself, of tests whose question is small."""
    return pytest.importorskip("opensim", reason="the peer of this test")


@pytest.fixture(scope="module", params=ik.TRIALS, ids=lambda trial: trial.name)
def contest(request, shared_data):
    """One trial, solved once for all tests of it."""
    return hold(request.param, shared_data)


def test_never_above_opensim_in_any_frame(contest):
    check_objective(contest)


def test_coordinates_as_opensims_or_a_lower_objective(contest):
    check_coordinates(contest)


def test_a_window_of_a_trial_with_goals(opensim, shared_data):
    contest = hold(replace(ik.TRIALS[0], time_range=WINDOW), shared_data)
    check_objective(contest)
    check_coordinates(contest)
    assert len(contest.ours) == 19


def test_goals_that_pull_hard(opensim, shared_data):
    """Goals against the markers: both must weigh them alike."""
    trial = replace(ik.TRIALS[0], time_range=WINDOW)
    model, recording = ss.load_model(shared_data / trial.model), ss.read(shared_data / trial.markers)
    weights = ik.read_tasks(trial, shared_data, model, recording).weights
    contest = hold(trial, shared_data, tasks=ik.Tasks(weights, {"knee_angle_r": (0.01, -0.9)}))
    check_objective(contest)
    check_coordinates(contest)
    plain = hold(trial, shared_data, (ik.TIGHT,), tasks=ik.Tasks(weights, {}))
    knee = model.coordinate_names.index("knee_angle_r")
    assert np.abs(contest.motion.q - plain.motion.q)[:, knee].max() > 100 * ANGLE, "the goal is felt"


def test_what_opensim_minimises(opensim, shared_data):
    """At its solution the gradient of the markers' part balances 2 k w (q - goal), with k = 1."""
    trial = replace(ik.TRIALS[0], time_range=(0.4, 0.45))
    model, recording = ss.load_model(shared_data / trial.model), ss.read(shared_data / trial.markers)
    weights = ik.read_tasks(trial, shared_data, model, recording).weights
    goals = {"knee_angle_r": (0.01, -0.9), "pelvis_ty": (0.1, 1.1)}
    tasks = ik.Tasks(weights, goals)
    solution = ik.solve(trial, shared_data, tasks, ik.TIGHT)
    q, rows = solution.q(model), solution.rows(recording.markers.time)
    step = 1e-5
    for i, name in enumerate(model.coordinate_names):
        shift = np.zeros(model.nq)
        shift[i] = step
        up, down = (
            ik.objective(model, recording, ik.Tasks(weights, {}), q + s * shift, rows) for s in (1.0, -1.0)
        )
        slope = (up - down) / (2.0 * step)
        if name in goals:
            weight, value = goals[name]
            assert np.allclose(slope / (2.0 * weight * (value - q[:, i])), 1.0, rtol=0.0, atol=1e-4)
        else:
            assert np.abs(slope).max() < 1e-7, f"{name} could still be improved"


@pytest.mark.parametrize(("text", "counted"), [("", False), ("nan", False), ("0.000000", True)])
def test_missing_markers(opensim, shared_data, tmp_path, text, counted):
    """A blank or NaN is not seen by either; 0, 0, 0 is a gap to us and a place to OpenSim, which it ruins."""
    trial = replace(ik.TRIALS[0], time_range=(0.0, 0.1), markers=str(tmp_path / "gap.trc"))
    lines = (shared_data / ik.TRIALS[0].markers).read_text().splitlines()
    labels = [label for label in lines[3].split("\t") if label.strip()]
    column = 2 + 3 * (labels.index("R.Thigh.Front") - 2)
    for number, line in enumerate(lines):
        cells = line.split("\t")
        if cells[0].strip() in ("3", "5"):
            lines[number] = "\t".join([*cells[:column], text, text, text, *cells[column + 3 :]])
    (tmp_path / "gap.trc").write_text("\n".join(lines) + "\n")
    contest = hold(trial, shared_data)
    check_objective(contest)
    assert contest.recording.markers.missing[:7, contest.recording.markers.index("R.Thigh.Front")].sum() == 2
    ratio = contest.theirs[ik.TIGHT] / contest.ours
    assert (ratio[[2, 4]] > 2.0).all() == counted
    assert np.allclose(ratio[[0, 1, 3, 5, 6]], 1.0, rtol=0.0, atol=1e-6)
