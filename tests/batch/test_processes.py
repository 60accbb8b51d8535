"""Processes that die do not take the batch with them."""

import os
from pathlib import Path

import pytest
from tests.batch import additions
from tests.batch.small import gone, make_trials, results, started, wait_for
from tests.systems import signals

from softstride.batch import processes
from softstride.batch.outcome import Outcome
from softstride.batch.processes import ONE_THREAD, _environment, _in_words, run_on_processes
from softstride.batch.run import run_batch
from softstride.batch.task import Addition, Task
from softstride.batch.trials import find_trials
from softstride.batch.watcher import Watcher
from softstride.errors import SoftstrideError
from softstride.pipeline.settings import read_settings


class Ears(Watcher):
    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self.running: set[str] = set()
        self.together: list[int] = []  # how many ran at once, trial by trial as they began

    def says(self, name: str, line: str) -> None:
        self.heard.append((name, line))
        if "once more" in line:
            self.running.discard(name)

    def step(self, name: str, step: str, share: float) -> None:
        if name not in self.running:
            self.running.add(name)
            self.together.append(len(self.running))

    def ended(self, outcome: Outcome) -> None:
        self.running.discard(outcome.name)


@pytest.mark.slow
@signals
def test_processes_that_are_killed_cost_nobody_else_anything(tmp_path: Path) -> None:
    """Of four trials one kills its process once: it is tried once more; one does so always: it is given up."""
    options = make_trials(tmp_path / "in", 4)
    for folder, name in (("Bob", "die once"), ("Chen", "die always")):
        for file in (tmp_path / "in" / folder).glob("walk 01*"):
            file.rename(file.with_name(file.name.replace("walk 01", name)))
    trials = find_trials([tmp_path / "in"], wishes=read_settings(options)).trials
    ears, out = Ears(), tmp_path / "out"
    batch = run_batch(trials, out, jobs=2, additions=[Addition("x", additions.obey)], watcher=ears)
    assert batch.counts == {"done": 3, "partial": 0, "failed": 1}
    (failed,) = batch.failed
    assert failed.name == "Chen/die always"
    assert failed.reason.startswith("its process was ended by SIGKILL, 2 times: mostly for want of memory")
    assert sorted(ears.heard) == [
        (name, "its process was ended by SIGKILL: it is tried once more")
        for name in ("Bob/die once", "Chen/die always")
    ]
    assert set(results(out)) == {trial.name for trial in trials} - {failed.name}
    assert (out / "Bob" / "die once" / "x").read_text() == "here"
    assert ears.together[:2] == [1, 1] and max(ears.together) <= 2  # alone until one has results


LONG = """
import sys
from tests.batch.additions import wait
from softstride.batch import Addition, find_trials, run_batch
run_batch(find_trials([sys.argv[1]]).trials, sys.argv[2], jobs=1, additions=[Addition("x", wait)])
"""


@signals
@pytest.mark.slow
def test_a_process_ends_with_who_started_it_even_in_the_middle_of_a_trial(tmp_path: Path) -> None:
    """Whoever starts the batch again is alone. The trial would take ten minutes."""
    make_trials(tmp_path / "in", 1)
    with started(tmp_path / "in", tmp_path / "out", code=LONG) as parent:
        wait_for((tmp_path / "out" / "waiting").is_file, parent)
        parent.kill()
        parent.wait()
        wait_for(lambda: gone(parent.pid))
        assert not (tmp_path / "out" / "waited").exists()


def test_processes_that_cannot_begin_stop_the_batch(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a script without the guard: the child ends before it takes a trial."""
    monkeypatch.setattr(processes, "serve", os._exit)  # given a pipe it ends with a TypeError
    with pytest.raises(SoftstrideError, match=r'before it began. In a script .* __name__ == "__main__"'):
        list(run_on_processes([task], 1, Watcher()))


def test_no_process_at_all_is_said(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", start)
    with pytest.raises(SoftstrideError, match="no process can be started for a trial: Resource temporarily"):
        list(run_on_processes([task], 1, Watcher()))


def test_linear_algebra_has_one_thread_and_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = dict(os.environ)
    with _environment(dict.fromkeys(ONE_THREAD, "1")):
        assert {os.environ[name] for name in ONE_THREAD} == {"1"}
    assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("code", "words"),
    [
        pytest.param(-9, "was ended by SIGKILL", marks=signals),
        (-11, "was ended by SIGSEGV"),
        (-250, "was ended by signal 250"),
        (3, "ended by itself (exit code 3)"),
    ],
)
def test_how_a_process_ended_in_words(code: int, words: str) -> None:
    assert _in_words(code) == words
