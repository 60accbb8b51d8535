"""The benchmark of muscle forces runs, returns what programs rely on, and refuses to compare what disagrees."""

import math

import numpy as np
import pytest

pytest.importorskip("opensim", reason="the benchmark needs its peer")

ENDS = ("vs_opensim", "us", "paths_us", "long_us", "growth", "opensim_us", "difference")


@pytest.mark.nightly
def test_a_quick_run_returns_every_figure(shared_data, capfd):
    from bench import _opensim_so, muscles

    figures = muscles.main(json=True, quick=True)
    assert figures.keys() == {f"{name}_{end}" for name in _opensim_so.TRIALS for end in ENDS}
    assert all(math.isfinite(value) and value > 0.0 for value in figures.values())
    for name in _opensim_so.TRIALS:
        quotient = figures[f"{name}_opensim_us"] / figures[f"{name}_us"]
        assert figures[f"{name}_vs_opensim"] == pytest.approx(quotient)
        assert figures[f"{name}_difference"] < _opensim_so.AGREE
    assert capfd.readouterr().out == "", "with json the caller prints"


def test_without_recordings_it_says_so(monkeypatch, tmp_path, capsys):
    from bench import muscles

    monkeypatch.setenv("SOFTSTRIDE_TEST_DATA", str(tmp_path / "nothing"))
    assert muscles.main(quick=True) == {}
    assert "SOFTSTRIDE_TEST_DATA" in capsys.readouterr().out


def test_forces_that_disagree_stop_the_contest():
    """A ratio of times means nothing where the results differ."""
    from tests.muscles.sharing.made import arm, at_rest
    from tests.oracles.opensim_so import Shared

    import softstride as ss
    from bench import _opensim_so

    model = arm()
    got = ss.solve_muscles(model, *at_rest(model))
    same = Shared(got.time, {}, dict(zip(got.names, got.activation.T, strict=True)))
    assert _opensim_so.difference("arm", got, same) == 0.0
    other = Shared(got.time, {}, {name: column + 0.1 for name, column in same.control.items()})
    with pytest.raises(RuntimeError, match=r"arm: activations differ from OpenSim's by 0\.100"):
        _opensim_so.difference("arm", got, other)


def test_a_trial_several_times_over():
    from tests.muscles.sharing.made import arm, at_rest

    import softstride as ss
    from bench import _opensim_so

    model = arm()
    motion, loads = at_rest(model)
    long = _opensim_so.repeated(motion, loads, 3)
    assert len(long[0]) == len(long[1]) == 3 * len(motion)
    once, thrice = ss.solve_muscles(model, motion, loads), ss.solve_muscles(model, *long)
    inner = slice(70, 110)  # away from the seams, where the motion jumps and speeds with it
    assert np.allclose(thrice.demand[inner], once.demand[10:50])
