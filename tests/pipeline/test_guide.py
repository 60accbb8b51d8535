"""The guide to whole trials runs, prints what it says, and names every option."""

import contextlib
import io
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from tests.shell import flags_of
from tests.test_docs import BLOCK, ROOT

import softstride as ss
from softstride.pipeline import beside, folder, person, read_settings

GUIDE = ROOT / "docs" / "analyze.md"
TEXT = GUIDE.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_guide_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = list(BLOCK.finditer(TEXT))
    assert len(blocks) == TEXT.count("```python") == 5
    namespace: dict[str, object] = {"__name__": "guide"}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(GUIDE), "exec"), namespace)
        assert printed.getvalue().split() == (block["output"] or "").split()


def test_the_settings_of_the_guide_are_settings(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    (tmp_path / "lab.toml").write_text(text, encoding="utf-8")
    found = read_settings(tmp_path / "lab.toml")
    assert (
        found["options"].emg_weight == 10.0 and dict(found["prosthesis"]) == tomllib.loads(text)["prosthesis"]
    )


def test_the_guide_names_every_option() -> None:
    for field in fields(ss.AnalyzeOptions):
        assert f"`{field.name}`" in TEXT, field.name
    told = {"--quiet", "--report", "--time", "--sex", "--out"}
    assert all(flag in TEXT for flag in set(flags_of("analyze")) - told)


def test_the_guide_states_the_limits_of_the_code() -> None:
    text = " ".join(TEXT.split())
    assert f"of whose markers the trial has {100 * beside.ENOUGH:g} %" in text
    assert f"if {person.FEWEST} markers are called alike" in text
    assert folder.WORTH == 5.0 and "Work of more than five seconds" in text
