"""The benchmark of inverse dynamics runs, returns what programs rely on, and lets both solve the same frames."""

import math

import numpy as np
import pytest

pytest.importorskip("opensim", reason="the benchmark needs its peer")

ENDS = (
    "vs_opensim",
    "long_vs_opensim",
    "lowpass_vs_opensim",
    "us",
    "long_us",
    "lowpass_us",
    "recursion_us",
    "opensim_us",
    "difference",
)
FILES = ("files_vs_opensim", "files_ms", "files_opensim_ms")


@pytest.mark.nightly
def test_a_quick_run_returns_every_figure(shared_data, capfd):
    from bench import _opensim_id, id

    figures = id.main(json=True, quick=True)
    wanted = {f"{name}_{end}" for name in _opensim_id.TRIALS for end in ENDS} | set(FILES)
    assert figures.keys() == wanted
    assert all(math.isfinite(value) and value > 0.0 for value in figures.values())
    for name in _opensim_id.TRIALS:
        quotient = figures[f"{name}_opensim_us"] / figures[f"{name}_us"]
        assert figures[f"{name}_vs_opensim"] == pytest.approx(quotient)
        assert figures[f"{name}_difference"] < _opensim_id.AGREE
        assert figures[f"{name}_recursion_us"] < figures[f"{name}_us"], "a part of the whole"
    assert capfd.readouterr().out == "", "with json the caller prints"


def test_without_recordings_it_says_so(monkeypatch, tmp_path, capsys):
    from bench import id

    monkeypatch.setenv("SOFTSTRIDE_TEST_DATA", str(tmp_path / "nothing"))
    assert id.main(quick=True) == {}
    assert "SOFTSTRIDE_TEST_DATA" in capsys.readouterr().out


@pytest.mark.slow
def test_forces_that_disagree_stop_the_contest(shared_data, monkeypatch):
    """A ratio of times means nothing where the results differ."""
    from bench import _opensim_id

    honest = _opensim_id.FrameByFrame.forces
    monkeypatch.setattr(_opensim_id.FrameByFrame, "forces", lambda self: 1.1 * honest(self))
    with pytest.raises(RuntimeError, match="differ from OpenSim's by 9"):
        _opensim_id.compete("gait2354", shared_data, quick=True)


def test_the_timed_motion_is_the_low_passed_one(shared_data, tmp_path):
    from tests.oracles import opensim_id, opensim_id_steps

    import softstride as ss
    from bench import _opensim_id

    trial = opensim_id.TRIALS[0]
    files = opensim_id.prepare(trial, shared_data, tmp_path)
    model = ss.load_model(files.model)
    recorded = ss.read_motion(files.motion, model)
    fine = _opensim_id.fine_motion(model, recorded, 6.0, None)
    assert fine.rate == pytest.approx(_opensim_id.RATE)
    time, q, v, _ = opensim_id_steps.motion(recorded.time, recorded.q, 6.0, None)
    rows = np.abs(fine.time[:, None] - time[None, 5:-5]).argmin(axis=0)
    step = (fine.time[rows] - time[5:-5])[:, None]
    assert np.abs(fine.q[rows] - q[5:-5] - step * v[5:-5]).max() < 1e-4
    assert np.abs(v[5:-5] - fine.v[rows]).max() < 0.1 * np.abs(v).max()
