"""A runner whose output does not depend on the terminal, on colours or on CI variables, and files for commands."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.files import columns_of, external_loads, table
from tests.trials import pushed_walker
from typer.testing import CliRunner

from softstride.capture import write
from softstride.cli import app
from softstride.model.load import save_model


@dataclass(frozen=True)
class Run:
    """What a command left behind, without escape codes."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def words(self) -> str:
        """Everything printed, with white space and frames of tables collapsed."""
        return re.sub(r"[\s─-╿]+", " ", self.stdout + " " + self.stderr)

    @property
    def figures(self) -> dict[str, Any]:
        """The JSON object on the last line of stdout."""
        return json.loads(self.stdout.strip().splitlines()[-1])


@pytest.fixture
def run() -> Callable[..., Run]:
    """Call `softstride` with these arguments."""

    def call(*arguments: str) -> Run:
        result = CliRunner().invoke(
            app, list(arguments), env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
        )
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        plain = [re.sub(r"\x1b\[[0-9;]*m", "", text) for text in (result.stdout, result.stderr)]
        return Run(result.exit_code, *plain)

    return call


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `laboratory` copies."""
    folder = tmp_path_factory.mktemp("laboratory")
    model, motion, recording = pushed_walker()
    save_model(model, folder / "who.json")
    motion.save(folder / "ik.mot")
    write(recording, folder / "plates.mot", what="forces")
    columns, values = columns_of(*recording.forces)
    table(folder / "forces.mot", columns, motion.time, values)
    feet = {"right": ("foot_r", "r"), "left": ("foot_l", "l")}
    (folder / "loads.xml").write_text(external_loads(feet))
    return folder


@pytest.fixture
def laboratory(written: Path, tmp_path: Path) -> Path:
    """A folder of somebody's files, whose name has a space and an accent: who.json, ik.mot, and forces under both feet.

    Forces are in plates.mot under the names that OpenSim gives them, and in forces.mot as loads.xml says.
    """
    return Path(shutil.copytree(written, tmp_path / "après midi"))
