"""What benchmarks share as scripts."""

import json

import pytest

from bench import _script


def test_a_missed_target_is_marked():
    lines = []
    _script.line(lines.append, "ratio", "99", 100.0, 99.0)
    _script.line(lines.append, "ratio", "101", 100.0, 101.0)
    _script.line(lines.append, "time", "1")
    told = [("target" in line, "MISSED" in line) for line in lines]
    assert told == [(True, True), (True, False), (False, False)]


@pytest.mark.parametrize("quick", [False, True])
def test_options_reach_the_benchmark(quick, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["bench", "--json", *(["--quick"] if quick else [])])
    _script.run(lambda json, quick: {"json": float(json), "quick": float(quick)}, "What it measures.")
    assert json.loads(capsys.readouterr().out) == {"json": 1.0, "quick": float(quick)}
