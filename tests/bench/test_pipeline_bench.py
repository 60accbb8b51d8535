"""The benchmark of the whole chain runs, returns what programs rely on, and refuses to compare what disagrees."""

import math

import numpy as np
import pytest

pytest.importorskip("opensim", reason="the benchmark needs its peer")


@pytest.mark.slow
def test_a_quick_run_returns_every_figure(shared_data, capfd):
    from bench import _opensim_chain, pipeline

    figures = pipeline.main(json=True, quick=True)
    assert figures.keys() == {
        "pipeline_vs_opensim",
        "pipeline_s",
        "pipeline_opensim_s",
        "pipeline_difference",
    }
    assert all(math.isfinite(value) and value > 0.0 for value in figures.values())
    quotient = figures["pipeline_opensim_s"] / figures["pipeline_s"]
    assert figures["pipeline_vs_opensim"] == pytest.approx(quotient)
    assert figures["pipeline_difference"] < _opensim_chain.AGREE
    assert capfd.readouterr().out == "", "with json the caller prints"


def test_without_recordings_it_says_so(monkeypatch, tmp_path, capsys):
    from bench import pipeline

    monkeypatch.setenv("SOFTSTRIDE_TEST_DATA", str(tmp_path / "nothing"))
    assert pipeline.main(quick=True) == {}
    assert "SOFTSTRIDE_TEST_DATA" in capsys.readouterr().out


def test_ratios_are_of_times(capsys):
    from bench._opensim_chain import Outcome

    outcome = Outcome(10, 0.5, 20.0, {"one": 60.0, "two": 40.0}, 110.0, 0.0)
    assert outcome.ratio == 200.0 and outcome.cold_ratio == 5.5


def test_forces_that_disagree_stop_the_contest():
    """A ratio of times means nothing where the results differ."""
    from tests.muscles.sharing.made import arm, at_rest
    from tests.oracles.opensim_so import Shared

    import softstride as ss
    from bench import _opensim_chain

    model = arm()
    got = ss.solve_muscles(model, *at_rest(model))
    same = Shared(got.time, {}, dict(zip(got.names, got.activation.T, strict=True)))
    assert _opensim_chain.difference(got, same) == 0.0
    other = Shared(got.time, {}, {name: column + 0.1 for name, column in same.control.items()})
    with pytest.raises(RuntimeError, match=r"activations differ from OpenSim's by 0\.100"):
        _opensim_chain.difference(got, other)
    assert np.isfinite(got.force).all()
