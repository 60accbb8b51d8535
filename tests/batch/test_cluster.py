"""Clusters that are not there, or cannot do it, say so within seconds."""

import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.batch import additions
from tests.batch.scheduler import cluster
from tests.batch.small import wait_for

from softstride.batch import cluster as module
from softstride.batch.cluster import _check_workers, _outcome, run_on_cluster
from softstride.batch.task import Addition, Task, do_trial
from softstride.batch.watcher import Watcher
from softstride.errors import InputError, SoftstrideError


def run(task: Task, address: str) -> list:
    return list(run_on_cluster([task], address, Watcher()))


def test_without_dask_the_extra_is_named(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r'needs Dask, .*: pip install "softstride\[cluster\]"'):
        run(task, "tcp://127.0.0.1:8786")


@pytest.mark.parametrize("address", ["here", "127.0.0.1:8786", ""])
def test_an_address_that_is_none(task: Task, address: str) -> None:
    with pytest.raises(InputError, match="a scheduler has an address such as tcp://"):
        run(task, address)


@pytest.mark.slow
@pytest.mark.parametrize("listening", [False, True], ids=["nobody", "somebody else"])
def test_a_scheduler_that_does_not_answer(
    task: Task, monkeypatch: pytest.MonkeyPatch, listening: bool
) -> None:
    monkeypatch.setattr(module, "CONNECT", 1.5)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if listening:
            server.listen()
        with pytest.raises(
            InputError, match=r"no Dask scheduler answers at tcp://127.0.0.1:.* `dask scheduler` runs"
        ):
            run(task, f"tcp://127.0.0.1:{server.getsockname()[1]}")


class Client:
    """Stands in for a client of Dask."""

    def __init__(self, answers: dict) -> None:
        self.answers = answers

    def wait_for_workers(self, n: int, timeout: float) -> None:
        if not self.answers:
            raise TimeoutError

    def run(self, function, token: str, on_error: str) -> dict:
        assert function(token)[1]
        return self.answers


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({}, "the scheduler has no workers: start some"),
        ({"tcp://a:1": ModuleNotFoundError("softstride")}, "tcp://a:1 has no softstride that can be used"),
        ({"tcp://a:1": ("0.0.1", True)}, "has softstride 0.0.1, however here is .*: results would differ"),
        ({"tcp://a:1": (module.__version__, False)}, "does not see the folder .* all machines see"),
    ],
)
def test_workers_that_cannot_do_it(tmp_path: Path, answers: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        _check_workers(Client(answers), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_workers_are_counted_by_machine(tmp_path: Path) -> None:
    good = (module.__version__, True)
    told = {"tcp://a:1": good, "tcp://a:2": good, "tcp://b:1": good}
    assert _check_workers(Client(told), tmp_path) == {"tcp://a": 2, "tcp://b": 1}


class Future:
    def __init__(self, status: str, error: Exception | None = None) -> None:
        self.status, self.error = status, error

    def exception(self) -> Exception | None:
        return self.error


class KilledWorker(Exception):
    pass


def test_what_the_cluster_loses_is_told(task: Task) -> None:
    assert (
        "several workers of the cluster died of it" in _outcome(Future("error", KilledWorker()), task).reason
    )
    assert "could not do it: OSError: gone" in _outcome(Future("error", OSError("gone")), task).reason
    with pytest.raises(
        SoftstrideError, match="scheduler of the cluster is gone: start the same command again"
    ):
        _outcome(Future("cancelled"), task)


@pytest.mark.slow
def test_a_cluster_does_the_same_and_is_missed_when_it_is_gone(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task.out.mkdir()
    with cluster(tmp_path / "cluster", workers=1) as (address, (_, worker)):
        (outcome,) = run(task, address)
        here = do_trial(replace(task, out=tmp_path / "here"))
        assert outcome.state == "done" and dict(outcome.figures) == dict(here.figures)
        monkeypatch.setattr(module, "ARRIVE", 2.0)
        worker.kill()
        worker.wait()
        with pytest.raises(InputError, match="the scheduler has no workers"):
            run(task, address)
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        run(task, address)


@pytest.mark.slow
@pytest.mark.parametrize("who", ["scheduler", "worker"])
def test_a_cluster_that_goes_away_in_the_middle(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """It is said while the trial still runs, not waited for until morning."""
    monkeypatch.setattr(module, "GONE", 3.0)
    task.out.mkdir()
    long = replace(task, additions=(Addition("x", additions.wait),))
    with (
        cluster(tmp_path / "cluster", workers=1) as (address, (scheduler, worker)),
        ThreadPoolExecutor(1) as pool,
    ):
        asked = pool.submit(run, long, address)
        wait_for(lambda: (task.out / "waiting").is_file() or asked.done())
        (scheduler if who == "scheduler" else worker).kill()
        whose = "the scheduler" if who == "scheduler" else "all workers"
        with pytest.raises(SoftstrideError, match=f"{whose} .* gone: start the same command again"):
            asked.result()
    assert not (task.out / "waited").exists()
