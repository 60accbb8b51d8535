"""A whole batch: killed in the middle and resumed, nothing is lost and nothing half-written."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
from tests.batch.scheduler import cluster
from tests.batch.small import gone, leftovers, make_trials, name_of, results, rows, started, wait_for
from tests.campaign import size
from tests.systems import signals

from softstride.batch.run import run_batch
from softstride.batch.task import LOCKS, do_trial
from softstride.batch.task import Task as BatchTask
from softstride.batch.trials import Trial, find_trials
from softstride.errors import CaptureError, InputError, SoftstrideError
from softstride.locks import hold
from softstride.pipeline.request import Request
from softstride.pipeline.settings import read_settings
from softstride.study.files import SUFFIX, open_study


def stamps(out: Path) -> dict[str, int]:
    """Return when the results of each trial were written."""
    return {name: (folder / "figures.json").stat().st_mtime_ns for name, folder in results(out).items()}


def check_whole(out: Path) -> None:
    """See that every folder that is not hidden holds whole results."""
    for folder in results(out).values():
        assert json.loads((folder / "figures.json").read_text())["digest"]
        assert json.loads((folder / "peaks.json").read_text())
        assert open_study(folder / f"{folder.name}{SUFFIX}").name == folder.name


def kill_and_resume(trials: Path, options: Path, out: Path, enough: int, whole_group: bool) -> dict:
    """Kill a batch when some trials are finished, look at what it leaves, and start it again.

    Returns:
        The JSON that the second run prints.
    """
    command = ("batch", trials, "--out", out, "--options", options, "--no-report", "--jobs", 2)
    with started(*command) as first:
        wait_for(lambda: len(results(out)) >= enough, first, pause=0.002 * enough)
        if whole_group:
            os.killpg(first.pid, signal.SIGKILL)
        else:
            first.kill()
        first.communicate()
        wait_for(lambda: gone(first.pid))  # workers end with who started them
    before = stamps(out)
    assert len(before) >= enough
    assert not (out / "trials.parquet").exists()
    check_whole(out)
    with started(*command, "--json") as second:
        stdout, stderr = second.communicate(timeout=600)
    assert second.returncode == 1, stderr  # one of them is corrupt
    assert f"{len(before)} of" in stderr.splitlines()[1]
    after = stamps(out)
    assert {name: after[name] for name in before} == before  # not done again
    check_whole(out)
    assert leftovers(out) == []
    told = json.loads(stdout.splitlines()[-1])
    assert told["earlier"] == len(before)
    return told


def check_corrupt(out: Path, name: str) -> None:
    (row,) = [row for row in rows(out) if row["state"] == "failed"]
    assert row["name"] == name
    assert "walk" in row["reason"] and "C3D" in row["reason"]
    assert row["frames"] is None
    assert row["reason"] in (out / "failures.txt").read_text(encoding="utf-8")


@pytest.mark.slow
@signals
def test_a_batch_whose_head_is_cut_off_is_resumed(tmp_path: Path) -> None:
    """Six trials, one corrupt; the results are those of doing one after the other in this process."""
    options = make_trials(tmp_path / "in", 6, corrupt=4)
    told = kill_and_resume(tmp_path / "in", options, tmp_path / "out", 1, whole_group=False)
    assert (told["trials"], told["done"], told["failed"]) == (6, 5, 1)
    assert told["failed_trials"] == ["Bob/walk 02"]
    check_corrupt(tmp_path / "out", "Bob/walk 02")
    found = find_trials([tmp_path / "in"], wishes=read_settings(options)).trials
    here = [do_trial(BatchTask(each.name, "", each.request, tmp_path / "here")) for each in found]
    there = rows(tmp_path / "out")
    assert [outcome.name for outcome in here] == [row["name"] for row in there]
    for outcome, row in zip(here, there, strict=True):
        figures = {key: row[key] for key in row if key not in ("name", "path", "state", "reason")}
        assert dict(outcome.figures) == {key: value for key, value in figures.items() if value is not None}


@signals
@pytest.mark.slow
def test_many_trials_here_and_on_a_cluster(tmp_path: Path) -> None:
    """One corrupt, the batch killed and resumed; then with a scheduler and two workers, one killed: the same table.

    Two hundred trials by night.
    """
    count, corrupt, enough = size(200, 20), size(77, 7), size(60, 6)
    options = make_trials(tmp_path / "in", count, corrupt=corrupt)
    told = kill_and_resume(tmp_path / "in", options, tmp_path / "out", enough, whole_group=True)
    assert (told["trials"], told["done"], told["failed"]) == (count, count - 1, 1)
    assert len(results(tmp_path / "out")) == count - 1
    check_corrupt(tmp_path / "out", name_of(corrupt))

    with cluster(tmp_path / "cluster", workers=2) as (address, (_, victim, _)):
        command = (
            "batch", tmp_path / "in", "--out", tmp_path / "far", "--options", options, "--no-report",
            "--scheduler", address, "--json",
        )  # fmt: skip
        with started(*command) as batch:
            wait_for(lambda: len(results(tmp_path / "far")) >= enough, batch, pause=0.1)
            victim.kill()
            stdout, stderr = batch.communicate(timeout=600)
    assert batch.returncode == 1, stderr
    assert json.loads(stdout.splitlines()[-1])["done"] == count - 1
    assert rows(tmp_path / "far") == rows(tmp_path / "out")
    assert len(rows(tmp_path / "far")) == count
    check_whole(tmp_path / "far")
    assert leftovers(tmp_path / "far") == []


def nowhere(tmp_path: Path) -> list[Trial]:
    return [Trial("a", tmp_path / "a.c3d", Request((tmp_path / "a.c3d",)))]


def test_no_trials_and_no_jobs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no trials"):
        run_batch([], tmp_path)
    with pytest.raises(InputError, match="jobs must be at least 1, however it is 0"):
        run_batch(nowhere(tmp_path), tmp_path, jobs=0)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file, however results need a folder"):
        run_batch(nowhere(tmp_path), tmp_path / "file")
    with pytest.raises(CaptureError, match=r"cannot be written: .*; check its rights, or choose another"):
        run_batch(nowhere(tmp_path), tmp_path / "file" / "below")

    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(CaptureError, match="cannot be written: Permission denied; check its rights"):
        run_batch(nowhere(tmp_path), tmp_path / "out")


def test_two_batches_do_not_share_a_folder(tmp_path: Path) -> None:
    with (
        hold(tmp_path / "out" / LOCKS / "batch", patience=0.0),
        pytest.raises(SoftstrideError, match="out: somebody else writes the same results"),
    ):
        run_batch(nowhere(tmp_path), tmp_path / "out")


@pytest.mark.slow
def test_results_of_other_inputs_are_replaced_only_if_allowed(task: BatchTask) -> None:
    do_trial(task)
    trial = Trial(task.name, Path(task.path), task.request)
    other = Trial(task.name, Path(task.path), task.request.changed(mass=80.0))
    assert run_batch([trial], task.out).outcomes[0].earlier
    before = stamps(task.out)
    with pytest.raises(
        InputError, match=r"1 of 1 trials have results .* other files.* such as .*\(--overwrite\)"
    ):
        run_batch([other], task.out)
    assert stamps(task.out) == before
    batch = run_batch([other], task.out, overwrite=True)
    assert batch.counts["done"] == 1 and not batch.outcomes[0].earlier
    assert stamps(task.out) != before


def test_a_full_disk_is_a_reason(task: BatchTask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trial says so and leaves nothing half-written; simulated where files get their names."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("softstride.files.os.fsync", full)
    outcome = do_trial(task)
    assert outcome.state == "failed" and "No space left on device" in outcome.reason
    assert results(task.out) == {}


@signals
@pytest.mark.slow
def test_an_interrupt_ends_all_processes(tmp_path: Path) -> None:
    """Ctrl-C: no trace back, a word on how to go on, and nobody left."""
    options = make_trials(tmp_path / "in", 3)
    command = ("batch", tmp_path / "in", "--out", tmp_path / "out", "--options", options, "--no-report")
    with started(*command) as process:
        wait_for(lambda: bool(leftovers(tmp_path / "out")), process)
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=900)
        assert process.returncode == 130, stderr
        assert stderr.strip().endswith("the same command goes on where it was")
        assert re.search(rf"interrupted; kept: \d of 3 trials in {tmp_path / 'out'}; ", stderr)
        assert "Traceback" not in stderr
        wait_for(lambda: gone(process.pid))
