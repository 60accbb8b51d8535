"""The benchmark of inverse kinematics runs, returns what programs rely on, and its made-up runner is a sane one."""

import math
import subprocess
import sys

import numpy as np
import pytest

import softstride as ss
from bench import _memory, _running

RIVALS = ("rajagopal", "gait2354")
ENDS = ("vs_opensim", "vs_opensim_tracking", "fps", "opensim_fps", "objective_mm", "opensim_objective_mm")
OTHERS = (
    "athlete_bias_deg",
    "athlete_converged",
    "athlete_fps",
    "athlete_marker_mm",
    "gait_fps",
    "gait_marker_mm",
    "memory_hour_mb",
    "memory_recording_mb",
    "slope_frames",
)


@pytest.mark.nightly
def test_a_quick_run_returns_every_figure(shared_data, capfd):
    pytest.importorskip("opensim", reason="the benchmark needs its peer")
    from bench import ik

    figures = ik.main(json=True, quick=True)
    assert {f"{name}_{end}" for name in RIVALS for end in ENDS} | set(OTHERS) <= figures.keys()
    assert all(math.isfinite(value) and value >= 0.0 for value in figures.values())
    for name in RIVALS:
        ours, theirs = figures[f"{name}_objective_mm"], figures[f"{name}_opensim_objective_mm"]
        assert 5.0 < ours <= theirs * (1.0 + 1e-6), "millimetres, and never above OpenSim's"
    assert figures["athlete_converged"] == 1.0
    for name in ("athlete", "gait"):
        assert 0.5 < figures[f"{name}_marker_mm"] < ik.NOISE_TARGET, "every frame found its pose"
    assert figures["memory_hour_mb"] > figures["memory_recording_mb"] > 100.0
    assert capfd.readouterr().out == "", "with json the caller prints"


@pytest.mark.slow
def test_without_recordings_the_comparison_is_left_out(monkeypatch, tmp_path):
    pytest.importorskip("opensim", reason="the benchmark needs its peer")
    from bench import ik

    monkeypatch.setenv("SOFTSTRIDE_TEST_DATA", str(tmp_path / "nothing"))
    lines = []
    assert ik._compare(True, lines.append) == {}
    assert "SOFTSTRIDE_TEST_DATA" in lines[0]


@pytest.mark.parametrize("name", ["athlete", "gait"])
def test_the_runner_repeats_itself_and_keeps_within_its_limits(name):
    model = ss.load_model(name)
    q = _running.running(model, 141, 200.0)
    assert np.allclose(ss.difference(model, q[0], q[140]), 0.0, rtol=0.0, atol=1e-12), "a stride is 0.7 s"
    assert np.abs(ss.difference(model, q[0], q[70])).max() > 0.1
    moved = ss.difference(model, model.neutral(), q)
    limited = [each for each in model.coordinates.values() if math.isfinite(each.lower)]
    for coordinate in limited:
        value = coordinate.default + moved[:, model.coordinate_names.index(coordinate.name)]
        assert coordinate.lower < value.min() < value.max() < coordinate.upper
    assert limited, "knees have limits"


def test_the_cameras_see_every_marker_with_noise():
    model = ss.load_model("gait")
    q = _running.running(model, 200, 100.0)
    clean, noisy = (_running.record(model, q, 100.0, noise) for noise in (0.0, 1e-3))
    assert clean.markers.labels == tuple(model.markers)
    assert np.array_equal(clean.markers.values, ss.positions(model, q, tuple(model.markers)))
    assert np.std(noisy.markers.values - clean.markers.values) == pytest.approx(1e-3, rel=0.02)


def test_growth_of_a_process_is_noticed():
    """In a process of its own: this one may have had more memory before, and the system may take some back."""
    pytest.importorskip("resource", reason="this system does not say how much a process held")
    code = (
        "import numpy as np\n"
        "from bench import _memory\n"
        "before, lasting = _memory._resident(), _memory._forget_peak()\n"
        "block = np.ones(10_000_000)\n"
        "print((_memory._peak(lasting) - before) / block.nbytes)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=_memory.ROOT
    )
    assert 0.9 < float(done.stdout) < 1.5
