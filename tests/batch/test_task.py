"""One trial: done, not done again, gone on with, and whatever goes wrong becomes a reason."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.batch import additions
from tests.batch.small import leftovers, make_trials

from softstride.batch import task as module
from softstride.batch.peaks import PEAKS
from softstride.batch.task import Addition, Task, do_trial
from softstride.batch.trials import find_trials
from softstride.errors import InputError, SoftstrideError
from softstride.locks import hold
from softstride.pipeline.settings import read_settings

NAME = Addition("name.txt", additions.write_name)


def test_a_trial_is_done_once(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    first = do_trial(task, progress=lambda step, share: steps.append((step, share)))
    assert (first.state, first.reason, first.name) == ("done", "", task.name)
    assert first.figures["frames"] == 24.0
    assert {"knee_r_max_deg", "marker_rms_mm"} <= set(first.figures)
    assert ("kinematics" in dict(steps)) and steps[-1] == ("done", 1.0)

    def analyze(*_: object, **__: object) -> None:
        raise AssertionError("done again")

    monkeypatch.setattr(module, "analyze_to_folder", analyze)
    again = do_trial(task)
    assert (again.state, again.seconds, dict(again.figures)) == ("done", first.seconds, dict(first.figures))


def test_an_addition_that_is_missing_is_added_to_what_is_finished(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = do_trial(task)
    (task.folder / PEAKS).unlink()
    monkeypatch.setattr(module, "analyze_to_folder", None)  # would fail if it were called
    after = do_trial(replace(task, additions=(NAME,)))
    assert (task.folder / "name.txt").read_text() == "walk 01"
    assert dict(after.figures) == dict(before.figures)


@pytest.mark.parametrize(
    ("write", "words", "trace"),
    [
        (additions.refuse, "report.html: there is no paper in the printer", ""),
        (
            additions.stumble,
            "report.html: something unexpected happened, please report it: ZeroDivision",
            "stumble",
        ),
    ],
)
def test_an_addition_that_fails_does_not_cost_the_results(task: Task, write, words: str, trace: str) -> None:
    outcome = do_trial(replace(task, additions=(Addition("report.html", write), NAME)))
    assert outcome.state == "partial"
    assert outcome.reason.startswith(words)
    assert trace in outcome.trace
    assert outcome.figures["frames"] == 24.0
    assert (task.folder / "name.txt").is_file()


def test_a_step_that_fails_makes_a_trial_partial(task: Task) -> None:
    do_trial(task)
    file = task.folder / "figures.json"
    told = json.loads(file.read_text())
    told["stages"][3] |= {"state": "failed", "words": "no force is on a foot"}
    file.write_text(json.dumps(told))
    outcome = do_trial(task)
    assert outcome.state == "partial"
    assert outcome.reason == f"{told['stages'][3]['name']}: no force is on a foot"


def test_a_file_that_cannot_be_written_makes_a_trial_partial(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise InputError("no paper")

    monkeypatch.setattr("softstride.pipeline.results.tables_of", fail)
    outcome = do_trial(task)
    assert (outcome.state, outcome.reason) == ("partial", "tables: no paper")
    assert outcome.figures["frames"] == 24.0 and task.finished() and task.missing() == []


def test_a_corrupt_trial_says_what_is_wrong_and_leaves_nothing(corrupt: Task) -> None:
    outcome = do_trial(corrupt)
    assert outcome.state == "failed"
    assert "walk 01.trc" in outcome.reason and outcome.trace == ""
    assert [path for path in leftovers(corrupt.out) if path.name.endswith(".part")] == []


@pytest.mark.parametrize(
    ("error", "words", "traced"),
    [
        (MemoryError(), "not enough memory: try fewer at once", False),
        (RuntimeError("a\n  mistake"), "unexpected .* report it: RuntimeError: a mistake$", True),
    ],
)
def test_what_nobody_expected_becomes_a_reason_too(
    task: Task, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str, traced: bool
) -> None:
    def analyze(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(module, "analyze_to_folder", analyze)
    outcome = do_trial(task)
    assert outcome.state == "failed"
    with pytest.raises(SoftstrideError, match=words):
        raise SoftstrideError(outcome.reason)
    assert bool(outcome.trace) == traced


def test_damaged_results_are_named(task: Task) -> None:
    do_trial(task)
    file = task.folder / "figures.json"
    told = json.loads(file.read_text())
    file.write_text(json.dumps(told | {"figures": {"frames": "many"}}))
    assert "cannot be read: remove them" in do_trial(task).reason


def test_two_never_write_the_same_results(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a worker of a broken batch were still at it: the second waits, then finds it finished."""
    monkeypatch.setattr(module, "PATIENCE", 0.3)
    with hold(task.lock, patience=0.0):
        assert "somebody else writes the same results" in do_trial(task).reason
        assert not task.folder.exists()
    monkeypatch.setattr(module, "PATIENCE", 60.0)
    begun = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(do_trial, task, lambda step, share: begun.set())
        assert begun.wait(60.0)
        steps: list[str] = []
        second = pool.submit(do_trial, task, lambda step, share: steps.append(step))
        assert first.result().state == second.result().state == "done"
    assert steps == []


@pytest.mark.slow
def test_threads_of_one_process_do_the_same(tmp_path: Path) -> None:
    """A worker of a cluster may have several threads."""
    options = make_trials(tmp_path / "in", 3)
    trials = find_trials([tmp_path / "in"], wishes=read_settings(options)).trials

    def tasks(out: str) -> list[Task]:
        return [Task(trial.name, str(trial.path), trial.request, tmp_path / out) for trial in trials]

    one_by_one = [do_trial(task) for task in tasks("serial")]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(do_trial, tasks("threads")))
    assert [dict(outcome.figures) for outcome in together] == [
        dict(outcome.figures) for outcome in one_by_one
    ]
    assert {outcome.state for outcome in together} == {"done"}
