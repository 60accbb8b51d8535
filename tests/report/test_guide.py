"""The guide to reports runs, and has the limits of the code."""

import contextlib
import inspect
import io
import re
from importlib import import_module

import pytest
from tests.test_docs import BLOCK, ROOT

from softstride.cli import report as command
from softstride.report.build import PARTS
from softstride.report.verdicts import RULES

GUIDE = ROOT / "docs" / "report.md"
WORDS = " ".join(GUIDE.read_text(encoding="utf-8").split())
LIMITS = (
    ("report.strides", "MOSTLY", 100, "at least {:g} % of it"),
    ("report.numbers", "UNKNOWN", 100, "more than {:g} % is not known"),
    ("report.curves", "WIDTH", 1, "± {:g} standard deviations of its error"),
    ("report.sections.replay", "MOST", 1, "at most {:g} frames"),
)


@pytest.mark.slow
def test_the_guide_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = GUIDE.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python") == 4
    namespace = {"__name__": "guide"}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(GUIDE), "exec"), namespace)
        assert printed.getvalue().split() == (block["output"] or "").split()
    assert {file.name for file in tmp_path.iterdir()} == {"running.html", "laboratory.csv"}


def test_every_light_has_its_limits():
    rows = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    for rule in RULES.values():
        word = "at least" if rule.more else "up to"
        good, fair = (f"{word} {x:g} {rule.unit}".strip() for x in (rule.good, rule.fair))
        assert f"| {rule.name} | {good} | {fair} |" in rows


@pytest.mark.parametrize(("module", "name", "factor", "words"), LIMITS)
def test_the_guide_states_the_limits_of_the_code(module, name, factor, words):
    value = getattr(import_module(f"softstride.{module}"), name)
    assert words.format(factor * value) in WORDS


def test_the_longest_replay_is_that_of_the_code():
    from softstride.report.sections.replay import MOST, SLOWEST

    assert f"a trial of more than {MOST / SLOWEST:g} s" in WORDS


def test_the_guide_names_every_option_and_section():
    for name in inspect.signature(command.command).parameters:
        said = {"study": "STUDY", "replay": "--no-replay"}.get(name, f"--{name}")
        assert name == "study" or f"`{said}`" in WORDS, name
    for name, _ in PARTS:
        assert re.search(rf"\| {name} \|", WORDS), name
