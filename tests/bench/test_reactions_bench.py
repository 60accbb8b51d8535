"""The benchmark of joint reactions runs, returns what programs rely on, and lets both solve the same frames."""

import math

import pytest

pytest.importorskip("opensim", reason="the benchmark needs its peer")

ENDS = ("vs_opensim", "long_vs_opensim", "us", "net_us", "opensim_us", "difference")
FILES = ("files_vs_opensim", "files_ms", "files_opensim_ms")


@pytest.mark.nightly
def test_a_quick_run_returns_every_figure(shared_data, capfd):
    from bench import _opensim_jr, reactions

    figures = reactions.main(quick=True)
    out = capfd.readouterr().out
    assert "nothing is judged" in out and "target" not in out and "MISSED" not in out
    figures = reactions.main(json=True, quick=True)
    wanted = {f"{name}_{end}" for name in _opensim_jr.TRIALS for end in ENDS} | set(FILES)
    assert figures.keys() == wanted
    assert all(math.isfinite(value) and value > 0.0 for value in figures.values())
    for name in _opensim_jr.TRIALS:
        quotient = figures[f"{name}_opensim_us"] / figures[f"{name}_us"]
        assert figures[f"{name}_vs_opensim"] == pytest.approx(quotient)
        assert figures[f"{name}_difference"] < _opensim_jr.AGREE
        assert figures[f"{name}_net_us"] < figures[f"{name}_us"], "muscles cost something"
    assert capfd.readouterr().out == "", "with json the caller prints"


def test_without_recordings_it_says_so(monkeypatch, tmp_path, capsys):
    from bench import reactions

    monkeypatch.setenv("SOFTSTRIDE_TEST_DATA", str(tmp_path / "nothing"))
    assert reactions.main(quick=True) == {}
    assert "SOFTSTRIDE_TEST_DATA" in capsys.readouterr().out


@pytest.mark.slow
def test_reactions_that_disagree_stop_the_contest(shared_data, monkeypatch):
    """A ratio of times means nothing where the results differ."""
    from bench import _opensim_jr

    honest = _opensim_jr.Analysis.reactions

    def dishonest(self):
        table = honest(self)
        return type(table)(table.header, table.labels, table.time, 1.1 * table.values)

    monkeypatch.setattr(_opensim_jr.Analysis, "reactions", dishonest)
    with pytest.raises(RuntimeError, match="differ from OpenSim's by 9"):
        _opensim_jr.compete("gait2354", shared_data, quick=True)
