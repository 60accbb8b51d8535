"""What is compiled ahead is what an analysis needs: nothing is left to compile, and nothing is started in vain."""

import json
import os
import subprocess
import sys

import pytest

from softstride.engine.jit import Kernel
from softstride.pipeline import compile_ahead as ahead

LOADED = """
import json, sys
from softstride.engine.jit import Kernel
from softstride.pipeline.compile_ahead import KERNELS, compile_task
found = {}
for task in KERNELS:
    compile_task(task)
    found[task] = [k.name for k in Kernel.registry.values() if k._dispatcher is not None and k._dispatcher.overloads]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_each_task_compiles_its_kernels() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    for task, loaded in json.loads(done.stdout).items():
        assert set(ahead.KERNELS[task]) <= set(loaded), task


@pytest.mark.slow
def test_an_analysis_needs_no_other_kernels() -> None:
    code = (
        "import json; from tests.study.studies import analyze_running; analyze_running(); "
        "from softstride.engine.jit import Kernel; "
        "print(json.dumps([k.name for k in Kernel.registry.values() if k._dispatcher and k._dispatcher.overloads]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    ahead._import_kernels()
    named = {name for names in ahead.KERNELS.values() for name in names}
    assert set(json.loads(done.stdout.splitlines()[-1])) <= named
    assert named <= set(Kernel.registry)


def test_nothing_is_started_when_all_is_there_or_only_one_is_missing(monkeypatch) -> None:
    monkeypatch.setattr(ahead, "_start", lambda task: pytest.fail(f"{task} was started"))
    for missing in ((), ("paths",)):
        monkeypatch.setattr(ahead, "_missing", lambda task, missing=missing: ["x"] if task in missing else [])
        assert ahead.compile_ahead() == 0.0


class Compiling:
    """A process that compiles one kernel of a task each time it is asked for."""

    def __init__(self, left: list[str]) -> None:
        self.left = left

    def poll(self) -> int | None:
        if self.left:
            self.left.pop()
        return None if self.left else 0

    def kill(self) -> None: ...

    def wait(self) -> None: ...


def test_progress_is_the_share_that_is_there(monkeypatch) -> None:
    left = {"paths": ["x"] * 6, "fibres": ["x"] * 2}
    monkeypatch.setattr(ahead, "_missing", lambda task: left.get(task, []))
    monkeypatch.setattr(ahead, "_can_keep", lambda: True)
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(ahead, "PATIENCE", 0.0)
    monkeypatch.setattr(ahead, "_start", lambda tasks: Compiling(left[tasks[0]]))
    shares: list[float] = []
    assert ahead.compile_ahead(lambda _, share: shares.append(share), tuple(left)) > 0.0
    assert shares[0] == pytest.approx(1 / 8) and shares == sorted(shares) and shares[-1] < 1.0


def test_a_cache_that_cannot_be_written(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(ahead, "_start", lambda task: pytest.fail(f"{task} was started"))
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SOFTSTRIDE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(ahead, "_missing", lambda task: ["x"])
    assert ahead.compile_ahead() == 0.0


def test_work_is_dealt_out_evenly() -> None:
    for count in (2, 3, 4):
        dealt = ahead.shares(ahead.KERNELS, count)
        assert sorted(task for share in dealt for task in share) == sorted(ahead.KERNELS)
        work = [sum(ahead.COST[task] for task in share) for share in dealt]
        assert max(work) <= max(1.2 * sum(work) / count, max(ahead.COST.values()))
        for share in dealt:
            assert share == [task for task in ahead.KERNELS if task in share], "poses first, paths last"


class Process:
    """A process that is done after a few looks at it."""

    started: list["Process"] = []  # noqa: RUF012

    def __init__(self, tasks: list[str]) -> None:
        self.tasks, self.looks, self.killed = tasks, 0, False
        Process.started.append(self)

    def poll(self) -> int | None:
        self.looks += 1
        return 0 if self.looks > 3 else None

    def kill(self) -> None:
        self.killed = True

    def wait(self) -> int:
        return 0


@pytest.fixture
def two_cores(monkeypatch) -> None:
    monkeypatch.setattr(Process, "started", [])
    monkeypatch.setattr(ahead, "PATIENCE", 0.001)
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(ahead, "_start", Process)
    monkeypatch.setattr(ahead, "_missing", lambda task: ["x"])


def test_two_processes_on_two_cores(two_cores) -> None:
    seen: list[tuple[str, float]] = []
    assert ahead.compile_ahead(lambda name, share: seen.append((name, share))) > 0.0
    assert len(Process.started) == 2 and all(each.looks > 1 for each in Process.started)
    assert {name for name, _ in seen} == {ahead.STEP}


def test_an_interrupted_wait_stops_the_processes(two_cores) -> None:
    def stop(name: str, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ahead.compile_ahead(stop)
    assert len(Process.started) == 2 and all(each.killed for each in Process.started)


def test_one_core_compiles_as_it_goes(two_cores, monkeypatch) -> None:
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 1)
    assert ahead.compile_ahead() == 0.0 and Process.started == []
