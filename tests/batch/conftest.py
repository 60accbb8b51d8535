"""A trial that is quickly done, for tests that look at one."""

from pathlib import Path

import pytest
from tests.batch.small import make_trials

from softstride.batch.task import Task
from softstride.batch.trials import find_trials
from softstride.pipeline.settings import read_settings


@pytest.fixture
def task(tmp_path: Path) -> Task:
    options = make_trials(tmp_path / "in", 1)
    (trial,) = find_trials([tmp_path / "in"], wishes=read_settings(options)).trials
    return Task(trial.name, str(trial.path), trial.request, tmp_path / "out")


@pytest.fixture
def corrupt(task: Task) -> Task:
    task.request.trial[0].write_text("no markers in here\n")
    return task
