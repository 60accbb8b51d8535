"""The script of the guide runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.batch.small import make_trials

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "batch.md"


@pytest.mark.slow
def test_the_script_of_the_guide_runs(tmp_path: Path) -> None:
    (script,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    make_trials(tmp_path / "recordings", 3, corrupt=1).rename(tmp_path / "clinic.toml")
    (tmp_path / "many.py").write_text(script, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "many.py"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
    )
    assert "standing.trc is a standing trial" in ran.stdout
    assert "{'done': 2, 'partial': 0, 'failed': 1}" in ran.stdout
    assert "Bob/walk 01" in ran.stdout


def test_the_guide_names_every_option() -> None:
    import inspect

    from softstride.cli.batch import command

    text = GUIDE.read_text(encoding="utf-8")
    options = set(inspect.signature(command).parameters) - {"trials"}
    assert [
        name for name in options if f"--{name.replace('_', '-')}" not in text.replace("--no-", "--")
    ] == []
