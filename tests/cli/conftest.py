"""A runner whose output does not depend on the terminal, on colours or on CI variables."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from typer.testing import CliRunner

from softstride.cli import app


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
